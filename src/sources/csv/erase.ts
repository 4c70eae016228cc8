// Finds a person's rows in a CSV file, and gives the file without them. The rows of others stay on the lines on which they
// were. What stands before the first record is looked through line by line: in a file without a header it is a record.
import type { Naming, Sought } from '../../core/erasing.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import { unitOf, withoutLines } from '../text/blank-lines.ts'
import { type Found, openStored, storedBytes, type StoredFile } from '../folder/erasing.ts'
import { createSpans, type Spans, searchLines } from '../text/search-lines.ts'
import type { CsvOptions } from './options.ts'
import { readCsv } from './reader.ts'

type Asked = (values: readonly string[]) => Naming | Promise<Naming>

/** Notes lines of their records, the last one to the end of the file. Gives the lines of the first and the last record. */
async function searchRows(
  batches: AsyncIterable<readonly SourceItem[]>,
  naming: Asked,
  spans: Spans,
): Promise<{ first: number; last: number }> {
  const seen = { first: Number.POSITIVE_INFINITY, last: Number.POSITIVE_INFINITY }
  let open: { line: number; naming: Naming } | undefined
  for await (const batch of batches)
    for (const { line, values } of batch) {
      if (open !== undefined) spans.note(open.naming, open.line, line - 1)
      open = { line, naming: await naming(values) }
      seen.first = Math.min(seen.first, line)
      seen.last = line
    }
  if (open !== undefined) spans.note(open.naming, open.line, Number.POSITIVE_INFINITY)
  return seen
}

/** Throws a SyncError of class `input` for a file that cannot be read as rows. */
export async function findRows(file: StoredFile, options: CsvOptions, sought: Sought): Promise<Found> {
  const { columns } = sought
  const reader = await readCsv(await openStored(file), options, { columns })
  const { header, encoding } = reader
  const [before, rows, after] = [createSpans(), createSpans(), createSpans()]
  const seen = await searchRows(reader.batches(), (values) => sought.ofRecord(header, values), rows).finally(
    () => reader.close(),
  )
  await searchLines(storedBytes(file), { encoding, to: seen.first - 1 }, sought, before)
  // A footer is no record; nor is what follows the last one within its own lines.
  if (options.skip_footer > 0)
    await searchLines(storedBytes(file), { encoding, from: seen.last + 1 }, sought, after)
  const all = [before, rows, after]
  const gone = all.flatMap(({ gone: lines }) => lines)
  return {
    records: gone.length,
    uncertain: all.flatMap(({ uncertain }) => uncertain),
    content: () => withoutLines(storedBytes(file), gone, unitOf(encoding)),
  }
}
