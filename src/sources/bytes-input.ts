// Bytes in memory as an open input file: rows that were cut out of one, or what can be read only once, as a pipe.
import { createHash } from 'node:crypto'
import type { InputFile } from './input-file.ts'

const CHUNK_BYTES = 32 * 1024

export function bytesInput(
  content: Buffer,
  {
    name = 'file.csv',
    chunkBytes = CHUNK_BYTES,
  }: { readonly name?: string; readonly chunkBytes?: number } = {},
): InputFile {
  let furthest = 0
  return {
    name,
    version: 'v',
    bytes: content.length,
    readAt: async (buffer, position) => Promise.resolve(content.copy(buffer, 0, position)),
    async *chunks() {
      for (let at = 0; at < content.length; at += chunkBytes) {
        await Promise.resolve()
        furthest = Math.max(furthest, at + chunkBytes)
        yield Buffer.from(content.subarray(at, at + chunkBytes))
      }
    },
    bytesRead: () => Math.min(furthest, content.length),
    sha256: () => createHash('sha256').update(content).digest('hex'),
    assertUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
}
