// The options of an `sql` source: a query on PostgreSQL, MySQL, MariaDB or SQLite.
import { z } from 'zod'
import { isLoopback } from '../../core/words/network/loopback.ts'
import { duration, text } from '../../core/words/scalars.ts'
import { MAX_RECORDS } from '../pull/options.ts'

const DATABASE = /^(postgres|postgresql|mysql|mariadb):\/\/[^/]+\/.+|^sqlite:.+/

/** Its driver checks the certificate of an address against the name `localhost`. */
function isAddressOfMysql(url: string): boolean {
  if (!/^(mysql|mariadb):/.test(url) || !URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return /^([\d.]+|\[.*\])$/.test(hostname) && !isLoopback(hostname)
}

export const sqlOptions = z
  .strictObject({
    url: z
      .string()
      .refine(
        (url) => DATABASE.test(url),
        'must be postgres://USER@HOST/DATABASE, mysql://USER@HOST/DATABASE, or sqlite:PATH',
      )
      .describe('The database: `postgres://`, `mysql://`, or `sqlite:` and an absolute path.'),
    password: text.optional().describe('The password, where the address has none.'),
    password_file: text.optional().describe('In place of `password`: the path of a file that holds it.'),
    query: text.describe(
      'One query. In it, `:cursor` is the cursor; null the first time, and under `mode: full`.',
    ),
    cursor: text
      .optional()
      .describe(
        'The column of the result whose highest value is the cursor: a time, or a number that grows.',
      ),
    overlap: duration().prefault('0s').describe('The query is given a time this much before the cursor.'),
    timeout: duration({ min: '1s' })
      .prefault('5m')
      .describe('For connecting, and for each step of the query.'),
    tls: z
      .enum(['auto', 'on', 'off'])
      .default('auto')
      .describe(
        'on: the connection is encrypted and the certificate is checked. auto: on, but for this machine.',
      ),
    ca_file: text.optional().meta({
      path: true,
      description: 'The certificate of an authority of your own, that the server is checked by.',
    }),
    max_records: MAX_RECORDS,
  })
  .refine(({ query, cursor }) => cursor === undefined || query.includes(':cursor'), {
    path: ['query'],
    error: 'must use :cursor where source.cursor is set',
  })
  .refine(({ url, tls }) => tls === 'off' || !isAddressOfMysql(url), {
    path: ['url'],
    error: "must have the host's name, which its certificate is checked against, in place of an IP address",
  })

export type SqlOptions = z.output<typeof sqlOptions>
