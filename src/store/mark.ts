// The mark beside the state: how far the state had come, in a file of its own. A state that is put back from an older
// backup, replaced or lost is behind its mark, and is noticed before it can double a contact.
import { readFileSync } from 'node:fs'
import { AUDIT_START, type PublicPart } from '../core/audit-chain.ts'
import type { Connection } from './database.ts'
import { replaceFile } from './durable.ts'

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

const markPath = (statePath: string): string => `${statePath}.mark`

/** On the disk when this returns. */
export const writeMark = (statePath: string, mark: Mark): void =>
  replaceFile(markPath(statePath), `${JSON.stringify(mark)}\n`)

/** Undefined where there is none; `unreadable` where it is not one of ours. */
export function readMark(statePath: string): Mark | 'unreadable' | undefined {
  let text: string
  try {
    text = readFileSync(markPath(statePath), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  try {
    const mark = JSON.parse(text) as Partial<Mark>
    return typeof mark.instance === 'string' && typeof mark.runs === 'number' ? (mark as Mark) : 'unreadable'
  } catch {
    return 'unreadable'
  }
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
  const at = db.prepare<[number], { entry: string; hash: string }>(
    'SELECT entry, hash FROM audit WHERE seq = ?',
  )
  if (at.get(entries)?.hash === hash) return true
  // The mark is of the log's older form, which stands behind the entry that carried it over.
  const carried = at.get(entries + 1)
  return carried !== undefined && (JSON.parse(carried.entry) as PublicPart).was === hash
}

export const lostText = (mark: Mark | 'unreadable'): string =>
  mark === 'unreadable'
    ? 'is not there, but its mark is'
    : `is not there, but its mark says that ${runText(mark)} began with it`

/** Why the state may not be the latest; undefined where nothing speaks against it. */
export function doubtOfState(db: Connection, mark: Mark | 'unreadable' | undefined): string | undefined {
  if (mark === 'unreadable') return 'has a mark that cannot be read'
  const now = currentMark(db)
  const copied = copiedAt(db)
  if (mark === undefined)
    return copied === undefined
      ? undefined
      : `is a backup of ${copied}, and without its mark nothing says what was sent since`
  if (mark.instance !== now.instance)
    return `is not the one that worked here last: the mark of that one says ${runText(mark)}`
  if (mark.runs > now.runs || mark.entries > now.entries) {
    const runs = `${mark.runs - now.runs} ${mark.runs - now.runs === 1 ? 'run' : 'runs'}`
    return `is older than its mark: it stands at ${runText(now)}, the mark at ${runText(mark)}; ${runs} and ${Math.max(0, mark.entries - now.entries)} entries of the sync log are missing`
  }
  if (!isInLog(db, mark)) return 'has another sync log than its mark says'
  if (copied !== undefined && !isSame(mark, now))
    return `is a backup of ${copied}, made while a run went on; what that run sent afterwards is missing`
  return undefined
}
