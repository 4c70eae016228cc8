// The options of an Excel source.
import { z } from 'zod'
import { orPacked } from '../gzip.ts'
import { folderOptions } from '../options.ts'
import { skipLines } from '../csv/options.ts'

/** Files that are not read are taken all the same, so that they are refused with a sentence in place of lying there. */
const FILES = [...orPacked(['*.xlsx', '*.xlsm', '*.xlsb', '*.xls', '*.ods', '*.numbers']), '*.rejects.csv']

const { encoding: _encoding, ...folder } = folderOptions(FILES)

export const excelOptions = z.strictObject({
  ...folder,
  sheet: z
    .union([z.int().min(1).max(10_000), z.string().min(1)])
    .optional()
    .describe(
      'The sheet, by name or number (the first is 1, hidden ones count). Otherwise the first visible one; where there are several, the log says so.',
    ),
  skip_lines: skipLines.describe(
    'Rows before the header that are passed over. auto: of the first 50 rows, the header is the one that names most mapped columns; a file in which two name as many is refused.',
  ),
})

export type ExcelOptions = z.output<typeof excelOptions>
