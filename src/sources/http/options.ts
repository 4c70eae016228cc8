// The options of an `http` source: an interface that answers with JSON, page by page.
import { z } from 'zod'
import { isLoopback } from '../../core/words/network/loopback.ts'
import { duration, text } from '../../core/words/scalars.ts'
import { MAX_RECORDS, SPARSE } from '../pull/options.ts'

const isOneOf = (keys: readonly string[]) => (value: object) =>
  keys.filter((key) => (value as Record<string, unknown>)[key] !== undefined).length === 1

const PATH = /^[^.]+(\.[^.]+)*$/
const path = z.string().regex(PATH, 'must be names joined with dots, such as meta.next')

/** Credentials leave this machine encrypted, or not at all. */
const isSafe = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}

const address = z
  .string()
  .refine(isSafe, 'must be an address that begins with https:// (http:// on this machine alone)')

const file = (name: string) =>
  text.optional().describe(`In place of \`${name}\`: the path of a file that holds it.`)

const basic = z.strictObject({
  user: text.describe('The user.'),
  password: text.optional().describe('The password.'),
  password_file: file('password'),
})

const header = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header, such as X-Api-Token')
    .describe('The name of the header.'),
  value: text.optional().describe('Its value.'),
  value_file: file('value'),
})

const oauth2 = z.strictObject({
  token_url: address.describe('Where tokens are given out.'),
  client_id: text.describe('The client.'),
  client_secret: text.optional().describe('Its secret.'),
  client_secret_file: file('client_secret'),
  scope: text.optional().describe('What the token is to allow, where the interface wants that.'),
  refresh_token: text
    .optional()
    .describe('With it tokens are renewed for a user; without it they are for the client itself.'),
  refresh_token_file: file('refresh_token'),
})

const auth = z
  .strictObject({
    bearer: text.optional().describe('A token, sent as `Authorization: Bearer`.'),
    bearer_file: file('bearer'),
    basic: basic.optional().describe('User and password.'),
    header: header.optional().describe('A header of its own.'),
    oauth2: oauth2.optional().describe('OAuth 2.0: tokens that are fetched, and renewed when they expire.'),
  })
  .refine(isOneOf(['bearer', 'bearer_file', 'basic', 'header', 'oauth2']), {
    error: 'must have one of bearer, basic, header and oauth2',
  })

const next = z
  .strictObject({
    page: text.optional().describe('The parameter with the number of the page.'),
    first: z.int().min(0).default(1).describe('The number of the first page.'),
    offset: text.optional().describe('The parameter with the number of records before the page.'),
    limit: text.optional().describe('The parameter with the size of a page.'),
    size: z.int().min(1).default(100).describe('The size of a page, where `limit` names its parameter.'),
    cursor: path
      .optional()
      .describe('Where an answer has the cursor of the next page; nothing there: it was the last.'),
    param: text.optional().describe('The parameter with the cursor.'),
    link: z
      .literal(true)
      .optional()
      .describe('The next page is the one that the header `Link` names with rel="next".'),
  })
  .refine(isOneOf(['page', 'offset', 'cursor', 'link']), {
    error: 'must have one of page, offset, cursor and link',
  })
  .refine(({ cursor, param }) => (cursor === undefined) === (param === undefined), {
    error: 'cursor needs param, the parameter that the cursor is sent in',
  })

const since = z.strictObject({
  param: text.describe('The parameter; it is left out the first time, and under `mode: full`.'),
  field: path.describe('The field of a record that says when it was changed, or numbers the changes.'),
})

export const httpOptions = z.strictObject({
  url: address.describe('The address of the list, with parameters that are always the same.'),
  auth: auth.optional().describe('How the interface knows who asks.'),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string().regex(/^[\x20-\x7e]*$/))
    .prefault({})
    .describe('Further headers, without secrets.'),
  records: path
    .optional()
    .describe('Where the list of records is in an answer: `data.items`. Left out: the answer is the list.'),
  next: next.optional().describe('How the next page is asked for. Left out: there is one page.'),
  since: since
    .optional()
    .describe('How what is new is asked for. Left out: everything is fetched every time.'),
  overlap: duration()
    .prefault('0s')
    .describe('What is new is asked for from so long before the newest record that is known.'),
  rate_limit: z
    .strictObject({
      requests: z.int().min(1).describe('So many requests at most ...'),
      per: duration({ min: '1ms' }).describe('... in this time.'),
    })
    .optional()
    .describe('The rate limit of the interface; retries count, too.'),
  timeout: duration({ min: '100ms' }).prefault('60s').describe('For one answer.'),
  attempts: z
    .int()
    .min(1)
    .max(20)
    .default(5)
    .describe('How often a page is asked for while the interface throttles, fails, or does not answer.'),
  max_pages: z.int().min(1).default(100_000).describe('A fetch of more pages is broken off.'),
  sparse: SPARSE,
  max_records: MAX_RECORDS,
})

export type HttpOptions = z.output<typeof httpOptions>
