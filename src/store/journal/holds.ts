// Plans that a guard held: how many changes, over which threshold, and whether a person has released them since.
// The changes themselves stay in the journal; whatever is newer about one of them takes its place there.
import type { GuardName, Hold } from '../../core/change/waiting/guard.ts'
import type { Dropped, Release } from '../../core/decision.ts'
import type { RunState } from '../../core/run-state.ts'
import type { HeldPlan, ReleaseStore, StagedInput, StateLists } from '../../core/state.ts'
import { createApprovalStore, createApproversOf } from './approvals.ts'
import { createDropAsks, createHeldByBrakes } from './brakes.ts'
import { FORGET_ACCEPTED_OF_RELEASED } from './accepted.ts'
import {
  COUNT_OUT_RELEASED,
  createCountDecided,
  type RowOfHold,
  IS_DECIDED,
  LEFT_OF_HOLD,
  READY_OF_HOLD,
  WHOLE_NUMBER,
} from './hold-counts.ts'
import type { Connection } from '../file/database.ts'
import { linkCount } from '../file/link-count.ts'
import { isKeyed } from '../file/state-sets.ts'

interface HoldRow {
  run_id: string
  pipeline: string
  guard: GuardName
  number: number
  threshold: string
  reason: string
  config_hash: string
  held_at: number
  released_at: number | null
  left_over: number
  ready: number
  needed: number
  to_approve: number
}

const heldPlan = (row: HoldRow): HeldPlan => ({
  runId: row.run_id,
  pipeline: row.pipeline,
  guard: row.guard,
  number: row.number,
  threshold: row.threshold,
  reason: row.reason,
  configHash: row.config_hash,
  heldAt: row.held_at,
  needed: row.needed,
  toApprove: row.to_approve,
  approvedBy: [],
  releasedAt: row.released_at ?? undefined,
  left: row.left_over,
  ready: row.ready,
})

/** Planned changes of the input: of records, and of records that are missing. */
const changesOf = (released: 0 | 1): string =>
  // What only gives fields up changes no contact.
  `(SELECT count(*) FROM operation WHERE input_id = @id AND state = 'planned' AND released = ${released} AND cause = 'record'
         AND (kind <> 'update' OR fields <> '{}'))`
const deletesOf = (released: 0 | 1): string =>
  `(SELECT count(*) FROM operation WHERE input_id = @id AND state = 'planned' AND released = ${released} AND cause = 'missing')`

const NUMBERS = `
SELECT (SELECT count(*) FROM reject WHERE input_id = @id) AS rejected,
       (SELECT count(*) FROM reject WHERE input_id = @id AND key IS NULL) AS unidentified,
       ${linkCount('@pipeline')} AS links,
       ${changesOf(0)} AS changes, ${deletesOf(0)} AS deletes,
       ${changesOf(1)} AS releasedChanges, ${deletesOf(1)} AS releasedDeletes,
       EXISTS (SELECT 1 FROM meta WHERE name = 'deleted:' || @pipeline) AS hasDeleted`

/** Whether the same change of the same person was released already, in the very form that is planned now. */
const INHERIT = `
UPDATE operation SET released = 1 WHERE input_id = @id AND state = 'planned' AND EXISTS (
  SELECT 1 FROM operation AS old WHERE old.pipeline = operation.pipeline AND old.key = operation.key AND old.state = 'held' AND ${isKeyed('old')}
    AND old.released = 1 AND old.input_id <> @id AND old.cause = operation.cause AND old.kind = operation.kind
    AND old.contact_id IS NOT DISTINCT FROM operation.contact_id AND old.fields = operation.fields AND old.terms IS NOT DISTINCT FROM operation.terms
    AND old.consent IS NOT DISTINCT FROM operation.consent)`

/**
 * A file that is not as expected may change nothing, a new column say: its release says that later ones may look like it.
 * It waits for that until another file was accepted.
 */
const WAITS_WITHOUT_CHANGES = `(hold.guard = 'expect' AND hold.released_at IS NULL
  AND hold.held_at > coalesce((SELECT at FROM accepted WHERE accepted.pipeline = hold.pipeline), 0))`

