// What the sync log says about one operation: when, from where, what from and to, under which configuration, with what
// answer. Entries that no operation has are in other-entries.ts; how all are split, sealed and chained is in audit-chain.ts.
import { isBlank } from '../words/blank.ts'
import { evidenceText } from '../change/consents/evidence.ts'
import { isConsent } from '../mapping/values/consent.ts'
import { type FieldChange, fieldChanges, sameValue } from '../change/diff.ts'
import type { Settled } from '../change/operation.ts'
import { hadBefore, type SentValues } from '../change/others/hand-edits.ts'
import { isRepair, REPAIR_REASON } from '../change/others/repair.ts'
import { givenUpText, newlyGivenUp } from '../change/given-up.ts'
import { stepFields } from '../change/steps.ts'
import { termsBeyond } from '../mapping/terms.ts'
import type { RequestTrace } from '../ports.ts'
import type { UserRole } from '../words/user-roles.ts'
import type { Provenance } from '../mapping/record.ts'
import type { DecidedBy } from '../words/decided-by.ts'

export type AuditOutcome = 'done' | 'unchanged' | 'rejected' | 'failed' | 'in_doubt' | 'held'

export interface AuditEntry {
  /** ISO 8601, UTC. */
  readonly at: string
  readonly run_id: string
  /** Null for what concerns all of them. */
  readonly pipeline: string | null
  /** Null for a change that is not one record's. */
  readonly key: string | null
  readonly contact_id: number | null
  readonly action:
    'create' | 'update' | 'terms' | 'delete' | 'create_term' | 'update_term' | 'link' | PlanAction
  readonly fields: Readonly<Record<string, FieldChange>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
  readonly request: RequestTrace | null
  readonly outcome: AuditOutcome
  readonly reason: string | null
  readonly source: Provenance | null
  readonly config_hash: string
  /** Its number in the journal: the steps of one change have the same. */
  readonly operation?: number
  /** The step that is still to follow when this one is done. */
  readonly next?: string
  /** The run that planned the operation, where another one settled it. */
  readonly planned_by?: string
  /** The tokens of the persons whose values this entry declares erased. */
  readonly tokens?: readonly string[]
  /** The newest entry whose values are gone with this one. */
  readonly up_to?: number
  /** Who decided it; absent for what the program does as configured. */
  readonly by?: string
  /** Of a user who has shown their token. */
  readonly role?: UserRole
  readonly note?: string
}

/**
 * What is entered about more than one record: a guard that held a plan, and what a person did about the program.
 * rebind: the state belongs to another address. rename, drop: of a pipeline. forget_order: what `date: auto` concluded.
 * brake: what the first contacts that got a term look like. correct: a value that a person set right. end_correction: the source says something new, or a person dropped it. approve: an approver released held changes, which others may have to release as well. erase: the values of one person are gone.
 * expire: values older than is kept are gone. drop_changes: held changes that are not to be made. run, undo: asked for by a person. configure: another configuration came into force.
 */
export type PlanAction =
  | 'hold'
  | 'release'
  | 'approve'
  | 'accept'
  | 'retry'
  | 'reload'
  | 'rebuild'
  | 'rebind'
  | 'rename'
  | 'drop'
  | 'forget_order'
  | 'erase'
  | 'readmit'
  | 'expire'
  | 'drop_changes'
  | 'brake'
  | 'correct'
  | 'end_correction'
  | 'pause'
  | 'resume'
  | 'run'
  | 'undo'
  | 'configure'

type SentByOthers = Pick<SentValues, 'last' | 'pushed'>

function contactIdOf({ operation, settlement }: Settled): number | null {
  const settled =
    settlement.kind === 'done' || settlement.kind === 'settled' ? settlement.contactId : undefined
  return settled ?? operation.contactId ?? null
}

