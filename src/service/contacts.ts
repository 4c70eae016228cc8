// The operations on contacts (interface, 4.2), each as one call: its path, its body, how its answer is
// read and whether it may be sent twice. No decision about contacts is taken here.
import type { CallResult, ContactReader, ContactWriter, ServiceContact } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { notAsked } from './course.ts'
import type { Perform } from './request.ts'
import { lookupMail, requestUrl } from './url.ts'
import {
  contactReader,
  contactsReader,
  createContactBody,
  createContactsBody,
  readCreatedId,
  readCreatedMembers,
  readSuccess,
} from './wire.ts'

const BY_ID = '/contact/<contact_id>'
const BY_MAIL = '/contact/<contact_mail>'

/** The contact operations of the service. */
export function createContactCalls(
  settings: ServiceSettings,
  perform: Perform,
): ContactReader & ContactWriter {
  return { ...readers(settings, perform), ...writers(settings, perform) }
}

function readers(settings: ServiceSettings, perform: Perform): ContactReader {
  return {
    contactById: (id, fields) =>
      perform({
        method: 'GET',
        path: BY_ID,
        target: 'object',
        url: requestUrl(settings, ['contact', id], { fields: asked(fields) }),
        repeatable: true,
        read: contactReader(id, fields),
        emptyListIsNone: true,
      }),
    async contactsByMail(mail, fields) {
      const segment = lookupMail(mail)
      if (segment === undefined) return notLookedUp()
      const result = await perform<readonly ServiceContact[]>({
        method: 'GET',
        path: BY_MAIL,
        target: 'object',
        url: requestUrl(settings, ['contact', segment], { fields: asked(fields) }),
        repeatable: true,
        read: contactsReader(fields),
      })
      return result.kind === 'absent' ? { kind: 'ok', value: [], request: result.request } : result
    },
  }
}

function writers(settings: ServiceSettings, perform: Perform): ContactWriter {
  return {
    createContact: (contact, options) =>
      perform({
        method: 'POST',
        path: '/contact',
        target: 'collection',
        url: requestUrl(settings, ['contact']),
        body: createContactBody(contact, options),
        repeatable: options.repeatable,
        read: readCreatedId,
      }),
    createContacts: (contacts, options) =>
      perform({
        method: 'POST',
        path: '/contacts',
        target: 'collection',
        url: requestUrl(settings, ['contacts']),
        body: createContactsBody(contacts, options, settings.bulk.container),
        repeatable: options.repeatable,
        read: readCreatedMembers,
      }),
    updateContact: (id, fields) =>
      perform({
        method: 'PUT',
        path: BY_ID,
        target: 'object',
        url: requestUrl(settings, ['contact', id]),
        body: JSON.stringify(fields),
        repeatable: true,
        read: readSuccess,
      }),
    async deleteContact(id) {
      const result = await perform<true>({
        method: 'DELETE',
        path: BY_ID,
        target: 'object',
        url: requestUrl(settings, ['contact', id]),
        repeatable: true,
        read: readSuccess,
      })
      // Gone is what was wanted.
      return result.kind === 'absent' ? { kind: 'ok', value: true, request: result.request } : result
    },
  }
}

/** Without names the service would choose the fields itself (interface, 4.2, rules for reading, 2). */
function asked(fields: readonly string[]): readonly string[] {
  return fields.length === 0 ? ['id'] : fields
}

function notLookedUp(): CallResult<never> {
  return notAsked(
    BY_MAIL,
    'A mail with a slash, or without an @, cannot be looked up: its path could name something else',
  )
}
