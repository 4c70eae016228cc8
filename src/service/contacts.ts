// The operations on contacts (interface, 4.2), each one call.
import type { Contact } from '../core/contact.ts'
import type { CallResult, ContactReader, ContactWriter, CreateOptions } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import type { Call } from './request.ts'
import { readContact, readContacts, readCreated, readMembers, readSuccess } from './wire.ts'

export type Sender = <T>(call: Call<T>) => Promise<CallResult<T>>

const CONTACT_BY_ID = '/contact/<contact_id>'

function checkedId(id: number): string {
  if (!Number.isSafeInteger(id) || id <= 0) throw new Error(`${id} is no contact id`)
  return String(id)
}

/** Slashes are decoded by some servers on the way, and then address something else. */
const fitsIntoPath = (mail: string): boolean =>
  mail.includes('@') && !/[/\\]/.test(mail) && mail.isWellFormed()

function methods({ duplicateCheckMethod, duplicateMergeMethod }: CreateOptions) {
  return { duplicate_check_method: duplicateCheckMethod, duplicate_merge_method: duplicateMergeMethod }
}

function bulkContainer(
  contacts: readonly Contact[],
  container: ServiceSettings['bulk']['container'],
): unknown {
  return container === 'array'
    ? contacts
    : Object.fromEntries(contacts.map((contact, index) => [String(index), contact]))
}

const none = (): CallResult<readonly never[]> => ({
  kind: 'unknown',
  reason: 'the mail cannot be looked up: it does not fit into a path',
  summary: 'a mail cannot be looked up: it does not fit into a path',
  request: { method: 'GET', path: '/contact/<contact_mail>', status: undefined, attempts: 0 },
})

/** Calls are answered as ports.ts says; ids that are no positive integers are a fault of the caller and throw. */
export function contactOperations(send: Sender, settings: ServiceSettings): ContactReader & ContactWriter {
  const query = (fields: readonly string[]) => ({ fields: [...new Set(['id', ...fields])].join(',') })
  const one = (id: number) =>
    ({ segments: ['contact', checkedId(id)], route: CONTACT_BY_ID, target: 'object' }) as const
  return {
    contactById: async (id, fields) =>
      send({ ...one(id), method: 'GET', query: query(fields), read: readContact, repeatable: true }),
    async contactsByMail(mail, fields) {
      if (!fitsIntoPath(mail)) return none()
      const place = {
        segments: ['contact', mail],
        route: '/contact/<contact_mail>',
        target: 'object',
      } as const
      const result = await send({
        ...place,
        method: 'GET',
        query: query(fields),
        read: readContacts,
        repeatable: true,
      })
      // A service may say "none" by 404 as well as by an empty list.
      return result.kind === 'absent' ? { kind: 'ok', value: [], request: result.request } : result
    },
    createContact: async (contact, options) =>
      send({
        method: 'POST',
        segments: ['contact'],
        route: '/contact',
        target: 'collection',
        body: { contact, ...methods(options) },
        read: readCreated,
        repeatable: options.repeatable,
      }),
    createContacts: async (contacts, options) =>
      send({
        method: 'POST',
        segments: ['contacts'],
        route: '/contacts',
        target: 'collection',
        body: { contacts: bulkContainer(contacts, settings.bulk.container), ...methods(options) },
        read: readMembers,
        repeatable: options.repeatable,
      }),
    updateContact: async (id, fields) =>
      send({ ...one(id), method: 'PUT', body: fields, read: readSuccess, repeatable: true }),
    async deleteContact(id) {
      const result = await send({ ...one(id), method: 'DELETE', read: readSuccess, repeatable: true })
      return result.kind === 'absent' ? { kind: 'ok', value: true, request: result.request } : result
    },
  }
}
