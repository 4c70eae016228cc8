// Reading and planning one input: what is found is written down at once, batch by batch, and counts for nothing
// until the plan is committed. So memory stays flat, and a file that turns out to be damaged leaves nothing behind.
import { contactMailKey } from '../core/contact.ts'
import type { Known } from '../core/diff.ts'
import type { StagedEntry, StagedInput, StagedOperation, StagingStore } from '../core/state.ts'
import { createClaims } from './claims.ts'
import type { Connection } from './database.ts'
import { createFingerprints, type FingerprintWalk } from './fingerprints.ts'
import { parseContact, recordJson } from './rows.ts'

/** The order of sending: a mail that an update frees must be free before a create takes it. */
export function sendingRank(operation: StagedOperation): number {
  if (operation.state !== 'planned' || operation.kind === 'update') return 0
  return contactMailKey(operation.fields) === undefined ? 2 : 1
}

/** The columns that depend on the form of an operation. */
export function operationColumns(operation: StagedOperation) {
  const isLinked =
    operation.state === 'held' || (operation.state === 'planned' && operation.kind === 'update')
  const fields = operation.state === 'waiting' ? {} : operation.fields
  return {
    kind: isLinked ? 'update' : 'create',
    link_id: isLinked ? operation.linkId : null,
    contact_id: isLinked ? operation.contactId : null,
    mail_key: contactMailKey(fields) ?? null,
    fields: JSON.stringify(fields),
    state: operation.state,
    rank: sendingRank(operation),
    reason: operation.state === 'held' ? operation.reason : null,
  }
}

interface KnownRow {
  id: number
  contact_id: number
  known: string
  gone: number
}

function createKnown(db: Connection): StagingStore['known'] {
  const link = db.prepare<[string, string], KnownRow>(
    'SELECT id, contact_id, known, gone FROM link WHERE pipeline = ? AND key = ?',
  )
  const anyDoubt = db
    .prepare<[string], number>(
      "SELECT 1 FROM operation WHERE pipeline = ? AND state <> 'planned' AND state = 'in_doubt' LIMIT 1",
    )
    .pluck()
  const doubt = db
    .prepare<[string, string], number>(
      "SELECT 1 FROM operation WHERE pipeline = ? AND key = ? AND state <> 'planned' AND state = 'in_doubt'",
    )
    .pluck()
  return async (pipeline, keys) => {
    const hasDoubts = anyDoubt.get(pipeline) !== undefined
    return keys.map((key): Known => {
      const row = link.get(pipeline, key)
      const inDoubt = hasDoubts && doubt.get(pipeline, key) !== undefined
      if (row === undefined) return { link: undefined, inDoubt }
      return {
        link: {
          id: row.id,
          contactId: row.contact_id,
          fields: parseContact(row.known),
          gone: row.gone === 1,
        },
        inDoubt,
      }
    })
  }
}

const INSERT_OPERATION = `
INSERT INTO operation (input_id, run_id, pipeline, key, line, file, kind, link_id, contact_id, mail_key,
                       fields, desired, record, fingerprint, state, rank, reason)
VALUES (@input_id, @run_id, @pipeline, @key, @line, @file, @kind, @link_id, @contact_id, @mail_key,
        @fields, @desired, @record, @fingerprint, @state, @rank, @reason)`

function createStage(
  db: Connection,
  putFingerprint: (pipeline: string, linkId: number, value: string) => void,
): StagingStore['stage'] {
  const addOperation = db.prepare(INSERT_OPERATION)
  const addReject = db.prepare(
    'INSERT INTO reject (input_id, pipeline, key, code, reason, file, line, header, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const stageOne = (staged: StagedInput, entry: StagedEntry): void => {
    const { source, fingerprint } = entry.record
    if (entry.kind === 'unchanged') putFingerprint(staged.pipeline, entry.linkId, fingerprint)
    else if (entry.kind === 'rejected') {
      const place = [source.file, source.line, JSON.stringify(staged.header), recordJson(entry.record)]
      addReject.run(staged.id, staged.pipeline, entry.key ?? null, entry.code, entry.reason, ...place)
    } else {
      addOperation.run({
        ...operationColumns(entry.operation),
        input_id: staged.id,
        run_id: staged.runId,
        pipeline: staged.pipeline,
        key: entry.key,
        line: source.line,
        file: source.file,
        desired: JSON.stringify(entry.desired),
        record: recordJson(entry.record),
        fingerprint,
      })
    }
  }
  const stageAll = db.transaction((staged: StagedInput, entries: readonly StagedEntry[]) => {
    for (const entry of entries) stageOne(staged, entry)
  })
  return async (staged, entries) => {
    if (entries.length > 0) stageAll(staged, entries)
  }
}

type Unstaged = Awaited<ReturnType<StagingStore['unstage']>>[number]

