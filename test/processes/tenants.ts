// npm run tenants -- [--tenants 200] [--rows 1000000] [--server] [--connections 100] [--idle 30]: one daemon, a folder of files as its
// configuration, a tenant in each. First without the three bad ones: what each tenant waits from landing to done is its own measure.
// Then with all: one tenant has a file of so many rows, the key of one is refused, the file of one is broken. Waves of files land for
// the other 197 while the large file is worked on; each must be done in its time (below: LATE). Nothing of one tenant may be seen by
// another: at its service, in the log, the metrics, the console and the sync log. Printed are start, memory, processor time of an idle
// daemon, open files, the delay of its event loop, and how long commands and pages take. `--server`: the state is at a PostgreSQL server
// that permits so many connections. Short form: --tenants 40 --rows 50000. Ends with 1 where a tenant is late or anything is mixed up.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock as clock } from '../../src/system.ts'
import { POSTGRES, startPostgres } from '../support/postgres-server.ts'
import { command, startTenants, type TenantDaemon } from './tenants/daemon.ts'
import { mixedUp } from './tenants/mixed-up.ts'
import {
  BIG,
  BROKEN,
  dropFile,
  type Place,
  REFUSED,
  tenantNames,
  writeRoot,
  writeTenant,
} from './tenants/place.ts'
import { share, type Waits, watchLoop, wave } from './tenants/waves.ts'

const { values } = parseArgs({
  options: {
    tenants: { type: 'string', default: '200' },
    rows: { type: 'string', default: '1000000' },
    idle: { type: 'string' },
    server: { type: 'boolean', default: false },
    connections: { type: 'string', default: '100' },
    folder: { type: 'string', default: existsSync('/dev/shm') ? '/dev/shm' : tmpdir() },
  },
})
const TENANTS = Number(values.tenants)
const IDLE_MS = 1000 * Number(values.idle ?? (TENANTS < 100 ? 5 : 30))
/** One after the other, so far apart that a daemon without a large file has always ended the one before. */
const APART_MS = TENANTS < 100 ? 150 : 250
const WITHIN_MS = 180_000
/** A tenant is late where it waits longer than `times` as long as it did without the three bad ones, and `ms` more. */
const LATE = { times: 1.5, ms: 3000 }

const print = (line: string): void => void process.stdout.write(`${line}\n`)
const seconds = (ms: number): string => `${Math.round(ms / 10) / 100} s`
const good = tenantNames(TENANTS - 3)

const waitsText = (waits: Waits): string => {
  const all = [...waits.values()]
  return `median ${seconds(share(all, 0.5))}, 95th percentile ${seconds(share(all, 0.95))}, longest ${seconds(share(all, 1))}`
}

/** Work that is measured; what the daemon cost meanwhile is printed. */
function measuring(daemon: TenantDaemon) {
  const loop = watchLoop(daemon)
  return {
    async during<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
      const [before, began] = [daemon.cost().cpuMs, clock.monotonic()]
      loop.take()
      const result = await work()
      const [cost, ms, delays] = [daemon.cost(), clock.monotonic() - began, loop.take()]
      const waits = result instanceof Map ? `${waitsText(result as Waits)}; ` : ''
      print(
        `  ${what}: ${waits}${seconds(ms)}, processor ${Math.round((100 * (cost.cpuMs - before)) / ms)} %, answers of /healthz: 99th percentile ${seconds(share(delays, 0.99))}, longest ${seconds(share(delays, 1))}`,
      )
      return result
    },
    end: loop.end,
  }
}

const costText = (daemon: TenantDaemon): string => {
  const { residentMb, peakMb, threads, files } = daemon.cost()
  return `${residentMb} MB (${peakMb} at most), ${threads} threads, ${files} open files`
}

interface Measures {
  readonly all: Waits
  readonly apart: Waits
}

interface Before extends Measures {
  readonly first: Waits
}

type Measuring = ReturnType<typeof measuring>

/** A file for each: all at once, then one after the other. */
async function waves(place: Place, { during }: Measuring, name: string): Promise<Measures> {
  const some = { tenants: good, withinMs: WITHIN_MS }
  const all = await during(`${name}, files for all at once`, () =>
    wave(place, { ...some, name: `${name}-all`, apartMs: 0 }),
  )
  const apart = await during(`${name}, one file after the other`, () =>
    wave(place, { ...some, name: `${name}-apart`, apartMs: APART_MS }),
  )
  return { all, apart }
}

/** The first files of a process take longer: they are compared with those of the other process. */
const firstWave = (place: Place, { during }: Measuring, name: string): Promise<Waits> =>
  during('first files, for all at once', () =>
    wave(place, { tenants: good, withinMs: WITHIN_MS, name, apartMs: 0 }),
  )

async function commands(place: Place, daemon: TenantDaemon): Promise<void> {
  for (const args of [['check'], ['status'], ['status', '--json']]) {
    const { code, ms } = await command(place, ...args)
    print(`  contact-sync ${args.join(' ')}: ${seconds(ms)} (exit code ${code})`)
  }
  for (const path of ['/metrics', '/readyz', '/']) {
    const { status, ms, text } = await daemon.get(path)
    print(`  ${path}: ${seconds(ms)} (${status}, ${text.length} characters)`)
  }
}

