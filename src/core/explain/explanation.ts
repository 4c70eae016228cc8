// The explanation of one record: each value with the file and line it came from, the rules that made it, and the request that
// sent it. Everything here was kept; what is not known any more is said in a note, and never guessed.
import type { FieldValue } from '../mapping/contact.ts'
import type { AuditOutcome } from '../log/audit.ts'
import type { Correction } from '../change/others/correction.ts'
import type { OpenEdit } from '../change/others/hand-edits.ts'
import type { OperationState } from '../change/states.ts'
import { momentText } from '../words/format.ts'
import { type TermAliases, termKey } from '../mapping/terms.ts'
import type { RequestTrace } from '../ports.ts'
import type { RecordView } from '../views.ts'
import { type ConsentFacts, type ExplainedConsent, explainedConsent } from './consent.ts'
import {
  addsTerm,
  isOfContact,
  wasTaken,
  newest,
  noteOfEntry,
  pendingNote,
  presentKey,
  setsField,
  type ValueSetting,
} from './setting.ts'
import { fieldsOfOthers, type SharedContact, type ValueOwner, valueOwner } from './shared-fields.ts'
import type { ShownStep, TracedRecord } from './trace.ts'

/** From where, by which run, by which request. All null where the sync log has nothing of it, or no longer. */
export interface ValueOrigin {
  readonly file: string | null
  readonly line: number | null
  readonly run_id: string | null
  /** ISO 8601, UTC. */
  readonly at: string | null
  readonly request: RequestTrace | null
  readonly outcome: AuditOutcome | OperationState | null
}

interface Explained extends ValueOrigin {
  readonly steps: readonly ShownStep[]
  /** Why a part is unknown, or differs from what one would expect. */
  readonly note?: string
}

export interface ExplainedField extends Explained {
  /** As it was sent; '' clears the field. Null where it is not known. */
  readonly value: FieldValue | null
  /** What the state takes the service to have; null where nothing was sent. */
  readonly known: FieldValue | null
  /** Whose value stands at a contact that several pipelines share. */
  readonly owner?: ValueOwner
  /** What the service has now, where it was asked. */
  readonly actual?: unknown
}

export interface ExplainedTerm extends Explained {
  readonly name: string
  /** The state has the record assert it. */
  readonly known: boolean
  readonly actual?: boolean
}

/** In the form in which it is printed. */
export interface Explanation {
  readonly pipeline: string
  readonly key: string
  readonly contact_id: number | null
  /** Where the record stood when it was changed last. */
  readonly record: { readonly file: string | null; readonly line: number | null }
  readonly fields: Readonly<Record<string, ExplainedField>>
  readonly terms: readonly ExplainedTerm[]
  /** Absent where the mapping asks for no evidence and no 1 or 2 was seen. */
  readonly consent?: ExplainedConsent
  readonly note?: string
}

/** What the record's row gives today, or a sentence on why it cannot be told. */
export type Retraced = { readonly traced: TracedRecord } | { readonly note: string }

/** Everything that is known of one record. */
export interface RecordFacts {
  readonly pipeline: string
  readonly key: string
  readonly link: RecordView | undefined
  /** Newest first. */
  readonly entries: readonly ValueSetting[]
  readonly aliases: TermAliases
  /** Values that were edited at the service and stay. */
  readonly edits: readonly OpenEdit[]
  /** Values that persons set right for it, and that hold. */
  readonly corrections: readonly Correction[]
  /** Undefined where no other pipeline has the contact. */
  readonly shared: SharedContact | undefined
  /** Undefined where the mapping asks for no evidence and no 1 or 2 was seen. */
  readonly consent: ConsentFacts | undefined
}

function fieldNames({ link, entries }: RecordFacts): readonly string[] {
  const logged = entries.filter(isOfContact).flatMap(({ field_names: names }) => names)
  return [...new Set([...Object.keys(link?.known ?? {}), ...logged])]
}

/** Those that the record asserts; of a record without a link, those that were to be given. */
function termNames({ link, entries }: RecordFacts): readonly string[] {
  if (link !== undefined) return (link.terms ?? []).map(({ name }) => name)
  return [...new Set(entries.flatMap(({ terms }) => terms.add))]
}

/** The newest entry that was made of a row that can be read again; what is sent without a file has none. */
const lastOfRow = ({ entries }: RecordFacts): ValueSetting | undefined =>
  entries.find(
    (entry) => isOfContact(entry) && noteOfEntry(entry) === undefined && Boolean(entry.source?.sha256),
  )

