// npm run bench:fleet -- [SECONDS] [ROWS] [--check]: several workers with one state at a PostgreSQL server. First the rate limit, as a service
// counts it: processes that ask as fast as they may. Then whole daemons that push files without a limit that matters, of one account
// and of three, beside one daemon with its state in a file. Ends with 1 where a window is above the limit, or less of it is used than it should be; with
// `--check` that is all that is measured, for four processes. Figures are of this machine, whose processors all of them share; compare them with each other.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fileOfAccount, schemaOfAccount, type StatePlace } from '../../src/core/state-place.ts'
import { DEFAULT_ACCOUNT } from '../../src/core/settings/account-settings.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { openToRead } from '../../src/store/reading.ts'
import { openState, openStateForReading } from '../../src/store/state-store.ts'
import { systemClock as clock } from '../../src/system.ts'
import { peopleCsv } from '../support/cli.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { type MeasuredService, startMeasuredService } from './measured-service.ts'
import { fullestWindow, steadyShare } from './cost/rate-use.ts'

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [seconds = 10, rows = 2000] = positionals.map(Number)
const KEY = 'bench-key'
const PIPELINES = 12
/** So many requests in a window of so many milliseconds; answers take from so long to so long. */
const [ALLOWED, WINDOW_MS, ANSWER_MS] = [50, 1000, [20, 420] as const]
/** The time limit of a request (asker.ts). */
const ASKED_WITHIN_MS = 2000
const LEAST_USE = 0.95
let schemas = 0

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

/** What a server has done so far. */
interface Work {
  readonly transactions: number
  /** Of its write-ahead log. */
  readonly bytes: number
}

async function workOf(server: PostgresServer): Promise<Work> {
  const [row] = await server.query(
    `SELECT xact_commit AS transactions, pg_current_wal_lsn() - '0/0' AS bytes FROM pg_stat_database WHERE datname = current_database()`,
  )
  return { transactions: Number(row?.['transactions']), bytes: Number(row?.['bytes']) }
}

const costs = (before: Work, after: Work, requests: number) => ({
  'transactions/request': Number(((after.transactions - before.transactions) / requests).toFixed(1)),
  'kB written/request': Number(((after.bytes - before.bytes) / 1000 / requests).toFixed(1)),
})

/** Of the time without one of the processes; longer than it takes to notice that one is gone, and to free its places. */
const LEASE_MS = 3000
const GONE_MS = LEASE_MS + ASKED_WITHIN_MS + 2 * WINDOW_MS

interface Asked {
  readonly service: MeasuredService
  readonly askers: readonly ChildProcess[]
  end(): Promise<void>
}

/** Processes that ask a service as fast as they may. */
async function startAsking(server: PostgresServer, folder: string, processes: number): Promise<Asked> {
  schemas += 1
  const schema = `limit_${schemas}`
  const place = { url: server.url, schema, path: join(folder, schema) }
  await openState(place, { pid: 0, since: 0, thorough: false }).close()
  const service = await startMeasuredService(ANSWER_MS)
  const { address } = service
  const asking = { place, address, leaseMs: LEASE_MS, requests: ALLOWED, perMs: WINDOW_MS, atOnce: 32 }
  const askers = Array.from({ length: processes }, () =>
    fork(resolve(import.meta.dirname, './asker.ts'), [JSON.stringify(asking)]),
  )
  await Promise.all(askers.map(async (asker) => once(asker, 'message')))
  await clock.sleep(2000)
  return {
    service,
    askers,
    async end() {
      await endAll(askers)
      await service.close()
    },
  }
}

/** What of the limit is used within the next seconds. */
async function useOf(service: MeasuredService): Promise<number> {
  const from = clock.monotonic()
  await clock.sleep(seconds * 1000)
  const to = clock.monotonic()
  return steadyShare(service.served(), { from, to }, { allowed: ALLOWED, windowMs: WINDOW_MS })
}

const fullestOf = (service: MeasuredService): number =>
  fullestWindow(
    service.served().map(({ at }) => at),
    WINDOW_MS,
  )

/** How well so many processes use the limit. */
async function measureLimit(server: PostgresServer, folder: string, processes: number) {
  const { service, end } = await startAsking(server, folder, processes)
  const [asked, before] = [service.served().length, await workOf(server)]
  const use = await useOf(service)
  const [requests, after] = [service.served().length - asked, await workOf(server)]
  await end()
  return {
    processes: String(processes),
    'requests/s': Number((requests / seconds).toFixed(1)),
    'fullest window': fullestOf(service),
    'use of the limit': Number(use.toFixed(3)),
    ...costs(before, after, requests),
  }
}

/** How well two of four use it after one was killed and one stopped, and when that one wakes up after its lease. */
async function measureTrouble(server: PostgresServer, folder: string) {
  const { service, askers, end } = await startAsking(server, folder, 4)
  const [killed, stopped] = askers
  killed?.kill('SIGKILL')
  stopped?.kill('SIGSTOP')
  await clock.sleep(GONE_MS)
  const without = await useOf(service)
  stopped?.kill('SIGCONT')
  const again = await useOf(service)
  await end()
  return [
    ['2 of 4, one killed, one stopped', without],
    ['2 of 4, the stopped one woke up', again],
  ].map(([processes, use]) => ({
    processes,
    'fullest window': fullestOf(service),
    'use of the limit': Number(Number(use).toFixed(3)),
  }))
}

interface Push {
  readonly workers: number
  /** Each has a service of its own. */
  readonly accounts: number
  /** The server; undefined for a state in a file. */
  readonly server: PostgresServer | undefined
}

const accountNames = (accounts: number): readonly string[] =>
  accounts === 1 ? [DEFAULT_ACCOUNT] : Array.from({ length: accounts }, (_, number) => `a${number}`)

