// Takes what names a person out of the log's files. Nothing personal belongs there; names of files may bring it.
import { lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Whether it was changed. */
async function eraseInLog(path: string, redacted: (text: string) => string): Promise<boolean> {
  const stats = await lstat(path)
  if (!stats.isFile()) return false
  const text = await readFile(path, 'utf8')
  // A full name counts within a line only.
  const without = text.split('\n').map(redacted).join('\n')
  if (without === text) return false
  const part = `${path}.part`
  try {
    await writeFile(part, without, { mode: stats.mode & 0o777, flush: true })
    await rename(part, path)
  } finally {
    await rm(part, { force: true })
  }
  return true
}

/**
 * Which files were changed. Calls `left` with what the file system says of each that cannot be read or written, and without a
 * name where the folder cannot be read; one that is not there has none.
 */
export async function eraseInLogs(
  folder: string,
  redacted: (text: string) => string,
  left: (error: unknown, name?: string) => void,
): Promise<readonly string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) left(error)
    return []
  })
  const changed: string[] = []
  for (const name of names)
    try {
      if (await eraseInLog(join(folder, name), redacted)) changed.push(name)
    } catch (error) {
      left(error, name)
    }
  return changed
}
