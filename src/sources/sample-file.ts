// Reads a sample of any kind of file, by its name, as rows below a header.
import { basename, extname } from 'node:path'
import type { SampleCollector } from '../core/proposal/samples.ts'
import type { InputReader, OpenOptions } from '../core/ports.ts'
import { SyncError } from '../core/words/errors.ts'
import { isKnownName, openedSample, readSample, type SampleReading } from './csv/sample.ts'
import type { SheetRow } from './excel/sheet.ts'
import type { InputFile } from './input-file.ts'
import { isObject } from './json/values.ts'

/** More columns than these are of no record of a person. */
const MOST_COLUMNS = 500
const MOST_DEPTH = 4
const HEADER_ROWS = 50
/** One record a line: an object with a list in it is no list with an object around it. */
const LINES = /\.(jsonl|ndjson)(\.gz)?$/i
/** Of a vCard, what a contact may take from it. */
const CARD_COLUMNS = [
  ...['UID', 'FN', 'N.family', 'N.given', 'N.prefix', 'EMAIL', 'EMAIL#2', 'TEL;TYPE=CELL', 'TEL'],
  ...['ADR.street', 'ADR.code', 'ADR.city', 'ADR.country', 'ORG', 'TITLE', 'BDAY', 'CATEGORIES', 'NOTE'],
]

type Form = Partial<Pick<SampleReading, 'sheet' | 'records' | 'skipLines'>>
type Open = (file: InputFile, asked: OpenOptions) => Promise<InputReader>

async function eachRow(
  path: string,
  open: Open,
  asked: OpenOptions,
  use: {
    header(header: readonly string[]): void
    row(values: readonly string[], line: number): void
  },
): Promise<number> {
  const { file, writtenAt } = await openedSample(path)
  const reader = await open(file, asked)
  try {
    use.header(reader.header)
    for await (const batch of reader.batches())
      for (const { values, line } of batch.filter(({ kind }) => kind === 'record')) use.row(values, line)
    return writtenAt
  } finally {
    await reader.close()
  }
}

/** Hands the rows over, and says how the sample is written. */
async function collected(
  path: string,
  type: SampleReading['type'],
  {
    form = {},
    open,
    asked,
    collector,
  }: { form?: Form; open: Open; asked: OpenOptions; collector: SampleCollector },
): Promise<SampleReading> {
  let records = 0
  const writtenAt = await eachRow(path, open, asked, {
    header: (header) => collector.begin(basename(path), header),
    row(values, line) {
      records += 1
      collector.add(values, line)
    },
  })
  if (records === 0) throw new SyncError('INPUT_EMPTY', `${basename(path)} has no record`)
  const plain = { encoding: 'utf-8', delimiter: ',', quote: '"', skipLines: 0, endsWithLineBreak: true }
  return { ...plain, type, ragged: { rejected: 0, auto: 0 }, writtenAt, ...form }
}

/** The paths of all values of a record: of a list of objects those of the first. */
function pathsOf(value: unknown, at = '', depth = 0): readonly string[] {
  if (Array.isArray(value)) return isObject(value[0]) ? pathsOf(value[0], `${at}[0]`, depth + 1) : [at]
  if (!isObject(value)) return [at]
  if (depth > MOST_DEPTH) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    /^[\w -]+$/.test(name) ? pathsOf(inner, at === '' ? name : `${at}.${name}`, depth + 1) : [],
  )
}

/** Where an object around the records has their list; undefined where it has none. */
function listIn(value: unknown, depth = 0): string | undefined {
  if (!isObject(value) || depth > 2) return undefined
  for (const [name, inner] of Object.entries(value)) {
    if (Array.isArray(inner) && isObject(inner[0])) return name
    const further = listIn(inner, depth + 1)
    if (further !== undefined) return `${name}.${further}`
  }
  return undefined
}

