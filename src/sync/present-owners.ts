// What a record may write of its contact by now (`owns`): since it was planned, or since an edit was kept, another pipeline that
// owns a field before its own may have a value.
import type { KnownLink } from '../core/change/diff.ts'
import { ownFields } from '../core/change/others/ownership.ts'
import { type Contact, contactMailKey } from '../core/mapping/contact.ts'
import type { PlanContext } from './context.ts'

/** `unsure`: what is to be sent though its pipeline sent it before. */
export async function presentlyOwn(
  contact: Contact,
  link: KnownLink | undefined,
  { state, pipeline: { name: pipeline, owners } }: PlanContext,
): Promise<{ readonly contact: Contact; readonly unsure: readonly string[] }> {
  if (owners === undefined) return { contact, unsure: link?.unsure ?? [] }
  const contactId = link?.contactId
  const [sharers = []] = await state.sharers(pipeline, [{ contactId, mailKey: contactMailKey(contact) }])
  const [sent] = contactId === undefined ? [] : await state.sentValues([contactId])
  return ownFields(contact, { pipeline, owners, link, sharers, last: sent?.last ?? {} })
}
