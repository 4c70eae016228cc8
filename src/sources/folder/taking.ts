// Takes an input out of the drop folder, so that what is archived is what was read. A name may be given to another file at
// any moment: so the file is first moved to where no other program writes, and checked there. Another one is moved back, never
// over a newer one of its name. What a killed run has taken is moved back by the next.
import { link, lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { faultCode } from '../fault.ts'
import { digestOf } from './digest.ts'
import { displayName, entryPath, nameBefore } from '../file-name.ts'
import { withoutChangeTime } from '../input-file.ts'
import { removeLeftoverFiles } from './leftovers.ts'
import { type ArchivePlace, makeFolder, reserve, reserveName, versionAt, writeWhole } from './place.ts'

export interface Wanted {
  readonly path: Buffer
  readonly version: string
  /** SHA-256 of what was read; undefined where it was not read to its end. */
  readonly sha256: string | undefined
  /** Whether a file of that name would be taken from the drop folder. */
  isInput(name: string): boolean
}

/** A folder of our own in the drop folder for each file that is taken. Hidden, so that no pattern takes it. */
const TAKEN = '.taken.'

export const REPLACED =
  'This file was replaced by a newer one with its name before it was read. If its content is needed, drop it again under another name.'

const folderOf = (taken: Buffer): string => dirname(taken.toString())

async function ownFolder(inbox: string, runId: string): Promise<string> {
  for (let turn = 1; ; turn += 1) {
    const path = join(inbox, `${TAKEN}${turn === 1 ? runId : `${runId}-${turn}`}`)
    try {
      await mkdir(path, { mode: 0o700 })
      return path
    } catch (error) {
      if (faultCode(error) !== 'EEXIST') throw error
    }
  }
}

/** Where the file lies now, if it is what was wanted; undefined where it is not: then whatever is there stays. */
export async function take(wanted: Wanted, place: ArchivePlace): Promise<Buffer | undefined> {
  const before = await versionAt(wanted.path)
  if (before !== wanted.version) return undefined
  const taken = entryPath(await ownFolder(dirname(place.folder), place.runId), place.raw)
  try {
    await rename(wanted.path, taken)
  } catch (error) {
    await release(taken)
    if (faultCode(error) === 'ENOENT') return undefined
    throw error
  }
  const isSame = await isWhatWasRead(taken, wanted).catch(async (error: unknown) => {
    await giveBack(taken, wanted, place)
    throw error
  })
  if (isSame) return taken
  await giveBack(taken, wanted, place)
  return undefined
}

/** The move itself changes the time of change: after it, the content has to tell. */
async function isWhatWasRead(taken: Buffer, { version, sha256 }: Wanted): Promise<boolean> {
  const here = await versionAt(taken)
  if (withoutChangeTime(here) !== withoutChangeTime(version)) return false
  if (sha256 === undefined) return true
  // A program that has it open may still write to it.
  return (await digestOf(taken)) === sha256 && (await versionAt(taken)) === here
}

/** Removes the folder of what has been taken, once that has left it. */
export async function release(taken: Buffer): Promise<void> {
  await rmdir(folderOf(taken)).catch((error: unknown) => {
    if (faultCode(error) === undefined) throw error
  })
}

/**
 * Puts a file back under its name. Where a newer one has that, it gets a name that is read before it; where no such name
 * fits the patterns, it goes to `failed` with the reason.
 */
export async function giveBack(
  taken: Buffer,
  { path, isInput }: Pick<Wanted, 'path' | 'isInput'>,
  place: ArchivePlace,
): Promise<void> {
  if (!(await isPutBack(taken, path))) {
    const inbox = dirname(place.folder)
    const names = (tag: string): Buffer => nameBefore(place.raw, tag)
    const name = displayName(names(place.runId))
    if (isInput(name) && name < displayName(place.raw))
      await rename(taken, await reserveName(inbox, place.runId, names))
    else {
      const failed = { ...place, folder: join(inbox, 'failed') }
      await makeFolder(failed.folder)
      await rename(taken, await reserve(failed))
      await writeWhole(failed, '.reason.txt', (file) => file.writeFile(`${REPLACED}\n`))
    }
  }
  await release(taken)
}

async function isPutBack(taken: Buffer, path: Buffer): Promise<boolean> {
  try {
    if ((await lstat(taken)).isDirectory()) {
      await rename(taken, path)
      return true
    }
    // Unlike a rename, a link never replaces what has the name by now.
    await link(taken, path)
  } catch (error) {
    if (faultCode(error) === undefined) throw error
    // The name is taken, maybe by the file itself, or the file system has no links.
    const here = await versionAt(taken)
    if (here === undefined || (await versionAt(path)) !== here) return false
  }
  await rm(taken)
  return true
}

/** Moves back what killed runs had taken. A folder that cannot be read has nothing of them. */
export async function giveBackTaken(inbox: string, isInput: Wanted['isInput']): Promise<void> {
  const folders = await readdir(inbox).catch((error: unknown) => {
    if (faultCode(error) === undefined) throw error
    return []
  })
  for (const folder of folders.filter((name) => name.startsWith(TAKEN))) {
    const own = join(inbox, folder)
    for (const raw of await namesIn(own)) {
      if (!isInput(displayName(raw))) continue
      const place = { folder: join(inbox, 'failed'), raw, runId: folder.slice(TAKEN.length) }
      const wanted = { path: entryPath(inbox, raw), isInput }
      for (const beside of ['processed', 'failed'])
        await removeLeftoverFiles({ ...place, folder: join(inbox, beside) })
      await giveBack(entryPath(own, raw), wanted, place).catch((error: unknown) => {
        if (faultCode(error) === undefined) throw error
      })
    }
    // Empty where the run ended before it took anything.
    await release(entryPath(own, Buffer.from('.')))
  }
}

async function namesIn(folder: string): Promise<Buffer[]> {
  return readdir(folder, { encoding: 'buffer' }).catch((error: unknown) => {
    if (faultCode(error) === undefined) throw error
    return []
  })
}