const pipelineNames = Array.from({ length: PIPELINES }, (_, number) => `p${number}`)

/** Pipelines take turns over the accounts. */
function configured(home: string, { server }: Push, services: ReadonlyMap<string, Sandbox>): string {
  const accounts = [...services.keys()]
  const service = (url: string): string =>
    `{ base_url: "${url}", api_key: ${KEY}, rate_limit: { requests: 1000, per: 1s, concurrency: 4 }, bulk: { size: 50 } }`
  const [own] = [...services.values()].map(({ url }) => `service: ${service(url)}`)
  const named = [...services].map(([name, { url }]) => `  ${name}: { service: ${service(url)} }\n`).join('')
  const pipelines = pipelineNames.map((name, index) => {
    mkdirSync(join(home, name), { recursive: true })
    const account = accounts.length === 1 ? '' : `    account: ${accounts[index % accounts.length] ?? ''}\n`
    return `  ${name}:\n${account}    source: { type: csv, folder: ${name}, settle: 0s }\n    watch: true\n    key: no\n    map: { mail: mail, first_name: first, family_name: last, phone: phone }\n`
  })
  const at = server === undefined ? '' : `, url: "${server.url}"`
  return `${accounts.length === 1 ? (own ?? '') : `accounts:\n${named}`}
state: { path: "${join(home, 'state.db')}"${at} }
server: { port: 0 }
max_parallel: ${PIPELINES}
pipelines:\n${pipelines.join('')}`
}

/** What the states of all accounts have: links, and requests of runs that have ended. */
async function pushed(places: readonly StatePlace[]) {
  const sums = { linked: 0, requests: 0, runs: 0 }
  for (const place of places) {
    const state = openStateForReading(place)
    for (const name of pipelineNames) sums.linked += (await state?.backlog(name))?.linked ?? 0
    await state?.close()
    const figures = openToRead(place)
    const sum = figures
      ?.prepare<[], { runs: number; requests: number }>(
        'SELECT count(*) AS runs, coalesce(sum(requests), 0) AS requests FROM run_figure WHERE requests > 0',
      )
      .get()
    figures?.close()
    sums.requests += sum?.requests ?? 0
    sums.runs += sum?.runs ?? 0
  }
  return sums
}

/** Daemons over the same pipelines, from the first to the last link. */
async function measurePush(folder: string, push: Push) {
  const { workers, accounts, server } = push
  const home = join(folder, `push-${server === undefined ? 'file' : workers}-${accounts}`)
  const services = new Map<string, Sandbox>()
  for (const name of accountNames(accounts))
    services.set(name, await startSandbox({ port: 0, apiKey: KEY, clock }))
  mkdirSync(home)
  writeFileSync(join(home, 'config.yaml'), configured(home, push, services))
  const path = join(home, 'state.db')
  const places = [...services.keys()].map((name): StatePlace => {
    const file = fileOfAccount(name, path)
    return server === undefined
      ? { path: file }
      : { path: file, url: server.url, schema: schemaOfAccount(name) }
  })
  const program = resolve(import.meta.dirname, '../../dist/main.js')
  const daemons = Array.from({ length: workers }, () =>
    spawn(process.execPath, [program, 'start', '--config', join(home, 'config.yaml')], { stdio: 'ignore' }),
  )
  // All of them are there, and have shared the pipelines.
  await clock.sleep(5000)
  const before = server && (await workOf(server))
  const began = clock.monotonic()
  for (const name of pipelineNames)
    writeFileSync(join(home, name, 'a.csv'), peopleCsv(rows).replaceAll('person', `${name}-`))
  while ((await pushed(places)).linked < rows * PIPELINES) await clock.sleep(500)
  const tookMs = clock.monotonic() - began
  while ((await pushed(places)).runs < PIPELINES) await clock.sleep(100)
  const { requests } = await pushed(places)
  const after = server && (await workOf(server))
  await endAll(daemons)
  for (const service of services.values()) await service.close()
  for (const { schema } of places) await server?.query(`DROP SCHEMA ${schema ?? ''} CASCADE`)
  return {
    state: server === undefined ? 'file' : 'server',
    ...{ workers, accounts },
    records: rows * PIPELINES,
    seconds: Number((tookMs / 1000).toFixed(1)),
    'records/s': Math.round((rows * PIPELINES * 1000) / tookMs),
    'requests/s': Number(((requests * 1000) / tookMs).toFixed(1)),
    ...(before && after && costs(before, after, requests)),
  }
}

async function measurePushes(server: PostgresServer, folder: string): Promise<void> {
  const pushes = []
  for (const accounts of [1, 3]) {
    pushes.push(await measurePush(folder, { workers: 1, accounts, server: undefined }))
    for (const workers of [1, 2, 4]) pushes.push(await measurePush(folder, { workers, accounts, server }))
  }
  console.table(pushes)
}

const folder = mkdtempSync(join(tmpdir(), 'bench-fleet-'))
if (POSTGRES === undefined) throw new Error('PostgreSQL is not installed')
const server = await startPostgres(POSTGRES)
try {
  const limits = []
  for (const processes of values.check ? [4] : [1, 2, 4])
    limits.push(await measureLimit(server, folder, processes))
  const all = [...limits, ...(await measureTrouble(server, folder))]
  console.table(all)
  if (!values.check) await measurePushes(server, folder)
  const bad = all.filter((one) => one['fullest window'] > ALLOWED || one['use of the limit'] < LEAST_USE)
  for (const { processes } of bad)
    console.log(`WRONG: ${processes}: a window above the limit, or a use below ${LEAST_USE}`)
  process.exitCode = bad.length === 0 ? 0 : 1
} finally {
  await server.stop()
  rmSync(folder, { recursive: true })
}
