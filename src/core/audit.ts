// What the sync log says about one operation, and the hash that chains the entries.
// An entry explains a change by itself: when, from where, what from and to, under which configuration, with what answer.
import { hash } from 'node:crypto'
import { type FieldChange, fieldChanges } from './diff.ts'
import type { Settled } from './operation.ts'
import type { RequestTrace } from './ports.ts'
import type { Provenance } from './record.ts'

export type AuditOutcome = 'done' | 'unchanged' | 'rejected' | 'failed' | 'in_doubt' | 'held'

export interface AuditEntry {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly run_id: string
  readonly pipeline: string
  /** Null for a change that is not one record's. */
  readonly key: string | null
  readonly contact_id: number | null
  readonly action:
    'create' | 'update' | 'terms' | 'delete' | 'create_term' | 'update_term' | 'release' | 'resolve'
  readonly fields: Readonly<Record<string, FieldChange>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
  readonly request: RequestTrace | null
  readonly outcome: AuditOutcome
  readonly reason: string | null
  readonly source: Provenance | null
  readonly config_hash: string
}

/** The `prev` of the first entry. */
export const AUDIT_START = '0'.repeat(64)

/** SHA-256 over the previous hash and the entry's JSON, as it stands in the log. */
export const auditHash = (prev: string, entryJson: string): string =>
  hash('sha256', `${prev}\n${entryJson}`, 'hex')

function contactIdOf({ operation, settlement }: Settled): number | null {
  return settlement.kind === 'done' ? settlement.contactId : (operation.contactId ?? null)
}

/** What was done to the terms; before it is known, what was meant to be done. */
function termsOf({ operation, terms }: Settled): AuditEntry['terms'] {
  if (operation.kind !== 'terms') return { add: [], remove: [] }
  return {
    add: terms?.added ?? operation.terms?.add ?? [],
    remove: terms?.removed ?? operation.terms?.remove ?? [],
  }
}

/** `at` in milliseconds since the epoch; `runId` is the run that settled it. */
export function auditEntry(
  settled: Settled,
  context: { at: number; runId: string; configHash: string },
): AuditEntry {
  const { operation, settlement, request } = settled
  return {
    at: new Date(context.at).toISOString(),
    run_id: context.runId,
    pipeline: operation.pipeline,
    key: operation.key,
    contact_id: contactIdOf(settled),
    action: operation.kind === 'consent' ? 'update' : operation.kind,
    fields: fieldChanges(settled.sent ?? operation.fields, operation.known),
    terms: termsOf(settled),
    request: request ?? null,
    outcome: settlement.kind === 'settled' ? 'unchanged' : settlement.kind,
    reason: 'reason' in settlement ? settlement.reason : null,
    source: operation.source,
    config_hash: context.configHash,
  }
}

/** The entry about a term itself: its name and description, from and to. */
export function termEntry(
  term: {
    readonly action: 'create_term' | 'update_term'
    readonly fields: AuditEntry['fields']
    readonly request: RequestTrace
  },
  context: { at: number; runId: string; pipeline: string; configHash: string },
): AuditEntry {
  return {
    at: new Date(context.at).toISOString(),
    run_id: context.runId,
    pipeline: context.pipeline,
    key: null,
    contact_id: null,
    action: term.action,
    fields: term.fields,
    terms: { add: [], remove: [] },
    request: term.request,
    outcome: 'done',
    reason: null,
    source: null,
    config_hash: context.configHash,
  }
}
