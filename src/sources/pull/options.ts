// Options of every source that is asked for its records.
import { z } from 'zod'

export const MAX_RECORDS = z
  .int()
  .min(1)
  .default(10_000_000)
  .describe(
    'A fetch that brings more records than this is broken off: a source that never ends fills the disk.',
  )

export const SPARSE = z
  .boolean()
  .default(false)
  .describe(
    'Whether records leave out what is blank. Otherwise a fetch in which no record has a mapped column is refused.',
  )
