// A disk that fails under the state, by strace: at the n-th call of a kind on one of its files, once or from then on.
// The run must end there and send nothing more; the next one, on a sound disk, must end as if nothing had been.
import { readFile } from 'node:fs/promises'
import { type Ended, MAIN, type Program } from '../support/cli.ts'
import {
  contactsAtService,
  damageOfState,
  filesLeft,
  openOperations,
  rejectsInState,
  termsAtService,
} from './evidence.ts'
import { firstExport } from './inputs.ts'
import { judged, linkedKeys } from './durable-order.ts'
import { type Happening, happenings, traced } from './strace.ts'
import { openWorkplace, runUntilClean, type Workplace } from './workplace.ts'

export interface DiskFault {
  /** Every call of SQLite's that writes to a file, or that flushes one. */
  readonly calls: 'pwrite64' | 'fsync,fdatasync'
  readonly error: 'ENOSPC' | 'EIO'
  /** From that call on, as on a disk that stays full; or that call alone. */
  readonly lasts: boolean
}

const PEOPLE = 6
const TRACE = 'trace.txt'
const MOST_ROUNDS = 4
/** Above what strace is asked to count to in a whole run; it takes no more than 65535. */
const NEVER = 65_535

const failing = (fault: Omit<DiskFault, 'calls'> & { calls: string }, nth: number): Program => {
  const { calls, error, lasts } = fault
  const inject = `--inject=${calls}:error=${error}:when=${nth}${lasts ? '+' : ''}`
  return [...traced(TRACE, undefined, inject), process.execPath, MAIN]
}

/** How many of each of these calls a whole run makes. */
export async function callsOfWholeRun(): Promise<Record<DiskFault['calls'], number>> {
  const workplace = await openWorkplace('none')
  try {
    await workplace.drop(firstExport(PEOPLE))
    const all = { calls: 'pwrite64,fsync,fdatasync', error: 'EIO', lasts: false } as const
    await workplace.shop.startBy(failing(all, NEVER), 'run').ended
    const trace = await readFile(workplace.shop.path(TRACE), 'utf8')
    const [, main = ''] = /^(\d+) /.exec(trace) ?? []
    const count = (calls: RegExp): number =>
      trace.split('\n').filter((line) => line.startsWith(`${main} `) && calls.test(line)).length
    return { pwrite64: count(/ pwrite64\(/), 'fsync,fdatasync': count(/ (?:fsync|fdatasync)\(/) }
  } finally {
    await workplace.close()
  }
}

async function whatIsThere(workplace: Workplace) {
  return {
    contacts: contactsAtService(workplace),
    terms: termsAtService(workplace),
    rejects: rejectsInState(workplace),
    files: await filesLeft(workplace),
    damage: damageOfState(workplace),
    open: openOperations(workplace),
  }
}

export interface AfterFailure {
  readonly ended: Ended
  /** The call that failed, as strace wrote it; undefined where none did. */
  readonly met: string | undefined
  /** How many requests left after it; and which of them were not in the journal, on the disk, before it. */
  readonly requestsLater: number
  readonly unjournalled: readonly string[]
  /** Damage to the state right after the failure. */
  readonly damage: readonly string[]
  /** Right after the failure, and after runs on a sound disk. */
  readonly atOnce: There
  readonly there: There
}

type There = Awaited<ReturnType<typeof whatIsThere>>

function afterFailure(
  events: readonly Happening[],
  keys: ReadonlyMap<string, string>,
): Pick<AfterFailure, 'met' | 'requestsLater' | 'unjournalled'> {
  const at = events.findIndex(({ kind }) => kind === 'failure')
  const failure = events[at]
  if (failure?.kind !== 'failure') return { met: undefined, requestsLater: 0, unjournalled: [] }
  const isRequest = ({ kind }: Happening): boolean => kind === 'request'
  const before = events.slice(0, at)
  const later = events.slice(at).filter(isRequest)
  // What the journal took after the failure proves nothing: the disk may have lost it.
  const lateBefore = new Set(judged(before, keys).late)
  const { late } = judged([...before, ...later], keys)
  const unjournalled = late.filter((one) => !lateBefore.has(one))
  return { met: failure.text, requestsLater: later.length, unjournalled }
}

/** Undisturbed without a fault. */
export async function runOnFailingDisk(fault?: DiskFault, nth = 1): Promise<AfterFailure> {
  const workplace = await openWorkplace('none')
  try {
    await workplace.drop(firstExport(PEOPLE))
    const program = fault === undefined ? ([process.execPath, MAIN] as const) : failing(fault, nth)
    const ended = await workplace.shop.startBy(program, 'run', '--json').ended
    const trace = fault === undefined ? '' : await readFile(workplace.shop.path(TRACE), 'utf8')
    const damage = damageOfState(workplace)
    const atOnce = await whatIsThere(workplace)
    if (fault !== undefined) await runUntilClean(workplace, { most: MOST_ROUNDS })
    const met = afterFailure(happenings(trace), linkedKeys(workplace.shop))
    return { ended, ...met, damage, atOnce, there: await whatIsThere(workplace) }
  } finally {
    await workplace.close()
  }
}
