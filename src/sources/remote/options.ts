// The options of a drop folder on another machine. Secrets never stand in the address.
import { z } from 'zod'
import { duration, text } from '../../core/words/scalars.ts'

/** Each may be read from a file, by the option `<name>_file` beside it. */
export const REMOTE_SECRETS = [
  ['remote', 'key'],
  ['remote', 'passphrase'],
  ['remote', 'password'],
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
    timeout: duration({ min: '1s' })
      .prefault('30s')
      .describe('For connecting, and for every step of which nothing is heard.'),
  })
  .describe('How a folder on another machine is reached; see sources/remote.md.')

/** As the configuration builds it: secrets are in place, paths are absolute. */
export interface RemoteOptions extends z.output<typeof remoteOptions> {
  /** Where copies of the files lie while they are read. */
  readonly spool: string
}
