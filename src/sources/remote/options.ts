// The options of a drop folder on another machine. Secrets never stand in the address.
import { z } from 'zod'
import { isLoopback } from '../../core/words/network/loopback.ts'
import { duration, text } from '../../core/words/scalars.ts'

/** Each may be read from a file, by the option `<name>_file` beside it. */
export const REMOTE_SECRETS = [
  ['remote', 'key'],
  ['remote', 'passphrase'],
  ['remote', 'password'],
  ['remote', 'secret_access_key'],
  ['remote', 'session_token'],
] as const

export const remoteOptions = z
  .strictObject({
    known_hosts: text
      .optional()
      .describe(
        'sftp: the path of a file with the keys of the server, as OpenSSH writes it. A server with another key is refused.',
      ),
    key: text.optional().describe('sftp: the private key itself, from the environment.'),
    key_file: text.optional().describe('sftp: the path of the private key.'),
    passphrase: text.optional().describe('sftp: the passphrase of the private key.'),
    passphrase_file: text.optional().describe('In place of `passphrase`: the path of a file that holds it.'),
    password: text.optional().describe('sftp: the password of the user, where there is no key.'),
    password_file: text.optional().describe('In place of `password`: the path of a file that holds it.'),
    endpoint: z
      .url({ protocol: /^https?$/ })
      .refine(
        (url) => url.startsWith('https:') || isLoopback(new URL(url).hostname),
        'must begin with https://',
      )
      .optional()
      .describe('s3: the address of the store. By default that of AWS in the region.'),
    region: text
      .regex(/^[a-z0-9-]+$/)
      .optional()
      .describe('s3: the region of the bucket; us-east-1 where it is not given.'),
    access_key_id: text.optional().describe('s3: the id of the key.'),
    secret_access_key: text.optional().describe('s3: the key, from the environment.'),
    secret_access_key_file: text
      .optional()
      .describe('In place of `secret_access_key`: the path of a file that holds it.'),
    session_token: text.optional().describe('s3: the token of temporary credentials.'),
    session_token_file: text
      .optional()
      .describe('In place of `session_token`: the path of a file that holds it.'),
    claim: z
      .boolean()
      .optional()
      .describe(
        'Whether a file is claimed before it is read, so that no other installation processes it. By default wherever the server or store can keep claims; where it cannot, the log says so in every run. true: what cannot be claimed is left. false: nothing is claimed; only where this pipeline alone reads the folder.',
      ),
    timeout: duration({ min: '1s' })
      .prefault('30s')
      .describe('For connecting, and for every step of which nothing is heard.'),
  })
  .describe('How a folder on another machine is reached; see sources/remote.md.')

/** As the configuration builds it: secrets are in place, paths are absolute. */
export interface RemoteOptions extends z.output<typeof remoteOptions> {
  /** Where copies of the files lie while they are read. */
  readonly spool: string
  /** A plan: it claims nothing. */
  readonly isLooking?: boolean
}
