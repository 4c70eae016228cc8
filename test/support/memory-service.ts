// A service in memory behind the session's port, with a ledger of every write and a script of faults:
// for tests of the run, where HTTP is not the subject.
import { mailKey, type Contact } from '../../src/core/contact.ts'
import type {
  CallResult,
  CreateOptions,
  RequestTrace,
  ServiceContact,
  ServiceSession,
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
  readonly calls: Call[]
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

export function memoryService(): MemoryService {
  const contacts = new Map<number, Record<string, unknown>>()
  const calls: Call[] = []
  let lastId = 0
  const service: MemoryService = {
    contacts,
    calls,
    fault: () => undefined,
    answer: (members) => members,
    writes: () => calls.filter(({ method }) => method !== 'GET'),
    session: () => sessionFrom(calls.length),
  }
  const byMail = (mail: string): number[] =>
    [...contacts]
      .filter(
        ([, fields]) => mailKey(typeof fields['mail'] === 'string' ? fields['mail'] : '') === mailKey(mail),
      )
      .map(([id]) => id)
  const create = (contact: Contact, { duplicateCheckMethod }: CreateOptions): number => {
    const [same] =
      duplicateCheckMethod === 'email' && typeof contact['mail'] === 'string' ? byMail(contact['mail']) : []
    const id = same ?? ++lastId
    contacts.set(id, { ...contacts.get(id), ...contact })
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
  const shown = (id: number): ServiceContact => ({ id, fields: { ...contacts.get(id) } })
  const sessionFrom = (before: number): ServiceSession => ({
    get counts() {
      return { requests: calls.length - before, retries: 0 }
    },
    contactById(id, _fields) {
      const entry: Call = { method: 'GET', path: '/contact/<contact_id>', contacts: [], id }
      return call(entry, () => (contacts.has(id) ? shown(id) : absent(entry)))
    },
    contactsByMail: (mail) =>
      call({ method: 'GET', path: '/contact/<contact_mail>', contacts: [{ mail }] }, () =>
        byMail(mail).map(shown),
      ),
    createContact: (contact, options) =>
      call({ method: 'POST', path: '/contact', contacts: [contact], options }, () =>
        create(contact, options),
      ),
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
        contacts.set(id, { ...contacts.get(id), ...fields })
        return true
      })
    },
    deleteContact(id) {
      const entry: Call = { method: 'DELETE', path: '/contact/<contact_id>', contacts: [], id }
      return call<true>(entry, () => (contacts.delete(id) ? true : absent(entry)))
    },
  })
  return service
}
