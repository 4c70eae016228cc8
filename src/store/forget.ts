// Destroys what the state holds of one person: the keys of their values in the sync log, everything under their keys and
// mails elsewhere. What stays is the chain, their token in it, and tombstones. All of it is one transaction; afterwards the
// file is written anew, because pages of a database may hold what was deleted from them.
import type { Subject } from '../core/erasing.ts'
import { planEntry } from '../core/audit.ts'
import type { LoggedPerson } from '../core/sync-log.ts'
import { createAppend } from './audit-append.ts'
import type { Connection } from './connection.ts'
import { truncateLog } from './owned.ts'
import { setTombstones } from './tombstones.ts'

/** Rows that are gone now, by what they were. */
export interface Forgotten {
  readonly logEntries: number
  readonly links: number
  readonly openOperations: number
  /** Of these: what may be under way at the service, and nobody will look it up any more. */
  readonly inDoubt: number
  readonly rejects: number
  readonly tombstones: number
  readonly tokens: readonly string[]
}

export interface Forgetting {
  readonly subject: Subject
  readonly people: readonly LoggedPerson[]
  /** Takes out of a text what names the person. */
  redacted(text: string): string
  readonly at: number
  readonly runId: string
}

const OF_PEOPLE = 'SELECT id FROM person_key WHERE person IN (SELECT value FROM json_each(?))'

function destroyValues(
  db: Connection,
  people: readonly LoggedPerson[],
): { logEntries: number; tokens: string[] } {
  const persons = JSON.stringify(people.map(({ person }) => person))
  const run = (sql: string): number => db.prepare(sql).run(persons).changes
  const tokens = db
    .prepare<[string], string>(`SELECT token FROM person_key WHERE id IN (${OF_PEOPLE})`)
    .pluck()
    .all(persons)
  // Which terms somebody had is gone with the values.
  run(`DELETE FROM log_tag WHERE seq IN (SELECT seq FROM sealed WHERE key_id IN (${OF_PEOPLE}))
       AND word IN (SELECT id FROM log_word WHERE word >= 'term:' AND word < 'term;')`)
  const logEntries = run(`UPDATE sealed SET box = NULL WHERE box IS NOT NULL AND key_id IN (${OF_PEOPLE})`)
  run(`UPDATE person_key SET secret = NULL WHERE id IN (${OF_PEOPLE})`)
  run('DELETE FROM person_alias WHERE person IN (SELECT value FROM json_each(?))')
  return { logEntries, tokens }
}

/** A row of another contact stays, even if it shares the mail. */
const NOT_OF_OTHERS = (
  table: string,
): string => `NOT EXISTS (SELECT 1 FROM link WHERE link.pipeline = ${table}.pipeline
  AND link.key = ${table}.key)`

function removeRows(db: Connection, { keys, mails }: Subject) {
  const counts = { links: 0, openOperations: 0, inDoubt: 0, rejects: 0 }
  const prepare = (sql: string) => db.prepare(sql)
  const unprint = prepare(`DELETE FROM fingerprint WHERE pipeline = @pipeline
    AND link_id IN (SELECT id FROM link WHERE pipeline = @pipeline AND key = @key)`)
  const unlink = prepare('DELETE FROM link WHERE pipeline = @pipeline AND key = @key')
  const inDoubt = db.prepare<unknown[], number>(
    "SELECT count(*) FROM operation WHERE pipeline = @pipeline AND key = @key AND state IN ('in_doubt', 'sending')",
  )
  const operations = prepare('DELETE FROM operation WHERE pipeline = @pipeline AND key = @key')
  const rejects = prepare('DELETE FROM reject WHERE pipeline = @pipeline AND key = @key')
  for (const key of keys) {
    unprint.run(key)
    counts.links += unlink.run(key).changes
    counts.inDoubt += inDoubt.pluck().get(key) ?? 0
    counts.openOperations += operations.run(key).changes
    counts.rejects += rejects.run(key).changes
  }
  const naming = (table: string) =>
    prepare(`DELETE FROM ${table} WHERE instr(lower(record), ?) > 0 AND ${NOT_OF_OTHERS(table)}`)
  for (const mail of mails) {
    counts.openOperations += naming('operation').run(mail).changes
    counts.rejects += naming('reject').run(mail).changes
  }
  return counts
}

/** Texts about others, and about runs, in which the person may be named. */
const TEXTS = [
  ['operation', 'reason'],
  ['reject', 'reason'],
  ['hold', 'reason'],
  ['run', 'error'],
  ['input', 'name'],
] as const

function redactTexts(db: Connection, redacted: (text: string) => string): void {
  for (const [table, column] of TEXTS) {
    const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`)
    const texts = db
      .prepare<[], string>(`SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL`)
      .pluck()
    for (const text of texts.all()) {
      const without = redacted(text)
      if (without !== text) update.run(without, text)
    }
  }
}

/** Mails that no other link has: theirs alone. */
function ownMails(db: Connection, mails: readonly string[]): string[] {
  const shared = db.prepare<[string], number>('SELECT 1 FROM link WHERE mail_key = ? LIMIT 1').pluck()
  return mails.filter((mail) => shared.get(mail) === undefined)
}

const SWEEP = "INSERT OR REPLACE INTO meta VALUES ('sweep', '1')"

export function forgetPerson(
  db: Connection,
  { subject, people, redacted, at, runId }: Forgetting,
): Forgotten {
  return db.transaction(() => {
    const { tokens, logEntries } = destroyValues(db, people)
    const rows = removeRows(db, subject)
    redactTexts(db, redacted)
    const tombstones = setTombstones(db, { keys: subject.keys, mails: ownMails(db, subject.mails) }, at)
    const reason = `a person was erased: the values of ${logEntries} entries, ${rows.links} links, ${rows.openOperations} open operations, ${rows.rejects} rejects`
    const about = { at, runId, pipeline: null, configHash: '' }
    createAppend(db)(planEntry({ action: 'erase', reason, tokens }, about))
    db.exec(SWEEP)
    return { logEntries, tokens, tombstones, ...rows }
  })()
}

/** Whether the file was not written anew yet since somebody was erased. */
export const isSweepDue = (db: Connection): boolean =>
  db.prepare("SELECT 1 FROM meta WHERE name = 'sweep'").get() !== undefined

/** Writes the file anew, without what was deleted from it. Needs as much space again, and throws STATE_FULL without. */
export function sweep(db: Connection): void {
  db.exec('VACUUM')
  db.exec("DELETE FROM meta WHERE name = 'sweep'")
  truncateLog(db)
}
