// Which request meets which fault: drawn from a seed, so that a run can be had again with `--seed`.
import type { Fault, Passing } from '../support/fault-proxy.ts'
import type { Seeded } from '../support/seeded.ts'

type Draw = (random: Seeded) => Fault

const moment = (random: Seeded) => random.pick(['before', 'after'] as const)

/** JSON that is none, or none that the interface knows. */
const GARBAGE = [
  '{"id": 12',
  'null',
  '[]',
  '{}',
  '{"id": "twelve"}',
  '{"success": "perhaps"}',
  '\u0000\u0001',
]

const THROTTLINGS: readonly (() => Record<string, string>)[] = [
  () => ({ 'retry-after': '1' }),
  () => ({ 'retry-after': new Date(Date.now() + 1000).toUTCString() }),
  () => ({ 'retry-after': 'soon' }),
  () => ({}),
  () => ({ 'x-rate-limit-limit': '5', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '1' }),
  () => ({ 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }),
]

const WRITE_FAULTS: readonly Draw[] = [
  (random) => ({ kind: 'reset', moment: moment(random) }),
  (random) => ({ kind: 'reset', moment: moment(random) }),
  (random) => ({
    kind: 'failure',
    status: random.pick([500, 502, 503, 504] as const),
    moment: moment(random),
  }),
  (random) => ({ kind: 'failure', status: 500, moment: moment(random) }),
  (random) => ({ kind: 'page', moment: moment(random) }),
  (random) => ({ kind: 'garbage', body: random.pick(GARBAGE), moment: moment(random) }),
  (random) => ({ kind: 'redirect', moment: moment(random) }),
  (random) => ({ kind: 'silence', moment: moment(random) }),
  (random) => ({ kind: 'late', ms: random.between(1, 30) }),
  () => ({ kind: 'truncated' }),
  () => ({ kind: 'torn' }),
  () => ({ kind: 'drip' }),
]

/**
 * Every second write or so meets a fault. The first ones are the six ways to be throttled: each makes all calls
 * wait for a second, so none of them comes twice.
 */
export function halfOfWrites(random: Seeded, throttlings = THROTTLINGS.length): (passing: Passing) => Fault {
  const open = THROTTLINGS.slice(0, throttlings)
  return ({ isWrite }) => {
    if (!isWrite || random.next() < 0.5) return { kind: 'pass' }
    const headers = random.next() < 0.3 ? open.shift() : undefined
    if (headers !== undefined) return { kind: 'throttled', headers: headers() }
    return random.pick(WRITE_FAULTS)(random)
  }
}

/** Deletes are few and each is tried twice: most of them do not reach the service, or one that is lost is hard to meet. */
export function mostDeletesLost(
  random: Seeded,
  script: (passing: Passing) => Fault,
): (passing: Passing) => Fault {
  return (passing) =>
    passing.method === 'DELETE' && random.next() < 0.8 ? { kind: 'reset', moment: 'before' } : script(passing)
}

export function killFault(random: Seeded): Fault {
  const at = random.pick(['dead', 'sent-on', 'applied', 'half-answered', 'answered'] as const)
  return at === 'answered'
    ? { kind: 'kill', moment: at, ms: random.between(0, 15) }
    : { kind: 'kill', moment: at }
}

/**
 * Every second write is the last request of its process. Reads do not count: a process begins with two or three, and
 * one that never gets past them never gets on.
 */
export function killAtEverySecondWrite(random: Seeded): (passing: Passing) => Fault {
  let writes = 0
  return ({ isWrite }) => {
    if (isWrite) writes += 1
    return isWrite && writes % 2 === 0 ? killFault(random) : { kind: 'pass' }
  }
}

/** One request in twenty is the last of its process, whatever else the script would do to it. */
export function withKills(random: Seeded, script: (passing: Passing) => Fault): (passing: Passing) => Fault {
  return (passing) => (random.next() < 0.05 ? killFault(random) : script(passing))
}
