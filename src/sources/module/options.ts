// The options of a `module` source.
import { z } from 'zod'
import { duration } from '../../core/words/scalars.ts'
import { MAX_RECORDS, SPARSE } from '../pull/options.ts'

export const moduleOptions = z.strictObject({
  path: z.string().min(1).meta({
    path: true,
    description:
      'The JavaScript file. Its default export is an async function* that yields one object a record.',
  }),
  options: z
    .record(z.string(), z.unknown())
    .prefault({})
    .describe('Handed to the function as they are; with other options it begins without a cursor.'),
  timeout: duration({ min: '1ms' })
    .prefault('5m')
    .describe('From one record to the next at most so long; then the fetch is given up.'),
  sparse: SPARSE,
  max_records: MAX_RECORDS,
})

export type ModuleOptions = z.output<typeof moduleOptions>
