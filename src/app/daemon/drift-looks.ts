// Rounds of looks for drift, as `drift` of a pipeline asks for them: continued while no run is active, and logged when they end.
import { isAboveShare } from '../../core/change/others/drift-rounds.ts'
import type { Clock } from '../../core/ports.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { HOUR_MS } from '../../core/words/duration.ts'
import { shareText } from '../../core/words/format.ts'
import type { Log } from '../../log/log.ts'
import type { Runner } from '../run/runner.ts'

/** Where the service could not be used. */
const RETRY_MS = HOUR_MS

interface Parts {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  readonly signal: AbortSignal
  settings(): Settings
  mayLook(pipeline: string): boolean
  readonly runner: Pick<Runner, 'continueDrift'>
  onFault(error: unknown, pipeline: string): void
}

export interface DriftLooks {
  /** Continues the rounds that are due; never rejects. */
  look(): Promise<void>
  /** Resolves when no contact is being looked at. */
  idle(): Promise<void>
}

export function createDriftLooks({
  clock,
  log,
  signal,
  settings,
  mayLook,
  runner,
  onFault,
}: Parts): DriftLooks {
  const failedAt = new Map<string, number>()
  let current: Promise<void> | undefined
  const isWaiting = (name: string): boolean =>
    clock.monotonic() - (failedAt.get(name) ?? -Infinity) < RETRY_MS

  async function lookAtOne(pipeline: PipelineSettings, share: number): Promise<void> {
    const { name } = pipeline
    const { ended, stop } = await runner.continueDrift(pipeline, { signal, mayLook: () => mayLook(name) })
    if (stop !== undefined && !signal.aborted) {
      failedAt.set(name, clock.monotonic())
      log.warn('looks for drift interrupted', { pipeline: name, code: stop.code })
    }
    if (ended === undefined) return
    const { unanswered: unread, by_field: _, ...counts } = ended.counts
    const fields = { pipeline: name, ...counts, unread }
    log.info('looked for drift', fields)
    if (isAboveShare(ended.counts, share))
      log.warn('more drift than allowed', {
        pipeline: name,
        checked: counts.checked,
        differing: counts.differing,
        allowed: shareText(share),
      })
  }

  async function lookAtAll(): Promise<void> {
    for (const pipeline of settings().pipelines) {
      const { name, drift } = pipeline
      if (drift === undefined || isWaiting(name) || !mayLook(name)) continue
      try {
        await lookAtOne(pipeline, drift.share)
      } catch (error) {
        onFault(error, name)
      }
    }
  }

  return {
    look() {
      if (signal.aborted) return Promise.resolve()
      current ??= lookAtAll().finally(() => {
        current = undefined
      })
      return current
    },
    idle: () => current ?? Promise.resolve(),
  }
}
