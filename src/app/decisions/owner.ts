// Who has the state, as decisions see it: settings, state, and, where it is the daemon, its runs.
import type { ServiceListener } from '../../core/log/events/service-event.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import type { Log } from '../../log/log.ts'
import type { LeftAlone, UndoOptions } from '../../core/log/undo.ts'
import type { Settings } from '../../core/settings.ts'
import type { OwnedState } from '../../store/state-store.ts'
import type { ProgressReport } from '../../core/outcome/run-progress.ts'
import type { HandingOver } from '../handing-over.ts'
import type { Desk } from '../run/desk.ts'
import type { WithWarnings } from '../run/run.ts'

/** A run that a person has asked for: of all files, of the rejects alone, or one that puts another one back. */
export type AskedRun =
  | { readonly kind: 'run' | 'rejects'; readonly pipeline: string }
  | {
      readonly kind: 'undo'
      readonly pipeline: string
      /** Although the pipeline is paused. */
      readonly evenPaused: boolean
      readonly undo: UndoOptions & { readonly run: string; readonly contact: string | undefined }
    }

/** Who asked for it, and what they are shown meanwhile. */
export interface RunListener {
  readonly decided: DecidedBy
  report(report: Partial<ProgressReport>): void
  left(one: LeftAlone): void
}

/** What only the daemon can do. */
export interface DaemonOwner {
  readonly log: Log
  isRunning(): boolean
  /** Lets runs come to their end, and begins none before the work is done. */
  rest<T>(work: () => Promise<T>): Promise<T>
  run(asked: AskedRun, listener: RunListener): Promise<WithWarnings>
  reload(decided: DecidedBy): Promise<Reloaded>
  handOver: HandingOver['now']
}

export interface Reloaded {
  /** Why the configuration was refused; undefined: it is in use. */
  readonly problems: readonly string[] | undefined
  /** Settings that take effect at the next start. */
  readonly atNextStart: readonly string[]
}

export interface Owner {
  settings(): Settings
  readonly state: OwnedState
  readonly signal: AbortSignal
  readonly onService?: ServiceListener | undefined
  /** Ends runs of these pipelines that are active, in good order, and resolves when they have ended. */
  halt?(pipelines: readonly string[], reason: string): Promise<void>
  /** Pipelines were paused or resumed. */
  onPauses?(): Promise<void>
  /** A person was erased, whom sessions of the console may name. */
  onErased?(): Promise<void>
  /** Absent in a process that ends with its own command. */
  readonly daemon?: DaemonOwner
}

/** With what a kind is taken that needs more than the state. */
export interface Taking extends Desk {
  readonly owner: Owner
  /** Shown to the person who waits, while it is taken. */
  show(event: unknown): void
}
