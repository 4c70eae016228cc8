// The rows of one sheet, a few at a time, each with its number and the texts of its cells. What a reader of the sheet does not
// see as it stands is counted: hidden rows and columns, merged cells, errors, formulas without a kept
// value, numbers whose format shows more digits.
import type { NumberFormat } from './number-format.ts'
import { isoDateText, numberText } from './number-text.ts'
import { formatAt, textCollector, unescapedText } from './strings.ts'
import { xmlEvents } from './xml.ts'
import { broken, type Workbook } from './zip.ts'

export interface SheetRow {
  /** Its number in the sheet, from 1 on. */
  readonly row: number
  /** From column A on; blank where there is no cell. */
  readonly values: readonly string[]
}

/** How often each thing was met, and in which row first. */
export type Oddities = Map<string, { times: number; line: number }>

export interface SheetContext {
  readonly texts: readonly string[]
  readonly formats: readonly NumberFormat[]
  readonly is1904: boolean
  readonly odd: Oddities
}

/** As many columns and rows as a sheet of Excel has. */
const MOST_COLUMNS = 16_384
const MOST_ROWS = 1_048_576
const BATCH_ROWS = 200

/** The column of a reference such as `AB12`, from 0 on; -1 for none. */
function columnOf(reference: string): number {
  let column = 0
  for (const letter of /^[A-Za-z]{1,4}/.exec(reference)?.[0] ?? '')
    column = column * 26 + (letter.toUpperCase().charCodeAt(0) - 64)
  return column - 1
}

interface Cell {
  readonly column: number
  readonly type: string
  readonly style: string | undefined
  isFormula: boolean
  hasValue: boolean
  value: string
}

function note(odd: Oddities, what: string, line: number, times = 1): void {
  const found = odd.get(what)
  if (found === undefined) odd.set(what, { times, line })
  else found.times += times
}

/** The text of a cell whose element has ended. */
function cellText(
  cell: Cell,
  inline: string,
  { name, row, texts, formats, is1904, odd }: SheetContext & { name: string; row: number },
): string {
  const { type, value } = cell
  // Libraries that write a formula without calculating it leave its value empty; Excel keeps an empty text as `str`.
  const isKept = cell.hasValue && (value !== '' || type === 'str')
  if (cell.isFormula && !isKept && type !== 'inlineStr') {
    note(odd, 'formula without a kept value', row)
    return ''
  }
  if (type === 'inlineStr') return inline
  if (value === '') return ''
  if (type === 's') {
    const text = texts[Number(value)]
    if (text === undefined) throw broken(name, `row ${row} has a text that is not among its texts`)
    return text
  }
  if (type === 'str') return unescapedText(value)
  if (type === 'b') return /^(1|true)$/i.test(value.trim()) ? 'true' : 'false'
  if (type === 'd') return isoDateText(value)
  if (type === 'e') {
    note(odd, 'error value', row)
    return ''
  }
  const format = formatAt(formats, cell.style)
  if (format.kind === 'prefixed') note(odd, 'number whose format shows further digits', row)
  return numberText(value, format, is1904)
}

/** Follows the XML of a sheet, and puts finished rows into `rows`. */
function rowCollector(name: string, rows: SheetRow[], context: SheetContext) {
  const inline = textCollector()
  let row = 0
  let values: string[] = []
  let cell: Cell | undefined
  let last = -1
  let isValue = false
  const begins: Record<string, (attributes: Readonly<Record<string, string>>) => void> = {
    row({ r: number, hidden }) {
      const next = number === undefined ? row + 1 : Number(number)
      if (!(next > row) || next > MOST_ROWS) throw broken(name, `row ${row} is followed by one out of order`)
      row = next
      values = []
      last = -1
      if (hidden === '1' || hidden === 'true') note(context.odd, 'hidden row', row)
    },
    c({ r: reference, t: type = 'n', s: style }) {
      const column = reference === undefined ? last + 1 : columnOf(reference)
      if (column < 0 || column >= MOST_COLUMNS)
        throw broken(name, `row ${row} has a cell outside of the sheet`)
      last = column
      cell = { column, type, style, isFormula: false, hasValue: false, value: '' }
    },
    f() {
      if (cell !== undefined) cell.isFormula = true
    },
    v() {
      isValue = true
      if (cell !== undefined) cell.hasValue = true
    },
    col({ hidden, min, max }) {
      const times = Math.min(MOST_COLUMNS, Math.max(1, Number(max) - Number(min) + 1))
      if (hidden === '1' || hidden === 'true') note(context.odd, 'hidden column', 0, times)
    },
    mergeCell({ ref = '' }) {
      note(context.odd, 'merged cells', Number(/\d+/.exec(ref)?.[0] ?? 0))
    },
  }
  const ends: Record<string, () => void> = {
    v: () => void (isValue = false),
    c() {
      const text = inline.take()
      if (cell === undefined) return
      const value = cellText(cell, text, { ...context, name, row })
      if (value !== '') {
        while (values.length < cell.column) values.push('')
        values[cell.column] = value
      }
      cell = undefined
    },
    row: () => void rows.push({ row, values }),
  }
  return {
    open(element: string, attributes: Readonly<Record<string, string>>) {
      inline.open(element)
      if (Object.hasOwn(begins, element)) begins[element]?.(attributes)
    },
    close(element: string) {
      inline.close(element)
      if (Object.hasOwn(ends, element)) ends[element]?.()
    },
    text(part: string) {
      if (isValue && cell !== undefined) cell.value += part
      else if (cell !== undefined) inline.text(part)
    },
  }
}

/** Throws INPUT_EXCEL where the sheet is damaged. */
export async function* sheetRows(
  book: Workbook,
  part: string,
  context: SheetContext,
): AsyncGenerator<SheetRow[]> {
  const rows: SheetRow[] = []
  for await (const _ of xmlEvents(book, part, rowCollector(book.name, rows, context)))
    while (rows.length >= BATCH_ROWS) yield rows.splice(0, BATCH_ROWS)
  if (rows.length > 0) yield rows
}