/** The entries that set the values of the record, each once: whose rows have to be read again. */
export function settingEntries(facts: RecordFacts): readonly ValueSetting[] {
  const ofFields = fieldNames(facts).map((field) => newest(facts.entries, setsField(field)))
  const ofTerms = termNames(facts).map((name) => newest(facts.entries, addsTerm(name, facts.aliases)))
  const ofConsent = facts.consent === undefined ? undefined : lastOfRow(facts)
  return [...new Set([...ofFields, ...ofTerms, ofConsent])].filter((entry) => entry !== undefined)
}

const NOWHERE: ValueOrigin = { file: null, line: null, run_id: null, at: null, request: null, outcome: null }

/** `line`: where it is not that of the record's last row. */
function originOf(entry: ValueSetting | undefined, line?: number): ValueOrigin {
  if (entry === undefined) return NOWHERE
  const { source, run_id, at, request, outcome } = entry
  return { file: source?.file ?? null, line: line ?? source?.line ?? null, run_id, at, request, outcome }
}

const NOT_LOGGED =
  'no entry of the sync log sets it: the contact had it when the record was linked, or the entry has expired'

const joined = (notes: readonly (string | undefined)[]): { note?: string } => {
  const said = notes.filter((note) => note !== undefined)
  return said.length === 0 ? {} : { note: said.join('; ') }
}

const isEqual = (one: FieldValue | undefined, other: FieldValue | null): boolean =>
  JSON.stringify(one ?? '') === JSON.stringify(other ?? '')

interface Way {
  readonly steps: readonly ShownStep[]
  readonly missing: string | undefined
  /** Of several rows: that of the one which gave the value. */
  readonly line?: number
}

const NO_WAY = (missing: string | undefined): Way => ({ steps: [], missing })

type Retrace = (entry: ValueSetting) => Retraced

function wayOfField(field: string, value: FieldValue | null, retraced: Retraced | undefined): Way {
  if (retraced === undefined) return NO_WAY(undefined)
  if ('note' in retraced) return NO_WAY(retraced.note)
  const traced = retraced.traced.fields.get(field)
  if (traced !== undefined && isEqual(traced.value, value))
    return { steps: traced.steps, missing: undefined, line: traced.line }
  const made = traced?.problem ?? (traced?.value === undefined ? 'nothing' : JSON.stringify(traced.value))
  return NO_WAY(`its row now gives another value: ${made}`)
}

/** Who set the value right, in place of what the source says. */
function correctionNote(correction: Correction | undefined): string | undefined {
  if (correction === undefined) return undefined
  const { id, by, at, note, value, raw, was, isPending } = correction
  const why = note === undefined ? '' : `: ${note}`
  const said = raw === undefined ? JSON.stringify(was ?? '') : JSON.stringify(Object.values(raw).join(', '))
  const sets = isPending ? 'to be set' : 'set'
  return `${sets} by correction ${id} (${by}, ${momentText(at)}${why}) to ${JSON.stringify(value)}; the source says ${said}`
}

/** Why the source does not get its way. */
function editNote(edit: OpenEdit | undefined): string | undefined {
  if (edit === undefined) return undefined
  const { rule, service, source, isReleased = false } = edit
  const released = isReleased ? ', and an operator has released it' : ''
  const wants = `${released}${source === null ? '' : `; the source wants ${JSON.stringify(source)}`}`
  return `edited at the service, which shows ${JSON.stringify(service)}: hand_edits: ${rule} leaves it${wants}`
}

/** The number that the field describes was set right. */
function numberNote(field: string, facts: RecordFacts, retraced: Retraced | undefined): string | undefined {
  const traced =
    retraced !== undefined && 'traced' in retraced ? retraced.traced.fields.get(field) : undefined
  const number = facts.corrections.find((one) => one.field === traced?.numberIn)
  return number && `of the number that correction ${number.id} of ${number.field} gives`
}

function ownerOf(field: string, { shared, edits }: RecordFacts): { readonly owner?: ValueOwner } {
  const owner = valueOwner(field, shared, edits)
  return owner === undefined ? {} : { owner }
}

const GIVEN_UP = 'blank in the record since, so left to the next pipeline that owns it'

function explainedField(field: string, facts: RecordFacts, retrace: Retrace): ExplainedField {
  const sets = setsField(field)
  const entry = newest(facts.entries, sets)
  const known = facts.link?.known[field] ?? null
  const value = entry?.values === 'open' ? (entry.fields[field]?.to ?? null) : known
  const retraced = entry && retrace(entry)
  const { steps, missing, line } = wayOfField(field, value, retraced)
  const corrected = facts.corrections.find((one) => one.field === field)
  const byNumber = corrected === undefined ? numberNote(field, facts, retraced) : undefined
  const isUnsure = facts.link?.unsure.includes(field) === true
  const notes = [
    entry === undefined ? NOT_LOGGED : corrected === undefined ? (byNumber ?? missing) : undefined,
    pendingNote(entry, facts.entries, sets),
    isUnsure ? 'a change of its request is in flight or in doubt' : undefined,
    facts.link?.givenUp?.includes(field) === true ? GIVEN_UP : undefined,
    editNote(facts.edits.find((edit) => edit.field === field)),
    correctionNote(corrected),
  ]
  return { value, steps, known, ...ownerOf(field, facts), ...originOf(entry, line), ...joined(notes) }
}

