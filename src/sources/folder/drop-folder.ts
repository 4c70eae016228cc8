// A drop folder on this machine: listing, waiting until files have settled, opening, putting away.
// An input is claimed by its version, not by moving it: until it is archived it stays where it was dropped.
import { join } from 'node:path'
import { inputError, SyncError } from '../../core/words/errors.ts'
import type { Sought } from '../../core/erasing.ts'
import type { RejectRow, Source, SourceInput } from '../../core/ports.ts'
import { moveRewritten, moveVersion } from './archive.ts'
import type { Found, StoredFile } from './erasing.ts'
import { faultCode } from '../fault.ts'
import { entryPath, rawName } from '../file-name.ts'
import { openPacked } from '../gzip.ts'
import { isWanted, listFolder, type Listing, listSettled } from './folder-listing.ts'
import { removeLeftoverFiles } from './leftovers.ts'
import { openInputFile, type InputFile, withoutChangeTime } from '../input-file.ts'
import type { SourceDeps } from '../kind.ts'
import type { FolderOptions } from '../options.ts'
import { type ArchivePlace, reportingFailure, versionAt, writeWhole } from './place.ts'
import type { RejectsLayout } from '../rejects.ts'
import { giveBackTaken } from './taking.ts'

/** How records of persons are found in a file of the kind. */
export type Find = (file: StoredFile, sought: Sought) => Promise<Found>

export type Destination = Parameters<Source['writeRejects']>[1]

export interface DropFolder extends Pick<
  Source,
  'list' | 'isUnclaimed' | 'isWaiting' | 'archive' | 'giveBack' | 'clearLeftovers'
> {
  /** Opens exactly the listed version. Throws INPUT_CHANGED, INPUT_NOT_A_FILE, INPUT_IO or INPUT_UNREADABLE. */
  openFile(input: SourceInput): Promise<InputFile>
  /** Throws ARCHIVE_FAILED; then nothing was written. */
  writeRejects(
    input: SourceInput,
    to: Destination,
    layout: RejectsLayout,
    rows: AsyncIterable<RejectRow>,
  ): Promise<void>
}

export function createLocalFolder(options: FolderOptions, deps: SourceDeps, find: Find): DropFolder {
  const look = (): Promise<Listing> => listFolder(options, deps.clock.now())
  const isInput = (name: string): boolean => isWanted(name, options.files)
  return {
    list: (asked) => listSettled(look, asked, deps.clock),
    async openFile(input) {
      const path = pathOf(options.folder, input)
      if (path === undefined) throw new SyncError('INPUT_CHANGED', `${input.name} does not exist any more`)
      return openPacked(await openInputFile(path, input))
    },
    async isWaiting(input) {
      const path = pathOf(options.folder, input)
      if (path === undefined) return false
      try {
        // One that a killed run had taken was moved back, and is the same export: it must not count as a second one.
        const here = await versionAt(path)
        return here !== undefined && withoutChangeTime(here) === withoutChangeTime(input.version)
      } catch (error) {
        if (faultCode(error) === undefined) throw error
        // Where the folder cannot be looked into: what was planned of it continues automatically, and the file is read again when
        // it is listed.
        return false
      }
    },
    async archive(listed, to) {
      const path = pathOf(options.folder, listed)
      if (path === undefined) return false
      const place = placeOf(options.folder, listed, to)
      const input = { ...listed, version: await reportingFailure(place, () => versionNow(path, listed, to)) }
      const wanted = { path, version: input.version, sha256: to.sha256, isInput }
      const rewritten = to.leaveOut && (await contentWithout(path, input, find, to.leaveOut))
      const isMoved =
        rewritten === undefined
          ? await moveVersion(wanted, place)
          : await moveRewritten(wanted, place, rewritten)
      if (!isMoved) return false
      const { reason } = to
      if (reason !== undefined) {
        await writeWhole(place, '.reason.txt', (file) => file.writeFile(`${reason.trimEnd()}\n`))
      }
      return true
    },
    giveBack: () => giveBackTaken(options.folder, isInput),
    async clearLeftovers(input, runId) {
      for (const folder of ['processed', 'failed'] as const)
        await removeLeftoverFiles(placeOf(options.folder, input, { folder, runId }))
    },
    async writeRejects(input, to, layout, rows) {
      const { writeRejectFiles } = await import('../rejects.ts')
      await writeRejectFiles(placeOf(options.folder, input, to), layout, rows)
    },
  }
}

/**
 * The version to archive. Changed permissions, or another owner or link, change the version and not the content: where the
 * digest will tell whether that is what was read, they do not make it another file.
 */
async function versionNow(
  path: Buffer,
  { version }: SourceInput,
  { sha256 }: { readonly sha256?: string | undefined },
): Promise<string> {
  const here = sha256 === undefined ? undefined : await versionAt(path)
  return here !== undefined && withoutChangeTime(here) === withoutChangeTime(version) ? here : version
}

/** The file without records of those persons; undefined where it has none, or cannot be searched. */
export async function contentWithout(
  path: Buffer,
  input: SourceInput,
  find: Find,
  leaveOut: Sought,
): Promise<AsyncIterable<Buffer> | undefined> {
  const file = { path, name: input.name, input, mode: 0o640 }
  try {
    const { searchFile } = await import('./search-file.ts')
    const { records, content } = await searchFile(file, find, leaveOut)
    return records === 0 ? undefined : content()
  } catch (error) {
    // What cannot be searched is moved unchanged; another version in its place is not moved at all.
    if (inputError(error) !== undefined) return undefined
    throw error
  }
}

function pathOf(folder: string, input: SourceInput): Buffer | undefined {
  const raw = rawName(input.name)
  return raw === undefined ? undefined : entryPath(folder, raw)
}

function placeOf(folder: string, input: SourceInput, to: Destination): ArchivePlace {
  return {
    folder: join(folder, to.folder),
    raw: rawName(input.name) ?? Buffer.from('input'),
    runId: to.runId,
  }
}
