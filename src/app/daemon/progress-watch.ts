// How far the active runs of this process have come, for those who ask meanwhile: what each reports, and the requests that it sends.
import type { RunWatcher } from '../../core/log/run-watcher.ts'
import { beginsPhase, NOT_BEGUN, type RunProgress } from '../../core/outcome/run-progress.ts'
import type { Clock } from '../../core/ports.ts'

export interface ProgressWatch extends Required<Pick<RunWatcher, 'begin'>> {
  current(): readonly RunProgress[]
}

/** `others` are told of the same runs. */
export function createProgressWatch(
  clock: Pick<Clock, 'monotonic'>,
  others: Pick<RunWatcher, 'begin'> = {},
): ProgressWatch {
  const active = new Map<string, () => RunProgress>()
  return {
    current: () => [...active.values()].map((progress) => progress()),
    begin(run) {
      const other = others.begin?.(run)
      let now = NOT_BEGUN
      let first = NOT_BEGUN
      let since = clock.monotonic()
      active.set(run.runId, () => ({ ...run, now, first, elapsedMs: clock.monotonic() - since }))
      return {
        onService(event) {
          if (event.type === 'request') now = { ...now, requests: now.requests + 1 }
          other?.onService(event)
        },
        report(report) {
          const isFirst = beginsPhase(report, now)
          // Requests are counted as they are sent: reading may send some, too.
          now = { ...now, ...report, requests: now.requests }
          if (isFirst) [first, since] = [now, clock.monotonic()]
          other?.report?.(report)
        },
        stage: (name) => other?.stage(name),
        end(result) {
          active.delete(run.runId)
          other?.end(result)
        },
      }
    },
  }
}