/** Held plans of which nothing is left: sent, or overtaken by what is newer. */
export const FORGET_EMPTY_HOLDS = `
DELETE FROM hold WHERE pipeline = @pipeline AND NOT EXISTS (SELECT 1 FROM operation WHERE operation.input_id = hold.input_id
  AND operation.guard = hold.guard) AND NOT ${WAITS_WITHOUT_CHANGES}`

/** A later input of the same run took some of the changes over: what is left was held by it just as it stands now. */
export const RECOUNT_HOLDS = `
UPDATE hold SET number = ${LEFT_OF_HOLD}
WHERE run_id = @runId AND pipeline = @pipeline AND released_at IS NULL`

/** Holds of which something was not released as a whole yet. */
const OPEN = 'FILTER (WHERE released_at IS NULL)'

/**
 * A run holds several files by one guard. As long as one of them waits for a person it is those that count, and what was
 * released of the others is released one by one.
 */
const LIST = `
SELECT * FROM (
SELECT run_id, pipeline, guard, max(threshold) AS threshold, max(config_hash) AS config_hash, min(held_at) AS held_at,
       coalesce(group_concat(DISTINCT reason) ${OPEN}, group_concat(DISTINCT reason)) AS reason,
       CASE WHEN count(*) = count(released_at) THEN max(released_at) END AS released_at,
       coalesce(sum(number) ${OPEN}, sum(number)) AS number,
       coalesce(sum(${LEFT_OF_HOLD}) ${OPEN}, sum(${LEFT_OF_HOLD})) AS left_over,
       sum(${READY_OF_HOLD}) + sum(${LEFT_OF_HOLD}) - coalesce(sum(${LEFT_OF_HOLD}) ${OPEN}, sum(${LEFT_OF_HOLD})) AS ready,
       (SELECT coalesce(max(needed), 0) FROM operation JOIN approval_need ON approval_need.operation = operation.id
        WHERE operation.run_id = hold.run_id AND operation.guard = hold.guard AND operation.state = 'held') AS needed,
       (SELECT count(*) FROM operation JOIN approval_need ON approval_need.operation = operation.id
        WHERE operation.run_id = hold.run_id AND operation.guard = hold.guard AND operation.state = 'held'
          AND operation.released = 0) AS to_approve,
       sum(${WAITS_WITHOUT_CHANGES}) AS waiting
FROM hold GROUP BY run_id, pipeline, guard) AS listed
WHERE left_over > 0 OR ready > 0 OR waiting > 0 ORDER BY held_at, run_id`

type Numbers = Record<
  | 'rejected'
  | 'unidentified'
  | 'links'
  | 'changes'
  | 'deletes'
  | 'releasedChanges'
  | 'releasedDeletes'
  | 'hasDeleted',
  number
>

const NO_NUMBERS: Numbers = {
  ...{ rejected: 0, unidentified: 0, links: 0, changes: 0, deletes: 0 },
  ...{ releasedChanges: 0, releasedDeletes: 0, hasDeleted: 0 },
}

function createHoldPlan(db: Connection): RunState['holdPlan'] {
  const holdOperations = db
    .prepare<[Record<string, unknown>], string>(
      `
    UPDATE operation SET state = 'held', guard = @guard, reason = @reason
    WHERE input_id = @id AND state = 'planned' AND released = 0 AND CASE @holds WHEN 'all' THEN TRUE
      WHEN 'deletes' THEN cause = 'missing' ELSE cause = 'record' AND key IN (SELECT value FROM json_each(@keys)) END
    RETURNING cause`,
    )
    .pluck()
  const note = db.prepare(`
    INSERT INTO hold (run_id, input_id, guard, pipeline, number, threshold, reason, config_hash, held_at)
    VALUES (@runId, @id, @guard, @pipeline, @changes, @threshold, @reason, @configHash, @at)`)
  const hold = (
    staged: StagedInput,
    { guard, holds, keys = [], threshold, reason }: Hold,
    context: { at: number; configHash: string },
  ) => {
    const { id, runId, pipeline } = staged
    const causes = holdOperations.all({ id, guard, reason, holds, keys: JSON.stringify(keys) })
    if (holds === 'records' && causes.length === 0) return { records: 0, deletes: 0 }
    const deletes = causes.filter((cause) => cause === 'missing').length
    note.run({ ...context, id, runId, pipeline, guard, threshold, reason, changes: causes.length })
    return { records: causes.length - deletes, deletes }
  }
  return async (staged, given, context) => db.transaction(() => hold(staged, given, context))()
}

