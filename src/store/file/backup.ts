// A whole copy of the state while its owner works: one moment of it, held by a read transaction, so that writers are
// neither waited for nor stopped. The copy has its name only once it has been read again and found whole.
import { linkSync, lstatSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { SyncError } from '../../core/words/errors.ts'
import { syncFile, syncFolder } from './durable.ts'
import { connect } from './connection.ts'
import { type FileConnection, openForReading } from './database.ts'
import { currentMark, type Mark, noState } from './mark.ts'
import { stateError } from './trouble.ts'

export interface BackupReport {
  readonly bytes: number
  readonly links: number
  readonly mark: Mark
}

/** Pages at a time: between two steps signals are heard. */
const PAGES = 2000

const TABLES =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"

function rowCounts(db: FileConnection): Record<string, number> {
  const tables = db.prepare<[], string>(TABLES).pluck().all()
  const count = (table: string): number =>
    db.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0
  return Object.fromEntries(tables.map((table) => [table, count(table)]))
}

async function copyTo(
  file: string,
  from: FileConnection,
  signal: AbortSignal,
): Promise<Record<string, number>> {
  // From the first read on, all that follows is of one moment.
  from.exec('BEGIN')
  const counts = rowCounts(from)
  await from.backup(file, {
    progress() {
      if (signal.aborted) throw new SyncError('USAGE', 'the backup was stopped before it was complete')
      return PAGES
    },
  })
  from.exec('COMMIT')
  return counts
}

/** Reads the copy again, and marks it as one: when it is put back, that is noticed (mark.ts). */
function finishCopy(file: string, expected: Record<string, number>, at: number): Mark {
  const db = connect(file, { fileMustExist: true })
  try {
    const verdict = db.pragma('integrity_check', { simple: true })
    if (verdict !== 'ok')
      throw new SyncError(
        'STATE_UNUSABLE',
        `the copy is damaged, and so the state may be: ${String(verdict)}`,
      )
    const counts = rowCounts(db)
    const wrong = Object.keys(expected).filter((table) => counts[table] !== expected[table])
    if (wrong.length > 0) throw new SyncError('STATE_UNUSABLE', `the copy lacks rows of ${wrong.join(', ')}`)
    // One file, without parts beside it.
    db.pragma('journal_mode = DELETE')
    db.pragma('secure_delete = ON')
    db.prepare('DELETE FROM owner').run()
    db.prepare("INSERT OR REPLACE INTO meta VALUES ('backup', ?)").run(new Date(at).toISOString())
    return currentMark(db)
  } finally {
    db.close()
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** Before anything is in it, so that no other user can ever read it. An existing file, or a link, is never used. */
function makeEmpty(file: string): void {
  try {
    writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST')
      throw new SyncError('USAGE', `${file} exists already`, {
        hint: 'Another backup to this name may be running. If none is, remove that file, or give the backup another name.',
        cause: error,
      })
    throw new SyncError('USAGE', `${file} cannot be written (${code})`, {
      hint: 'Name a file in an existing folder that this user can write to.',
      cause: error,
    })
  }
}

const isThere = (file: string): SyncError =>
  new SyncError('USAGE', `${file} exists already`, {
    hint: 'A backup never replaces an existing file: choose a new name, with the date for example.',
  })

/** Gives the copy its name, unless it was taken in the meantime. */
function nameCopy(part: string, file: string): void {
  try {
    linkSync(part, file)
    rmSync(part)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EEXIST') throw isThere(file)
    // File systems without hard links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'].includes(code)) throw error
    renameSync(part, file)
  }
}

/**
 * Copies the state at `path` to the new file, which only its owner may read. Throws USAGE where the file is there
 * already or no state is. `at` in milliseconds since the epoch.
 */
export async function backupState(
  path: string,
  file: string,
  { at, signal }: { at: number; signal: AbortSignal },
): Promise<BackupReport> {
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw isThere(file)
  const from = openForReading(path)
  if (from === undefined) throw noState(path, path)
  const part = `${file}.part`
  let isOurs = false
  try {
    makeEmpty(part)
    isOurs = true
    const counts = await copyTo(part, from, signal)
    const mark = finishCopy(part, counts, at)
    syncFile(part)
    nameCopy(part, file)
    syncFolder(file)
    return { bytes: statSync(file).size, links: counts['link'] ?? 0, mark }
  } catch (error) {
    if (isOurs) rmSync(part, { force: true })
    throw stateError(error, `${path} (to ${file})`)
  } finally {
    from.close()
  }
}
