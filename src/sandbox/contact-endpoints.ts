// The operations on contacts and on the terms of a contact (interface, 4.2 and 4.3).
import { z } from 'zod'
import { createBulk } from './bulk.ts'
import { assertComplete, type ContactRules, termIds } from './contact-rules.ts'
import type { Contacts, Methods } from './contacts.ts'
import {
  CONTACT_ID,
  CONTACT_ID_OR_MAIL,
  created,
  type Endpoint,
  endpoint,
  pageQuery,
  success,
  SUCCESS,
} from './endpoint.ts'
import { unknownContact } from './failure.ts'
import type { Habits } from './habits.ts'
import { createPaging } from './paging.ts'
import type { Db } from './tables.ts'
import { termSchema, type Terms } from './terms.ts'

interface Rooms {
  readonly db: Db
  readonly contacts: Contacts
  readonly terms: Terms
  readonly habits: Habits
  readonly rules: ContactRules
}

const NEW_CONTACT = { first_name: 'Ada', family_name: 'Lovelace', mail: 'ada@example.com' }
const SERVED_CONTACT = { id: 1, ...NEW_CONTACT }
const TERM = { id: 1, name: 'Customer', description: 'Has bought something' }

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` }).default(values[0])

const methods = {
  duplicate_check_method: oneOf(['auto', 'email', 'none']),
  duplicate_merge_method: oneOf(['update_add', 'update', 'add']),
}

const methodsOf = (body: z.output<z.ZodObject<typeof methods>>): Methods => ({
  check: body.duplicate_check_method,
  merge: body.duplicate_merge_method,
})

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(
    { ...shape, ...methods },
    { error: (issue) => (issue.code === 'invalid_type' ? 'must be an object' : undefined) },
  )

/** The members are checked one by one, for one that is refused need not fail the others. */
const newContactsBody = body({
  contacts: z.custom<object>(
    (value) => typeof value === 'object' && value !== null,
    'must be an array or an object of contacts',
  ),
})
const describedContactsBody = ({ newContactWithMail }: ContactRules) =>
  body({
    contacts: z.union([
      z.array(newContactWithMail).min(1),
      z.record(z.string(), newContactWithMail).meta({ minProperties: 1 }),
    ]),
  })

const fieldsQuery = ({ shownFields }: ContactRules) =>
  z.strictObject({
    fields: z
      .string()
      .transform((text) => text.split(','))
      .pipe(
        z
          .array(
            z.enum(shownFields, { error: ({ input }) => `("${String(input)}") is no field of a contact` }),
          )
          .min(1),
      )
      .optional()
      .meta({ description: 'The fields to answer besides id; first_name, family_name and mail otherwise' }),
    // They do not concern a single contact.
    ...pageQuery.shape,
  })

function readers({ contacts, habits, rules }: Rooms): Endpoint[] {
  const { servedContact } = rules
  const paged = createPaging(habits)
  const isNone = habits.unknownContact === 'json-404' || habits.unknownContact === 'html-404'
  return [
    endpoint({
      method: 'get',
      path: '/contact/:contact_id',
      summary: 'Read a contact by its id, or the contacts with an e-mail address, page by page',
      place: CONTACT_ID_OR_MAIL,
      query: fieldsQuery(rules),
      answer: z.union([servedContact, z.array(servedContact)]),
      example: { answer: SERVED_CONTACT },
      handle({ place, query }) {
        if (typeof place === 'number') return contacts.byId(place, query.fields)
        const found = contacts.idsByMail(place)
        if (found.length === 0 && isNone) throw unknownContact()
        return paged(found, query).map((id) => contacts.byId(id, query.fields))
      },
    }),
  ]
}

function writers({ db, contacts, habits, rules }: Rooms): Endpoint[] {
  const createMany = createBulk({ db, contacts, habits, rules })
  const { contactFields, newContact } = rules
  return [
    endpoint({
      method: 'post',
      path: '/contact',
      summary: 'Create a contact, or merge it into its duplicate',
      body: body({ contact: newContact }),
      bodyKind: 'contact',
      answer: created,
      example: { body: { contact: NEW_CONTACT }, answer: { id: 1 } },
      handle({ body: sent }) {
        assertComplete(sent.contact, { mailRequired: false })
        return { id: contacts.create(sent.contact, methodsOf(sent)) }
      },
    }),
    endpoint({
      method: 'post',
      path: '/contacts',
      summary: 'Create many contacts, each with an e-mail address, or merge them into their duplicates',
      body: newContactsBody,
      describedBody: describedContactsBody(rules),
      answer: z.array(z.strictObject({ id: z.int(), email: z.string() })),
      example: {
        body: { contacts: [NEW_CONTACT, { mail: 'grace@example.com', family_name: 'Hopper' }] },
        answer: [
          { id: 1, email: 'ada@example.com' },
          { id: 2, email: 'grace@example.com' },
        ],
      },
      handle: ({ body }) => createMany(body.contacts, methodsOf(body)),
    }),
    endpoint({
      method: 'put',
      path: '/contact/:contact_id',
      summary: 'Change the fields given',
      place: CONTACT_ID,
      body: contactFields,
      bodyKind: 'contact',
      answer: success,
      example: { body: { phone: '+44 20 7946 0000', company: 'Analytical Engines' }, answer: SUCCESS },
      handle: ({ place, body }) => contacts.update(place, body),
    }),
    endpoint({
      method: 'delete',
      path: '/contact/:contact_id',
      summary: 'Delete a contact',
      place: CONTACT_ID,
      answer: success,
      example: { answer: SUCCESS },
      handle: ({ place }) => contacts.delete(place),
    }),
  ]
}

function termsOfContact({ contacts, terms, habits }: Rooms): Endpoint[] {
  const paged = createPaging(habits)
  const change = (
    method: 'post' | 'put' | 'delete',
    summary: string,
    apply: (contactId: number, ids: readonly number[]) => void,
  ): Endpoint =>
    endpoint({
      method,
      path: '/contact/:contact_id/terms',
      summary,
      place: CONTACT_ID,
      body: termIds,
      answer: success,
      example: { body: [1], answer: SUCCESS },
      handle({ place, body }) {
        contacts.assertThere(place)
        apply(place, body)
      },
    })
  const remove: Terms['remove'] = (contactId, ids) =>
    ids.length === 0 && habits.emptyTerms === 'all' ? terms.set(contactId, []) : terms.remove(contactId, ids)
  return [
    endpoint({
      method: 'get',
      path: '/contact/:contact_id/terms',
      summary: 'The terms that a contact carries',
      place: CONTACT_ID,
      query: pageQuery,
      answer: z.array(termSchema),
      example: { answer: [TERM] },
      handle({ place, query }) {
        contacts.assertThere(place)
        return paged(terms.ofContact(place), query)
      },
    }),
    change('post', 'Make these the terms of a contact', terms.set),
    change('put', 'Add terms to a contact', terms.add),
    change('delete', 'Remove terms from a contact', remove),
  ]
}

export const contactEndpoints = (rooms: Rooms): Endpoint[] => [
  ...readers(rooms),
  ...writers(rooms),
  ...termsOfContact(rooms),
]
