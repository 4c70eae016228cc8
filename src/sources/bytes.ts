// One cheap pass over a file's bytes before it is read: its hash, whether all of it is UTF-8, whether it is text at all.
// The encoding is decided here for the whole file, because a guess cannot be taken back in the middle of it.
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'

export interface ByteSurvey {
  readonly sha256: string
  readonly size: number
  readonly isUtf8: boolean
  /** Where UTF-8 first fails: byte offset and line, both of the file. */
  readonly brokenAt: { readonly offset: number; readonly line: number } | undefined
  /** The first bytes. */
  readonly head: Buffer
  /** A piece that holds bytes outside ASCII, for guessing at the encoding; the head where there are none. */
  readonly sample: Buffer
  /** Whether anything but white space was found. */
  readonly isBlank: boolean
}

const CHUNK = 256 * 1024
const HEAD = 64 * 1024

/** How many bytes at the end may be the beginning of a character that goes on in the next chunk. */
function openTail(chunk: Buffer): number {
  for (let back = 1; back <= Math.min(3, chunk.length); back += 1) {
    const byte = chunk[chunk.length - back] ?? 0
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0
    if (byte < 0x80) return 0
  }
  return 0
}

function firstBroken(chunk: Buffer): number {
  let low = 0
  let high = chunk.length
  // The longest prefix that is UTF-8, give or take a character that is cut by the probe.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const prefix = chunk.subarray(0, middle)
    if (isUtf8(prefix.subarray(0, prefix.length - openTail(prefix)))) low = middle
    else high = middle - 1
  }
  return Math.max(0, low - openTail(chunk.subarray(0, low)))
}

function countLines(chunk: Buffer): number {
  let lines = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1
  return lines
}

const isAscii = (chunk: Buffer): boolean => !chunk.some((byte) => byte >= 0x80)
const isSpace = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0

/** Chunks of a file from its start; each is valid until the next is asked for. */
export async function* fileChunks(handle: FileHandle, size = CHUNK): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(size)
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, size, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

export async function surveyBytes(handle: FileHandle): Promise<ByteSurvey> {
  const hash = createHash('sha256')
  let size = 0
  let line = 1
  let carry: Buffer = Buffer.alloc(0)
  let brokenAt: ByteSurvey['brokenAt']
  let head: Buffer | undefined
  let sample: Buffer | undefined
  let isBlank = true
  for await (const chunk of fileChunks(handle)) {
    hash.update(chunk)
    head ??= Buffer.from(chunk.subarray(0, HEAD))
    if (isBlank) isBlank = chunk.every(isSpace)
    if (brokenAt === undefined) {
      const joined = carry.length === 0 ? chunk : Buffer.concat([carry, chunk])
      const whole = joined.subarray(0, joined.length - openTail(joined))
      if (!isUtf8(whole)) {
        const broken = firstBroken(whole)
        brokenAt = {
          offset: size - carry.length + broken,
          line: line + countLines(whole.subarray(0, broken)),
        }
      }
      line += countLines(whole)
      carry = Buffer.from(joined.subarray(whole.length))
    }
    if (sample === undefined && !isAscii(chunk)) sample = Buffer.from(chunk)
    size += chunk.length
  }
  if (brokenAt === undefined && carry.length > 0) brokenAt = { offset: size - carry.length, line }
  const bytes = head ?? Buffer.alloc(0)
  return {
    sha256: hash.digest('hex'),
    size,
    isUtf8: brokenAt === undefined,
    brokenAt,
    head: bytes,
    sample: sample ?? bytes,
    isBlank,
  }
}
