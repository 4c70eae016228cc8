// What erasing persons from a file needs, whatever the kind of its source: which file it is, what was found, and the
// replacement of the file as a whole. How records lie in a file, its kind knows (`SourceKind.find`).
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import type { SourceInput } from '../../core/ports.ts'
import { isPacked, openPacked, unpacked } from '../gzip.ts'
import { type InputFile, openInputFile } from '../input-file.ts'

export interface StoredFile {
  readonly path: Buffer
  readonly name: string
  readonly input: SourceInput
  readonly mode: number
}

export interface Found {
  /** How many records, or lines, are theirs. */
  readonly records: number
  /** Lines with another person of the same name, telephone or the like: they stay. */
  readonly uncertain: readonly number[]
  /** The file without what is theirs. May be asked for once. */
  content(): AsyncIterable<Buffer>
}

/** What it holds, packed or not. Throws what `openInputFile` and `openPacked` throw. */
export const openStored = async ({ path, input }: StoredFile): Promise<InputFile> =>
  openPacked(await openInputFile(path, input))

/** The bytes of what it holds, packed or not. */
export function storedBytes({ path, name }: StoredFile): AsyncIterable<Buffer> {
  const bytes = createReadStream(path) as AsyncIterable<Buffer>
  return isPacked(name) ? unpacked(bytes) : bytes
}

export const ERASING = '.erasing'

/** The new content under the old name, whole or not at all. */
export async function replaceContent(
  { path, mode }: StoredFile,
  parts: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const part = Buffer.concat([path, Buffer.from(ERASING)])
  let file: FileHandle | undefined
  try {
    file = await open(part, 'w', mode)
    // Not `write`: it may write a part, as on a disk that gets full, and report no error.
    for await (const some of parts) await file.writeFile(some)
    await file.sync()
    await file.close()
    await rename(part, path)
  } catch (error) {
    await file?.close().catch(() => undefined)
    await rm(part, { force: true })
    throw error
  }
}