/** Held by a guard; what needs approvals is released by approvers. */
const IS_RELEASABLE = `state = 'held' AND guard IS NOT NULL AND id NOT IN (SELECT operation FROM approval_need)`

/** Releases what guards held in a run, or of these records of it alone. Within the transaction of the decision. */
export function createRelease(db: Connection): (of: Release & { readonly at: number }) => void {
  const countAll = db.prepare(COUNT_OUT_RELEASED)
  const all = db.prepare(`UPDATE operation SET released = 1 WHERE run_id = ? AND ${IS_RELEASABLE}`)
  const some = db.prepare<[{ run: string; keys: string; pipeline: string | null }], RowOfHold>(`
    UPDATE operation SET released = 1 WHERE run_id = @run AND released = 0 AND ${IS_RELEASABLE}
      AND (@pipeline IS NULL OR pipeline = @pipeline)
      AND key IN (SELECT value FROM json_each(@keys)) RETURNING input_id, guard, 0 AS released`)
  const countDecided = createCountDecided(db)
  const forgetAccepted = db.prepare(FORGET_ACCEPTED_OF_RELEASED)
  const noteRelease = db.prepare(`
    UPDATE hold SET released_at = ?, ${WHOLE_NUMBER} WHERE run_id = ? AND ${IS_DECIDED}`)
  return ({ run, at, keys, pipeline = null }) => {
    if (keys !== undefined) return countDecided(some.all({ run, keys: JSON.stringify(keys), pipeline }), at)
    countAll.run(run)
    all.run(run)
    noteRelease.run(at, run)
    forgetAccepted.run(run)
  }
}

/**
 * Takes held changes out of the journal, and notes the form in which they are not planned again. A file that was not as
 * expected stays unaccepted.
 */
export function createDropHeld(db: Connection): (dropped: readonly Dropped[], at: number) => void {
  const remove = db.prepare<[number], RowOfHold & { terms: string | null }>(
    "DELETE FROM operation WHERE id = ? AND state = 'held' RETURNING input_id, guard, released, terms",
  )
  const dropAsks = createDropAsks(db)
  const note = db.prepare('INSERT OR REPLACE INTO dropped VALUES (?, ?, ?, ?)')
  const forget = db.prepare(FORGET_EMPTY_HOLDS)
  const countDecided = createCountDecided(db)
  return (dropped, at) => {
    const removed = dropped.flatMap(({ operation, pipeline, key, cause, print }) => {
      const row = remove.get(operation)
      if (row !== undefined && print !== undefined) note.run(pipeline, key, cause, print)
      if (row !== undefined && row.terms !== null) dropAsks({ pipeline, key, terms: row.terms })
      return row ?? []
    })
    countDecided(removed, at)
    for (const pipeline of new Set(dropped.map((one) => one.pipeline))) forget.run({ pipeline })
  }
}

/** Deletes that an earlier run gave up. */
const FAILED_BEFORE =
  "state <> 'planned' AND state = 'failed' AND cause = 'missing' AND undoes IS NULL AND run_id <> @runId"

/** Another change of its record goes in this run: by it the delete is judged again, in the next one. */
const GOES_ALONE = `NOT EXISTS (SELECT 1 FROM operation AS other WHERE other.pipeline = operation.pipeline
  AND other.key = operation.key AND other.id <> operation.id AND other.state = 'planned' AND ${isKeyed('other')})`

const RELEASED_DELETES = `pipeline = @pipeline AND state <> 'planned' AND state = 'held' AND released = 1 AND cause = 'missing'
  AND ${GOES_ALONE} AND (link_id IN (SELECT id FROM link WHERE missing > 0) AND @missing = 1 OR undoes IS NOT NULL)`

