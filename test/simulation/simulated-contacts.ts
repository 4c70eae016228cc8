// The contacts of the simulated service: who is there, who wrote which field, who gave which term; duplicates and merges.
// Every change goes into the ledger.
import type { Chance } from './chance.ts'
import type { Ledger, Who } from './ledger.ts'
import { personIn } from './people.ts'

interface Cell {
  value: unknown
  by: Who
}

export interface SimulatedContact {
  readonly id: number
  /** Whom its values named first; one that others made with a mail alone is no person yet. */
  person: number | undefined
  readonly madeBy: Who
  readonly fields: Map<string, Cell>
  /** Who gave each. */
  readonly terms: Map<number, Who>
  /** When a look-up by mail shows it. */
  readonly visibleAt: number
  deleted: { by: Who; at: number } | undefined
}

export type Body = Readonly<Record<string, unknown>>

/** Who causes a change, and how. */
export interface Cause {
  readonly who: Who
  readonly at: number
  readonly request: number
}

export interface Duplicates {
  readonly check: string
  readonly merge: string
}

export interface SimulatedContacts {
  readonly all: ReadonlyMap<number, SimulatedContact>
  live(id: number): SimulatedContact | undefined
  withMail(mail: string): readonly SimulatedContact[]
  create(body: Body, duplicates: Duplicates, cause: Cause): SimulatedContact
  write(contact: SimulatedContact, body: Body, cause: Cause): void
  remove(contact: SimulatedContact, cause: Cause): void
  give(contact: SimulatedContact, term: number, cause: Cause): void
  take(contact: SimulatedContact, term: number, cause: Cause): void
}

export interface ContactHabits {
  /** How long after it was made a look-up by mail shows a contact, at most. */
  readonly lagMs: number
  /** Ids go up in steps of up to so many. */
  readonly idSteps: number
  /** What a look-up by mail gives: those of that mail; those of a like one before them; all, whatever was asked. */
  readonly mailLookup: 'exact' | 'alike' | 'everybody'
}

const STAMPS = ['skype', 'fax']

function stampIn(body: Body): string | undefined {
  for (const field of STAMPS) {
    const value = body[field]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

const mailForm = (mail: unknown): string => (typeof mail === 'string' ? mail.trim().toLowerCase() : '')

/** So many characters of a mail that a careless look-up compares: `canx1` is of persons 1, 10, 11 ... */
const ALIKE = 5

const isBlank = (value: unknown): boolean => value === undefined || value === null || value === ''

/** What of a body a merge lets through (interface, 4.2). */
function merged(body: Body, into: SimulatedContact, method: string): Body {
  return Object.fromEntries(
    Object.entries(body).filter(([field, value]) => {
      const has = !isBlank(into.fields.get(field)?.value)
      if (method === 'update') return !isBlank(value) && has
      if (method === 'add') return !has
      return true
    }),
  )
}

const personOf = (body: Body): number | undefined =>
  personIn(body['family_name']) ?? personIn(body['first_name']) ?? personIn(body['phone'])

export function createSimulatedContacts(
  ledger: Ledger,
  habits: ContactHabits,
  chance: Chance,
): SimulatedContacts {
  const all = new Map<number, SimulatedContact>()
  let lastId = chance.between(100, 900)
  const living = (): SimulatedContact[] =>
    [...all.values()].filter((contact) => contact.deleted === undefined)
  const about = (contact: SimulatedContact, cause: Cause) => ({
    ...cause,
    contact: contact.id,
    fields: {},
    stamp: undefined,
    term: 0,
  })

  function set(contact: SimulatedContact, body: Body, by: Who) {
    const changes = Object.entries(body).map(([field, value]) => {
      const before = contact.fields.get(field)?.value ?? null
      contact.fields.set(field, { value, by })
      return [field, { before, after: value }] as const
    })
    return Object.fromEntries(changes)
  }

  /** By mail, or, where it is to judge by itself, by the whole of who somebody is. */
  function duplicateOf(body: Body, check: string): SimulatedContact | undefined {
    const mail = mailForm(body['mail'])
    const name = body['family_name']
    if (check === 'email')
      return living().find(({ fields }) => mail !== '' && mailForm(fields.get('mail')?.value) === mail)
    return check === 'auto'
      ? living().find(({ fields }) => !isBlank(name) && fields.get('family_name')?.value === name)
      : undefined
  }

  return {
    all,
    live(id) {
      const contact = all.get(id)
      return contact?.deleted === undefined ? contact : undefined
    },
    withMail(mail) {
      const mailOf = ({ fields }: SimulatedContact): string => mailForm(fields.get('mail')?.value)
      const exact = living().filter((contact) => mailOf(contact) === mailForm(mail))
      if (habits.mailLookup === 'exact') return exact
      const alike = habits.mailLookup === 'alike' ? mailForm(mail).slice(0, ALIKE) : ''
      const others = living().filter(
        (contact) => mailOf(contact) !== mailForm(mail) && mailOf(contact).startsWith(alike),
      )
      return [...others, ...exact]
    },
    create(body, { check, merge }, cause) {
      const found = duplicateOf(body, check)
      const stamp = stampIn(body)
      if (found !== undefined) {
        found.person ??= personOf(body)
        const fields = set(found, merged(body, found, merge), cause.who)
        ledger.add({ ...about(found, cause), kind: 'merge', fields, stamp })
        return found
      }
      lastId += chance.between(1, habits.idSteps)
      const contact: SimulatedContact = {
        id: lastId,
        person: personOf(body),
        madeBy: cause.who,
        fields: new Map([['mail_status', { value: 3, by: cause.who }]]),
        terms: new Map(),
        visibleAt: cause.at + Math.floor(chance.next() * habits.lagMs),
        deleted: undefined,
      }
      all.set(contact.id, contact)
      const fields = set(contact, body, cause.who)
      ledger.add({ ...about(contact, cause), kind: 'create', fields, stamp })
      return contact
    },
    write(contact, body, cause) {
      const fields = set(contact, body, cause.who)
      ledger.add({ ...about(contact, cause), kind: 'write', fields, stamp: stampIn(body) })
    },
    remove(contact, cause) {
      contact.deleted = { by: cause.who, at: cause.at }
      ledger.add({ ...about(contact, cause), kind: 'delete' })
    },
    give(contact, term, cause) {
      if (contact.terms.has(term)) return
      contact.terms.set(term, cause.who)
      ledger.add({ ...about(contact, cause), kind: 'term_on', term })
    },
    take(contact, term, cause) {
      if (!contact.terms.has(term)) return
      ledger.add({ ...about(contact, cause), kind: 'term_off', term })
      contact.terms.delete(term)
    },
  }
}