/** The columns of all records, and where these are, if they are not the whole. */
async function jsonForm(path: string): Promise<{ columns: readonly string[]; records: string | undefined }> {
  const { jsonValues } = await import('./json/reader.ts')
  const columns = new Set<string>()
  const note = (value: unknown): void => {
    if (columns.size < MOST_COLUMNS) for (const column of pathsOf(value)) columns.add(column)
  }
  const valuesAt = async (records: string | undefined): Promise<readonly unknown[]> => {
    const { file } = await openedSample(path)
    const first: unknown[] = []
    columns.clear()
    try {
      for await (const value of jsonValues(file, records)) {
        if (first.length < 2) first.push(value)
        note(value)
      }
    } finally {
      await file.close()
    }
    return first
  }
  const [only, another] = await valuesAt(undefined)
  const records = another === undefined && !LINES.test(path) ? listIn(only) : undefined
  if (records !== undefined) await valuesAt(records)
  return { columns: [...columns], records }
}

async function jsonSample(path: string, collector: SampleCollector): Promise<SampleReading> {
  const { readJson } = await import('./json/reader.ts')
  const { jsonOptions } = await import('./json/options.ts')
  const { columns, records } = await jsonForm(path)
  const options = jsonOptions.parse({ folder: '.', sparse: true, records })
  const open: Open = (file, asked) => readJson(file, options, asked)
  const form = records === undefined ? {} : { records }
  return collected(path, 'json', { form, open, asked: { columns }, collector })
}

interface HeaderRow {
  readonly row: number
  readonly names: number
}

/** Of the first rows, the one with most names of columns. */
async function headerRow(rows: AsyncIterable<readonly SheetRow[]>): Promise<HeaderRow> {
  let best: HeaderRow = { row: 0, names: 0 }
  for await (const some of rows) {
    for (const { row, values } of some.filter((one) => one.row <= HEADER_ROWS)) {
      const names = new Set(values.filter(isKnownName)).size
      if (names > best.names) best = { row, names }
    }
    if ((some.at(-1)?.row ?? 0) >= HEADER_ROWS) break
  }
  return best
}

async function excelSample(path: string, collector: SampleCollector): Promise<SampleReading> {
  const { openSheet, readExcel } = await import('./excel/reader.ts')
  const { file } = await openedSample(path)
  let best = { row: 0, names: 0, sheet: '' }
  let isOne = true
  try {
    const { contents } = await openSheet(file, undefined)
    const visible = contents.sheets.filter(({ isHidden }) => !isHidden)
    isOne = visible.length < 2
    for (const { name } of visible) {
      const found = await headerRow((await openSheet(file, name)).rows())
      if (found.names > best.names) best = { ...found, sheet: name }
    }
  } finally {
    await file.close()
  }
  const skipLines = best.names < 2 ? 0 : best.row - 1
  const form = { skipLines, ...(isOne || best.names === 0 ? {} : { sheet: best.sheet }) }
  const open: Open = (opened, asked) => readExcel(opened, { sheet: form.sheet, skip_lines: skipLines }, asked)
  return collected(path, 'excel', { form, open, asked: { columns: [] }, collector })
}

async function cardSample(path: string, collector: SampleCollector): Promise<SampleReading> {
  const { readVcard } = await import('./vcard/reader.ts')
  const { vcardOptions } = await import('./vcard/options.ts')
  const open: Open = (file, asked) => readVcard(file, vcardOptions.parse({ folder: '.' }), asked)
  return collected(path, 'vcard', {
    open,
    asked: { columns: CARD_COLUMNS, optional: CARD_COLUMNS },
    collector,
  })
}

const READERS: Readonly<Record<string, typeof readSample>> = {
  '.json': jsonSample,
  '.jsonl': jsonSample,
  '.ndjson': jsonSample,
  '.xlsx': excelSample,
  '.xlsm': excelSample,
  '.vcf': cardSample,
  '.vcard': cardSample,
}

/** Throws a SyncError for a file that is not what its name says; whatever has another name is read as CSV. */
export function readSampleFile(path: string, collector: SampleCollector): Promise<SampleReading> {
  const ending = extname(path.replace(/\.gz$/i, '')).toLowerCase()
  return (READERS[ending] ?? readSample)(path, collector)
}
