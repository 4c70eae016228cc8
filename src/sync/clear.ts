// Makes sure that fields which were to be emptied are empty: services differ in what they take for "nothing".
import type { Contact } from '../core/contact.ts'
import { isStopped, noted, type RunContext } from './context.ts'

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

async function stillFilled(
  contactId: number,
  fields: readonly string[],
  context: RunContext,
): Promise<readonly string[]> {
  const actual = noted(await context.session.contactById(contactId, fields), context)
  return actual.kind === 'ok' ? fields.filter((field) => !isEmpty(actual.value.fields[field])) : []
}

/** After a PUT with `''`: reads back, sends `null` once for what is still there, and says so when that does not help. */
export async function clearStubbornFields(
  contactId: number,
  sent: Contact,
  context: RunContext,
): Promise<void> {
  const cleared = Object.keys(sent).filter((field) => sent[field] === '')
  if (cleared.length === 0) return
  const stubborn = await stillFilled(contactId, cleared, context)
  if (stubborn.length === 0 || isStopped(context)) return
  const asNull = Object.fromEntries(stubborn.map((field) => [field, null]))
  noted(await context.session.updateContact(contactId, asNull), context)
  const left = await stillFilled(contactId, stubborn, context)
  if (left.length > 0)
    context.log.warn('the service does not clear a field', { contact_id: contactId, fields: left.join(', ') })
}
