// The operations on contacts (interface, 4.2), each as one call: its path, its body, how its answer is
// read and whether it may be sent twice. No decision about contacts is taken here.
import { mailLookup } from '../core/change/lookup/mail-lookup.ts'
import type { CallResult, ContactReader, ContactWriter, MailLookup, ServiceContact } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { notAsked } from './course.ts'
import type { Lists } from './pages.ts'
import type { Perform } from './request.ts'
import { lookupMail, type LookupText, requestUrl } from './url.ts'
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
  lists: Lists,
): ContactReader & ContactWriter {
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
    contactsByMail: (mail, fields) => byMail(mail, fields, { settings, perform, lists }),
    ...writers(settings, perform),
  }
}

interface Reach {
  readonly settings: ServiceSettings
  readonly perform: Perform
  readonly lists: Lists
}

/** Every contact that the service finds; a 404 in JSON is none, as an empty list is. */
function found(
  segment: LookupText,
  fields: readonly string[],
  { settings, perform, lists }: Reach,
): Promise<CallResult<readonly ServiceContact[]>> {
  return lists.read({
    path: BY_MAIL,
    async ask(page) {
      const result = await perform({
        method: 'GET',
        path: BY_MAIL,
        target: 'object',
        url: requestUrl(settings, ['contact', segment], { fields, ...page }),
        repeatable: true,
        read: contactsReader(fields, { isFurther: page !== undefined }),
      })
      if (result.kind !== 'absent') return result
      return { kind: 'ok', value: { came: 0, entries: [] }, request: result.request }
    },
  })
}

const WITHOUT_MAIL = `GET ${BY_MAIL} was answered with contacts without mail, so none can be identified as the requested one`

/** The mail is always requested: without it an inexact look-up could not be detected. */
async function byMail(
  mail: string,
  fields: readonly string[],
  reach: Reach,
): Promise<CallResult<MailLookup>> {
  const segment = lookupMail(mail)
  if (segment === undefined) return notLookedUp()
  const result = await found(segment, [...new Set([...fields, 'mail'])], reach)
  if (result.kind !== 'ok') return result
  const value = mailLookup(mail, result.value)
  if (value !== undefined) return { ...result, value }
  return { kind: 'unknown', reason: WITHOUT_MAIL, summary: WITHOUT_MAIL, request: result.request }
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
    'An e-mail address with a slash, or without an @, cannot be looked up: its path could name something else',
  )
}
