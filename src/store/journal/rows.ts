// Between rows of the journal and operations: the only place that knows both shapes.
import type { ConsentEvidence } from '../../core/mapping/values/consent.ts'
import type { Desired } from '../../core/change/diff.ts'
import type { Contact, FieldValue } from '../../core/mapping/contact.ts'
import type { Operation, OperationKind, OperationOutcome } from '../../core/change/operation.ts'
import type { OperationState } from '../../core/change/states.ts'
import type { Provenance, RecordRow } from '../../core/mapping/record.ts'
import type { StagedRecord } from '../../core/state.ts'
import type { AssertedTerm, TermPlan } from '../../core/mapping/terms.ts'
import { AS_FIELDS } from '../file/desired.ts'

export interface OperationRow {
  id: number
  run_id: string
  pipeline: string
  key: string
  line: number
  file: string
  kind: OperationKind
  contact_id: number | null
  mail_key: string | null
  fields: string
  desired: string
  terms: string | null
  consent: number | null
  evidence: string | null
  outcome: OperationOutcome | null
  state: OperationState
  rank: number
  absent_reads: number
  not_before: number
  reason: string | null
  cause: 'record' | 'missing'
  undoes: string | null
  sent: number
  swallowed: number
  guard: string | null
  released: number
  needed: number | null
  known: string | null
  asserted: string | null
  fresh: number
  carried: number | null
  sha256: string | null
  /** Of a record of several rows. */
  lines: string | null
  unsure: string | null
}

/** Every column of an operation, with what is known of its link. */
export const SELECT_OPERATION = `
SELECT operation.id, run_id, operation.pipeline, operation.key, line, file, kind, operation.contact_id,
       operation.mail_key, fields, desired, operation.terms, consent, evidence, outcome, state, rank, absent_reads, not_before,
       reason, cause, undoes, sent, swallowed, guard, released,
       CASE WHEN state = 'held' THEN (SELECT needed FROM approval_need WHERE operation = operation.id) END AS needed, link.known AS known, link.terms AS asserted, link.unsure AS unsure,
       coalesce(link.fresh, operation.fresh) AS fresh, carried,
       (SELECT nullif(sha256, '') FROM input WHERE input.id = input_id AND name = file) AS sha256,
       CASE WHEN substr(operation.record, 1, 1) = '{' THEN json_extract(operation.record, '$.lines') END AS lines
FROM operation LEFT JOIN link ON link.id = operation.link_id`

/** The column `desired`, beside the column of the fields. A field that is given up is null in it. */
export function desiredColumn(
  { contact, givesUp = [] }: Pick<Desired, 'contact' | 'givesUp'>,
  fields: Contact | undefined,
  column: string,
): string {
  const isWithout = givesUp.length === 0
  if (isWithout && contact === fields) return AS_FIELDS
  const text = JSON.stringify(
    isWithout ? contact : { ...contact, ...Object.fromEntries(givesUp.map((field) => [field, null])) },
  )
  return text === column ? AS_FIELDS : text
}

function parseDesired(json: string): Pick<Operation, 'desired' | 'givesUp'> {
  const all = JSON.parse(json) as Readonly<Record<string, FieldValue | null>>
  const entries = Object.entries(all)
  const givesUp = entries.flatMap(([field, value]) => (value === null ? [field] : []))
  if (givesUp.length === 0) return { desired: all as Contact }
  const desired = entries.flatMap(([field, value]) => (value === null ? [] : [[field, value] as const]))
  return { desired: Object.fromEntries(desired), givesUp }
}

export const parseContact = (json: string): Contact => JSON.parse(json) as Contact

type Assertion = readonly [name: string, ours: 0 | 1, unsure?: 1]

/** A link's ledger of terms; whether others assert them, too, it does not know. */
export function parseAssertions(json: string | null): readonly AssertedTerm[] | undefined {
  if (json === null) return undefined
  return (JSON.parse(json) as Assertion[]).map(([name, ours, unsure]) => ({
    name,
    ours: ours === 1,
    shared: false,
    unsure: unsure === 1,
  }))
}

