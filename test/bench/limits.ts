// Which figures a change must not make worse, and which are aimed at, by the number of rows: a ratio of 30,000 rows is
// mostly that of two starts. `most` is what was measured when the line was written, with room for the noise of a shared
// machine: take it down when something becomes faster; `{}` for what depends on how busy the machine is. `aim` is what is
// promised.

/** Rows, and the value that holds for so many and more. */
export type Steps = Readonly<Record<number, number>>

export interface Limit {
  readonly what: string
  readonly aim: Steps
  readonly most: Steps
}

export const LIMITS = {
  push: { what: 'first push / plain script', aim: { 100_000: 3.5 }, most: { 30_000: 8, 1_000_000: 11 } },
  update_id: {
    what: '1 % changed, by id / script that sends the same',
    aim: { 1_000_000: 1.5 },
    most: { 30_000: 2.6 },
  },
  update_bulk: {
    what: '1 % changed, in bulk / script that sends the same',
    aim: { 1_000_000: 1.5 },
    most: { 30_000: 2.6 },
  },
  unchanged: {
    what: 'unchanged re-run / plain parse',
    aim: { 100_000: 0.3, 1_000_000: 0.15 },
    most: { 30_000: 2.2 },
  },
  same_bytes: { what: 'the same bytes again / plain parse', aim: { 1_000_000: 0.05 }, most: { 30_000: 1.9 } },
  changed_id: { what: '1 % changed, by id / plain parse', aim: { 1_000_000: 0.2 }, most: { 30_000: 5.5 } },
  changed_bulk: {
    what: '1 % changed, in bulk / plain parse',
    aim: { 1_000_000: 0.2 },
    most: { 30_000: 3.4 },
  },
  push_peak: {
    what: 'peak memory of a first push, MB',
    aim: { 1: 130 },
    most: { 30_000: 260, 1_000_000: 340 },
  },
  rerun_peak: {
    what: 'peak memory of an unchanged re-run, MB',
    aim: { 1: 130 },
    most: { 30_000: 190, 1_000_000: 250 },
  },
  push_growth: { what: 'first push: bytes of memory a further row', aim: { 1_000_000: 64 }, most: {} },
  rerun_growth: { what: 'unchanged re-run: bytes of memory a further row', aim: { 1_000_000: 64 }, most: {} },
  push_delay: {
    what: 'first push: p99 of the delay of the event loop, ms',
    aim: { 1: 20 },
    most: {},
  },
  rerun_delay: {
    what: 'unchanged re-run: p99 of the delay of the event loop, ms',
    aim: { 1: 20 },
    most: {},
  },
  rate_over: { what: 'fullest window / allowed requests', aim: { 1: 1 }, most: { 1: 1 } },
  rate_unused: { what: 'share of the limit left unused', aim: { 1: 0.02 }, most: {} },
  cold_over: { what: 'cold connections: fullest window / allowed requests', aim: { 1: 1 }, most: { 1: 1 } },
  cold_unused: {
    what: 'cold connections: share of the limit left unused',
    aim: { 1: 0.02 },
    most: {},
  },
  restart_over: { what: 'over a restart: fullest window / allowed requests', aim: { 1: 1 }, most: { 1: 1 } },
  latency_unused: {
    what: '50 ms of latency, four at once: share of the time lost',
    aim: { 1: 0.05 },
    most: {},
  },
  version: { what: '--version / node -e 0', aim: { 1: 2 }, most: { 1: 2 } },
  help: { what: '--help / node -e 0', aim: { 1: 2 }, most: { 1: 2.2 } },
  completion: { what: 'completion / node -e 0', aim: { 1: 2 }, most: { 1: 2.2 } },
  status: { what: 'status / node -e 0', aim: { 1: 8 }, most: { 30_000: 10 } },
  seeds: { what: '10,000 seeds of the simulation, s (extrapolated)', aim: { 1: 180 }, most: {} },
} as const satisfies Record<string, Limit>

export type LimitName = keyof typeof LIMITS

/** The value that holds for so many rows: that of the largest step that is not above them. */
export function stepAt(steps: Steps, rows: number): number | undefined {
  const reached = Object.keys(steps)
    .map(Number)
    .filter((step) => step <= rows)
  return reached.length === 0 ? undefined : steps[Math.max(...reached)]
}

export type Verdict = 'reached' | 'not reached' | 'within its limit' | 'ABOVE ITS LIMIT' | 'not judged'

/** A value that is no number was not measured, which is no success. */
export function verdictOf(value: number, { aim, most }: Pick<Limit, 'aim' | 'most'>, rows: number): Verdict {
  const wanted = stepAt(aim, rows)
  const limit = stepAt(most, rows)
  if (limit !== undefined && !(value <= limit)) return 'ABOVE ITS LIMIT'
  if (wanted !== undefined) return value <= wanted ? 'reached' : 'not reached'
  return limit === undefined ? 'not judged' : 'within its limit'
}
