// The counts of a run, and the identity that makes them trustworthy:
// every record that was read ends in exactly one of the outcomes.
import { EXIT } from '../words/exit-codes.ts'
import { type ErrorCode, SyncError } from '../words/errors.ts'
import type { LikelySame } from './likely-same.ts'

export const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'skipped',
  'rejected',
  'failed',
  'held',
  'in_doubt',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Counts of one pipeline's run, under the names of `run --json`. */
export type Counts = {
  read: number
  /** Contacts deleted, or stripped of terms, because their record has gone; and those that a guard held. */
  deleted: number
  held_deletes: number
  terms_created: number
  /** Of those skipped: persons who were erased by request. */
  erased: number
} & Record<Outcome, number>

export type RunStatus = 'ok' | 'partial' | 'held' | 'failed'

export function noCounts(): Counts {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>
  return { read: 0, deleted: 0, held_deletes: 0, terms_created: 0, erased: 0, ...outcomes }
}

/** Throws RUN_UNBALANCED when the records read are not the sum of the outcomes. */
export function assertBalanced(counts: Counts): void {
  const sum = OUTCOMES.reduce((total, outcome) => total + counts[outcome], 0)
  if (sum === counts.read) return
  const parts = OUTCOMES.map((outcome) => `${outcome} ${counts[outcome]}`).join(', ')
  throw new SyncError('RUN_UNBALANCED', `${counts.read} records were read, ${sum} have an outcome (${parts})`)
}

/** What became of one file, for the summary. */
export interface InputReport {
  readonly file: string
  readonly status: 'done' | 'refused' | 'held' | 'left'
  readonly code?: ErrorCode
  readonly error?: string
  readonly hint?: string
  /** New records that are probably the same person as another key of the source. */
  readonly likely_same?: LikelySame
}

const OUT_OF_REACH: readonly unknown[] = ['INPUT_IO', 'REMOTE_LOST', 'SPOOL_FAILED'] satisfies ErrorCode[]

/** Whether it says that a file could not be read, through no fault of the file. */
export const isOutOfReach = (code: unknown): boolean => OUT_OF_REACH.includes(code)

/** The next run reads it unchanged: newer files wait for it, since what they say must not give way to what it says. */
export const isBeforeOthers = ({ status, code }: { status: string; code?: unknown }): boolean =>
  status === 'left' && isOutOfReach(code)

/** Files that keep a run, or a plan, from being `ok`. One that was left in the inbox for its own reason counts as refused. */
export function reportTotals(reports: readonly InputReport[]): { inputsRefused: number; inputsHeld: number } {
  const isRefused = ({ status, code }: InputReport): boolean =>
    status === 'refused' || (status === 'left' && code !== undefined)
  return {
    inputsRefused: reports.filter(isRefused).length,
    inputsHeld: reports.filter(({ status }) => status === 'held').length,
  }
}

/** The worst of: failed, held by a guard, something that an operator should look at, all well. */
export function runStatus(
  counts: Counts,
  happened: {
    fatal: boolean
    /** Stopped by max_duration: what is left is the next run's. */
    isOverTime?: boolean
    /** Its pipeline is paused, or was paused meanwhile; or the suppression list cannot be used. */
    isPaused?: boolean
    inputsRefused: number
    inputsHeld: number
    termsUnused?: number
    deletesFailed?: number
  },
): RunStatus {
  if (happened.fatal) return 'failed'
  const held = counts.held + counts.held_deletes + happened.inputsHeld
  if (held > 0 || happened.isPaused === true) return 'held'
  const imperfect =
    counts.rejected +
    counts.failed +
    counts.in_doubt +
    happened.inputsRefused +
    (happened.termsUnused ?? 0) +
    (happened.deletesFailed ?? 0) +
    (happened.isOverTime === true ? 1 : 0)
  return imperfect > 0 ? 'partial' : 'ok'
}

const EXIT_CODES: Record<RunStatus, number> = {
  ok: EXIT.done,
  partial: EXIT.partial,
  held: EXIT.held,
  failed: EXIT.noService,
}

/** With several pipelines: a failed one goes before a held one, that before a partial one. */
export function worstStatus(statuses: readonly RunStatus[]): RunStatus {
  const order: readonly RunStatus[] = ['failed', 'held', 'partial']
  return order.find((status) => statuses.includes(status)) ?? 'ok'
}

/** The process that made the run was told to end: whatever else stops a run has a code. */
export const isCutOff = ({
  status,
  code,
}: {
  readonly status: RunStatus
  readonly code?: ErrorCode
}): boolean => status === 'failed' && code === undefined

/** Of several pipelines. A mapping that the service cannot take is a fault of the configuration, unless something worse happened. */
export function exitCode(
  results: readonly { readonly status: RunStatus; readonly code?: ErrorCode }[],
): number {
  const worst = worstStatus(results.map(({ status }) => status))
  const failed = results.filter(({ status }) => status === 'failed')
  const isConfiguration = failed.every(({ code }) => code === 'CONFIG_INVALID')
  return worst === 'failed' && isConfiguration ? EXIT.refused : EXIT_CODES[worst]
}
