// The suppression list (`consents.suppress`): addresses that are never created, given terms or raised. What it means for
// a record and for the terms of a contact is decided here; a mail_status of 1 or 2, removals and deletes are not affected.
import { hash } from 'node:crypto'
import type { Contact } from '../../mapping/contact.ts'
import { type TermPlan, termsBeyond } from '../../mapping/terms.ts'
import type { Desired, KnownLink } from '../diff.ts'
import { isWithdrawn } from '../permission.ts'

/** A list as it was read. */
export interface Suppressed {
  /** Another number for each content that the list had; part of every fingerprint. */
  readonly edition: number
  has(mail: string): boolean
}

export interface SuppressionList {
  /** Read again where the file has changed. Throws SUPPRESSION_LIST. */
  now(): Promise<Suppressed>
}

/** What the state keeps of a list. */
export interface KeptList {
  readonly entries: number
  readonly digest: string
  readonly edition: number
}

/** Part of the state: by the path of the list. */
export interface SuppressionStore {
  suppressionList(path: string): Promise<KeptList | undefined>
  keepSuppressionList(path: string, list: KeptList): Promise<void>
}

/** SHA-256 of the lower-cased address, hexadecimal: the form of the column `sha256`. */
export const addressHash = (mail: string): string => hash('sha256', mail.trim().toLowerCase(), 'hex')

/**
 * The first 64 bits of a hash. That any of a million addresses has those of any entry of a million by chance is a matter
 * of 10^-7, and then a record is skipped that need not be.
 */
export const hashPrefix = (hex: string): bigint => BigInt(`0x${hex.slice(0, 16)}`)

/** Entries as a set of numbers: eight bytes for each. */
export function hashSet(prefixes: BigUint64Array): { readonly size: number; has(hex: string): boolean } {
  const sorted = prefixes.toSorted()
  const has = (hex: string): boolean => {
    const wanted = hashPrefix(hex)
    let [from, to] = [0, sorted.length]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((sorted[middle] ?? 0n) < wanted) from = middle + 1
      else to = middle
    }
    return sorted[from] === wanted
  }
  return { size: sorted.length, has }
}

/** A list that has lost a tenth of its entries may have been cut off. */
export const isTooShort = (entries: number, last: number): boolean =>
  entries < last && entries * 10 <= last * 9

const isAddress = (mail: unknown): mail is string => typeof mail === 'string' && mail !== ''

/** Whether a record is held back by the list: by the address that it names, or else by that of its contact. */
export function isSuppressed(desired: Contact, known: Contact, list: Suppressed): boolean {
  const mail = [desired['mail'], known['mail']].find(isAddress)
  return mail !== undefined && list.has(mail)
}

/** Just before something is sent: the contact may still have its former address. */
export const isSuppressedNow = (desired: Contact, known: Contact, list: Suppressed): boolean =>
  [desired['mail'], known['mail']].some((mail) => isAddress(mail) && list.has(mail))

/** What is left of a record of a linked contact: a mail_status of 1 or 2, and the terms that it keeps. */
export function restrictedTo({ contact, terms }: Desired, link: Pick<KnownLink, 'terms'>): Desired {
  const { mail_status: status } = contact
  const asserted = (link.terms ?? []).map(({ name }) => name)
  const gifts = terms && termsBeyond(terms, asserted)
  return {
    contact: typeof status === 'number' && isWithdrawn(status) ? { mail_status: status } : {},
    // Nothing was settled yet, so that nothing of ours could be removed.
    terms: link.terms === undefined ? undefined : terms && termsBeyond(terms, gifts ?? []),
  }
}

/** The plan for a contact's terms without what it would add. `shown`: what it has now, where that was read. */
export function removalsOf(
  { add, remove, asserts }: TermPlan,
  shown: readonly string[] | undefined,
): TermPlan {
  const kept = termsBeyond(asserts, add)
  const there = shown === undefined ? kept : termsBeyond(kept, termsBeyond(kept, shown))
  return { add: [], remove, asserts: there }
}

export const SUPPRESSED_REASON = 'the address is on the suppression list (consents.suppress)'
