// From a JSON record to text values: which part of it a column means, and how that part reads as text.
// Names in the data are data: nothing is ever looked up on a prototype.
import { SyncError } from '../../core/words/errors.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** A number that JavaScript cannot hold as it was written. `JSON.stringify` writes it out unchanged. */
interface RawNumber {
  readonly rawJSON: string
}

// Node has these since 21; TypeScript's library does not name them yet.
interface JsonWithRaw {
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): value is RawNumber
}
const json = JSON as typeof JSON & JsonWithRaw

type Step =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'where'; readonly name: string; readonly value: string }

/** Finds a column's value in a record; undefined where it is absent. */
export type ColumnReader = (record: JsonObject) => unknown

const STEP = /\.?([^.[\]]+)|\[(\d+)\]|\[([^=[\]]+)=([^\]]*)\]/gy

/** The number as it was written: `1.50` and numbers of many digits keep what a double would lose. */
export function keptNumber(text: string): number | RawNumber {
  const value = Number(text)
  return String(value) === text ? value : json.rawJSON(text)
}

type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown

const keepingNumbers: Reviver = (_, value, { source }) =>
  typeof value === 'number' && source !== undefined ? keptNumber(source) : value

/** Numbers that a double may not write as they were written; a text within may look like one, too. */
const DELICATE = /(?:^|[:,[])\s*(?:-0|-?(?:\d{16}|\d+[.eE]))/

/** A whole text of JSON, its numbers as they were written. Throws a SyntaxError. */
export const parsedJson = (text: string): unknown =>
  DELICATE.test(text)
    ? JSON.parse(text, keepingNumbers as (name: string, value: unknown) => unknown)
    : JSON.parse(text)

/** A value on one line. Throws SOURCE_ANSWER for one that is nested too deeply to be written. */
export function jsonLine(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new SyncError('SOURCE_ANSWER', 'a record is nested too deeply', { cause: error })
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !json.isRawJSON(value)
}

/**
 * What a column's name means: a member of exactly this name, else a path (`properties.email`,
 * `emails[0].value`, `emails[type=work].value`). Members are matched exactly first, then without case
 * and surrounding blanks, as columns are everywhere.
 */
export function columnReader(column: string): ColumnReader {
  const steps = pathSteps(column)
  return (record) => {
    if (Object.hasOwn(record, column)) return record[column]
    return steps.reduce<unknown>(follow, record)
  }
}

/** The path that a name stands for; a name that is no path is one plain name. */
export function pathSteps(column: string): Step[] {
  const steps: Step[] = []
  let end = 0
  for (const match of column.matchAll(STEP)) {
    end = match.index + match[0].length
    const [, name, index, member, value] = match
    if (name !== undefined) steps.push({ kind: 'name', name })
    else if (index !== undefined) steps.push({ kind: 'index', index: Number(index) })
    else steps.push({ kind: 'where', name: member ?? '', value: value ?? '' })
  }
  return end > 0 && end === column.length && !column.startsWith('.')
    ? steps
    : [{ kind: 'name', name: column }]
}

function follow(value: unknown, step: Step): unknown {
  if (step.kind === 'name') return isObject(value) ? member(value, step.name) : undefined
  if (!Array.isArray(value)) return undefined
  const list: readonly unknown[] = value
  if (step.kind === 'index') return list[step.index]
  return list.find((entry) => isObject(entry) && textOf(member(entry, step.name)) === step.value)
}

/** The value of this name: exactly, else without case and surrounding blanks. */
export function member(object: JsonObject, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name]
  const wanted = folded(name)
  const found = Object.keys(object).find((key) => folded(key) === wanted)
  return found === undefined ? undefined : object[found]
}

function folded(name: string): string {
  return name.trim().toLowerCase()
}

/**
 * A value as text: strings verbatim, numbers as written, `true` and `false`, nothing for null and absent,
 * lists of plain values joined with `;`, anything else as JSON.
 */
export function textOf(value: unknown): string {
  const plain = plainText(value)
  if (plain !== undefined) return plain
  if (Array.isArray(value)) {
    const parts = value.map(plainText)
    if (parts.every((part) => part !== undefined)) return parts.join(';')
  }
  return JSON.stringify(value)
}

function plainText(value: unknown): string | undefined {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return json.isRawJSON(value) ? value.rawJSON : undefined
}
