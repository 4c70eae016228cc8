// npm run bench:fleet -- [SECONDS] [ROWS]: several workers with one state at a PostgreSQL server. First the rate limit, as a service
// counts it: processes that ask as fast as they may. Then whole daemons that push files without a limit that matters, beside one
// daemon with its state in a file. Figures are of this machine, whose processors all of them share; compare them with each other.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startSandbox } from '../../src/sandbox/server.ts'
import { openState, openStateForReading } from '../../src/store/state-store.ts'
import { systemClock as clock } from '../../src/system.ts'
import { peopleCsv } from '../support/cli.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { startMeasuredService } from '../store/postgres/measured-service.ts'
import { fullestWindow, rateUse } from './cost/rate-use.ts'

const [seconds = 10, rows = 2000] = process.argv.slice(2).map(Number)
const KEY = 'bench-key'
const PIPELINES = 8

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

const commits = async (server: PostgresServer): Promise<number> =>
  Number(
    (
      await server.query('SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()')
    )[0]?.['n'],
  )

/** How well so many processes use a limit of 50 a second. */
async function measureLimit(server: PostgresServer, folder: string, processes: number) {
  const place = { url: server.url, schema: `limit_${processes}`, path: join(folder, `limit-${processes}`) }
  await openState(place, { pid: 0, since: 0, thorough: false }).close()
  const service = await startMeasuredService([20, 420])
  const asking = { place, address: service.address, leaseMs: 15_000, requests: 50, perMs: 1000, atOnce: 32 }
  const askers = Array.from({ length: processes }, () =>
    fork(resolve(import.meta.dirname, '../store/postgres/asker.ts'), [JSON.stringify(asking)]),
  )
  await Promise.all(askers.map(async (asker) => once(asker, 'message')))
  await clock.sleep(2000)
  const [from, before] = [clock.monotonic(), await commits(server)]
  await clock.sleep(seconds * 1000)
  const after = await commits(server)
  await endAll(askers)
  await service.close()
  const served = service.served()
  const lately = served.filter(({ at, answered }) => at >= from && answered !== null)
  const use = rateUse(lately, { allowed: 50, windowMs: 1000, atOnce: 32 * processes })
  return {
    processes,
    'requests/s': Number((lately.length / seconds).toFixed(1)),
    'fullest window': fullestWindow(
      served.map(({ at }) => at),
      1000,
    ),
    'use of the limit': Number(use.share.toFixed(3)),
    'transactions/request': Number(((after - before) / lately.length).toFixed(1)),
  }
}

/** Daemons over the same pipelines, from the first to the last link. `url`: undefined for a state in a file. */
async function measurePush(folder: string, workers: number, url: string | undefined) {
  const home = join(folder, `push-${url === undefined ? 'file' : workers}`)
  const sandbox = await startSandbox({ port: 0, apiKey: KEY, clock })
  const names = Array.from({ length: PIPELINES }, (_, number) => `p${number}`)
  const pipelines = names.map((name) => {
    mkdirSync(join(home, name), { recursive: true })
    return `  ${name}:\n    source: { type: csv, folder: ${name}, settle: 0s }\n    watch: true\n    key: no\n    map: { mail: mail, first_name: first, family_name: last, phone: phone }\n`
  })
  const path = join(home, 'state.db')
  const schema = 'contact_sync'
  const at = url === undefined ? '' : `, url: "${url}"`
  writeFileSync(
    join(home, 'config.yaml'),
    `service: { base_url: "${sandbox.url}", api_key: ${KEY}, rate_limit: { requests: 1000, per: 1s, concurrency: 4 }, bulk: { size: 50 } }
state: { path: "${path}"${at} }
server: { port: 0 }
max_parallel: ${PIPELINES}
pipelines:\n${pipelines.join('')}`,
  )
  const daemons = Array.from({ length: workers }, () =>
    spawn(
      process.execPath,
      [resolve(import.meta.dirname, '../../dist/main.js'), 'start', '--config', join(home, 'config.yaml')],
      {
        stdio: 'ignore',
      },
    ),
  )
  const linked = async (): Promise<number> => {
    const state = openStateForReading(url === undefined ? path : { path, url, schema })
    const backlogs = await Promise.all(names.map(async (name) => (await state?.backlog(name))?.linked ?? 0))
    await state?.close()
    return backlogs.reduce((sum, count) => sum + count, 0)
  }
  // All of them are there, and have shared the pipelines.
  await clock.sleep(4000)
  const began = clock.monotonic()
  for (const name of names)
    writeFileSync(join(home, name, 'a.csv'), peopleCsv(rows).replaceAll('person', `${name}-`))
  while ((await linked()) < rows * PIPELINES) await clock.sleep(250)
  const tookMs = clock.monotonic() - began
  await endAll(daemons)
  await sandbox.close()
  return {
    state: url === undefined ? 'file' : 'server',
    workers,
    records: rows * PIPELINES,
    seconds: Number((tookMs / 1000).toFixed(1)),
    'records/s': Math.round((rows * PIPELINES * 1000) / tookMs),
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'))
if (POSTGRES === undefined) throw new Error('PostgreSQL is not installed')
const server = await startPostgres(POSTGRES)
try {
  const limits = []
  for (const processes of [1, 2, 4]) limits.push(await measureLimit(server, folder, processes))
  console.table(limits)
  const pushes = [await measurePush(folder, 1, undefined)]
  for (const workers of [1, 2, 4]) {
    pushes.push(await measurePush(folder, workers, server.url))
    await server.query('DROP SCHEMA contact_sync CASCADE')
  }
  console.table(pushes)
  process.exitCode = limits.every((one) => one['fullest window'] <= 50) ? 0 : 1
} finally {
  await server.stop()
  rmSync(folder, { recursive: true })
}
