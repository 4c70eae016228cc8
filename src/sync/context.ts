// What one run is handed: its pipeline, its ports, and what it counts on the way.
import type { HandEditRules } from '../core/change/others/hand-edits.ts'
import type { SuppressionList } from '../core/change/consents/suppression.ts'
import type { Settlement } from '../core/change/operation.ts'
import type { Circuit } from '../core/outcome/circuit.ts'
import type { ProgressReport } from '../core/outcome/run-progress.ts'
import type { LogEvent } from '../core/log/events/events.ts'
import type {
  CallResult,
  Clock,
  CustomFieldDefinition,
  ServiceReads,
  ServiceSession,
  Source,
  Term,
} from '../core/ports.ts'
import type { Unasked } from '../core/change/plan/plan.ts'
import type { PipelineSettings, ServiceSettings } from '../core/settings.ts'
import type { SyncState } from '../core/state-store.ts'
import type { LeftAlone } from '../core/log/undo.ts'
import { SyncError } from '../core/words/errors.ts'
import type { Tally } from './tally.ts'
import type { MailTurns, Turns } from './send/turns.ts'

/** Events of the operational log; their warnings are also shown to the user who started the run. */
export interface RunLog {
  readonly info: LogEvent<'info'>
  readonly warn: LogEvent<'warn'>
}

/** What became of a name: a term; a term of another name, into which the service folds it; or a failed request. */
export type TermFinding =
  | { readonly kind: 'term'; readonly term: Term }
  | { readonly kind: 'folded'; readonly into: string }
  | { readonly kind: 'failed'; readonly result: Exclude<CallResult<unknown>, { kind: 'ok' }> }

/** The service's terms as this run knows them. */
export interface TermDirectory {
  /**
   * The terms of the service by the comparison form of their names; undefined where it is not asked. Throws a SyncError
   * where they cannot be read.
   */
  list(): Promise<ReadonlyMap<string, Term> | undefined>
  /** How many the list had; undefined before it was read. */
  listed(): number | undefined
  /** Makes those of many names that are missing, at less cost than one by one; what fails is left to `ensure`. */
  prepare(names: readonly string[], context: RunContext): Promise<void>
  /** Finds a term, or makes it. */
  ensure(name: string, context: RunContext): Promise<TermFinding>
  /** Of terms that a contact was to lose and did not show: warns once of each that the service does not have at all. */
  warnOfAbsent(names: readonly string[], context: RunContext): Promise<void>
  /** Names that the service folds into others, found in this run. */
  readonly folded: ReadonlySet<string>
}

/** What reading and planning need: nothing that writes to the service. */
export interface PlanContext {
  readonly runId: string
  readonly pipeline: PipelineSettings
  readonly state: SyncState
  readonly source: Source
  readonly session: ServiceReads
  readonly circuit: Circuit
  readonly terms: TermDirectory
  /** Set where the service is not asked (`plan --offline`): takes note of what remains unknown for that. */
  readonly unasked?: Set<Unasked>
  /** Set for a plan: takes note, by key, of how a record ends that could be any of several contacts, or cannot be looked up. */
  readonly undecided?: Map<string, Settlement>
  /** What becomes of values that were edited at the service; undefined where nothing is overwritten. */
  readonly handEdits?: HandEditRules
  /** Addresses that are never created, given terms or raised; undefined where there is no list. */
  readonly suppression?: SuppressionList | undefined
  /** `service.custom_field_key`. */
  readonly customFieldKey: string
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly log: RunLog
  readonly tally: Tally
  report(report: Partial<ProgressReport>): void
}

/** Called with what an undo leaves unchanged. */
export type LeftAloneListener = (left: LeftAlone) => void

/** What applying needs besides. */
export interface RunContext extends PlanContext {
  readonly service: ServiceSettings
  readonly session: ServiceSession
  /** By contact, over all pipelines: looking at terms and changing them must not be interleaved. */
  readonly turns: Turns
  /** By mail, over all pipelines: two creates with one mail could each be judged before the other is there. */
  readonly mails: MailTurns
  /** Does the work; the calls that it makes go before those of all runs. */
  ahead<T>(work: () => Promise<T>): Promise<T>
  readonly leftAlone?: LeftAloneListener
  /** Facts that are determined once and hold for the whole run. */
  readonly seen: {
    /** Whether a mail_status that was sent was set: 1 or 2, and any other. */
    statusTaken?: { withdrawn?: boolean; other?: boolean }
    /** The attempts that are to find that out: one at a time. */
    statusTry?: Promise<unknown>
    /** How many contacts a bulk call may hold: what is configured, halved each time that it was too much. */
    bulkSize?: number
    markerKey?: Promise<string>
    /** Every definition of the service, where a contact must be seen as a whole. */
    definitions?: Promise<CallResult<readonly CustomFieldDefinition[]>>
  }
}

/** Whether nothing more may be sent in this run. */
export const isStopped = (context: PlanContext): boolean =>
  context.signal.aborted || context.circuit.stop !== undefined

/** The end of an input that a stopped run was reading. The input itself was not changed. */
export const stoppedWhileReading = (): SyncError =>
  new SyncError('INPUT_CHANGED', 'the run was stopped while the file was read', {
    hint: 'The next run reads it from its beginning.',
  })

export const bulkSize = ({ service, seen }: RunContext): number => seen.bulkSize ?? service.bulk.size

/** A call that was too large (413), or that got no answer in time, makes the next ones half as large. */
export function shrinkBulk(members: number, result: CallResult<unknown>, context: RunContext): void {
  const isTooMuch =
    result.request.status === 413 || (result.kind === 'unknown' && result.request.status === undefined)
  if (!isTooMuch || members < 2) return
  const half = Math.ceil(members / 2)
  if (half >= bulkSize(context)) return
  context.seen.bulkSize = half
  context.log.warn('bulk size reduced: last call too large or too slow', {
    contacts: half,
  })
}

/** The session with every result of it passed to the circuit. */
export function watchedSession<Session extends ServiceReads>(
  session: Session,
  { signal, circuit }: Pick<PlanContext, 'signal' | 'circuit'>,
): Session {
  const note = (result: CallResult<unknown>): CallResult<unknown> => {
    // A call that was aborted by the end of the run says nothing about the health of the service.
    if (!signal.aborted) circuit.note(result)
    return result
  }
  return new Proxy(session, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...given: unknown[]) =>
        note((await Reflect.apply(member, target, given)) as CallResult<unknown>)
    },
  })
}
