// A session whose reads of contacts also note their mail_status, for the outbox. What it was not asked for is asked for
// beside it, and not handed on.
import type { OptOutStore } from '../core/change/consents/opt-outs.ts'
import { isWithdrawn } from '../core/change/permission.ts'
import { mailKey } from '../core/mapping/contact.ts'
import type { Clock, ServiceContact, ServiceSession } from '../core/ports.ts'

const NOTED = ['mail', 'mail_status'] as const

/** Without the fields that were read only to be noted. */
function asAsked(contact: ServiceContact, fields: readonly string[]): ServiceContact {
  const beside = NOTED.filter((name) => !fields.includes(name))
  if (beside.length === 0) return contact
  const shown = Object.entries(contact.fields).filter(
    ([name]) => !(beside as readonly string[]).includes(name),
  )
  return { ...contact, fields: Object.fromEntries(shown) }
}

export function notingStatus(
  session: ServiceSession,
  { store, pipeline, clock }: { store: Pick<OptOutStore, 'noteStatus'>; pipeline: string; clock: Clock },
): ServiceSession {
  /** Statuses of 1 and 2 that requests of this session set: by the contact, or by the mail of a create. */
  const ours = new Set<string>()
  const setting = (
    whom: number | string,
    { mail_status: status }: Readonly<Record<string, unknown>>,
  ): void => {
    if (isWithdrawn(Number(status))) ours.add(`${whom} ${Number(status)}`)
  }
  const note = async ({ id, fields }: ServiceContact): Promise<void> => {
    const status = Number(fields['mail_status'])
    if (!Number.isInteger(status) || status < 1) return
    const mail = typeof fields['mail'] === 'string' ? fields['mail'] : ''
    const isOurs = ours.has(`${id} ${status}`) || ours.has(`${mailKey(mail)} ${status}`)
    await store.noteStatus({ contactId: id, mail, status, pipeline, at: clock.now(), isOurs })
  }
  const withNoted = (fields: readonly string[]): readonly string[] => [...new Set([...fields, ...NOTED])]
  const created = ({ mail, ...fields }: Readonly<Record<string, unknown>>): void =>
    setting(mailKey(typeof mail === 'string' ? mail : ''), fields)
  const own: Partial<ServiceSession> = {
    async contactById(id, fields) {
      const result = await session.contactById(id, withNoted(fields))
      if (result.kind !== 'ok') return result
      await note(result.value)
      return { ...result, value: asAsked(result.value, fields) }
    },
    async contactsByMail(mail, fields) {
      const result = await session.contactsByMail(mail, withNoted(fields))
      if (result.kind !== 'ok') return result
      for (const contact of result.value.contacts) await note(contact)
      const contacts = result.value.contacts.map((contact) => asAsked(contact, fields))
      return { ...result, value: { ...result.value, contacts } }
    },
    createContact(contact, options) {
      created(contact)
      return session.createContact(contact, options)
    },
    createContacts(contacts, options) {
      for (const contact of contacts) created(contact)
      return session.createContacts(contacts, options)
    },
    updateContact(id, fields) {
      setting(id, fields)
      return session.updateContact(id, fields)
    },
  }
  return new Proxy(session, {
    get: (target, name): unknown => Reflect.get(own, name) ?? Reflect.get(target, name),
  })
}
