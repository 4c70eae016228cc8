// What a run reports of each file: how it ended, and why where that is not as it should be.
import { withoutKeys } from '../core/outcome/likely-same.ts'
import { type InputReport, isBeforeOthers } from '../core/outcome/summary.ts'
import type { SourceInput } from '../core/ports.ts'
import { ERRORS, type SyncError } from '../core/words/errors.ts'
import type { PlanContext } from './context.ts'
import type { PlannedInput } from './plan/read.ts'

export const EMPTY_FULL = 'a full file without records never means that all are missing: nothing was deleted'

/** A folder that cannot be read is no file, and one that is left was not looked into. */
export const hasArrived = ({ file, status }: InputReport): boolean => file !== '' && status !== 'left'

/**
 * An operator has to know: nothing of it was taken, and no later run does, or newer files wait for it. A held plan of a file has
 * no code.
 */
export const wasNotTaken = (report: InputReport): boolean => {
  const { status, code } = report
  return status === 'refused' || (status === 'held' && code !== undefined) || isBeforeOthers(report)
}

/** Its plan, or a part of it, waits for a person. */
export const isHeldByGuard = ({ status, code }: InputReport): boolean =>
  status === 'held' && code === undefined

/** What was held of it goes after all. */
export const releasedReport = ({ file, likely_same: same }: InputReport): InputReport => ({
  file,
  status: 'done',
  ...(same === undefined ? {} : { likely_same: same }),
})

/** The message with the file in front, where it does not begin with it anyway. */
const aboutFile = (file: string, message: string): string =>
  file === '' || message.startsWith(file) ? message : `${file}: ${message}`

/** The file is done with; some of what it says waits for a person. */
export const heldReport = (input: SourceInput, reason: string): InputReport => ({
  file: input.name,
  status: 'held',
  error: aboutFile(input.name, reason),
})

/** It lies in failed/, and there is nothing to release: told like a file that was refused. */
export const emptyFullReport = (input: SourceInput): InputReport => ({
  ...heldReport(input, EMPTY_FULL),
  code: 'INPUT_EMPTY',
  hint: ERRORS.INPUT_EMPTY.hint,
})

/** Dates in another order than before may be a mistake of the exporter, or of an earlier day: an operator decides. */
const isHeldBack = ({ code }: SyncError): boolean => code === 'INPUT_DATE_ORDER'

export const refusal = (input: { name: string }, error: SyncError): InputReport => ({
  file: input.name,
  status: ERRORS[error.code].class === 'later' ? 'left' : isHeldBack(error) ? 'held' : 'refused',
  code: error.code,
  error: aboutFile(input.name, error.message),
  hint: error.hint,
})

/**
 * The same for a file of this pipeline. An empty file of a full one is held rather than refused: it is the one that could
 * mean "delete all contacts".
 */
export function refusedReport(
  input: SourceInput,
  error: SyncError,
  { pipeline }: Pick<PlanContext, 'pipeline'>,
): InputReport {
  const report = refusal(input, error)
  const isEmptyFull = error.code === 'INPUT_EMPTY' && pipeline.mode === 'full'
  return isEmptyFull ? { ...report, ...emptyFullReport(input) } : report
}

/** What its report says besides how it ended. */
export const findingsOf = ({ likelySame }: PlannedInput): Pick<InputReport, 'likely_same'> =>
  likelySame === undefined ? {} : { likely_same: likelySame }

/** The same without the keys of records. */
export const reportedFindings = ({ likelySame }: PlannedInput): Pick<InputReport, 'likely_same'> =>
  likelySame === undefined ? {} : { likely_same: withoutKeys(likelySame) }
