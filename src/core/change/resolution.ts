// Who a record without a link is at the service, given what a look-up by its mail shows. Asked where the pipeline says `writes`:
// before the first decision on the record, and once more just before anything is made.
import { type Contact, contactMailKey } from '../mapping/contact.ts'
import type { MailLookup } from '../ports.ts'
import type { PipelineSettings } from '../settings.ts'

export type Resolution =
  | { readonly kind: 'make' }
  | { readonly kind: 'adopt'; readonly contactId: number; readonly reason: string }
  /** Nothing is done about the record until it changes. `several`: it could be any of them. */
  | { readonly kind: 'skip'; readonly reason: string; readonly several: boolean }

type Rules = Pick<PipelineSettings, 'writes'>

/** Whether a record without a link is looked up at the service before anything is decided about it. */
export const looksUp = ({ writes }: Rules): boolean => writes !== 'all'

const skip = (reason: string, several = false): Resolution => ({ kind: 'skip', reason, several })

/** What there is to look up; without a mail nobody can be found. */
export const lookUpMail = (contact: Contact): string | undefined =>
  contactMailKey(contact) === undefined ? undefined : String(contact['mail'])

/** `found`: what the look-up brought; undefined where there was nothing to look up. */
export function resolution(found: MailLookup | undefined, { writes }: Rules): Resolution {
  const [only, ...others] = found?.contacts ?? []
  if (writes === 'create')
    return only === undefined
      ? { kind: 'make' }
      : skip(`writes: create leaves contact ${only.id}, which the service has with this mail, as it is`)
  if (only === undefined)
    return skip(
      `writes: update makes nobody, and the service has no contact ${found === undefined ? 'for a record without a mail' : 'with this mail'}`,
    )
  const count = others.length + 1
  return count > 1
    ? skip(`writes: update needs exactly one contact, and the service has ${count} with this mail`, true)
    : {
        kind: 'adopt',
        contactId: only.id,
        reason: 'writes: update found it at the service by its mail',
      }
}
