// Takes one person's records out of the files that were put away: in `processed` and `failed` of a drop folder, with the
// rejects beside them. The records of others stay as they are, on the lines on which they were.
import { createReadStream } from 'node:fs'
import { type FileHandle, lstat, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, SourceInput } from '../core/ports.ts'
import type { SourceItem } from '../core/record.ts'
import type { SourceSettings } from '../core/settings.ts'
import { SyncError } from '../core/errors.ts'
import { type LineSpan, unitOf, withoutLines } from './blank-lines.ts'
import { csvOptions } from './csv/options.ts'
import { fileVersion, openInputFile } from './input-file.ts'
import { withoutRecords } from './json/without-records.ts'
import { columnReader, isObject, textOf } from './json/values.ts'
import { displayName } from './file-name.ts'
import { createSource } from './registry.ts'
import { utf8Text } from './text-stream.ts'
import { surveyText } from './text-survey.ts'

/** Whose records they are. */
export interface Theirs {
  /** What the mapping reads: the header of a source that has none of its own. */
  readonly columns: readonly string[]
  isTheirs(header: readonly string[], values: readonly string[]): boolean
  /** Whether a text names the person, wherever that may be. */
  isNamed(text: string): boolean
  /** The text without what names the person. */
  redacted(text: string): string
}

export interface ErasedFiles {
  readonly changed: readonly { readonly file: string; readonly records: number }[]
  /** Files that may hold the person still. */
  readonly left: readonly { readonly file: string; readonly why: string }[]
}

interface Put {
  readonly path: string
  readonly name: string
  readonly input: SourceInput
  readonly mode: number
}

async function putAway(folder: string): Promise<Put[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  })
  const found: Put[] = []
  for (const name of names.sort()) {
    const path = join(folder, name)
    const stats = await lstat(path, { bigint: true })
    // Links are never followed: what lies behind them is not ours.
    if (!stats.isFile() || name.endsWith(ERASING)) continue
    const shown = displayName(Buffer.from(name))
    const input = { name: shown, version: fileVersion(stats), bytes: Number(stats.size) }
    found.push({ path, name, input, mode: Number(stats.mode) & 0o777 })
  }
  return found
}

const ERASING = '.erasing'

