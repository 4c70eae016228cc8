// A session whose reads of contacts also note their mail_status, for the outbox and for the evidence of consents; and which of the
// statuses its own requests set.
import type { WithdrawalStore } from '../../core/change/consents/evidence.ts'
import type { OptOutStore } from '../../core/change/consents/opt-outs.ts'
import { isWithdrawn } from '../../core/change/permission.ts'
import { mailKey } from '../../core/mapping/contact.ts'
import type { Clock, ServiceContact, ServiceSession } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { notedReads, withCalls } from './noted-reads.ts'

const NOTED = ['mail', 'mail_status'] as const

/** Who is to be told of each status; undefined where it is of no use to any. */
export function statusNotes(
  state: Pick<OptOutStore, 'noteStatus'> & Pick<WithdrawalStore, 'noteWithdrawal'>,
  { consents, pipelines }: Pick<Settings, 'consents' | 'pipelines'>,
): Pick<OptOutStore, 'noteStatus'> | undefined {
  const isTold = consents.outbox !== undefined
  const isProven = pipelines.some(({ map }) => map['mail_status']?.require_evidence === true)
  if (!isTold && !isProven) return undefined
  return {
    async noteStatus(seen) {
      const { contactId, mail, status, at } = seen
      if (isProven) await state.noteWithdrawal({ contactId, mail, isWithdrawn: isWithdrawn(status), at })
      if (isTold) await state.noteStatus(seen)
    },
  }
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
  const created = ({ mail, ...fields }: Readonly<Record<string, unknown>>): void =>
    setting(mailKey(typeof mail === 'string' ? mail : ''), fields)
  const own: Partial<ServiceSession> = {
    ...notedReads(session, { fields: () => NOTED, note }),
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
  return withCalls(session, own)
}
