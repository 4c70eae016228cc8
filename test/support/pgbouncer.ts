// Debian's pgbouncer before a PostgreSQL server of a test (apt-get install pgbouncer).
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { asUser, untilUp } from './postgres-server.ts'

const PGBOUNCER = '/usr/sbin/pgbouncer'

export const hasPgbouncer = existsSync(PGBOUNCER)

export interface Pooler {
  readonly url: string
  stop(): Promise<void>
}

/** `server`: the address of the server, whose socket is in a folder. */
export async function startPgbouncer(server: string, mode: 'session' | 'transaction'): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'pgbouncer-'))
  chmodSync(folder, 0o777)
  const config = join(folder, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `* = host=${new URL(server).searchParams.get('host') ?? ''} user=sync`,
    '[pgbouncer]',
    'listen_addr =',
    `unix_socket_dir = ${folder}`,
    'listen_port = 6432',
    'auth_type = any',
    `pool_mode = ${mode}`,
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  const [program, ...args] = [...asUser(), PGBOUNCER, '-q', config]
  const pooler = spawn(program, args, { stdio: 'ignore' })
  const url = `postgres://sync@localhost:6432/postgres?host=${encodeURIComponent(folder)}`
  await untilUp(async () => {
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
    } finally {
      await client.end().catch(() => undefined)
    }
  })
  return {
    url,
    async stop() {
      const ended = once(pooler, 'exit')
      pooler.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
