// One change as a plan shows it: which fields and terms it sets, and from what to what. A plan reads no contacts, so it
// goes by what was pushed last.
import type { PlannedWork } from '../estimate.ts'
import { changedFields, type FieldChange, fieldChanges } from '../diff.ts'
import type { HandEdit } from '../others/hand-edits.ts'
import { allowedFields, type MergeMethod, withheldFields } from '../merge-method.ts'
import type { Operation } from '../operation.ts'
import { isWithdrawn } from '../permission.ts'

/** What a plan needs of a change that was decided; every operation of the journal has it. */
export type DecidedChange = Pick<
  Operation,
  | 'kind'
  | 'key'
  | 'contactId'
  | 'mailKey'
  | 'fields'
  | 'desired'
  | 'known'
  | 'terms'
  | 'consent'
  | 'cause'
  | 'undoes'
  | 'source'
  | 'givesUp'
> & {
  /** Found by a look at the contact: fields that were edited there, and stay; they are no longer among `fields`. */
  readonly edits?: readonly HandEdit[]
}

/** Where the change comes from. No line where the record is no longer there; several where it has several rows. */
interface ChangeSource {
  readonly file: string
  readonly line: number | null
  readonly lines?: readonly number[]
}

/** One element of `changes` in `plan --json`. */
export interface PlannedChange {
  readonly action: 'create' | 'update' | 'delete'
  readonly key: string
  /** Null for a contact that is not there yet. */
  readonly contact_id: number | null
  readonly fields: Readonly<Record<string, FieldChange>>
  /** What the update method keeps back, as far as the state can tell; absent where it keeps nothing back. */
  readonly withheld?: Readonly<Record<string, FieldChange>>
  /** What was edited at the service and stays (`from`), and what the source wants (`to`); absent where there is none. */
  readonly kept_edits?: Readonly<Record<string, FieldChange>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
  readonly source: ChangeSource
}

/** `a.csv:3`; a record of several rows stands on the lines of all of them, and what no row asks for has none. */
export function changePlace({ source: { file, line, lines } }: Pick<PlannedChange, 'source'>): string {
  if (line === null) return `gone from ${file}`
  return line === 0 ? file : `${file}:${(lines ?? [line]).join(',')}`
}

/** What a step sends of its fields and what the update method withholds, going by what was pushed last. */
export function partedFields(
  { kind, undoes, fields, known }: Pick<DecidedChange, 'kind' | 'undoes' | 'fields' | 'known'>,
  method: MergeMethod,
) {
  const isUpdate = kind === 'update' && undoes === undefined
  const sent = isUpdate ? allowedFields(fields, known, method) : fields
  // What was given up and comes back may be there still.
  return { sent, withheld: changedFields(withheldFields(fields, sent), known, []) }
}

const keptChanges = (edits: readonly HandEdit[]): Readonly<Record<string, FieldChange>> =>
  Object.fromEntries(edits.map(({ field, service, source }) => [field, { from: service, to: source ?? '' }]))

/** A whole change, with the fields, terms and mail_status that are sent in separate steps. */
export function shownChange(decided: DecidedChange, method: MergeMethod): PlannedChange {
  const { kind, key, contactId, consent, terms, known, cause, undoes, edits = [] } = decided
  // A mail_status of 1 or 2 goes first; the fields of the same change follow it as an update.
  const isFound = kind === 'create' && contactId !== undefined
  const whole = kind === 'consent' || isFound ? ({ ...decided, kind: 'update' } as const) : decided
  const { sent, withheld } = partedFields(whole, method)
  const { file, line, lines } = decided.source
  const isMissing = cause === 'missing' && undoes === undefined
  const fields = consent === undefined ? sent : { ...sent, mail_status: consent }
  return {
    action: (kind === 'create' && !isFound) || kind === 'delete' ? kind : 'update',
    key,
    contact_id: contactId !== undefined && contactId > 0 ? contactId : null,
    fields: fieldChanges(fields, known),
    ...(Object.keys(withheld).length === 0 ? {} : { withheld: fieldChanges(withheld, known) }),
    ...(edits.length === 0 ? {} : { kept_edits: keptChanges(edits) }),
    terms: { add: terms?.add ?? [], remove: terms?.remove ?? [] },
    source: { file, line: isMissing ? null : line, ...(lines === undefined ? {} : { lines }) },
  }
}

/** Nothing of it is sent or withheld: only what the state knows of the record changes. */
export const showsNothing = (change: PlannedChange): boolean =>
  change.action !== 'delete' && partsOf(change) === 0

const partsOf = ({ fields, withheld = {}, kept_edits: kept = {}, terms }: PlannedChange): number =>
  Object.keys({ ...fields, ...withheld, ...kept }).length + terms.add.length + terms.remove.length

const NO_TERMS = { add: [], remove: [] }

/** Its requests, in the parts that an estimate is made of. */
export function workOf(decided: DecidedChange): PlannedWork {
  const { kind, contactId, mailKey, fields, terms = NO_TERMS, consent, givesUp } = decided
  const isFound = kind === 'create' && contactId !== undefined
  const isCreate = kind === 'create' && !isFound
  const isWithdrawal = isWithdrawn(consent)
  const hasFields = Object.keys(fields).length > 0
  const hasFieldsLeft = kind === 'consent' && isWithdrawal && hasFields
  const changesTerms = terms.add.length + terms.remove.length > 0
  // What only gives fields up makes no request.
  const isUpdate = kind === 'update' && (hasFields || givesUp === undefined)
  return {
    createsWithMail: Number(isCreate && mailKey !== undefined),
    createsWithoutMail: Number(isCreate && mailKey === undefined),
    updates: Number(isUpdate || isFound || hasFieldsLeft),
    termAdditions: Number(terms.add.length > 0),
    termRemovals: Number(terms.remove.length > 0),
    termChanges: Number(changesTerms),
    termsOfCreates: Number(changesTerms && isCreate),
    consents: Number(consent !== undefined && !isWithdrawal),
    withdrawals: Number(isWithdrawal),
    deletes: Number(kind === 'delete'),
    newTerms: 0,
  }
}

/** The country of the contact that is changed: as its record has it, else as it was pushed last. */
export function countryOf({ desired, known }: DecidedChange): string | undefined {
  const country = desired['ba_country'] ?? known['ba_country']
  return typeof country === 'string' && country !== '' ? country : undefined
}
