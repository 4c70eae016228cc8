// What the files of a source look like (`expect`), judged after a file was read to its end and before anything of it is
// sent. Counts blanks and foreign values of a file on the way, and what would replace what was sent; the other expectations
// are about its header and its records.
import { columnIndex, foldedColumn } from '../../mapping/columns.ts'
import { cleanText } from '../../mapping/fields/field-check.ts'
import type { MappedRecord } from '../../mapping/mapping.ts'
import type { SourceItem } from '../../mapping/record.ts'
import type { PipelineSettings } from '../../settings.ts'
import { number, plural } from '../../words/format.ts'
import { allowedBy, limitText } from '../../words/limit.ts'
import type { Limit } from '../../words/scalars.ts'
import type { Accepted } from '../accepted.ts'
import type { KnownLink } from '../diff.ts'
import { expectedChanges } from './expected-changes.ts'
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
  /** Of those: contacts that the pipeline had no link to. */
  readonly added: number
  /** Of those: linked records that are rejected now. */
  readonly rejected: number
  /** Of the pipeline, before the file. */
  readonly links: number
  readonly last: Measure | undefined
}

const be = (count: number): string => (count === 1 ? 'is' : 'are')

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

function recordTexts({ records }: Expect, found: Found): string[] {
  const { mode, read, added, rejected, links, last } = found
  const texts: string[] = []
  const { least, change } = records ?? {}
  if (least !== undefined && read < least)
    texts.push(`${plural(read, 'record')}, at least ${number(least)} ${be(least)} expected`)
  if (change === undefined || mode !== 'full' || last?.mode !== 'full') return texts
  const most = allowedBy(change, last.records)
  // Where most of that file never became contacts, its records are new once more.
  const counts = [
    [Math.abs(read - last.records), plural(read, 'record')],
    [links * 2 < last.records ? 0 : added, `${number(added)} of ${number(read)} records ${be(added)} new`],
    [rejected, `${plural(rejected, 'linked record')} ${be(rejected)} rejected`],
  ] as const
  const than = `the last accepted file has ${number(last.records)}: a change of more than ${limitText(change, last.records)}`
  texts.push(...counts.flatMap(([count, text]) => (count > most ? [`${text}, ${than}`] : [])))
  return texts
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

const listOf = (values: NonNullable<Expect['values']>[string] | undefined): Watched['allowed'] =>
  Array.isArray(values) ? new Set(values.map(folded)) : undefined

function watchedColumns({ blank = {}, values = {} }: Expect, header: readonly string[]): Watched[] {
  const listed = Object.keys(values).filter((name) => Array.isArray(values[name]))
  return [...new Set([...Object.keys(blank), ...listed])].map((name) => ({
    name,
    place: columnIndex(header, name),
    allowed: listOf(values[name]),
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
  if (most !== undefined && counted.blank > allowedBy(most, rows))
    breaches.push({
      key: 'blank',
      text: `"${name}" is blank in ${number(counted.blank)} of ${number(rows)} rows, at most ${limitText(most, rows)} may be`,
    })
  if (allowed !== undefined && counted.foreign > 0)
    breaches.push({
      key: 'values',
      text: `"${name}" has ${plural(counted.foreign, 'value that is', 'values that are')} not in the list, the first on line ${counted.firstLine}`,
    })
  return breaches
}

function heldBy(breaches: readonly Breach[]): Hold | undefined {
  if (breaches.length === 0) return undefined
  const keys = [...new Set(breaches.map(({ key }) => `expect.${key}`))].join(', ')
  const texts = breaches.map(({ key, text }) => `expect.${key}: ${text}`).join('; ')
  const reason = `the file is not as expected: ${texts}; nothing from it is sent`
  return { guard: 'expect', holds: 'all', number: breaches.length, threshold: keys, reason }
}

export interface Expectation {
  /** Whether every row of the file must be seen. */
  readonly needsRows: boolean
  note(items: readonly SourceItem[]): void
  /** Called for each record that is mapped again, with what was sent of it before, and whether it creates a contact. */
  compare(mapped: MappedRecord, of: { readonly known: KnownLink | undefined; readonly isNew: boolean }): void
  /** Undefined where the file is as expected; else why nothing of it may be sent. */
  verdict(file: Pick<Found, 'read' | 'links' | 'last'>): Hold | undefined
}

/** Rows of an item: those that are no records have no columns to speak of. */
const rowsOf = (item: SourceItem) => (item.kind === 'record' ? (item.rows ?? [item]) : [])

/** What a pipeline expects of a file with this header; undefined where it expects nothing. */
export function expectationOf(
  pipeline: PipelineSettings,
  header: readonly string[],
): Expectation | undefined {
  const { expect, mode, source } = pipeline
  if (expect === undefined) return undefined
  const changes = expectedChanges(pipeline)
  let [added, rejected] = [0, 0]
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
    compare(mapped, { known, isNew }) {
      if (isNew) added += 1
      if (known === undefined) return
      if (mapped.kind === 'contact') changes.compare(known, mapped)
      else if (mapped.kind === 'rejected') rejected += 1
    },
    verdict({ read, links, last }) {
      const found = { header, mode, read, added, rejected, links, last }
      return heldBy([
        ...columnBreaches(expect, found),
        ...recordTexts(expect, found).map((text) => ({ key: 'records' as const, text })),
        ...watched.flatMap((column) => watchedBreaches(column, rows)),
        ...changes.breaches(links).map((text) => ({ key: 'values' as const, text })),
      ])
    },
  }
}
