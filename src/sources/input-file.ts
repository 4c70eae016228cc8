// One regular file, opened in exactly the version that was listed. It is read as bytes, never written;
// whether those bytes are still the file's is asked again at the end.
import { createHash } from 'node:crypto'
import { constants, type BigIntStats } from 'node:fs'
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { SyncError, unlessOfLimit } from '../core/words/errors.ts'
import type { SourceInput } from '../core/ports.ts'
import { describeFault, faultCode, mayPass } from './fault.ts'

// Small, so that what is read of it dies young: with larger pieces the heap grows and its collection costs more.
const CHUNK_BYTES = 32 * 1024

export interface InputFile {
  readonly name: string
  readonly version: string
  readonly bytes: number
  /** Fills the buffer from a position; how many bytes there were. */
  readAt(buffer: Buffer, position: number): Promise<number>
  /** The whole file in order, each part in a separate buffer. May be called again: it starts over. */
  chunks(chunkBytes?: number): AsyncGenerator<Buffer>
  /** The furthest that `chunks` has come. */
  bytesRead(): number
  /** SHA-256 of the bytes that the last whole pass of `chunks` gave out, hexadecimal. */
  sha256(): string
  /** Throws INPUT_CHANGED unless the open file and its path are both still the listed version. */
  assertUnchanged(): Promise<void>
  close(): Promise<void>
}

/** What tells one content of a file from another without reading it. */
export function fileVersion(stats: BigIntStats): string {
  // The change time last: a program that writes can set the modification time, and cannot set this one.
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(':')
}

/** A version without the time of change: a move sets that one, too, and leaves the content. */
export const withoutChangeTime = (version: string | undefined): string | undefined =>
  version?.slice(0, version.lastIndexOf(':'))

/** Opens the file behind a listed input. Throws INPUT_CHANGED, INPUT_NOT_A_FILE, INPUT_IO or INPUT_UNREADABLE. */
export async function openInputFile(path: Buffer, input: SourceInput): Promise<InputFile> {
  const handle = await openRegular(path, input.name)
  const file = inputFile(handle, path, input)
  try {
    const stats = await statOf(handle, input.name)
    if (!stats.isFile()) throw notAFile(input.name)
    if (fileVersion(stats) !== input.version) throw changed(input.name)
  } catch (error) {
    await handle.close()
    throw error
  }
  return file
}

/** Timers, signals and connections wait for one part at most, however many were read at once. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Hands on what reading a file gives, one part in each turn of the event loop, and says INPUT_CHANGED instead of whatever a
 * changed file leads to.
 */
export async function* checkedWhole<T>(file: InputFile, parts: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    for await (const part of parts) {
      yield part
      await nextTurn()
    }
  } catch (error) {
    await file.assertUnchanged()
    throw error
  }
  await file.assertUnchanged()
}

/** Does something with a freshly opened file, and closes it when that fails. */
export async function closingOnFailure<T>(file: InputFile, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await file.assertUnchanged().finally(() => file.close())
    throw error
  }
}

// O_NOFOLLOW: a link may point anywhere. O_NONBLOCK: a pipe put in the file's place must not hang us.
async function openRegular(path: Buffer, name: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = faultCode(error)
    if (code === 'ENOENT') throw changed(name)
    if (code === 'ELOOP' || code === 'ENXIO') throw notAFile(name)
    throw unreadable(name, error)
  }
}

function inputFile(handle: FileHandle, path: Buffer, input: SourceInput): InputFile {
  let furthest = 0
  let digest: string | undefined
  const readAt = async (buffer: Buffer, position: number): Promise<number> => {
    try {
      return (await handle.read(buffer, 0, buffer.length, position)).bytesRead
    } catch (error) {
      throw unreadable(input.name, error)
    }
  }
  return {
    name: input.name,
    version: input.version,
    bytes: input.bytes,
    readAt,
    async *chunks(chunkBytes = CHUNK_BYTES) {
      const hash = createHash('sha256')
      // Never past the listed size: a file that keeps growing would never end.
      for (let position = 0; position < input.bytes;) {
        const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, input.bytes - position))
        const count = await readAt(buffer, position)
        if (count === 0) break
        const part = buffer.subarray(0, count)
        hash.update(part)
        position += count
        furthest = Math.max(furthest, position)
        yield part
      }
      digest = hash.digest('hex')
    },
    bytesRead: () => furthest,
    sha256() {
      if (digest === undefined) throw new Error('the digest is known only after the whole input was read')
      return digest
    },
    async assertUnchanged() {
      const now = await Promise.all([statOf(handle, input.name), statOrGone(path, input.name)])
      if (now.some((stats) => stats === undefined || fileVersion(stats) !== input.version)) {
        throw changed(input.name)
      }
    },
    close: () => handle.close(),
  }
}

async function statOf(handle: FileHandle, name: string): Promise<BigIntStats> {
  return handle.stat({ bigint: true }).catch((error: unknown) => {
    throw unreadable(name, error)
  })
}

/** A failure of disk or share says nothing about the file: taken for a change, newer files would go before it. */
async function statOrGone(path: Buffer, name: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch((error: unknown) => {
    if (mayPass(error)) throw unreadable(name, error)
    return undefined
  })
}

function changed(name: string): SyncError {
  return new SyncError('INPUT_CHANGED', `${name} was changed or moved while it was being read`)
}

function notAFile(name: string): SyncError {
  return new SyncError('INPUT_NOT_A_FILE', `${name} is not a regular file`)
}

function unreadable(name: string, cause: unknown): unknown {
  const limit = unlessOfLimit(cause)
  // Neither is a fault of the file, which would be put away as one that cannot be taken.
  if (limit !== cause) return limit
  const code = mayPass(cause) ? 'INPUT_IO' : 'INPUT_UNREADABLE'
  return new SyncError(code, `${name} cannot be read: ${describeFault(cause)}`, { cause })
}