function createUnstage(db: Connection): StagingStore['unstage'] {
  const takeOperation = db.prepare<[number, number], { kind: string; state: string }>(
    'DELETE FROM operation WHERE input_id = ? AND line = ? RETURNING kind, state',
  )
  const takeReject = db.prepare('DELETE FROM reject WHERE input_id = ? AND line = ?')
  const unstageOne = (inputId: number, line: number): Unstaged => {
    const operation = takeOperation.get(inputId, line)
    if (operation?.state === 'waiting') return 'in_doubt'
    if (operation?.state === 'held') return 'held'
    if (operation !== undefined) return operation.kind === 'create' ? 'created' : 'updated'
    return takeReject.run(inputId, line).changes > 0 ? 'rejected' : 'unchanged'
  }
  const unstageAll = db.transaction((inputId: number, lines: readonly number[]) =>
    lines.map((line) => unstageOne(inputId, line)),
  )
  return async (staged, lines) => unstageAll(staged.id, lines)
}

/** Earlier creates of the plan, or links whose mail no update of the plan changes, that have the same mail. */
const HOLD_SHARED = `
UPDATE operation SET state = 'held', reason = @reason
WHERE input_id = @input AND state = 'planned' AND kind = 'create' AND mail_key IS NOT NULL AND (
  EXISTS (SELECT 1 FROM operation AS other WHERE other.pipeline = operation.pipeline AND other.mail_key = operation.mail_key
          AND other.state = 'planned' AND other.kind = 'create' AND other.input_id = operation.input_id AND other.id < operation.id)
  OR EXISTS (SELECT 1 FROM link WHERE link.pipeline = operation.pipeline AND link.mail_key = operation.mail_key
             AND NOT EXISTS (SELECT 1 FROM operation AS moving WHERE moving.pipeline = link.pipeline AND moving.key = link.key
                             AND moving.state = 'planned' AND moving.mail_key <> link.mail_key)))`

const DISCARD = [
  'DELETE FROM operation WHERE input_id = ?',
  'DELETE FROM reject WHERE input_id = ?',
  'DELETE FROM input WHERE id = ?',
]

/** Rejects of an earlier reading of the same line or key give way to what this reading says. */
const REPLACE_REJECTS = [
  'DELETE FROM reject WHERE pipeline = @pipeline AND input_id <> @id AND key IN (SELECT key FROM reject WHERE input_id = @id)',
  `DELETE FROM reject WHERE pipeline = @pipeline AND input_id <> @id AND key IS NULL
     AND EXISTS (SELECT 1 FROM reject AS mine WHERE mine.input_id = @id AND mine.record = reject.record)`,
]

/** Operations that were never sent give way to the newer record of their key, whatever became of it short of a reject. */
const SUPERSEDE = `
DELETE FROM operation WHERE pipeline = @pipeline AND state <> 'planned' AND state IN ('failed', 'waiting', 'held') AND input_id <> @id
  AND NOT EXISTS (SELECT 1 FROM reject WHERE reject.input_id = @id AND reject.key = operation.key)
  AND (EXISTS (SELECT 1 FROM operation AS newer WHERE newer.pipeline = @pipeline AND newer.key = operation.key AND newer.input_id = @id)
    OR EXISTS (SELECT 1 FROM link WHERE link.pipeline = @pipeline AND link.key = operation.key
               AND (EXISTS (SELECT 1 FROM claim_link WHERE input = @id AND link_id = link.id)
                 OR EXISTS (SELECT 1 FROM claim_range WHERE input = @id AND link.id BETWEEN first AND last))))`

export function createStagingStore(db: Connection): StagingStore {
  const claims = createClaims(db)
  const fingerprints = createFingerprints(db)
  const walks = new Map<number, FingerprintWalk>()
  const endReading = ({ id }: StagedInput): void => {
    walks.delete(id)
    claims.clear(id)
  }
  const insertInput = db.prepare(
    "INSERT INTO input (run_id, pipeline, name, version, bytes, header, state) VALUES (?, ?, ?, ?, ?, ?, 'reading')",
  )
  const holdShared = db.prepare(HOLD_SHARED)
  const plan = db.prepare("UPDATE input SET state = 'planned', sha256 = ? WHERE id = ?")
  const replaceRejects = REPLACE_REJECTS.map((sql) => db.prepare(sql))
  const supersede = db.prepare(SUPERSEDE)
  const discard = DISCARD.map((sql) => db.prepare(sql))
  return {
    async beginInput({ runId, pipeline, input, header }) {
      const { lastInsertRowid } = insertInput.run(
        runId,
        pipeline,
        input.name,
        input.version,
        input.bytes,
        JSON.stringify(header),
      )
      const id = Number(lastInsertRowid)
      walks.set(id, fingerprints.walk(pipeline))
      return { id, runId, pipeline, input, header }
    },
    matchFingerprints: async (staged, values) => walks.get(staged.id)?.match(values) ?? [],
    known: createKnown(db),
    claim: async (staged, identities, keep) =>
      db.transaction(() => claims.claim(staged.id, identities, keep))(),
    stage: createStage(db, fingerprints.put),
    unstage: createUnstage(db),
    holdSharedMails: async (staged, reason) => holdShared.run({ input: staged.id, reason }).changes,
    async commitPlan(staged, sha256) {
      db.transaction(() => {
        for (const statement of replaceRejects) statement.run({ id: staged.id, pipeline: staged.pipeline })
        supersede.run({ id: staged.id, pipeline: staged.pipeline })
        plan.run(sha256, staged.id)
      })()
      endReading(staged)
    },
    async discardInput(staged) {
      db.transaction(() => {
        for (const statement of discard) statement.run(staged.id)
      })()
      endReading(staged)
    },
  }
}
