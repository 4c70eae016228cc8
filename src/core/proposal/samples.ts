// What is remembered of sample files while they are read, column by column. Every row is looked at; of values only as many are
// kept as are needed to tell what they are.
import { foldedColumn } from '../mapping/columns.ts'
import { cleanText } from '../mapping/fields/field-check.ts'
import { oddities } from '../mapping/odd-values.ts'
import { compileRepairs, REPAIRS, type Repair } from '../mapping/repair.ts'
import {
  createOrderEvidence,
  type DateOrder,
  type OrderEvidence,
} from '../mapping/values/dates/date-order.ts'
import { BLANK_MARKS } from './words/value-words.ts'

/** So many values of a column are kept. */
const KEPT_VALUES = 1500
/** With more different values than these a column is no list of possible values. */
const KEPT_DISTINCT = 60
/** So many rows of a file are kept, to hold columns against each other. */
const KEPT_ROWS = 5000

export interface SampleFile {
  readonly name: string
  readonly header: readonly string[]
  readonly records: number
  /** The first of them. */
  readonly rows: readonly (readonly string[])[]
}

export interface SampleColumn {
  readonly name: string
  /** Values that are not blank, and rows that have the column. */
  readonly filled: number
  readonly rows: number
  /** The first of those that are not blank, cleaned. */
  readonly values: readonly string[]
  /** How often each value is there; undefined where there are too many. */
  readonly distinct: ReadonlyMap<string, number> | undefined
  /** No blank, and nothing twice within a file, in all files. */
  readonly isUnique: boolean
  /** Whether the first values of every file are 1, 2, 3 ... */
  readonly isNumbered: boolean
  /** By what stands between the numbers; a sentence where dates contradict each other. */
  readonly dateOrders: Readonly<Record<string, DateOrder>> | string
}

export interface Samples {
  readonly files: readonly SampleFile[]
  /** In the order of the headers; a name that stands twice in one of them is not there. */
  readonly columns: readonly SampleColumn[]
  readonly doubled: readonly string[]
  /** Values that say that there is none. */
  readonly blankMarks: readonly string[]
  readonly repairs: readonly Repair[]
}

interface Collected {
  name: string
  filled: number
  rows: number
  values: string[]
  distinct: Map<string, number> | undefined
  isUnique: boolean
  isNumbered: boolean
  seen: Set<string>
  readonly orders: OrderEvidence
}

/** What is damaged in a sample is proposed to be repaired, and judged as it is afterwards. */
const repairAll = compileRepairs(REPAIRS)

export interface SampleCollector {
  /** A new file; its rows follow. */
  begin(name: string, header: readonly string[]): void
  add(values: readonly string[], line: number): void
  samples(): Samples
}

/** Takes one value of a column. */
function take(column: Collected, value: string, row: number): void {
  column.rows += 1
  if (value === '') {
    column.isUnique = false
    return
  }
  column.filled += 1
  if (column.values.length < KEPT_VALUES) column.values.push(value)
  column.isNumbered &&= value === String(row)
  if (column.distinct !== undefined) {
    column.distinct.set(value, (column.distinct.get(value) ?? 0) + 1)
    if (column.distinct.size > KEPT_DISTINCT) column.distinct = undefined
  }
  if (!column.isUnique) return
  column.isUnique = !column.seen.has(value)
  column.seen.add(value)
}

const newColumn = (name: string): Collected => ({
  name,
  filled: 0,
  rows: 0,
  values: [],
  distinct: new Map(),
  isUnique: true,
  isNumbered: true,
  seen: new Set(),
  orders: createOrderEvidence(),
})

function provedOrders(evidence: OrderEvidence, column: string): SampleColumn['dateOrders'] {
  const proved = evidence.ordersWith({})
  return 'orders' in proved ? (proved.orders[column] ?? {}) : proved.contradiction
}

/** `isComplete`: every sample has the column. */
function sampleColumn(column: Collected, isComplete: boolean): SampleColumn {
  const { seen: _, orders, ...counted } = column
  return {
    ...counted,
    isUnique: column.isUnique && column.filled > 0 && isComplete,
    isNumbered: column.isNumbered && column.filled > 0,
    dateOrders: provedOrders(orders, column.name),
  }
}

export function createSampleCollector(): SampleCollector {
  const columns = new Map<string, Collected>()
  const doubled = new Set<string>()
  const marks = new Map<string, Set<string>>()
  const repairs = new Set<Repair>()
  const files: { name: string; header: readonly string[]; records: number; rows: string[][] }[] = []
  let current: (Collected | undefined)[] = []

  const repaired = (raw: string): string => {
    if (oddities(raw).length === 0) return raw
    const { value, by } = repairAll(raw)
    for (const name of by) repairs.add(name)
    return value
  }
  const valueOf = (raw: string, name: string): string => {
    const value = cleanText(repaired(raw))
    if (!BLANK_MARKS.has(value)) return value
    marks.set(value, (marks.get(value) ?? new Set()).add(name))
    return ''
  }
  const columnNamed = (name: string, header: readonly string[]): Collected | undefined => {
    const folded = foldedColumn(name)
    if (name === '') return undefined
    if (header.filter((other) => foldedColumn(other) === folded).length > 1) {
      doubled.add(name)
      return undefined
    }
    const column = columns.get(folded) ?? newColumn(name)
    columns.set(folded, column)
    column.seen = new Set()
    return column
  }
  return {
    begin(name, header) {
      files.push({ name, header, records: 0, rows: [] })
      current = header.map((one) => columnNamed(one, header))
    },
    add(values, line) {
      const file = files.at(-1)
      if (file === undefined) return
      file.records += 1
      const row = current.map((column, place) => {
        const value = column === undefined ? '' : valueOf(values[place] ?? '', column.name)
        if (column === undefined) return value
        take(column, value, file.records)
        column.orders.onLine(line)
        column.orders.note(column.name, value)
        return value
      })
      if (file.rows.length < KEPT_ROWS) file.rows.push(row)
    },
    samples() {
      const isComplete = (column: string): boolean =>
        files.every(({ header }) => header.some((name) => foldedColumn(name) === foldedColumn(column)))
      return {
        files,
        doubled: [...doubled],
        blankMarks: [...marks].filter(([mark, of]) => mark !== 'NULL' || of.size > 1).map(([mark]) => mark),
        repairs: [...repairs],
        columns: [...columns.values()].map((column) => sampleColumn(column, isComplete(column.name))),
      }
    },
  }
}
