// Destroys what the state holds of one person: the keys of their values in the sync log, everything under their keys and
// mails elsewhere. What stays is the chain, their token in it, and tombstones. All of it is one transaction; afterwards the
// file is rewritten, because pages of a database may hold what was deleted from them.
import type { Recognition, Subject } from '../../core/erasing.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import { UNCERTAIN } from '../../core/change/states.ts'
import { planEntry } from '../../core/log/other-entries.ts'
import type { LoggedPerson } from '../../core/log/sync-log.ts'
import { createAppend } from './audit-append.ts'
import { entriesOf, keysOf } from './audit-names.ts'
import { createUntagTerms } from './audit-tags.ts'
import { recordTexts, rowsNaming } from './subject.ts'
import { endDecision } from '../decisions.ts'
import type { Connection } from '../file/connection.ts'
import { truncateLog } from '../file/owned.ts'
import { isOneOf } from '../file/state-sets.ts'
import { setTombstones } from './tombstones.ts'

/** Rows that are gone now, by what they were. */
export interface Forgotten {
  readonly logEntries: number
  readonly links: number
  readonly openOperations: number
  /** Of these: operations that may be in flight at the service, and will not be looked up any more. */
  readonly inDoubt: number
  /** Of those in doubt: creates, which may have made a contact that no link names. */
  readonly doubtedCreates: number
  readonly rejects: number
  /** Of those that stay: how many name a person of the same name or telephone, and may be theirs. */
  readonly uncertainRejects: number
  /** Texts about others, and about runs, from which the person was taken out. */
  readonly texts: number
  readonly tombstones: number
  readonly tokens: readonly string[]
}

export interface Forgetting {
  readonly subject: Subject
  readonly people: readonly LoggedPerson[]
  /** Of the person in texts about others, and about runs. */
  readonly recognition: Recognition
  /** Pipelines in which several persons may have one mail: it is their key that says who they are. */
  readonly households?: readonly string[]
  /** Contacts that are empty or gone at the service. */
  readonly cleared: readonly number[]
  /** How many records were taken out of files. */
  readonly records: number
  readonly at: number
  readonly runId: string
  /** Who asked for it. */
  readonly decided?: DecidedBy | undefined
  /** Its number in the state: it names the person, and ends with what it asked for. */
  readonly decision?: number | undefined
}

const OF_PEOPLE = keysOf('SELECT CAST(value AS BIGINT) FROM json_each(@persons)')

function destroyValues(
  db: Connection,
  people: readonly LoggedPerson[],
): { logEntries: number; tokens: string[] } {
  const persons = JSON.stringify(people.map(({ person }) => person))
  const run = (sql: string): number => db.prepare(sql).run({ persons }).changes
  const all = <Value>(sql: string): Value[] =>
    db.prepare<[{ persons: string }], Value>(sql).pluck().all({ persons })
  const tokens = all<string>(`SELECT token FROM person_key WHERE id IN (${OF_PEOPLE}) ORDER BY id`)
  // The terms of a person are gone with the values.
  const untag = createUntagTerms(db)
  for (const seq of all<number>(entriesOf(OF_PEOPLE))) untag({ from: seq - 1, upTo: seq })
  const logEntries = run(
    `UPDATE sealed SET box = NULL WHERE box IS NOT NULL AND seq IN (${entriesOf(OF_PEOPLE)})`,
  )
  run(`UPDATE person_key SET secret = NULL WHERE id IN (${OF_PEOPLE})`)
  run(`UPDATE link SET person = NULL WHERE person IN (${OF_PEOPLE})`)
  run(`DELETE FROM person_alias WHERE person IN (${OF_PEOPLE})`)
  return { logEntries, tokens }
}

/** A row of another contact stays, even if it shares the mail. */
const NOT_OF_OTHERS = (
  table: string,
): string => `NOT EXISTS (SELECT 1 FROM link WHERE link.pipeline = ${table}.pipeline
  AND link.key = ${table}.key)`

/** Rows in whose record one of the mails stands. */
function removeNaming(
  db: Connection,
  table: 'operation' | 'reject',
  { mails, households }: { mails: readonly string[]; households: readonly string[] },
): number {
  const remove = db.prepare(`DELETE FROM ${table} WHERE id = ?`)
  const found = rowsNaming(db, { table, where: NOT_OF_OTHERS(table), households }, mails)
  return found.reduce((sum, id) => sum + remove.run(id).changes, 0)
}

