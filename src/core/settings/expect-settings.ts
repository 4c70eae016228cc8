// The schema of `expect`: what the files of a source look like. A file that breaks it is held as a whole.
import { z } from 'zod'
import { shareOrCount, text } from '../words/scalars.ts'

const records = z.strictObject({
  least: z.int().min(1).optional().describe('The least number of records.'),
  change: shareOrCount
    .optional()
    .describe(
      'For full exports: how much the number of records may differ from the last accepted file, as a share or a count; also the limit for new records, and for linked records that are rejected.',
    ),
})

/** What may stand in a column: one of a list, or anything, as long as it seldom changes. */
const columnValues = z.union([
  z.array(z.string()).min(1),
  z.strictObject({
    change: shareOrCount.describe(
      'For how many linked records, as a share of all or a count, a value that was sent may be replaced by another one, or by one that cannot be read.',
    ),
  }),
])

export const expectSchema = z
  .strictObject({
    columns: z
      .enum(['exact', 'at_least'])
      .optional()
      .describe(
        'The columns, compared with the last accepted file: `exact` the same ones, `at_least` all of them. Their order does not matter.',
      ),
    records: records.optional().describe('How many records a file has.'),
    blank: z
      .record(text, shareOrCount)
      .optional()
      .describe('For a column: how many of its values may be blank, `{ Phone: 40% }`.'),
    values: z
      .record(text, columnValues)
      .optional()
      .describe(
        'For a column: its possible values, `{ Status: [active, inactive] }`, a blank is none; or how many of them may be replaced, `{ Last name: { change: 5% } }`.',
      ),
  })
  .refine((expect) => Object.values(expect).some((value) => value !== undefined), {
    error: 'is empty; write columns, records, blank or values, or leave it out',
  })
