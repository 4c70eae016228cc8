// A session whose reads of contacts are also noted for something else. Fields that are needed only for that are asked for
// beside what was asked, and not handed on.
import type { CallResult, ContactReader, MailLookup, ServiceContact } from '../../core/ports.ts'

export interface ReadNotes {
  /** Fields that must be in every answer. */
  readonly fields: () => readonly string[] | Promise<readonly string[]>
  note(contact: ServiceContact): void | Promise<void>
  /** The service has no contact of that id. */
  gone?(id: number): Promise<void>
  /** Contacts of other mails, which an inexact look-up has found, are noted as well. */
  readonly others?: true
}

/** Without the fields that were read only to be noted. */
function asAsked(
  contact: ServiceContact,
  fields: readonly string[],
  noted: readonly string[],
): ServiceContact {
  const beside = noted.filter((name) => !fields.includes(name))
  if (beside.length === 0) return contact
  const shown = Object.entries(contact.fields).filter(([name]) => !beside.includes(name))
  return { ...contact, fields: Object.fromEntries(shown) }
}

/** The two reads of a session, with notes. */
export function notedReads(session: ContactReader, notes: ReadNotes): ContactReader {
  return {
    async contactById(id, fields): Promise<CallResult<ServiceContact>> {
      const noted = await notes.fields()
      const result = await session.contactById(id, [...new Set([...fields, ...noted])])
      if (result.kind === 'absent') await notes.gone?.(id)
      if (result.kind !== 'ok') return result
      await notes.note(result.value)
      return { ...result, value: asAsked(result.value, fields, noted) }
    },
    async contactsByMail(mail, fields): Promise<CallResult<MailLookup>> {
      const noted = await notes.fields()
      const result = await session.contactsByMail(mail, [...new Set([...fields, ...noted])])
      if (result.kind !== 'ok') return result
      const { contacts, others } = result.value
      for (const contact of notes.others === true ? [...contacts, ...others] : contacts)
        await notes.note(contact)
      const shown = (all: readonly ServiceContact[]) => all.map((contact) => asAsked(contact, fields, noted))
      return { ...result, value: { contacts: shown(contacts), others: shown(others) } }
    },
  }
}

/** The session with some of its calls replaced. */
export const withCalls = <Session extends object>(session: Session, calls: Partial<Session>): Session =>
  new Proxy(session, {
    get: (target, name): unknown => Reflect.get(calls, name) ?? Reflect.get(target, name),
  })
