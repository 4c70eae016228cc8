// A year of the daemon in a few minutes: an hourly pipeline and a nightly one in a zone that changes its clocks twice, and
// a service that is away every Sunday night. One run for each due time, one to make up for what was missed, everything
// at the service in the end, and nothing that grows.
import { isAway, openWorld, phonesAfter } from './world.ts'
import { measure, type Measures } from './measure.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.UTC(2027, 0, 1)
const END = START + Number(process.argv[2] ?? 365) * DAY
/** The longest gap between two questions of a daemon that waits for its service. */
const LONGEST_GAP = 375_000
/** Of the hourly pipeline in each outage: from two to seven. */
const MISSED = 6
const MEBIBYTE = 1024 * 1024

interface Seen {
  readonly pipeline: string
  readonly at: number
  readonly cause: string
  status: string
  /** Due times that it makes up for. */
  missed: number
}

const problems: string[] = []
const expect = (isSo: boolean, what: string): void => {
  if (!isSo && problems.length < 20) problems.push(what)
}
const time = (at: number): string => new Date(at).toISOString().slice(0, 16)

/** Hour by hour, by a reckoning that knows nothing of schedules: Berlin is always whole hours away from UTC. */
function checkHours(runs: readonly Seen[], from: number, to: number): void {
  const byHour = Map.groupBy(runs, ({ at }) => Math.floor(at / HOUR) * HOUR)
  for (let hour = Math.max(from, START + HOUR); hour < to; hour += HOUR) {
    const [run, ...others] = byHour.get(hour) ?? []
    expect(others.length === 0, `${time(hour)}: ${others.length + 1} runs`)
    const [wasAway, comesBack] = [isAway(hour - HOUR), !isAway(hour + HOUR)]
    if (!isAway(hour)) {
      expect(
        run?.cause === 'schedule' && run.status === 'ok' && run.at === hour,
        `${time(hour)}: no run in time`,
      )
    } else if (!wasAway) expect(run?.status !== 'ok', `${time(hour)}: a run went well without the service`)
    else if (!comesBack) expect(run === undefined, `${time(hour)}: a run while the service was away`)
    else {
      const isSoon = run !== undefined && !isAway(run.at) && isAway(run.at - LONGEST_GAP)
      expect(
        isSoon && run.missed === MISSED && run.status === 'ok',
        `${time(hour)}: nothing made up for what was missed`,
      )
    }
  }
}

/** One that went well on each day of the zone. */
function checkNights(runs: readonly Seen[], from: number, to: number): void {
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', dateStyle: 'short' })
  const well = Map.groupBy(
    runs.filter(({ status }) => status === 'ok'),
    ({ at }) => day.format(at),
  )
  for (let noon = from + DAY / 2; noon < to; noon += DAY)
    expect(
      well.get(day.format(noon))?.length === 1,
      `${day.format(noon)}: ${well.get(day.format(noon))?.length ?? 0} nightly runs`,
    )
}

function checkGrowth(months: readonly Measures[]): void {
  const [, second] = months
  const last = months.at(-1)
  if (second === undefined || last === undefined || months.length < 3) return
  expect(last.heap - second.heap < 2 * MEBIBYTE, `the heap grew by ${last.heap - second.heap} bytes`)
  expect(last.handles === second.handles, `handles grew from ${second.handles} to ${last.handles}`)
  expect(last.state <= second.state * 1.1, `the state grew from ${second.state} to ${last.state} bytes`)
}

const begun = performance.now()
const world = await openWorld(START + 30_000)
let runs: Seen[] = []
const months: Measures[] = []
let [count, failed, checkedUpTo] = [0, 0, START]
const told = new Map<string, number>()

function takeEvents(): void {
  for (const event of world.events.splice(0)) {
    told.set(event.type, (told.get(event.type) ?? 0) + 1)
    if (event.type === 'run_started') count += 1
    if (event.type === 'run_started') runs.push({ ...event, status: 'under way', missed: 0 })
    const latest = (name: string): Seen | undefined => runs.findLast(({ pipeline }) => pipeline === name)
    if (event.type === 'missed') {
      const run = latest(event.pipeline)
      if (run !== undefined) run.missed = event.times
    }
    if (event.type === 'run_ended') {
      if (event.run.status === 'failed') failed += 1
      const run = latest(event.run.pipeline)
      if (run !== undefined) run.status = event.run.status
    }
  }
}

/** Looks at what came since the last look, and keeps nothing of it. */
function check(upTo: number): void {
  const seen = runs.filter(({ at }) => at < upTo)
  checkHours(
    seen.filter(({ pipeline }) => pipeline === 'shop'),
    checkedUpTo,
    upTo,
  )
  checkNights(
    seen.filter(({ pipeline }) => pipeline === 'night'),
    checkedUpTo,
    upTo,
  )
  runs = runs.filter(({ at }) => at >= upTo)
  checkedUpTo = upTo
}

async function report(at: number): Promise<void> {
  const month = await measure(world.statePath)
  months.push(month)
  const seconds = Math.round((performance.now() - begun) / 1000)
  process.stdout.write(
    `${time(at)} ${count} runs, heap ${(month.heap / MEBIBYTE).toFixed(1)} MiB, handles ${month.handles}, state ${Math.round(month.state / 1024)} KiB and sync log ${Math.round(month.log / 1024)} KiB, ${seconds} s\n`,
  )
}

for (let hour = 0; START + (hour + 1) * HOUR <= END; hour += 1) {
  await world.drop(hour)
  if (hour % 24 === 0) await world.dropForNight(hour)
  const next = START + (hour + 1) * HOUR
  await world.passUntil(next + 30_000)
  takeEvents()
  const isDay = (next - START) % DAY === 0
  if (isDay) check(next)
  if (isDay && new Date(next).getUTCDate() === 1) await report(next)
}
checkGrowth(months)
expect((told.get('overlapped') ?? 0) + (told.get('run_broken') ?? 0) === 0, 'runs overlapped or broke')
expect(failed === told.get('paused'), `${failed} runs met ${told.get('paused') ?? 0} outages`)
expect(
  told.get('paused') === told.get('resumed') && (told.get('paused') ?? 0) > 0,
  'paused and resumed differ',
)
const phones = new Map(
  world.db
    .prepare<[], { mail: string; phone: string }>(
      "SELECT fields ->> 'mail' AS mail, fields ->> 'phone' AS phone FROM contact",
    )
    .all()
    .map(({ mail, phone }) => [mail, phone]),
)
for (const [mail, phone] of phonesAfter((END - START) / HOUR))
  expect(phones.get(mail) === phone, `${mail} has ${phones.get(mail)}, not ${phone}`)
await world.close()
const seconds = Math.round((performance.now() - begun) / 1000)
const { user, system } = process.cpuUsage()
const worked = Math.round((user + system) / 1_000_000)
// By the time of the processor, which is shared: beside others each second of work takes longer.
expect(worked < 400, `it took ${worked} s of the processor`)
process.stdout.write(
  `${(END - START) / DAY} days, ${count} runs, ${told.get('paused') ?? 0} outages, in ${seconds} s, ${worked} s of the processor\n`,
)
for (const problem of problems) process.stdout.write(`PROBLEM ${problem}\n`)
process.exitCode = problems.length === 0 ? 0 : 1
