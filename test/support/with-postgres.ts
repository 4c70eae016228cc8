// node test/support/with-postgres.ts COMMAND...: with a PostgreSQL server of its own, and tests of runs that keep their state there.
import { spawn } from 'node:child_process'
import { POSTGRES, startPostgres } from './postgres-server.ts'
const server = await startPostgres(POSTGRES ?? '')
const [program = '', ...args] = process.argv.slice(2)
const child = spawn(program, args, {
  stdio: 'inherit',
  env: { ...process.env, STATE_URL: server.url, TEST_STATE: 'server' },
})
child.once('exit', (code) => {
  process.exitCode = code ?? 1
  void server.stop()
})
