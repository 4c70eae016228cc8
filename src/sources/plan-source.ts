// The source of a plan, which leaves no trace: what has to be fetched for it is spooled into a temporary folder, and removed.
import { access, constants, rm } from 'node:fs/promises'
import type { Source } from '../core/ports.ts'
import type { SourceSettings } from '../core/settings.ts'
import { faultCode } from './fault.ts'
import { unmatchedFiles } from './folder/folder-listing.ts'
import type { FolderOptions } from './options.ts'
import type { SourceDeps } from './kind.ts'
import { createSource, kindOf } from './registry.ts'
import { type RemoteFolder, remoteOf } from './remote/open.ts'

export interface PlanSource {
  readonly source: Source
  close(): Promise<void>
}

interface PlanDeps extends SourceDeps {
  /** Makes an empty folder. */
  readonly ownFolder: () => Promise<string>
}

/** Copies of files on another machine lie in the folder, too. */
async function openRemoteFolder(
  settings: SourceSettings,
  { remote }: RemoteFolder,
  deps: PlanDeps,
): Promise<PlanSource> {
  const spool = await deps.ownFolder()
  return {
    source: createSource({ ...settings, remote: { ...remote, spool, isLooking: true } }, deps),
    close: () => rm(spool, { recursive: true, force: true }),
  }
}

export async function openPlanSource(settings: SourceSettings, deps: PlanDeps): Promise<PlanSource> {
  const remote = remoteOf(settings)
  if (remote !== undefined) return openRemoteFolder(settings, remote, deps)
  const source = createSource(settings, deps)
  const isFetched = kindOf(settings).kind.isPulled === true
  // What waits already is what a run would take.
  if (!isFetched || (await source.list({ wait: false })).ready.length > 0)
    return { source, close: () => Promise.resolve() }
  const folder = await deps.ownFolder()
  return {
    source: createSource({ ...settings, folder }, deps),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

const patternsOf = (settings: SourceSettings): readonly string[] =>
  (settings as Partial<FolderOptions>).files ?? []

/** Undefined where the source has no drop folder on this machine. */
function dropFolderOf(settings: SourceSettings): string | undefined {
  const isElsewhere = remoteOf(settings) !== undefined || kindOf(settings).kind.isPulled === true
  return isElsewhere ? undefined : (settings as Partial<FolderOptions>).folder
}

/** The files in the drop folder of a source that neither it nor another source takes; none where it cannot be read. */
export async function strayFiles(
  settings: SourceSettings,
  all: readonly SourceSettings[],
): Promise<readonly string[]> {
  const folder = dropFolderOf(settings)
  if (folder === undefined) return []
  const beside = all.filter((other) => (other as Partial<FolderOptions>).folder === folder)
  return unmatchedFiles(folder, beside.flatMap(patternsOf)).catch(() => [])
}

/** The drop folder of a source, where this user could put no file of it away. */
export async function closedFolder(settings: SourceSettings): Promise<string | undefined> {
  const folder = dropFolderOf(settings)
  if (folder === undefined) return undefined
  return access(folder, constants.W_OK).then(
    () => undefined,
    (error: unknown) => (['EACCES', 'EROFS'].includes(faultCode(error) ?? '') ? folder : undefined),
  )
}
