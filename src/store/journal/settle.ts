// Carries out what becomes of a change when a step of it has ended (core/change/after-step.ts): the link with the new
// known state, the next step, the reject if it is one, and the entry of the sync log are one transaction, so that no crash
// can come between them.
import {
  type AfterStep,
  afterStep,
  type LinkAfter,
  type NextStep,
  type Parked,
  type Questions,
  type Restored,
} from '../../core/change/after-step.ts'
import type { Operation, Settled, Settlement } from '../../core/change/operation.ts'
import { JUDGED_AGAIN, SETTLED_SO_FAR } from '../../core/change/states.ts'
import { judgedEdits } from '../../core/change/steps.ts'
import { auditEntries } from '../../core/log/audit.ts'
import type { EntryContext } from '../../core/run-state.ts'
import { createBatchAppend } from '../log/audit-append.ts'
import type { Connection } from '../file/database.ts'
import { FORGET_ASKS } from './brakes.ts'
import { createLedger } from './contacts/ledger.ts'
import { createCountDelete } from './delete-counts.ts'
import { DESIRED } from '../file/desired.ts'
import {
  contactOf,
  createForgetEdits,
  createKeepEdits,
  createNoteSent,
  createSentByOthers,
} from './contacts/hand-edits.ts'
import { createHouseholds } from './contacts/households.ts'
import { createPass } from './passed.ts'
import { assertionsJson, unsureJson } from './rows.ts'
import { isKeyed, isOneOf } from '../file/state-sets.ts'

/** What the ends of one batch have in common. */
interface Batch {
  readonly at: number
  readonly runId: string
  /** Operations that are done, to be removed at once. */
  readonly done: number[]
  /** Operations whose records are settled, each with its link. */
  readonly settled: (readonly [operation: number, link: () => number])[]
  /** Most pipelines have no rejects, and no edits that are kept: whether this one has is asked once. */
  hasRejects(): boolean
  hasEdits(): boolean
}

const UPSERT_LINK = `
INSERT INTO link (pipeline, key, contact_id, mail_key, known, unsure, fresh)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (pipeline, key) DO UPDATE SET contact_id = excluded.contact_id, known = excluded.known,
  mail_key = iif(?, excluded.mail_key, link.mail_key), unsure = excluded.unsure, gone = 0,
  fresh = excluded.fresh
RETURNING id`

/**
 * Of earlier inputs only: in its own input a later record of the same key may stand rejected, rightly. What no record of a file
 * asked for, a correction say, says nothing about the rows that were rejected.
 */
const CLEAR_EARLIER_REJECTS = `
DELETE FROM reject WHERE pipeline = @pipeline AND key = @key
  AND input_id < (SELECT input_id FROM operation WHERE id = @id AND fingerprint <> '')`

/** Brings what is known of the contact into its link; gives the link when it is asked for. */
function createLink(db: Connection): (operation: Operation, after: LinkAfter) => () => number {
  const upsert = db.prepare<unknown[], number>(UPSERT_LINK).pluck()
  const assertTerms = createLedger(db)
  return ({ pipeline, key }, after) => {
    const { contactId, known, mailKey, bringsMail, unsure, isFresh, terms } = after
    const row = [pipeline, key, contactId, mailKey ?? null, JSON.stringify(known), unsureJson(unsure)]
    const written = upsert.later(...row, isFresh ? 1 : 0, bringsMail ? 1 : 0)
    const link = (): number => written() ?? 0
    if (terms !== undefined) assertTerms({ link: link(), contactId }, terms)
    return link
  }
}

function createLinked(db: Connection) {
  const putLink = createLink(db)
  const forget = db.prepare('DELETE FROM fingerprint WHERE pipeline = ? AND link_id = ?')
  const clearRejects = db.prepare(CLEAR_EARLIER_REJECTS)
  const plan = db.prepare(`
    UPDATE operation SET kind = @kind, state = 'planned', run_id = @runId, link_id = @link, contact_id = @contactId,
      mail_key = @mailKey, desired = ${DESIRED}, fields = @fields, consent = @consent, outcome = @outcome, rank = @order, reason = NULL WHERE id = @id`)
  const planNext = (next: NextStep, at: { id: number; link: number; runId: string }): void => {
    const { kind, contactId, mailKey = null, fields, consent = null, outcome, order } = next
    plan.run({ ...at, kind, contactId, mailKey, fields: JSON.stringify(fields), consent, outcome, order })
  }
  return (
    operation: Operation,
    { link: known, next, isSettled }: AfterStep & { kind: 'linked' },
    { runId, done, settled, hasRejects }: Batch,
  ) => {
    const { id, pipeline, key } = operation
    const link = putLink(operation, known)
    if (isSettled) {
      settled.push([id, link])
      if (hasRejects()) clearRejects.run({ id, pipeline, key })
    } else forget.run(pipeline, link())
    if (next === undefined) done.push(id)
    else planNext(next, { id, link: link(), runId })
  }
}

