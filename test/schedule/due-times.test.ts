// Due times against an independent reckoning: every minute of the days around each change of clocks is asked for its
// local time, and whether a plain list of minutes and hours names it. Three zones, ten years.
import { describe, expect, it } from 'vitest'
import { createDueTimes, scheduleProblem } from '../../src/schedule/due-times.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe']
const YEARS = Array.from({ length: 10 }, (_, index) => 2026 + index)

interface Clock {
  /** `2027-03-28 02:30`. */
  at(ms: number): string
}

function clockOf(timeZone: string): Clock {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  const known = new Map<number, string>()
  return {
    at(ms) {
      const text = known.get(ms) ?? format.format(ms)
      known.set(ms, text)
      return text
    },
  }
}

/** Days (UTC) within which the zone's clocks change, found by comparing noons. */
function changeDays(timeZone: string): number[] {
  const { at } = clockOf(timeZone)
  return YEARS.flatMap((year) =>
    Array.from({ length: 366 }, (_, day) => Date.UTC(year, 0, 1 + day, 12)).filter(
      (noon) => at(noon).slice(11) !== at(noon + DAY).slice(11),
    ),
  )
}

/** A schedule in plain lists, so that nothing of the program's own understanding is used. */
interface Plain {
  readonly expression: string
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  /** Runs through a stretch that comes twice. */
  readonly goesOn: boolean
}

const every = (step: number, end: number): number[] =>
  Array.from({ length: Math.ceil(end / step) }, (_, index) => index * step)
const ALL_HOURS = every(1, 24)

const FIXED: readonly Plain[] = [
  { expression: '30 2 * * *', minutes: [30], hours: [2], goesOn: false },
  { expression: '15 2 * * *', minutes: [15], hours: [2], goesOn: false },
  { expression: '45 1 * * *', minutes: [45], hours: [1], goesOn: false },
  { expression: '0 3 * * *', minutes: [0], hours: [3], goesOn: false },
  { expression: '30 2,3 * * *', minutes: [30], hours: [2, 3], goesOn: false },
  { expression: '0,30 1-3 * * *', minutes: [0, 30], hours: [1, 2, 3], goesOn: false },
  { expression: '30 */2 * * *', minutes: [30], hours: every(2, 24), goesOn: false },
  { expression: '0 0 12 * * *', minutes: [0], hours: [12], goesOn: false },
]
const ONGOING: readonly Plain[] = [
  { expression: '0 * * * *', minutes: [0], hours: ALL_HOURS, goesOn: true },
  { expression: '10 * * * *', minutes: [10], hours: ALL_HOURS, goesOn: true },
  { expression: '*/15 * * * *', minutes: every(15, 60), hours: ALL_HOURS, goesOn: true },
  { expression: '*/20 0-6 * * *', minutes: every(20, 60), hours: every(1, 7), goesOn: true },
]

