// Puts inputs away: only in the version that was read, and never over something else.
// Whatever fails here leaves the input where it was, so that the next run can move it.
import { constants } from 'node:fs'
import { copyFile, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { faultCode } from '../fault.ts'
import {
  type ArchivePlace,
  makeFolder,
  reportingFailure,
  reserve,
  flushFolder,
  versionAt,
  writeWhole,
} from './place.ts'
import { giveBack, release, take, type Wanted } from './taking.ts'

/**
 * Moves a file if it still is the version wanted; false (and nothing moved) if not.
 * Throws ARCHIVE_FAILED when the folder cannot be written to.
 */
export async function moveVersion(wanted: Wanted, place: ArchivePlace): Promise<boolean> {
  return reportingFailure(place, async () => {
    if ((await versionAt(wanted.path)) !== wanted.version) return false
    await makeFolder(place.folder)
    // First, so that a folder that cannot be written to is noticed before the input is touched.
    const target = await reserve(place)
    const isMoved = await moveOnto(wanted, target, place).catch(async (error: unknown) => {
      await rm(target, { force: true })
      throw error
    })
    if (!isMoved) await rm(target, { force: true })
    await flushFolder(place.folder)
    await flushFolder(dirname(place.folder))
    return isMoved
  })
}

/**
 * Archives a file if it still is the version wanted, with another content than it has: that is safe on the disk before
 * the file is taken. false (and nothing is archived) if it is another version. Ended in between, both are there, and
 * the next run archives the file again.
 */
export async function moveRewritten(
  wanted: Wanted,
  place: ArchivePlace,
  content: AsyncIterable<Buffer>,
): Promise<boolean> {
  if ((await versionAt(wanted.path)) !== wanted.version) return false
  let taken: Buffer | undefined
  try {
    const isWritten = await writeWhole(
      place,
      undefined,
      async (file) => {
        // Not `write`: it may write a part, as on a disk that gets full, and report no error.
        for await (const part of content) await file.writeFile(part)
      },
      async () => {
        taken = await take(wanted, place)
        return taken !== undefined
      },
    )
    if (!isWritten || taken === undefined) return false
  } catch (error) {
    if (taken !== undefined) await giveBack(taken, wanted, place)
    throw error
  }
  const own = taken
  await reportingFailure(place, async () => {
    await rm(own)
    await release(own)
  })
  return true
}

async function moveOnto(wanted: Wanted, target: Buffer, place: ArchivePlace): Promise<boolean> {
  const taken = await take(wanted, place)
  if (taken === undefined) return false
  try {
    await rename(taken, target).catch(async (error: unknown) => {
      if (faultCode(error) !== 'EXDEV') throw error
      await copyAcross(taken, target)
    })
  } catch (error) {
    await giveBack(taken, wanted, place)
    throw error
  }
  await release(taken)
  return true
}

/** `processed` may be a mount or a link to another device. */
async function copyAcross(taken: Buffer, target: Buffer): Promise<void> {
  await copyFile(taken, target, constants.COPYFILE_FICLONE)
  const copy = await open(target, 'r+')
  await copy.sync().finally(() => copy.close())
  await rm(taken)
}
