// npm run kills:fleet -- [--seconds 90] [--seed 1]: four daemons with one state at a PostgreSQL server, forty pipelines of three
// accounts, files that land all the time; processes are killed, stopped for longer than their lease, ended and started again,
// connections are cut, and the server crashes. In the end every contact must be there once with its last values, no window may have been above the limit as
// the services count it, nothing may be in doubt, and each sync log must be whole. No pipeline may have been without a worker for long.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { AUDIT_START } from '../../src/core/log/audit-chain.ts'
import type { StatePlace } from '../../src/core/state-place.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { openStateForReading } from '../../src/store/state-store.ts'
import { systemClock as clock } from '../../src/system.ts'
import { fullestWindow } from '../bench/cost/rate-use.ts'
import { MAIN } from '../support/cli.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { seeded } from '../support/seeded.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '90' }, seed: { type: 'string', default: '1' } },
})
const random = seeded(Number(values.seed))
const KEY = 'fleet-key'
const [WORKERS, PIPELINES, PEOPLE, ALLOWED] = [4, 40, 20, 20]
const ACCOUNTS = ['default', 'north', 'south'] as const
/**
 * So long a pipeline may be without a worker whose lease lasts: five seconds, and as long again where the next one is killed before it
 * takes it; the rest is for a busy machine.
 */
const IDLE_MS = 15_000
const SCHEMAS = ACCOUNTS.map((account) =>
  account === 'default' ? 'contact_sync' : `contact_sync_${account}`,
)
const seconds = (ms: number): number => Math.round(ms / 100) / 10
const print = (line: string): void => void process.stdout.write(`${line}\n`)

interface Counted {
  readonly address: string
  /** When requests came, in order. */
  readonly times: number[]
  close(): void
}

