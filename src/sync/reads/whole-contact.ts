// A contact with more fields than one request can ask for.
import type { CallResult, ContactReader, ServiceContact } from '../../core/ports.ts'

/** How many fields are asked for at a time: they stand in the address, which must not become too long. */
const FIELDS_PER_CALL = 80

/** All these fields; the first answer that is none ends it. */
export async function wholeContact(
  reader: Pick<ContactReader, 'contactById'>,
  contactId: number,
  fields: readonly string[],
): Promise<CallResult<ServiceContact>> {
  let shown: Record<string, unknown> = {}
  for (let from = 0; ; from += FIELDS_PER_CALL) {
    const part = await reader.contactById(contactId, fields.slice(from, from + FIELDS_PER_CALL))
    if (part.kind !== 'ok') return part
    shown = { ...shown, ...part.value.fields }
    if (from + FIELDS_PER_CALL >= fields.length) return { ...part, value: { id: contactId, fields: shown } }
  }
}
