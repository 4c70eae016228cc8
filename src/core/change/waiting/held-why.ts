// Why changes are held, as words that can be counted: the guard, or what concerns their record alone. Pure.
import { GONE_REASON, MERGED_IN_CALL_REASON, MERGED_REASON } from '../diff.ts'
import type { GuardName } from './guard.ts'

/** What holds the change of a record, whatever the rest of its input is like, and in words. */
export const OWN_HOLDS = {
  shared_mail: 'another record of the pipeline has the same e-mail address',
  shared_contact: 'the service merged the contact with that of another key',
  contact_deleted: 'the contact was deleted at the service',
  hand_edit: 'the contact was edited at the service (hand_edits)',
  other: 'see contact-sync held list after the run',
} as const

export type HeldWhy = GuardName | keyof typeof OWN_HOLDS

/** How many changes are held for each reason. */
export type HeldTotals = Readonly<Partial<Record<HeldWhy, number>>>

/** The word for the reason that a change of one record has. */
export function whyHeld(reason: string): HeldWhy {
  if (reason === GONE_REASON) return 'contact_deleted'
  return reason === MERGED_REASON || reason === MERGED_IN_CALL_REASON ? 'shared_contact' : 'other'
}

export interface HeldCounter {
  /** `count` is negative for what turns out not to be held. */
  note(why: HeldWhy, count?: number): void
  add(other: Pick<HeldCounter, 'totals'>): void
  totals(): HeldTotals
}

export function heldCounter(): HeldCounter {
  const counts = new Map<HeldWhy, number>()
  const note = (why: HeldWhy, count = 1): void => void counts.set(why, (counts.get(why) ?? 0) + count)
  return {
    note,
    add: (other) => {
      for (const [why, count] of Object.entries(other.totals())) note(why as HeldWhy, count)
    },
    totals: () => Object.fromEntries([...counts].filter(([, count]) => count > 0)),
  }
}

/** The most frequent reason first. */
export const byNumber = (held: HeldTotals): readonly (readonly [string, number])[] =>
  Object.entries(held).toSorted(([, one], [, other]) => other - one)
