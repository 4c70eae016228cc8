// Takes one person's rows out of an archived CSV file. The rows of others stay on the lines on which they were.
import { createReadStream } from 'node:fs'
import type { SourceItem } from '../../core/record.ts'
import { type LineSpan, unitOf, withoutLines } from '../blank-lines.ts'
import { type ArchivedFile, replaceContent, type Theirs } from '../erasing.ts'
import { openInputFile } from '../input-file.ts'
import { surveyText } from '../text-survey.ts'
import type { CsvOptions } from './options.ts'
import { readCsv } from './reader.ts'

/** Lines of the person's records; the last one of a file goes to its end. */
async function spansOf(
  batches: AsyncIterable<readonly SourceItem[]>,
  isTheirs: (values: readonly string[]) => boolean,
): Promise<LineSpan[]> {
  const spans: LineSpan[] = []
  let open: number | undefined
  for await (const batch of batches)
    for (const { line, values } of batch) {
      if (open !== undefined) spans.push({ first: open, last: line - 1 })
      open = isTheirs(values) ? line : undefined
    }
  if (open !== undefined) spans.push({ first: open, last: Number.POSITIVE_INFINITY })
  return spans
}

/** How many rows were taken out. Throws a SyncError of class `input` for a file that cannot be read as rows. */
export async function eraseRows(put: ArchivedFile, options: CsvOptions, theirs: Theirs): Promise<number> {
  const opened = () => openInputFile(Buffer.from(put.path), put.input)
  const reader = await readCsv(await opened(), options)
  const spans = await spansOf(reader.batches(), (values) => theirs.isTheirs(reader.header, values)).finally(
    () => reader.close(),
  )
  if (spans.length === 0) return 0
  const file = await opened()
  const { encoding } = await surveyText(file, options.encoding).finally(() => file.close())
  const bytes = createReadStream(put.path) as AsyncIterable<Buffer>
  await replaceContent(put, withoutLines(bytes, spans, unitOf(encoding)))
  return spans.length
}
