// Who watches runs from outside: metrics, traces, and pages that show how far a run has come. A watcher must not throw and must not take long.
import type { EndedRun } from '../outcome/daemon.ts'
import type { ProgressReport } from '../outcome/run-progress.ts'
import type { ServiceListener } from './events/service-event.ts'

/** One run as it is watched. */
export interface WatchedRun {
  readonly onService: ServiceListener
  report?(report: Partial<ProgressReport>): void
  /** A stage begins: recover, read, apply, settle. */
  stage(name: string): void
  /** Undefined: it ended by a fault of the state or of this program. */
  end(result: Omit<EndedRun, 'warnings'> | undefined): void
}

export interface RunWatcher {
  /** Every call to the service, of whatever run. */
  readonly onService?: ServiceListener
  begin?(run: { readonly pipeline: string; readonly runId: string }): WatchedRun
}
