// How a command and the owner of the state speak: lines of JSON over a socket beside the state. The socket only carries what is
// decided and what came of it; the decision itself is a row in the state.
import { hash } from 'node:crypto'
import { z } from 'zod'
import { effectiveSettings } from '../../config/effective.ts'
import { ERRORS, type ErrorCode, SyncError } from '../../core/words/errors.ts'
import { USER_ROLES } from '../../core/words/user-roles.ts'
import type { Settings } from '../../core/settings.ts'
import { SOURCE_KINDS } from '../../sources/registry.ts'
import { statePlace } from '../../store/file/place.ts'

/** Of the lines below; another one is refused. */
export const PROTOCOL = 1

export const requestSchema = z.object({
  protocol: z.number(),
  kind: z.string(),
  args: z.unknown(),
  decided: z.object({
    by: z.string(),
    role: z.enum(USER_ROLES).optional(),
    note: z.string().optional(),
  }),
  /** Of the command's settings. */
  config: z.string(),
  isConfirmed: z.boolean(),
})

export type Request = z.infer<typeof requestSchema>

const errorSchema = z.object({ code: z.string(), message: z.string(), hint: z.string() })

/** wait: this process makes no runs for others; the state is free when it has ended. facts: to be confirmed first. */
export const answerSchema = z.union([
  z.object({ result: z.unknown() }).strict(),
  z.object({ error: errorSchema }).strict(),
  z.object({ facts: z.unknown() }).strict(),
  z.object({ wait: z.literal(true) }).strict(),
  z.object({ tell: z.string() }).strict(),
  z.object({ show: z.unknown() }).strict(),
])

export type OwnerAnswer = z.infer<typeof answerSchema>

export function errorOfAnswer({ code, message, hint }: z.infer<typeof errorSchema>): Error {
  return Object.hasOwn(ERRORS, code)
    ? new SyncError(code as ErrorCode, message, { hint })
    : new Error(message)
}

export const lineOf = (message: Request | OwnerAnswer): string => `${JSON.stringify(message)}\n`

/** A socket has no room for more bytes of its path, on all systems that are supported. */
const LONGEST_PATH = 103

/** Beside the state; undefined where that path is too long for a socket. */
export function socketBeside(statePath: string): string | undefined {
  const path = `${statePlace(statePath)}.sock`
  return Buffer.byteLength(path) > LONGEST_PATH ? undefined : path
}

/** What is opened once, at the start of a process, whatever its configuration says later, or is a machine's own. */
const AT_START = /^(log\.|state\.|workers\.|server\.(host|port)$)/
/** Where a secret is read from: systemd hands over the same one to each process in a folder of its own. */
const FROM_FILE = /_file$/

const isOwn = (path: string): boolean => AT_START.test(path) || FROM_FILE.test(path)

/** The same for two processes whose configurations mean the same. */
export function configPrint(settings: Settings): string {
  const shown = effectiveSettings(settings, SOURCE_KINDS).filter(({ path }) => !isOwn(path))
  const hashes = settings.pipelines.map(({ name, hash: own }) => [name, own])
  return hash('sha256', JSON.stringify([shown, hashes]), 'hex')
}
