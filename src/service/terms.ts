// The operations on terms and on the terms of contacts (interface, 4.1 and 4.3), each as one call. Which
// contact is to have which term is decided elsewhere. No list of ids is ever sent empty.
import type { CallResult, RequestTrace, Term, TermReader, TermWriter } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { createLookups } from './lookup.ts'
import type { Perform } from './request.ts'
import { requestUrl } from './url.ts'
import { readContactTerms, readCreatedId, readSuccess, readTerm, readTermPage } from './wire.ts'

/** The largest page that the interface allows (interface, 8). */
const PAGE = 500
/** A service that never stops answering new terms is not followed for ever. */
const MOST_PAGES = 10_000

const LIST = '/terms'
const BY_ID = '/terms/<term_id>'
const OF_CONTACT = '/contact/<contact_id>/terms'

const TERM = { resource: 'terms', read: readTerm } as const

/** The term operations of the service. */
export function createTermCalls(settings: ServiceSettings, perform: Perform): TermReader & TermWriter {
  return {
    ...readers(settings, perform),
    ...writers(settings, perform),
    ...contactWriters(settings, perform),
  }
}

/** Reads on by what came, until a page is empty or brings no new id: a service may cap pages, or ignore `offset`. */
async function allTerms(settings: ServiceSettings, perform: Perform): Promise<CallResult<readonly Term[]>> {
  const terms = new Map<number, Term>()
  for (let offset = 0, page = 0; ; page += 1) {
    const result = await perform({
      method: 'GET',
      path: LIST,
      target: 'collection',
      url: requestUrl(settings, ['terms'], { offset, limit: PAGE }),
      repeatable: true,
      read: readTermPage,
    })
    if (result.kind !== 'ok') return result
    const known = terms.size
    for (const term of result.value.terms) terms.set(term.id, term)
    offset += result.value.came
    const isOver = result.value.came === 0 || terms.size === known || page === MOST_PAGES
    if (isOver) return { ...result, value: [...terms.values()] }
  }
}

function readers(settings: ServiceSettings, perform: Perform): TermReader {
  const lookups = createLookups(settings, perform)
  return {
    terms: () => allTerms(settings, perform),
    termById: (id) => lookups.byId(id, { ...TERM, path: BY_ID }),
    termByName: (name) => lookups.byName(name, { ...TERM, path: '/terms/<term_name>' }),
    contactTerms: (contactId) =>
      perform({
        method: 'GET',
        path: OF_CONTACT,
        target: 'object',
        url: requestUrl(settings, ['contact', contactId, 'terms']),
        repeatable: true,
        read: readContactTerms,
      }),
  }
}

function writers(settings: ServiceSettings, perform: Perform): Pick<TermWriter, 'createTerm' | 'updateTerm'> {
  return {
    createTerm: (name, description) =>
      perform({
        method: 'POST',
        path: LIST,
        target: 'collection',
        url: requestUrl(settings, ['terms']),
        body: JSON.stringify({ name, ...(description === undefined ? {} : { description }) }),
        // The name is the identity: a second request gives the id of the first one's term (interface, 4.1, rule 1).
        repeatable: true,
        read: readCreatedId,
      }),
    updateTerm: (id, changes) =>
      perform({
        method: 'PUT',
        path: BY_ID,
        target: 'object',
        url: requestUrl(settings, ['terms', id]),
        body: JSON.stringify(changes),
        repeatable: true,
        read: readSuccess,
      }),
  }
}

type ContactTermWriter = Pick<TermWriter, 'setContactTerms' | 'addContactTerms' | 'removeContactTerms'>

function contactWriters(settings: ServiceSettings, perform: Perform): ContactTermWriter {
  const change =
    (method: RequestTrace['method'], { repeatable }: { repeatable: boolean }) =>
    (contactId: number, termIds: readonly number[]): Promise<CallResult<true>> => {
      if (termIds.length === 0) throw new Error('A list of terms is never sent empty')
      return perform({
        method,
        path: OF_CONTACT,
        target: 'object',
        url: requestUrl(settings, ['contact', contactId, 'terms']),
        body: JSON.stringify(termIds),
        repeatable,
        read: readSuccess,
      })
    }
  return {
    setContactTerms: change('POST', { repeatable: true }),
    // Adding a term may start a mailing: after a lost answer the caller looks before it adds again.
    addContactTerms: change('PUT', { repeatable: false }),
    removeContactTerms: change('DELETE', { repeatable: true }),
  }
}
