// Reading and planning one input: what is found is written down at once, batch by batch, and counts for nothing
// until the plan is committed. So memory stays flat, and a file that turns out to be damaged leaves nothing behind.
import { FINAL_REJECTS } from '../../core/words/errors.ts'
import { isConsent } from '../../core/mapping/values/consent.ts'
import type { Desired } from '../../core/change/diff.ts'
import { DRIFT_REPAIR } from '../../core/change/others/repair.ts'
import type { StagedOperation } from '../../core/change/operation.ts'
import { JUDGED_AGAIN, OVERTAKABLE } from '../../core/change/states.ts'
import { firstForm } from '../../core/change/steps.ts'
import type { RunState } from '../../core/run-state.ts'
import type { StagedEntry, StagedInput, StagingRules } from '../../core/state.ts'
import type { BrakeStore } from '../../core/change/waiting/brake.ts'
import type { CorrectionStore } from '../../core/change/others/correction.ts'
import type { DroppedStore } from '../../core/change/waiting/dropped.ts'
import type { ResolutionStore } from '../../core/change/lookup/resolution.ts'
import type { BlockStore } from '../../core/change/settled-blocks.ts'
import { createBlockStore } from './reading/blocks.ts'
import { type Claims, createClaims } from './reading/claims.ts'
import type { Connection } from '../file/database.ts'
import { createDiscard } from './dropping.ts'
import { createDropped } from './reading/dropped.ts'
import { createRejectsAt, createRereadRejects } from './reading/reread-rejects.ts'
import { createUnstage } from './reading/unstage.ts'
import { createFingerprints, type Fingerprints, type FingerprintWalk } from './reading/fingerprints.ts'
import { FORGET_APPROVALS, FORGET_ENDED_APPROVALS } from './approvals.ts'
import { createAsks, createBrakeStore } from './brakes.ts'
import { FORGET_EMPTY_HOLDS, RECOUNT_HOLDS } from './holds.ts'
import { createCorrectionFindings, createCorrectionStore } from './contacts/corrections.ts'
import { createHouseholds } from './contacts/households.ts'
import { createKnown } from './contacts/known.ts'
import { createKeepNotDone } from './left-open.ts'
import { createMissingLinks, type MissingLinks } from './missing.ts'
import { createPassed } from './passed.ts'
import { desiredColumn, recordJson } from './rows.ts'
import { createSameKeyRejects } from './same-key-rejects.ts'
import { createSharedMails } from './contacts/shared-mails.ts'
import { isKeyed, isOpenAs } from '../file/state-sets.ts'

/** The columns that depend on the form of an operation. */
export function operationColumns(operation: StagedOperation) {
  const form = firstForm(operation)
  return {
    kind: form.kind,
    link_id: form.linkId ?? null,
    contact_id: form.contactId ?? null,
    mail_key: form.mailKey ?? null,
    fields: JSON.stringify(form.fields),
    terms: form.terms === undefined ? null : JSON.stringify(form.terms),
    consent: form.consent ?? null,
    state: form.state,
    rank: form.order,
    reason: form.reason ?? null,
    cause: form.cause,
    undoes: form.undoes ?? null,
  }
}

