// The mark beside the state: how far the state had come, in a separate file. A state that is restored from an older
// backup, replaced or lost is behind its mark, and is noticed before it can double a contact.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AUDIT_START } from '../../core/log/audit-chain.ts'
import { ERRORS, SyncError } from '../../core/words/errors.ts'
import { type Connection, isFile } from './connection.ts'
import { replaceFile } from './durable.ts'
import { statePlace } from './place.ts'
import { stateError } from './trouble.ts'

export interface Mark {
  /** Told apart from any other state by chance. */
  readonly instance: string
  readonly runs: number
  /** When the last of them began, ISO 8601; null: none ever did. */
  readonly lastRun: string | null
  /** Of the sync log, with the hash of the last one. */
  readonly entries: number
  readonly hash: string
}

const markPath = (statePath: string): string => `${statePlace(statePath)}.mark`

/** On the disk when this returns. */
export const writeMark = (statePath: string, mark: Mark): void =>
  replaceFile(markPath(statePath), `${JSON.stringify(mark)}\n`)

/** Undefined where there is none; `unreadable` where it is not a mark. Throws STATE_UNUSABLE where this user may not read it. */
export function readMark(statePath: string): Mark | 'unreadable' | undefined {
  let text: string
  try {
    text = readFileSync(markPath(statePath), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw stateError(error, statePath)
  }
  try {
    const mark = JSON.parse(text) as Partial<Mark>
    return typeof mark.instance === 'string' && typeof mark.runs === 'number' ? (mark as Mark) : 'unreadable'
  } catch {
    return 'unreadable'
  }
}

/** Older versions put the mark beside the link by which the state was named: it is moved to where the state lies. */
export function moveMarkFromLink(statePath: string): void {
  const beside = `${statePath}.mark`
  const place = markPath(statePath)
  if (beside === place || existsSync(place) || !existsSync(beside)) return
  replaceFile(place, readFileSync(beside, 'utf8'))
  rmSync(beside)
}

export function currentMark(db: Connection): Mark {
  const meta = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  const last = db.prepare<[], number>('SELECT started_at FROM run ORDER BY rowid DESC LIMIT 1').pluck().get()
  const head = db
    .prepare<[], { seq: number; hash: string }>('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1')
    .get()
  return {
    instance: meta.get('instance') ?? '',
    runs: Number(meta.get('runs') ?? 0),
    lastRun: last === undefined ? null : new Date(last).toISOString(),
    entries: head?.seq ?? 0,
    hash: head?.hash ?? AUDIT_START,
  }
}

/**
 * The mark says how far the state is now. Several processes of one machine may work with a state at a server, and have one mark:
 * what one of them writes is not older than what another one wrote before.
 */
export function followState(db: Connection, statePath: string): void {
  const write = (): void => writeMark(statePath, currentMark(db))
  if (isFile(db)) write()
  else db.exclusive(write)
}

/** When this state was copied by `state backup`, ISO 8601; undefined for one that was never put back. */
const copiedAt = (db: Connection): string | undefined =>
  db.prepare<[], string>("SELECT value FROM meta WHERE name = 'backup'").pluck().get()

const runText = ({ runs, lastRun }: Mark): string =>
  runs === 0 ? 'no run yet' : `run ${runs}${lastRun === null ? '' : ` of ${lastRun}`}`

const isSame = (one: Mark, other: Mark): boolean =>
  one.instance === other.instance &&
  one.runs === other.runs &&
  one.entries === other.entries &&
  one.hash === other.hash

/** Whether the mark says all that there is to say. */
export const isUpToDate = (db: Connection, mark: Mark | 'unreadable' | undefined): boolean =>
  typeof mark === 'object' && isSame(mark, currentMark(db)) && copiedAt(db) === undefined

function isInLog(db: Connection, { entries, hash }: Mark): boolean {
  if (entries === 0) return hash === AUDIT_START
  return db.prepare<[number], string>('SELECT hash FROM audit WHERE seq = ?').pluck().get(entries) === hash
}

/** The newest file that `state move` has put aside from this place; undefined where there is none. */
function putAside(statePath: string): string | undefined {
  const place = statePlace(statePath)
  const names = existsSync(dirname(place)) ? readdirSync(dirname(place)) : []
  return names
    .filter((name) => name.startsWith(`${basename(place)}.moved-`))
    .toSorted()
    .at(-1)
}

export function lostText(mark: Mark | 'unreadable', statePath: string): string {
  const aside = putAside(statePath)
  const moved = aside === undefined ? '' : `; state move put it aside as ${aside}`
  return mark === 'unreadable'
    ? `does not exist, but its mark does${moved}`
    : `does not exist, but its mark says that ${runText(mark)} started with it${moved}`
}

const MOVED = 'Name the place that it was moved to in the configuration: the messages of state move said how.'

/** What to do about a state that is gone. */
export const lostHint = (path: string): string =>
  putAside(path) === undefined ? ERRORS.STATE_OLDER.hint : MOVED

/** There is a mark at the path, and no state. */
export const lostState = (name: string, path: string, mark: Mark | 'unreadable'): SyncError =>
  new SyncError('STATE_OLDER', `the state ${name} ${lostText(mark, path)}`, {
    hint: lostHint(path),
  })

/** Nothing is there to be read: no run has made it yet, or it was lost. */
export function noState(name: string, path: string): SyncError {
  const mark = readMark(path)
  if (mark !== undefined) return lostState(name, path, mark)
  return new SyncError('USAGE', `there is no state ${name} yet`, { hint: 'The first run creates it.' })
}

/** One of the two may be ahead: a restored state that was used since has newer runs. */
function missingText(mark: Mark, now: Mark): string {
  const count = (number: number, one: string, more: string): string[] =>
    number > 0 ? [`${number} ${number === 1 ? one : more}`] : []
  const [runs, entries] = [mark.runs - now.runs, mark.entries - now.entries]
  const missing = [...count(runs, 'run', 'runs'), ...count(entries, 'entry', 'entries')]
  const what = `${missing.join(' and ')}${entries > 0 ? ' of the sync log' : ''}`
  return `${what} ${missing.length === 1 && Math.max(runs, entries) === 1 ? 'is' : 'are'} missing`
}

/** Why the state may not be the latest; undefined where nothing speaks against it. */
export function doubtOfState(db: Connection, mark: Mark | 'unreadable' | undefined): string | undefined {
  if (mark === 'unreadable') return 'has a mark that cannot be read'
  const now = currentMark(db)
  const copied = copiedAt(db)
  if (mark === undefined) {
    if (copied !== undefined)
      return `is a backup of ${copied}, and without its mark it is unknown what was sent since`
    // Each machine that works with a state at a server begins without a mark of it.
    const isNew = !isFile(db) || (now.runs === 0 && now.entries === 0)
    return isNew
      ? undefined
      : `has no mark beside it: it may be a copy, and it is unknown what was sent since ${runText(now)}`
  }
  if (mark.instance !== now.instance)
    return `is not the one that was used here last: the mark of that one says ${runText(mark)}`
  if (mark.runs > now.runs || mark.entries > now.entries) {
    return `is older than its mark: it is at ${runText(now)}, the mark at ${runText(mark)}; ${missingText(mark, now)}`
  }
  if (!isInLog(db, mark)) return 'has another sync log than its mark records'
  if (copied !== undefined && !isSame(mark, now))
    return `is a backup of ${copied}, made during a run; what that run sent afterwards is missing`
  return undefined
}
