// Errors of the file system in plain words. Its own messages are not used: they contain paths.
import { constants } from 'node:os'

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space left',
  EDQUOT: 'the disk quota is used up',
  EIO: 'the disk reported an error',
  ESTALE: 'the share has lost it',
  ETIMEDOUT: 'the share does not answer',
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is not a folder',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
}

/** What a disk, or the connection to a share, may meet and get over: no fault of a file. */
const PASSING = [
  'EIO',
  'ESTALE',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENOTCONN',
  'ECONNRESET',
  'EREMOTEIO',
]

export const mayPass = (error: unknown): boolean => PASSING.includes(faultCode(error) ?? '')

/** Of those that Node has no name for (ESTALE and EDQUOT among them), whose code is `Unknown system error -116`. */
const named = (errno: unknown): string | undefined =>
  Object.entries(constants.errno).find(([, number]) => number === -Number(errno))?.[0]

/** The system's code for a failure, such as `ENOENT`; undefined for any other error. */
export function faultCode(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return undefined
  const isUnnamed = error.code.startsWith('Unknown system error') && 'errno' in error
  return (isUnnamed ? named(error.errno) : undefined) ?? error.code
}

/** A failure of the file system in a few words, with its code. */
export function describeFault(error: unknown): string {
  const code = faultCode(error)
  if (code === undefined) return 'unexpected failure'
  const words = WORDS[code]
  return words === undefined ? code : `${words} (${code})`
}
