// Moves a file out of the inbox, under its name with the run's id, and never over another one.
import { constants } from 'node:fs'
import { copyFile, link, mkdir, open, rename, unlink, writeFile } from 'node:fs/promises'
import { SyncError } from '../core/errors.ts'
import type { SourceInput } from '../core/ports.ts'
import type { DropFolder } from './drop-folder.ts'
import { archivedName } from './names.ts'

export interface ArchiveTarget {
  readonly folder: 'processed' | 'failed'
  readonly runId: string
}

const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const inFolder = (folder: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${folder}/`), name])

/** `link` fails where the name is taken, `rename` would write over it. */
async function moveInto(from: Buffer, to: Buffer): Promise<boolean> {
  try {
    await link(from, to)
    await unlink(from)
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST') return false
    if (!['EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'ENOSYS'].includes(code)) throw error
  }
  // A file system without hard links, or another one: copy, make sure of it, then remove.
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
  const copy = await open(to, 'r+')
  await copy.sync()
  await copy.close()
  await unlink(from)
  return true
}

export function createArchive(dropFolder: DropFolder, folder: string) {
  const rawName = async (input: SourceInput): Promise<Buffer> => {
    const path = await dropFolder.pathOf(input.name)
    return path.subarray(path.lastIndexOf('/') + 1)
  }
  const target = async (to: ArchiveTarget): Promise<string> => {
    const path = `${folder}/${to.folder}`
    await mkdir(path, { recursive: true })
    return path
  }
  return {
    /** False when another version has taken the file's place: then that one stays. */
    async archive(input: SourceInput, to: ArchiveTarget & { reason?: string }): Promise<boolean> {
      if (!(await dropFolder.isWaiting(input))) return false
      const raw = await rawName(input)
      try {
        const into = await target(to)
        for (let count = 1; ; count += 1)
          if (
            await moveInto(
              await dropFolder.pathOf(input.name),
              inFolder(into, archivedName(raw, to.runId, undefined, count)),
            )
          )
            break
        if (to.reason !== undefined)
          await writeFile(inFolder(into, archivedName(raw, to.runId, '.reason.txt', 1)), to.reason)
        await syncFolder(into)
        await syncFolder(folder)
        return true
      } catch (error) {
        throw new SyncError(
          'INPUT_UNREADABLE',
          `${input.name} cannot be moved to ${to.folder}/ (${errorCode(error)})`,
          { cause: error },
        )
      }
    },
    /** Writes a file beside the archived one: under another name first, so that it is there whole or not at all. */
    async writeBeside(
      input: SourceInput,
      to: ArchiveTarget,
      ending: string,
      write: (path: Buffer) => Promise<void>,
    ): Promise<void> {
      const into = await target(to)
      const path = inFolder(into, archivedName(await rawName(input), to.runId, ending, 1))
      const unfinished = Buffer.concat([
        path.subarray(0, path.lastIndexOf('/') + 1),
        Buffer.from(`.${to.runId}${ending}.tmp`),
      ])
      await write(unfinished)
      await rename(unfinished, path)
      await syncFolder(into)
    },
  }
}
