// The journal of operations: what may be sent, what is on its way, and the one transaction that ends it.
import { REMAINING } from '../../core/change/states.ts'
import { SENDING_ORDER, sendingOrder } from '../../core/change/steps.ts'
import type { OtherRecords } from '../../core/other-records.ts'
import type { EndedBatch, Marking, RunState } from '../../core/run-state.ts'
import type { PlanTotals, RebuildStore, Replanned, StagedInput, StateLists } from '../../core/state.ts'
import { createNoteAstray } from './astray.ts'
import { createNote } from '../log/audit-append.ts'
import { createAccept } from './accepted.ts'
import { createMoveCursor } from './move-cursor.ts'
import type { Connection } from '../file/database.ts'
import { createDrop } from './dropping.ts'
import { FORGET_EMPTY_HOLDS } from './holds.ts'
import { DESIRED } from '../file/desired.ts'
import { desiredColumn, operationOf, type OperationRow, SELECT_OPERATION } from './rows.ts'
import { createLeftOpen } from './left-open.ts'
import { createOthers } from './contacts/others.ts'
import { createMarkSending } from './sending.ts'
import { createSettle } from './settle.ts'
import { createUnmoved } from './reading/unmoved.ts'
import { operationColumns } from './staging.ts'
import { isOneOf } from '../file/state-sets.ts'

interface InputRow {
  id: number
  run_id: string
  pipeline: string
  name: string
  version: string
  bytes: number
  header: string
}

const stagedInput = (row: InputRow): StagedInput => ({
  id: row.id,
  runId: row.run_id,
  pipeline: row.pipeline,
  input: { name: row.name, version: row.version, bytes: row.bytes },
  header: JSON.parse(row.header) as string[],
})

const TOTALS = `
SELECT count(*) AS operations, coalesce(sum((rank = ${SENDING_ORDER.update} OR rank = ${SENDING_ORDER.withdrawal}) AND fields <> '{}'), 0) AS updates,
       coalesce(sum(rank = ${SENDING_ORDER.createWithMail}), 0) AS createsWithMail,
       coalesce(sum(rank = ${SENDING_ORDER.createWithoutMail}), 0) AS createsWithoutMail, coalesce(sum(consent NOT IN (1, 2)), 0) AS consents,
       coalesce(sum(consent IN (1, 2)), 0) AS withdrawals,
       coalesce(sum(json_array_length(terms, '$.add') > 0), 0) AS termAdditions,
       coalesce(sum(json_array_length(terms, '$.remove') > 0), 0) AS termRemovals,
       coalesce(sum(json_array_length(terms, '$.add') > 0 OR json_array_length(terms, '$.remove') > 0), 0) AS termChanges,
       coalesce(sum(kind = 'create' AND contact_id IS NULL AND json_array_length(terms, '$.add') > 0), 0) AS termsOfCreates,
       coalesce(sum(kind = 'delete'), 0) AS deletes
FROM operation WHERE run_id = ? AND state = 'planned'`

const NO_TOTALS: Omit<PlanTotals, 'terms'> = {
  operations: 0,
  createsWithMail: 0,
  createsWithoutMail: 0,
  updates: 0,
  termAdditions: 0,
  termRemovals: 0,
  termChanges: 0,
  termsOfCreates: 0,
  consents: 0,
  withdrawals: 0,
  deletes: 0,
}

/** Before the first in the order of sending. */
const BEFORE_ALL = SENDING_ORDER.withdrawal - 1

function createTakeToSend(db: Connection): RunState['takeToSend'] {
  const next = db.prepare<[string, number, number, number], OperationRow>(
    `${SELECT_OPERATION} WHERE run_id = ? AND state = 'planned' AND (rank, operation.id) > (?, ?) ORDER BY rank, operation.id LIMIT ?`,
  )
  return async (runId, after, limit) => {
    const rank = after === undefined ? BEFORE_ALL : sendingOrder(after.kind, after)
    return next.all(runId, rank, after?.id ?? 0, limit).map(operationOf)
  }
}

type InputEnds = Pick<RunState, 'unfinishedInputs' | 'endInput' | 'unmovedInputs' | 'endUnmoved'>

function createInputEnds(db: Connection): InputEnds {
  const open = db.prepare<[string], InputRow>(
    "SELECT * FROM input WHERE pipeline = ? AND state IN ('reading', 'planned') ORDER BY id",
  )
  const isReading = db
    .prepare<[number], number>("SELECT 1 FROM input WHERE id = ? AND state = 'reading'")
    .pluck()
  const keep = db.prepare(
    `UPDATE operation SET state = 'failed', reason = 'not sent yet' WHERE input_id = ? AND state = 'planned'`,
  )
  const end = db.prepare('UPDATE input SET state = ? WHERE id = ?')
  const drop = createDrop(db)
  const accept = createAccept(db)
  const moveCursor = createMoveCursor(db)
  const unmovedInputs = createUnmoved(db)
  return {
    unmovedInputs: async (pipeline) => unmovedInputs.of(pipeline),
    endUnmoved: async (staged) => unmovedInputs.end(staged),
    unfinishedInputs: async (pipeline) => open.all(pipeline).map(stagedInput),
    async endInput(staged, { as, accepted, unmoved }) {
      // A file that vanished while it was read was never planned: nothing of it was promised.
      if (as === 'unread' || (as === 'vanished' && isReading.get(staged.id) !== undefined))
        return drop(staged)
      db.transaction(() => {
        if (as === 'vanished') keep.run(staged.id)
        const { pipeline, input } = staged
        if (accepted !== undefined) accept({ ...accepted, pipeline, name: input.name })
        if (as === 'processed' && input.cursor !== undefined) moveCursor(pipeline, input.cursor)
        const folder = as === 'vanished' ? 'processed' : as
        if (unmoved !== undefined) unmovedInputs.note({ ...unmoved, staged, folder })
        end.run(folder, staged.id)
      })()
    },
  }
}