/** A create that found its contact there is a link: nothing was created. */
function actionOf({ operation: { kind }, settlement }: Settled): AuditEntry['action'] {
  if (kind === 'create' && settlement.kind === 'settled') return 'link'
  return kind === 'consent' ? 'update' : kind
}

/** A create that is done, and whose mail_status was not seen. */
const isUntaken = ({ operation, settlement, status }: Settled): boolean =>
  operation.kind === 'create' && settlement.kind === 'done' && status !== 'taken'

/** The fields that were sent; of an operation not sent, those that it would have sent. A refused field is not listed as set. */
function fieldsOf(settled: Settled, others: SentByOthers): AuditEntry['fields'] {
  const { operation, sent } = settled
  const fields = sent ?? (isUntaken(settled) ? operation.fields : stepFields(operation))
  // What an undo and a repair put back is compared with what they have read.
  if (operation.undoes !== undefined) return fieldChanges(fields, operation.known)
  return fieldChanges(fields, hadBefore(fields, operation.known, others))
}

/** What was done to the terms; before it is known, what was meant to be done. */
function termsOf({ operation, terms }: Settled): AuditEntry['terms'] {
  if (operation.kind !== 'terms') return { add: [], remove: [] }
  return {
    add: terms?.added ?? operation.terms?.add ?? [],
    remove: terms?.removed ?? operation.terms?.remove ?? [],
  }
}

function outcomeOf(settled: Settled): AuditOutcome {
  const { kind } = settled.settlement
  if (actionOf(settled) === 'link') return 'done'
  return kind === 'settled' || kind === 'skipped' ? 'unchanged' : kind
}

/** The fields sent with a create belong into its entry, although it is not yet known that they were set. */
function carriedText(settled: Settled): string | undefined {
  const { carried } = settled.operation
  return carried !== undefined && isUntaken(settled)
    ? `mail_status ${carried} was sent with it, and is not seen at the contact yet`
    : undefined
}

/** What the link is marked with by this step. */
function givenUpWith({ operation, settlement }: Settled): string | undefined {
  if (settlement.kind !== 'done' && settlement.kind !== 'settled') return undefined
  const { givesUp = [], known, unsure } = operation
  return givenUpText(newlyGivenUp(givesUp, { fields: known, unsure }))
}

const UNDOES = 'undoes run '

/** Whether it put an earlier value back, and not one of a row. */
export const isOfUndo = ({ reason }: Pick<AuditEntry, 'reason'>): boolean =>
  reason?.startsWith(UNDOES) === true

/** What it puts back; undefined for what a record asks for. */
function undoesText({ operation }: Settled): string | undefined {
  if (operation.undoes === undefined) return undefined
  return isRepair(operation) ? REPAIR_REASON : `${UNDOES}${operation.undoes}`
}

function reasonOf(settled: Settled): string | null {
  const { settlement } = settled
  const why = 'reason' in settlement ? settlement.reason : undefined
  const all = [undoesText(settled), why, carriedText(settled), givenUpWith(settled)]
  return all.filter((text) => text !== undefined).join('; ') || null
}

/** The run that an entry reverts, by its reason; undefined where it reverts none. */
export const undoneRun = ({ reason }: Pick<AuditEntry, 'reason'>): string | undefined =>
  /^undoes run ([\da-z-]+)/.exec(reason ?? '')?.[1]

/** What is known of a contact that only one record has. */
const ALONE: SentByOthers = { last: {}, pushed: [] }

/**
 * `at` in milliseconds since the epoch; `runId` is the run that settled it. `others`: what other records of its contact sent
 * before this step.
 */
