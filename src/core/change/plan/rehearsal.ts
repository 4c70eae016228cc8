// What another configuration would make of records that were processed already, in numbers: how many become something else,
// and by which fields and terms. It counts pairs of outcomes of one record and holds none of them.
import { type Contact, contactMailKey, type FieldValue } from '../../mapping/contact.ts'
import { termKey } from '../../mapping/terms.ts'
import type { ErrorCode } from '../../words/errors.ts'
import { createSharedNames, type SharedNames } from './shared-names.ts'

/** What a configuration makes of a record. */
export type RehearsedOutcome =
  | {
      readonly kind: 'mapped'
      readonly key: string
      readonly contact: Contact
      readonly terms: readonly string[]
    }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'rejected'; readonly code: ErrorCode }

/** Of one record. Undefined where there is no such record: its row is part of another one. */
export interface OutcomePair {
  readonly before: RehearsedOutcome | undefined
  readonly after: RehearsedOutcome | undefined
}

/**
 * set: a value where there was none. changed: another value. emptied: a blank is sent where a value, or nothing, was.
 * no_longer_sent: a value was sent, and the field is no longer spoken of.
 */
export type FieldMoves = Readonly<Record<(typeof MOVES)[number], number>>
const MOVES = ['set', 'changed', 'emptied', 'no_longer_sent'] as const
type Move = (typeof MOVES)[number]

export interface RehearsalTotals {
  /** Records under either configuration. */
  readonly records: number
  /** Those whose outcome, key, fields or terms are not the same. */
  readonly differing: number
  /** Mapped under both, with another key: a new key is a new contact. */
  readonly keysChanged: number
  /** Each a word (`mapped`, `skipped`, `missing`) or the code of a reject; the most frequent first. */
  readonly outcomes: readonly { readonly before: string; readonly after: string; readonly records: number }[]
  readonly byField: Readonly<Record<string, FieldMoves>>
  readonly byTerm: Readonly<Record<string, { readonly add: number; readonly remove: number }>>
  /** Terms that many different people gain or lose: they say nothing of one of them. */
  readonly sharedTerms: ReadonlySet<string>
}

const outcomeText = (outcome: RehearsedOutcome | undefined): string =>
  outcome === undefined ? 'missing' : outcome.kind === 'rejected' ? outcome.code : outcome.kind

const isValue = (value: FieldValue | undefined): boolean =>
  value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)

const textOf = (value: FieldValue | undefined): string => JSON.stringify(value ?? '')

/** Undefined: the service would be sent the same. */
function moveOf(before: FieldValue | undefined, after: FieldValue | undefined): Move | undefined {
  if (isValue(before) && isValue(after)) return textOf(before) === textOf(after) ? undefined : 'changed'
  if (isValue(after)) return 'set'
  if (after === undefined) return isValue(before) ? 'no_longer_sent' : undefined
  // What was never spoken of, and is to be blank, would be cleared at the service.
  return isValue(before) || before === undefined ? 'emptied' : undefined
}

type Counts = Map<string, number>
const raise = (counts: Counts, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

/** Counts of a kind under each name. */
type Table = Map<string, Counts>
function raiseIn(table: Table, name: string, kind: string): void {
  const counts = table.get(name) ?? new Map<string, number>()
  table.set(name, counts)
  raise(counts, kind)
}

const beyond = (names: readonly string[], others: readonly string[]): readonly string[] => {
  const keys = new Set(others.map(termKey))
  return names.filter((name) => !keys.has(termKey(name)))
}

interface Tables {
  readonly outcomes: Table
  readonly fields: Table
  readonly terms: Table
  readonly shared: SharedNames
}

/** Whether the contact that is made is another one, its key apart. */
function compareContacts(
  before: RehearsedOutcome & { kind: 'mapped' },
  after: RehearsedOutcome & { kind: 'mapped' },
  { fields, terms, shared }: Tables,
): boolean {
  const moves = [...new Set([...Object.keys(before.contact), ...Object.keys(after.contact)])].flatMap(
    (field) => {
      const move = moveOf(before.contact[field], after.contact[field])
      return move === undefined ? [] : [{ field, move }]
    },
  )
  const added = beyond(after.terms, before.terms)
  const removed = beyond(before.terms, after.terms)
  for (const { field, move } of moves) raiseIn(fields, field, move)
  for (const name of added) raiseIn(terms, name, 'add')
  for (const name of removed) raiseIn(terms, name, 'remove')
  // Files of several days have the same people, and an export of orders has one of them several times.
  const who = contactMailKey(before.contact) ?? before.key
  for (const name of [...added, ...removed]) shared.note(name, who)
  return moves.length + added.length + removed.length > 0
}

const sizeOf = (counts: Counts): number => [...counts.values()].reduce((sum, count) => sum + count, 0)

function filled<Kind extends string>(table: Table, kinds: readonly Kind[]) {
  const sorted = [...table].toSorted(([, one], [, other]) => sizeOf(other) - sizeOf(one))
  const row = (counts: Counts) =>
    Object.fromEntries(kinds.map((kind) => [kind, counts.get(kind) ?? 0])) as Record<Kind, number>
  return Object.fromEntries(sorted.map(([name, counts]) => [name, row(counts)]))
}

/** Counts the records of one pipeline. */
export function rehearsalCounter() {
  const shared = createSharedNames()
  const tables: Tables = { outcomes: new Map(), fields: new Map(), terms: new Map(), shared }
  let records = 0
  let differing = 0
  let keysChanged = 0
  const isDifferent = ({ before, after }: OutcomePair): boolean => {
    const [was, is] = [outcomeText(before), outcomeText(after)]
    if (was !== is) raiseIn(tables.outcomes, was, is)
    if (before?.kind !== 'mapped' || after?.kind !== 'mapped') return was !== is
    const isOtherKey = before.key !== after.key
    if (isOtherKey) keysChanged += 1
    // Both, for its counts.
    return compareContacts(before, after, tables) || isOtherKey
  }
  return {
    add(pair: OutcomePair): void {
      records += 1
      if (isDifferent(pair)) differing += 1
    },
    totals: (): RehearsalTotals => ({
      records,
      differing,
      keysChanged,
      outcomes: [...tables.outcomes]
        .flatMap(([before, row]) => [...row].map(([after, count]) => ({ before, after, records: count })))
        .toSorted((one, other) => other.records - one.records),
      byField: filled(tables.fields, MOVES),
      byTerm: filled(tables.terms, ['add', 'remove']),
      sharedTerms: shared.names(),
    }),
  }
}
