// Which part of a plan is held until a person has looked at it. Judged over the totals of one input, after it was read
// to its end and before anything of it is sent; what was released already is not counted again.
import type { GuardSettings } from '../../settings.ts'
import { milliseconds } from '../../words/duration.ts'
import { number, plural } from '../../words/format.ts'
import { allowedBy, limitText } from '../../words/limit.ts'
import type { Limit } from '../../words/scalars.ts'

export type GuardName =
  | 'max_rejects'
  | 'max_changes'
  | 'max_new_terms'
  | 'unreadable_keys'
  | 'hold_first_deletes'
  | 'shrunken_export'
  | 'max_deletes'
  | 'max_deletes_per'
  | 'expect'
  | 'household'
  | 'other_person'
  | 'approval'
  | 'brake'
  | 'drift'

/** What a pipeline has deleted within a period, up to now. */
export interface DeletedWithin {
  /** As the configuration has it: `30d`. */
  readonly period: string
  /** Without those that an operator released. */
  readonly deletes: number
  /** Contacts that were linked when it began; where there were more since, those. */
  readonly links: number
}

export interface PlanNumbers {
  readonly read: number
  readonly rejected: number
  /** Rejected records whose key cannot be read: each may be any record. */
  readonly unidentified: number
  /** The pipeline's links, before this plan. */
  readonly links: number
  readonly changes: number
  /** Contacts to be deleted or stripped of terms because their record has gone. */
  readonly deletes: number
  readonly newTerms: number
  /** What a full export is compared with: records of the last accepted one; undefined for all other inputs. */
  readonly lastRecords?: number | undefined
  /** Of each period that has a limit; absent where nothing is to be deleted. */
  readonly deletedWithin?: readonly DeletedWithin[]
  /** Whether the pipeline has ever deleted. */
  readonly hasDeleted: boolean
  /** It reverts a run, and deletes what that one created. */
  readonly isUndo?: boolean | undefined
}

/** Why contacts would be deleted. */
export const goneText = ({ deletes, isUndo }: Pick<PlanNumbers, 'deletes' | 'isUndo'>): string =>
  isUndo === true ? 'would be deleted by the undo' : `${deletes === 1 ? 'is' : 'are'} missing from the source`

export interface Hold {
  readonly guard: GuardName
  /** all: every change of the input. deletes: those alone; creates and updates go. records: those of `keys`. */
  readonly holds: 'all' | 'deletes' | 'records'
  readonly keys?: readonly string[]
  readonly number: number
  /** As the configuration has it, with what it comes to: `5% (2)`. */
  readonly threshold: string
  readonly reason: string
}

const isUnlimited = (limit: Limit): boolean => !('count' in limit) && limit.share >= 1

/** The periods that have a limit: name and length. */
export const periodsOf = ({ max_deletes_per: per }: GuardSettings) =>
  per === 'off' ? [] : Object.keys(per).map((period) => ({ period, ms: milliseconds(period) }))

function heldAtOnce(numbers: PlanNumbers, limit: Limit) {
  const { deletes, links } = numbers
  if (deletes <= allowedBy(limit, links)) return undefined
  const threshold = limitText(limit, links)
  const reason = `${number(deletes)} of ${plural(links, 'contact')} ${goneText(numbers)}, more than guards.max_deletes ${threshold} allows`
  return { guard: 'max_deletes', threshold, reason } as const
}

/** Many small exports may delete together what none of them may alone. */
function heldOverTime(numbers: PlanNumbers, per: GuardSettings['max_deletes_per']) {
  const { deletes, deletedWithin = [] } = numbers
  for (const within of deletedWithin) {
    const limit = per === 'off' ? undefined : per[within.period]
    if (limit === undefined || within.deletes + deletes <= allowedBy(limit, within.links)) continue
    const threshold = `${within.period}: ${limitText(limit, within.links)}`
    const before = `${number(within.deletes)} of ${number(within.links)} ${within.deletes === 1 ? 'was' : 'were'} deleted within the last ${within.period}`
    const reason = `${plural(deletes, 'contact')} ${goneText(numbers)}, and ${before}: together more than guards.max_deletes_per ${threshold} allows`
    return { guard: 'max_deletes_per', threshold, reason } as const
  }
  return undefined
}

