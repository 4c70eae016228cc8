// The end of an operation: its outcome, the link with the new known state, the reject if it is one, and the entry
// of the sync log are one transaction, so that no crash can come between them.
import { auditEntry } from '../../core/log/audit.ts'
import { contactMailKey } from '../../core/mapping/contact.ts'
import { MERGED_REASON, nextKnown } from '../../core/change/diff.ts'
import {
  consentLeft,
  fieldsLeft,
  nextStep,
  type Operation,
  type OperationKind,
  outcomeAfter,
  type Settled,
  type Settlement,
  stepFields,
} from '../../core/change/operation.ts'
import type { RequestTrace } from '../../core/ports.ts'
import type { OperationStore } from '../../core/state.ts'
import { createAppend } from '../log/audit-append.ts'
import type { Connection } from '../file/database.ts'
import { createLedger } from './ledger.ts'
import { assertionsJson, unsureJson } from './rows.ts'
import { sendingRank } from './staging.ts'

type Context = Parameters<OperationStore['settle']>[1]

const UPSERT_LINK = `
INSERT INTO link (pipeline, key, contact_id, mail_key, known, unsure, fresh)
VALUES (@pipeline, @key, @contactId, @mailKey, @known, @unsure, @fresh)
ON CONFLICT (pipeline, key) DO UPDATE SET contact_id = excluded.contact_id, known = excluded.known,
  mail_key = iif(@hasMail, excluded.mail_key, mail_key), unsure = excluded.unsure, gone = 0,
  fresh = excluded.fresh
RETURNING id`

/** Of earlier inputs only: in its own input a later record of the same key may stand rejected, rightly. */
const CLEAR_EARLIER_REJECTS = `
DELETE FROM reject WHERE pipeline = @pipeline AND key = @key AND input_id < (SELECT input_id FROM operation WHERE id = @id)`

/** What a step that is done has settled of the contact: mail_status only where it was taken. */
function settledFields({ operation, settlement, sent, status, withheld = [] }: Settled): Operation['known'] {
  const { kind, desired, consent, undoes } = operation
  if (kind === 'terms' || status === 'ignored') return {}
  if (kind === 'consent') return stepFields(operation)
  // What is put back field by field says nothing about the others.
  if (undoes !== undefined) return sent ?? {}
  const { mail_status: _, ...others } = Object.fromEntries(
    Object.entries(desired).filter(([field]) => !withheld.includes(field)),
  )
  // Found by its mail, and nothing was sent yet.
  if (kind === 'create' && settlement.kind === 'settled')
    return others['mail'] === undefined ? {} : { mail: others['mail'] }
  return status === 'taken' && consent !== undefined ? { ...others, mail_status: consent } : others
}

/** Whether the contact has the mail that is known from now on; a merge method may have kept it from being sent. */
const bringsMail = ({ operation: { kind, fields }, sent }: Settled): boolean =>
  kind === 'create' || (kind === 'update' && 'mail' in (sent ?? fields))

/** What nobody knows of the contact after the step: neither what was settled nor what was seen and kept back. */
function stillUnsure(
  { operation, status, withheld = [] }: Settled,
  settled: Operation['known'],
): readonly string[] {
  const left = operation.unsure.filter((field) => !Object.hasOwn(settled, field) && !withheld.includes(field))
  // An ignored status is sent again once it can be set.
  return status === 'ignored' ? [...new Set([...left, 'mail_status'])] : left
}

/** What is left of a change, as columns of its next step. */
function columnsOfNext(next: OperationKind, { operation, settlement, status }: Settled) {
  const left = fieldsLeft(operation, settlement)
  const consent = consentLeft(operation, status)
  return {
    kind: next,
    mailKey: contactMailKey(left) ?? null,
    fields: JSON.stringify(left),
    consent: consent ?? null,
    rank: sendingRank(next, { consent }),
  }
}