function createReplan(db: Connection): RunState['replan'] {
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  const change = db.prepare(`
    UPDATE operation SET run_id = @run_id, kind = @kind, link_id = @link_id, contact_id = @contact_id, mail_key = @mail_key,
      desired = coalesce(@desired, ${DESIRED}), fields = @fields, terms = coalesce(@terms, CASE @state WHEN 'planned' THEN NULL ELSE terms END),
      consent = @consent, outcome = NULL, state = @state, rank = @rank, sent = 0, swallowed = 0, fresh = 0, carried = NULL, guard = NULL, released = 0,
      -- Why it failed stays with it: a step that may have been applied is looked at before it is sent again.
      reason = CASE @state WHEN 'planned' THEN reason ELSE @reason END
    WHERE id = @id`)
  const forgetHolds = db.prepare(FORGET_EMPTY_HOLDS)
  const replanAll = db.transaction((runId: string, replanned: readonly Replanned[]) => {
    const pipelines = new Set(
      replanned.flatMap(({ operation }) => (operation.guard === undefined ? [] : operation.pipeline)),
    )
    for (const { operation, next, desired } of replanned) {
      const { givesUp = [] } = operation
      const wanted =
        desired === undefined ? null : desiredColumn({ contact: desired, givesUp }, undefined, '')
      if (next.state === 'settled') remove.run(operation.id)
      else change.run({ ...operationColumns(next), run_id: runId, id: operation.id, desired: wanted })
    }
    for (const pipeline of pipelines) forgetHolds.run({ pipeline })
  })
  return async (runId, replanned) => replanAll(runId, replanned)
}

type Journal = Pick<
  RunState,
  | 'planTotals'
  | 'takeToSend'
  | 'markSending'
  | 'settleBatch'
  | 'markAndSettle'
  | 'noteAstray'
  | 'note'
  | 'endInput'
  | 'unfinishedInputs'
  | 'unmovedInputs'
  | 'endUnmoved'
  | 'reopen'
  | 'leftOpen'
  | 'replan'
  | 'countRemaining'
  | 'remainingOf'
> &
  OtherRecords &
  Pick<StateLists, 'held' | 'openDoubts'> &
  Pick<RebuildStore, 'openCreates'>

/** Operations of a run whose records have no outcome yet. */
const LEFT = `operation WHERE run_id = ? AND ${isOneOf(REMAINING)} AND cause = 'record'`

/** What is written before a request leaves, and when it has its answer. */
function createWrites(db: Connection): Pick<RunState, 'markSending' | 'settleBatch' | 'markAndSettle'> {
  const mark = createMarkSending(db)
  const settle = createSettle(db)
  const write = db.transaction((marks: readonly Marking[], ended: EndedBatch | undefined) => {
    const taken = ended === undefined ? [] : settle(ended.settled, ended.context)
    marks.forEach(mark)
    return taken
  })
  return {
    markSending: async (operations, about) => void write([{ operations, ...about }], undefined),
    settleBatch: async (settled, context) => (settled.length === 0 ? [] : write([], { settled, context })),
    markAndSettle: async (marks, ended) => write(marks, ended),
  }
}

export function createJournal(db: Connection): Journal {
  const totals = db.prepare<[string], Omit<PlanTotals, 'terms'>>(TOTALS)
  const termsPlanned = db
    .prepare<[string, number], string>(
      `SELECT DISTINCT value FROM operation, json_each(operation.terms, '$.add')
       WHERE run_id = ? AND state = 'planned' LIMIT ?`,
    )
    .pluck()
  const remaining = db.prepare<[string], number>(`SELECT count(*) FROM ${LEFT}`).pluck()
  const remainingOf = db
    .prepare<[string, string], string>(
      `SELECT DISTINCT key FROM ${LEFT} AND key IN (SELECT value FROM json_each(?))`,
    )
    .pluck()
  return {
    planTotals: async (runId, most = 0) => ({
      ...(totals.get(runId) ?? NO_TOTALS),
      terms: most === 0 ? [] : termsPlanned.all(runId, most),
    }),
    takeToSend: createTakeToSend(db),
    ...createWrites(db),
    note: createNote(db),
    noteAstray: createNoteAstray(db),
    ...createOthers(db),
    ...createLeftOpen(db),
    ...createInputEnds(db),
    replan: createReplan(db),
    countRemaining: async (runId) => remaining.get(runId) ?? 0,
    remainingOf: async (runId, keys) => remainingOf.all(runId, JSON.stringify(keys)),
  }
}