/** What waits for the outbox, in whatever form it has the mail. */
function removeOptOuts(db: Connection, mails: readonly string[]): void {
  const remove = db.prepare('DELETE FROM opt_out WHERE id = ?')
  const rows = db.prepare<[], { id: number; mail: string }>('SELECT id, mail FROM opt_out').all()
  for (const { id, mail } of rows) if (mails.includes(mailKey(mail))) remove.run(id)
}

function removeRows(db: Connection, { keys, mails, contactIds }: Subject, households: readonly string[]) {
  const counts = { links: 0, openOperations: 0, inDoubt: 0, doubtedCreates: 0, rejects: 0 }
  const prepare = (sql: string) => db.prepare(sql)
  const unprint = prepare(`DELETE FROM fingerprint WHERE pipeline = @pipeline
    AND link_id IN (SELECT id FROM link WHERE pipeline = @pipeline AND key = @key)`)
  // Digests in which the record took part; the next run parses everything once, and computes them again.
  const unblock = prepare('DELETE FROM settled_block WHERE pipeline = @pipeline')
  const unknowInput = prepare("DELETE FROM meta WHERE name = 'settled_input:' || @pipeline")
  const unlink = prepare('DELETE FROM link WHERE pipeline = @pipeline AND key = @key')
  const unpass = [
    'passed',
    'household',
    'hand_edit',
    'dropped',
    'approval',
    'correction',
    'opt_out',
    'brake_ask',
    'drift_round',
  ].map((table) => prepare(`DELETE FROM ${table} WHERE pipeline = @pipeline AND key = @key`))
  const doubts = db
    .prepare<[Subject['keys'][number]], string>(
      `SELECT kind FROM operation WHERE pipeline = @pipeline AND key = @key AND ${isOneOf(UNCERTAIN)}`,
    )
    .pluck()
  const operations = prepare('DELETE FROM operation WHERE pipeline = @pipeline AND key = @key')
  const rejects = prepare('DELETE FROM reject WHERE pipeline = @pipeline AND key = @key')
  const unsent = prepare('DELETE FROM sent_values WHERE contact_id = ?')
  // That data was looked at stays; whose it was does not.
  const unread = prepare('UPDATE read_log SET contact_id = NULL WHERE contact_id = ?')
  const unseen = ['status_seen', 'opt_out'].map((table) =>
    prepare(`DELETE FROM ${table} WHERE contact_id = ?`),
  )
  // One that no record has is still at the service: it stays noted until it is erased there.
  const unnoticed = prepare(`DELETE FROM erased_seen WHERE contact_id = ?
    AND EXISTS (SELECT 1 FROM link WHERE link.contact_id = erased_seen.contact_id)`)
  for (const id of contactIds)
    for (const statement of [unsent, unread, unnoticed, ...unseen]) statement.run(id)
  for (const key of keys) {
    unprint.run(key)
    for (const statement of unpass) statement.run(key)
    for (const statement of [unblock, unknowInput]) statement.run({ pipeline: key.pipeline })
    counts.links += unlink.run(key).changes
    const kinds = doubts.all(key)
    counts.inDoubt += kinds.length
    counts.doubtedCreates += kinds.filter((kind) => kind === 'create').length
    counts.openOperations += operations.run(key).changes
    counts.rejects += rejects.run(key).changes
  }
  removeOptOuts(db, mails)
  counts.openOperations += removeNaming(db, 'operation', { mails, households })
  counts.rejects += removeNaming(db, 'reject', { mails, households })
  return counts
}

function removeSeen(db: Connection, contactIds: readonly number[]): void {
  const unnoticed = db.prepare('DELETE FROM erased_seen WHERE contact_id = ?')
  for (const id of contactIds) unnoticed.run(id)
}

/** Texts about others, and about runs, in which the person may be named. */
const TEXTS = [
  ['operation', 'reason'],
  ['reject', 'reason'],
  ['hold', 'reason'],
  ['pipeline_pause', 'reason'],
  ['correction', 'note'],
] as const

/** Names of files, and messages as JSON. */
const DATA = [
  ['operation', 'file'],
  ['reject', 'file'],
  ['input', 'name'],
  ['run', 'refused_file'],
  ['accepted', 'name'],
  ['correction', 'file'],
  ['brake_ask', 'file'],
  ['alert_message', 'message'],
] as const

/** Texts that may quote a row of a file as a whole. */
const QUOTING = [['run', 'error']] as const

