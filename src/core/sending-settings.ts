// The keys of a pipeline that say how its changes are sent: how contacts that are there are found, what of them may be
// overwritten, and when a run starts and ends.
import { accountName } from './settings/account-settings.ts'
import { z } from 'zod'
import { CONTACT_FIELD_NAMES } from './mapping/contact.ts'
import { handEdits } from './mapping/mapping-schema.ts'
import { duration, flag, share, text } from './words/scalars.ts'

/** By the mail a contact is found, and a status is decided by rules for consent. */
const OWNABLE = CONTACT_FIELD_NAMES.filter((field) => field !== 'mail' && field !== 'mail_status')

export interface FieldOwner {
  readonly pipeline: string
  /** In how many full exports its record must be missing to have gone. */
  readonly missingIn: number
}

/** The owners of each field that a pipeline maps and that has any. */
export type FieldOwners = Readonly<Record<string, readonly FieldOwner[]>>

/** Rounds of looks by the daemon (change/others/drift-rounds.ts). */
const driftSchema = z
  .strictObject({
    every: duration({ min: '1h' }).describe(
      'How often all linked contacts are looked at; a round that takes longer is brought to its end, then the next one starts.',
    ),
    share: share
      .prefault('5%')
      .describe('The share of contacts that may differ; a round that finds more logs a warning.'),
  })
  .optional()
  .describe(
    'The daemon compares the linked contacts with what was last sent, one after another, with requests that runs leave over, and logs what it has counted. Unset: only `contact-sync drift` does.',
  )

/** To which service, and from which machine. */
function whereKeys() {
  return {
    account: accountName
      .optional()
      .describe(
        'The account of `accounts` that it writes to. Unset: `default`, the one of `service` at the top.',
      ),
    on: z
      .array(text)
      .min(1, { error: 'is an empty list; name a label, or leave it out' })
      .optional()
      .describe(
        'With a state at a server: only workers with one of these labels (`workers.labels`) run it. Unset: any worker that sees its folder.',
      ),
  }
}

/** How the changes of a pipeline are sent. */
export function sendingKeys() {
  return {
    ...whereKeys(),
    duplicate_check_method: z
      .enum(['auto', 'email', 'none'])
      .prefault('email')
      .describe(
        'How the service looks for duplicates of a new contact: `auto` may merge two persons, `none` may duplicate one.',
      ),
    duplicate_merge_method: z
      .enum(['update_add', 'update', 'add'])
      .prefault('update_add')
      .describe(
        'What may happen to a duplicate: `update_add` all, `update` given fields only, `add` missing fields only.',
      ),
    update_method: z
      .enum(['update_add', 'update', 'add'])
      .optional()
      .describe(
        'The same for later updates of contacts that are linked; unset: as `duplicate_merge_method`.',
      ),
    hand_edits: handEdits
      .prefault('overwrite')
      .describe(
        'What happens to a value that was edited at the service and that the source would overwrite: `overwrite` it, `keep` it, or `ask`: keep it and hold the record until an operator releases the edit. Under `keep` and `ask` a contact is read before it is written, goes by its id, and creates carry `add`.',
      ),
    owns: z
      .array(z.enum(OWNABLE))
      .min(1)
      .optional()
      .describe(
        'Fields of shared contacts that this pipeline may write: the other pipelines leave them out. If several name a field, the first one in the file that has a value writes it. Unset: it writes all that it maps, apart from what others own.',
      ),
    recheck: duration({ min: '0s' })
      .prefault('24h')
      .describe(
        'How often a scheduled run looks at a contact again whose edited values are kept. A run started by hand looks at all of them.',
      ),
    drift: driftSchema,
    writes: z
      .enum(['all', 'create', 'update'])
      .prefault('all')
      .describe(
        'Which contacts the pipeline writes: `all`; `create` creates contacts whose e-mail address the service does not have, and never changes existing ones; `update` changes existing contacts, found by e-mail address, and creates none. Other records are skipped, and not looked up again before they change.',
      ),
    update_via: z
      .enum(['id', 'bulk'])
      .prefault('id')
      .describe(
        'How linked contacts are updated: one by one by their `id`, or several in a `bulk` call if the e-mail address identifies the contact (needs `duplicate_check_method: email`).',
      ),
    watch: flag
      .prefault(false)
      .describe(
        'Whether a file that has landed and settled starts a run, beside the schedule or without one; on network folders within a minute.',
      ),
    max_duration: duration({ min: '1s' })
      .optional()
      .describe(
        'How long a run may take: then it stops cleanly, is `partial`, and the next one continues from there. It must be longer than reading the largest file takes.',
      ),
    allow_consent_raise: flag
      .prefault(false)
      .describe('Whether mail_status may go from blocked or unsubscribed to anything else.'),
  }
}
