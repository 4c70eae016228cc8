// What the files of a source look like (`expect`), judged after a file was read to its end and before anything of it is
// sent. Counts blanks and foreign values of a file on the way; the other expectations are about its header and its records.
import { columnIndex, foldedColumn } from '../mapping/columns.ts'
import { cleanText } from '../mapping/field-check.ts'
import type { SourceItem } from '../mapping/record.ts'
import type { PipelineSettings } from '../settings.ts'
import { shareText } from '../words/format.ts'
import type { Limit } from '../words/scalars.ts'
import type { Accepted } from './accepted.ts'
import type { Hold } from './guard.ts'

type Expect = NonNullable<PipelineSettings['expect']>
type Key = keyof Expect

/** One expectation that a file breaks. */
interface Breach {
  readonly key: Key
  readonly text: string
}

/** The last accepted input, as far as it is a measure. */
type Measure = Pick<Accepted, 'mode' | 'records' | 'header'>

/** A file as it was found. */
interface Found {
  readonly header: readonly string[]
  readonly mode: Accepted['mode']
  /** Records that were read. */
  readonly read: number
  readonly last: Measure | undefined
}

const limitText = (limit: Limit): string => ('count' in limit ? String(limit.count) : shareText(limit.share))

const isOver = (number: number, limit: Limit, base: number): boolean =>
  'count' in limit ? number > limit.count : number > base * limit.share + 1e-9

const named = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ')

/** What the header has and the other one has not. */
const beyond = (names: readonly string[], others: readonly string[]): string[] => {
  const folded = new Set(others.map(foldedColumn))
  return names.filter((name) => name !== '' && !folded.has(foldedColumn(name)))
}

function columnBreaches({ columns }: Expect, { header, last }: Found): Breach[] {
  if (columns === undefined || last?.header === undefined) return []
  const lacks = beyond(last.header, header)
  const more = columns === 'exact' ? beyond(header, last.header) : []
  const texts = [
    ...(lacks.length === 0 ? [] : [`the file lacks ${named(lacks)}, which the last accepted file has`]),
    ...(more.length === 0 ? [] : [`the last accepted file has no ${named(more)}`]),
  ]
  return texts.map((text) => ({ key: 'columns', text }))
}

function recordBreaches({ records }: Expect, { mode, read, last }: Found): Breach[] {
  const breaches: Breach[] = []
  const { least, change } = records ?? {}
  if (least !== undefined && read < least)
    breaches.push({ key: 'records', text: `${read} records, at least ${least} are expected` })
  if (change === undefined || mode !== 'full' || last?.mode !== 'full') return breaches
  if (isOver(Math.abs(read - last.records), change, last.records))
    breaches.push({
      key: 'records',
      text: `${read} records, the last accepted file has ${last.records}: a change of more than ${limitText(change)}`,
    })
  return breaches
}

/** A column whose values are counted. */
interface Watched {
  readonly name: string
  readonly place: number | undefined
  /** Folded; undefined: any value will do. */
  readonly allowed: ReadonlySet<string> | undefined
  readonly most: Limit | undefined
  blank: number
  foreign: number
  /** The line of the first value that is not allowed. */
  firstLine: number
}

const folded = (value: string): string => cleanText(value).toLowerCase()

function watchedColumns({ blank = {}, values = {} }: Expect, header: readonly string[]): Watched[] {
  return [...new Set([...Object.keys(blank), ...Object.keys(values)])].map((name) => ({
    name,
    place: columnIndex(header, name),
    allowed: values[name] === undefined ? undefined : new Set(values[name].map(folded)),
    most: blank[name],
    blank: 0,
    foreign: 0,
    firstLine: 0,
  }))
}

function watchedBreaches({ name, place, allowed, most, ...counted }: Watched, rows: number): Breach[] {
  const key = most === undefined ? 'values' : 'blank'
  if (place === undefined) return [{ key, text: `the file has no column "${name}"` }]
  const breaches: Breach[] = []
  if (most !== undefined && isOver(counted.blank, most, rows))
    breaches.push({
      key: 'blank',
      text: `"${name}" is blank in ${counted.blank} of ${rows} rows, at most ${limitText(most)} may be`,
    })
  if (allowed !== undefined && counted.foreign > 0)
    breaches.push({
      key: 'values',
      text: `"${name}" has ${counted.foreign} values that are not in the list, the first on line ${counted.firstLine}`,
    })
  return breaches
}

export interface Expectation {
  /** Whether every row of the file must be seen. */
  readonly needsRows: boolean
  note(items: readonly SourceItem[]): void
  /** Undefined where the file is as expected; else why nothing of it may go. */
  verdict(file: { readonly read: number; readonly last: Measure | undefined }): Hold | undefined
}

/** Rows of an item: those that are no records have no columns to speak of. */
const rowsOf = (item: SourceItem) => (item.kind === 'record' ? (item.rows ?? [item]) : [])

/** What a pipeline expects of a file with this header; undefined where it expects nothing. */
export function expectationOf(
  { expect, mode, source }: Pick<PipelineSettings, 'expect' | 'mode' | 'source'>,
  header: readonly string[],
): Expectation | undefined {
  if (expect === undefined) return undefined
  const watched = watchedColumns(expect, header)
  const nulls = new Set(source.null_values.map(cleanText))
  let rows = 0
  const look = (values: readonly string[], line: number): void => {
    rows += 1
    for (const column of watched) {
      const value = cleanText(values[column.place ?? -1] ?? '')
      if (value === '' || nulls.has(value)) column.blank += 1
      else if (column.allowed?.has(value.toLowerCase()) === false) {
        if (column.foreign === 0) column.firstLine = line
        column.foreign += 1
      }
    }
  }
  return {
    needsRows: watched.length > 0,
    note(items) {
      if (watched.length > 0)
        for (const item of items) for (const { values, line } of rowsOf(item)) look(values, line)
    },
    verdict({ read, last }) {
      const found = { header, mode, read, last }
      const breaches = [
        ...columnBreaches(expect, found),
        ...recordBreaches(expect, found),
        ...watched.flatMap((column) => watchedBreaches(column, rows)),
      ]
      if (breaches.length === 0) return undefined
      const keys = [...new Set(breaches.map(({ key }) => `expect.${key}`))].join(', ')
      const reason = `the file is not as expected: ${breaches.map(({ key, text }) => `expect.${key}: ${text}`).join('; ')}; nothing of it goes`
      return { guard: 'expect', holds: 'all', number: breaches.length, threshold: keys, reason }
    },
  }
}
