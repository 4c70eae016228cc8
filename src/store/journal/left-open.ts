// What an earlier run left open: doubts, what was given up, what waits; and what a crash turns into one of these.
import { auditEntry } from '../../core/log/audit.ts'
import type { Operation, Settlement } from '../../core/change/operation.ts'
import { OVERTAKABLE, RETRIED, SETTLED_SO_FAR } from '../../core/change/states.ts'
import { LEFT_IN_DOUBT } from '../../core/change/steps.ts'
import type { OperationStore } from '../../core/state.ts'
import { createAppend } from '../log/audit-append.ts'
import type { Connection } from '../file/database.ts'
import { operationOf, type OperationRow, SELECT_OPERATION } from './rows.ts'
import { isKeyed, isOneOf, isOpenAs } from '../file/state-sets.ts'

const CUT_OFF = 'the process ended before the answer was recorded'
const NO_LOOK_UP = '; the contact has no mail to look it up by'
const CUT_OFF_NOW = isOpenAs(['sending'])
const DOUBTFUL = `(${LEFT_IN_DOUBT.map((kind) => `'${kind}'`).join(', ')})`

/** Enters what was on its way into the sync log: it may have been applied, and what follows may never speak of it again. */
function createNoteCutOff(db: Connection): (pipeline: string, at: number) => void {
  const sending = db.prepare<[string], OperationRow>(
    `${SELECT_OPERATION} WHERE operation.pipeline = ? AND state <> 'planned' AND state = 'sending' ORDER BY operation.id`,
  )
  const configHash = db.prepare<[string], string>('SELECT config_hash FROM run WHERE id = ?').pluck()
  const append = createAppend(db)
  const settlementOf = ({ kind }: Operation): Settlement =>
    LEFT_IN_DOUBT.includes(kind)
      ? { kind: 'in_doubt', reason: CUT_OFF, notBefore: 0 }
      : { kind: 'failed', reason: CUT_OFF, unknown: true }
  return (pipeline, at) => {
    for (const operation of sending.all(pipeline).map(operationOf)) {
      const { runId } = operation
      const context = { at, runId, configHash: configHash.get(runId) ?? '' }
      append(auditEntry({ operation, settlement: settlementOf(operation), request: undefined }, context))
    }
  }
}

function createReopen(db: Connection): OperationStore['reopen'] {
  const noteCutOff = createNoteCutOff(db)
  const doubt = db.prepare(`
    UPDATE operation SET state = 'in_doubt', not_before = ?,
      reason = '${CUT_OFF}' || CASE WHEN mail_key IS NULL THEN '${NO_LOOK_UP}' ELSE '' END
    WHERE pipeline = ? AND ${CUT_OFF_NOW} AND kind IN ${DOUBTFUL}`)
  const repeat = db.prepare(`
    UPDATE operation SET state = 'failed', reason = '${CUT_OFF}'
    WHERE pipeline = ? AND ${CUT_OFF_NOW} AND kind NOT IN ${DOUBTFUL}`)
  const releasedDeletes = db.prepare(`
    UPDATE operation SET state = 'held' WHERE pipeline = ? AND cause = 'missing' AND released = 1
      AND (state = 'planned' OR (state <> 'planned' AND state = 'failed'))`)
  const forgetDeletes = db.prepare(`
    DELETE FROM operation WHERE pipeline = ? AND cause = 'missing' AND (state = 'planned' OR (state <> 'planned' AND state = 'failed'))`)
  const orphaned = db.prepare(`
    UPDATE operation SET state = 'failed', reason = 'not sent yet' WHERE pipeline = ? AND state = 'planned'
      AND input_id NOT IN (SELECT id FROM input WHERE state IN ('reading', 'planned'))`)
  return async (pipeline, at) =>
    db.transaction(() => {
      noteCutOff(pipeline, at)
      repeat.run(pipeline)
      // What was not deleted yet is found again by the next full input, if it is still missing then.
      releasedDeletes.run(pipeline)
      forgetDeletes.run(pipeline)
      orphaned.run(pipeline)
      return doubt.run(at, pipeline).changes
    })()
}

export function createLeftOpen(
  db: Connection,
): Pick<OperationStore, 'reopen' | 'doubts' | 'openDoubts' | 'dropOvertaken' | 'retriable' | 'waiting'> {
  const doubts = db.prepare<[string], OperationRow>(
    `${SELECT_OPERATION} WHERE operation.pipeline = ? AND state <> 'planned' AND state = 'in_doubt' ORDER BY operation.id`,
  )
  const openDoubts = db.prepare<[string], OperationRow>(
    `${SELECT_OPERATION} WHERE operation.pipeline = ? AND state <> 'planned' AND (state = 'in_doubt'
     OR (state = 'sending' AND kind IN ${DOUBTFUL})) ORDER BY operation.id`,
  )
  const retriable = db.prepare<[string, number, number], OperationRow>(
    `${SELECT_OPERATION} WHERE operation.pipeline = ? AND state <> 'planned' AND ${isOneOf(RETRIED)} AND cause = 'record' AND operation.id > ? ORDER BY operation.id LIMIT ?`,
  )
  const overtaken = db.prepare(`
    DELETE FROM operation WHERE pipeline = ? AND state <> 'planned' AND ${isOneOf(OVERTAKABLE)} AND cause = 'record'
      AND EXISTS (SELECT 1 FROM operation AS newer WHERE newer.pipeline = operation.pipeline AND newer.key = operation.key
        AND newer.id > operation.id AND newer.cause = 'record' AND newer.undoes IS NULL AND ${isKeyed('newer')}
        AND ${isOneOf(SETTLED_SO_FAR, 'newer.state')})`)
  const waiting = db.prepare<[string], OperationRow>(
    `${SELECT_OPERATION} WHERE run_id = ? AND state = 'waiting' ORDER BY operation.id`,
  )
  return {
    reopen: createReopen(db),
    doubts: async (pipeline) => doubts.all(pipeline).map(operationOf),
    openDoubts: async (pipeline) => openDoubts.all(pipeline).map(operationOf),
    async dropOvertaken(pipeline) {
      overtaken.run(pipeline)
    },
    retriable: async (pipeline, afterId, limit) => retriable.all(pipeline, afterId, limit).map(operationOf),
    waiting: async (runId) => waiting.all(runId).map(operationOf),
  }
}
