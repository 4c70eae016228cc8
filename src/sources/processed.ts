// The files of a source that were processed: read again, for comparisons. Nothing here moves or writes one.
import { join } from 'node:path'
import type { Source, SourceInput } from '../core/ports.ts'
import type { SourceSettings } from '../core/settings.ts'
import { SyncError } from '../core/words/errors.ts'
import { isRemote } from '../core/words/network/remote-folder.ts'
import { rawName } from './file-name.ts'
import { isWanted, listFolder } from './folder/folder-listing.ts'
import { archivedAt, isBeside, nameBeforeRun } from './folder/retention.ts'
import type { SourceDeps } from './kind.ts'
import { createSource } from './registry.ts'

/** Where processed files of the source lie; undefined where it has no folder, or one on another machine. */
export function processedFolder(settings: SourceSettings): string | undefined {
  const { folder } = settings as { folder?: unknown }
  return typeof folder === 'string' && !isRemote(folder) ? join(folder, 'processed') : undefined
}

/** A source that opens the files of this folder as the settings say; it lists and archives nothing. */
export const sourceOver = (
  folder: string,
  settings: SourceSettings,
  deps: SourceDeps,
): Pick<Source, 'open'> => createSource({ ...settings, folder }, deps)

/** By the run that processed it; where the name has none (a sample), by the time of its content. */
const processedAt = ({ name, writtenAt = 0 }: SourceInput): number =>
  archivedAt(rawName(name) ?? Buffer.from('')) ?? writtenAt

/** The last so many files, oldest first; none where there is no such folder. */
export async function processedInputs(
  folder: string,
  settings: SourceSettings,
  { limit, clock }: SourceDeps & { readonly limit: number },
): Promise<readonly SourceInput[]> {
  const { files = ['*'] } = settings as { files?: readonly string[] }
  try {
    const { ready } = await listFolder({ folder, files: ['*'], settle: 0 }, clock.now())
    return ready
      .filter(({ name }) => !isBeside(name) && isWanted(nameBeforeRun(name), files))
      .toSorted((one, other) => processedAt(one) - processedAt(other))
      .slice(-limit)
  } catch (error) {
    if (error instanceof SyncError && error.code === 'INPUT_FOLDER_MISSING') return []
    throw error
  }
}
