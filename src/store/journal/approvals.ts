// Changes that wait for approvers: how many each of them needs, who has released which form of it, and when that no longer
// counts. The decision is core/change/waiting/approval.ts.
import { printOfChange, type RequiredApproval } from '../../core/change/waiting/approval.ts'
import type { ApprovedChange } from '../../core/decision.ts'
import type { RunState } from '../../core/run-state.ts'
import type { Approval, ApprovalTerms, HeldPlan, StagedInput, StateLists } from '../../core/state.ts'
import type { Connection } from '../file/database.ts'
import { isKeyed } from '../file/state-sets.ts'
import { type OperationRow, operationOf, SELECT_OPERATION } from './rows.ts'
import { createCountDecided, type RowOfHold, WHOLE_NUMBER } from './hold-counts.ts'

/** The guard of what waits for approvers alone. */
const GUARD = 'approval'

/** Changes of an input that fit a rule; `@terms` as JSON. */
const FITS = `input_id = @id AND CASE @of WHEN 'all' THEN TRUE WHEN 'deletes' THEN cause = 'missing'
  ELSE EXISTS (SELECT 1 FROM json_each(operation.terms, '$.add') AS given
    WHERE given.value IN (SELECT value FROM json_each(@terms))) END`

/** What an operator released before counts as well: it takes approvers. What those released stays so. */
const HOLD = `
UPDATE operation SET state = 'held', guard = '${GUARD}', reason = @reason, released = 0
WHERE state = 'planned' AND ${FITS} AND (released = 0 OR NOT EXISTS (SELECT 1 FROM operation AS old
  JOIN approval_need ON approval_need.operation = old.id WHERE old.pipeline = operation.pipeline AND old.key = operation.key
    AND old.state = 'held' AND ${isKeyed('old')} AND old.input_id <> @id AND old.released = 1
    AND approval_need.released_under IS NOT NULL AND approval_need.needed >= @by))
RETURNING cause`

const NEED = `
INSERT INTO approval_need (operation, needed) SELECT id, @by FROM operation WHERE state = 'held' AND guard IS NOT NULL AND ${FITS}
ON CONFLICT (operation) DO UPDATE SET needed = max(approval_need.needed, excluded.needed)`

const NOTE = `
INSERT INTO hold (run_id, input_id, guard, pipeline, number, threshold, reason, config_hash, held_at)
VALUES (@runId, @id, '${GUARD}', @pipeline, @changes, @threshold, @reason, @configHash, @at)`

/** What a brake has let go is planned again in the run in which its record comes again: its approvals stay. */
const IS_GRANTED = `EXISTS (SELECT 1 FROM brake_ask WHERE brake_ask.pipeline = approval.pipeline
  AND brake_ask.key = approval.key AND brake_ask.state = 'granted' AND given_at IS NULL)`

/** Approvals of records of which nothing is held; `which`: of what is held, all counts where it is ''. */
const forgetApprovalsWithout = (which: string): string =>
  `DELETE FROM approval WHERE pipeline = @pipeline AND NOT EXISTS (SELECT 1 FROM operation
     WHERE operation.pipeline = approval.pipeline AND operation.key = approval.key AND ${isKeyed('operation')}
       AND operation.state = 'held' AND operation.guard IS NOT NULL${which}) AND NOT ${IS_GRANTED}`

/** Before a plan replaces what waits: what was sent or dropped needs its approvals again, also where the input brings the same change. */
export const FORGET_ENDED_APPROVALS = forgetApprovalsWithout(' AND operation.input_id <> @id')

/** Rows of operations that have gone, and approvals of records of which nothing is held any more. */
export const FORGET_APPROVALS = [
  'DELETE FROM approval_need WHERE operation NOT IN (SELECT id FROM operation)',
  forgetApprovalsWithout(''),
] as const

function createHoldForApproval(db: Connection): RunState['holdForApproval'] {
  const hold = db.prepare<[Record<string, unknown>], string>(HOLD).pluck()
  const need = db.prepare(NEED)
  const note = db.prepare(NOTE)
  const holdAll = (
    { id, runId, pipeline }: StagedInput,
    required: readonly RequiredApproval[],
    context: { at: number; configHash: string },
  ) => {
    let [records, deletes] = [0, 0]
    for (const { of, terms, by, reason } of required) {
      const which = { id, of, terms: JSON.stringify(terms), by }
      for (const cause of hold.all({ ...which, reason }))
        if (cause === 'missing') deletes += 1
        else records += 1
      need.run(which)
    }
    const changes = records + deletes
    if (changes === 0) return { records, deletes }
    const threshold = [...new Set(required.map((one) => one.threshold))].join('; ')
    const reason = [...new Set(required.map((one) => one.reason))].join('; ')
    note.run({ ...context, id, runId, pipeline, changes, threshold, reason })
    return { records, deletes }
  }
  return async (staged, required, context) => db.transaction(() => holdAll(staged, required, context))()
}

