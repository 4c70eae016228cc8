// What a plan is handed that asks the service nothing (`plan --offline`): no session that could send a request, and a list
// of terms that is not known.
import type { Unasked } from '../core/change/plan/plan.ts'
import type { ServiceReads } from '../core/ports.ts'
import type { TermDirectory } from './context.ts'

const refuse = (): never => {
  throw new Error('a plan that asks the service nothing sends no request')
}

const NO_READS: ServiceReads = {
  contactById: refuse,
  contactsByMail: refuse,
  terms: refuse,
  termById: refuse,
  termByName: refuse,
  contactTerms: refuse,
  customFields: refuse,
  customFieldById: refuse,
  customFieldByName: refuse,
}

const noTerms = (unasked: Set<Unasked>): TermDirectory => ({
  list() {
    unasked.add('terms')
    return Promise.resolve(undefined)
  },
  listed: () => undefined,
  prepare: refuse,
  ensure: refuse,
  warnOfAbsent: refuse,
  folded: new Set(),
})

/** In the place of a session and the terms of the service. */
export function offlineParts() {
  const unasked = new Set<Unasked>()
  return { session: NO_READS, terms: noTerms(unasked), unasked }
}
