// What the files alone say should be: which rows are good, and what each wants. Written from the contract, beside the
// program and without any of its code.
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HEADER } from './people.ts'
import { FIELD_COLUMNS, STAMP_FIELD } from './setup.ts'
import type { SimulatedFile, SimulatedSource } from './simulated-source.ts'

export interface Wanted {
  readonly key: string
  readonly stamp: string
  readonly mail: string
  readonly fields: Readonly<Record<string, string>>
  readonly terms: readonly string[]
  /** mail_status, where the pipeline maps it. */
  readonly status: number | undefined
  /** The day of its evidence. */
  readonly consented: string
}

/** What one file says. */
export interface Reading {
  readonly wanted: ReadonlyMap<string, Wanted>
  /** Keys of rows that are not good. */
  readonly bad: ReadonlySet<string>
  /** Rows whose key cannot be told. */
  readonly unidentified: number
  readonly rows: number
}

type Row = readonly string[]

export const cell = (row: Row, column: string): string => row[HEADER.indexOf(column as 'no')] ?? ''

const ADDRESS = ['first', 'last', 'street', 'city', 'zip']

function termsOf(row: Row, pipeline: PipelineSettings): string[] {
  const names = pipeline.terms.assign.flatMap((entry) =>
    'name' in entry ? [entry.name] : cell(row, entry.column).split('|'),
  )
  return [...new Set(names.filter((name) => name !== ''))]
}

function wantedBy(row: Row, key: string, pipeline: PipelineSettings): Wanted {
  const columns = Object.entries({ ...FIELD_COLUMNS, [STAMP_FIELD[pipeline.name] ?? '']: 'stamp' })
  const fields = columns.map(([field, column]) => [field, cell(row, column)] as const)
  const kept = fields.filter(([, value]) => value !== '' || pipeline.blank === 'clear')
  return {
    key,
    stamp: cell(row, 'stamp'),
    mail: cell(row, 'mail'),
    fields: Object.fromEntries(kept),
    terms: termsOf(row, pipeline),
    status: pipeline.map['mail_status'] === undefined ? undefined : Number(cell(row, 'status')),
    consented: cell(row, 'consented'),
  }
}

export function keyOf(row: Row, pipeline: PipelineSettings): string | undefined {
  const mail = cell(row, 'mail')
  if (row.length !== HEADER.length) return undefined
  if (pipeline.key !== undefined) return cell(row, 'no') === '' ? undefined : cell(row, 'no')
  return mail.includes('@') ? mail : undefined
}

function isGood(row: Row, pipeline: PipelineSettings): boolean {
  const mail = cell(row, 'mail')
  if (mail !== '' && !mail.includes('@')) return false
  if (mail === '' && ADDRESS.some((column) => cell(row, column) === '')) return false
  return pipeline.terms.create_missing || termsOf(row, pipeline).every((name) => !name.startsWith('Unknown'))
}

export function readingOf(file: SimulatedFile, pipeline: PipelineSettings): Reading {
  const byKey = new Map<string, Row>()
  const bad = new Set<string>()
  let unidentified = 0
  for (const [index, row] of file.rows.entries()) {
    // What was cut off may have been another key.
    const isCut = file.isLastCut && index === file.rows.length - 1
    const key = isCut ? undefined : keyOf(row, pipeline)
    if (key === undefined) {
      unidentified += 1
      continue
    }
    // Only accepted rows claim a key: a bad one neither blocks a later good one nor wins over an earlier one.
    if (!isGood(row, pipeline) || (byKey.has(key) && pipeline.on_duplicate_key === 'reject')) bad.add(key)
    else byKey.set(key, row)
  }
  const wanted = new Map([...byKey].map(([key, row]) => [key, wantedBy(row, key, pipeline)]))
  return { wanted, bad, unidentified, rows: file.rows.length }
}

/** What the files that were worked on say together. */
export interface Expected {
  /** By key: every version that may count now; the last is what the files archived as done say. */
  readonly candidates: ReadonlyMap<string, readonly Wanted[]>
  /** By key: everything that was ever wanted. */
  readonly ever: ReadonlyMap<string, readonly Wanted[]>
  /** The last full export that counts; undefined where there is none, or the pipeline is not full. */
  readonly lastFull: Reading | undefined
  /** How many full exports in a row, up to the last, lack the key; of those that were opened after `since`. */
  missingIn(key: string, since: number): number
}

export function expectedOf(source: SimulatedSource, pipeline: PipelineSettings): Expected {
  const done = source.putAway.filter(
    ({ folder, file }) => folder === 'processed' && file.cutAfter === undefined,
  )
  // By the last time that each was opened before it was done with: what a killed run had read is read again, maybe behind others.
  const whole = source.opened.filter(
    (file, index, all) =>
      file.cutAfter === undefined && all.slice(0, file.doneAt ?? all.length).lastIndexOf(file) === index,
  )
  const doneVersions = new Set(done.map(({ file }) => file.input.version))
  const readings = new Map(whole.map((file) => [file.input.version, readingOf(file, pipeline)]))
  const candidates = new Map<string, Wanted[]>()
  const ever = new Map<string, Wanted[]>()
  const isFull = pipeline.mode === 'full'
  const fulls = whole.filter(({ rows, input }) => rows.length > 0 && input.isPart !== true)
  const lastDone = done
    .filter(({ file }) => file.input.isPart !== true)
    .map(({ file }) => readings.get(file.input.version))
    .filter((one) => (one?.rows ?? 0) > 0)
  for (const [version, { wanted }] of readings)
    for (const [key, one] of wanted) {
      ever.set(key, [...(ever.get(key) ?? []), one])
      const before = candidates.get(key) ?? []
      // What was not archived was replaced while it was worked on: it may have counted, or not.
      candidates.set(key, doneVersions.has(version) ? [one] : [...before, one])
    }
  return {
    candidates,
    ever,
    lastFull: isFull ? lastDone.at(-1) : undefined,
    missingIn(key, since) {
      const seen = new Set<string>()
      for (const { input, openedAt } of fulls.toReversed()) {
        const reading = readings.get(input.version)
        if (openedAt <= since || reading?.wanted.has(key) === true || reading?.bad.has(key) === true) break
        seen.add(input.version)
      }
      return seen.size
    },
  }
}
