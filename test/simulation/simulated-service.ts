// The simulated service: what a request means and what it is answered with (interface, 4). An implementation of its own:
// it shares nothing with the sandbox, so that one misunderstanding cannot hide another.
import type { Chance } from './chance.ts'
import type { Ledger } from './ledger.ts'
import { API_KEY, personIn } from './people.ts'
import {
  type Body,
  type Cause,
  type ContactHabits,
  createSimulatedContacts,
  type SimulatedContact,
  type SimulatedContacts,
} from './simulated-contacts.ts'

export interface Answer {
  readonly status: number
  readonly json: unknown
}

export interface Asked {
  readonly method: string
  /** Behind /public/api/V1/, decoded. */
  readonly path: readonly string[]
  readonly query: URLSearchParams
  readonly body: unknown
}

/** What the interface leaves open, as this service does it. */
export interface ServiceHabits extends ContactHabits {
  readonly idsAsText: boolean
  readonly mailEcho: 'as given' | 'lower case'
  readonly unknownContact: '404' | 'empty list'
  readonly listsAsObjects: boolean
  /** One refused member of a call: none is accepted, those before it are, or all others are and it is left out. */
  readonly refusedMember: 'whole call' | 'those before it' | 'left out'
  readonly refusal: 400 | 409 | 422 | 'error in a 200'
  readonly bulkOrder: 'as sent' | 'shuffled'
  readonly largestBulk: number
  readonly container: 'array' | 'keyed'
  /** Of every list. */
  readonly pageCap: number
}

export interface SimulatedService {
  readonly contacts: SimulatedContacts
  readonly terms: ReadonlyMap<number, { name: string; description: string }>
  /** People whom the service does not take. */
  readonly refuses: Set<number>
  /** The key lacks the permission: mail_status is passed over without a word. */
  ignoresStatus: boolean
  makeTerm(name: string, description: string, cause: Cause): number
  handle(asked: Asked, cause: Cause): Answer
}

const OK: Answer = { status: 200, json: { success: 'true' } }
const NOT_FOUND: Answer = { status: 404, json: { error: true, message: 'not found' } }

const asObject = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {}

const asIds = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : [])

