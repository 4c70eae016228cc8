// Writes a ZIP archive, part by part. Of each part only the packed bytes are in memory.
import { constants, crc32, createDeflateRaw } from 'node:zlib'

export interface ZipPart {
  readonly name: string
  readonly content: AsyncIterable<string> | Iterable<string>
}

interface Packed {
  readonly name: Buffer
  readonly data: Buffer
  readonly bytes: number
  readonly sum: number
}

const VERSION = 20
/** Names are UTF-8. */
const FLAGS = 0x0800
const DEFLATED = 8
/** The first of January 1980: the same content gives the same bytes. */
const DATE = 0x21

async function packed({ name, content }: ZipPart): Promise<Packed> {
  const deflate = createDeflateRaw({ level: constants.Z_DEFAULT_COMPRESSION })
  const parts: Buffer[] = []
  deflate.on('data', (part: Buffer) => parts.push(part))
  const ended = new Promise((resolve, reject) => deflate.once('end', resolve).once('error', reject))
  let bytes = 0
  let sum = 0
  for await (const text of content) {
    const piece = Buffer.from(text)
    bytes += piece.length
    sum = crc32(piece, sum)
    if (!deflate.write(piece)) await new Promise((resolve) => deflate.once('drain', resolve))
  }
  deflate.end()
  await ended
  return { name: Buffer.from(name), data: Buffer.concat(parts), bytes, sum }
}

/** What a local header and an entry of the directory have in common. */
function common({ name, data, bytes, sum }: Packed): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION, 0)
  fields.writeUInt16LE(FLAGS, 2)
  fields.writeUInt16LE(DEFLATED, 4)
  fields.writeUInt16LE(DATE, 8)
  fields.writeUInt32LE(sum, 10)
  fields.writeUInt32LE(data.length, 14)
  fields.writeUInt32LE(bytes, 18)
  fields.writeUInt16LE(name.length, 22)
  return fields
}

const signature = (letters: string): Buffer => Buffer.from(`PK${letters}`, 'latin1')

function directoryEntry(part: Packed, offset: number): Buffer {
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(offset, 10)
  const version = Buffer.from([VERSION, 0])
  return Buffer.concat([signature('\x01\x02'), version, common(part), rest, part.name])
}

/** The archive with these parts, in their order. */
export async function* zipped(parts: Iterable<ZipPart>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = []
  let offset = 0
  for (const one of parts) {
    const part = await packed(one)
    directory.push(directoryEntry(part, offset))
    const header = Buffer.concat([signature('\x03\x04'), common(part), part.name])
    offset += header.length + part.data.length
    yield header
    yield part.data
  }
  const entries = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(directory.length, 4)
  end.writeUInt16LE(directory.length, 6)
  end.writeUInt32LE(entries.length, 8)
  end.writeUInt32LE(offset, 12)
  yield Buffer.concat([entries, signature('\x05\x06'), end])
}
