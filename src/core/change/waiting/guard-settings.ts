// `guards`: limits above which changes are held until an operator releases them.
import { z } from 'zod'
import { DAY_MS, DURATION, HOUR_MS, milliseconds } from '../../words/duration.ts'
import { duration, flag, shareAndCount, shareOrCount } from '../../words/scalars.ts'
import { brakeSchema } from './brake-settings.ts'

const whole = (min: number) => z.int().min(min)

const PER_FORM = 'has the wrong form; write off, or a limit for each period: { 30d: 20% }'
const WINDOW_FORM = 'is not a period from 1h to 366d; write one such as 24h or 30d'

/** The length of a period, as the name of its limit. */
const windowName = z.string().refine(
  (name) => {
    const ms = DURATION.test(name) ? milliseconds(name) : 0
    return ms >= HOUR_MS && ms <= 366 * DAY_MS
  },
  { error: WINDOW_FORM },
)

export const guardsSchema = z
  .strictObject({
    max_deletes: shareAndCount
      .prefault('5%')
      .describe(
        "Deletes that one file may cause: a share of the pipeline's links (at least one), a count, or both, of which the stricter one counts.",
      ),
    max_deletes_per: z
      .union([z.literal('off'), z.record(windowName, shareOrCount)], { error: PER_FORM })
      .prefault({ '30d': '20%' })
      .describe(
        'Deletes within a period, those done and those planned: of each period, the share of the contacts linked at its beginning, or a count; `off`: no limit.',
      ),
    max_changes: shareOrCount
      .prefault('100%')
      .describe(
        "Creates and updates that one file may cause: a share of the pipeline's links (100%: no limit; none before the first import), or a count.",
      ),
    max_rejects: shareOrCount
      .prefault('100%')
      .describe('Rejected records of one file: a share of its records (100%: no limit), or a count.'),
    max_new_terms: whole(0).prefault(100_000).describe('Terms that one file may create at the service.'),
    deletes_missing_in: whole(1)
      .prefault(1)
      .describe('In how many full exports a record must be missing before it counts as missing.'),
    deletes_apart: duration({ min: '0s' })
      .prefault('0s')
      .describe('With deletes_missing_in: how far apart in time these exports must be to count.'),
    hold_first_deletes: flag
      .prefault(false)
      .describe('Whether the first deletes of the pipeline are always held.'),
    hold_other_person: flag
      .prefault(true)
      .describe(
        'Whether an update is held that would give a contact another name, e-mail address and date of birth at once.',
      ),
    brake: brakeSchema
      .optional()
      .describe(
        'A look at the first contacts before many are given a term that may start a mailing: `{ terms: [Newsletter], above: 200, first: 50, watch: 24h }`.',
      ),
    max_equal_refusals: whole(0)
      .prefault(20)
      .describe(
        'After how many contacts in a row, refused by the service for the same reason, the run stops; 0: never.',
      ),
  })
  .prefault({})
  .describe('Limits above which changes are held until an operator releases them.')
