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

function draw(
  contact: Drawing,
  { action, fields, terms, field_names: names, values, at, seq }: LoggedEntry,
): void {
  if (action === 'delete') {
    contact.exists = false
    contact.fields.clear()
    contact.terms.clear()
    contact.unknown.clear()
    return
  }
  contact.exists = true
  if (!WRITES.includes(action)) return
  if (values !== 'open')
    for (const name of names) {
      contact.fields.delete(name)
      contact.unknown.add(name)
    }
  for (const [name, { to }] of Object.entries(fields)) {
    contact.unknown.delete(name)
    contact.fields.set(name, { value: to, at, seq })
  }
  for (const name of terms.add) contact.terms.set(termKey(name), name)
  for (const name of terms.remove) contact.terms.delete(termKey(name))
}

const isBlank = ({ value }: ValueAsOf): boolean =>
  value === '' || (Array.isArray(value) && value.length === 0)

/**
 * The contacts of one person as they were before `moment` (milliseconds since the epoch). `entries`: of that person, oldest
 * first. A field that was emptied is not listed.
 */
export async function contactsAsOf(
  entries: AsyncIterable<LoggedEntry>,
  moment: number,
): Promise<readonly ContactAsOf[]> {
  const contacts = new Map<number, Drawing>()
  for await (const entry of entries) {
    const { contact_id: id, outcome, at } = entry
    if (Date.parse(at) > moment) break
    if (id === null || outcome !== 'done') continue
    const known = contacts.get(id) ?? {
      exists: true,
      fields: new Map(),
      terms: new Map(),
      unknown: new Set(),
    }
    contacts.set(id, known)
    draw(known, entry)
  }
  return [...contacts].map(([contactId, { exists, fields, terms, unknown }]) => ({
    contactId,
    exists,
    fields: Object.fromEntries([...fields].filter(([, one]) => !isBlank(one))),
    terms: [...terms.values()].sort(),
    unknown: [...unknown].sort(),
  }))
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

interface Change {
  pipeline: string | null
  key: string | null
  made: boolean
  deleted: boolean
  readonly fields: Map<string, { from: FieldValue | null; to: FieldValue }>
  /** By comparison form: given (1) or taken (-1) in the end. */
  readonly terms: Map<string, { readonly name: string; sum: number }>
}

const sameValue = (one: FieldValue | null, other: FieldValue): boolean =>
  JSON.stringify(one ?? '') === JSON.stringify(other)

function note(change: Change, { action, fields, terms, pipeline, key }: LoggedEntry): void {
  change.pipeline ??= pipeline
  change.key ??= key
  if (action === 'create') change.made = true
  if (action === 'delete') change.deleted = true
  for (const [name, { from, to }] of Object.entries(fields))
    change.fields.set(name, { from: change.fields.get(name)?.from ?? from, to })
  const count = (name: string, step: number): void => {
    const known = change.terms.get(termKey(name)) ?? { name, sum: 0 }
    change.terms.set(termKey(name), { ...known, sum: known.sum + step })
  }
  for (const name of terms.add) count(name, 1)
  for (const name of terms.remove) count(name, -1)
}

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
    const named = [...terms.values()]
    const one: ContactChange = {
      ...rest,
      contactId,
      fields: Object.fromEntries([...fields].filter(([, { from, to }]) => !sameValue(from, to))),
      terms: {
        add: named.filter(({ sum }) => sum > 0).map(({ name }) => name),
        remove: named.filter(({ sum }) => sum < 0).map(({ name }) => name),
      },
    }
    const parts = Object.keys(one.fields).length + one.terms.add.length + one.terms.remove.length
    return parts === 0 && !one.made && !one.deleted ? [] : [one]
  })
}
