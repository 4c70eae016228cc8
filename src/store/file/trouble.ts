// The driver's errors as errors with a code and a remedy: the one place where they are converted. A user of the
// state learns of the first one at once, because without a journal nothing more may be sent.
import { closeSync, openSync, statfsSync, statSync } from 'node:fs'
import { constants, userInfo } from 'node:os'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { type ErrorCode, SyncError } from '../../core/words/errors.ts'

/** EDQUOT, which Node has no name for. */
const OVER_QUOTA = `Unknown system error -${constants.errno.EDQUOT}`

/** After these the connection is not used again: what it says it has written may not be there. */
const FINAL: readonly ErrorCode[] = ['STATE_IO', 'STATE_UNUSABLE']

function userId(): number {
  try {
    // A user without a name, as in a container, has no userInfo.
    return statSync('/proc/self').uid
  } catch {
    return userInfo().uid
  }
}

function codeOf(error: unknown): string {
  const isKnown = error instanceof Database.SqliteError || error instanceof Error
  return isKnown && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Of one state: itself, its log and its index, and one for the folder that they are in. */
const STATE_FILES = 4

/** SQLite does not say why it cannot open a file: whether this process may have as many more open. */
function canOpen(count: number): boolean {
  const handles: number[] = []
  try {
    while (handles.length < count) handles.push(openSync('/', 'r'))
    return true
  } catch {
    return false
  } finally {
    handles.forEach(closeSync)
  }
}

/** Nor does it say that there was no room for the file, or for one more file. */
function isFull(path: string): boolean {
  try {
    const { bavail, files, ffree } = statfsSync(dirname(path))
    return bavail === 0 || (files > 0 && ffree === 0)
  } catch {
    return false
  }
}

type Turned = readonly [code: ErrorCode, text: string, hint?: string]

const RIGHTS = 'Give that user permission to write to the state and its folder.'

function turned(code: string, path: string): Turned | undefined {
  const is = (...starts: string[]): boolean => starts.some((start) => code.startsWith(start))
  // The index of the log could not grow; that it has no room is told in no other way.
  if (
    is('SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', OVER_QUOTA) ||
    (is('SQLITE_CANTOPEN', 'SQLITE_READONLY') && isFull(path))
  )
    return ['STATE_FULL', 'cannot be written: the disk is full']
  if (is('SQLITE_IOERR', 'EIO')) return ['STATE_IO', 'cannot be read or written']
  if (is('SQLITE_CORRUPT', 'SQLITE_NOTADB')) return ['STATE_UNUSABLE', 'is damaged']
  if (is('SQLITE_BUSY', 'SQLITE_LOCKED'))
    return ['STATE_LOCKED', 'is locked by another program whose process is unknown']
  if (is('EMFILE', 'ENFILE') || (is('SQLITE_CANTOPEN') && !canOpen(STATE_FILES)))
    return ['TOO_MANY_FILES', 'cannot be opened: too many open files']
  if (is('SQLITE_READONLY', 'SQLITE_CANTOPEN', 'SQLITE_PERM', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR'))
    return ['STATE_UNUSABLE', `cannot be opened for writing by the user with id ${userId()}`, RIGHTS]
  return undefined
}

/** The error to be thrown: a SyncError where the error of the driver or the file system is a known one. */
export function stateError(error: unknown, path: string): unknown {
  if (error instanceof SyncError) return error
  const driverCode = codeOf(error)
  const known = turned(driverCode, path)
  if (known === undefined || !(error instanceof Error)) return error
  const [code, text, hint] = known
  const detail = error.message.startsWith(driverCode) ? error.message : `${driverCode}: ${error.message}`
  return new SyncError(code, `the state ${path} ${text} (${detail})`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  })
}

export interface Watch {
  /** The same object, whose methods throw known errors; and none is carried out after one that is final. */
  over<T extends object>(methods: T): T
  /** Called with each known error of the state, until the function that it gives is called. */
  listen(listener: (error: SyncError) => void): () => void
}

type Method = (...args: unknown[]) => unknown

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

export function createWatch(path: string): Watch {
  const listeners = new Set<(error: SyncError) => void>()
  let over: SyncError | undefined
  const fail = (error: unknown): never => {
    const known = stateError(error, path)
    if (known instanceof SyncError && known.code.startsWith('STATE_')) {
      if (FINAL.includes(known.code)) over ??= known
      for (const listener of listeners) listener(known)
    }
    throw known
  }
  async function* iterated(items: AsyncIterable<unknown>): AsyncGenerator {
    try {
      yield* items
    } catch (error) {
      fail(error)
    }
  }
  const watched =
    (method: Method): Method =>
    (...args) => {
      if (over !== undefined) throw over
      try {
        const result = method(...args)
        if (result instanceof Promise) return result.catch(fail)
        return isIterable(result) ? iterated(result) : result
      } catch (error) {
        return fail(error)
      }
    }
  return {
    over: <T extends object>(methods: T): T =>
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [name, watched(method as Method)]),
      ) as T,
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
