// All that the program asks of its state: a run, what a step asks about other records, lists and reports, and what is
// remembered besides. Each port stands beside what it is about.
import type { AlertStore } from './alerts/alert-store.ts'
import type { AcceptedStore } from './change/accepted.ts'
import type { CorrectionStore } from './change/others/correction.ts'
import type { BrakeStore } from './change/waiting/brake.ts'
import type { DroppedStore } from './change/waiting/dropped.ts'
import type { HandEditStore } from './change/others/hand-edits.ts'
import type { SharerStore } from './change/others/ownership.ts'
import type { FormerStatusStore } from './change/consents/former-status.ts'
import type { WithdrawalStore } from './change/consents/evidence.ts'
import type { OptOutStore } from './change/consents/opt-outs.ts'
import type { SuppressionStore } from './change/consents/suppression.ts'
import type { PermissionStore } from './change/permission.ts'
import type { ResolutionStore } from './change/lookup/resolution.ts'
import type { BlockStore } from './change/settled-blocks.ts'
import type { CursorStore } from './cursor.ts'
import type { ConfigurationStore } from './log/configuration-store.ts'
import type { DecisionStore } from './decision.ts'
import type { DefinitionStore } from './definition-store.ts'
import type { DeleteCounts } from './deletes-over-time.ts'
import type { ErasedSeenStore, TombstoneStore } from './erasing.ts'
import type { LookAlikeStore } from './linkage/look-alikes.ts'
import type { SyncLog } from './log/sync-log.ts'
import type { HandOverStore } from './log/hand-over.ts'
import type { WitnessStore } from './log/witness.ts'
import type { DriftRoundStore } from './change/others/drift-rounds.ts'
import type { MappingStore } from './mapping-store.ts'
import type { TermNameStore } from './mapping/terms.ts'
import type { DateOrderStore } from './mapping/values/dates/date-order.ts'
import type { OtherRecords } from './other-records.ts'
import type { DueStore, PauseStore } from './outcome/daemon.ts'
import type { ReadStore } from './log/reads.ts'
import type { RetentionStore } from './retention.ts'
import type { RunState } from './run-state.ts'
import type { StateLists, ReleaseStore, RebuildStore, InstanceStore, FormerNameStore } from './state.ts'

/** All that runs, plans and undoing need. */
export interface SyncState
  extends
    RunState,
    OtherRecords,
    BlockStore,
    StateLists,
    ReleaseStore,
    AcceptedStore,
    DroppedStore,
    BrakeStore,
    CorrectionStore,
    DefinitionStore,
    RebuildStore,
    TombstoneStore,
    PermissionStore,
    SuppressionStore,
    FormerStatusStore,
    WithdrawalStore,
    DateOrderStore,
    CursorStore,
    DeleteCounts,
    InstanceStore,
    FormerNameStore,
    MappingStore,
    TermNameStore,
    ResolutionStore,
    LookAlikeStore,
    HandEditStore,
    SharerStore {
  close(): Promise<void>
}

export interface StateStore
  extends
    SyncState,
    DueStore,
    PauseStore,
    RetentionStore,
    AlertStore,
    SyncLog,
    WitnessStore,
    HandOverStore,
    DriftRoundStore,
    DecisionStore,
    ConfigurationStore,
    OptOutStore,
    ErasedSeenStore,
    ReadStore {}
