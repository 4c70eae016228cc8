// Reads single rows of an archived file again. Of a large file only its beginning and the wanted rows are parsed, as if
// they were the whole: fast, and right in all but rare files. A caller that detects a wrong result asks for the whole.
import type { RecordRow, SourceItem, SourceRecord } from '../core/mapping/record.ts'
import type { InputReader, OpenOptions } from '../core/ports.ts'
import { inputError, SyncError } from '../core/words/errors.ts'
import type { SourceSettings } from '../core/settings.ts'
import { bytesInput } from './bytes-input.ts'
import { findPutAway, type FoundFile, type WantedFile } from './folder/put-away.ts'
import { openPacked } from './gzip.ts'
import type { InputFile } from './input-file.ts'
import { kindOf } from './registry.ts'
import { remoteOf } from './remote/open.ts'
import { withPutAway } from './remote/put-away.ts'

export interface StoredRows {
  readonly header: readonly string[]
  /** All records that begin on one of the lines, in the order of the file. */
  readonly rows: readonly RecordRow[]
  /** When the file was written, in milliseconds. */
  readonly writtenAt: number
  /** Whether the whole file was parsed. */
  readonly whole: boolean
}

export type AskedColumns = Pick<OpenOptions, 'columns' | 'optional'>

/** Of a file no larger than this the whole is parsed. */
const SMALL_BYTES = 512 * 1024
const HEAD_BYTES = 64 * 1024
/** A record that is longer is found by parsing the whole. */
const ROW_BYTES = 64 * 1024
const LINE_FEED = 0x0a

/** Whole lines from a place on; at the end of the file a line break is added. */
async function linesFrom(file: InputFile, position: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  const part = buffer.subarray(0, await file.readAt(buffer, position))
  if (position + part.length >= file.bytes)
    return part.at(-1) === LINE_FEED ? part : Buffer.concat([part, Buffer.from('\n')])
  return part.subarray(0, part.lastIndexOf(LINE_FEED) + 1)
}

const lineBreaks = (part: Buffer): number =>
  part.reduce((count, byte) => count + Number(byte === LINE_FEED), 0)

interface Cut {
  readonly content: Buffer
  /** On which line of the cut each of the wanted lines is. */
  readonly lines: readonly number[]
}

/** The beginning of the file and the wanted lines, with what follows each of them. */
async function cutOf({ file, offsets }: FoundFile, lines: readonly number[]): Promise<Cut | undefined> {
  const parts = [await linesFrom(file, 0, HEAD_BYTES)]
  let next = 1 + lineBreaks(parts[0] ?? Buffer.alloc(0))
  const inHead = next
  const places: number[] = []
  for (const [index, line] of lines.entries()) {
    const offset = offsets[index]
    if (offset === undefined) return undefined
    if (line < inHead) {
      places.push(line)
      continue
    }
    const part = await linesFrom(file, offset, ROW_BYTES)
    places.push(next)
    parts.push(part)
    next += lineBreaks(part)
  }
  return { content: Buffer.concat(parts), lines: places }
}

/** Every record that begins on one of the lines: in JSON there may be several. Undefined where a line has none. */
async function rowsIn(reader: InputReader, lines: readonly number[]): Promise<RecordRow[] | undefined> {
  const rows: RecordRow[] = []
  const last = Math.max(...lines)
  const isWanted = (item: SourceItem): item is SourceRecord =>
    item.kind === 'record' && lines.includes(item.line)
  try {
    for await (const batch of reader.batches()) {
      rows.push(...batch.filter(isWanted))
      if ((batch.at(-1)?.line ?? 0) > last) break
    }
  } finally {
    await reader.close()
  }
  return lines.every((line) => rows.some((row) => row.line === line)) ? rows : undefined
}

type Read = (file: InputFile) => Promise<InputReader>

async function quickly(found: FoundFile, lines: readonly number[], read: Read) {
  const cut = await cutOf(found, lines)
  if (cut === undefined) return undefined
  try {
    const reader = await read(bytesInput(cut.content, { name: found.file.name }))
    const rows = await rowsIn(reader, cut.lines)
    const inFile = (row: RecordRow): RecordRow => ({ ...row, line: lines[cut.lines.indexOf(row.line)] ?? 0 })
    return rows && { header: reader.header, rows: rows.map(inFile) }
  } catch (error) {
    // The whole may be in order where the cut is not.
    if (error instanceof SyncError) return undefined
    throw error
  }
}

async function wholly(found: FoundFile, lines: readonly number[], read: Read) {
  const reader = await read({ ...found.file, close: () => Promise.resolve() })
  const rows = await rowsIn(reader, lines)
  return rows && { header: reader.header, rows }
}

/**
 * The rows on these lines of the file with that digest; undefined where the file is gone, was changed or has no such rows.
 * `whole`: the whole file is parsed, however large it is.
 */
export async function storedRows(
  settings: SourceSettings,
  wanted: WantedFile,
  { whole, ...columns }: AskedColumns & { readonly whole: boolean },
): Promise<StoredRows | undefined> {
  const remote = remoteOf(settings)
  const rowsOf = (found: FoundFile): Promise<StoredRows | undefined> =>
    rowsOfFound(settings, { found, wanted }, { whole, ...columns })
  if (remote !== undefined) return thereOrGone(() => withPutAway(remote, wanted, rowsOf))
  const found = await findPutAway(String(settings['folder']), wanted)
  return found && rowsOf(found)
}

/** A file on another machine that cannot be reached now is, for now, gone. */
async function thereOrGone(work: () => Promise<StoredRows | undefined>): Promise<StoredRows | undefined> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SyncError && error.class === 'input') return undefined
    throw error
  }
}

async function rowsOfFound(
  settings: SourceSettings,
  { found, wanted }: { readonly found: FoundFile; readonly wanted: WantedFile },
  { whole, ...columns }: AskedColumns & { readonly whole: boolean },
): Promise<StoredRows | undefined> {
  const { kind, options } = kindOf(settings)
  const read: Read = async (file) => kind.read(await openPacked(file), options, columns)
  try {
    const isWhole = whole || found.file.bytes <= SMALL_BYTES
    const cut = isWhole ? undefined : await quickly(found, wanted.lines, read)
    const rows = cut ?? (await wholly(found, wanted.lines, read))
    return rows && { ...rows, writtenAt: found.writtenAt, whole: cut === undefined }
  } catch (error) {
    // It was read by a run: another mapping or other options since.
    if (inputError(error) !== undefined) return undefined
    throw error
  } finally {
    await found.file.close()
  }
}
