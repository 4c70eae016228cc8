// Who decides, and why: the user of the system, or a user of `server.users` who shows their token.
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { DecidedBy } from '../core/words/decided-by.ts'
import { SyncError } from '../core/words/errors.ts'
import { isRightSecret, secretDigest } from '../core/words/secrets/secret-digest.ts'
import type { Settings } from '../core/settings.ts'
import { DEFAULT_ACCOUNT } from '../core/settings/account-settings.ts'
import { suggestion } from '../core/words/nearest.ts'
import { systemUser } from '../system.ts'
import { unguarded } from './guarded.ts'
import type { CommonOptions, Io } from './io.ts'
import { Interrupted } from './messages.ts'

/** Options of every command that decides. */
export interface DecidingOptions extends CommonOptions {
  readonly by?: string
  readonly as?: string
  readonly reason?: string
  readonly note?: string
}

const VARIABLE = 'CONTACT_SYNC_USER_TOKEN'

/** Asked for without an echo. */
async function typedToken(io: Io, name: string): Promise<string> {
  const screen = unguarded(io.stderr)
  screen.write(`Token of ${name}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const asking = createInterface({ input: io.stdin, output: silent, terminal: true })
  try {
    // A line goes before the end that follows it.
    const ended = new Promise<string>((resolve, reject) => {
      asking.once('close', () => setImmediate(resolve, ''))
      asking.once('SIGINT', () => reject(new Interrupted('Nothing was done.')))
    })
    return await Promise.race([asking.question('', { signal: io.signal }).catch(() => ''), ended])
  } finally {
    asking.close()
    screen.write('\n')
  }
}

async function tokenOf(io: Io, name: string): Promise<string> {
  const given = io.env[VARIABLE]
  if (given !== undefined && given !== '') return given
  if (io.isInteractive) return typedToken(io, name)
  throw new SyncError('USAGE', `the token of ${name} is missing`, {
    hint: `Set ${VARIABLE}, or call the command on a terminal: it asks for the token.`,
  })
}

/** Throws USAGE where the name is not in `server.users`, only reads, or its token is another one. */
async function provenUser(io: Io, name: string, { server, account }: Settings): Promise<DecidedBy> {
  const user = server.users.find((one) => one.name === name)
  if (user === undefined) {
    const known = server.users.map((one) => one.name)
    // The account may leave out a user that the configuration has.
    const where =
      account === DEFAULT_ACCOUNT ? `server.users has no ${name}` : `account ${account} has no user ${name}`
    throw new SyncError('USAGE', where, {
      hint: known.length === 0 ? 'No user is configured.' : suggestion(name, known),
    })
  }
  if (user.role === 'viewer')
    throw new SyncError('USAGE', `${name} is a viewer and decides nothing`, {
      hint: 'An operator or an approver of server.users may decide this.',
    })
  // As the page of the console takes it: a variable that was filled from a file often ends in a line break.
  const shown = (await tokenOf(io, name)).trim()
  if (!isRightSecret(shown, secretDigest(user.token ?? '')))
    throw new SyncError('USAGE', `that is not the token of ${name}`, { hint: 'Nothing was done.' })
  return { by: name, role: user.role }
}

/** Without a name it is the user of the system. */
export async function decidedBy(io: Io, options: DecidingOptions, settings: Settings): Promise<DecidedBy> {
  const name = options.by ?? options.as
  const note = options.reason ?? options.note
  const who = name === undefined ? { by: systemUser() } : await provenUser(io, name, settings)
  return note === undefined ? who : { ...who, note }
}