function heldAsWhole(numbers: PlanNumbers, guards: GuardSettings): Hold | undefined {
  const { rejected, read, changes, links, deletes, newTerms } = numbers
  if (changes + deletes === 0) return undefined
  if (!isUnlimited(guards.max_rejects) && rejected > allowedBy(guards.max_rejects, read)) {
    const threshold = limitText(guards.max_rejects, read)
    const reason = `${number(rejected)} of ${plural(read, 'record')} ${rejected === 1 ? 'was' : 'were'} rejected, more than guards.max_rejects ${threshold} allows; nothing from the file is sent`
    return { guard: 'max_rejects', holds: 'all', number: rejected, threshold, reason }
  }
  // Before the first import a share is one of nothing.
  const isFirst = 'share' in guards.max_changes && links === 0
  if (!isUnlimited(guards.max_changes) && !isFirst && changes > allowedBy(guards.max_changes, links)) {
    const threshold = limitText(guards.max_changes, links)
    const reason = `${plural(changes, 'contact')} would be created or changed, with ${number(links)} linked: more than guards.max_changes ${threshold} allows`
    return { guard: 'max_changes', holds: 'all', number: changes, threshold, reason }
  }
  if (newTerms > guards.max_new_terms) {
    const threshold = String(guards.max_new_terms)
    const reason = `${plural(newTerms, 'term')} would be created, more than guards.max_new_terms ${threshold} allows`
    return { guard: 'max_new_terms', holds: 'all', number: newTerms, threshold, reason }
  }
  return undefined
}

/** A full export with a tenth of the last one's records, or less, has probably lost the others on its way. */
export const isShrunken = (read: number, lastRecords: number | undefined): lastRecords is number =>
  lastRecords !== undefined && read * 10 <= lastRecords

function heldDeletes(numbers: PlanNumbers, guards: GuardSettings): Hold | undefined {
  const { deletes, unidentified, hasDeleted } = numbers
  if (deletes === 0) return undefined
  const held = { holds: 'deletes', number: deletes } as const
  if (unidentified > 0) {
    const reason = `the key of ${plural(unidentified, 'rejected record')} cannot be read, and each may be one of the ${number(deletes)} that seem to be missing`
    return { ...held, guard: 'unreadable_keys', threshold: '0', reason }
  }
  if (guards.hold_first_deletes && !hasDeleted) {
    const reason = `${plural(deletes, 'contact')} would be the first that this pipeline deletes, and guards.hold_first_deletes requires a review`
    return { ...held, guard: 'hold_first_deletes', threshold: '0', reason }
  }
  const { read, lastRecords } = numbers
  if (isShrunken(read, lastRecords)) {
    const reason = `the full export holds ${plural(read, 'record')}, the last accepted one held ${number(lastRecords)}: a tenth or less is never accepted as the whole source, and ${plural(deletes, 'contact')} would be deleted`
    return { ...held, guard: 'shrunken_export', threshold: `10% (${lastRecords})`, reason }
  }
  const tooMany = heldAtOnce(numbers, guards.max_deletes) ?? heldOverTime(numbers, guards.max_deletes_per)
  return tooMany && { ...held, ...tooMany }
}

/**
 * The one guard that holds the plan, or its deletes; undefined where all of it may be sent. A release of a whole plan
 * releases its deletes, so the reason against those is reported with it.
 */
export function heldByGuard(numbers: PlanNumbers, guards: GuardSettings): Hold | undefined {
  const whole = heldAsWhole(numbers, guards)
  const deletes = heldDeletes(numbers, guards)
  if (whole === undefined || deletes === undefined) return whole ?? deletes
  return { ...whole, reason: `${whole.reason}; in addition, ${deletes.reason}` }
}

/** One input of a plan: its numbers, and what a guard holds of it. */
export interface JudgedInput {
  readonly file: string
  readonly numbers: PlanNumbers
  /** Undefined where all of it may go. */
  readonly hold: Hold | undefined
  /** An operator alone cannot release it. */
  readonly needsApprovers?: boolean
}

export const judgedInput = (file: string, numbers: PlanNumbers, guards: GuardSettings): JudgedInput => ({
  file,
  numbers,
  hold: heldByGuard(numbers, guards),
})
