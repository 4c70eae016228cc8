// A service in memory behind the session's port, with a ledger of every write and a script of faults:
// for tests of the run, where HTTP is not the subject.
import { type Contact, FULL_ADDRESS_FIELDS, mailKey } from '../../src/core/mapping/contact.ts'
import { mailLookup } from '../../src/core/change/lookup/mail-lookup.ts'
import type {
  CallResult,
  CreateOptions,
  CustomFieldDefinition,
  RequestTrace,
  ServiceContact,
  ServiceSession,
  Term,
} from '../../src/core/ports.ts'

type Failure = Extract<
  CallResult<never>,
  { kind: 'absent' | 'refused' | 'denied' | 'not_applied' | 'unknown' }
>['kind']

export interface Call {
  readonly method: RequestTrace['method']
  readonly path: string
  readonly contacts: readonly Contact[]
  readonly options?: CreateOptions
  readonly id?: number
  /** Of a call on terms: what was sent. */
  readonly termIds?: readonly number[]
  readonly term?: { readonly name?: string; readonly description?: string }
}

/** What a call does instead of succeeding. `applied`: the effect happens, the answer is lost. */
export interface Fault {
  readonly kind: Failure
  readonly status?: number
  readonly applied?: boolean
}

export interface MemoryService {
  session(): ServiceSession
  readonly contacts: Map<number, Record<string, unknown>>
  readonly terms: Map<number, Term>
  /** Term ids by contact id. */
  readonly contactTerms: Map<number, Set<number>>
  readonly customFields: CustomFieldDefinition[]
  readonly calls: Call[]
  /** Whom a look-up by this mail finds besides those who have it. */
  alsoFound: (mail: string) => readonly number[]
  /** Whether the key lacks the permission to set mail_status: it is ignored, and nothing said. */
  ignoresStatus: boolean
  /** How the service compares the names of terms. */
  foldName: (name: string) => string
  /** The names of a contact's terms, sorted. */
  termsOf(contactId: number): string[]
  giveTerm(contactId: number, name: string): void
  /** Asked before every call; undefined lets it through. */
  fault: (call: Call) => Fault | undefined
  /** Changes a bulk answer before it is given. */
  answer: (members: { id: number; email: string }[]) => { id: number; email: string }[]
  writes(): Call[]
}

const traceOf = (call: Call, status: number | undefined): RequestTrace => ({
  method: call.method,
  path: call.path,
  status,
  attempts: 1,
})

