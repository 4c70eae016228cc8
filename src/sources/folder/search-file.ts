// Looks for people in one file: by its records where it can be read as its kind, else by its lines.
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { SyncError } from '../../core/words/errors.ts'
import type { Sought } from '../../core/erasing.ts'
import { isMostlyControl, looksBinary } from '../text/binary.ts'
import { unitOf, withoutLines } from '../text/blank-lines.ts'
import { byteOrderMark, utf16ByZeros } from '../text/encoding.ts'
import type { Found, StoredFile } from './erasing.ts'
import { createSpans, searchLines } from '../text/search-lines.ts'

const HEAD_BYTES = 64 * 1024

async function headOf(path: Buffer): Promise<Buffer> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.alloc(HEAD_BYTES)
    return buffer.subarray(0, (await file.read(buffer, 0, HEAD_BYTES, 0)).bytesRead)
  } finally {
    await file.close()
  }
}

/** The lines of a file that is no records. Throws INPUT_BINARY for what is no text. */
async function findLines(file: StoredFile, sought: Sought): Promise<Found> {
  const head = await headOf(file.path)
  const what = looksBinary(head)
  if (what !== undefined) throw new SyncError('INPUT_BINARY', `it looks like ${what} and was not searched`)
  const encoding = byteOrderMark(head)?.encoding ?? utf16ByZeros(head) ?? 'bytes'
  const isWide = encoding.startsWith('utf-16')
  if (/^utf-32/.test(encoding) || (!isWide && (isMostlyControl(head) || head.includes(0))))
    throw new SyncError('INPUT_BINARY', 'it is no plain text and was not searched')
  const spans = createSpans()
  await searchLines(file.path, { encoding }, sought, spans)
  return {
    records: spans.gone.length,
    uncertain: spans.uncertain,
    content: () =>
      withoutLines(createReadStream(file.path) as AsyncIterable<Buffer>, spans.gone, unitOf(encoding)),
  }
}

/** Throws a SyncError where the file cannot be searched, and what the file system says. */
export async function searchFile(
  file: StoredFile,
  byRecords: (file: StoredFile, sought: Sought) => Promise<Found>,
  sought: Sought,
): Promise<Found> {
  try {
    return await byRecords(file, sought)
  } catch (error) {
    // What lies in `failed` often is no file that could be read.
    const isKnown = (error instanceof SyncError && error.class === 'input') || error instanceof SyntaxError
    if (!isKnown || (error instanceof SyncError && error.code === 'INPUT_UNREADABLE')) throw error
    return findLines(file, sought)
  }
}
