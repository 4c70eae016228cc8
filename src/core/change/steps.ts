// The steps of a change and their order: the first, the next, what each sends, and which goes before which.
import { type Contact, contactMailKey } from '../mapping/contact.ts'
import type { TermPlan } from '../mapping/terms.ts'
import type { PipelineSettings, TermSettings } from '../settings.ts'
import type {
  Operation,
  OperationKind,
  OperationOutcome,
  Settled,
  Settlement,
  StagedOperation,
} from './operation.ts'
import type { JudgedEdits } from './others/hand-edits.ts'
import { isWithdrawn } from './permission.ts'

/** What decides when a step is sent. */
interface Ordered {
  readonly mailKey?: string | undefined
  readonly consent?: number | undefined
}

/**
 * The order of sending, lowest first. A mail_status of 1 or 2 goes before anything else; a mail that an update frees must
 * be free before a create takes it; terms need the contact; another mail_status is set last; deletes come at the very end,
 * when it is known which contacts the creates were merged into.
 */
export const SENDING_ORDER = {
  withdrawal: -1,
  update: 0,
  createWithMail: 1,
  createWithoutMail: 2,
  terms: 3,
  consent: 4,
  delete: 5,
} as const

export function sendingOrder(kind: OperationKind, { mailKey, consent }: Ordered = {}): number {
  if (kind === 'create') return SENDING_ORDER[mailKey === undefined ? 'createWithoutMail' : 'createWithMail']
  if (kind === 'consent' && isWithdrawn(consent)) return SENDING_ORDER.withdrawal
  return SENDING_ORDER[kind]
}

/** The first step of a planned change; one that is not planned has none yet, and a kind only for lists. */
export function firstStep(form: StagedOperation): OperationKind {
  if (form.state === 'waiting') return 'create'
  if (form.state === 'held') return 'kind' in form ? form.kind : 'update'
  if (form.kind !== 'update') return form.kind
  if (isWithdrawn(form.consent)) return 'consent'
  if (Object.keys(form.fields).length > 0) return 'update'
  if (form.terms !== undefined) return 'terms'
  // An update without fields only gives some up.
  return form.consent === undefined ? 'update' : 'consent'
}

/** A change as it first stands in the journal. */
export interface FirstForm {
  readonly kind: OperationKind
  readonly linkId: number | undefined
  readonly contactId: number | undefined
  readonly mailKey: string | undefined
  readonly fields: Contact
  readonly terms: TermPlan | undefined
  readonly consent: number | undefined
  readonly state: StagedOperation['state']
  readonly order: number
  readonly reason: string | undefined
  readonly cause: Operation['cause']
  readonly undoes: string | undefined
}

export function firstForm(operation: StagedOperation): FirstForm {
  const kind = firstStep(operation)
  const isLinked = kind !== 'create'
  const fields = 'fields' in operation ? operation.fields : {}
  const mailKey = contactMailKey(fields)
  const isDelete = operation.state === 'planned' && operation.kind === 'delete'
  const change = operation.state === 'planned' && operation.kind !== 'delete' ? operation : undefined
  const consent = 'consent' in operation ? operation.consent : undefined
  return {
    kind,
    linkId: isLinked && 'linkId' in operation ? operation.linkId : undefined,
    contactId: 'contactId' in operation ? operation.contactId : undefined,
    mailKey,
    fields,
    terms: change?.terms,
    consent,
    state: operation.state,
    order: sendingOrder(kind, { mailKey, consent }),
    reason: 'reason' in operation ? operation.reason : undefined,
    // A delete that undoes a create is guarded like that of a missing record, and like it is never retried automatically.
    cause: isDelete ? 'missing' : 'record',
    undoes: 'undoes' in operation ? operation.undoes : undefined,
  }
}

/** Steps that must be looked at when their answer was lost; the others set values, and may simply be sent again. */
export const LEFT_IN_DOUBT: readonly OperationKind[] = ['create', 'delete']

/**
 * The policy for the terms of a change. What has gone loses what it was given, and nothing that others gave: whatever the
 * policy for those who are there.
 */
export function termPolicy(
  { cause, undoes }: Pick<Operation, 'cause' | 'undoes'>,
  { terms: { policy }, on_missing: onMissing }: Pick<PipelineSettings, 'terms' | 'on_missing'>,
): TermSettings['policy'] {
  if (cause === 'missing' || undoes !== undefined) return 'managed'
  // What is ours to take back one day has to be told from what was there before.
  return policy === 'add' && onMissing === 'remove_terms' ? 'managed' : policy
}

/** What a step sends of the contact itself. A create carries a mail_status of 1 or 2 with it, and any other that it was given. */
export function stepFields({
  kind,
  fields,
  consent,
  carried,
}: Pick<Operation, 'kind' | 'fields' | 'consent' | 'carried'>): Contact {
  if (kind === 'consent') return consent === undefined ? {} : { mail_status: consent }
  const status = isWithdrawn(consent) ? consent : carried
  return kind === 'create' && status !== undefined ? { ...fields, mail_status: status } : fields
}

/** The mail_status that is left to be set after this step. */
export const consentLeft = (
  { kind, consent }: Pick<Operation, 'kind' | 'consent'>,
  status: Settled['status'],
): number | undefined => (kind === 'consent' || status === 'taken' ? undefined : consent)

/**
 * The fields that are left to be sent after this step: those of a change that begins with its mail_status, and those of a
 * create whose contact was there already.
 */
export function fieldsLeft(
  { kind, fields }: Pick<Operation, 'kind' | 'fields'>,
  settlement: Settlement,
): Contact {
  const isFound = settlement.kind === 'settled' && settlement.contactId !== undefined
  return kind === 'consent' || isFound ? fields : {}
}

/** The step after this one; undefined after the last. */
export function nextStep(
  operation: Pick<Operation, 'kind' | 'fields' | 'terms' | 'consent'>,
  { settlement, status }: Pick<Settled, 'settlement' | 'status'>,
): OperationKind | undefined {
  const { kind, consent, terms } = operation
  const left = consentLeft(operation, status)
  if (isWithdrawn(left)) return 'consent'
  // Any other mail_status is the last step.
  if (kind === 'consent' && !isWithdrawn(consent)) return undefined
  if (Object.keys(fieldsLeft(operation, settlement)).length > 0) return 'update'
  if (kind !== 'terms' && terms !== undefined) return 'terms'
  return left === undefined ? undefined : 'consent'
}

/** What the record counts as after a step that ended as `settlement`. */
export function outcomeAfter(
  operation: Pick<Operation, 'kind' | 'outcome'>,
  settlement: { readonly kind: 'done' | 'settled' },
): OperationOutcome {
  if (operation.outcome === 'created' || (settlement.kind === 'done' && operation.kind === 'create'))
    return 'created'
  return settlement.kind === 'done' ? 'updated' : (operation.outcome ?? 'unchanged')
}

/**
 * What the end of a step says of the edits of its record; undefined where it says nothing. A value that was written without a look
 * at the contact is no edit any more, and what the source wanted before is not sent after it.
 */
export function judgedEdits({ operation, settlement, merged, sent }: Settled): JudgedEdits | undefined {
  const { pipeline, key, contactId, kind, undoes } = operation
  if (contactId === undefined) return undefined
  const of = { pipeline, key, contactId }
  if (merged !== undefined) return { ...of, judged: merged.judged, open: merged.edits }
  if (kind !== 'update' || undoes !== undefined || settlement.kind !== 'done') return undefined
  return { ...of, judged: Object.keys(sent ?? stepFields(operation)), open: [] }
}
