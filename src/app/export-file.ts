// A file that an operator asked for, with personal data in it: written beside its place under a name that no other file can have
// prepared, and put there whole. What was there is replaced, never written through, and its rights are not taken over. A
// link leads to its target, unless another user made it.
import { randomBytes } from 'node:crypto'
import { lstatSync, readlinkSync, realpathSync, statSync, type Stats } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SyncError } from '../core/words/errors.ts'
import { systemUserId } from '../system.ts'

const cannotBeWritten = (path: string, error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (code === undefined || error instanceof SyncError) return error
  return new SyncError('USAGE', `${path} cannot be written (${code})`, {
    hint: 'Name a file in an existing folder that this user can write to.',
    cause: error,
  })
}

/** Root's links are those of the system, as /dev/stdout is. */
const isTrusted = (uid: number): boolean => uid === 0 || (systemUserId() ?? uid) === uid

/** The file to write: what a link leads to, or the link itself where another user may have prepared it. */
function targetOf(path: string): string {
  const there = lstatSync(path, { throwIfNoEntry: false })
  return there?.isSymbolicLink() === true && isTrusted(there.uid) && isReplaceable(statSync(path))
    ? realpathSync(path)
    : path
}

/** A folder is there, too, and the rename says so. */
const isReplaceable = (there: Stats): boolean =>
  there.isFile() || there.isSymbolicLink() || there.isDirectory()

/** A pipe, a device, or a link to one. */
function isWrittenInto(path: string, there: Stats): boolean {
  if (!there.isSymbolicLink()) return !isReplaceable(there)
  return isTrusted(there.uid) && !isReplaceable(statSync(path))
}

/** Standard output, redirected by `>>` to a file that would be replaced. */
function assertNotAppendedTo(path: string, there: Stats): void {
  if (!there.isSymbolicLink()) return
  const isOpenFile = [readlinkSync(path), realpathSync(dirname(path))].some((one) => one.startsWith('/proc/'))
  if (!isOpenFile) return
  const target = statSync(path)
  if (target.isFile() && target.size > 0)
    throw new SyncError('USAGE', `${path} leads to a file with content, ${realpathSync(path)}`, {
      hint: 'It would be replaced, not appended to. Name a new file, or use a pipe: ... - | cat >> FILE.',
    })
}

/**
 * Has the file written by `write`, which is given the name to write to. Only its owner may read it. Throws USAGE where it
 * cannot be written. A pipe or a device (/dev/stdout), or what a link to one leads to, is written to directly.
 */
export async function writeExport(
  path: string,
  write: (file: string) => Promise<void>,
): Promise<{ readonly replaced: boolean }> {
  let part: string | undefined
  try {
    const there = lstatSync(path, { throwIfNoEntry: false })
    if (there !== undefined) assertNotAppendedTo(path, there)
    if (there !== undefined && isWrittenInto(path, there)) {
      await write(path)
      return { replaced: false }
    }
    const target = targetOf(path)
    // The source takes no file of such a name, should it lie in an inbox.
    const name = `${target}.${randomBytes(6).toString('hex')}.part`
    await (await open(name, 'wx', 0o600)).close()
    part = name
    await write(part)
    await rename(part, target)
    return { replaced: there !== undefined }
  } catch (error) {
    if (part !== undefined) await rm(part, { force: true })
    throw cannotBeWritten(path, error)
  }
}
