// The options of a CSV source. What is left on `auto` is found out for each file anew.
import { z } from 'zod'
import { folderOptions } from '../options.ts'

const TAB_NAMES = ['\\t', 'tab']

export const csvOptions = z.strictObject({
  ...folderOptions(['*.csv']),
  delimiter: z
    .enum(['auto', ',', ';', '\t', '|', '\\t', 'tab'])
    .default('auto')
    .transform((value) => (TAB_NAMES.includes(value) ? '\t' : value))
    .describe('What separates the values: auto, "," ";" tab or "|".'),
  quote: z
    .string()
    .regex(/^([^\sA-Za-z0-9,;|]|none)$/u, 'must be one character that is no delimiter, or none')
    .default('"')
    .transform((value) => (value === 'none' ? undefined : value))
    .describe('What values with delimiters or line breaks are put in; none: quotes are plain text.'),
  skip_lines: z.int().min(0).default(0).describe('Lines before the header that are passed over.'),
  skip_footer: z.int().min(0).default(0).describe('Records at the end that are dropped, totals for example.'),
  header: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe('Column names for files without a header line; by default the first line has them.'),
  ragged: z
    .enum(['reject', 'pad'])
    .default('reject')
    .describe(
      'Rows shorter than the header: reject them, or pad them with blank values at the end where most rows lack the same ones. A surplus of blank values is accepted where most rows have it; every other row that does not fit is rejected.',
    ),
  last_line: z
    .enum(['reject', 'accept'])
    .default('reject')
    .describe(
      'A last row without a line break, where the other rows have one, may have been cut off: it is rejected, and the deletes of that file are held. accept: the files of this source never end with a line break.',
    ),
  max_record_bytes: z
    .int()
    .min(1024)
    .default(1024 * 1024)
    .describe('The largest record; a larger one points to a quote that was never closed.'),
})

export type CsvOptions = z.output<typeof csvOptions>
