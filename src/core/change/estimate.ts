// How many requests a plan takes, and how long under the rate limit.
import { type MergeMethod, needsActual } from './merge-method.ts'
import type { ServiceSettings, TermSettings } from '../settings.ts'
import { DAY_MS } from '../words/duration.ts'

/** So few new terms are looked at one by one. */
export const FEW_TERMS = 3
const TERMS_PAGE = 500

export interface PlannedWork {
  readonly createsWithMail: number
  readonly createsWithoutMail: number
  readonly updates: number
  readonly termAdditions: number
  readonly termRemovals: number
  /** Those that add or remove terms, or both. */
  readonly termChanges: number
  /** Those of them that make a contact, which has no terms yet. */
  readonly termsOfCreates: number
  readonly consents: number
  readonly withdrawals: number
  readonly deletes: number
  readonly newTerms: number
}

/** What may share calls; those of two files never do. */
type WorkInBulk = Pick<PlannedWork, 'createsWithMail' | 'updates'>

export interface Estimate {
  readonly requests: number
  readonly seconds: number
}

export interface EstimateLimits {
  readonly bulkSize: number
  readonly requests: number
  readonly perMs: number
  /** In any 24 hours; undefined: no limit. */
  readonly perDay?: number | undefined
  readonly mergeMethod: MergeMethod
  /** Whether updates share calls, as creates do. */
  readonly updatesInBulk: boolean
  /** How often a contact is looked up by its e-mail address before it is created. */
  readonly looksPerCreate: number
  /** How many terms the service has; absent where its list was not read. */
  readonly listedTerms?: number | undefined
  readonly terms: Pick<TermSettings, 'policy' | 'verify'>
}

/** The list of all terms, read until a page is empty. */
const listRequests = (terms: number): number => Math.ceil(terms / TERMS_PAGE) + 1

/** A new term is looked at after it was made; of many, the list is read once more. */
function newTermRequests(newTerms: number, listedTerms: number): number {
  return newTerms <= FEW_TERMS ? newTerms * 2 : newTerms + listRequests(listedTerms + newTerms)
}

/** A list with something in it: its page, and an empty one behind it. */
const LIST_REQUESTS = 2

/**
 * Requests for the terms of contacts: what is removed or replaced is looked at before, a removal afterwards too. A new contact
 * has an empty list.
 */
function contactTermRequests(work: PlannedWork, { policy, verify }: EstimateLimits['terms']): number {
  const { termAdditions, termRemovals, termChanges, termsOfCreates } = work
  const perRemoval = verify ? 2 : 1
  if (policy === 'add') return termAdditions + termRemovals * (LIST_REQUESTS + perRemoval)
  const looks = termsOfCreates + (termChanges - termsOfCreates) * LIST_REQUESTS
  return looks + (policy === 'replace' ? termChanges : termAdditions + termRemovals * perRemoval)
}

/** The list of terms is read where a term is given, which takes its id. */
function termRequests(work: PlannedWork, { terms, listedTerms = 1 }: EstimateLimits): number {
  const isListRead = work.termAdditions > 0 || (terms.policy === 'replace' && work.termChanges > 0)
  const list = isListRead ? listRequests(listedTerms) : 0
  return list + contactTermRequests(work, terms) + newTermRequests(work.newTerms, listedTerms)
}

/** In bulk, the few that go by id all the same (another e-mail address, a field that is emptied) count like the others. */
function updateRequests(files: readonly WorkInBulk[], limits: EstimateLimits): number {
  const perUpdate = needsActual(limits.mergeMethod) ? 2 : 1
  return total(files, ({ updates }) =>
    limits.updatesInBulk ? Math.ceil(updates / limits.bulkSize) : updates * perUpdate,
  )
}

const total = (files: readonly WorkInBulk[], of: (one: WorkInBulk) => number): number =>
  files.reduce((sum, one) => sum + of(one), 0)

type RateLimits = Pick<EstimateLimits, 'requests' | 'perMs' | 'perDay'>

/** What the settings of the service allow. */
export const serviceLimits = ({
  bulk,
  rate_limit: { requests, per, per_day: perDay },
}: Pick<ServiceSettings, 'bulk' | 'rate_limit'>): RateLimits & Pick<EstimateLimits, 'bulkSize'> => ({
  bulkSize: bulk.size,
  requests,
  perMs: per,
  perDay,
})

/** From the first request to the last, where each goes as soon as it may. */
function leastMs(count: number, { requests, perMs, perDay }: RateLimits): number {
  const inWindows = (some: number): number => Math.max(0, Math.ceil(some / requests) - 1) * perMs
  if (perDay === undefined) return inWindows(count)
  const fullDays = Math.max(0, Math.ceil(count / perDay) - 1)
  return Math.max(inWindows(count), fullDays * DAY_MS + inWindows(count - fullDays * perDay))
}

/** `seconds` is what the limit alone demands; the service's own time comes on top. `files`: the parts of it that each file brings. */
export function estimate(
  work: PlannedWork,
  limits: EstimateLimits,
  files: readonly WorkInBulk[] = [work],
): Estimate {
  const requests =
    total(files, ({ createsWithMail }) => Math.ceil(createsWithMail / limits.bulkSize)) +
    work.createsWithMail * limits.looksPerCreate +
    work.createsWithoutMail +
    updateRequests(files, limits) +
    termRequests(work, limits) +
    // A look before it, and after a 1 or 2 another.
    work.consents * 2 +
    work.withdrawals * 3 +
    // The mail_status is read before it.
    work.deletes * 2
  return { requests, seconds: Math.round(leastMs(requests, limits) / 100) / 10 }
}
