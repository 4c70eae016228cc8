// Notifies of events in a drop folder. It only wakes: what has landed, and whether it has settled, the
// listing decides. Without events (network folders, a folder that does not exist yet) the listener must poll.
import { existsSync } from 'node:fs'
import { type FSWatcher, watch } from 'chokidar'
import type { SourceSettings } from '../../core/settings.ts'

export interface FolderWatch {
  /** Watches again where the folder was not there, or has gone and come back. */
  renew(): void
  close(): Promise<void>
}

/** How long a file of this source must have been left alone, in milliseconds. */
export function settleMs(settings: SourceSettings): number {
  return typeof settings['settle'] === 'number' ? settings['settle'] : 0
}

/** Watches the folder of a source; undefined for a kind that has none. */
export function watchSource(settings: SourceSettings, onChange: () => void): FolderWatch | undefined {
  const folder = settings['folder']
  if (typeof folder !== 'string') return undefined
  let watcher: FSWatcher | undefined
  let closing = Promise.resolve()
  const drop = (): void => {
    const old = watcher
    watcher = undefined
    if (old !== undefined) closing = closing.then(() => old.close())
  }
  const renew = (): void => {
    if (watcher !== undefined || !existsSync(folder)) return
    // Only the folder itself: `processed` and `failed` lie within it.
    const begun = watch(folder, { depth: 0, ignoreInitial: true, ignorePermissionErrors: true })
    watcher = begun
    begun.on('all', (event, path) => {
      if (event === 'unlinkDir' && path === folder) drop()
      else if (event === 'add' || event === 'change') onChange()
    })
    // Too many watches, a folder that went: the next renewal tries again.
    begun.on('error', drop)
    // What landed between the last look and the first event.
    begun.on('ready', onChange)
  }
  renew()
  return {
    renew,
    async close() {
      drop()
      await closing
    },
  }
}
