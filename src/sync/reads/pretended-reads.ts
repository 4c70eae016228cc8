// What a plan reads of contacts: as the service shows them, with what the plan has taken as sent so far. A later file, or a
// delete, would otherwise find the values from before and take them for edits. Only contacts that the plan has read are kept.
import type { Contact } from '../../core/mapping/contact.ts'
import type { Settled } from '../../core/change/operation.ts'
import type { ServiceReads } from '../../core/ports.ts'
import { withCalls } from './noted-reads.ts'

/** The fields that a plan has taken as sent, by contact. */
export type PretendedSends = Map<number, Contact>

export function notePretended(settled: readonly Settled[], sends: PretendedSends): void {
  for (const { operation, sent, settlement } of settled) {
    const { contactId } = operation
    if (contactId === undefined || sent === undefined || settlement.kind !== 'done') continue
    sends.set(contactId, { ...sends.get(contactId), ...sent })
  }
}

export const pretendedReads = (session: ServiceReads, sends: PretendedSends): ServiceReads =>
  withCalls(session, {
    async contactById(id, fields) {
      const result = await session.contactById(id, fields)
      const sent = Object.entries(sends.get(id) ?? {}).filter(([name]) => fields.includes(name))
      if (result.kind !== 'ok' || sent.length === 0) return result
      const shown = { ...result.value.fields, ...Object.fromEntries(sent) }
      return { ...result, value: { ...result.value, fields: shown } }
    },
  })
