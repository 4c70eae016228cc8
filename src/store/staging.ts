// Reading and planning one input: what is found is written down at once, batch by batch, and counts for nothing
// until the plan is committed. So memory stays flat, and a file that turns out to be damaged leaves nothing behind.
import { contactMailKey } from '../core/contact.ts'
import type { OperationKind } from '../core/operation.ts'
import type { StagedEntry, StagedInput, StagedOperation, StagingStore } from '../core/state.ts'
import { createClaims } from './claims.ts'
import type { Connection } from './database.ts'
import { createFingerprints, type FingerprintWalk } from './fingerprints.ts'
import { createKnown } from './known.ts'
import { recordJson } from './rows.ts'
import { createSharedMails } from './shared-mails.ts'

/** The order of sending: a mail that an update frees must be free before a create takes it; terms need the contact. */
export function sendingRank(kind: OperationKind, mailKey: string | undefined): number {
  if (kind === 'create') return mailKey === undefined ? 2 : 1
  return { update: 0, terms: 3, consent: 4 }[kind]
}

/** The first step of a planned change; what is not planned has none yet, and a kind only to be told by. */
function firstStep(operation: StagedOperation): OperationKind {
  if (operation.state === 'waiting') return 'create'
  if (operation.state === 'held') return 'update'
  if (operation.kind === 'create' || Object.keys(operation.fields).length > 0) return operation.kind
  return operation.terms === undefined ? 'consent' : 'terms'
}

/** The columns that depend on the form of an operation. */
export function operationColumns(operation: StagedOperation) {
  const kind = firstStep(operation)
  const isLinked = operation.state === 'held' || kind !== 'create'
  const fields = operation.state === 'waiting' ? {} : operation.fields
  const mailKey = contactMailKey(fields)
  const planned = operation.state === 'planned' ? operation : undefined
  return {
    kind,
    link_id: isLinked && 'linkId' in operation ? operation.linkId : null,
    contact_id: isLinked && 'contactId' in operation ? operation.contactId : null,
    mail_key: mailKey ?? null,
    fields: JSON.stringify(fields),
    terms: planned?.terms === undefined ? null : JSON.stringify(planned.terms),
    consent: planned?.consent ?? null,
    state: operation.state,
    rank: sendingRank(kind, mailKey),
    reason: operation.state === 'held' ? operation.reason : null,
  }
}

const INSERT_OPERATION = `
INSERT INTO operation (input_id, run_id, pipeline, key, line, file, kind, link_id, contact_id, mail_key,
                       fields, desired, terms, consent, record, fingerprint, state, rank, reason)
VALUES (@input_id, @run_id, @pipeline, @key, @line, @file, @kind, @link_id, @contact_id, @mail_key,
        @fields, @desired, coalesce(@terms, @wanted), @consent, @record, @fingerprint, @state, @rank, @reason)`

/** What is not planned yet keeps what its record wants, for when it is compared anew. */
function wantedTerms({ desired, operation }: StagedEntry & { kind: 'operation' }): string | null {
  if (operation.state === 'planned' || desired.terms === undefined) return null
  return JSON.stringify({ add: [], remove: [], asserts: desired.terms })
}

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
        desired: JSON.stringify(entry.desired.contact),
        wanted: wantedTerms(entry),
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
    holdSharedMails: createSharedMails(db),
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
