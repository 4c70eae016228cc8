// The options of the csv kind, as a pipeline's `source` gives them.
import { z } from 'zod'
import { isKnownEncoding } from '../encoding.ts'
import { folderOptions } from '../options.ts'

const DELIMITER_NAMES: Readonly<Record<string, string>> = {
  tab: '\t',
  '\\t': '\t',
  comma: ',',
  semicolon: ';',
  pipe: '|',
}

const delimiter = z
  .string()
  .transform((text) => DELIMITER_NAMES[text.toLowerCase()] ?? text)
  .refine(
    (text) => text === 'auto' || text.length === 1,
    'is no delimiter; write one character, tab, or auto',
  )

const encoding = z
  .string()
  .refine(
    (name) => name === 'auto' || isKnownEncoding(name),
    'is no known encoding; write utf-8, utf-16le, windows-1252, iso-8859-2 ... or auto',
  )

const quote = z
  .string()
  .refine((text) => text === 'none' || text.length === 1, 'is no quote; write one character, or none')

export const csvSchema = z
  .strictObject({
    ...folderOptions(['*.csv']),
    encoding: encoding
      .default('auto')
      .describe('The encoding of the files; auto looks at the bytes. A byte order mark always wins.'),
    delimiter: delimiter.default('auto').describe('What stands between values: one character, tab, or auto.'),
    quote: quote.default('"').describe('The quote around values; none: quotes are text.'),
    skip_lines: z
      .int()
      .min(0)
      .max(1000)
      .default(0)
      .describe('Lines before the header that are no part of the table.'),
    skip_footer: z
      .int()
      .min(0)
      .max(100)
      .default(0)
      .describe('Rows at the end that are no records (totals, say).'),
    header: z
      .array(z.string())
      .min(1)
      .optional()
      .describe('Column names for files that have no header line.'),
    ragged: z
      .enum(['reject', 'pad'])
      .default('reject')
      .describe('Rows shorter than the header: reject them, or pad missing trailing values.'),
    max_record_bytes: z
      .int()
      .min(1024)
      .max(64 * 1024 * 1024)
      .default(1024 * 1024)
      .describe('A larger record refuses the file: it points to an unclosed quote.'),
  })
  .transform(({ skip_lines, skip_footer, max_record_bytes, ...rest }) => ({
    ...rest,
    skipLines: skip_lines,
    skipFooter: skip_footer,
    maxRecordBytes: max_record_bytes,
  }))

export type CsvOptions = z.output<typeof csvSchema>
