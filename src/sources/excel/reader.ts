// Reads one workbook: chooses its sheet, finds the header, and makes a record of every row below that has a value.
// The line of a record is the number of its row in the sheet.
import type { SourceItem } from '../../core/mapping/record.ts'
import type { InputReader, OpenOptions } from '../../core/ports.ts'
import { SyncError } from '../../core/words/errors.ts'
import { chosenHeader, namedColumns, repeatedHeader } from '../csv/header-line.ts'
import { hasValue } from '../csv/ragged.ts'
import { checkedWhole, closingOnFailure, type InputFile } from '../input-file.ts'
import { isSupplement } from '../supplement.ts'
import { refuseForeign, refuseOther } from './foreign.ts'
import type { ExcelOptions } from './options.ts'
import { type Contents, contentsOf, type SheetEntry } from './parts.ts'
import { type Oddities, sheetRows, type SheetRow } from './sheet.ts'
import { cellFormats, sharedTexts } from './strings.ts'
import { openZip, type Workbook } from './zip.ts'

/** As many rows are looked at for the header. */
const MOST_HEADER_ROWS = 50
const SHOWN_SHEETS = 10

export interface OpenSheet {
  readonly book: Workbook
  readonly contents: Contents
  readonly sheet: SheetEntry
  readonly odd: Oddities
  rows(): AsyncGenerator<SheetRow[]>
}

const sheetNames = (sheets: readonly SheetEntry[]): string =>
  sheets
    .slice(0, SHOWN_SHEETS)
    .map(({ name }) => JSON.stringify(name))
    .join(', ') + (sheets.length > SHOWN_SHEETS ? ` and ${sheets.length - SHOWN_SHEETS} more` : '')

/** Throws INPUT_EXCEL where there is none, or none such. */
function chosenSheet(name: string, { sheets }: Contents, wanted: ExcelOptions['sheet']): SheetEntry {
  const visible = sheets.filter(({ isHidden }) => !isHidden)
  const folded = (text: string): string => text.trim().toLowerCase()
  const found =
    typeof wanted === 'number'
      ? sheets[wanted - 1]
      : wanted === undefined
        ? visible[0]
        : (sheets.find((one) => one.name === wanted) ??
          sheets.find((one) => folded(one.name) === folded(wanted)))
  if (found !== undefined) return found
  const which =
    wanted === undefined
      ? 'visible sheet'
      : typeof wanted === 'number'
        ? `sheet ${wanted}`
        : `sheet ${JSON.stringify(wanted)}`
  throw new SyncError('INPUT_EXCEL', `${name} has no ${which}; its sheets are ${sheetNames(sheets)}`, {
    hint: 'Set source.sheet to the name of the sheet, or to its number.',
  })
}

/** Throws INPUT_EMPTY or INPUT_EXCEL. */
export async function openSheet(file: InputFile, wanted: ExcelOptions['sheet']): Promise<OpenSheet> {
  await refuseForeign(file)
  const book = await openZip(file)
  refuseOther(book)
  const contents = await contentsOf(book)
  const sheet = chosenSheet(file.name, contents, wanted)
  const context = { texts: await sharedTexts(book, contents), formats: await cellFormats(book, contents) }
  const odd: Oddities = new Map()
  const visible = contents.sheets.filter(({ isHidden }) => !isHidden)
  if (wanted === undefined && visible.length > 1)
    odd.set(`of the sheets ${sheetNames(visible)}, only ${JSON.stringify(sheet.name)} is read`, {
      times: visible.length - 1,
      line: 0,
    })
  if (sheet.isHidden) odd.set('hidden sheet', { times: 1, line: 0 })
  return {
    book,
    contents,
    sheet,
    odd,
    rows: () => sheetRows(book, sheet.part, { ...context, is1904: contents.is1904, odd }),
  }
}

const trimmed = (values: readonly string[]): string[] => {
  const names = values.map((name) => name.trim())
  return names.slice(0, names.findLastIndex((name) => name !== '') + 1)
}

