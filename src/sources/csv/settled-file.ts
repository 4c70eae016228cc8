// A file with the bytes of an input of which every record is settled: it is recognised by its digest, and neither surveyed
// nor parsed.
import { createHash } from 'node:crypto'
import type { SettledInput } from '../../core/change/settled-blocks.ts'
import type { InputReader } from '../../core/ports.ts'
import type { InputFile } from '../input-file.ts'
import { isSupplement } from '../supplement.ts'
import type { RawQuoting } from './record-ends.ts'

const PIECE_BYTES = 256 * 1024

/** All that raw bytes mean depends on, beside the header. */
export const rawFormText = ({ delimiter, quote }: RawQuoting, encoding: string): string =>
  JSON.stringify([delimiter, quote ?? '', encoding])

/** Reads the file to its end, in pieces, where it is as long. Throws INPUT_CHANGED where it was changed meanwhile. */
export async function hasBytesOf(file: InputFile, { bytes, sha256 }: SettledInput): Promise<boolean> {
  if (file.bytes !== bytes) return false
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  for (let position = 0; position < bytes;) {
    const count = await file.readAt(piece, position)
    if (count === 0) break
    hash.update(piece.subarray(0, count))
    position += count
  }
  await file.assertUnchanged()
  return hash.digest('hex') === sha256
}

/** Brings no records: what it would bring is settled. */
export function settledReader(file: InputFile, settled: SettledInput) {
  const { header, rawForm, sha256 } = settled
  const [delimiter = ',', , encoding = ''] = JSON.parse(rawForm) as string[]
  const reader: InputReader = {
    header,
    rawForm,
    settled,
    bytesRead: () => file.bytes,
    async *batches() {
      // Nothing is left to read.
    },
    sha256: () => sha256,
    // A last row without one is in no block, and its input not settled as a whole.
    endsWithLineBreak: () => true,
    isSupplement: () => isSupplement(file.name, header),
    close: () => file.close(),
  }
  return { ...reader, delimiter, encoding }
}
