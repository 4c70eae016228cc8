// Where files of an input are archived: under unique names, complete or absent.
// What the file system refuses is reported as ARCHIVE_FAILED.
import { lstat, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { SyncError } from '../../core/words/errors.ts'
import { describeFault, faultCode } from '../fault.ts'
import { archivedName, entryPath, WRITING } from '../file-name.ts'
import { fileVersion } from '../input-file.ts'

/** Where something of an input goes: `<stem>.<runId><ending>` in a folder. */
export interface ArchivePlace {
  readonly folder: string
  /** The input's own name, as bytes. */
  readonly raw: Buffer
  readonly runId: string
}

/**
 * Writes a file whole or not at all: under a hidden name first, renamed when it is safe on the disk.
 * @param ending the new file's ending, `.reason.txt` say; the input's own where it is not given
 * @param isWanted asked when everything is written: without it, the file does not get its name, and false is returned
 */
export async function writeWhole(
  place: ArchivePlace,
  ending: string | undefined,
  write: (file: FileHandle) => Promise<void>,
  isWanted: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<boolean> {
  return reportingFailure(place, async () => {
    await makeFolder(place.folder)
    const temporary = entryPath(place.folder, archivedName(WRITING, place.runId, ending))
    try {
      await writeSynced(temporary, write)
      if (!(await isWanted())) return false
      const target = await reserve(place, ending)
      await rename(temporary, target).catch(async (error: unknown) => {
        // The reserved name would stand there as an empty file.
        await rm(target, { force: true })
        throw error
      })
    } finally {
      await rm(temporary, { force: true })
    }
    await flushFolder(place.folder)
    return true
  })
}

async function writeSynced(path: Buffer, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'w', 0o640)
  try {
    await write(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Reserves the first free name by creating it empty: a rename onto it cannot overwrite another file. */
export async function reserve({ folder, raw, runId }: ArchivePlace, ending?: string): Promise<Buffer> {
  return reserveName(folder, runId, (tag) => archivedName(raw, tag, ending))
}

/** `nameFor`: the name with a tag; the run's id, numbered where that name is taken. */
export async function reserveName(
  folder: string,
  runId: string,
  nameFor: (tag: string) => Buffer,
): Promise<Buffer> {
  for (let turn = 1; ; turn += 1) {
    const path = entryPath(folder, nameFor(turn === 1 ? runId : `${runId}-${turn}`))
    try {
      await (await open(path, 'wx', 0o640)).close()
      return path
    } catch (error) {
      if (faultCode(error) !== 'EEXIST') throw error
    }
  }
}

/** The version of the regular file at a path; undefined where there is none. */
export async function versionAt(path: Buffer): Promise<string | undefined> {
  try {
    const stats = await lstat(path, { bigint: true })
    return stats.isFile() ? fileVersion(stats) : undefined
  } catch (error) {
    if (faultCode(error) === 'ENOENT' || faultCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}

export async function makeFolder(folder: string): Promise<void> {
  try {
    // Not recursive: a drop folder that has gone must not come back as an empty one.
    await mkdir(folder, { mode: 0o750 })
  } catch (error) {
    if (faultCode(error) !== 'EEXIST') throw error
  }
}

/** Some systems cannot flush a folder; the files' own flushes still hold there. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

export async function reportingFailure<T>(place: ArchivePlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (faultCode(error) === undefined) throw error
    throw new SyncError('ARCHIVE_FAILED', `${place.folder} cannot be written to: ${describeFault(error)}`, {
      cause: error,
    })
  }
}
