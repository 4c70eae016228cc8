// Likely the same person under two keys of a source: which new records are worth comparing, with each other and with what is
// linked already, and what the comparisons come to. A finding to look at; nothing is merged or held for it. Pure.
import type { Contact } from '../mapping/contact.ts'
import type { LikelyPair, LikelySame } from '../outcome/likely-same.ts'
import { birthdayOf, likelySame, mailboxOf, phoneOf, streetOf } from './likely-same.ts'
import { type Person, personOf } from './person.ts'

/** So many new records of an input are compared with each other: some five numbers each are held in memory for that. */
const MOST_COMPARED = 2 ** 18
/** A key shared by so many records distinguishes none of them. */
const LARGEST_BLOCK = 50
/** Pairs that are compared, at most, among the new records of one input. */
const MOST_PAIRS = 200_000
/** Pairs that are named, at most: those of the greatest weight. */
export const MOST_EXAMPLES = 20

/** A new record that is about to become a contact. */
export interface NewRecord {
  readonly id: number
  readonly key: string
  readonly line: number
  readonly contact: Contact
}

/** A record that is linked, as it was pushed last. */
export interface LinkedRecord {
  readonly key: string
  readonly contactId: number
  readonly known: Contact
}

/** Part of the state (see state.ts). */
export interface LookAlikeStore {
  /** Records of the input that are to become new contacts, page by page. */
  newRecords(staged: { readonly id: number; readonly runId: string }): AsyncIterable<readonly NewRecord[]>
  /** The same by their ids, in any order. */
  newRecordsById(ids: readonly number[]): Promise<readonly NewRecord[]>
  /** For each record those of the pipeline that are linked under another key and share the beginnings of both names, or the name before the at. */
  linkedLike(pipeline: string, records: readonly NewRecord[]): Promise<readonly (readonly LinkedRecord[])[]>
}

/** What two records of one person share: a piece of evidence, beside the beginning of a name where strangers share it, too. */
export function evidenceKeys(person: Person): readonly string[] {
  const [mailbox, phone, born, street] = [
    mailboxOf(person.mail),
    phoneOf(person),
    birthdayOf(person),
    streetOf(person),
  ]
  const keys: string[] = []
  if (mailbox !== '') keys.push(`m${mailbox}`)
  if (phone !== '') keys.push(`p${phone}`)
  for (const name of new Set([person.first.slice(0, 2), person.family.slice(0, 2)])) {
    if (name === '') continue
    // Day and month in either order.
    if (born !== '')
      keys.push(`b${name}${born.slice(0, 4)}${[born.slice(4, 6), born.slice(6)].sort().join('')}`)
    if (street !== '') keys.push(`s${name}${street}`)
  }
  return keys
}

/** FNV-1a, 32 bits. Two keys with one number are compared once too often, no more. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

export interface Blocks {
  /** False where there are too many already. Records are numbered from 0 as they come. */
  add(contact: Contact): boolean
  /** The numbers of records that share a key, each pair once, the smaller number first. */
  pairs(): { readonly pairs: readonly (readonly [number, number])[]; readonly complete: boolean }
}

/** Pairs of one block; the block is sorted. */
function addPairs(block: readonly number[], found: Set<number>): void {
  block.forEach((first, index) => {
    for (const second of block.slice(index + 1))
      if (first !== second && found.size < MOST_PAIRS) found.add(first * MOST_COMPARED + second)
  })
}

export function createBlocks(): Blocks {
  // Each entry is the hash of a key and the number of a record: sorted, records of one key stand side by side.
  let entries = new Float64Array(1024)
  let used = 0
  let records = 0
  const put = (entry: number): void => {
    if (used === entries.length) {
      const grown = new Float64Array(used * 2)
      grown.set(entries)
      entries = grown
    }
    entries[used] = entry
    used += 1
  }
  return {
    add(contact) {
      if (records === MOST_COMPARED) return false
      for (const key of evidenceKeys(personOf(contact))) put(hashOf(key) * MOST_COMPARED + records)
      records += 1
      return true
    },
    pairs() {
      const sorted = entries.subarray(0, used).sort()
      const found = new Set<number>()
      for (let from = 0, to = 0; from < used; from = to) {
        const hash = Math.floor((sorted[from] ?? 0) / MOST_COMPARED)
        while (to < used && Math.floor((sorted[to] ?? 0) / MOST_COMPARED) === hash) to += 1
        if (to - from > 1 && to - from <= LARGEST_BLOCK)
          addPairs(
            Array.from(sorted.subarray(from, to), (entry) => entry % MOST_COMPARED),
            found,
          )
      }
      const pairs = [...found].map(
        (pair) => [Math.floor(pair / MOST_COMPARED), pair % MOST_COMPARED] as const,
      )
      return { pairs, complete: found.size < MOST_PAIRS }
    },
  }
}

export interface Findings {
  compare(first: NewRecord | LinkedRecord, second: NewRecord): void
  /** Undefined where no records are likely the same. */
  found(complete: boolean): LikelySame | undefined
}

const byWeight = (one: LikelyPair, other: LikelyPair): number =>
  other.weight - one.weight || one.lines[1] - other.lines[1] || (one.keys[0] < other.keys[0] ? -1 : 1)

export function createFindings(): Findings {
  let pairs = 0
  let best: LikelyPair[] = []
  // A record is compared with all others of its blocks.
  const persons = new WeakMap<NewRecord | LinkedRecord, Person>()
  const personIn = (record: NewRecord | LinkedRecord): Person => {
    const person = persons.get(record) ?? personOf('known' in record ? record.known : record.contact)
    persons.set(record, person)
    return person
  }
  return {
    compare(first, second) {
      const isLinked = 'known' in first
      if (first.key === second.key) return
      const alike = likelySame(personIn(first), personIn(second))
      if (alike === undefined) return
      pairs += 1
      best.push({
        keys: [first.key, second.key],
        lines: [isLinked ? null : first.line, second.line],
        contact_id: isLinked ? first.contactId : null,
        evidence: alike.evidence,
        weight: Math.round(alike.weight * 10) / 10,
      })
      if (best.length > 2 * MOST_EXAMPLES) best = best.toSorted(byWeight).slice(0, MOST_EXAMPLES)
    },
    found: (complete) =>
      pairs === 0
        ? undefined
        : { pairs, complete, examples: best.toSorted(byWeight).slice(0, MOST_EXAMPLES) },
  }
}
