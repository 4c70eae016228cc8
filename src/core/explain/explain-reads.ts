// What an explanation needs of the state: the port that the store fulfils, for commands and for the console.
import type { WithdrawalStore } from '../change/consents/evidence.ts'
import type { FormerStatusStore } from '../change/consents/former-status.ts'
import type { CorrectionStore } from '../change/others/correction.ts'
import type { HandEditStore, OpenEdit } from '../change/others/hand-edits.ts'
import type { SharerStore } from '../change/others/ownership.ts'
import type { Operation } from '../change/operation.ts'
import type { DefinitionStore } from '../definition-store.ts'
import type { MappingStore } from '../mapping-store.ts'
import type { SyncLog } from '../log/sync-log.ts'
import type { DateOrderStore } from '../mapping/values/dates/date-order.ts'
import type { TermNameStore } from '../mapping/terms.ts'
import type { RecordView, RejectView } from '../views.ts'

/** Every look goes along an index, however many links there are. */
export interface RecordSearch {
  /** The linked record with this key; where there is none, those with this mail. */
  linkedRecords(pipeline: string, keyOrMail: string): Promise<readonly RecordView[]>
  /** Rejected rows with this key, newest first. */
  rejectsOf(pipeline: string, key: string): Promise<readonly RejectView[]>
  /** Changes of the record that are not done, newest first; but creates that are only just planned or being sent. */
  openOf(pipeline: string, key: string): Promise<readonly Operation[]>
  /** Values of the record that were edited at the service and stay. */
  editsOf(pipeline: string, key: string): Promise<readonly OpenEdit[]>
  /**
   * The last run before that time (milliseconds since the epoch) that has read this content under this name: a file is archived
   * under its id. Undefined where it is not kept any more.
   */
  readerOf(
    pipeline: string,
    file: { name: string; sha256: string },
    before: number,
  ): Promise<string | undefined>
  /** The pipeline's name, and those that it had before. */
  namesOf(pipeline: string): Promise<readonly string[]>
}

export interface ExplainReads
  extends
    RecordSearch,
    Pick<CorrectionStore, 'openCorrections'>,
    Pick<HandEditStore, 'sentValues'>,
    Pick<WithdrawalStore, 'withdrawnAt'>,
    Pick<FormerStatusStore, 'formerStatuses'>,
    SharerStore,
    TermNameStore,
    Pick<SyncLog, 'logPage'>,
    Pick<DefinitionStore, 'seenDefinitions'>,
    Pick<DateOrderStore, 'dateOrders'>,
    Pick<MappingStore, 'keptMapping'> {}
