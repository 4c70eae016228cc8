// A session whose reads also show whether an erased person is at the service again: by the keyed hash of the address, which
// is all that is kept of them. Where no one was erased, it asks for nothing more.
import type { ErasedSeenStore, TombstoneStore } from '../../core/erasing.ts'
import type { Clock, ContactReader, ServiceContact } from '../../core/ports.ts'
import { notedReads, withCalls } from './noted-reads.ts'

export interface ErasedNotes {
  readonly state: Pick<TombstoneStore, 'hasTombstones'> & Pick<ErasedSeenStore, 'noteErasedRead'>
  readonly clock: Clock
  /** Called once for each contact that was not known to show such an address. */
  found(contactId: number, print: string): void
}

const shownMail = ({ fields: { mail } }: ServiceContact): string => (typeof mail === 'string' ? mail : '')

export function noticingErased<Session extends ContactReader>(
  session: Session,
  { state, clock, found }: ErasedNotes,
): Session {
  let any: Promise<boolean> | undefined
  const hasAny = (): Promise<boolean> => (any ??= state.hasTombstones())
  const note = async (contactId: number, mail: string): Promise<void> => {
    if (!(await hasAny())) return
    const print = await state.noteErasedRead({ contactId, mail, at: clock.now() })
    if (print !== undefined) found(contactId, print)
  }
  const reads = notedReads(session, {
    fields: async () => ((await hasAny()) ? ['mail'] : []),
    note: (contact) => note(contact.id, shownMail(contact)),
    gone: (id) => note(id, ''),
    others: true,
  })
  return withCalls<ContactReader>(session, reads) as Session
}