const lateOnes = (waits: Waits, before: Waits, what: string): string[] =>
  [...waits].flatMap(([tenant, ms]) => {
    const own = before.get(tenant) ?? 0
    const most = own * LATE.times + LATE.ms
    // One that was not done before has no measure.
    return ms > most || own === Infinity
      ? [`${tenant} waited ${seconds(ms)} in ${what}, and ${seconds(own)} before`]
      : []
  })

/** Without the three: what each tenant waits. */
async function withoutBadOnes(place: Place): Promise<Before> {
  const daemon = await startTenants(place, { name: 'without', accounts: good.length })
  print(`${good.length} tenants: started in ${seconds(daemon.startMs)}, ${costText(daemon)}`)
  const measured = measuring(daemon)
  const first = await firstWave(place, measured, 'first')
  await measured.during('idle', () => clock.sleep(IDLE_MS))
  const before = await waves(place, measured, 'before')
  print(`  ${costText(daemon)}`)
  await commands(place, daemon)
  await measured.end()
  await daemon.end()
  return { ...before, first }
}

async function asked(place: Place, name: string, pipeline: string): Promise<string[]> {
  const { code, ms, output } = await command(place, name, pipeline)
  print(`  contact-sync ${name} ${pipeline}: ${seconds(ms)}`)
  // The broken file makes it 2, whatever else there is.
  return [`${pipeline}: ${name}d`, `${name}d: ${pipeline}`].some((text) => output.includes(text))
    ? []
    : [`${name} ${pipeline} ended with ${code}: ${output.slice(-300)}`]
}

async function withBadOnes(place: Place, before: Before): Promise<string[]> {
  for (const tenant of [BIG, REFUSED, BROKEN]) writeTenant(place, tenant)
  dropFile(place, REFUSED, { name: 'refused', rows: 20 })
  const daemon = await startTenants(place, { name: 'with', accounts: good.length + 2 })
  print(`${TENANTS} tenants: started in ${seconds(daemon.startMs)}, ${costText(daemon)}`)
  const measured = measuring(daemon)
  const first = await firstWave(place, measured, 'second')
  const faults = lateOnes(first, before.first, 'the first wave')
  // As before: runs end some seconds after their files.
  await measured.during('idle', () => clock.sleep(IDLE_MS))
  const rows = Number(values.rows)
  const [path, began] = [dropFile(place, BIG, { name: 'large', rows }), clock.monotonic()]
  // Those that landed without the bad ones, and the first one now.
  let files = 4
  for (let number = 1; number <= 2 || existsSync(path); number += 1) {
    files += 2
    // Its run, which has just begun, ends in good order, the others work, and it continues beside them.
    const isPaused = number === 1
    if (isPaused) faults.push(...(await asked(place, 'pause', BIG)))
    const now = await waves(place, measured, `beside-${number}`)
    faults.push(...lateOnes(now.all, before.all, `wave ${number}, all at once`))
    faults.push(...lateOnes(now.apart, before.apart, `wave ${number}, one after the other`))
    if (isPaused && !existsSync(path)) faults.push('the large file was done while its pipeline was paused')
    if (isPaused) faults.push(...(await asked(place, 'resume', BIG)))
  }
  print(`  ${rows} rows done within ${seconds(clock.monotonic() - began)}, ${costText(daemon)}`)
  await commands(place, daemon)
  await measured.end()
  faults.push(...(await mixedUp(place, daemon, { good, files, rows })))
  await daemon.end()
  return faults
}

async function main(server: string | undefined): Promise<number> {
  const services = spawn(process.execPath, [resolve(import.meta.dirname, 'tenants/services.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [address] = (await once(services.stdout, 'data')) as [Buffer]
  const folder = mkdtempSync(join(values.folder, 'tenants-'))
  const place: Place = { folder, services: String(address).trim(), server }
  const faults: string[] = []
  try {
    writeRoot(place, [...good, BIG, REFUSED, BROKEN])
    for (const tenant of good) writeTenant(place, tenant)
    faults.push(...(await withBadOnes(place, await withoutBadOnes(place))))
  } finally {
    services.kill()
  }
  for (const fault of faults.slice(0, 20)) print(`  WRONG: ${fault}`)
  if (faults.length > 20) print(`  and ${faults.length - 20} more`)
  if (faults.length === 0) rmSync(folder, { recursive: true, force: true })
  else print(`  what the daemons said: ${join(folder, '*.log')}`)
  print(`${faults.length === 0 ? 1 : 0} passed, ${faults.length === 0 ? 0 : 1} failed`)
  return faults.length === 0 ? 0 : 1
}

if (!values.server) process.exitCode = await main(undefined)
else if (POSTGRES === undefined) print('PostgreSQL is not installed: left out')
else {
  const server = await startPostgres(POSTGRES, Number(values.connections))
  try {
    process.exitCode = await main(server.url)
  } finally {
    await server.stop()
  }
}
