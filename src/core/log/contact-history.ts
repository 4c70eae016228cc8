// What a contact had at a moment, and what runs changed, told by the sync log alone: what was done up to then, entry by entry.
// It says what this program did; what others changed at the service in between is not in it.
import type { FieldValue } from '../mapping/contact.ts'
import { termKey } from '../mapping/terms.ts'
import type { LoggedEntry } from './audit-chain.ts'

/** A value with the entry that set it. */
export interface ValueAsOf {
  readonly value: FieldValue
  readonly at: string
  readonly seq: number
}

export interface ContactAsOf {
  readonly contactId: number
  /** Whether it was there: not deleted by this program before. */
  readonly exists: boolean
  readonly fields: Readonly<Record<string, ValueAsOf>>
  readonly terms: readonly string[]
  /** Fields that were set by entries whose values are gone since (erased, or older than `keep.log_values`). */
  readonly unknown: readonly string[]
}

interface Drawing {
  exists: boolean
  readonly fields: Map<string, ValueAsOf>
  readonly terms: Map<string, string>
  readonly unknown: Set<string>
}

const WRITES: readonly LoggedEntry['action'][] = ['create', 'update', 'terms']

function draw(contact: Drawing, { action, fields, terms, at, seq }: LoggedEntry): void {
  if (action === 'delete') {
    contact.exists = false
    contact.fields.clear()
    contact.terms.clear()
    contact.unknown.clear()
    return
  }
  // A decision about a contact that is gone does not bring it back.
  if (!WRITES.includes(action)) return
  contact.exists = true
  for (const [name, { to }] of Object.entries(fields)) {
    contact.unknown.delete(name)
    contact.fields.set(name, { value: to, at, seq })
  }
  for (const name of terms.add) contact.terms.set(termKey(name), name)
  for (const name of terms.remove) contact.terms.delete(termKey(name))
}

const TERMS = 'terms'

/** An entry whose values are gone: which contact it was about is not known either. It is older than any that is open. */
function lose(
  { action, field_names: names }: LoggedEntry,
  lost: Set<string>,
  contacts: Map<number, Drawing>,
): void {
  if (action === 'delete') {
    lost.clear()
    contacts.clear()
  } else if (WRITES.includes(action)) {
    for (const name of action === TERMS ? [TERMS] : names) lost.add(name)
  }
}

const isBlank = ({ value }: ValueAsOf): boolean =>
  value === '' || (Array.isArray(value) && value.length === 0)

export interface PersonAsOf {
  readonly contacts: readonly ContactAsOf[]
  /** What entries had set whose values are gone since, in whichever contact. */
  readonly unknown: readonly string[]
}

/**
 * Up to the last entry that was made by then. Clocks go back: what was entered before that one had happened by then, whatever
 * its time says.
 */
async function* entriesBy(entries: AsyncIterable<LoggedEntry>, moment: number): AsyncGenerator<LoggedEntry> {
  let later: LoggedEntry[] = []
  for await (const entry of entries) {
    later.push(entry)
    if (Date.parse(entry.at) > moment) continue
    yield* later
    later = []
  }
}

/**
 * The contacts of one person as they were at `moment` (milliseconds since the epoch). `entries`: of that person, oldest
 * first. A field that was emptied is not listed.
 */
export async function contactsAsOf(entries: AsyncIterable<LoggedEntry>, moment: number): Promise<PersonAsOf> {
  const contacts = new Map<number, Drawing>()
  const lost = new Set<string>()
  for await (const entry of entriesBy(entries, moment)) {
    const { contact_id: id, outcome, values, action } = entry
    if (outcome !== 'done') continue
    if (values !== 'open') lose(entry, lost, contacts)
    if (id === null) continue
    const known = contacts.get(id) ?? {
      exists: true,
      fields: new Map(),
      terms: new Map(),
      unknown: new Set(action === 'create' ? [] : lost),
    }
    contacts.set(id, known)
    draw(known, entry)
  }
  const shown = [...contacts].map(([contactId, { exists, fields, terms, unknown }]) => ({
    contactId,
    exists,
    fields: Object.fromEntries([...fields].filter(([, one]) => !isBlank(one))),
    terms: [...terms.values()].sort(),
    unknown: [...unknown].sort(),
  }))
  return { contacts: shown, unknown: [...lost].sort() }
}

/** What became of one contact between two moments. */
export interface ContactChange {
  readonly pipeline: string | null
  readonly key: string | null
  readonly contactId: number
  readonly made: boolean
  readonly deleted: boolean
  readonly fields: Readonly<Record<string, { readonly from: FieldValue | null; readonly to: FieldValue }>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
}

type TermStep = 'add' | 'remove'

interface Change {
  pipeline: string | null
  key: string | null
  made: boolean
  deleted: boolean
  readonly fields: Map<string, { from: FieldValue | null; to: FieldValue }>
  /** By comparison form: what the first and the last entry did. A user may have taken between what was given twice. */
  readonly terms: Map<string, { readonly name: string; readonly first: TermStep; readonly last: TermStep }>
}

const sameValue = (one: FieldValue | null, other: FieldValue): boolean =>
  JSON.stringify(one ?? '') === JSON.stringify(other)

/** Not where the service merged the create into a contact that another record had: what that one sent is in `from`. */
const isMaking = ({ action, fields }: LoggedEntry): boolean =>
  action === 'create' && Object.values(fields).every(({ from }) => from === null)

function note(change: Change, entry: LoggedEntry): void {
  const { action, fields, terms, pipeline, key } = entry
  change.pipeline ??= pipeline
  change.key ??= key
  if (isMaking(entry)) change.made = true
  if (action === 'delete') change.deleted = true
  for (const [name, { from, to }] of Object.entries(fields)) {
    const known = change.fields.get(name)
    change.fields.set(name, { from: known === undefined ? from : known.from, to })
  }
  for (const step of ['add', 'remove'] as const)
    for (const name of terms[step]) {
      const known = change.terms.get(termKey(name)) ?? { name, first: step }
      change.terms.set(termKey(name), { ...known, last: step })
    }
}

/** Whether an entry changed a contact, and which one and how is no longer kept. */
export const isChangeLost = ({ values, outcome, action }: LoggedEntry): boolean =>
  values !== 'open' && outcome === 'done' && (action === 'delete' || WRITES.includes(action))

/**
 * What entries changed together, contact by contact, in the order of their first change: the first value in place of the last,
 * so that what was changed and put back is no change.
 */
export async function changesTogether(
  entries: AsyncIterable<LoggedEntry>,
): Promise<readonly ContactChange[]> {
  const changes = new Map<number, Change>()
  for await (const entry of entries) {
    const { contact_id: id, outcome, action } = entry
    if (id === null || outcome !== 'done' || !(action === 'delete' || WRITES.includes(action))) continue
    const none = { pipeline: null, key: null, made: false, deleted: false }
    const change = changes.get(id) ?? { ...none, fields: new Map(), terms: new Map() }
    changes.set(id, change)
    note(change, entry)
  }
  return [...changes].flatMap(([contactId, { fields, terms, ...rest }]) => {
    const both = (step: TermStep): readonly string[] =>
      [...terms.values()].flatMap(({ name, first, last }) => (first === step && last === step ? [name] : []))
    const one: ContactChange = {
      ...rest,
      contactId,
      fields: Object.fromEntries([...fields].filter(([, { from, to }]) => !sameValue(from, to))),
      terms: { add: both('add'), remove: both('remove') },
    }
    const parts = Object.keys(one.fields).length + one.terms.add.length + one.terms.remove.length
    return parts === 0 && !one.made && !one.deleted ? [] : [one]
  })
}
