// When a run must stop asking the service: one bad contact is its own affair, a dead service or a refused key is not.
// Fed with every result in turn; says why the run has to end, or nothing.
import type { ErrorCode } from '../words/errors.ts'
import type { GuardSettings } from '../settings.ts'
import type { CallResult } from '../ports.ts'
import { DAILY_ALLOWANCE_USED_UP } from './retry.ts'

export interface Stop {
  readonly code: Extract<
    ErrorCode,
    | 'SERVICE_UNREACHABLE'
    | 'SERVICE_KEY_REFUSED'
    | 'SERVICE_CONTRACT'
    | 'DAILY_LIMIT'
    | 'CONFIG_INVALID'
    | 'REFUSED_ALIKE'
    | 'MAX_DURATION'
    | 'PAUSED'
    | 'SUPPRESSION_LIST'
    | 'PIPELINE_RENAMED'
  >
  readonly message: string
}

const OPERATOR_STOPS = ['PAUSED', 'SUPPRESSION_LIST', 'PIPELINE_RENAMED'] as const

/** Stops that an operator ends: what was not sent counts as held, and the service is not to blame. */
export const isOperatorStop = <Of extends { readonly code?: ErrorCode | undefined }>(
  stop: Of | undefined,
): stop is Of & { readonly code: (typeof OPERATOR_STOPS)[number] } =>
  OPERATOR_STOPS.some((code) => code === stop?.code)

export interface Circuit {
  /** Takes note of a result; the first reason to stop stays. */
  note(result: CallResult<unknown>): void
  /** The service took one contact. */
  accepted(): void
  /** The service refused one contact for this reason. */
  refused(reason: string): void
  /** Something that the run requires is not available. */
  halt(stop: Stop): void
  readonly stop: Stop | undefined
}

/** After so many calls in a row whose outcome is unknown, or that are denied, the service as a whole is taken for ill. */
const IN_A_ROW = 3

function stopFor(
  result: CallResult<unknown>,
  row: { denied: number; unknown: number; succeeded: boolean },
): Stop | undefined {
  if (result.kind === 'denied') {
    // 401 speaks of the key. 403 may be about one object: on the first call, or three times in a row, it is about the key.
    const isAboutKey = result.request.status === 401 || !row.succeeded || row.denied >= IN_A_ROW
    return isAboutKey ? { code: 'SERVICE_KEY_REFUSED', message: result.summary } : undefined
  }
  if (result.kind === 'not_applied') {
    if (result.summary.startsWith(DAILY_ALLOWANCE_USED_UP))
      return { code: 'DAILY_LIMIT', message: result.summary }
    const isWrongPlace = result.request.status === 404 || result.request.status === 405
    return { code: isWrongPlace ? 'SERVICE_CONTRACT' : 'SERVICE_UNREACHABLE', message: result.summary }
  }
  if (result.kind !== 'unknown' || row.unknown < IN_A_ROW) return undefined
  const answered = result.request.status !== undefined && result.request.status < 500
  return { code: answered ? 'SERVICE_CONTRACT' : 'SERVICE_UNREACHABLE', message: result.summary }
}

/** Why nothing can be done without the answer to this call. */
export function stopWithout(result: Exclude<CallResult<unknown>, { kind: 'ok' }>): Stop {
  const stop = stopFor(result, { denied: IN_A_ROW, unknown: IN_A_ROW, succeeded: false })
  return stop ?? { code: 'SERVICE_CONTRACT', message: result.summary }
}

/** The reason without what is one record's own: quoted values, mails, numbers. */
const alike = (reason: string): string => reason.replaceAll(/"[^"]*"|'[^']*'|\S+@\S+|\d+/g, '')

/** Counts refusals in a row for the same reason; says so when they are too many. */
function refusalCounter(most: number) {
  let times = 0
  let last: string | undefined
  return {
    reset() {
      times = 0
      last = undefined
    },
    count(refusal: string): Stop | undefined {
      const reason = alike(refusal)
      times = reason === last ? times + 1 : 1
      last = reason
      if (most === 0 || times < most) return undefined
      const message = `the service refused ${times} contacts in a row for the same reason, so the cause is probably not the contacts; nothing more was sent`
      return { code: 'REFUSED_ALIKE', message }
    },
  }
}

/** `max_equal_refusals`: after so many the run stops; 0: never. */
export function createCircuit({
  max_equal_refusals: most,
}: Pick<GuardSettings, 'max_equal_refusals'>): Circuit {
  const row = { denied: 0, unknown: 0, succeeded: false }
  const refusals = refusalCounter(most)
  let stop: Stop | undefined
  return {
    get stop() {
      return stop
    },
    note(result) {
      row.denied = result.kind === 'denied' ? row.denied + 1 : 0
      row.unknown = result.kind === 'unknown' ? row.unknown + 1 : 0
      if (result.kind === 'ok' || result.kind === 'refused' || result.kind === 'absent') row.succeeded = true
      stop ??= stopFor(result, row)
    },
    accepted: refusals.reset,
    refused(reason) {
      stop ??= refusals.count(reason)
    },
    halt(given) {
      stop ??= given
    },
  }
}
