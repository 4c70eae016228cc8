// The operations on terms and on the terms of contacts (interface, 4.1 and 4.3), each as one call. Which
// contact is to have which term is decided elsewhere. No list of ids is ever sent empty.
import type { CallResult, RequestTrace, TermReader, TermWriter } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { createLookups } from './lookup.ts'
import type { Lists } from './pages.ts'
import type { Perform } from './request.ts'
import { requestUrl } from './url.ts'
import { readContactTerms, readCreatedId, readSuccess, readTerm, readTermPage } from './wire.ts'

const LIST = '/terms'
const BY_ID = '/terms/<term_id>'
const OF_CONTACT = '/contact/<contact_id>/terms'

const TERM = { resource: 'terms', read: readTerm } as const

/** The term operations of the service. */
export function createTermCalls(
  settings: ServiceSettings,
  perform: Perform,
  lists: Lists,
): TermReader & TermWriter {
  return {
    ...readers(settings, { perform, lists }),
    ...writers(settings, perform),
    ...contactWriters(settings, perform),
  }
}

function readers(
  settings: ServiceSettings,
  { perform, lists }: { perform: Perform; lists: Lists },
): TermReader {
  const lookups = createLookups(settings, perform)
  return {
    terms: () =>
      lists.read({
        path: LIST,
        isDocumented: true,
        ask: (page) =>
          perform({
            method: 'GET',
            path: LIST,
            target: 'collection',
            url: requestUrl(settings, ['terms'], page),
            repeatable: true,
            read: readTermPage,
          }),
      }),
    termById: (id) => lookups.byId(id, { ...TERM, path: BY_ID }),
    termByName: (name) => lookups.byName(name, { ...TERM, path: '/terms/<term_name>' }),
    contactTerms: (contactId) =>
      lists.read({
        path: OF_CONTACT,
        ask: (page) =>
          perform({
            method: 'GET',
            path: OF_CONTACT,
            target: 'object',
            url: requestUrl(settings, ['contact', contactId, 'terms'], page),
            repeatable: true,
            read: readContactTerms,
          }),
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
      if (termIds.length === 0) throw new Error('An empty list of terms is never sent')
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
