// How an entry of the sync log is split: what is kept permanently and chained, and what is personal and can be destroyed.
// The public part holds a salted digest of the personal one. So the chain covers every value, anyone who is given the
// values can check them against it, and it stays intact when the values of a person are erased.
import { hash } from 'node:crypto'
import type { AuditEntry } from './audit.ts'

/** The `prev` of the first entry. */
export const AUDIT_START = '0'.repeat(64)

/** SHA-256 over the previous hash and the entry's public part, as it stands in the log. */
export const auditHash = (prev: string, publicText: string): string =>
  hash('sha256', `${prev}\n${publicText}`, 'hex')

/** What binds the personal part to the public one; `salt` in hexadecimal. Without the salt nothing can be guessed from it. */
export const personalDigest = (salt: string, personalText: string): string =>
  hash('sha256', `${salt}\n${personalText}`, 'hex')

/** What binds the tombstones, as an erasure or a readmission left them, to its entry. A text of each, in their order. */
export const erasedDigest = (tombstones: readonly string[]): string =>
  hash('sha256', tombstones.join('\n'), 'hex')

/** Whose values an entry holds, and what came of them. */
type Personal = Pick<AuditEntry, 'key' | 'contact_id' | 'fields' | 'terms' | 'reason' | 'source' | 'note'>

/** What is hashed into the chain: it says what was done, and identifies no person. */
export interface PublicPart extends Pick<
  AuditEntry,
  | 'at'
  | 'run_id'
  | 'pipeline'
  | 'action'
  | 'outcome'
  | 'request'
  | 'config_hash'
  | 'operation'
  | 'next'
  | 'planned_by'
  | 'tokens'
  | 'up_to'
  | 'by'
  | 'role'
> {
  readonly seq: number
  /** A random name that stands for one person in this log alone; null for entries about no person. */
  readonly person: string | null
  /** Their names. */
  readonly fields: readonly string[]
  readonly terms: { readonly add: number; readonly remove: number }
  readonly digest: string
  /** Of an entry about erased persons: see erasedDigest. */
  readonly tombstones?: string
}

/** The personal part as it is sealed. */
export function personalText(entry: AuditEntry): string {
  const { key, contact_id, fields, terms, reason, source, note } = entry
  return JSON.stringify({ key, contact_id, fields, terms, reason, source, note })
}

/** The public part as it is hashed. */
export function publicText(
  entry: AuditEntry,
  own: { seq: number; person: string | null; digest: string; tombstones?: string | undefined },
): string {
  const { seq, person, digest, tombstones } = own
  return JSON.stringify({
    seq,
    at: entry.at,
    run_id: entry.run_id,
    pipeline: entry.pipeline,
    action: entry.action,
    outcome: entry.outcome,
    person,
    fields: Object.keys(entry.fields),
    terms: { add: entry.terms.add.length, remove: entry.terms.remove.length },
    request: entry.request,
    config_hash: entry.config_hash,
    digest,
    // JSON leaves out what is undefined.
    operation: entry.operation,
    next: entry.next,
    planned_by: entry.planned_by,
    tokens: entry.tokens,
    up_to: entry.up_to,
    tombstones,
    by: entry.by,
    role: entry.role,
  } satisfies { [Field in keyof PublicPart]-?: PublicPart[Field] | undefined })
}

/** open: the values are there. erased: they were destroyed, for a person or by age. */
export type Values = 'open' | 'erased'

/** An entry as it stands in the log, with its place in the chain. */
export interface LoggedEntry extends AuditEntry {
  readonly seq: number
  readonly person: string | null
  readonly values: Values
  /** Also where the values are gone. */
  readonly field_names: readonly string[]
  readonly tombstones?: string
  readonly prev: string
  readonly hash: string
  /** The two parts verbatim, to verify the chain. `personal` and `salt` are absent where the values were erased. */
  readonly proof: { readonly entry: string; readonly personal?: string; readonly salt?: string }
}

const GONE: Personal = {
  key: null,
  contact_id: null,
  fields: {},
  terms: { add: [], remove: [] },
  reason: null,
  source: null,
}

/** Puts the two parts of an entry together again. */
export function loggedEntry(
  row: { readonly entry: string; readonly prev: string; readonly hash: string },
  opened: { readonly personal: string; readonly salt: string } | undefined,
): LoggedEntry {
  const { fields: names, terms: _, digest: _digest, ...said } = JSON.parse(row.entry) as PublicPart
  const all = opened === undefined ? GONE : (JSON.parse(opened.personal) as Personal)
  const { key, contact_id, fields, terms, reason, source, note } = all
  return {
    ...said,
    ...{ key, contact_id, fields, terms, reason, source },
    ...(note === undefined ? {} : { note }),
    values: opened === undefined ? 'erased' : 'open',
    field_names: names,
    prev: row.prev,
    hash: row.hash,
    proof: { entry: row.entry, ...opened },
  }
}