function createReleases(db: Connection): ReleaseStore & Pick<RunState, 'takeReleasedDeletes'> {
  const release = db.transaction(createRelease(db))
  const heldHere = db.prepare<[Record<string, unknown>], { guard: GuardName; deletes: number }>(`
    SELECT guard, count(*) AS deletes FROM operation WHERE ${RELEASED_DELETES} AND run_id = @runId
    GROUP BY guard ORDER BY guard`)
  const takeDeletes = db.prepare(
    `UPDATE operation SET state = 'planned', run_id = @runId WHERE ${RELEASED_DELETES}`,
  )
  const takeFailed = db.prepare(`
    UPDATE operation SET state = 'planned', run_id = @runId
    WHERE pipeline = @pipeline AND ${FAILED_BEFORE} AND @missing = 1
      AND (kind <> 'delete' OR @deletes = 1) AND link_id IN (SELECT id FROM link WHERE missing > 0)`)
  const giveUp = db.prepare(`DELETE FROM operation WHERE pipeline = @pipeline AND ${FAILED_BEFORE}`)
  const forget = db.prepare(FORGET_EMPTY_HOLDS)
  return {
    release: async (run, at) => release({ run, at }),
    takeReleasedDeletes: async (pipeline, runId, { missing, deletes }) =>
      db.transaction(() => {
        const of = { pipeline, runId, missing: missing ? 1 : 0 }
        const ofThisRun = heldHere.all(of)
        takeDeletes.run(of)
        takeFailed.run({ ...of, deletes: deletes ? 1 : 0 })
        // Their records are back, or the pipeline no longer asks for it.
        giveUp.run({ pipeline, runId })
        forget.run({ pipeline })
        return ofThisRun
      })(),
  }
}

type Holds = ReleaseStore &
  ReturnType<typeof createApprovalStore> &
  Pick<RunState, 'inputNumbers' | 'holdPlan' | 'takeReleasedDeletes'> &
  Pick<StateLists, 'heldPlans' | 'released'>

export function createHoldStore(db: Connection): Holds {
  const numbers = db.prepare<[{ id: number; pipeline: string }], Numbers>(NUMBERS)
  const terms = db
    .prepare<[number, 0 | 1, number], string>(
      `SELECT DISTINCT value FROM operation, json_each(operation.terms, '$.add')
       WHERE input_id = ? AND state = 'planned' AND released = ? LIMIT ?`,
    )
    .pluck()
  const anyReleased = db
    .prepare<[string], number>(
      "SELECT 1 FROM operation WHERE pipeline = ? AND state <> 'planned' AND state = 'held' AND released = 1 LIMIT 1",
    )
    .pluck()
  const inherit = db.prepare(INHERIT)
  const brakes = createHeldByBrakes(db)
  const list = db.prepare<[], HoldRow>(LIST)
  const approversOf = createApproversOf(db)
  const released = db
    .prepare<[string], number>(
      "SELECT count(*) FROM operation WHERE pipeline = ? AND state <> 'planned' AND state = 'held' AND released = 1",
    )
    .pluck()
  return {
    async inputNumbers({ id, pipeline }, most = 0) {
      if (anyReleased.get(pipeline) !== undefined) inherit.run({ id })
      const { releasedChanges, releasedDeletes, hasDeleted, ...found } =
        numbers.get({ id, pipeline }) ?? NO_NUMBERS
      const given = (released: 0 | 1) => (most === 0 ? [] : terms.all(id, released, most))
      const released = { changes: releasedChanges, deletes: releasedDeletes, terms: given(1) }
      return { ...found, hasDeleted: hasDeleted === 1, released, terms: given(0) }
    },
    holdPlan: createHoldPlan(db),
    async heldPlans(pipelines, counting) {
      const plans = [...list.all().map(heldPlan), ...brakes()].filter((one) =>
        pipelines.includes(one.pipeline),
      )
      if (counting === undefined) return plans
      return plans.map((plan) =>
        plan.needed === 0 ? plan : { ...plan, approvedBy: approversOf(plan, counting) },
      )
    },
    released: async (pipeline) => released.get(pipeline) ?? 0,
    ...createReleases(db),
    ...createApprovalStore(db),
  }
}
