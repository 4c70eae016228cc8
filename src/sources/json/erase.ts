// Takes one person's records out of an archived JSON file. The records of others stay on the lines on which they were.
import { type ArchivedFile, replaceContent, type Theirs } from '../erasing.ts'
import { openInputFile } from '../input-file.ts'
import { utf8Text } from '../text-stream.ts'
import { surveyText } from '../text-survey.ts'
import type { JsonOptions } from './options.ts'
import { columnReader, isObject, textOf } from './values.ts'
import { withoutRecords } from './without-records.ts'

/** How many brackets stand around a record. */
async function depthOf(parts: AsyncIterable<Buffer>, path: string | undefined): Promise<number> {
  for await (const part of parts) {
    const first = /[^\s]/.exec(part.toString('utf8'))?.[0]
    if (first === '[') return 1
    if (first !== undefined) return path === undefined ? 0 : path.split('.').length + 1
  }
  return 0
}

/** How many records were taken out. Throws a SyncError of class `input`, or a SyntaxError, for a file that is no JSON. */
export async function eraseObjects(put: ArchivedFile, options: JsonOptions, theirs: Theirs): Promise<number> {
  const readers = theirs.columns.map(columnReader)
  let records = 0
  const isTheirs = (text: string): boolean => {
    const value: unknown = JSON.parse(text)
    const values = isObject(value) ? readers.map((read) => textOf(read(value))) : []
    const found = theirs.isTheirs(theirs.columns, values) || theirs.isNamed(text)
    if (found) records += 1
    return found
  }
  const file = await openInputFile(Buffer.from(put.path), put.input)
  try {
    const form = await surveyText(file, options.encoding)
    const path = put.name.endsWith('.rejects.jsonl') ? undefined : options.records
    const depth = await depthOf(utf8Text(file, form), path)
    const look = withoutRecords(utf8Text(file, form), { depth, isTheirs })
    for await (const _ of look);
    if (records === 0) return 0
    const found = records
    await replaceContent(put, withoutRecords(utf8Text(file, form), { depth, isTheirs }))
    return found
  } finally {
    await file.close()
  }
}
