// The options of a JSON source.
import { z } from 'zod'
import { orPacked } from '../gzip.ts'
import { folderOptions } from '../options.ts'

export const jsonOptions = z.strictObject({
  ...folderOptions([...orPacked(['*.json', '*.jsonl', '*.ndjson']), '*.rejects.csv']),
  records: z
    .string()
    .regex(/^[^.*]+(\.[^.*]+)*$/, 'must be names joined with dots, such as data.contacts')
    .optional()
    .describe('Where the list of records is when the file is an object around it: results or data.contacts.'),
  sparse: z
    .boolean()
    .default(false)
    .describe(
      'Whether records omit blank values. Otherwise a file in which no record has a mapped column is rejected.',
    ),
})

export type JsonOptions = z.output<typeof jsonOptions>