export function createSimulatedService(
  ledger: Ledger,
  habits: ServiceHabits,
  chance: Chance,
): SimulatedService {
  const contacts = createSimulatedContacts(ledger, habits, chance.stream('contacts'))
  const terms = new Map<number, { name: string; description: string }>()
  const refuses = new Set<number>()
  let lastTerm = 10
  const id = (number: number): number | string => (habits.idsAsText ? String(number) : number)
  const list = (items: readonly unknown[]): unknown =>
    habits.listsAsObjects && items.length > 0 ? Object.fromEntries(items.entries()) : items

  function paged<Entry>(all: readonly Entry[], query: URLSearchParams): readonly Entry[] {
    const offset = Number(query.get('offset') ?? 0)
    return all.slice(offset, offset + Math.min(habits.pageCap, Number(query.get('limit') ?? 500)))
  }

  const termByName = (name: string): number | undefined =>
    [...terms].find(([, term]) => term.name.toLowerCase() === name.toLowerCase())?.[0]

  function makeTerm(name: string, description: string, cause: Cause): number {
    const known = termByName(name)
    if (known !== undefined) return known
    lastTerm += chance.between(1, 3)
    terms.set(lastTerm, { name, description })
    const nobody = { contact: 0, fields: {}, stamp: undefined, term: lastTerm }
    ledger.add({ ...cause, ...nobody, kind: 'make_term' })
    return lastTerm
  }

  const shownTerm = (term: number): unknown => ({ id: id(term), ...terms.get(term) })

  function shown(contact: SimulatedContact, query: URLSearchParams): Body {
    const asked = query.get('fields')?.split(',') ?? ['first_name', 'family_name', 'mail']
    const fields = asked.filter((name) => name !== 'id')
    return {
      id: id(contact.id),
      ...Object.fromEntries(fields.map((name) => [name, contact.fields.get(name)?.value ?? null])),
    }
  }

  function looked({ id: contact, fields }: SimulatedContact, { at, request }: Cause, isWhole: boolean): void {
    const { value, by } = fields.get('mail_status') ?? { value: 3, by: 'connector' }
    const shownMail = fields.get('mail')?.value
    const mail = typeof shownMail === 'string' ? shownMail.toLowerCase() : ''
    ledger.look({ request, contact, at, isWhole, mail, status: Number(value), by })
  }

  /** Whom it does not take; an echo of the key in its own words is what some services do. */
  function refused(): Answer {
    const message = `the contact is not accepted (${API_KEY})`
    if (habits.refusal === 'error in a 200') return { status: 200, json: { error: true, message } }
    return { status: habits.refusal, json: { error: true, message } }
  }

  const isRefused = (body: Body): boolean =>
    Object.entries(body).some(([field, value]) => field !== 'mail' && refuses.has(personIn(value) ?? -1))

  const allowed = ({ mail_status: status, ...others }: Body): Body =>
    status === undefined || service.ignoresStatus ? others : { ...others, mail_status: status }

  function createOne(body: unknown, cause: Cause): Answer {
    const { contact, duplicate_check_method: check, duplicate_merge_method: merge } = asObject(body)
    const fields = asObject(contact)
    if (isRefused(fields)) return refused()
    const made = contacts.create(allowed(fields), { check: String(check), merge: String(merge) }, cause)
    return { status: 200, json: { id: id(made.id) } }
  }

  function members(body: unknown): Body[] | undefined {
    const given = asObject(body)['contacts']
    if (habits.container === 'array') return Array.isArray(given) ? given.map(asObject) : undefined
    return Array.isArray(given) ? undefined : Object.values(asObject(given)).map(asObject)
  }

  function createMany(body: unknown, cause: Cause): Answer {
    const { duplicate_check_method: check, duplicate_merge_method: merge } = asObject(body)
    const sent = members(body)
    if (sent === undefined || sent.length === 0 || sent.some((one) => typeof one['mail'] !== 'string'))
      return { status: 400, json: { error: 'contacts' } }
    if (sent.length > habits.largestBulk) return { status: 413, json: { error: 'too large' } }
    const firstRefused = sent.findIndex(isRefused)
    if (firstRefused >= 0 && habits.refusedMember === 'whole call') return refused()
    const made = sent.flatMap((one, index): unknown[] => {
      if (
        isRefused(one) ||
        (firstRefused >= 0 && index > firstRefused && habits.refusedMember !== 'left out')
      )
        return []
      const contact = contacts.create(allowed(one), { check: String(check), merge: String(merge) }, cause)
      const mail = String(one['mail'])
      return [{ id: id(contact.id), email: habits.mailEcho === 'lower case' ? mail.toLowerCase() : mail }]
    })
    if (firstRefused >= 0 && habits.refusedMember === 'those before it') return refused()
    return { status: 200, json: list(habits.bulkOrder === 'shuffled' ? chance.shuffled(made) : made) }
  }

  function ofContact(contact: SimulatedContact | undefined, asked: Asked, cause: Cause): Answer {
    if (contact === undefined)
      return habits.unknownContact === '404' || asked.method !== 'GET' ? NOT_FOUND : { status: 200, json: [] }
    switch (asked.method) {
      case 'GET':
        looked(contact, cause, true)
        return { status: 200, json: shown(contact, asked.query) }
      case 'PUT': {
        const body = asObject(asked.body)
        if (isRefused(body)) return refused()
        contacts.write(contact, allowed(body), cause)
        return OK
      }
      default:
        contacts.remove(contact, cause)
        return OK
    }
  }

  function termsOf(contact: SimulatedContact | undefined, asked: Asked, cause: Cause): Answer {
    if (contact === undefined) return NOT_FOUND
    if (asked.method === 'GET')
      return { status: 200, json: list(paged([...contact.terms.keys()], asked.query).map(shownTerm)) }
    const given = asIds(asked.body)
    if (given.length === 0 || given.some((term) => !terms.has(term)))
      return { status: 400, json: { error: 'terms' } }
    if (asked.method === 'DELETE') given.forEach((term) => contacts.take(contact, term, cause))
    else given.forEach((term) => contacts.give(contact, term, cause))
    if (asked.method === 'POST')
      for (const term of [...contact.terms.keys()].filter((one) => !given.includes(one)))
        contacts.take(contact, term, cause)
    return OK
  }

  function byMail(mail: string, { query }: Asked, cause: Cause): Answer {
    const found = contacts.withMail(mail).filter(({ visibleAt }) => visibleAt <= cause.at)
    if (found.length === 0 && habits.unknownContact === '404') return NOT_FOUND
    const page = paged(found, query)
    for (const contact of page)
      if (String(contact.fields.get('mail')?.value).toLowerCase() === mail.toLowerCase())
        looked(contact, cause, false)
    return { status: 200, json: list(page.map((contact) => shown(contact, query))) }
  }

  const termList = ({ query }: Asked): Answer => ({
    status: 200,
    json: list(paged([...terms.keys()], query).map(shownTerm)),
  })

  function ofTerms(asked: Asked, cause: Cause): Answer {
    const [, which] = asked.path
    const body = asObject(asked.body)
    if (which === undefined)
      return asked.method === 'GET'
        ? termList(asked)
        : {
            status: 200,
            json: {
              id: id(
                makeTerm(
                  String(body['name']),
                  typeof body['description'] === 'string' ? body['description'] : '',
                  cause,
                ),
              ),
            },
          }
    const number = /^\d+$/.test(which) ? Number(which) : termByName(which)
    const term = terms.get(number ?? 0)
    if (term === undefined || number === undefined) return NOT_FOUND
    if (asked.method === 'GET') return { status: 200, json: shownTerm(number) }
    Object.assign(term, body)
    ledger.add({
      ...cause,
      contact: 0,
      fields: {},
      stamp: undefined,
      term: number,
      kind: 'describe_term',
    })
    return OK
  }

  // More than one page, where pages are short; the one that is asked for is the last.
  const DEFINITIONS = ['size', 'language', 'hobby', 'sync_marker'].map((name, index) => ({
    field_id: index + 2,
    field_name: name,
    label: '',
    type: 'text_textfield',
    required: false,
  }))

  const service: SimulatedService = {
    contacts,
    terms,
    refuses,
    ignoresStatus: false,
    makeTerm,
    handle(asked, cause) {
      const [resource, which, part] = asked.path
      if (resource === 'custom-fields') return { status: 200, json: list(paged(DEFINITIONS, asked.query)) }
      if (resource === 'terms') return ofTerms(asked, cause)
      if (resource === 'contacts') return createMany(asked.body, cause)
      if (which === undefined) return createOne(asked.body, cause)
      if (which.includes('@')) return byMail(which, asked, cause)
      const contact = contacts.live(Number(which))
      return part === 'terms' ? termsOf(contact, asked, cause) : ofContact(contact, asked, cause)
    },
  }
  return service
}