/** Of pairs of an operation and its link. */
const SETTLED = 'json_each(?) AS pair CROSS JOIN operation ON operation.id = CAST(pair.value ->> 0 AS BIGINT)'
const REMEMBER = `
INSERT INTO fingerprint SELECT pipeline, CAST(pair.value ->> 1 AS BIGINT), fingerprint FROM ${SETTLED} WHERE fingerprint <> ''
ON CONFLICT (pipeline, link_id) DO UPDATE SET value = excluded.value`
const FORGET_UNREAD = `
DELETE FROM fingerprint WHERE (pipeline, link_id) IN (SELECT pipeline, CAST(pair.value ->> 1 AS BIGINT) FROM ${SETTLED} WHERE fingerprint = '')`

/** The records that are settled are recognised by their fingerprints from now on. */
function createRemember(db: Connection): (settled: Batch['settled']) => void {
  const remember = db.prepare(REMEMBER)
  const forget = db.prepare(FORGET_UNREAD)
  return (settled) => {
    if (settled.length === 0) return
    const pairs = JSON.stringify(settled.map(([operation, link]) => [operation, link()]))
    const { changes } = remember.run(pairs)
    // What no record of a file asked for leaves nothing that a record could be recognised by.
    if (changes < settled.length) forget.run(pairs)
  }
}

const FORGET_FINGERPRINT =
  'DELETE FROM fingerprint WHERE pipeline = @pipeline AND link_id IN (SELECT id FROM link WHERE pipeline = @pipeline AND key = @key)'
const FORGET_LINK = 'DELETE FROM link WHERE pipeline = @pipeline AND key = @key'
const FORGET_RESOLVED = 'DELETE FROM household WHERE pipeline = @pipeline AND key = @key'

/** Records of other pipelines that have gone as well: had they named the contact, it would not have been deleted. */
const GONE_ELSEWHERE =
  'SELECT pipeline, key FROM link WHERE contact_id = ? AND pipeline <> ? AND missing > 0 AND gone = 0'

/** The record has gone, and so has its contact: nothing of it stays but the sync log. Should it come back, it makes a new one. */
function createUnlinked(db: Connection): (operation: Operation, batch: Batch) => void {
  const count = createCountDelete(db)
  const forgetEdits = createForgetEdits(db)
  const elsewhere = db.prepare<[number, string], { pipeline: string; key: string }>(GONE_ELSEWHERE)
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  const noteDeleted = db.prepare("INSERT OR IGNORE INTO meta VALUES ('deleted:' || ?, ?)")
  const statements = [
    FORGET_FINGERPRINT,
    FORGET_LINK,
    FORGET_RESOLVED,
    FORGET_ASKS,
    `DELETE FROM operation WHERE pipeline = @pipeline AND key = @key AND ${isKeyed('operation')} AND ${isOneOf(JUDGED_AGAIN)}`,
  ].map((sql) => db.prepare(sql))
  return (operation, { at }) => {
    const { pipeline, id, contactId } = operation
    count(operation, at)
    remove.run(id)
    noteDeleted.run(pipeline, id)
    const others = contactId === undefined ? [] : elsewhere.all(contactId, pipeline)
    for (const { pipeline: name, key } of [...others, operation]) {
      for (const statement of statements) statement.run({ pipeline: name, key })
      forgetEdits({ pipeline: name, key, contactId })
    }
  }
}

function createRetracted(db: Connection) {
  const unlink = [FORGET_FINGERPRINT, FORGET_LINK, FORGET_RESOLVED].map((sql) => db.prepare(sql))
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  const park = db.prepare(`
    UPDATE operation SET kind = 'create', state = 'failed', link_id = NULL, contact_id = NULL, outcome = NULL, fresh = 0, carried = NULL,
      reason = @reason WHERE id = @id`)
  return (
    { pipeline, key, id }: Operation,
    { reason, isTriedAgain }: AfterStep & { kind: 'retracted' },
  ): void => {
    for (const statement of unlink) statement.run({ pipeline, key })
    if (isTriedAgain) park.run({ id, reason })
    else remove.run(id)
  }
}

