// The json kind: a drop folder of JSON files, an array or JSON lines, with values by path. The life of the files is that
// of the csv kind; a record's columns are the paths that the mapping names.
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { Clock, InputReader, RejectRow, Source } from '../../core/ports.ts'
import type { SourceItem } from '../../core/record.ts'
import { createArchive } from '../archive.ts'
import { surveyBytes } from '../bytes.ts'
import { type ClaimedFile, createDropFolder } from '../drop-folder.ts'
import { decodedText, fileEncoding } from '../encoding.ts'
import type { SourceKind } from '../kind.ts'
import { folderOptions } from '../options.ts'
import { writeRejectsCsv } from '../rejects-csv.ts'
import { type JsonValue, parsedValues } from './parse.ts'
import { pathReader } from './path.ts'

const jsonSchema = z.strictObject({
  ...folderOptions(['*.json', '*.jsonl', '*.ndjson']),
  records: z
    .string()
    .regex(/^[^.\s]+(\.[^.\s]+)*$/, 'is no path; write results or data.contacts')
    .optional()
    .describe("Where the array of records lies inside the file's object: results, data.contacts."),
})

type JsonOptions = z.output<typeof jsonSchema>

const BATCH = 500

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function recordItem(
  { value, line }: JsonValue,
  readers: readonly ((record: object) => string)[],
): SourceItem {
  const text = JSON.stringify(value)
  if (isObject(value)) return { kind: 'record', values: readers.map((read) => read(value)), line, text }
  return {
    kind: 'defect',
    code: 'RECORD_NOT_AN_OBJECT',
    message: 'the record is no JSON object',
    values: [],
    line,
    text,
  }
}

async function* batched<T>(pieces: AsyncIterable<readonly T[]>): AsyncGenerator<T[]> {
  let items: T[] = []
  for await (const piece of pieces) {
    items.push(...piece)
    while (items.length >= BATCH) {
      yield items.slice(0, BATCH)
      items = items.slice(BATCH)
    }
  }
  if (items.length > 0) yield items
}

async function openJson(
  file: ClaimedFile,
  options: JsonOptions,
  columns: readonly string[],
): Promise<InputReader> {
  const survey = await surveyBytes(file.handle)
  const encoding = fileEncoding(survey, 'auto')
  const readers = columns.map(pathReader)
  let bytes = 0
  return {
    header: columns,
    bytesRead: () => bytes,
    sha256: () => survey.sha256,
    close: () => file.handle.close(),
    async *batches() {
      const text = decodedText(file.handle, encoding, (read) => (bytes = read))
      for await (const values of batched(parsedValues(text, options.records)))
        yield values.map((value) => recordItem(value, readers))
      await file.assertUnchanged()
    },
  }
}

const collected = async (rows: AsyncIterable<RejectRow>): Promise<RejectRow[]> => {
  const all: RejectRow[] = []
  for await (const row of rows) all.push(row)
  return all
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item)
}

/** One record a line, so that the file can be mended and dropped again; what is no object is only in the CSV. */
function* rejectLines(rows: readonly RejectRow[]): Generator<string> {
  for (const { text, reason, file, line } of rows) {
    const record: unknown = text === undefined ? undefined : JSON.parse(text)
    if (isObject(record))
      yield `${JSON.stringify({ ...record, _reason: reason, _file: file, _line: line })}\n`
  }
}

function createJsonSource(options: JsonOptions, clock: Clock): Source {
  const dropFolder = createDropFolder(options, clock)
  const archive = createArchive(dropFolder, options.folder)
  return {
    list: dropFolder.list,
    isWaiting: dropFolder.isWaiting,
    archive: archive.archive,
    async open(input, { columns }) {
      const file = await dropFolder.claim(input)
      try {
        return await openJson(file, options, columns)
      } catch (error) {
        await file.handle.close()
        throw error
      }
    },
    async writeRejects(input, to, header, rows) {
      const all = await collected(rows)
      if (all.length === 0) return
      await archive.writeBeside(input, to, '.rejects.csv', (path) => writeRejectsCsv(path, header, each(all)))
      await archive.writeBeside(input, to, '.rejects.jsonl', (path) =>
        pipeline(rejectLines(all), createWriteStream(path, { flush: true })),
      )
    },
  }
}

export const jsonKind: SourceKind = {
  help: 'JSON files in a drop folder: an array of records, or JSON lines; columns are paths into a record.',
  example: 'source: { type: json, folder: ../state/inbox/crm, records: results }',
  schema: jsonSchema,
  create: (options, { clock }) => createJsonSource(options as JsonOptions, clock),
}