/** Names of columns, as a JSON list: those of a file without a header are the values of its first record. */
const HEADERS = [
  ['input', 'header'],
  ['reject', 'header'],
] as const

type Column = readonly [table: string, column: string]

/** How many texts were changed. */
function replaceTexts(db: Connection, columns: readonly Column[], without: (text: string) => string): number {
  let changed = 0
  for (const [table, column] of columns) {
    const update = db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`)
    const texts = db
      .prepare<[], string>(`SELECT DISTINCT ${column} FROM ${table} WHERE ${column} IS NOT NULL`)
      .pluck()
    for (const text of texts.all()) {
      const left = without(text)
      if (left !== text) changed += update.run(left, text).changes
    }
  }
  return changed
}

function withoutHeader(text: string, { naming }: Recognition): string {
  const names = JSON.parse(text) as readonly string[]
  return naming(names.join('\n')) === undefined ? text : JSON.stringify(names.map(() => ''))
}

const redactTexts = (db: Connection, recognition: Recognition): number =>
  replaceTexts(db, TEXTS, recognition.redacted) +
  replaceTexts(db, DATA, recognition.redactedData) +
  replaceTexts(db, QUOTING, recognition.withoutQuotes) +
  replaceTexts(db, HEADERS, (text) => withoutHeader(text, recognition))

/**
 * Rejects without a mail of the person that name them anyway. `uncertain` may belong to another person of the same name, or have a
 * key that is not known to be theirs.
 */
function removeNamed(db: Connection, { naming }: Recognition): { removed: number; uncertain: number } {
  const rows = db.prepare<[], { id: number; key: string | null; record: string }>(
    `SELECT id, key, record FROM reject WHERE ${NOT_OF_OTHERS('reject')}`,
  )
  const remove = db.prepare('DELETE FROM reject WHERE id = ?')
  const counts = { removed: 0, uncertain: 0 }
  const gone: number[] = []
  for (const { id, key, record } of rows.iterate()) {
    const found = naming(recordTexts(record).join('\n'))
    if (key === null && found === 'surely') gone.push(id)
    if (key === null ? found === 'maybe' : found === 'surely') counts.uncertain += 1
  }
  for (const id of gone) counts.removed += remove.run(id).changes
  return counts
}

/** Mails that no one else has, by a link or by a change that is open: theirs alone. */
function ownMails(db: Connection, mails: readonly string[]): string[] {
  const shared = ['link', 'operation'].map((table) =>
    db.prepare<[string], number>(`SELECT 1 FROM ${table} WHERE mail_key = ? LIMIT 1`).pluck(),
  )
  return mails.filter((mail) => shared.every((one) => one.get(mail) === undefined))
}

const SWEEP = "INSERT OR REPLACE INTO meta VALUES ('sweep', '1')"

export function forgetPerson(
  db: Connection,
  {
    subject,
    people,
    recognition,
    households = [],
    cleared,
    records,
    at,
    runId,
    decided,
    decision,
  }: Forgetting,
): Forgotten {
  return db.transaction(() => {
    const { tokens, logEntries } = destroyValues(db, people)
    const rows = removeRows(db, subject, households)
    removeSeen(db, cleared)
    const named = removeNamed(db, recognition)
    const rejects = rows.rejects + named.removed
    const texts = redactTexts(db, recognition)
    const tombstones = setTombstones(db, { keys: subject.keys, mails: ownMails(db, subject.mails) }, at)
    const reason = `a person was erased: the values of ${logEntries} entries, ${rows.links} links, ${rows.openOperations} open operations, ${rejects} rejects, ${records} records in files`
    const about = { at, runId, pipeline: null, configHash: '', decided }
    createAppend(db)(planEntry({ action: 'erase', reason, tokens }, about))
    db.prepare(SWEEP).run()
    if (decision !== undefined) endDecision(db, decision)
    return { logEntries, tokens, tombstones, texts, ...rows, rejects, uncertainRejects: named.uncertain }
  })()
}

/** Whether an erasure has not come to its end: the file was not rewritten yet, or copies of it are still there. */
export const isSweepDue = (db: Connection): boolean =>
  db.prepare("SELECT 1 FROM meta WHERE name = 'sweep'").get() !== undefined

/** Rewrites the state without what was deleted from it. Needs as much space again, and throws STATE_FULL without. */
export function sweep(db: Connection): void {
  db.rewrite()
  truncateLog(db)
}

export const endSweep = (db: Connection): void => db.exec("DELETE FROM meta WHERE name = 'sweep'")
