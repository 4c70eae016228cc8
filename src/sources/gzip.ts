// Files that are packed with gzip (`.csv.gz`): read as what they hold. The whole is unpacked once before anything is read, so
// that a file that was cut off is refused as a whole, and its size is known. The digest is that of the packed bytes.
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { SyncError } from '../core/words/errors.ts'
import { closingOnFailure, type InputFile } from './input-file.ts'
import { looksBinary } from './text/binary.ts'

const PACKED = /\.gz$/i
const HEAD_BYTES = 256 * 1024
const MOST_BYTES = 16 * 1024 ** 3
/** Content that unpacks to more than this must not exceed MOST_RATIO times its packed size. */
const SMALL_BYTES = 64 * 1024 ** 2
const MOST_RATIO = 200

/** For patterns: each, and the same packed. */
export const orPacked = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => [pattern, `${pattern}.gz`])

export const isPacked = (name: string): boolean => PACKED.test(name)

/** Unpacks as a stream. Stopping early closes both ends. `done` is told how many packed bytes that took. */
export async function* unpacked(
  parts: AsyncIterable<Buffer>,
  done?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const gunzip = createGunzip()
  // A failure of either end is thrown by the loop.
  const fed = pipeline(Readable.from(parts, { objectMode: false }), gunzip).catch(() => undefined)
  yield* gunzip as AsyncIterable<Buffer>
  await fed
  done?.(gunzip.bytesWritten)
}

export async function* packed(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gzip = createGzip()
  const fed = pipeline(Readable.from(parts, { objectMode: false }), gzip).catch(() => undefined)
  yield* gzip as AsyncIterable<Buffer>
  await fed
}

/** In order, without counting as read. */
async function* bytesOf(file: InputFile, from = 0): AsyncGenerator<Buffer> {
  for (let position = from; position < file.bytes;) {
    const buffer = Buffer.allocUnsafe(Math.min(HEAD_BYTES, file.bytes - position))
    const count = await file.readAt(buffer, position)
    if (count === 0) return
    position += count
    yield buffer.subarray(0, count)
  }
}

function refusal({ name }: InputFile, error: unknown, head: Buffer): unknown {
  if (error instanceof SyncError) return error
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'Z_BUF_ERROR')
    return new SyncError('INPUT_GZIP', `${name} ends within its packed bytes: it was cut off`)
  if (head.toString('latin1', 0, 2) === '\x1f\x8b') return new SyncError('INPUT_GZIP', `${name} is damaged`)
  const what = looksBinary(head)
  return new SyncError(
    'INPUT_GZIP',
    `${name} is not packed with gzip${what === undefined ? '' : `: it looks like ${what}`}`,
  )
}

/** Zeros fill up blocks; what stands behind them would not be unpacked. Throws INPUT_GZIP. */
async function assertPadding(file: InputFile, from: number): Promise<void> {
  for await (const part of bytesOf(file, from))
    if (part.some((byte) => byte !== 0))
      throw new SyncError(
        'INPUT_GZIP',
        `${file.name} has more behind the end of its packed bytes (byte ${from})`,
      )
}

/** How many bytes it holds, and the first of them. Throws INPUT_EMPTY and INPUT_GZIP. */
async function survey(file: InputFile): Promise<{ bytes: number; head: Buffer }> {
  const start = Buffer.alloc(16)
  const count = await file.readAt(start, 0)
  if (file.bytes <= start.length && start.toString('utf8', 0, count).replaceAll(/[\s\ufeff]/g, '') === '')
    throw new SyncError('INPUT_EMPTY', `${file.name} is empty`)
  const most = Math.min(MOST_BYTES, Math.max(SMALL_BYTES, file.bytes * MOST_RATIO))
  const first: Buffer[] = []
  let bytes = 0
  let end = 0
  try {
    for await (const part of unpacked(bytesOf(file), (packed) => (end = packed))) {
      if (bytes < HEAD_BYTES) first.push(part)
      bytes += part.length
      if (bytes > most)
        throw new SyncError('INPUT_GZIP', `${file.name} unpacks to more bytes than are taken (${most})`)
    }
    await assertPadding(file, end)
  } catch (error) {
    throw refusal(file, error, start)
  }
  return { bytes, head: Buffer.concat(first) }
}

/** Bytes at a position, where most positions follow the one before. */
function createReading(file: InputFile) {
  let parts = unpacked(bytesOf(file))
  let at = 0
  let part: Buffer = Buffer.alloc(0)
  const next = async (): Promise<boolean> => {
    const found = await parts.next()
    if (found.done === true) return false
    at += part.length
    part = found.value
    return true
  }
  const close = async (): Promise<void> => {
    await parts.return(undefined)
  }
  return {
    close,
    async readAt(buffer: Buffer, position: number): Promise<number> {
      if (position < at) {
        await close()
        parts = unpacked(bytesOf(file))
        at = 0
        part = Buffer.alloc(0)
      }
      let count = 0
      while (count < buffer.length) {
        const offset = position + count - at
        if (offset < part.length) count += part.copy(buffer, count, offset)
        else if (!(await next())) break
      }
      return count
    },
  }
}

function unpackedFile(file: InputFile, { bytes, head }: { bytes: number; head: Buffer }): InputFile {
  const reading = createReading(file)
  return {
    name: file.name,
    version: file.version,
    bytes,
    async readAt(buffer, position) {
      if (position + buffer.length <= head.length)
        return head.copy(buffer, 0, position, position + buffer.length)
      return reading.readAt(buffer, position)
    },
    async *chunks() {
      const inner = file.chunks()
      yield* unpacked(inner)
      // What stands behind the packed bytes is of the file, too.
      for await (const _ of inner);
    },
    bytesRead: () => file.bytesRead(),
    sha256: () => file.sha256(),
    assertUnchanged: () => file.assertUnchanged(),
    async close() {
      await reading.close()
      await file.close()
    },
  }
}

/** The contents of a packed file; any other file unchanged. Closes the file when that fails. Throws INPUT_EMPTY and INPUT_GZIP. */
export async function openPacked(file: InputFile): Promise<InputFile> {
  if (!isPacked(file.name)) return file
  return closingOnFailure(file, async () => unpackedFile(file, await survey(file)))
}
