// Finds a person's rows in a workbook, and gives a workbook without them: the sheet that is read, its other rows under their
// numbers, as texts. All else is left out, because it may name them, too: other sheets, comments, pictures, kept pivot tables.
import type { Sought } from '../../core/erasing.ts'
import type { Found, StoredFile } from '../folder/erasing.ts'
import { openInputFile } from '../input-file.ts'
import { byteText } from '../text/readings.ts'
import { createSpans, type Spans } from '../text/search-lines.ts'
import type { ExcelOptions } from './options.ts'
import { plainWorkbook } from './plain-workbook.ts'
import { openSheet, readExcel } from './reader.ts'
import type { SheetRow } from './sheet.ts'

async function* without(
  rows: AsyncIterable<SheetRow[]>,
  gone: ReadonlySet<number>,
): AsyncGenerator<SheetRow[]> {
  for await (const some of rows) yield some.filter(({ row }) => !gone.has(row))
}

async function* contentWithout(
  file: StoredFile,
  { sheet: wanted }: ExcelOptions,
  gone: ReadonlySet<number>,
): AsyncGenerator<Buffer> {
  const opened = await openInputFile(file.path, file.input)
  try {
    const { contents, sheet, rows } = await openSheet(opened, wanted)
    const { sheets } = contents
    const names = sheets.map(({ name }) => name)
    const hidden = sheets.map(({ isHidden }) => isHidden)
    yield* plainWorkbook({ names, hidden, at: sheets.indexOf(sheet) }, without(rows(), gone))
  } finally {
    await opened.close()
  }
}

interface Others {
  readonly sought: Sought
  /** Rows that are records, and how many of their values are read. */
  readonly records: ReadonlySet<number>
  readonly width: number
  readonly spans: Spans
}

async function searchOthers(
  file: StoredFile,
  { sheet }: ExcelOptions,
  { sought, records, width, spans }: Others,
): Promise<void> {
  const opened = await openInputFile(file.path, file.input)
  const naming = (values: readonly string[]) => sought.ofLine(byteText(Buffer.from(values.join('\t'))))
  try {
    const { rows } = await openSheet(opened, sheet)
    for await (const some of rows())
      for (const { row, values } of some) {
        const isRecord = records.has(row)
        const found = await naming(isRecord ? values.slice(width) : values)
        // Beside the columns of another person's record it may be about both.
        spans.note(isRecord && found !== undefined ? 'maybe' : found, row, row)
      }
  } finally {
    await opened.close()
  }
}

/** Rows above the header are looked through as texts. Throws a SyncError of class `input`. */
export async function findSheetRows(file: StoredFile, options: ExcelOptions, sought: Sought): Promise<Found> {
  const { columns } = sought
  const spans = createSpans()
  const records = new Set<number>()
  const reader = await readExcel(await openInputFile(file.path, file.input), options, { columns })
  try {
    for await (const batch of reader.batches())
      for (const { line, values } of batch) {
        records.add(line)
        spans.note(await sought.ofRecord(reader.header, values), line, line)
      }
  } finally {
    await reader.close()
  }
  await searchOthers(file, options, { sought, records, width: reader.header.length, spans })
  const gone = new Set(spans.gone.map(({ first }) => first))
  return {
    records: gone.size,
    uncertain: spans.uncertain,
    content: () => contentWithout(file, options, gone),
  }
}
