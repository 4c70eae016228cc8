// Accounts: several services in one configuration. Each has contacts, terms, a limit and a state of its own; nothing that is
// known of one is used for another.
import { z } from 'zod'
import { serviceSchema } from './service-settings.ts'
import { text } from '../words/scalars.ts'

/** The account of `service` at the top. */
export const DEFAULT_ACCOUNT = 'default'

export const accountName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, {
  error: 'is not a name for an account; use up to 64 letters, digits, - and _',
})

export const accountsSchema = z
  .record(
    accountName,
    z.strictObject({
      service: serviceSchema.describe(
        'The Contact Management Service of this account, as `service` at the top.',
      ),
      users: z
        .array(text)
        .optional()
        .describe('Names of `server.users` who may see this account and decide. Unset: all of them.'),
    }),
  )
  .describe(
    'Several services, by name: letters, digits, `-` and `_`. Each has contacts, terms, a rate limit and a state of its own; pipelines name theirs with `account`. `service` at the top is the account `default`.',
  )
