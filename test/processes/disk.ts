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

/** The sockets are traced by their calls: what is sent after the failure has to be seen as well. */
const failing = (
  { calls, error, lasts }: Omit<DiskFault, 'calls'> & { calls: string },
  nth: number,
): Program => [
  'strace',
  '--follow-forks',
  '--seccomp-bpf',
  '--decode-fds=all',
  `--trace=${calls},write,writev,sendto,sendmsg`,
  `--inject=${calls}:error=${error}:when=${nth}${lasts ? '+' : ''}`,
  `--output=${TRACE}`,
  process.execPath,
  MAIN,
]

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

/** strace shows the beginning of what is sent. */
const SENT = /<TCP.*"(?:GET|POST|PUT|DELETE) [^"]*/

export interface AfterFailure {
  readonly ended: Ended
  /** The call that failed, as strace wrote it; undefined where none did. */
  readonly met: string | undefined
  /** Requests that left after it. */
  readonly sentLater: readonly string[]
  /** Damage to the state right after the failure. */
  readonly damage: readonly string[]
  readonly there: Awaited<ReturnType<typeof whatIsThere>>
}

function afterFailure(trace: string): Pick<AfterFailure, 'met' | 'sentLater'> {
  const lines = trace.split('\n')
  const first = lines.findIndex((line) => line.includes('(INJECTED)'))
  const later = first < 0 ? [] : lines.slice(first)
  return { met: lines[first], sentLater: later.flatMap((line) => SENT.exec(line)?.[0] ?? []) }
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
    if (fault !== undefined) await runUntilClean(workplace, { most: MOST_ROUNDS })
    return { ended, ...afterFailure(trace), damage, there: await whatIsThere(workplace) }
  } finally {
    await workplace.close()
  }
}
