// How many requests a plan takes, and how long under the rate limit.
import { type MergeMethod, needsActual } from './merge-method.ts'
import type { TermSettings } from '../settings.ts'

/** So few new terms are looked at one by one. */
export const FEW_TERMS = 3
const TERMS_PAGE = 500

export interface PlannedWork {
  readonly createsWithMail: number
  readonly createsWithoutMail: number
  readonly updates: number
  readonly termAdditions: number
  readonly termRemovals: number
  readonly consents: number
  readonly withdrawals: number
  readonly deletes: number
  readonly newTerms: number
}

export interface Estimate {
  readonly requests: number
  readonly seconds: number
}

export interface EstimateLimits {
  readonly bulkSize: number
  readonly requests: number
  readonly perMs: number
  readonly mergeMethod: MergeMethod
  /** Whether updates share calls, as creates do. */
  readonly updatesInBulk: boolean
  /** How often a contact is looked up by its e-mail address before it is created. */
  readonly looksPerCreate: number
  readonly terms: Pick<TermSettings, 'policy' | 'verify'>
}

/** A new term is looked at after it was made; of many, the list is read once more. */
function newTermRequests(newTerms: number): number {
  return newTerms <= FEW_TERMS ? newTerms * 2 : newTerms + Math.ceil(newTerms / TERMS_PAGE) + 1
}

/** Requests for terms: managed looks before, and a removal is looked at afterwards. */
function termRequests(work: PlannedWork, { policy, verify }: EstimateLimits['terms']): number {
  const perAddition = policy === 'add' ? 1 : 2
  const perRemoval = policy === 'replace' ? 0 : verify ? 2 : 1
  return work.termAdditions * perAddition + work.termRemovals * perRemoval + newTermRequests(work.newTerms)
}

/** In bulk, the few that go by id all the same (another e-mail address, a field that is emptied) count like the others. */
function updateRequests({ updates }: PlannedWork, limits: EstimateLimits): number {
  if (limits.updatesInBulk) return Math.ceil(updates / limits.bulkSize)
  return updates * (needsActual(limits.mergeMethod) ? 2 : 1)
}

/** `seconds` is what the limit alone demands; the service's own time comes on top. */
export function estimate(work: PlannedWork, limits: EstimateLimits): Estimate {
  const requests =
    Math.ceil(work.createsWithMail / limits.bulkSize) +
    work.createsWithMail * limits.looksPerCreate +
    work.createsWithoutMail +
    updateRequests(work, limits) +
    termRequests(work, limits.terms) +
    // A look before it, and after a 1 or 2 another.
    work.consents * 2 +
    work.withdrawals * 3 +
    // The mail_status is read before it.
    work.deletes * 2
  const fullWindows = Math.max(0, Math.ceil(requests / limits.requests) - 1)
  return { requests, seconds: Math.round((fullWindows * limits.perMs) / 100) / 10 }
}