/** What the record's own pipeline never sent, because others own it. */
const leftToOthers = (field: string, facts: RecordFacts): ExplainedField => ({
  ...{ value: null, steps: [], known: null, ...ownerOf(field, facts), ...NOWHERE },
  note: `${facts.pipeline} leaves it out: another pipeline owns it`,
})

function explainedTerm(name: string, facts: RecordFacts, retrace: Retrace): ExplainedTerm {
  const sets = addsTerm(name, facts.aliases)
  const entry = newest(facts.entries, sets)
  const retraced = entry && retrace(entry)
  const traced =
    retraced !== undefined && 'traced' in retraced
      ? retraced.traced.terms.find(
          (term) => presentKey(term.name, facts.aliases) === presentKey(name, facts.aliases),
        )
      : undefined
  const why = retraced !== undefined && 'note' in retraced ? retraced.note : 'its row no longer gives it'
  const notes = [
    entry === undefined ? NOT_LOGGED : traced === undefined ? why : undefined,
    pendingNote(entry, facts.entries, sets),
  ]
  const known = facts.link?.terms?.some((term) => termKey(term.name) === termKey(name)) === true
  return { name, steps: traced?.steps ?? [], known, ...originOf(entry, traced?.line), ...joined(notes) }
}

function noteOfRecord({ link, entries }: RecordFacts): string | undefined {
  if (link?.gone === true) return 'the service no longer has the contact'
  if (link !== undefined) return undefined
  const [last] = entries
  return last?.action === 'delete' && wasTaken(last)
    ? `the contact was deleted by run ${last.run_id}`
    : 'the record is linked to no contact'
}

function consentOf(facts: RecordFacts, retrace: Retrace): ExplainedConsent | undefined {
  if (facts.consent === undefined) return undefined
  const entry = lastOfRow(facts)
  const retraced = entry && retrace(entry)
  const traced = retraced !== undefined && 'traced' in retraced ? retraced.traced : undefined
  const { file, line } = originOf(traced === undefined ? undefined : entry)
  const setting = newest(facts.entries, setsField('mail_status'))
  // Beside a decision it is what its operator wrote.
  const proof = setting?.by === undefined ? setting?.note : undefined
  return explainedConsent(facts.consent, {
    ...{ traced, file, line, known: facts.link?.known['mail_status'] ?? null, proof },
  })
}

/** `retrace`: what the row of an entry gives today. */
export function explanationOf(facts: RecordFacts, retrace: Retrace): Explanation {
  const { pipeline, key, link, entries } = facts
  const last = entries.find(({ source, action }) => source !== null && action !== 'delete') ?? entries[0]
  const { file, line } = originOf(last)
  const names = fieldNames(facts)
  const consent = consentOf(facts, retrace)
  const others =
    facts.shared === undefined ? [] : fieldsOfOthers(facts.shared).filter((one) => !names.includes(one))
  return {
    pipeline,
    key,
    contact_id: link?.contactId ?? entries.find(({ contact_id: id }) => id !== null)?.contact_id ?? null,
    record: { file, line },
    fields: Object.fromEntries([
      ...names.map((field) => [field, explainedField(field, facts, retrace)] as const),
      ...others.map((field) => [field, leftToOthers(field, facts)] as const),
    ]),
    terms: termNames(facts).map((name) => explainedTerm(name, facts, retrace)),
    ...(consent === undefined ? {} : { consent }),
    ...joined([noteOfRecord(facts)]),
  }
}

/** The same beside what the service has now; undefined: it does not have the contact. */
export function withActual(
  explanation: Explanation,
  actual:
    { readonly fields: Readonly<Record<string, unknown>>; readonly terms: readonly string[] } | undefined,
): Explanation {
  const terms = new Set(actual?.terms.map(termKey))
  return {
    ...explanation,
    fields: Object.fromEntries(
      Object.entries(explanation.fields).map(([name, field]) => [
        name,
        { ...field, actual: actual?.fields[name] ?? null },
      ]),
    ),
    terms: explanation.terms.map((term) => ({ ...term, actual: terms.has(termKey(term.name)) })),
  }
}