/** The new content under the old name, whole or not at all. */
async function replace({ path, mode }: Put, parts: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<void> {
  const part = `${path}${ERASING}`
  let file: FileHandle | undefined
  try {
    file = await open(part, 'w', mode)
    for await (const some of parts) await file.write(some)
    await file.sync()
    await file.close()
    await rename(part, path)
  } catch (error) {
    await file?.close().catch(() => undefined)
    await rm(part, { force: true })
    throw error
  }
}

const bytesOf = ({ path }: Put): AsyncIterable<Buffer> => createReadStream(path) as AsyncIterable<Buffer>

/** Lines of the person's records; the last one of a file goes to its end. */
async function spansOf(
  batches: AsyncIterable<readonly SourceItem[]>,
  isTheirs: (values: readonly string[]) => boolean,
): Promise<LineSpan[]> {
  const spans: LineSpan[] = []
  let open: number | undefined
  for await (const batch of batches)
    for (const { line, values } of batch) {
      if (open !== undefined) spans.push({ first: open, last: line - 1 })
      open = isTheirs(values) ? line : undefined
    }
  if (open !== undefined) spans.push({ first: open, last: Number.POSITIVE_INFINITY })
  return spans
}

const encodingOf = ({ encoding }: SourceSettings): string =>
  typeof encoding === 'string' ? encoding : 'auto'

async function eraseRows(put: Put, settings: SourceSettings, theirs: Theirs, clock: Clock): Promise<number> {
  const folder = put.path.slice(0, -put.name.length - 1)
  const source = createSource({ ...settings, folder, files: ['*'], settle: 0 }, { clock })
  const reader = await source.open(put.input, { columns: theirs.columns })
  const spans = await spansOf(reader.batches(), (values) => theirs.isTheirs(reader.header, values)).finally(
    () => reader.close(),
  )
  if (spans.length === 0) return 0
  const file = await openInputFile(Buffer.from(put.path), put.input)
  const form = await surveyText(file, encodingOf(settings)).finally(() => file.close())
  await replace(put, withoutLines(bytesOf(put), spans, unitOf(form.encoding)))
  return spans.length
}

async function depthOf(parts: AsyncIterable<Buffer>, path: string | undefined): Promise<number> {
  for await (const part of parts) {
    const first = /[^\s]/.exec(part.toString('utf8'))?.[0]
    if (first === '[') return 1
    if (first !== undefined) return path === undefined ? 0 : path.split('.').length + 1
  }
  return 0
}

async function eraseObjects(put: Put, settings: SourceSettings, theirs: Theirs): Promise<number> {
  const readers = theirs.columns.map(columnReader)
  let records = 0
  const isTheirs = (text: string): boolean => {
    const value: unknown = JSON.parse(text)
    const values = isObject(value) ? readers.map((read) => textOf(read(value))) : []
    const found = theirs.isTheirs(theirs.columns, values) || theirs.isNamed(text)
    if (found) records += 1
    return found
  }
  const file = await openInputFile(Buffer.from(put.path), put.input)
  try {
    const form = await surveyText(file, encodingOf(settings))
    const path = put.name.endsWith('.rejects.jsonl') ? undefined : (settings['records'] as string | undefined)
    const depth = await depthOf(utf8Text(file, form), path)
    const look = withoutRecords(utf8Text(file, form), { depth, isTheirs })
    for await (const _ of look);
    if (records === 0) return 0
    const found = records
    await replace(put, withoutRecords(utf8Text(file, form), { depth, isTheirs }))
    return found
  } finally {
    await file.close()
  }
}

/** A file that cannot be read as records: its lines that name the person go. */
async function eraseLines(put: Put, theirs: Theirs): Promise<number> {
  const text = (await readFile(put.path)).toString('latin1')
  const wide = text.replaceAll('\0', '')
  if (!theirs.isNamed(text)) {
    if (wide !== text && theirs.isNamed(wide)) throw new SyncError('INPUT_BINARY', 'it is no plain text')
    return 0
  }
  const lines = text.split(/(?<=\n)/)
  const kept = lines.map((line) => (theirs.isNamed(line) ? line.replaceAll(/[^\r\n]/g, '') : line))
  await replace(put, [Buffer.from(kept.join(''), 'latin1')])
  return lines.filter((line) => theirs.isNamed(line)).length
}

async function eraseReason(put: Put, theirs: Theirs): Promise<number> {
  const text = await readFile(put.path, 'utf8')
  const redacted = theirs.redacted(text)
  if (redacted === text) return 0
  await replace(put, [Buffer.from(redacted)])
  return 1
}

/** Our own rejects are CSV whatever the kind of the source. */
const OWN_REJECTS = /\.rejects\.csv$/i

async function eraseIn(put: Put, settings: SourceSettings, theirs: Theirs, clock: Clock): Promise<number> {
  if (put.name.endsWith('.reason.txt')) return eraseReason(put, theirs)
  const isRows = settings.type === 'csv' || OWN_REJECTS.test(put.name)
  const { nullValues } = settings
  const asRows =
    settings.type === 'csv' ? settings : { type: 'csv', nullValues, ...csvOptions.parse({ folder: '.' }) }
  try {
    return await (isRows ? eraseRows(put, asRows, theirs, clock) : eraseObjects(put, settings, theirs))
  } catch (error) {
    // What was put into `failed` often is no file that could be read.
    const isKnown = (error instanceof SyncError && error.class === 'input') || error instanceof SyntaxError
    if (!isKnown) throw error
    return eraseLines(put, theirs)
  }
}

/** Erases in everything that this source's folder has put away. */
export async function eraseRecords(
  settings: SourceSettings,
  theirs: Theirs,
  clock: Clock,
): Promise<ErasedFiles> {
  const changed: { file: string; records: number }[] = []
  const left: { file: string; why: string }[] = []
  const eraseOne = async (put: Put, folder: string): Promise<void> => {
    const file = join(folder, put.input.name)
    const records = await eraseIn(put, settings, theirs, clock)
    if (records > 0) changed.push({ file, records })
    if (theirs.isNamed(put.input.name)) left.push({ file, why: 'its name names the person' })
  }
  for (const folder of ['processed', 'failed'])
    for (const put of await putAway(join(String(settings['folder']), folder)))
      await eraseOne(put, folder).catch((error: unknown) => {
        left.push({ file: join(folder, put.input.name), why: error instanceof Error ? error.message : '' })
      })
  return { changed, left }
}