/** Brings a step that is done into the links; after the last one the record is settled in the form it came in. */
function createLinking(db: Connection) {
  const upsert = db.prepare<[Record<string, unknown>], number>(UPSERT_LINK).pluck()
  const remember = db.prepare(`
    INSERT INTO fingerprint SELECT pipeline, @link, fingerprint FROM operation WHERE id = @operation
    ON CONFLICT DO UPDATE SET value = excluded.value`)
  const clearRejects = db.prepare(CLEAR_EARLIER_REJECTS)
  const settleRecord = ({ id, pipeline, key }: Operation, link: number): void => {
    remember.run({ link, operation: id })
    clearRejects.run({ id, pipeline, key })
  }
  const goOn = db.prepare(`
    UPDATE operation SET kind = @kind, state = 'planned', run_id = @runId, link_id = @link, contact_id = @contactId,
      mail_key = @mailKey, fields = @fields, consent = @consent, outcome = @outcome, rank = @rank, reason = NULL WHERE id = @id`)
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  const unsettle = db.prepare('DELETE FROM fingerprint WHERE pipeline = ? AND link_id = ?')
  const assertTerms = createLedger(db)
  const newer = db
    .prepare<[string, string, number], number>(
      `SELECT 1 FROM operation WHERE pipeline = ? AND key = ? AND id > ? AND cause = 'record'
       AND state IN ('planned', 'failed', 'waiting', 'held')`,
    )
    .pluck()
  return (
    settled: Settled & { settlement: { kind: 'done' | 'settled' } },
    contactId: number,
    runId: string,
  ): Settlement => {
    const { operation, settlement } = settled
    const { pipeline, key, id } = operation
    const fields = settledFields(settled)
    const known = nextKnown(operation.known, fields)
    const unsure = unsureJson(stillUnsure(settled, fields))
    const mailKey = contactMailKey(known) ?? null
    const hasMail = bringsMail(settled) ? 1 : 0
    const fresh = settled.isFresh === true ? 1 : 0
    const row = { pipeline, key, contactId, mailKey, hasMail, known: JSON.stringify(known), unsure, fresh }
    const link = upsert.get(row) ?? 0
    if (settled.terms !== undefined) assertTerms({ link, contactId }, settled.terms)
    const outcome = outcomeAfter(operation, settlement)
    const next = nextStep(operation, settled)
    if (operation.cause === 'missing') {
      // Should the record come back, it is compared anew.
      unsettle.run(pipeline, link)
      remove.run(id)
      return settlement
    }
    if (next === undefined) {
      // Put back by a person: what the source says about the record is compared anew.
      if (operation.undoes !== undefined) unsettle.run(pipeline, link)
      else settleRecord(operation, link)
      remove.run(id)
      return settlement.kind === 'settled' ? { ...settlement, outcome } : settlement
    }
    // A newer record of the key has waited for this step: compared anew, it says by itself what is left to do.
    if (newer.get(pipeline, key, id) !== undefined) {
      unsettle.run(pipeline, link)
      remove.run(id)
      return { ...settlement, ...(settlement.kind === 'settled' ? { outcome } : {}) }
    }
    // Between two steps the record is settled in no form: neither in the new one nor, any more, in the old one.
    unsettle.run(pipeline, link)
    goOn.run({ ...columnsOfNext(next, settled), runId, link, contactId, outcome, id })
    return { ...settlement, next }
  }
}

/** The record has gone, and so has its contact: nothing of it stays but the sync log. */
function createUnlinking(db: Connection) {
  const statements = [
    'DELETE FROM fingerprint WHERE pipeline = @pipeline AND link_id IN (SELECT id FROM link WHERE pipeline = @pipeline AND key = @key)',
    'DELETE FROM link WHERE pipeline = @pipeline AND key = @key',
    `DELETE FROM operation WHERE pipeline = @pipeline AND key = @key AND (id = @id OR state IN ('failed', 'held'))`,
    "INSERT OR IGNORE INTO meta VALUES ('deleted:' || @pipeline, @id)",
  ].map((sql) => db.prepare(sql))
  return ({ pipeline, key, id }: Operation): void => {
    for (const statement of statements) statement.run({ pipeline, key, id })
  }
}

/**
 * A create is taken back: its contact is gone, and its record is tried again by the next run, unless the newest full export
 * lacks it.
 */
function createRetracting(db: Connection) {
  const isMissing = db
    .prepare<[string, string], number>('SELECT 1 FROM link WHERE pipeline = ? AND key = ? AND missing > 0')
    .pluck()
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  const unlink = [
    'fingerprint WHERE pipeline = @pipeline AND link_id IN (SELECT id FROM link WHERE pipeline = @pipeline AND key = @key)',
    'link WHERE pipeline = @pipeline AND key = @key',
  ].map((rows) => db.prepare(`DELETE FROM ${rows}`))
  const park = db.prepare(`
    UPDATE operation SET kind = 'create', state = 'failed', link_id = NULL, contact_id = NULL, outcome = NULL, fresh = 0, carried = NULL,
      reason = @reason WHERE id = @id`)
  return ({ pipeline, key, id }: Operation, reason: string): void => {
    const isMentioned = isMissing.get(pipeline, key) === undefined
    for (const statement of unlink) statement.run({ pipeline, key })
    if (isMentioned) park.run({ id, reason })
    else remove.run(id)
  }
}

/** Whether it takes back what its own create made, and nothing else. */
const isRetraction = ({ kind, cause, undoes }: Operation): boolean =>
  kind === 'delete' && cause === 'record' && undoes === undefined

function createRejecting(db: Connection) {
  const forget = db.prepare(CLEAR_EARLIER_REJECTS)
  const add = db.prepare(`
    INSERT INTO reject (input_id, pipeline, key, code, reason, file, line, header, record)
    SELECT input_id, pipeline, key, @code, @reason, file, line, (SELECT header FROM input WHERE input.id = input_id), record
    FROM operation WHERE id = @id`)
  return (operation: Operation, code: string, reason: string): void => {
    forget.run({ id: operation.id, pipeline: operation.pipeline, key: operation.key })
    add.run({ id: operation.id, code, reason })
  }
}

const PARKED = { notBefore: 0, absentReads: 0, contactId: null, swallowed: 0 }

