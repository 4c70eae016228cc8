// Entries of the sync log that no operation has: of plans, of what operators decide, of links and terms by themselves. Those of
// operations are made in audit.ts.
import type { RequestTrace } from '../ports.ts'
import type { Provenance } from '../mapping/record.ts'
import type { DecidedBy } from '../words/decided-by.ts'
import { type AuditEntry, decidedFields, type PlanAction } from './audit.ts'

interface About {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly runId: string
  readonly pipeline: string | null
  readonly configHash: string
  /** Whose decision it was. */
  readonly decided?: DecidedBy | undefined
}

/** What an entry has in common that is not about one record. */
const ofNoRecord = ({ at, runId, pipeline, configHash, decided }: About) => ({
  at: new Date(at).toISOString(),
  run_id: runId,
  pipeline,
  key: null,
  contact_id: null,
  terms: { add: [], remove: [] },
  outcome: 'done' as const,
  source: null,
  config_hash: configHash,
  ...decidedFields(decided),
})

/** The entry about a contact that a rebuild found for a record, or did not find for certain (`contactId` undefined). */
export function linkEntry(
  link: {
    readonly key: string
    readonly contactId: number | undefined
    readonly reason: string
    readonly request: RequestTrace | undefined
    readonly source: Provenance
  },
  about: About,
): AuditEntry {
  const { key, contactId, reason, request, source } = link
  return {
    ...ofNoRecord(about),
    action: 'link',
    fields: {},
    key,
    contact_id: contactId ?? null,
    request: request ?? null,
    outcome: contactId === undefined ? 'in_doubt' : 'done',
    reason,
    source,
  }
}

/**
 * The entry about a plan as a whole (a guard held it, or a person released it; `runId` is the run that made it), or
 * about what a person did with the state, the configuration or the log.
 */
export const planEntry = (
  {
    reason,
    ...about
  }: { readonly action: PlanAction; readonly reason: string } & Pick<AuditEntry, 'tokens' | 'up_to'>,
  context: About,
): AuditEntry => ({
  ...ofNoRecord(context),
  ...about,
  fields: {},
  request: null,
  outcome: about.action === 'hold' ? 'held' : 'done',
  reason,
})

/** The entry about edits of one contact that an operator released: what the service shows, and what the source wants. */
export const releasedEdits = (
  edits: {
    readonly key: string
    readonly contactId: number
    readonly fields: AuditEntry['fields']
  },
  about: About,
): AuditEntry => ({
  ...ofNoRecord(about),
  action: 'release',
  fields: edits.fields,
  key: edits.key,
  contact_id: edits.contactId,
  request: null,
  reason: 'values edited at the service may be overwritten',
})

/** The entry about values that a person set right for a record; `ended`: why one holds no longer. */
export const correctionEntry = (
  correction: {
    readonly key: string
    readonly contactId: number | null
    readonly fields: AuditEntry['fields']
    readonly ended?: string
  },
  about: About,
): AuditEntry => ({
  ...ofNoRecord(about),
  action: correction.ended === undefined ? 'correct' : 'end_correction',
  fields: correction.fields,
  key: correction.key,
  contact_id: correction.contactId,
  request: null,
  reason: correction.ended ?? 'the source is to be read as if it said this',
})

/** The entry about a contact that was deleted, or emptied, at the service because its person was to be erased. */
export const erasureEntry = (
  erasure: {
    readonly contactId: number
    readonly did: 'delete' | 'blank'
    readonly isDone: boolean
    readonly request: RequestTrace
  },
  about: About,
): AuditEntry => ({
  ...ofNoRecord(about),
  action: erasure.did === 'delete' ? 'delete' : 'update',
  fields: {},
  contact_id: erasure.contactId,
  request: erasure.request,
  outcome: erasure.isDone ? 'done' : 'failed',
  reason:
    erasure.did === 'delete'
      ? 'the person is erased by request'
      : 'the person is erased by request: fields and terms were emptied',
})

/** The entry about a term itself: its name and description, from and to. */
export function termEntry(
  term: {
    readonly action: 'create_term' | 'update_term'
    readonly fields: AuditEntry['fields']
    /** Null where the answer of the request that did it was lost. */
    readonly request: RequestTrace | null
  },
  about: About,
): AuditEntry {
  return {
    ...ofNoRecord(about),
    action: term.action,
    fields: term.fields,
    request: term.request,
    reason: null,
  }
}
