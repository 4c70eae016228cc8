// After a run: what has been kept for as long as `keep` says is removed. It never makes a run fail, and never hurries: so
// many at a time, and after so long again.
import { HOUR_MS } from '../../core/words/duration.ts'
import { errorFacts } from '../../core/words/error-facts.ts'
import type { Clock } from '../../core/ports.ts'
import { runId } from '../../core/words/run-id.ts'
import type { KeepSettings, PipelineSettings } from '../../core/settings.ts'
import type { ReadStore } from '../../core/log/reads.ts'
import { ageingTo, type RetentionStore } from '../../core/retention.ts'
import type { Log } from '../../log/log.ts'
import { removeOldOf } from '../../sources/old-files.ts'
import { systemRandom as random } from '../../system.ts'

/** Of each kind, after one run: a first time over years of files must not hold up the next run. */
const MOST = 1000
/** Between two times of a pipeline. Listing a large folder after each run of every minute would be for nothing. */
const PAUSE_MS = HOUR_MS
/** A clock that is wrong at a start is mostly put right by then. */
const CONFIRMED_MS = HOUR_MS

interface Parts {
  readonly state: RetentionStore & Pick<ReadStore, 'removeReads'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly most?: number
}

/** Removes what is old of one pipeline; to be called when a run of it has ended. */
export type Keeping = (pipeline: PipelineSettings, about: { log: Log; signal: AbortSignal }) => Promise<void>

export function createKeeping(keep: KeepSettings, { state, clock, most = MOST }: Parts): Keeping {
  const lastAt = new Map<string, number>()
  const confirmed = async ({ name }: PipelineSettings): Promise<number> =>
    ageingTo(clock.now(), await state.lastBegun(name, clock.now() - CONFIRMED_MS))
  const files = async (
    { source }: PipelineSettings,
    which: 'processed' | 'failed',
    before: number | undefined,
  ) => (before === undefined ? 0 : removeOldOf(source, which, { before, limit: most }))
  const logValues = (before: number | undefined): Promise<number> | number => {
    const at = clock.now()
    return before === undefined ? 0 : state.expireValues(before, most, { at, runId: runId(at, random) })
  }
  const remove = async (pipeline: PipelineSettings) => {
    const now = await confirmed(pipeline)
    const before = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : now - ms)
    const times = { rejects: before(keep.rejects), runs: before(keep.runs) }
    return {
      ...(await state.removeOld(pipeline.name, times, most)),
      processed: await files(pipeline, 'processed', before(keep.processed)),
      failed: await files(pipeline, 'failed', before(keep.failed)),
      sync_log: await logValues(before(keep.sync_log)),
      reads: await state.removeReads(now - keep.reads, most),
    }
  }
  return async (pipeline, { log, signal }) => {
    const last = lastAt.get(pipeline.name)
    if (signal.aborted || (last !== undefined && clock.monotonic() - last < PAUSE_MS)) return
    lastAt.set(pipeline.name, clock.monotonic())
    try {
      const removed = await remove(pipeline)
      if (Object.values(removed).some((count) => count > 0)) log.info('old data removed', removed)
      // There may be more: the next run continues.
      if (Object.values(removed).includes(most)) lastAt.delete(pipeline.name)
    } catch (error) {
      log.warn('old data not removed', errorFacts(error))
    }
  }
}
