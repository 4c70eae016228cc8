// Runs that a person has asked the daemon for: they wait for their turn at the agenda like any other, and the person is told
// what became of them.
import { SyncError } from '../../core/words/errors.ts'
import type { AskedRun, RunListener } from '../decisions/owner.ts'
import type { WithWarnings } from '../run/run.ts'

/** One that waits for its turn, or is active. */
export interface WaitingRun {
  readonly asked: AskedRun
  readonly listener: RunListener
  done(result: WithWarnings): void
  failed(error: unknown): void
}

export interface AskedRuns {
  ask(asked: AskedRun, listener: RunListener): Promise<WithWarnings>
  /** Whether one waits for the pipeline. */
  has(pipeline: string): boolean
  /** The one that has waited longest. */
  take(pipeline: string): WaitingRun | undefined
  /** The daemon ends: those that wait are not made, nor is one that is asked for from now on. */
  dismiss(): void
}

const notMade = (): SyncError => new SyncError('DAEMON_ENDING', 'the daemon is ending; the run was not made')

export function createAskedRuns(onAsked: (pipeline: string) => void): AskedRuns {
  const waiting: WaitingRun[] = []
  let isDismissed = false
  const ofPipeline = (name: string): number => waiting.findIndex(({ asked }) => asked.pipeline === name)
  return {
    ask: (asked, listener) =>
      new Promise((done, failed) => {
        if (isDismissed) return failed(notMade())
        waiting.push({ asked, listener, done, failed })
        onAsked(asked.pipeline)
      }),
    has: (pipeline) => ofPipeline(pipeline) >= 0,
    take(pipeline) {
      const at = ofPipeline(pipeline)
      return at < 0 ? undefined : waiting.splice(at, 1)[0]
    },
    dismiss() {
      isDismissed = true
      for (const { failed } of waiting.splice(0)) failed(notMade())
    },
  }
}