// By place: looking up a name for each of so many values takes the driver longer than writing the row.
const INSERT_OPERATION = `
INSERT INTO operation (input_id, run_id, pipeline, key, line, file, kind, link_id, contact_id, mail_key, fields, desired,
  terms, consent, evidence, record, fingerprint, state, rank, reason, cause, undoes)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Of a consent alone: what else a record says about one is not kept. */
const evidenceJson = ({ contact, evidence }: Desired): string | null =>
  evidence === undefined || !isConsent(contact['mail_status']) ? null : JSON.stringify(evidence)

/** A change that is not planned yet keeps the wanted values of its record, for a later comparison. */
function wantedTerms({ desired, operation }: StagedEntry & { kind: 'operation' }): string | null {
  if (operation.state === 'planned' || desired.terms === undefined) return null
  return JSON.stringify({ add: [], remove: [], asserts: desired.terms })
}

function createStage(
  db: Connection,
  putFingerprint: (pipeline: string, linkId: number, value: string) => void,
): (staged: StagedInput, entries: readonly StagedEntry[]) => void {
  const addOperation = db.prepare(INSERT_OPERATION)
  const addReject = db.prepare(
    'INSERT INTO reject (input_id, pipeline, key, code, reason, file, line, header, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const passed = createPassed(db)
  const stageOne = (staged: StagedInput, entry: StagedEntry): void => {
    const { source, fingerprint } = entry.record
    if (entry.kind === 'unchanged') putFingerprint(staged.pipeline, entry.linkId, fingerprint)
    else if (entry.kind === 'passed') passed.put(staged.pipeline, entry.key, fingerprint)
    else if (entry.kind === 'rejected') {
      const place = [source.file, source.line, JSON.stringify(staged.header), recordJson(entry.record)]
      addReject.run(staged.id, staged.pipeline, entry.key ?? null, entry.code, entry.reason, ...place)
    } else {
      const of = operationColumns(entry.operation)
      const what = [of.kind, of.link_id, of.contact_id, of.mail_key, of.fields]
      const fields = 'fields' in entry.operation ? entry.operation.fields : undefined
      const wanted = [
        desiredColumn(entry.desired, fields, of.fields),
        of.terms ?? wantedTerms(entry),
        of.consent,
      ]
      const record = [evidenceJson(entry.desired), recordJson(entry.record), fingerprint]
      const where = [staged.id, staged.runId, staged.pipeline, entry.key, source.line, source.file]
      addOperation.run(
        ...where,
        ...what,
        ...wanted,
        ...record,
        of.state,
        of.rank,
        of.reason,
        of.cause,
        of.undoes,
      )
    }
  }
  return (staged, entries) => {
    const { pipeline } = staged
    if (passed.hasAny(pipeline))
      for (const entry of entries) if (entry.kind === 'operation') passed.forget(pipeline, entry.key)
    for (const entry of entries) stageOne(staged, entry)
  }
}

type FullInput = NonNullable<Parameters<RunState['commitPlan']>[2]>

/** Rejects of an earlier reading of the same line or key give way to what this reading says. */
const REPLACE_REJECTS = [
  'DELETE FROM reject WHERE pipeline = @pipeline AND input_id <> @id AND key IN (SELECT key FROM reject WHERE input_id = @id)',
  `DELETE FROM reject WHERE pipeline = @pipeline AND input_id <> @id AND key IS NULL
     AND EXISTS (SELECT 1 FROM reject AS mine WHERE mine.input_id = @id AND mine.record = reject.record)`,
]

/** The link of the outer row was seen in this input. */
const isClaimed = (
  row: string,
): string => `EXISTS (SELECT 1 FROM link WHERE link.pipeline = @pipeline AND link.key = ${row}.key
  AND claimed_line(@id, link.id) IS NOT NULL)`

/** A record that is unchanged says nothing against putting back what was sent of it. */
const IS_REPAIR = `operation.undoes IS NOT DISTINCT FROM '${DRIFT_REPAIR}'`

/**
 * Operations that were never sent give way to the newer record of their key that was accepted (a rejected one says
 * nothing, and claims nothing), and what undoes a run to the newer plan that undoes it; deletes to any sign of the record.
 */
const SUPERSEDE = `
DELETE FROM operation WHERE pipeline = @pipeline AND ${isOpenAs(OVERTAKABLE)} AND input_id <> @id
  AND (EXISTS (SELECT 1 FROM operation AS newer WHERE newer.pipeline = @pipeline AND newer.key = operation.key AND newer.input_id = @id
      AND (newer.undoes IS NULL OR newer.undoes = operation.undoes AND NOT ${IS_REPAIR}) AND ${isKeyed('newer')})
    -- A new record of the input: its create is not found by its key.
    OR EXISTS (SELECT 1 FROM claim_key WHERE input = @id AND claim_key.key = operation.key)
    OR (NOT ${IS_REPAIR} AND ${isClaimed('operation')})
    OR (cause = 'missing' AND EXISTS (SELECT 1 FROM claim_skipped WHERE input = @id AND claim_skipped.key = operation.key)))`

/** A record of which something was put back is compared again, also where a change of it is still to be sent. */
const COMPARE_AGAIN = `
UPDATE operation SET fingerprint = '' WHERE pipeline = @pipeline AND ${isOpenAs(OVERTAKABLE)} AND input_id <> @id
  AND undoes IS NULL AND EXISTS (SELECT 1 FROM operation AS undo WHERE undo.pipeline = @pipeline
    AND undo.key = operation.key AND undo.input_id = @id AND undo.undoes IS NOT NULL AND ${isKeyed('undo')})`

/** The newer record of a key decides what counts now, unless it is itself a reject. */
const CLEAR_OVERTAKEN_REJECTS = `
DELETE FROM reject WHERE pipeline = @pipeline AND input_id <> @id AND key IS NOT NULL AND ${isClaimed('reject')}`

/** A contact that was made, and must not stay without its mail_status (see Operation.isFresh). */
const IS_OWED = `kind IN ('consent', 'delete') AND link_id IN (SELECT id FROM link WHERE fresh = 1)`

/**
 * A full input says what there is: what earlier ones left open about others, and their rejects, are things of the past.
 * Remaining steps for a contact that was created already are not.
 */
const DROP_WHAT_A_FULL_INPUT_LACKS = [
  `DELETE FROM operation WHERE pipeline = @pipeline AND ${isOpenAs(OVERTAKABLE)}
     AND input_id <> @id AND cause = 'record' AND NOT (${IS_OWED}) AND NOT (${IS_REPAIR} AND ${isClaimed('operation')})
     AND NOT EXISTS (SELECT 1 FROM reject WHERE input_id = @id AND (reject.key IS NULL OR reject.key = operation.key))`,
  'DELETE FROM reject WHERE pipeline = @pipeline AND input_id <> @id',
]

/** What was rejected, and is read again here. */
const DROP_RETRIED = `
DELETE FROM reject WHERE pipeline = @pipeline AND input_id = @input AND id <= @upTo
  AND code NOT IN (SELECT value FROM json_each('${JSON.stringify(FINAL_REJECTS)}'))`
const DROP_RETRIED_OF_KEYS = `${DROP_RETRIED} AND key IN (SELECT value FROM json_each(@keys))`

function createDropRetried(db: Connection): (staged: StagedInput) => void {
  const drop = db.prepare(DROP_RETRIED)
  const dropOfKeys = db.prepare(DROP_RETRIED_OF_KEYS)
  return ({ pipeline, input: { rejectsOf } }) => {
    if (rejectsOf === undefined) return
    const { input, upTo, keys } = rejectsOf
    if (keys === undefined) drop.run({ pipeline, input, upTo })
    else dropOfKeys.run({ pipeline, input, upTo, keys: JSON.stringify([...keys]) })
  }
}

/** Deletes are decided again with every full input. */
const DROP_EARLIER_DELETES = `
DELETE FROM operation WHERE pipeline = @pipeline AND ${isOpenAs(JUDGED_AGAIN)} AND input_id <> @id
  AND cause = 'missing'`

function createCommit(
  db: Connection,
  countMissing: MissingLinks['countMissing'],
): (staged: StagedInput, sha256: string, full: FullInput | undefined) => void {
  const plan = db.prepare("UPDATE input SET state = 'planned', sha256 = ? WHERE id = ?")
  const prepare = (statements: readonly string[]) => statements.map((sql) => db.prepare(sql))
  const always = prepare([
    FORGET_ENDED_APPROVALS,
    ...REPLACE_REJECTS,
    CLEAR_OVERTAKEN_REJECTS,
    SUPERSEDE,
    COMPARE_AGAIN,
  ])
  const ofFull = prepare(DROP_WHAT_A_FULL_INPUT_LACKS)
  const ofLast = prepare([DROP_EARLIER_DELETES])
  const keepNotDone = createKeepNotDone(db)
  const dropRetried = createDropRetried(db)
  const forgetHolds = db.prepare(FORGET_EMPTY_HOLDS)
  const recountHolds = db.prepare(RECOUNT_HOLDS)
  const forgetApprovals = FORGET_APPROVALS.map((sql) => db.prepare(sql))
  const dropped = createDropped(db)
  const corrections = createCorrectionFindings(db)
  const rereadRejects = createRereadRejects(db)
  const asks = createAsks(db)
  return (staged, sha256, full) => {
    const { id, pipeline, runId } = staged
    const statements = [
      ...always,
      ...(full === undefined ? [] : ofFull),
      ...(full?.isLast === true ? ofLast : []),
    ]
    keepNotDone(pipeline)
    for (const statement of statements) statement.run({ id, pipeline })
    if (full !== undefined) countMissing(staged, full)
    dropped.end({ id, pipeline, isFull: full !== undefined })
    corrections.end(id)
    rereadRejects.end({ id, pipeline })
    asks.take({ id, pipeline, runId })
    dropRetried(staged)
    plan.run(sha256, id)
    forgetHolds.run({ pipeline })
    recountHolds.run({ runId, pipeline })
    for (const statement of forgetApprovals) statement.run({ pipeline })
  }
}

/** A plan of which everything is held, and whose input says nothing about other records. Within a transaction. */
export function createHoldPlan(db: Connection): (staged: StagedInput) => void {
  const commit = createCommit(db, () => undefined)
  const end = db.prepare("UPDATE input SET state = 'processed' WHERE id = ?")
  return (staged) => {
    commit(staged, '', undefined)
    end.run(staged.id)
  }
}

/** What can be told only after the last record. */
function createCompleteStaging(
  db: Connection,
  stageMissing: MissingLinks['stageMissing'],
): (staged: StagedInput, rules: StagingRules) => { yielded: number; sharedMails: number } {
  const yieldRejects = createSameKeyRejects(db)
  const holdSharedMails = createSharedMails(db)
  const { lowerOfInput } = createHouseholds(db)
  return (staged, rules) => {
    const yielded = rules.yieldRejects === undefined ? 0 : yieldRejects(staged, rules.yieldRejects)
    const sharedMails = rules.holdSharedMails === true ? holdSharedMails(staged.id) : 0
    if (rules.lowerWithinAddress === true) lowerOfInput({ pipeline: staged.pipeline, input: staged.id })
    if (rules.missing !== undefined) stageMissing(staged, rules.missing)
    return { yielded, sharedMails }
  }
}

type Staging = BlockStore &
  CorrectionStore &
  BrakeStore &
  DroppedStore &
  Pick<
    RunState,
    | 'beginInput'
    | 'matchFingerprints'
    | 'known'
    | 'claim'
    | 'stageBatch'
    | 'rejectsAt'
    | 'unstage'
    | 'completeStaging'
    | 'commitPlan'
    | 'discardInput'
  > &
  Pick<ResolutionStore, 'passed'>

/** The walks of the inputs that are being read. */
function createWalks(db: Connection, fingerprints: Fingerprints, { isClaimed }: Claims) {
  const walks = new Map<number, FingerprintWalk>()
  return {
    match: db.transaction(({ id, pipeline }: StagedInput, values: readonly string[]) => {
      const isPassed = (link: number): boolean => isClaimed(id, link)
      const walk = walks.get(id) ?? fingerprints.walk(pipeline, { isPassed, findsAll: false })
      walks.set(id, walk)
      return walk.match(values)
    }),
    end: (id: number): void => void walks.delete(id),
  }
}

function createBeginInput(db: Connection): RunState['beginInput'] {
  const insertInput = db
    .prepare(
      "INSERT INTO input (run_id, pipeline, name, version, bytes, header, state) VALUES (?, ?, ?, ?, ?, ?, 'reading') RETURNING id",
    )
    .pluck()
  return async ({ runId, pipeline, input, header }) => {
    const id = insertInput.get(
      runId,
      pipeline,
      input.name,
      input.version,
      input.bytes,
      JSON.stringify(header),
    )
    return { id: Number(id), runId, pipeline, input, header }
  }
}

export function createStagingStore(db: Connection): Staging {
  const claims = createClaims(db)
  const missing = createMissingLinks(db, claims)
  const fingerprints = createFingerprints(db)
  const blocks = createBlockStore(db, { claims, fingerprints })
  const walks = createWalks(db, fingerprints, claims)
  const endReading = ({ id }: StagedInput): void => {
    walks.end(id)
    claims.clear(id)
  }
  const commit = createCommit(db, missing.countMissing)
  const discard = createDiscard(db)
  const stage = createStage(db, fingerprints.put)
  const dropped = createDropped(db)
  const corrections = createCorrectionFindings(db)
  const brake = createAsks(db)
  const rereadRejects = createRereadRejects(db)
  const complete = createCompleteStaging(db, missing.stageMissing)
  return {
    beginInput: createBeginInput(db),
    matchFingerprints: async (staged, values) => walks.match(staged, values),
    known: createKnown(db),
    passed: createPassed(db).passed,
    droppedForms: dropped.droppedForms,
    ...createCorrectionStore(db),
    ...createBrakeStore(db),
    ...createRejectsAt(db),
    ...blocks,
    claim: async (staged, identities, keep) =>
      db.transaction(() => claims.claim(staged.id, identities, keep))(),
    async stageBatch(staged, batch) {
      const { entries, present = [], dropped: keys = [], corrections: found, asks = [], reread = [] } = batch
      const count = entries.length + present.length + keys.length + asks.length + reread.length
      if (count === 0 && found === undefined) return
      db.transaction(() => {
        stage(staged, entries)
        claims.skip(staged.id, present)
        dropped.note(staged.id, keys)
        brake.note(staged.id, asks)
        rereadRejects.note(staged.id, reread)
        if (found !== undefined) corrections.note(staged.id, found.at, found.findings)
      })()
    },
    unstage: createUnstage(db),
    completeStaging: async (staged, rules) =>
      db.transaction(() => {
        claims.publish(staged.id)
        return complete(staged, rules)
      })(),
    async commitPlan(staged, sha256, full) {
      db.transaction(() => {
        claims.publish(staged.id)
        commit(staged, sha256, full)
      })()
      endReading(staged)
    },
    async discardInput(staged) {
      await discard(staged)
      endReading(staged)
    },
  }
}
