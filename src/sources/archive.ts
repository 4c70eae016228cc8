// Puts things away beside the drop folder's inputs: whole or not at all, and never over something else.
// Whatever fails here leaves the input where it was, so that the next run can move it.
import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SyncError } from '../core/errors.ts'
import { describeFault, faultCode } from './fault.ts'
import { archivedName, entryPath, WRITING } from './file-name.ts'
import { fileVersion } from './input-file.ts'

/** Where something of an input goes: `<stem>.<runId><ending>` in a folder. */
export interface ArchivePlace {
  readonly folder: string
  /** The input's own name, as bytes. */
  readonly raw: Buffer
  readonly runId: string
}

/**
 * Moves a file if it still is the version given; false (and nothing moved) if not.
 * Throws ARCHIVE_FAILED when the folder cannot be written to.
 */
export async function moveVersion(path: Buffer, version: string, place: ArchivePlace): Promise<boolean> {
  return reportingFailure(place, async () => {
    if ((await versionAt(path)) !== version) return false
    await makeFolder(place.folder)
    const target = await reserve(place)
    const moved = await moveOnto(path, target, version).catch(async (error: unknown) => {
      await rm(target, { force: true })
      throw error
    })
    await syncFolder(place.folder)
    await syncFolder(dirname(place.folder))
    return moved
  })
}

/**
 * Archives a file if it still is the version given, with another content than it has: that is safe under its name before
 * the file is removed. false (and nothing is archived) if it is another version. Ended in between, both are there, and
 * the next run archives the file again.
 */
export async function moveRewritten(
  path: Buffer,
  version: string,
  place: ArchivePlace,
  content: AsyncIterable<Buffer>,
): Promise<boolean> {
  if ((await versionAt(path)) !== version) return false
  const isWritten = await writeWhole(
    place,
    undefined,
    async (file) => {
      for await (const part of content) await file.write(part)
    },
    async () => (await versionAt(path)) === version,
  )
  if (isWritten) await reportingFailure(place, () => rm(path))
  return isWritten
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
      await rename(temporary, target)
    } finally {
      await rm(temporary, { force: true })
    }
    await syncFolder(place.folder)
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

/** Takes the first free name by creating it empty: a rename onto it can then overwrite nobody else's file. */
async function reserve(place: ArchivePlace, ending?: string): Promise<Buffer> {
  for (let turn = 1; ; turn += 1) {
    const tag = turn === 1 ? place.runId : `${place.runId}-${turn}`
    const path = entryPath(place.folder, archivedName(place.raw, tag, ending))
    try {
      await (await open(path, 'wx', 0o640)).close()
      return path
    } catch (error) {
      if (faultCode(error) !== 'EEXIST') throw error
    }
  }
}

async function moveOnto(path: Buffer, target: Buffer, version: string): Promise<boolean> {
  try {
    await rename(path, target)
  } catch (error) {
    if (faultCode(error) === 'ENOENT') {
      await rm(target, { force: true })
      return false
    }
    if (faultCode(error) !== 'EXDEV') throw error
    return copyAcross(path, target, version)
  }
  if ((await versionAt(target)) === version) return true
  // Another version came between the look and the move: it goes back to wait for its turn.
  if ((await versionAt(path)) === undefined) await rename(target, path)
  return false
}

/** `processed` may be a mount or a link to another device. */
async function copyAcross(path: Buffer, target: Buffer, version: string): Promise<boolean> {
  await copyFile(path, target, constants.COPYFILE_FICLONE)
  const copy = await open(target, 'r+')
  await copy.sync().finally(() => copy.close())
  if ((await versionAt(path)) === version) {
    await rm(path)
    return true
  }
  await rm(target)
  return false
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

async function makeFolder(folder: string): Promise<void> {
  try {
    // Not recursive: a drop folder that has gone must not come back as an empty one.
    await mkdir(folder, { mode: 0o750 })
  } catch (error) {
    if (faultCode(error) !== 'EEXIST') throw error
  }
}

/** Some systems cannot flush a folder; the files' own flushes still hold there. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

async function reportingFailure<T>(place: ArchivePlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (faultCode(error) === undefined) throw error
    throw new SyncError('ARCHIVE_FAILED', `${place.folder} cannot be written to: ${describeFault(error)}`, {
      cause: error,
    })
  }
}
