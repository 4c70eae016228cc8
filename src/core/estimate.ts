// How many requests a plan takes, and how long under the rate limit.
import { needsActual, type MergeMethod } from './merge-method.ts'

export interface PlannedWork {
  readonly createsWithMail: number
  readonly createsWithoutMail: number
  readonly updates: number
}

export interface Estimate {
  readonly requests: number
  readonly seconds: number
}

/** `seconds` is what the limit alone demands; the service's own time comes on top. */
export function estimate(
  work: PlannedWork,
  limits: { bulkSize: number; requests: number; perMs: number; mergeMethod: MergeMethod },
): Estimate {
  const perUpdate = needsActual(limits.mergeMethod) ? 2 : 1
  const requests =
    Math.ceil(work.createsWithMail / limits.bulkSize) + work.createsWithoutMail + work.updates * perUpdate
  const fullWindows = Math.max(0, Math.ceil(requests / limits.requests) - 1)
  return { requests, seconds: Math.round((fullWindows * limits.perMs) / 100) / 10 }
}
