// The options of a CSV source. What is left on `auto` is detected for each file.
import { z } from 'zod'
import { orPacked } from '../gzip.ts'
import { folderOptions } from '../options.ts'

const TAB_NAMES = ['\\t', 'tab']
/** Text, so that a variable of the environment may give the number. */
const SKIP_LINES = /^(auto|\d{1,6})$/

/** A number, or `auto`. */
export const skipLines = z
  .union([z.int().min(0), z.string().regex(SKIP_LINES)], {
    error: 'is not a number of lines; write one, or auto to have the header found',
  })
  .prefault(0)
  .transform((value) => (value === 'auto' ? value : Number(value)))

export const csvOptions = z
  .strictObject({
    ...folderOptions(orPacked(['*.csv'])),
    delimiter: z
      .enum(['auto', ',', ';', '\t', '|', '\\t', 'tab'])
      .default('auto')
      .transform((value) => (TAB_NAMES.includes(value) ? '\t' : value))
      .describe('What separates the values: auto, "," ";" tab or "|".'),
    quote: z
      .string()
      .regex(/^([^\sA-Za-z0-9,;|]|none)$/u, 'must be one character that is not a delimiter, or none')
      .default('"')
      .transform((value) => (value === 'none' ? undefined : value))
      .describe('The character around values with delimiters or line breaks; none: quotes are plain text.'),
    skip_lines: skipLines.describe(
      'Lines before the header that are skipped. auto: of the first 50 lines, the header is the one that names most mapped columns; a file in which two name as many is refused.',
    ),
    skip_footer: z
      .int()
      .min(0)
      .default(0)
      .describe('Records at the end that are dropped, totals for example.'),
    header: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Column names for files without a header line; by default the first line has them.'),
    ragged: z
      .enum(['reject', 'auto', 'pad'])
      .default('reject')
      .describe(
        'Rows with more or fewer values than the header. auto: a surplus of blank values is accepted, and missing values at the end are filled with blanks, if most rows of the file have the same; every other such row is rejected. reject: only the surplus of most rows is accepted. pad: as reject, and every row with too few values is filled with blanks at its end.',
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
  .check((ctx) => {
    const { skip_lines, header } = ctx.value
    if (skip_lines !== 'auto' || header === undefined) return
    const message =
      'detects a header line, but header says that there is none; write the number of lines, or leave it out'
    ctx.issues.push({ code: 'custom', input: skip_lines, path: ['skip_lines'], message })
  })

export type CsvOptions = z.output<typeof csvOptions>
