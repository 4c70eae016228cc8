// What an earlier run left open: doubts, failed and waiting operations; and what a crash turns into one of these.
import { createHeldAsks } from './brakes.ts'
import { auditEntry } from '../../core/log/audit.ts'
import { NOT_DONE_REASON } from '../../core/change/lookup/doubt.ts'
import type { Operation, Settlement } from '../../core/change/operation.ts'
import { OVERTAKABLE, RETRIED, SETTLED_SO_FAR } from '../../core/change/states.ts'
import { LEFT_IN_DOUBT } from '../../core/change/steps.ts'
import type { LeftOpen, RunState } from '../../core/run-state.ts'
import type { RebuildStore, StateLists } from '../../core/state.ts'
import { createAppend } from '../log/audit-append.ts'
import type { Connection } from '../file/database.ts'
import { operationOf, type OperationRow, SELECT_OPERATION } from './rows.ts'
import { isKeyed, isOneOf, isOpenAs } from '../file/state-sets.ts'

const CUT_OFF = 'the process ended before the answer was recorded'
const NO_LOOK_UP = '; the contact has no e-mail address to look it up by'
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

function createReopen(db: Connection): RunState['reopen'] {
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
    DELETE FROM operation WHERE pipeline = ? AND cause = 'missing'
      AND (state = 'planned' OR (state <> 'planned' AND state = 'failed' AND undoes IS NOT NULL))`)
  const orphaned = db.prepare(`
    UPDATE operation SET state = 'failed', reason = 'not sent yet' WHERE pipeline = ? AND state = 'planned'
      AND input_id NOT IN (SELECT id FROM input WHERE state IN ('reading', 'planned'))`)
  return async (pipeline, at) =>
    db.transaction(() => {
      noteCutOff(pipeline, at)
      repeat.run(pipeline)
      // What was not sent yet is found again when its input is read again; what was given up is tried again after the files.
      releasedDeletes.run(pipeline)
      forgetDeletes.run(pipeline)
      orphaned.run(pipeline)
      return doubt.run(at, pipeline).changes
    })()
}

const NOT_DONE = `kind = 'create' AND state <> 'planned' AND state = 'failed' AND reason = '${NOT_DONE_REASON}'`

/**
 * What a person has said of a doubt holds for the record when it comes again, too: it is sent alone, as what it replaces would
 * have been. Within a transaction, before what is replaced is removed.
 */
export function createKeepNotDone(db: Connection): (pipeline: string) => void {
  const decided = db
    .prepare<[string], string>(`SELECT key FROM operation WHERE pipeline = ? AND ${NOT_DONE}`)
    .pluck()
  const keep = db.prepare(`
    UPDATE operation SET reason = '${NOT_DONE_REASON}' WHERE pipeline = @pipeline AND kind = 'create'
      AND state IN ('planned', 'waiting') AND key IN (SELECT value FROM json_each(@keys))`)
  return (pipeline) => {
    const keys = decided.all(pipeline)
    if (keys.length > 0) keep.run({ pipeline, keys: JSON.stringify(keys) })
  }
}

/** What failed, waits or is held is replaced by a newer change of its key. */
const DROP_OVERTAKEN = `
DELETE FROM operation WHERE pipeline = ? AND state <> 'planned' AND ${isOneOf(OVERTAKABLE)} AND cause = 'record'
  AND EXISTS (SELECT 1 FROM operation AS newer WHERE newer.pipeline = operation.pipeline AND newer.key = operation.key
    AND newer.id > operation.id AND newer.cause = 'record' AND newer.undoes IS NULL AND ${isKeyed('newer')}
    AND ${isOneOf(SETTLED_SO_FAR, 'newer.state')})`

/**
 * Two changes of one key are not sent side by side: each is compared with what is known when it is taken up. The next run takes
 * up the other one. What a person has put back goes first, because the record says what counts in the end.
 */
const isFirstOfKey = (isTaken: string): string => `NOT EXISTS (SELECT 1 FROM operation AS other
  WHERE other.pipeline = operation.pipeline AND other.key = operation.key AND other.cause = 'record' AND ${isKeyed('other')}
    AND (other.state = 'planned' OR ${isTaken}) AND (other.undoes IS NULL) <= (operation.undoes IS NULL)
    AND ((other.undoes IS NULL) < (operation.undoes IS NULL) OR other.id < operation.id))`

const WHICH: Readonly<Record<LeftOpen, string>> = {
  in_doubt: "state = 'in_doubt'",
  failed: `${isOneOf(RETRIED)} AND operation.cause = 'record' AND operation.id > @after
    AND ${isFirstOfKey(isOneOf(RETRIED, 'other.state'))}`,
  waiting: "state = 'waiting' AND run_id = @runId",
  released: `state = 'held' AND released = 1 AND operation.cause = 'record' AND operation.id > @after
    AND ${isFirstOfKey("other.state = 'held' AND other.released = 1")}`,
}

function createLeftOpenPages(db: Connection): RunState['leftOpen'] {
  const removeOvertaken = db.prepare(DROP_OVERTAKEN)
  const keepNotDone = createKeepNotDone(db)
  const dropOvertaken = db.transaction((pipeline: string) => {
    keepNotDone(pipeline)
    removeOvertaken.run(pipeline)
  })
  const prepare = (which: LeftOpen) =>
    db.prepare<[Record<string, unknown>], OperationRow>(
      `${SELECT_OPERATION} WHERE operation.pipeline = @pipeline AND state <> 'planned' AND ${WHICH[which]}
       ORDER BY operation.id LIMIT @limit`,
    )
  const pages = {
    in_doubt: prepare('in_doubt'),
    failed: prepare('failed'),
    waiting: prepare('waiting'),
    released: prepare('released'),
  }
  return async (which, pipeline, { runId = '', after = 0, limit = Number.MAX_SAFE_INTEGER } = {}) => {
    if (which !== 'in_doubt' && after === 0) dropOvertaken(pipeline)
    return pages[which].all({ pipeline, runId, after, limit }).map(operationOf)
  }
}

const PAGE = 500

type Lists = Pick<StateLists, 'held' | 'openDoubts'> & Pick<RebuildStore, 'openCreates'>

function createLists(db: Connection): Lists {
  const held = db.prepare<[{ pipelines: string; after: number }], OperationRow>(
    `${SELECT_OPERATION} WHERE state <> 'planned' AND state = 'held' AND operation.id > @after
     AND operation.pipeline IN (SELECT value FROM json_each(@pipelines)) ORDER BY operation.id LIMIT ${PAGE}`,
  )
  const openDoubts = db.prepare<[string], OperationRow>(
    `${SELECT_OPERATION} WHERE operation.pipeline = ? AND state <> 'planned' AND (state = 'in_doubt'
     OR (state = 'sending' AND kind IN ${DOUBTFUL})) ORDER BY operation.id`,
  )
  const openCreates = db.prepare<[string], OperationRow>(
    `${SELECT_OPERATION} WHERE operation.pipeline = ? AND kind = 'create' AND operation.contact_id IS NULL
     AND state IN ('planned', 'failed', 'sending', 'in_doubt', 'held') ORDER BY operation.id`,
  )
  const asks = createHeldAsks(db)
  return {
    async *held(pipelines) {
      // By pages: between two of them a run may write.
      for (let after: number | undefined = 0; after !== undefined;) {
        const rows: readonly OperationRow[] = held.all({ pipelines: JSON.stringify(pipelines), after })
        for (const row of rows) yield operationOf(row)
        after = rows.length < PAGE ? undefined : rows.at(-1)?.id
      }
      for (const ask of asks()) if (pipelines.includes(ask.pipeline)) yield ask
    },
    openDoubts: async (pipeline) => openDoubts.all(pipeline).map(operationOf),
    openCreates: async (pipeline) => openCreates.all(pipeline).map(operationOf),
  }
}

export const createLeftOpen = (db: Connection): Pick<RunState, 'reopen' | 'leftOpen'> & Lists => ({
  reopen: createReopen(db),
  leftOpen: createLeftOpenPages(db),
  ...createLists(db),
})