function createRejected(db: Connection) {
  const forget = db.prepare(CLEAR_EARLIER_REJECTS)
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  const add = db.prepare(`
    INSERT INTO reject (input_id, pipeline, key, code, reason, file, line, header, record)
    SELECT input_id, pipeline, key, @code, @reason, file, line, (SELECT header FROM input WHERE input.id = input_id), record
    FROM operation WHERE id = @id`)
  return ({ id, pipeline, key }: Operation, { code, reason }: AfterStep & { kind: 'rejected' }): void => {
    forget.run({ id, pipeline, key })
    add.run({ id, code, reason })
    remove.run(id)
  }
}

/**
 * A release allows what a guard had held to be sent, once. A change that ends as held after that is held for another reason,
 * and needs another decision. A delete whose contact was edited keeps its release: it waits for those edits alone.
 */
const RELEASE_LEFT = "CASE WHEN @state = 'held' AND cause = 'record' THEN 0 ELSE released END"

function createPark(db: Connection): (operation: Operation, parked: Parked) => void {
  const park = db.prepare(`
    UPDATE operation SET state = @state, reason = @reason, not_before = @notBefore, absent_reads = @absentReads,
      contact_id = coalesce(@contactId, contact_id), swallowed = swallowed + @swallowed, released = ${RELEASE_LEFT} WHERE id = @id`)
  const markGone = db.prepare('UPDATE link SET gone = 1 WHERE pipeline = ? AND key = ?')
  const forgetEdits = createForgetEdits(db)
  return ({ id, pipeline, key }, { contactId = null, isSwallowed, isGone, ...columns }) => {
    park.run({ ...columns, id, contactId, swallowed: isSwallowed ? 1 : 0 })
    if (!isGone) return
    markGone.run(pipeline, key)
    // Of a contact that is not there nothing waits for a release.
    forgetEdits({ pipeline, key, contactId: undefined })
  }
}

/** An earlier request of it may still land (see Settled). */
function createKeepOpen(db: Connection): (settled: Settled) => void {
  const set = db.prepare('UPDATE link SET open_until = @until WHERE pipeline = @pipeline AND key = @key')
  // No wait is longer than the newest one: what is later was noted before the clock went back.
  const lower = db.prepare(
    'UPDATE link SET open_until = @until WHERE contact_id = @id AND open_until > @until',
  )
  return ({ openUntil: until, operation: { pipeline, key, contactId } }) => {
    if (until === undefined) return
    set.run({ until, pipeline, key })
    if (contactId !== undefined) lower.run({ until, id: contactId })
  }
}

function createRestore(db: Connection): (operation: Operation, restored: Restored) => void {
  const setUnsure = db.prepare('UPDATE link SET unsure = ? WHERE pipeline = ? AND key = ?')
  const setTerms = db.prepare('UPDATE link SET terms = ? WHERE pipeline = ? AND key = ?')
  return ({ pipeline, key }, { unsure, terms }) => {
    if (unsure !== undefined) setUnsure.run(unsureJson(unsure), pipeline, key)
    if (terms !== undefined) setTerms.run(terms === null ? null : assertionsJson(terms), pipeline, key)
  }
}

const contactsOf = (settled: readonly Settled[]): number[] =>
  settled.flatMap(({ settlement }) => ('contactId' in settlement ? (settlement.contactId ?? []) : []))

/** What the decisions ask of the state. What holds for none of a batch, the rule, is asked once for all of it. */
function createQuestions(db: Connection) {
  const linked = db
    .prepare<[string, string], number>(
      'SELECT contact_id FROM json_each(?) CROSS JOIN link ON link.pipeline = ? AND link.contact_id = CAST(value AS BIGINT)',
    )
    .pluck()
  const owner = db
    .prepare<[string, number, string], number>(
      'SELECT 1 FROM link WHERE pipeline = ? AND contact_id = ? AND key <> ?',
    )
    .pluck()
  const newer = db
    .prepare<[string, string, number], number>(
      `SELECT 1 FROM operation WHERE pipeline = ? AND key = ? AND id > ? AND cause = 'record' AND ${isKeyed('operation')}
       AND ${isOneOf(SETTLED_SO_FAR)}`,
    )
    .pluck()
  const missing = db
    .prepare<[string, string], number>('SELECT 1 FROM link WHERE pipeline = ? AND key = ? AND missing > 0')
    .pluck()
  return (settled: readonly Settled[]) => {
    const pipeline = settled[0]?.operation.pipeline ?? ''
    const contacts = contactsOf(settled)
    // Also those that two of the batch are to be linked to.
    const doubles = contacts.filter((id, index) => contacts.indexOf(id) !== index)
    const known = new Set([...linked.all(JSON.stringify(contacts), pipeline), ...doubles])
    return ({ id, key }: Operation): Questions => ({
      isAnothers: (contactId) => known.has(contactId) && owner.get(pipeline, contactId, key) !== undefined,
      hasNewer: () => newer.get(pipeline, key, id) !== undefined,
      isMissing: () => missing.get(pipeline, key) !== undefined,
    })
  }
}

