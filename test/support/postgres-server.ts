// A PostgreSQL server of a test's own: in a temporary folder, reached over a socket in it alone.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs'
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
const asUser = (): readonly string[] =>
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

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'))
  chmodSync(folder, 0o777)
  const data = join(folder, 'data')
  const initdb = [
    'initdb',
    '-D',
    data,
    '-U',
    'sync',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]
  run([...asUser(), join(programs, initdb[0] ?? ''), ...initdb.slice(1)], folder)
  const [program = '', ...args] = [
    ...asUser(),
    join(programs, 'postgres'),
    ...[
      '-D',
      data,
      '-c',
      'listen_addresses=',
      '-c',
      'max_connections=600',
      '-c',
      `unix_socket_directories=${folder}`,
      '-c',
      'fsync=off',
    ],
  ]
  const begin = () => {
    const server = spawn(program, args, { cwd: folder, stdio: 'ignore' })
    return { server, ended: new Promise((resolve) => server.once('exit', resolve)) }
  }
  let now = begin()
  const url = `postgres://sync@localhost/postgres?host=${encodeURIComponent(folder)}`
  const query = async (text: string): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      return (await client.query<Record<string, unknown>>(text)).rows
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  await untilUp(async () => query('SELECT 1'))
  return {
    url,
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
