// The end of an operation: its outcome, the link with the new known state, the reject if it is one, and the entry
// of the sync log are one transaction, so that no crash can come between them.
import { auditEntry, auditHash, AUDIT_START } from '../core/audit.ts'
import { type Contact, contactMailKey } from '../core/contact.ts'
import { nextKnown } from '../core/diff.ts'
import type { Operation, Settled } from '../core/operation.ts'
import type { OperationStore } from '../core/state.ts'
import type { Connection } from './database.ts'

/** Two keys, one contact: which of them it is nobody can tell here. */
const MERGED_REASON = 'the service gave the contact of another key of this pipeline: it merged the two'

type Context = Parameters<OperationStore['settle']>[1]

const UPSERT_LINK = `
INSERT INTO link (pipeline, key, contact_id, mail_key, known) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (pipeline, key) DO UPDATE SET contact_id = excluded.contact_id, mail_key = excluded.mail_key, known = excluded.known, gone = 0
RETURNING id`

/** Of earlier inputs only: in its own input a later record of the same key may stand rejected, rightly. */
const CLEAR_EARLIER_REJECTS = `
DELETE FROM reject WHERE pipeline = @pipeline AND key = @key AND input_id < (SELECT input_id FROM operation WHERE id = @id)`

function createLinking(db: Connection) {
  const upsert = db.prepare<[string, string, number, string | null, string], number>(UPSERT_LINK).pluck()
  const remember = db.prepare(`
    INSERT INTO fingerprint SELECT pipeline, @link, fingerprint FROM operation WHERE id = @operation
    ON CONFLICT DO UPDATE SET value = excluded.value`)
  const clearRejects = db.prepare(CLEAR_EARLIER_REJECTS)
  return (operation: Operation, contactId: number): void => {
    const known: Contact = nextKnown(operation.known, operation.desired)
    const { pipeline, key } = operation
    const link = upsert.get(pipeline, key, contactId, contactMailKey(known) ?? null, JSON.stringify(known))
    remember.run({ link, operation: operation.id })
    clearRejects.run({ id: operation.id, pipeline, key })
  }
}

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

function createAuditing(db: Connection) {
  const last = db.prepare<[], string>('SELECT hash FROM audit ORDER BY seq DESC LIMIT 1').pluck()
  const append = db.prepare('INSERT INTO audit (entry, prev, hash) VALUES (?, ?, ?)')
  return (settled: Settled, context: Context): void => {
    const prev = last.get() ?? AUDIT_START
    const entry = JSON.stringify(auditEntry(settled, context))
    append.run(entry, prev, auditHash(prev, entry))
  }
}

export function createSettle(db: Connection): OperationStore['settle'] {
  const link = createLinking(db)
  const reject = createRejecting(db)
  const audit = createAuditing(db)
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  const park = db.prepare(
    'UPDATE operation SET state = @state, reason = @reason, not_before = @notBefore, absent_reads = @absentReads WHERE id = @id',
  )
  const markGone = db.prepare('UPDATE link SET gone = 1 WHERE pipeline = ? AND key = ?')

  const owner = db
    .prepare<[string, number, string], string>(
      'SELECT key FROM link WHERE pipeline = ? AND contact_id = ? AND key <> ?',
    )
    .pluck()
  const asTaken = (settled: Settled): Settled => {
    const { operation, settlement } = settled
    if (settlement.kind !== 'done') return settled
    if (owner.get(operation.pipeline, settlement.contactId, operation.key) === undefined) return settled
    return { ...settled, settlement: { kind: 'held', reason: MERGED_REASON } }
  }
  const settleOne = ({ operation, settlement }: Settled): void => {
    const parked = { id: operation.id, notBefore: 0, absentReads: 0 }
    switch (settlement.kind) {
      case 'done':
        link(operation, settlement.contactId)
        remove.run(operation.id)
        return
      case 'settled':
        if (operation.contactId !== undefined) link(operation, operation.contactId)
        remove.run(operation.id)
        return
      case 'rejected':
        reject(operation, settlement.code, settlement.reason)
        remove.run(operation.id)
        return
      case 'failed':
        park.run({ ...parked, state: 'failed', reason: settlement.reason })
        return
      case 'in_doubt':
        park.run({ ...parked, absentReads: 0, ...settlement, state: 'in_doubt' })
        return
      case 'held':
        park.run({ ...parked, state: 'held', reason: settlement.reason })
        if (settlement.gone === true) markGone.run(operation.pipeline, operation.key)
    }
  }
  const settleAll = db.transaction((settled: readonly Settled[], context: Context) =>
    settled.map((given) => {
      const taken = asTaken(given)
      settleOne(taken)
      audit(taken, context)
      return taken.settlement
    }),
  )
  return async (settled, context) => settleAll(settled, context)
}
