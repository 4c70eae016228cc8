// Takes what names a person out of the log's files. Nothing personal belongs there; names of files may bring it.
import { lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Which files were changed. Throws what the file system says. */
export async function eraseInLogs(
  folder: string,
  redacted: (text: string) => string,
): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => [])
  const changed: string[] = []
  for (const name of names) {
    const path = join(folder, name)
    const stats = await lstat(path)
    if (!stats.isFile()) continue
    const text = await readFile(path, 'utf8')
    // A full name counts within a line only.
    const without = text.split('\n').map(redacted).join('\n')
    if (without === text) continue
    const part = `${path}.part`
    try {
      await writeFile(part, without, { mode: stats.mode & 0o777, flush: true })
      await rename(part, path)
    } finally {
      await rm(part, { force: true })
    }
    changed.push(name)
  }
  return changed
}