export function auditEntry(
  settled: Settled,
  context: { at: number; runId: string; configHash: string; decided?: DecidedBy | undefined },
  others: SentByOthers = ALONE,
): AuditEntry {
  const { operation, settlement, request } = settled
  return {
    at: new Date(context.at).toISOString(),
    run_id: context.runId,
    pipeline: operation.pipeline,
    key: operation.key,
    contact_id: contactIdOf(settled),
    action: actionOf(settled),
    fields: fieldsOf(settled, others),
    terms: termsOf(settled),
    request: request ?? null,
    outcome: outcomeOf(settled),
    reason: reasonOf(settled),
    // No row asked for it.
    source: isRepair(operation) ? null : operation.source,
    config_hash: context.configHash,
    operation: operation.id,
    ...('next' in settlement ? { next: settlement.next } : {}),
    ...(operation.runId === context.runId ? {} : { planned_by: operation.runId }),
    ...decidedFields(context.decided),
    ...proofOf(settled),
  }
}

/** Of a create that only adds: the fields in which the contact that it was merged into kept what it had. */
const isKept = ({ from, to }: FieldChange): boolean => !isBlank(from) && !sameValue(from ?? undefined, to)

function withKeptApart(entry: AuditEntry): readonly AuditEntry[] {
  const { true: kept = [], false: set = [] } = Object.groupBy(Object.entries(entry.fields), ([, change]) =>
    isKept(change) ? 'true' : 'false',
  )
  if (kept.length === 0) return [entry]
  const reason = 'the contact had other values, which a create that only adds leaves'
  return [
    { ...entry, fields: Object.fromEntries(set) },
    { ...entry, fields: Object.fromEntries(kept), outcome: 'unchanged', reason },
  ]
}

/** Of a create that only overwrites: a user may have filled a field that this program knows nothing of, or it stayed blank. */
function withLeftOut(entry: AuditEntry): AuditEntry {
  const fields = Object.entries(entry.fields).flatMap(([field, { from, to }]) =>
    field !== 'mail_status' && isBlank(from) && !isBlank(to) ? [field] : [],
  )
  if (fields.length === 0) return entry
  const why = `set only where the contact had a value (duplicate_merge_method: update), and none is known: ${fields.join(', ')}`
  return { ...entry, reason: [entry.reason ?? [], why].flat().join('; ') }
}

/**
 * All entries about a step, in their order. Where one of its requests gave terms and a later one failed, the first has an entry of its
 * own: what was given is not among what failed. So have values that were sent and not taken.
 */
export function auditEntries(
  settled: Settled,
  context: Parameters<typeof auditEntry>[1],
  others: SentByOthers = ALONE,
): readonly AuditEntry[] {
  const entry = auditEntry(settled, context, others)
  const { given = [], givenBy, onlyAdds, onlyOverwrites } = settled
  if (onlyAdds === true && entry.outcome === 'done') return withKeptApart(entry)
  const isMerged = others.pushed.length > 0
  if (onlyOverwrites === true && isMerged && entry.outcome === 'done') return [withLeftOut(entry)]
  if (given.length === 0 || entry.outcome !== 'failed') return [entry]
  const names = given.map(({ name }) => name)
  const done = { terms: { add: names, remove: [] }, outcome: 'done', request: givenBy ?? null } as const
  const left = { ...entry.terms, add: termsBeyond(entry.terms.add, names) }
  return [
    { ...entry, ...done, reason: undoesText(settled) ?? null, next: 'terms' },
    { ...entry, terms: left },
  ]
}

/** Of a consent that was given to the service: what the record says about it. */
function proofOf(settled: Settled): Pick<AuditEntry, 'note'> {
  const { evidence } = settled.operation
  const isGiven = evidence !== undefined && isConsent(fieldsOf(settled, ALONE)['mail_status']?.to)
  return isGiven ? { note: evidenceText(evidence) } : {}
}

/** JSON leaves out what is undefined. */
export const decidedFields = (decided: DecidedBy | undefined): Pick<AuditEntry, 'by' | 'role' | 'note'> =>
  decided === undefined
    ? {}
    : {
        by: decided.by,
        ...(decided.role === undefined ? {} : { role: decided.role }),
        ...(decided.note === undefined ? {} : { note: decided.note }),
      }
