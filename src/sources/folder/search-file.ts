// Searches one file for persons: by its records where it can be read as its kind, else by its lines.
import { SyncError } from '../../core/words/errors.ts'
import type { Sought } from '../../core/erasing.ts'
import { isMostlyControl, looksBinary } from '../text/binary.ts'
import { unitOf, withoutLines } from '../text/blank-lines.ts'
import { byteOrderMark, utf16ByZeros } from '../text/encoding.ts'
import { packed, isPacked } from '../gzip.ts'
import { type Found, storedBytes, type StoredFile } from './erasing.ts'
import { createSpans, searchLines } from '../text/search-lines.ts'

/** What cannot be unpacked, or not read at all, has no lines either. */
const UNSEARCHED = ['INPUT_UNREADABLE', 'INPUT_GZIP']

const HEAD_BYTES = 64 * 1024

async function headOf(file: StoredFile): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of storedBytes(file)) {
    parts.push(part)
    bytes += part.length
    if (bytes >= HEAD_BYTES) break
  }
  return Buffer.concat(parts).subarray(0, HEAD_BYTES)
}

/** The lines of a file that is no records. Throws INPUT_BINARY for what is no text. */
async function findLines(file: StoredFile, sought: Sought): Promise<Found> {
  const head = await headOf(file)
  const what = looksBinary(head)
  if (what !== undefined) throw new SyncError('INPUT_BINARY', `it looks like ${what} and was not searched`)
  const encoding = byteOrderMark(head)?.encoding ?? utf16ByZeros(head) ?? 'bytes'
  const isWide = encoding.startsWith('utf-16')
  if (/^utf-32/.test(encoding) || (!isWide && (isMostlyControl(head) || head.includes(0))))
    throw new SyncError('INPUT_BINARY', 'it is not plain text and was not searched')
  const spans = createSpans()
  await searchLines(storedBytes(file), { encoding }, sought, spans)
  return {
    records: spans.gone.length,
    uncertain: spans.uncertain,
    content: () => withoutLines(storedBytes(file), spans.gone, unitOf(encoding)),
  }
}

/** What is found in a packed file is packed again. */
const packedAs = (found: Found, { name }: StoredFile): Found =>
  isPacked(name) ? { ...found, content: () => packed(found.content()) } : found

/** Throws a SyncError where the file cannot be searched, and what the file system says. */
export async function searchFile(
  file: StoredFile,
  byRecords: (file: StoredFile, sought: Sought) => Promise<Found>,
  sought: Sought,
): Promise<Found> {
  try {
    return packedAs(await byRecords(file, sought), file)
  } catch (error) {
    // Files in `failed` often could not be read as records.
    const isKnown = (error instanceof SyncError && error.class === 'input') || error instanceof SyntaxError
    if (!isKnown || (error instanceof SyncError && UNSEARCHED.includes(error.code))) throw error
    return packedAs(await findLines(file, sought), file)
  }
}
