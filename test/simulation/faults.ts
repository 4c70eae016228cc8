// What can go wrong with one request, and which of it a seed or a schedule lets happen.
import type { Chance } from './chance.ts'
import type { RequestEntry } from './ledger.ts'

export const FAULTS = [
  /** Nothing leaves: no connection. */
  'no_connection',
  /** It leaves and never arrives. */
  'lost_request',
  /** It is carried out, and its answer never comes. */
  'lost_answer',
  /** It is carried out, and the connection is reset at once. */
  'reset',
  /** It is carried out, and its answer breaks off. */
  'broken_answer',
  /** Its sender has long given up when it is carried out. */
  'late',
  /** 429; not carried out. */
  'throttled',
  /** 5xx, by a proxy before the service. */
  'failed_before',
  /** 5xx, after it was carried out. */
  'failed_after',
  /** 503 with Retry-After; not carried out. */
  'away',
  /** 408; not carried out. */
  'too_slow',
  /** A page with status 200, by a proxy before the service. */
  'page_before',
  /** A page with status 200, although it was carried out. */
  'page_after',
  /** A page with status 404. */
  'page_404',
  /** To another host. */
  'redirect',
  /** Carried out; status 200 without a body. */
  'empty_answer',
  /** Carried out; JSON that is not the interface's. */
  'odd_answer',
  /** 401, once. */
  'denied',
  /** 403 with a page, once. */
  'forbidden',
  /** Carried out; the answer to a bulk call leaves some out. */
  'missing_members',
  /** Carried out; the answer to a bulk call names a contact that was not sent. */
  'stranger',
] as const

export type Fault = (typeof FAULTS)[number]

const UNDONE: readonly string[] = [
  'no_connection',
  'throttled',
  'denied',
  'forbidden',
] satisfies readonly Fault[]

/** Whether the sender was told that nothing was carried out. */
export const isKnownUndone = (fault: string | undefined): boolean =>
  fault !== undefined && UNDONE.includes(fault)

/** Which fault meets a request; undefined: none. */
export type FaultPlan = (request: RequestEntry) => Fault | undefined

export const noFaults: FaultPlan = () => undefined

/** A seed draws which kinds there are at all, and how often each strikes. */
export function swarmFaults(chance: Chance): { plan: FaultPlan; kinds: readonly Fault[] } {
  const kinds = chance.happens(0.12) ? [] : FAULTS.filter(() => chance.happens(0.3))
  const rates = kinds.map((kind) => ({ kind, rate: chance.pick([0.01, 0.03, 0.08, 0.2]) }))
  const draws = chance.stream('strikes')
  return {
    kinds,
    plan: () => rates.find(({ rate }) => draws.happens(rate))?.kind,
  }
}

/** One fault, at one request. */
export const singleFault =
  (kind: Fault, at: number): FaultPlan =>
  ({ number }) =>
    number === at ? kind : undefined
