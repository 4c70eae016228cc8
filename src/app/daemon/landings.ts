// Files that land in the folders of pipelines with `watch: true`: each version of a file asks for one run, once it has
// settled. What stays after a run (it could not be moved, say) does not ask again, or there would be no end of runs.
import type { Clock, Source } from '../../core/ports.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { createSource } from '../../sources/registry.ts'
import { type FolderWatch, settleMs, watchSource } from '../../sources/folder/watch-folder.ts'

export interface Landings {
  /** Watches the folders of these from now on. */
  watch(pipelines: readonly PipelineSettings[]): void
  /** Polls all of them: for folders without change notifications. */
  lookAgain(): void
  close(): Promise<void>
}

interface Watched {
  readonly pipeline: PipelineSettings
  lookSoon(): void
  renew(): void
  close(): Promise<void>
}

/** A folder under steady change is not looked at more often. */
const LEAST_APART_MS = 250

function createWatched(
  pipeline: PipelineSettings,
  { clock, onLanded }: { clock: Clock; onLanded(name: string): void },
): Watched {
  const source: Source = createSource(pipeline.source, { clock })
  const closing = new AbortController()
  let offered = new Set<string>()
  let isLooking = false
  let isWanted = false

  /** Whether some files are still growing. */
  async function look(): Promise<boolean> {
    const { ready, unsettled } = await source.list({ wait: false })
    const isFresh = ready.some(({ version }) => !offered.has(version))
    offered = new Set(ready.map(({ version }) => version))
    if (isFresh && !closing.signal.aborted) onLanded(pipeline.name)
    return unsettled > 0
  }

  async function looks(): Promise<void> {
    while (isWanted && !closing.signal.aborted) {
      isWanted = false
      // A folder that is missing or cannot be read: runs report it, and a later poll finds it again.
      const isGrowing = await look().catch(() => false)
      const pause = isGrowing ? Math.max(settleMs(pipeline.source), LEAST_APART_MS) : LEAST_APART_MS
      if (isGrowing) isWanted = true
      await clock.sleep(pause, closing.signal)
    }
    isLooking = false
  }

  function lookSoon(): void {
    isWanted = true
    if (isLooking || closing.signal.aborted) return
    isLooking = true
    void looks()
  }

  const folder: FolderWatch | undefined = watchSource(pipeline.source, lookSoon)
  lookSoon()
  return {
    pipeline,
    lookSoon,
    renew: () => folder?.renew(),
    async close() {
      closing.abort()
      await folder?.close()
    },
  }
}

export function createLandings(parts: { clock: Clock; onLanded(name: string): void }): Landings {
  let watched: readonly Watched[] = []
  let closed: Promise<unknown> = Promise.resolve()
  return {
    watch(pipelines) {
      const wanted = pipelines.filter((pipeline) => pipeline.watch)
      const kept = watched.filter(({ pipeline }) => wanted.includes(pipeline))
      const gone = watched.filter((one) => !kept.includes(one))
      closed = Promise.all([closed, ...gone.map((one) => one.close())])
      const fresh = wanted.filter((pipeline) => !kept.some((one) => one.pipeline === pipeline))
      watched = [...kept, ...fresh.map((pipeline) => createWatched(pipeline, parts))]
    },
    lookAgain() {
      for (const one of watched) {
        one.renew()
        one.lookSoon()
      }
    },
    async close() {
      closed = Promise.all([closed, ...watched.map((one) => one.close())])
      watched = []
      await closed
    },
  }
}