/** In front of a service: notes when requests come, and lets their answers take a while. */
async function counting({ url }: Sandbox): Promise<Counted> {
  const target = new URL(url)
  const times: number[] = []
  const server = createServer((incoming, outgoing) => {
    times.push(clock.monotonic())
    const { method, headers, url: path } = incoming
    const asked = httpRequest(
      { host: target.hostname, port: target.port, path, method, headers },
      (answer) => {
        void clock.sleep(random.between(5, 150)).then(() => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
          answer.pipe(outgoing)
        })
      },
    )
    asked.on('error', () => outgoing.destroy())
    incoming.on('error', () => asked.destroy())
    incoming.pipe(asked)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    times,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

const accountOf = (pipeline: number): (typeof ACCOUNTS)[number] =>
  ACCOUNTS[pipeline % ACCOUNTS.length] ?? 'default'
const nameOf = (pipeline: number): string => `p${pipeline}`
const mailOf = (pipeline: number, person: number): string => `p${pipeline}-${person}@example.com`

function configuration(
  folder: string,
  { addresses, url }: { addresses: readonly string[]; url: string },
): void {
  const service = (address: string | undefined): string =>
    `{ base_url: "${address}", api_key: ${KEY}, timeout: 5s, rate_limit: { requests: ${ALLOWED}, per: 1s, concurrency: 4 }, retry: { attempts: 3, max_delay: 1s }, doubt: { quiesce: 1s, absent_reads: 1 } }`
  const [first, ...others] = addresses
  const accounts = others.map(
    (address, index) => `  ${ACCOUNTS[index + 1]}: { service: ${service(address)} }\n`,
  )
  const pipelines = Array.from({ length: PIPELINES }, (_, number) => {
    mkdirSync(join(folder, nameOf(number)))
    const account = accountOf(number) === 'default' ? '' : `    account: ${accountOf(number)}\n`
    const check = number % 2 === 0 ? 'none' : 'email'
    return `  ${nameOf(number)}:\n${account}    source: { type: csv, folder: ${nameOf(number)}, settle: 0s }\n    watch: true\n    key: no\n    duplicate_check_method: ${check}\n    map: { mail: mail, first_name: first, phone: phone }\n`
  })
  writeFileSync(
    join(folder, 'config.yaml'),
    `service: ${service(first)}\naccounts:\n${accounts.join('')}state: { path: "state/\${WORKER}.db", url: "${url}" }\nworkers: { name: "\${WORKER}" }\nserver: { port: 0 }\npipelines:\n${pipelines.join('')}`,
  )
}

interface World {
  readonly folder: string
  readonly server: PostgresServer
  /** What each pipeline said last. */
  readonly versions: number[]
  /** Files that have landed and are still there, with when that was. */
  readonly landed: Map<string, number>
  readonly slowest: { ms: number; file: string }
  readonly daemons: (ChildProcess | undefined)[]
}

function drop({ folder, versions, landed }: World, pipeline: number): void {
  const version = (versions[pipeline] ?? 0) + 1
  versions[pipeline] = version
  const rows = Array.from(
    { length: PEOPLE },
    (_, person) => `${person},${mailOf(pipeline, person)},Ann${version},030 ${version}${person}`,
  )
  // Files are taken in the order of their names.
  const file = join(folder, nameOf(pipeline), `v${String(version).padStart(3, '0')}.csv`)
  writeFileSync(`${file}.part`, ['no,mail,first,phone', ...rows, ''].join('\n'))
  renameSync(`${file}.part`, file)
  landed.set(file, clock.monotonic())
}

function lookAtFiles({ landed, slowest }: World): void {
  for (const [file, since] of landed) {
    if (existsSync(file)) continue
    landed.delete(file)
    const ms = clock.monotonic() - since
    if (ms > slowest.ms) Object.assign(slowest, { ms, file })
  }
}

function start({ folder, daemons }: World, number: number): void {
  const log = openSync(join(folder, `w${number}.log`), 'a')
  daemons[number] = spawn(process.execPath, [MAIN, 'start', '--config', join(folder, 'config.yaml')], {
    stdio: ['ignore', 'ignore', log],
    env: { ...process.env, WORKER: `w${number}` },
  })
  closeSync(log)
}

async function end(daemon: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (daemon === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return
  daemon.kill(signal)
  await once(daemon, 'exit')
}

const FAULTS = ['kill', 'kill', 'stop', 'end', 'cut', 'crash'] as const

/** One thing that goes wrong; three workers are left alone. */
async function disturb(
  world: World,
  number: number,
  fault: (typeof FAULTS)[number] = random.pick(FAULTS),
): Promise<string> {
  const daemon = world.daemons[number]
  switch (fault) {
    case 'crash':
      await world.server.crash(random.between(0, 3000))
      return 'the server crashed'
    case 'kill':
      await end(daemon, 'SIGKILL')
      await clock.sleep(random.between(100, 3000))
      start(world, number)
      return `w${number} killed`
    case 'stop':
      daemon?.kill('SIGSTOP')
      await clock.sleep(random.between(1000, 18_000))
      daemon?.kill('SIGCONT')
      return `w${number} stopped for a while`
    case 'end':
      await end(daemon, 'SIGTERM')
      start(world, number)
      return `w${number} ended`
    case 'cut':
      await world.server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'contact-sync' AND random() < 0.3",
      )
      return 'connections cut'
  }
}

const places = (url: string, folder: string): readonly StatePlace[] =>
  ACCOUNTS.map((account) => ({
    url,
    path: join(folder, 'reader.db'),
    schema: SCHEMAS[ACCOUNTS.indexOf(account)] ?? '',
  }))

const LEASED = SCHEMAS.map(
  (schema) =>
    `SELECT pipeline FROM ${schema}.pipeline_lease JOIN ${schema}.worker USING (fence) WHERE until >= clock_timestamp()`,
).join(' UNION ALL ')

/** Looks again and again which pipelines have a worker. */
function watchLeases(server: PostgresServer, signal: AbortSignal) {
  const had = new Map<string, number>()
  const longest = { ms: 0, pipeline: '' }
  async function look(): Promise<void> {
    const rows = await server.query(LEASED)
    const now = clock.monotonic()
    for (const { pipeline } of rows) had.set(String(pipeline), now)
    for (const [pipeline, at] of had)
      if (now - at > longest.ms) Object.assign(longest, { ms: now - at, pipeline })
  }
  const ended = (async () => {
    while (!signal.aborted) {
      // The first worker makes the tables.
      await look().catch(() => undefined)
      await clock.sleep(500, signal)
    }
  })()
  return { longest, ended, seen: () => had.size }
}

/** Links, and what is not settled, over all accounts. */
async function standing(all: readonly StatePlace[]): Promise<{ linked: number; open: number }> {
  const sum = { linked: 0, open: 0 }
  for (const place of all) {
    const state = openStateForReading(place)
    for (let number = 0; number < PIPELINES; number += 1) {
      if (place !== all[ACCOUNTS.indexOf(accountOf(number))] || state === undefined) continue
      const { linked, inDoubt, retriable, held } = await state.backlog(nameOf(number))
      sum.linked += linked
      sum.open += inDoubt + retriable + held
    }
    await state?.close()
  }
  return sum
}

async function wrongContacts(sandboxes: readonly Sandbox[], { versions }: World): Promise<string[]> {
  const wrong: string[] = []
  for (let number = 0; number < PIPELINES; number += 1)
    for (let person = 0; person < PEOPLE; person += 1) {
      const url = sandboxes[ACCOUNTS.indexOf(accountOf(number))]?.url ?? ''
      const mail = mailOf(number, person)
      const answer = await fetch(`${url}/public/api/V1/contact/${encodeURIComponent(mail)}?fields=phone`, {
        headers: { authorization: `Bearer ${KEY}` },
      })
      const found = answer.ok ? ((await answer.json()) as { phone?: string }[]) : []
      const phone = `030 ${versions[number]}${person}`
      if (found.length !== 1 || found[0]?.phone !== phone)
        wrong.push(
          `${mail}: ${found.length} contacts, ${JSON.stringify(found.map((one) => one.phone))}, expected ${phone}`,
        )
    }
  return wrong
}

async function badLogs(all: readonly StatePlace[]): Promise<string[]> {
  const bad: string[] = []
  for (const place of all) {
    const state = openStateForReading(place)
    const checked = await state?.checkLog({ seq: 0, hash: AUDIT_START }, 1_000_000)
    if (checked?.done !== true || checked.bad !== undefined)
      bad.push(`${place.schema}: the sync log is not whole`)
    await state?.close()
  }
  return bad
}

/** Files land, and things go wrong one after the other; at last the server crashes in the middle of runs. */
async function play(world: World, untilMs: number): Promise<void> {
  let disturbing: Promise<void> | undefined
  while (clock.monotonic() < untilMs) {
    const pipeline = random.between(0, PIPELINES - 1)
    if (![...world.landed.keys()].some((file) => file.includes(`/${nameOf(pipeline)}/`)))
      drop(world, pipeline)
    disturbing ??= disturb(world, random.between(0, WORKERS - 1)).then((what) => {
      print(`  ${what}`)
      disturbing = undefined
    })
    await clock.sleep(random.between(50, 300))
    lookAtFiles(world)
  }
  await disturbing
  print(`  ${await disturb(world, 0, 'crash')}`)
}

async function settle(world: World, all: readonly StatePlace[]): Promise<string[]> {
  for (let number = 0; number < WORKERS; number += 1)
    if (world.daemons[number]?.exitCode !== null || world.daemons[number]?.signalCode !== null)
      start(world, number)
  for (let number = 0; number < PIPELINES; number += 1) drop(world, number)
  const patientUntil = clock.monotonic() + 180_000
  for (;;) {
    lookAtFiles(world)
    const { linked, open } = await standing(all)
    if (world.landed.size === 0 && linked === PIPELINES * PEOPLE && open === 0) return []
    if (clock.monotonic() > patientUntil)
      return [`not settled: ${linked} linked, ${open} open, ${world.landed.size} files wait`]
    await clock.sleep(1000)
  }
}

async function main(server: PostgresServer): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'))
  const sandboxes = await Promise.all(ACCOUNTS.map(async () => startSandbox({ port: 0, apiKey: KEY, clock })))
  const services = await Promise.all(sandboxes.map(counting))
  configuration(folder, { addresses: services.map(({ address }) => address), url: server.url })
  const world: World = {
    folder,
    server,
    versions: [],
    landed: new Map(),
    slowest: { ms: 0, file: '' },
    daemons: [],
  }
  const all = places(server.url, folder)
  const faults: string[] = []
  const watching = new AbortController()
  const idle = watchLeases(server, watching.signal)
  try {
    for (let number = 0; number < WORKERS; number += 1) start(world, number)
    await play(world, clock.monotonic() + Number(values.seconds) * 1000)
    faults.push(
      ...(await settle(world, all)),
      ...(await wrongContacts(sandboxes, world)),
      ...(await badLogs(all)),
    )
  } finally {
    watching.abort()
    await idle.ended
    for (const daemon of world.daemons) {
      daemon?.kill('SIGCONT')
      await end(daemon, 'SIGKILL')
    }
    for (const service of services) service.close()
    for (const sandbox of sandboxes) await sandbox.close()
  }
  const fullest = services.map(({ times }) => fullestWindow(times, 1000))
  if (fullest.some((most) => most > ALLOWED))
    faults.push(`fullest windows: ${fullest.join(', ')}, allowed: ${ALLOWED}`)
  if (idle.seen() < PIPELINES) faults.push(`${idle.seen()} of ${PIPELINES} pipelines were seen with a worker`)
  if (idle.longest.ms > IDLE_MS)
    faults.push(`no worker had ${idle.longest.pipeline} for ${Math.round(idle.longest.ms)} ms`)
  const files = world.versions.reduce((sum, version) => sum + version, 0)
  const requests = services.reduce((sum, { times }) => sum + times.length, 0)
  print(
    `${files} files, ${requests} requests, fullest windows ${fullest.join(', ')} of ${ALLOWED}, longest from landing to done ${seconds(world.slowest.ms)} s, longest without a worker ${seconds(idle.longest.ms)} s`,
  )
  for (const fault of faults.slice(0, 20)) print(`  WRONG: ${fault}`)
  if (faults.length === 0) rmSync(folder, { recursive: true, force: true })
  else print(`  what the daemons said: ${join(folder, 'w*.log')}`)
  print(`${faults.length === 0 ? 1 : 0} passed, ${faults.length === 0 ? 0 : 1} failed`)
  return faults.length === 0 ? 0 : 1
}

if (POSTGRES === undefined) print('PostgreSQL is not installed: left out')
else {
  const server = await startPostgres(POSTGRES)
  try {
    process.exitCode = await main(server)
  } finally {
    await server.stop()
  }
}