/** Notes who released which form; lets go what has enough approvals. Within the transaction of the decision. */
export function createApprove(
  db: Connection,
): (given: { run: string; by: string; at: number; approved: readonly ApprovedChange[] }) => void {
  const isHeld = db
    .prepare<[number, string], number>(
      "SELECT 1 FROM operation WHERE id = ? AND run_id = ? AND state = 'held'",
    )
    .pluck()
  const note = db.prepare('INSERT OR IGNORE INTO approval VALUES (?, ?, ?, ?, ?, ?)')
  const release = db.prepare<[number], RowOfHold>(
    'UPDATE operation SET released = 1 WHERE id = ? AND released = 0 RETURNING input_id, guard, 0 AS released',
  )
  const countDecided = createCountDecided(db)
  const under = db.prepare('UPDATE approval_need SET released_under = ? WHERE operation = ?')
  return ({ run, by, at, approved }) => {
    const released: RowOfHold[] = []
    for (const { operation, pipeline, key, print, releasedUnder } of approved) {
      // What a newer file has replaced meanwhile was not seen.
      if (isHeld.get(operation, run) === undefined) continue
      note.run(pipeline, key, print, by, run, at)
      if (releasedUnder === undefined) continue
      released.push(...release.all(operation))
      under.run(releasedUnder, operation)
    }
    countDecided(released, at)
  }
}

/** Given for changes that this plan holds, in whatever run; the first thousands, so that a list need not read a million. */
const GIVEN = `
SELECT one.*, approval.by AS by, approval.print AS print FROM (${SELECT_OPERATION}
  WHERE operation.run_id = @runId AND operation.pipeline = @pipeline AND operation.guard = @guard AND operation.state = 'held') AS one
JOIN approval ON approval.pipeline = one.pipeline AND approval.key = one.key
WHERE one.needed > 0 ORDER BY approval.at, approval.by LIMIT 5000`

/** Whose approvals of changes of the plan count now (core/change/waiting/approval.ts), in the order in which they came. */
export function createApproversOf(
  db: Connection,
): (plan: Pick<HeldPlan, 'runId' | 'pipeline' | 'guard'>, counting: ApprovalTerms) => readonly string[] {
  const given = db.prepare<[Record<string, unknown>], OperationRow & { by: string; print: string }>(GIVEN)
  return ({ runId, pipeline, guard }, { approvers, settings }) => {
    const counted = new Set<string>()
    for (const row of given.all({ runId, pipeline, guard }))
      if (
        !counted.has(row.by) &&
        approvers.includes(row.by) &&
        row.print === printOfChange(operationOf(row), settings[pipeline] ?? '')
      )
        counted.add(row.by)
    return [...counted]
  }
}

/** Of some form of the change; the names of those who are approvers now, as JSON. */
const HAS_APPROVERS = `EXISTS (SELECT 1 FROM approval WHERE approval.pipeline = operation.pipeline AND approval.key = operation.key
  AND approval.by IN (SELECT value FROM json_each(@approvers)) GROUP BY print HAVING count(*) >= needed)`
const WITHDRAW = `
UPDATE operation SET released = 0 WHERE pipeline = @pipeline AND state <> 'planned' AND state = 'held' AND released = 1
  AND EXISTS (SELECT 1 FROM approval_need WHERE approval_need.operation = operation.id
    AND (released_under IS DISTINCT FROM @settings OR NOT ${HAS_APPROVERS}))`

export function createApprovalStore(
  db: Connection,
): Pick<RunState, 'holdForApproval' | 'withdrawReleases'> & Pick<StateLists, 'approvals' | 'approvalsIn'> {
  const any = db.prepare('SELECT 1 FROM approval_need LIMIT 1')
  const withdraw = db.prepare(WITHDRAW)
  const openAgain = db.prepare(`
    UPDATE hold SET released_at = NULL, ${WHOLE_NUMBER} WHERE pipeline = ? AND EXISTS (SELECT 1 FROM operation JOIN approval_need ON operation = id
      WHERE operation.input_id = hold.input_id AND operation.guard = hold.guard AND state = 'held' AND released = 0)`)
  const list = db.prepare<[string, string], Approval>(
    'SELECT key, print, by FROM approval WHERE pipeline = ? AND key = ? ORDER BY at, by',
  )
  const ofRun = db.prepare<[string], Approval>('SELECT key, print, by FROM approval WHERE run_id = ?')
  return {
    holdForApproval: createHoldForApproval(db),
    async withdrawReleases(pipeline, now) {
      if (any.get() === undefined) return 0
      return db.transaction(() => {
        const { settings = null, approvers = [] } = now ?? {}
        const { changes } = withdraw.run({ pipeline, settings, approvers: JSON.stringify(approvers) })
        if (changes > 0) openAgain.run(pipeline)
        return changes
      })()
    },
    approvalsIn: async (runId) => ofRun.all(runId),
    approvals: async (pipeline, keys) => keys.flatMap((key) => list.all(pipeline, key)),
  }
}
