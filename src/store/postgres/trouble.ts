// What a PostgreSQL server or the way to it reports, in the words of the state. Codes are SQLSTATEs, and those of sockets.
import { type ErrorCode, SyncError } from '../../core/words/errors.ts'

type Turned = readonly [code: ErrorCode, text: string, hint?: string]

const AWAY =
  'Nothing is lost: the server keeps what was recorded, and what was on its way is looked up once the state can be reached. Check the server and the way to it.'
const ACCESS =
  'Check user, password, database and rights in state.url: the user must own the schema of the state, or be allowed to create it, and may make temporary tables. Nothing was changed.'

/** Beginnings of codes. `CSL01` is raised by `assert_worker` (workers.ts). */
const TROUBLES: readonly (readonly [starts: readonly string[], ...Turned])[] = [
  [['CSL01'], 'STATE_LOCKED', 'was taken over by another process', 'Nothing more is sent by this one.'],
  [['53100', '53400'], 'STATE_FULL', 'cannot be written: the disk of the server is full'],
  [
    ['25006'],
    'STATE_IO',
    'is at a server that only reads: a replica, or one that has not taken over yet',
    'Let state.url name the server that takes writes. Nothing is lost: what was on its way is looked up there.',
  ],
  [['53300'], 'STATE_IO', 'cannot be reached: the server has no connection left', AWAY],
  [['08', '25P03', '57P', '58', '53'], 'STATE_IO', 'cannot be reached, or the connection broke off', AWAY],
  [
    ['ECONN', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_', 'EHOST', 'ENET', 'EPIPE', 'ENOENT'],
    'STATE_IO',
    'cannot be reached',
    AWAY,
  ],
  [
    ['NO_TLS', 'ERR_TLS', 'CERT_', 'DEPTH_ZERO', 'SELF_SIGNED', 'UNABLE_TO'],
    'STATE_UNUSABLE',
    'cannot be reached: its certificate, or TLS, is not accepted',
    'Check sslmode and sslrootcert in state.url, and the certificate of the server.',
  ],
  [['57014'], 'STATE_IO', 'had a statement cancelled at its server', AWAY],
  // A statement that was compiled before another worker added a column: it is compiled again over the next connection.
  [['0A000'], 'STATE_IO', 'was upgraded meanwhile', 'Nothing is lost: the process joins the state again.'],
  [
    ['POOLED'],
    'STATE_UNUSABLE',
    'is reached through a pooler that hands out another session for each transaction',
    'Let state.url name the server itself, or a pooler in session mode. Nothing was changed.',
  ],
  [['XX001', 'XX002'], 'STATE_UNUSABLE', 'is damaged'],
  [['28', '3D000', '42501'], 'STATE_UNUSABLE', 'cannot be used by the user of state.url', ACCESS],
]

export interface ServerProblem {
  readonly code: string
  readonly message: string
}

/** What the driver says without a code. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/timeout/i, 'ETIMEDOUT'],
  [/^(Connection terminated|Client (was closed|has encountered a connection error))/, 'ECONNRESET'],
  [/SSL/, 'NO_TLS'],
]

/** Of an error of the driver. */
export function serverProblem(error: unknown): ServerProblem {
  const { code, message } = error as { code?: string; message: string }
  return { code: code ?? WORDS.find(([words]) => words.test(message))?.[1] ?? '', message }
}

/** The error to be thrown: one with a code of ours where it is a known one. */
export function serverError({ code, message }: ServerProblem, place: string): Error {
  const cause = Object.assign(new Error(message), { code })
  const found = TROUBLES.find(([starts]) => starts.some((start) => code.startsWith(start)))
  if (found === undefined) return cause
  const [, ours, text, hint] = found
  const told = `the state ${place} ${text} (${code}: ${message})`
  return new SyncError(ours, told, { cause, ...(hint === undefined ? {} : { hint }) })
}
