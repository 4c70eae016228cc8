// The files that a source has put away, as they are counted and, when they are old, removed: on this machine or on another one.
import type { SourceSettings } from '../core/settings.ts'
import { archivedAt, countFailed, type FailedCount, failedFiles, removeOldFiles } from './folder/retention.ts'
import { remoteOf, withSession } from './remote/open.ts'

type Old = Parameters<typeof removeOldFiles>[2]

const folderOf = (source: SourceSettings): string | undefined =>
  typeof source['folder'] === 'string' ? source['folder'] : undefined

/** Removes old files of one of the two folders; how many. Throws ARCHIVE_FAILED, and what a connection throws. */
export async function removeOldOf(
  source: SourceSettings,
  which: 'processed' | 'failed',
  { before, limit }: Old,
): Promise<number> {
  const remote = remoteOf(source)
  const folder = folderOf(source)
  if (remote === undefined) return folder === undefined ? 0 : removeOldFiles(folder, which, { before, limit })
  return withSession(remote, 'ARCHIVE_FAILED', async (session) => {
    const isOld = (name: string): boolean => (archivedAt(Buffer.from(name)) ?? before) < before
    const entries = ((await session.list(which)) ?? []).filter(
      ({ what, name }) => what === 'file' && isOld(name),
    )
    const old = entries.slice(0, limit)
    for (const { name } of old) await session.remove(which, name)
    return old.length
  })
}

/** The files that could not be taken. Throws as above. */
export async function failedOf(source: SourceSettings): Promise<FailedCount> {
  const remote = remoteOf(source)
  const folder = folderOf(source)
  if (remote === undefined)
    return folder === undefined ? { files: 0, oldest: undefined } : failedFiles(folder)
  const entries = await withSession(remote, 'ARCHIVE_FAILED', (session) => session.list('failed'))
  return countFailed(
    (entries ?? []).filter(({ what }) => what === 'file').map(({ name }) => Buffer.from(name)),
  )
}