export const assertionsJson = (
  asserts: readonly { readonly name: string; readonly ours: boolean; readonly unsure?: boolean }[],
): string =>
  JSON.stringify(
    asserts.map(({ name, ours, unsure }): Assertion =>
      unsure === true ? [name, ours ? 1 : 0, 1] : [name, ours ? 1 : 0],
    ),
  )

/** A value; null where there is none. */
export const parseValue = (json: string | null): FieldValue | null =>
  json === null ? null : (JSON.parse(json) as FieldValue)

/** The names of fields that a link is unsure of, and marks (core/change/given-up.ts). */
export const parseUnsure = (json: string | null): readonly string[] =>
  json === null ? [] : (JSON.parse(json) as string[])

export const unsureJson = (fields: readonly string[]): string | null =>
  fields.length === 0 ? null : JSON.stringify(fields)

/** A create that an older version planned may have its mail_status among the fields. */
function parseFields(row: OperationRow): Pick<Operation, 'fields' | 'consent' | 'desired' | 'givesUp'> {
  const fields = parseContact(row.fields)
  const wanted = row.desired === AS_FIELDS ? { desired: fields } : parseDesired(row.desired)
  const { mail_status: status } = fields
  if (row.kind !== 'create' || typeof status !== 'number')
    return { fields, ...wanted, consent: row.consent ?? undefined }
  const { mail_status: _, ...others } = fields
  return { fields: others, ...wanted, consent: row.consent ?? status }
}

const sourceOf = ({ file, line, lines, sha256 }: OperationRow): Provenance => ({
  file,
  line,
  ...(lines === null ? {} : { lines: JSON.parse(lines) as number[] }),
  ...(sha256 === null ? {} : { sha256 }),
})

export function operationOf(row: OperationRow): Operation {
  const all = {
    id: row.id,
    runId: row.run_id,
    pipeline: row.pipeline,
    key: row.key,
    mailKey: row.mail_key ?? undefined,
    ...parseFields(row),
    known: row.known === null ? {} : parseContact(row.known),
    terms: row.terms === null ? undefined : (JSON.parse(row.terms) as TermPlan),
    unsure: parseUnsure(row.unsure),
    asserted: parseAssertions(row.asserted),
    ...(row.evidence === null ? {} : { evidence: JSON.parse(row.evidence) as ConsentEvidence }),
    isFresh: row.fresh === 1,
    carried: row.carried ?? undefined,
    outcome: row.outcome ?? undefined,
    source: sourceOf(row),
    cause: row.cause,
    undoes: row.undoes ?? undefined,
    state: row.state,
    sent: row.sent,
    swallowed: row.swallowed,
    guard: row.guard ?? undefined,
    ...(row.state === 'held' && row.released === 1 ? { isReleased: true as const } : {}),
    needed: row.needed ?? 0,
    absentReads: row.absent_reads,
    notBefore: row.not_before,
    reason: row.reason ?? undefined,
  }
  if (row.kind === 'create') return { ...all, kind: row.kind, contactId: row.contact_id ?? undefined }
  if (row.contact_id === null) throw new Error(`operation ${row.id} of the journal names no contact`)
  return { ...all, kind: row.kind, contactId: row.contact_id }
}

type KeptRecord = Pick<StagedRecord, 'values' | 'text' | 'rows'>

/** What is kept of a record so that a reject can be exported as received. One of several rows is an object. */
export const recordJson = ({ values, text, rows }: KeptRecord): string => {
  if (rows !== undefined) return JSON.stringify({ lines: rows.map(({ line }) => line), rows })
  return JSON.stringify(text === undefined ? [values] : [values, text])
}

export function parseRecord(json: string): KeptRecord {
  const kept = JSON.parse(json) as [string[], string?] | { rows: readonly RecordRow[] }
  if (!('rows' in kept)) return { values: kept[0], text: kept[1] }
  const last = kept.rows.at(-1)
  return { values: last?.values ?? [], text: last?.text, rows: kept.rows }
}
