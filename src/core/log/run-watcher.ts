// Who watches runs from outside: metrics and traces. A watcher must not throw and must not take long.
import type { EndedRun } from '../outcome/daemon.ts'
import type { ServiceListener } from './service-event.ts'

/** One run as it is watched. */
export interface WatchedRun {
  readonly onService: ServiceListener
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
