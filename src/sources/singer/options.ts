// The options of a `singer` source.
import { z } from 'zod'
import { duration } from '../../core/words/scalars.ts'
import { MAX_RECORDS, SPARSE } from '../pull/options.ts'

export const singerOptions = z.strictObject({
  command: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      'The tap and its arguments; no shell, started in the folder of the configuration. Without it, records come from `contact-sync target`.',
    ),
  stream: z.string().min(1).describe('The stream whose records are taken; other streams are passed over.'),
  catalog: z.string().min(1).optional().meta({
    path: true,
    description:
      'A catalog of the tap, as `contact-sync streams PIPELINE --output FILE` writes it. The tap is given it with this stream alone selected.',
  }),
  catalog_option: z
    .enum(['--catalog', '--properties'])
    .default('--catalog')
    .describe('How the tap is given the catalog; older taps take `--properties`.'),
  timeout: duration({ min: '1ms' })
    .prefault('10m')
    .describe('So long the tap may write nothing; then it is ended, and the fetch is not complete.'),
  sparse: SPARSE,
  max_records: MAX_RECORDS,
})

export type SingerOptions = z.output<typeof singerOptions>