/** The first contact and the first term that it makes have the numbers after these. */
export function memoryService({ lastId = 0, lastTerm = 100 } = {}): MemoryService {
  const contacts = new Map<number, Record<string, unknown>>()
  const terms = new Map<number, Term>()
  const contactTerms = new Map<number, Set<number>>()
  const calls: Call[] = []
  const service: MemoryService = {
    contacts,
    terms,
    contactTerms,
    customFields: [],
    ignoresStatus: false,
    calls,
    alsoFound: () => [],
    foldName: (name) => name.normalize('NFC').trim().toLowerCase(),
    termsOf: (id) =>
      idsOf(id)
        .map((term) => terms.get(term)?.name ?? '?')
        .sort(),
    giveTerm: (id, name) => void contactTerms.set(id, new Set([...idsOf(id), createTerm(name)])),
    fault: () => undefined,
    answer: (members) => members,
    writes: () => calls.filter(({ method }) => method !== 'GET'),
    session: () => sessionFrom(calls.length),
  }
  const idsOf = (id: number): number[] => [...(contactTerms.get(id) ?? [])]
  const createTerm = (name: string, description = ''): number => {
    for (const term of terms.values())
      if (service.foldName(term.name) === service.foldName(name)) return term.id
    lastTerm += 1
    terms.set(lastTerm, { id: lastTerm, name, description })
    return lastTerm
  }
  const byMail = (mail: string): number[] =>
    [...contacts]
      .filter(
        ([, fields]) => mailKey(typeof fields['mail'] === 'string' ? fields['mail'] : '') === mailKey(mail),
      )
      .map(([id]) => id)
  const taken = <T extends object>(fields: T): Partial<T> =>
    Object.fromEntries(
      Object.entries(fields).filter(([field]) => field !== 'mail_status' || !service.ignoresStatus),
    ) as Partial<T>
  const create = (
    contact: Contact,
    { duplicateCheckMethod, duplicateMergeMethod }: CreateOptions,
  ): number => {
    const [same] =
      duplicateCheckMethod === 'email' && typeof contact['mail'] === 'string' ? byMail(contact['mail']) : []
    const id = same ?? ++lastId
    const [before, now] = [contacts.get(id), taken(contact)]
    const isTaken = (field: string): boolean =>
      before === undefined || duplicateMergeMethod !== 'update' || field in before
    const values = Object.fromEntries(Object.entries(now).filter(([field]) => isTaken(field)))
    contacts.set(id, duplicateMergeMethod === 'add' ? { ...values, ...before } : { ...before, ...values })
    return id
  }
  async function call<T>(entry: Call, effect: () => CallResult<T> | T): Promise<CallResult<T>> {
    calls.push(entry)
    await Promise.resolve()
    const fault = service.fault(entry)
    if (fault !== undefined) {
      if (fault.applied === true) effect()
      return {
        kind: fault.kind,
        reason: `made to be ${fault.kind}`,
        summary: `made to be ${fault.kind}`,
        request: traceOf(entry, fault.status),
      }
    }
    const value = effect()
    if (typeof value === 'object' && value !== null && 'kind' in value) return value
    return { kind: 'ok', value, request: traceOf(entry, 200) }
  }
  const absent = (entry: Call): CallResult<never> => ({
    kind: 'absent',
    reason: 'gone',
    summary: 'gone',
    request: traceOf(entry, 404),
  })
  const shown = (id: number, fields: readonly string[]): ServiceContact => {
    const held = Object.entries(contacts.get(id) ?? {}).filter(([name]) => fields.includes(name))
    return { id, fields: Object.fromEntries(held) }
  }
  const refused = (entry: Call): CallResult<never> => ({
    kind: 'refused',
    reason: 'a contact needs an e-mail address, or a full address',
    summary: 'refused',
    request: traceOf(entry, 422),
  })
  const isComplete = (contact: Contact): boolean =>
    contact['mail'] !== undefined || FULL_ADDRESS_FIELDS.every((field) => contact[field] !== undefined)
  const list = (id: number): readonly Term[] => idsOf(id).flatMap((term) => terms.get(term) ?? [])
  const found = <T>(entry: Call, value: T | undefined): CallResult<T> | T => value ?? absent(entry)
  const changeTerms = (
    method: Call['method'],
    change: (ids: readonly number[], given: readonly number[]) => readonly number[],
  ) => {
    return (id: number, termIds: readonly number[]) => {
      const entry: Call = { method, path: '/contact/<contact_id>/terms', contacts: [], id, termIds }
      return call<true>(entry, () => {
        if (!contacts.has(id)) return absent(entry)
        if (termIds.length === 0) throw new Error('an empty list was sent')
        contactTerms.set(id, new Set(change(idsOf(id), termIds)))
        return true
      })
    }
  }
  const termCalls = (): Pick<
    ServiceSession,
    | 'terms'
    | 'termById'
    | 'termByName'
    | 'createTerm'
    | 'updateTerm'
    | 'contactTerms'
    | 'addContactTerms'
    | 'setContactTerms'
    | 'removeContactTerms'
  > => ({
    terms: () => call({ method: 'GET', path: '/terms', contacts: [] }, () => [...terms.values()]),
    termById(id) {
      const entry: Call = { method: 'GET', path: '/terms/<term_id>', contacts: [], id }
      return call<Term>(entry, () => found(entry, terms.get(id)))
    },
    termByName(name) {
      const entry: Call = { method: 'GET', path: '/terms/<term_name>', contacts: [] }
      const term = [...terms.values()].find((one) => service.foldName(one.name) === service.foldName(name))
      return call<Term>(entry, () => found(entry, term))
    },
    createTerm: (name, description) =>
      call({ method: 'POST', path: '/terms', contacts: [], term: { name } }, () =>
        createTerm(name, description),
      ),
    updateTerm(id, changes) {
      const entry: Call = { method: 'PUT', path: '/terms/<term_id>', contacts: [], id, term: changes }
      return call<true>(entry, () => {
        const term = terms.get(id)
        if (term === undefined) return absent(entry)
        terms.set(id, { ...term, ...changes })
        return true
      })
    },
    contactTerms(id) {
      const entry: Call = { method: 'GET', path: '/contact/<contact_id>/terms', contacts: [], id }
      return call<readonly Term[]>(entry, () => found(entry, contacts.has(id) ? list(id) : undefined))
    },
    addContactTerms: changeTerms('PUT', (ids, given) => [...ids, ...given]),
    setContactTerms: changeTerms('POST', (_, given) => given),
    removeContactTerms: changeTerms('DELETE', (ids, given) => ids.filter((id) => !given.includes(id))),
  })
  const sessionFrom = (before: number): ServiceSession => ({
    ...termCalls(),
    customFields: () =>
      call({ method: 'GET', path: '/custom-fields', contacts: [] }, () => service.customFields),
    customFieldById(id) {
      const entry: Call = { method: 'GET', path: '/custom-fields/<field_id>', contacts: [], id }
      const field = service.customFields.find((one) => one.id === id)
      return call<CustomFieldDefinition>(entry, () => found(entry, field))
    },
    customFieldByName(name) {
      const entry: Call = { method: 'GET', path: '/custom-fields/<field_name>', contacts: [] }
      const field = service.customFields.find((one) => one.name === name)
      return call<CustomFieldDefinition>(entry, () => found(entry, field))
    },
    get counts() {
      return { requests: calls.length - before, retries: 0 }
    },
    contactById(id, fields) {
      if (id < 1) throw new Error('An id must be a positive integer')
      const entry: Call = { method: 'GET', path: '/contact/<contact_id>', contacts: [], id }
      return call(entry, () => (contacts.has(id) ? shown(id, fields) : absent(entry)))
    },
    contactsByMail: (mail, fields) =>
      call({ method: 'GET', path: '/contact/<contact_mail>', contacts: [{ mail }] }, () => {
        const found = [...new Set([...byMail(mail), ...service.alsoFound(mail)])]
        const asked = found.map((id) => shown(id, [...fields, 'mail']))
        return mailLookup(mail, asked) ?? { contacts: [], others: [] }
      }),
    createContact(contact, options) {
      const entry: Call = { method: 'POST', path: '/contact', contacts: [contact], options }
      return call(entry, () => (isComplete(contact) ? create(contact, options) : refused(entry)))
    },
    createContacts: (sent, options) =>
      call({ method: 'POST', path: '/contacts', contacts: sent, options }, () =>
        service.answer(
          sent.map((contact) => ({ id: create(contact, options), email: String(contact['mail']) })),
        ),
      ),
    updateContact(id, fields) {
      const entry: Call = { method: 'PUT', path: '/contact/<contact_id>', contacts: [fields as Contact], id }
      return call<true>(entry, () => {
        if (!contacts.has(id)) return absent(entry)
        contacts.set(id, { ...contacts.get(id), ...taken(fields) })
        return true
      })
    },
    deleteContact(id) {
      const entry: Call = { method: 'DELETE', path: '/contact/<contact_id>', contacts: [], id }
      return call<true>(entry, () => {
        contacts.delete(id)
        return true
      })
    },
  })
  return service
}