function createCarryOut(db: Connection): (operation: Operation, after: AfterStep, batch: Batch) => void {
  const linked = createLinked(db)
  const unlinked = createUnlinked(db)
  const retracted = createRetracted(db)
  const rejected = createRejected(db)
  const park = createPark(db)
  const restore = createRestore(db)
  const takeBack = db.prepare(
    "UPDATE operation SET kind = 'delete', state = 'planned', sent = 0, rank = @order, reason = @reason WHERE id = @id",
  )
  const pass = createPass(db)
  return (operation, after, batch) => {
    if ('restored' in after) restore(operation, after.restored)
    switch (after.kind) {
      case 'linked':
        return linked(operation, after, batch)
      case 'passed':
        return pass(operation)
      case 'unlinked':
        return unlinked(operation, batch)
      case 'retracted':
        return retracted(operation, after)
      case 'rejected':
        return rejected(operation, after)
      case 'parked':
        return park(operation, after.parked)
      case 'taken_back':
        return void takeBack.run({ id: operation.id, order: after.order, reason: after.reason })
    }
  }
}

function createAskOnce(db: Connection): (pipeline: string) => Pick<Batch, 'hasRejects' | 'hasEdits'> {
  const reject = db.prepare<[string], number>('SELECT 1 FROM reject WHERE pipeline = ? LIMIT 1').pluck()
  const edit = db.prepare<[string], number>('SELECT 1 FROM hand_edit WHERE pipeline = ? LIMIT 1').pluck()
  return (pipeline) => {
    let hasReject: boolean | undefined
    let hasEdit: boolean | undefined
    return {
      hasRejects: () => (hasReject ??= reject.get(pipeline) !== undefined),
      hasEdits: () => (hasEdit ??= edit.get(pipeline) !== undefined),
    }
  }
}

/** Within a transaction of the caller. */
export function createSettle(
  db: Connection,
): (settled: readonly Settled[], context: EntryContext) => readonly Settlement[] {
  const questions = createQuestions(db)
  const carryOut = createCarryOut(db)
  const append = createBatchAppend(db)
  const remember = createRemember(db)
  const keepOpen = createKeepOpen(db)
  const { keepResolved } = createHouseholds(db)
  const keepEdits = createKeepEdits(db)
  const noteSent = createNoteSent(db)
  const sentByOthers = createSentByOthers(db)
  const remove = db.prepare(
    'DELETE FROM operation WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))',
  )
  const askOnce = createAskOnce(db)
  const batchOf = ([first]: readonly Settled[], { runId, at }: EntryContext): Batch => {
    const pipeline = first?.operation.pipeline ?? ''
    return { runId, at, done: [], settled: [], ...askOnce(pipeline) }
  }
  return (settled, context) => {
    if (settled.length === 0) return []
    const answers = questions(settled)
    const batch = batchOf(settled, context)
    const others = sentByOthers(settled)
    const ended = settled.map((given) => {
      const { operation } = given
      const after = afterStep(given, answers(operation))
      if (given.resolved !== undefined) keepResolved(operation.pipeline, given.resolved)
      carryOut(operation, after, batch)
      keepOpen(given)
      const judged = judgedEdits(given)
      if (judged !== undefined && (given.merged !== undefined || batch.hasEdits()))
        keepEdits(judged, context.at)
      return {
        settlement: after.settlement,
        entries: auditEntries(
          { ...given, settlement: after.logged },
          context,
          others.get(contactOf(given) ?? 0),
        ),
      }
    })
    remember(batch.settled)
    noteSent(settled)
    if (batch.done.length > 0) remove.run(JSON.stringify(batch.done))
    append(ended.flatMap(({ entries }) => entries))
    return ended.map(({ settlement }) => settlement)
  }
}
