// Finds a person's records in a JSON file, and gives the file without them. The records of others stay on the lines on which
// they were. What stands around the records is looked through, too: it stays, and is named.
import type { Naming, Sought } from '../../core/erasing.ts'
import { type Found, openStored, type StoredFile } from '../folder/erasing.ts'
import type { InputFile } from '../input-file.ts'
import { byteText } from '../text/readings.ts'
import { utf8Text } from '../text/text-stream.ts'
import { surveyText, type TextForm } from '../text/text-survey.ts'
import type { JsonOptions } from './options.ts'
import { type JsonLayout, jsonRecords } from './parse.ts'
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

function createNaming(sought: Sought): (text: string) => Naming | Promise<Naming> {
  const readers = sought.columns.map(columnReader)
  return (text) => {
    const value: unknown = JSON.parse(text)
    if (!isObject(value)) return sought.ofLine(byteText(Buffer.from(text)))
    const values = readers.map((read) => textOf(read(value)))
    // Serialized again, so that escaped letters are letters.
    return sought.ofRecord(sought.columns, values, JSON.stringify(value))
  }
}

/** Damaged brackets would hide records: the file is read as for a run. Throws INPUT_JSON and INPUT_RECORD_TOO_LARGE. */
async function assertWhole(name: string, parts: AsyncIterable<Buffer>, layout: JsonLayout): Promise<void> {
  for await (const _ of jsonRecords({ name, layout, parts }));
}

function layoutOf(depth: number, path: string | undefined): JsonLayout {
  if (depth === 0) return { kind: 'lines' }
  return depth === 1 || path === undefined ? { kind: 'list' } : { kind: 'inside', path: path.split('.') }
}

/** Around records there are brackets and names; more than this is no use to look at. */
const MOST_OUTSIDE = 256 * 1024

interface Place {
  readonly form: TextForm
  readonly depth: number
}

async function* contentOf(
  opened: () => Promise<InputFile>,
  { form, depth }: Place,
  isTheirs: (text: string) => boolean,
): AsyncGenerator<Buffer> {
  const file = await opened()
  try {
    yield* withoutRecords(utf8Text(file, form), { depth, isTheirs })
  } finally {
    await file.close()
  }
}

/** Throws a SyncError of class `input` for a file that is no text. */
export async function findObjects(put: StoredFile, options: JsonOptions, sought: Sought): Promise<Found> {
  const opened = (): Promise<InputFile> => openStored(put)
  const naming = createNaming(sought)
  let isUncertain = false
  const file = await opened()
  try {
    const form = await surveyText(file, options.encoding)
    const path = /\.rejects\.jsonl(\.gz)?$/.test(put.name) ? undefined : options.records
    const depth = await depthOf(utf8Text(file, form), path)
    await assertWhole(put.input.name, utf8Text(file, form), layoutOf(depth, path))
    let outside = ''
    // Which of the records, by their number: they are asked about once.
    const theirs = new Set<number>()
    let number = 0
    const look = async (text: string): Promise<boolean> => {
      const one = await naming(text)
      if (one === 'surely') theirs.add(number)
      if (one === 'maybe') isUncertain = true
      number += 1
      return false
    }
    const around = (part: Buffer): void => {
      if (outside.length < MOST_OUTSIDE) outside += byteText(part).replaceAll(/[\s,[\]{}]+/g, ' ')
    }
    for await (const _ of withoutRecords(utf8Text(file, form), { depth, isTheirs: look, around }));
    if ((await sought.ofLine(outside)) !== undefined) isUncertain = true
    return {
      records: theirs.size,
      // Lines are not counted here.
      uncertain: isUncertain ? [1] : [],
      content() {
        let at = 0
        return contentOf(opened, { form, depth }, () => theirs.has(at++))
      },
    }
  } finally {
    await file.close()
  }
}