/** `swallowed` counts what the service answered as if it had carried it out. */
function doubtColumns(settlement: Settlement & { kind: 'in_doubt' }, request: RequestTrace | undefined) {
  const status = request?.status ?? 0
  const { reason, notBefore, absentReads = 0 } = settlement
  return {
    state: 'in_doubt',
    reason,
    notBefore,
    absentReads,
    swallowed: status >= 200 && status < 300 ? 1 : 0,
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

/** Nothing was applied: the state knows again what it knew before the request left. What was not given is nobody's of ours. */
function createRestore(db: Connection): (settled: Settled) => void {
  const setUnsure = db.prepare('UPDATE link SET unsure = ? WHERE pipeline = ? AND key = ?')
  const setTerms = db.prepare('UPDATE link SET terms = ? WHERE pipeline = ? AND key = ?')
  return ({ operation: { pipeline, key, unsure, asserted, kind }, partly }) => {
    if (kind === 'update' || kind === 'consent') setUnsure.run(unsureJson(unsure), pipeline, key)
    if (kind === 'terms' && partly !== true)
      setTerms.run(asserted === undefined ? null : assertionsJson(asserted), pipeline, key)
  }
}

/** `logged`: what the entry of the sync log says, where that is about the step and not about the record. */
interface Outcome {
  readonly settlement: Settlement
  readonly logged?: Settlement
}

function createDeleted(db: Connection) {
  const unlink = createUnlinking(db)
  const retract = createRetracting(db)
  return (operation: Operation, settlement: Settlement & { kind: 'done' }): Outcome => {
    if (!isRetraction(operation)) {
      unlink(operation)
      return { settlement }
    }
    const reason = settlement.reason ?? 'its create was taken back'
    retract(operation, reason)
    return { settlement: { kind: 'failed', reason }, logged: { ...settlement, next: 'create' } }
  }
}

function createEnding(db: Connection): (settled: Settled, runId: string) => Outcome {
  const link = createLinking(db)
  const deleted = createDeleted(db)
  const reject = createRejecting(db)
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  const park = db.prepare(`
    UPDATE operation SET state = @state, reason = @reason, not_before = @notBefore, absent_reads = @absentReads,
      contact_id = coalesce(@contactId, contact_id), swallowed = swallowed + @swallowed WHERE id = @id`)
  const takeBack = db.prepare(
    "UPDATE operation SET kind = 'delete', state = 'planned', rank = @rank, reason = @reason WHERE id = @id",
  )
  const restore = createRestore(db)
  const markGone = db.prepare('UPDATE link SET gone = 1 WHERE pipeline = ? AND key = ?')
  const owner = db
    .prepare<[string, number, string], string>(
      'SELECT key FROM link WHERE pipeline = ? AND contact_id = ? AND key <> ?',
    )
    .pluck()
  const linked = (
    settled: Settled & { settlement: { kind: 'done' | 'settled' } },
    contactId: number,
    runId: string,
  ): Outcome => {
    const { operation } = settled
    // A contact that another key of the pipeline has already: the service merged the two.
    if (owner.get(operation.pipeline, contactId, operation.key) === undefined)
      return { settlement: link(settled, contactId, runId) }
    park.run({ ...PARKED, id: operation.id, state: 'held', reason: MERGED_REASON, contactId })
    return { settlement: { kind: 'held', reason: MERGED_REASON, contactId } }
  }
  return (settled, runId) => {
    const { operation, settlement } = settled
    const parked = { ...PARKED, id: operation.id }
    switch (settlement.kind) {
      case 'done':
        return operation.kind === 'delete'
          ? deleted(operation, settlement)
          : linked({ ...settled, settlement }, settlement.contactId, runId)
      case 'settled':
        return settlement.contactId === undefined
          ? { settlement: link({ ...settled, settlement }, operation.contactId ?? 0, runId) }
          : linked({ ...settled, settlement }, settlement.contactId, runId)
      case 'rejected':
        restore(settled)
        reject(operation, settlement.code, settlement.reason)
        remove.run(operation.id)
        return { settlement }
      case 'failed':
        if (settlement.unknown !== true) restore(settled)
        if (settlement.next === undefined) park.run({ ...parked, state: 'failed', reason: settlement.reason })
        else takeBack.run({ id: operation.id, rank: sendingRank('delete', {}), reason: settlement.reason })
        return { settlement }
      case 'in_doubt':
        park.run({ ...parked, ...doubtColumns(settlement, settled.request) })
        return { settlement }
      case 'held': {
        const { reason, contactId = null } = settlement
        park.run({ ...parked, contactId, state: 'held', reason })
        if (settlement.gone === true) markGone.run(operation.pipeline, operation.key)
        return { settlement }
      }
    }
  }
}

export function createSettle(db: Connection): OperationStore['settle'] {
  const end = createEnding(db)
  const append = createAppend(db)
  const keepOpen = createKeepOpen(db)
  const settleAll = db.transaction((settled: readonly Settled[], context: Context) =>
    settled.map((given) => {
      const { settlement, logged = settlement } = end(given, context.runId)
      keepOpen(given)
      append(auditEntry({ ...given, settlement: logged }, context))
      return settlement
    }),
  )
  return async (settled, context) => settleAll(settled, context)
}