/** Of the first rows, the one that names most mapped columns. */
function foundHeader(
  name: string,
  rows: readonly SheetRow[],
  columns: readonly string[],
): SheetRow | undefined {
  const counts = rows.map(({ values }) => namedColumns(values, columns))
  const index = chosenHeader(counts, { name, columns, what: 'row', placeOf: (at) => rows[at]?.row ?? 0 })
  return rows[index]
}

interface Begun {
  readonly header: readonly string[]
  /** Rows below the header that were read to find it. */
  readonly first: readonly SheetRow[]
}

/** Throws INPUT_EMPTY where there is no header, and what `foundHeader` throws. */
async function begin(
  { name, sheet, columns }: { name: string; sheet: string; columns: readonly string[] },
  rows: AsyncGenerator<SheetRow[]>,
  skip: ExcelOptions['skip_lines'],
): Promise<Begun> {
  const seen: SheetRow[] = []
  const isEnough = (): boolean =>
    skip === 'auto' ? (seen.at(-1)?.row ?? 0) >= MOST_HEADER_ROWS : seen.length > 0
  while (!isEnough()) {
    const next = await rows.next()
    if (next.done === true) break
    seen.push(...next.value.filter(({ row, values }) => hasValue(values) && (skip === 'auto' || row > skip)))
  }
  if (seen.length === 0)
    throw new SyncError('INPUT_EMPTY', `${name} has no header and no record on the sheet ${sheet}`, {
      hint: 'If another sheet has them, set source.sheet to its name.',
    })
  const header =
    skip === 'auto'
      ? foundHeader(
          name,
          seen.filter(({ row }) => row <= MOST_HEADER_ROWS).slice(0, MOST_HEADER_ROWS),
          columns,
        )
      : seen[0]
  return {
    header: trimmed(header?.values ?? []),
    first: seen.filter(({ row }) => row > (header?.row ?? 0)),
  }
}

function itemsOf(
  rows: readonly SheetRow[],
  width: number,
  isHeader: ReturnType<typeof repeatedHeader>,
): SourceItem[] {
  return rows
    .map(({ row, values }) => ({
      row,
      values: Array.from({ length: width }, (_, index) => values[index] ?? ''),
    }))
    .filter(({ row, values }) => hasValue(values) && !isHeader(values, row))
    .map(({ row, values }) => ({ kind: 'record', values, line: row }))
}

/** Opens a file as a workbook; closes it when that fails. Throws a SyncError of class `input` or `later`. */
export function readExcel(
  file: InputFile,
  options: Pick<ExcelOptions, 'sheet' | 'skip_lines'>,
  { columns = [] }: Partial<OpenOptions> = {},
): Promise<InputReader> {
  return closingOnFailure(file, async () => {
    const { book, sheet, odd, rows: read } = await openSheet(file, options.sheet)
    const rows = read()
    const { header, first } = await begin(
      { name: file.name, sheet: JSON.stringify(sheet.name), columns },
      rows,
      options.skip_lines,
    )
    let isWhole = false
    const isHeader = repeatedHeader(header, { name: file.name, what: 'row' })
    async function* items(): AsyncGenerator<SourceItem[]> {
      const beginning = itemsOf(first, header.length, isHeader)
      if (beginning.length > 0) yield beginning
      for await (const some of rows) {
        const made = itemsOf(some, header.length, isHeader)
        if (made.length > 0) yield made
      }
      // Parts may be anywhere in the file: its digest is computed in a separate pass.
      for await (const _ of file.chunks());
      isWhole = true
    }
    return {
      header,
      bytesRead: () => (isWhole ? file.bytesRead() : Math.min(file.bytes, book.bytesRead())),
      batches: () => checkedWhole(file, items()),
      sha256: () => file.sha256(),
      oddities: () => [...odd].map(([what, found]) => ({ what, ...found })),
      isSupplement: () => isSupplement(file.name, header),
      close: async () => {
        await rows.return(undefined)
        await file.close()
      },
    }
  })
}