const local = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`)

/**
 * Minute by minute: due is what the lists name; the first time only where it comes twice, unless the schedule goes on; and
 * the first minute after a gap where a minute of the gap is named. `soft`: whether that last rule may be left out.
 */
function reckoned(plain: Plain, clock: Clock, from: number, to: number): { due: number; soft: boolean }[] {
  const isNamed = (text: string): boolean =>
    plain.hours.includes(Number(text.slice(11, 13))) && plain.minutes.includes(Number(text.slice(14, 16)))
  const seen = new Set<string>()
  const found: { due: number; soft: boolean }[] = []
  let before = clock.at(from - MINUTE)
  for (let at = from; at < to; at += MINUTE) {
    const now = clock.at(at)
    const leftOut: string[] = []
    for (let gone = local(before) + MINUTE; gone < local(now); gone += MINUTE)
      leftOut.push(new Date(gone).toISOString().slice(0, 16).replace('T', ' '))
    const isFirst = !seen.has(now)
    seen.add(now)
    if (isNamed(now) && (isFirst || plain.goesOn)) found.push({ due: at, soft: false })
    else if (leftOut.some(isNamed)) found.push({ due: at, soft: plain.hours.length === 24 })
    before = now
  }
  return found
}

function asked(plain: Plain, timezone: string, from: number, to: number): number[] {
  const times = createDueTimes(plain.expression, timezone)
  const found: number[] = []
  for (let at = times.next(from - 1); at !== undefined && at < to; at = times.next(at)) found.push(at)
  return found
}

const readable = (times: readonly number[]): string[] => times.map((at) => new Date(at).toISOString())

describe.each(ZONES)('through ten years of %s', (timezone) => {
  const clock = clockOf(timezone)
  const days = changeDays(timezone)

  it('changes its clocks twice a year', () => {
    expect(days).toHaveLength(2 * YEARS.length)
  })

  it.each([...FIXED, ...ONGOING])('$expression is due once for each due time', (plain) => {
    for (const day of days) {
      const [from, to] = [day - DAY, day + 2 * DAY]
      const wanted = reckoned(plain, clock, from, to)
      const found = asked(plain, timezone, from, to)
      const strict = wanted.filter(({ soft }) => !soft).map(({ due }) => due)
      const soft = wanted.filter((one) => one.soft).map(({ due }) => due)
      expect(readable(found.filter((at) => !soft.includes(at)))).toEqual(readable(strict))
    }
  })

  it.each(FIXED)(
    '$expression is due on each day as often as ever',
    ({ expression, hours, minutes, goesOn }) => {
      for (const day of days) {
        const found = asked({ expression, hours, minutes, goesOn }, timezone, day - DAY, day + 2 * DAY)
        const inMiddle = found.filter(
          (at) => clock.at(at).slice(0, 10) === clock.at(day + DAY / 2).slice(0, 10),
        )
        // What is left out and what is due at that very moment anyway are one.
        expect(inMiddle.length).toBeGreaterThanOrEqual(hours.length * minutes.length - minutes.length)
        expect(inMiddle.length).toBeLessThanOrEqual(hours.length * minutes.length)
      }
    },
  )

  it.each(ONGOING.filter(({ hours }) => hours.length === 24))(
    '$expression never pauses for longer than ever',
    (plain) => {
      const apart = (60 / plain.minutes.length) * MINUTE
      for (const day of days) {
        const found = asked(plain, timezone, day - DAY, day + 2 * DAY)
        const longest = Math.max(...found.slice(1).map((at, index) => at - (found[index] ?? 0)))
        // Where clocks change by half an hour, a schedule at a fixed minute is due that much later once.
        const shift = timezone === 'Australia/Lord_Howe' && plain.minutes.length === 1 ? 30 * MINUTE : 0
        expect(longest).toBeLessThanOrEqual(apart + shift)
      }
    },
  )
})

describe('a schedule', () => {
  it('is due 25 times on the day that has 25 hours, and 23 times on the one that has 23', () => {
    const hourly = ONGOING[0] as Plain
    const hours = (from: string, to: string): number =>
      asked(hourly, 'Europe/Berlin', Date.parse(from), Date.parse(to)).length
    expect(hours('2027-10-30T22:00Z', '2027-10-31T23:00Z')).toBe(25)
    expect(hours('2027-03-27T23:00Z', '2027-03-28T22:00Z')).toBe(23)
  })

  it.each([
    ['30 2 * * *', '2027-03-28T00:00Z', '2027-03-28T01:00:00.000Z'],
    ['30 2 * * *', '2027-03-28T01:00Z', '2027-03-29T00:30:00.000Z'],
    ['30 2 * * *', '2027-10-31T00:00Z', '2027-10-31T00:30:00.000Z'],
    ['30 2 * * *', '2027-10-31T00:30Z', '2027-11-01T01:30:00.000Z'],
    ['30 2 * * *', '2027-10-31T01:10Z', '2027-11-01T01:30:00.000Z'],
    ['10 * * * *', '2027-03-28T00:10Z', '2027-03-28T01:10:00.000Z'],
    ['0 0 1 * *', '2027-03-15T00:00Z', '2027-03-31T22:00:00.000Z'],
    ['0 0 29 2 *', '2027-03-15T00:00Z', '2028-02-28T23:00:00.000Z'],
    ['30 2 28 3 *', '2026-12-15T00:00Z', '2027-03-28T01:00:00.000Z'],
    ['30 30 2 28 3 *', '2026-12-15T00:00Z', '2027-03-28T01:00:00.000Z'],
    ['*/10 * * * * *', '2027-03-28T00:59:45Z', '2027-03-28T00:59:50.000Z'],
    // On the thirteenth and on Fridays, as crontab has it.
    ['0 12 13 * FRI', '2027-07-10T00:00Z', '2027-07-13T10:00:00.000Z'],
    ['0 12 13 * FRI', '2027-07-13T12:00Z', '2027-07-16T10:00:00.000Z'],
    ['0 22-1 * * *', '2027-07-10T20:30Z', '2027-07-10T21:00:00.000Z'],
    ['0 0 L 2 *', '2027-01-01T00:00Z', '2027-02-27T23:00:00.000Z'],
    ['0 0 * * 7', '2027-07-09T00:00Z', '2027-07-10T22:00:00.000Z'],
  ])('%s in Berlin, after %s, is due at %s', (expression, after, expected) => {
    const due = createDueTimes(expression, 'Europe/Berlin').next(Date.parse(after))
    expect(due === undefined ? undefined : new Date(due).toISOString()).toBe(expected)
  })

  it.each([
    ['*/15 * * * *', undefined],
    ['* * * * * *', undefined],
    ['@daily', undefined],
    ['0 12 * * MON-FRI', undefined],
    ['61 * * * *', 'is not a cron expression: invalid value for minute: 61'],
    ['* * 31 2 *', 'names a time that never occurs'],
    ['0 0 1 1 * 2030 *', 'is not a cron expression: '],
    ['nonsense', 'is not a cron expression: '],
    ['0 0 40 * *', 'is not a cron expression: invalid value for day of month: 40'],
    ['0 22-2 * * *', undefined],
    ['0 0 L * *', undefined],
    ['0 0 * * FRI#2', undefined],
  ])('%s is judged', (expression, problem) => {
    const found = scheduleProblem(expression)
    if (problem === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(problem)
  })
})
