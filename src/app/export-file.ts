// A file that an operator asked for, with personal data in it: written beside its place under a name that no other file can have
// prepared, and put there whole. What was there is replaced, never written through, and its rights are not taken over.
import { randomBytes } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { SyncError } from '../core/words/errors.ts'

const cannotBeWritten = (path: string, error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  if (code === undefined || error instanceof SyncError) return error
  return new SyncError('USAGE', `${path} cannot be written (${code})`, {
    hint: 'Name a file in an existing folder that this user can write to.',
    cause: error,
  })
}

/** A folder is there, too, and the rename says so. */
const isReplaceable = (path: string): boolean => {
  const there = lstatSync(path)
  return there.isFile() || there.isSymbolicLink() || there.isDirectory()
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/**
 * Has the file written by `write`, which is given the name to write to. Only its owner may read it. Throws USAGE where it
 * cannot be written. A pipe or a device (/dev/stdout) is written to directly.
 */
export async function writeExport(
  path: string,
  write: (file: string) => Promise<void>,
): Promise<{ readonly replaced: boolean }> {
  let part: string | undefined
  try {
    const replaced = isThere(path)
    if (replaced && !isReplaceable(path)) {
      await write(path)
      return { replaced: false }
    }
    // The source takes no file of such a name, should it lie in an inbox.
    const name = `${path}.${randomBytes(6).toString('hex')}.part`
    await (await open(name, 'wx', 0o600)).close()
    part = name
    await write(part)
    await rename(part, path)
    return { replaced }
  } catch (error) {
    if (part !== undefined) await rm(part, { force: true })
    throw cannotBeWritten(path, error)
  }
}
