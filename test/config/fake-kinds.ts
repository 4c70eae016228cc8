// Two kinds of sources as the registry would give them, small enough to see through in a test.
import { z } from 'zod'
import type { SourceKinds } from '../../src/config/load.ts'

const common = {
  folder: z.string().min(1).meta({ path: true, description: 'The folder that files are dropped into.' }),
  files: z.string().prefault('*').describe('Which files in it are taken.'),
  settle: z.string().prefault('2s').describe('How long a file must have been left alone.'),
  encoding: z.string().optional().describe('The encoding; detected where unset.'),
}

export const KINDS: SourceKinds = {
  csv: {
    schema: z.object({
      ...common,
      delimiter: z.string().optional().describe('What stands between values; detected where unset.'),
      quote: z.string().optional().describe('The quote; detected where unset.'),
      skip_lines: z.int().min(0).prefault(0).describe('Lines before the header.'),
      skip_footer: z.string().optional().describe('A pattern for the first line after the records.'),
      header: z.array(z.string()).optional().describe('Column names of a file without a header.'),
      ragged: z.enum(['reject', 'pad']).prefault('reject').describe('What becomes of short rows.'),
    }),
    example: 'type: csv\nfolder: ../state/inbox/shop\n',
    help: 'CSV files in a folder.',
  },
  json: {
    schema: z.object({
      ...common,
      records: z.string().optional().describe('Where in the document the records are.'),
    }),
    example: 'type: json\nfolder: ../state/inbox/crm\n',
    help: 'JSON files in a folder.',
  },
}
