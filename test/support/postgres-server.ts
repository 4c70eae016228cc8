// A PostgreSQL server of a test's own: in a temporary folder, reached over a socket in it alone.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { systemClock } from '../../src/system.ts'

/** The folder of its programs; undefined where there is none. */
export const POSTGRES = globSync('/usr/lib/postgresql/*/bin').at(-1)

export interface PostgresServer {
  readonly url: string
  query(text: string): Promise<Record<string, unknown>[]>
  /** Ends at once, without writing down what only its memory holds, and is there again after so many milliseconds. */
  crash(forMs: number): Promise<void>
  stop(): Promise<void>
}

/** As another user where this one is root: PostgreSQL does not run as root. */
export const asUser = (): readonly string[] =>
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : []

function run([program = '', ...args]: readonly string[], cwd: string): void {
  execFileSync(program, args, { cwd, stdio: 'pipe' })
}

/** Until a server that is starting answers. */
export async function untilUp(look: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    try {
      await look()
      return
    } catch (error) {
      if (turn === 300) throw error
      await systemClock.sleep(100)
    }
  }
}

/** One server over a folder of data, with its socket in `sockets`. */
function startOver(
  programs: string,
  { data, sockets, more }: { data: string; sockets: string; more: readonly string[] },
) {
  const settings = [
    'listen_addresses=',
    'max_connections=600',
    `unix_socket_directories=${sockets}`,
    'fsync=off',
    ...more,
  ]
  const [program = '', ...args] = [
    ...asUser(),
    join(programs, 'postgres'),
    '-D',
    data,
    ...settings.flatMap((setting) => ['-c', setting]),
  ]
  const server = spawn(program, args, { cwd: sockets, stdio: 'ignore' })
  return { server, ended: new Promise((resolve) => server.once('exit', resolve)) }
}

const urlOf = (sockets: string): string =>
  `postgres://sync@localhost/postgres?host=${encodeURIComponent(sockets)}`

async function queryAt(sockets: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: urlOf(sockets) })
  try {
    await client.connect()
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  chmodSync(folder, 0o777)
  return folder
}

function initialize(programs: string, data: string, folder: string): void {
  const options = ['-U', 'sync', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  run([...asUser(), join(programs, 'initdb'), '-D', data, ...options], folder)
}

export async function startPostgres(programs: string, connections = 600): Promise<PostgresServer> {
  const folder = newFolder()
  const data = join(folder, 'data')
  initialize(programs, data, folder)
  const more = [`max_connections=${connections}`]
  const begin = () => startOver(programs, { data, sockets: folder, more })
  let now = begin()
  const query = async (text: string) => queryAt(folder, text)
  await untilUp(async () => query('SELECT 1'))
  return {
    url: urlOf(folder),
    query,
    async crash(forMs) {
      now.server.kill('SIGQUIT')
      await now.ended
      await systemClock.sleep(forMs)
      now = begin()
      await untilUp(async () => query('SELECT 1'))
    },
    async stop() {
      now.server.kill('SIGINT')
      await now.ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface ReplicatedServer extends Omit<PostgresServer, 'crash'> {
  /** The address of the replica itself. */
  readonly replica: string
  /** The server ends at once, and its replica takes its place and its address. */
  failOver(): Promise<void>
}

/** A server with a replica that has each commit before it is answered. Both are reached at one address, one after the other. */
export async function startReplicated(programs: string): Promise<ReplicatedServer> {
  const folder = newFolder()
  const [first, second] = ['first', 'second'].map((name) => join(folder, name)) as [string, string]
  for (const sockets of [first, second]) {
    mkdirSync(sockets)
    chmodSync(sockets, 0o777)
  }
  const [data, copy] = [join(first, 'data'), join(second, 'data')]
  initialize(programs, data, first)
  const more = ['wal_level=replica', 'max_wal_senders=5']
  const server = startOver(programs, { data, sockets: first, more })
  await untilUp(async () => queryAt(first, 'SELECT 1'))
  run(
    [
      ...asUser(),
      join(programs, 'pg_basebackup'),
      '-D',
      copy,
      '-R',
      '-X',
      'stream',
      '-h',
      first,
      '-U',
      'sync',
    ],
    folder,
  )
  const replica = startOver(programs, { data: copy, sockets: second, more })
  await queryAt(first, "ALTER SYSTEM SET synchronous_standby_names = '*'")
  await queryAt(first, 'SELECT pg_reload_conf()')
  await untilUp(async () => {
    const [state] = await queryAt(first, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
    if (state === undefined) throw new Error('the replica has not come')
  })
  const name = '.s.PGSQL.5432'
  symlinkSync(join(first, name), join(folder, name))
  return {
    url: urlOf(folder),
    replica: urlOf(second),
    query: async (text) => queryAt(folder, text),
    async failOver() {
      server.server.kill('SIGQUIT')
      await server.ended
      await queryAt(second, 'SELECT pg_promote()')
      rmSync(join(folder, name))
      symlinkSync(join(second, name), join(folder, name))
    },
    async stop() {
      for (const one of [server, replica]) {
        one.server.kill('SIGQUIT')
        await one.ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
