// What erasing a person from an archived file needs, whatever the kind of its source: whose records they are, and the
// replacement of the file as a whole. How records lie in a file, its kind knows (`SourceKind.erase`).
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { SourceInput } from '../core/ports.ts'

/** Whose records they are. */
export interface Theirs {
  /** What the mapping reads: the header of a source that has none of its own. */
  readonly columns: readonly string[]
  isTheirs(header: readonly string[], values: readonly string[]): boolean
  /** Whether a text names the person, wherever that may be. */
  isNamed(text: string): boolean
  /** The text without what names the person. */
  redacted(text: string): string
}

/** A file in `processed` or `failed`. */
export interface ArchivedFile {
  readonly path: string
  readonly name: string
  readonly input: SourceInput
  readonly mode: number
}

export const ERASING = '.erasing'

/** The new content under the old name, whole or not at all. */
export async function replaceContent(
  { path, mode }: ArchivedFile,
  parts: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const part = `${path}${ERASING}`
  let file: FileHandle | undefined
  try {
    file = await open(part, 'w', mode)
    for await (const some of parts) await file.write(some)
    await file.sync()
    await file.close()
    await rename(part, path)
  } catch (error) {
    await file?.close().catch(() => undefined)
    await rm(part, { force: true })
    throw error
  }
}
