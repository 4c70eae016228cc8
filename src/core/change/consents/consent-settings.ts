// The keys of `consents`: what people have asked for beside what the sources say of them.
import { z } from 'zod'
import { text } from '../../words/scalars.ts'

export const consentsSchema = z.strictObject({
  outbox: text
    .optional()
    .describe(
      'A folder for files that tell the source who was found blocked or unsubscribed at the service: a CSV for each run with news (mail, status, seen_at, pipeline, key). Relative to the configuration.',
    ),
  suppress: text
    .optional()
    .describe(
      'A CSV file with the column `mail`, or `sha256` (of the lower-cased address): never created, given terms or raised to another mail_status; a mail_status of 1 or 2, removed terms and deletes are still sent. Relative to the configuration. A list that is missing, unreadable or a tenth shorter than the last one stops the run.',
    ),
})
