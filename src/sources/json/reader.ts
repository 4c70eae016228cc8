// Reads one JSON file: finds out how its records lie in it, and makes the values of the mapping's columns
// from each of them. It has no header: the mapping's columns, which are paths, are its header.
import { SyncError } from '../../core/words/errors.ts'
import type { InputReader, OpenOptions } from '../../core/ports.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import { checkedWhole, closingOnFailure, type InputFile } from '../input-file.ts'
import { isSupplement } from '../supplement.ts'
import { surveyText, type TextForm } from '../text/text-survey.ts'
import { utf8Text } from '../text/text-stream.ts'
import { watchAbsence } from './absent.ts'
import type { JsonOptions } from './options.ts'
import { jsonRecords, type JsonLayout, type JsonRecord } from './parse.ts'
import { columnReader, isObject, textOf, type ColumnReader, type JsonObject } from './values.ts'

/** Our own rejects are one record a line, wherever the records of other files are. */
const OWN_REJECTS = /\.rejects\.(jsonl|ndjson|json)(\.gz)?$/i

/** Opens a file as JSON; closes it when that fails. Throws a SyncError of class `input` or `later`. */
export function readJson(
  file: InputFile,
  options: JsonOptions,
  { columns: asked, optional = [] }: Pick<OpenOptions, 'columns' | 'optional'>,
): Promise<InputReader> {
  return closingOnFailure(file, async () => {
    const form = await surveyText(file, options.encoding)
    const isOurs = OWN_REJECTS.test(file.name)
    const path = isOurs ? undefined : options.records
    const layout = await layoutOf(file, form, path)
    const parsed = (): AsyncGenerator<JsonRecord[]> =>
      jsonRecords({ name: file.name, layout, parts: utf8Text(file, form) })
    const missing = await missingColumns(parsed, optional)
    const columns = asked.filter((column) => !missing.includes(column))
    const records = parsed()
    const readers = columns.map(columnReader)
    const refuse = refuseWrapper(file.name, layout)
    // What of a file was rejected may lack what its other records had.
    const absence = watchAbsence(options.sparse || isOurs ? [] : columns)
    let supplement = isSupplement(file.name, [])
    const check: Check = (record, values) => {
      refuse(record, values)
      supplement ||= isSupplement(file.name, Object.keys(record))
      absence.note(record)
    }
    const all = async function* () {
      yield* items(records, readers, check)
      absence.assertNone(file.name)
    }
    return {
      header: columns,
      ...(form.twiceEncoded === undefined ? {} : { twiceEncoded: form.twiceEncoded }),
      ...(form.contradicted === undefined ? {} : { contradicted: form.contradicted }),
      bytesRead: () => file.bytesRead(),
      batches: () => checkedWhole(file, all()),
      sha256: () => file.sha256(),
      isSupplement: () => supplement,
      close: async () => {
        await records.return(undefined)
        await file.close()
      },
    }
  })
}

/** What is in a file, without columns. `path`: where the list of records is. */
export async function* jsonValues(file: InputFile, path: string | undefined): AsyncGenerator {
  const form = await surveyText(file, 'auto')
  const layout = await layoutOf(file, form, path)
  for await (const records of jsonRecords({ name: file.name, layout, parts: utf8Text(file, form) }))
    for (const { value } of records) yield value
}

/** The optional columns that no record has: found by a reading of the whole file, where there are such columns at all. */
async function missingColumns(
  parsed: () => AsyncIterable<JsonRecord[]>,
  optional: readonly string[],
): Promise<readonly string[]> {
  if (optional.length === 0) return []
  let missing = optional.map((column) => ({ column, read: columnReader(column) }))
  for await (const records of parsed())
    for (const { value } of records)
      if (isObject(value) && missing.length > 0)
        missing = missing.filter(({ read }) => read(value) === undefined)
  return missing.map(({ column }) => column)
}

/** The first character that is no blank tells a list from objects. Throws INPUT_EMPTY if there is none. */
async function layoutOf(file: InputFile, form: TextForm, path: string | undefined): Promise<JsonLayout> {
  for await (const part of utf8Text(file, form)) {
    const first = /[^\s]/.exec(part.toString('utf8'))?.[0]
    if (first === undefined) continue
    if (first === '[') return { kind: 'list' }
    return path === undefined ? { kind: 'lines' } : { kind: 'inside', path: path.split('.') }
  }
  throw new SyncError('INPUT_EMPTY', `${file.name} has no record`)
}

type Check = (record: JsonObject, values: readonly string[]) => void

/**
 * Refuses a file whose first object is not a record but something around the records: it would be one
 * record without any of the mapped values.
 */
function refuseWrapper(name: string, layout: JsonLayout): Check {
  let isFirst = layout.kind === 'lines'
  return (record, values) => {
    if (!isFirst) return
    isFirst = false
    if (values.some((value) => value !== '')) return
    const list = Object.keys(record).find((key) => isListOfObjects(record[key]))
    if (list === undefined) return
    throw new SyncError('INPUT_JSON', `${name} is one object around a list of records`, {
      hint: `Set source.records to the list's name (${JSON.stringify(list)} looks like it).`,
    })
  }
}

function isListOfObjects(value: unknown): boolean {
  return Array.isArray(value) && isObject(value[0])
}

async function* items(
  batches: AsyncIterable<JsonRecord[]>,
  readers: readonly ColumnReader[],
  check: Check,
): AsyncGenerator<SourceItem[]> {
  for await (const records of batches) {
    yield records.map((record) => item(record, readers, check))
  }
}

function item({ value, line }: JsonRecord, readers: readonly ColumnReader[], check: Check): SourceItem {
  const text = JSON.stringify(value)
  if (!isObject(value)) {
    const message = `The record is ${kindOf(value)}, not an object`
    return { kind: 'defect', code: 'RECORD_NOT_AN_OBJECT', message, values: [], line, text }
  }
  const values = readers.map((read) => textOf(read(value)))
  check(value, values)
  return { kind: 'record', values, line, text }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return 'a text'
  return typeof value === 'boolean' ? 'true or false' : 'a number'
}
