// How many requests a plan takes, and how long under the rate limit.
import { type MergeMethod, needsActual } from './merge-method.ts'
import type { TermSettings } from './settings.ts'

export interface PlannedWork {
  readonly createsWithMail: number
  readonly createsWithoutMail: number
  readonly updates: number
  readonly termAdditions: number
  readonly termRemovals: number
  readonly consents: number
  readonly deletes: number
  readonly newTerms: number
}

export interface Estimate {
  readonly requests: number
  readonly seconds: number
}

interface Limits {
  readonly bulkSize: number
  readonly requests: number
  readonly perMs: number
  readonly mergeMethod: MergeMethod
  readonly terms: Pick<TermSettings, 'policy' | 'verify'>
}

/** Requests for terms: managed looks before, a removal is looked at afterwards, and a new term has to be found out about. */
function termRequests(work: PlannedWork, { policy, verify }: Limits['terms']): number {
  const perAddition = policy === 'add' ? 1 : 2
  const perRemoval = policy === 'replace' ? 0 : verify ? 2 : 1
  return work.termAdditions * perAddition + work.termRemovals * perRemoval + work.newTerms * 2
}

/** `seconds` is what the limit alone demands; the service's own time comes on top. */
export function estimate(work: PlannedWork, limits: Limits): Estimate {
  const perUpdate = needsActual(limits.mergeMethod) ? 2 : 1
  const requests =
    Math.ceil(work.createsWithMail / limits.bulkSize) +
    work.createsWithoutMail +
    work.updates * perUpdate +
    termRequests(work, limits.terms) +
    work.consents * 2 +
    work.deletes
  const fullWindows = Math.max(0, Math.ceil(requests / limits.requests) - 1)
  return { requests, seconds: Math.round((fullWindows * limits.perMs) / 100) / 10 }
}
