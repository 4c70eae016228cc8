// What a look-up by mail is worth: only a contact that shows the mail asked for is an answer to it. Services also
// find by a prefix, take `_` for a wildcard, or search a second address; trusting that would change someone else's contact.
import { mailKey } from '../../mapping/contact.ts'
import type { MailLookup, ServiceContact } from '../../ports.ts'

/** Sorted by the mail that each shows; undefined where one shows none at all, so that it cannot be assigned. */
export function mailLookup(mail: string, found: readonly ServiceContact[]): MailLookup | undefined {
  if (!found.every(({ fields }) => Object.hasOwn(fields, 'mail'))) return undefined
  const asked = mailKey(mail)
  const isAsked = ({ fields: { mail: shown } }: ServiceContact): boolean =>
    typeof shown === 'string' && mailKey(shown) === asked
  return { contacts: found.filter(isAsked), others: found.filter((contact) => !isAsked(contact)) }
}
