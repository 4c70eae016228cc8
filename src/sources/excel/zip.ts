// The parts of a workbook, which is a ZIP archive: opened by their names, read as streams. What unpacks to far more than a
// workbook has, or is not what its own checksum says, is refused; nothing is written anywhere.
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { SyncError } from '../../core/words/errors.ts'
import type { InputFile } from '../input-file.ts'

const MOST_PARTS = 10_000
const MOST_BYTES = 2 * 1024 ** 3
/** A part that unpacks to more than this must not exceed MOST_RATIO times its packed size. */
const SMALL_BYTES = 16 * 1024 ** 2
const MOST_RATIO = 300
const PIECE_BYTES = 64 * 1024

export interface Workbook {
  readonly name: string
  readonly parts: readonly string[]
  has(part: string): boolean
  /** The unpacked bytes. Throws INPUT_EXCEL for a part that is missing, damaged or too large. */
  read(part: string): AsyncGenerator<Buffer>
  /** Packed bytes handed out so far. */
  bytesRead(): number
}

export const broken = (name: string, why: string): SyncError =>
  new SyncError('INPUT_EXCEL', `${name} is no whole Excel workbook: ${why}`)

/** Words of the library on what is wrong with an archive; they hold numbers and names of parts alone. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 120) : 'it cannot be unpacked'
}

function asRefusal(name: string, error: unknown): unknown {
  return error instanceof SyncError ? error : broken(name, reasonOf(error))
}

class FileAccess extends RandomAccessReader {
  readonly #file: InputFile
  bytes = 0
  constructor(file: InputFile) {
    super()
    this.#file = file
  }
  async *#range(start: number, end: number): AsyncGenerator<Buffer> {
    for (let position = start; position < end;) {
      const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - position))
      const count = await this.#file.readAt(buffer, position)
      if (count === 0) break
      position += count
      this.bytes += count
      yield buffer.subarray(0, count)
    }
  }
  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false })
  }
  // The file is closed by the code that opened it.
  override close(callback: (error: Error | null) => void): void {
    setImmediate(callback, null)
  }
}

async function entriesOf(zip: ZipFile, name: string): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    if (entries.size >= MOST_PARTS) throw broken(name, `it has more than ${MOST_PARTS} parts`)
    const part = entry.fileName.toLowerCase()
    if (entries.has(part)) throw broken(name, 'it has two parts of one name')
    if (entry.isEncrypted()) throw broken(name, 'its parts are encrypted')
    entries.set(part, entry)
  }
  return entries
}

const tooLarge = (name: string, part: string): SyncError =>
  broken(name, `its part ${part} unpacks to more bytes than are taken`)

async function* unpacked(zip: ZipFile, entry: Entry, name: string): AsyncGenerator<Buffer> {
  const most = Math.min(MOST_BYTES, Math.max(SMALL_BYTES, entry.compressedSize * MOST_RATIO))
  const shown = entry.fileName.slice(0, 80)
  if (entry.uncompressedSize > most) throw tooLarge(name, shown)
  let bytes = 0
  let sum = 0
  for await (const part of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > most) throw tooLarge(name, shown)
    sum = crc32(part, sum)
    yield part
  }
  if (sum !== entry.crc32) throw broken(name, `its part ${shown} is damaged`)
}

/** Throws INPUT_EXCEL for a file that is no whole ZIP archive. */
export async function openZip(file: InputFile): Promise<Workbook> {
  const access = new FileAccess(file)
  try {
    const zip = await fromRandomAccessReaderPromise(access, file.bytes, { autoClose: false })
    const entries = await entriesOf(zip, file.name)
    return {
      name: file.name,
      parts: [...entries.keys()],
      has: (part) => entries.has(part.toLowerCase()),
      async *read(part) {
        const entry = entries.get(part.toLowerCase())
        if (entry === undefined) throw broken(file.name, `it has no part ${part.slice(0, 80)}`)
        try {
          yield* unpacked(zip, entry, file.name)
        } catch (error) {
          throw asRefusal(file.name, error)
        }
      },
      bytesRead: () => access.bytes,
    }
  } catch (error) {
    throw asRefusal(file.name, error)
  }
}
