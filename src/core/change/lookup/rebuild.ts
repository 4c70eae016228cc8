// Which contact of the service belongs to a record that has lost its link, given what a look-up by mail shows.
// Rule: what is surely the record's is linked, what is surely not there may be made, all else is left to a person.
import type { Contact } from '../../mapping/contact.ts'
import type { HouseholdFields } from '../../mapping/values/household.ts'
import type { CheckMethod } from './doubt.ts'
import { sameOfHousehold } from './resolution.ts'
import { looksLike, showsPart } from './likeness.ts'
import type { MailLookup, ServiceContact } from '../../ports.ts'
import type { PipelineSettings } from '../../settings.ts'

/** Who holds what a rebuild could not tell: no guard of a run, so nothing but a person's word releases it. */
export const REBUILD_GUARD = 'rebuild'

export type Finding =
  | { readonly kind: 'found'; readonly contact: ServiceContact }
  /** The one contact of the mail, which shows other values: the record's, unless it turns out to be another's. */
  | { readonly kind: 'by_mail'; readonly contact: ServiceContact }
  /** A create cannot make a duplicate. */
  | { readonly kind: 'absent' }
  /** The one contact of the mail is another record's: the next run holds this one, and says whose it is. */
  | { readonly kind: 'shared' }
  | { readonly kind: 'unclear'; readonly reason: string }

const unclear = (reason: string): Finding => ({ kind: 'unclear', reason })

const MOST_NAMED = 5

/** With their ids, for further look-ups. */
function theseText(
  contacts: readonly ServiceContact[],
  mail: 'this e-mail address' | 'another e-mail address',
): string {
  const ids = contacts.slice(0, MOST_NAMED).map(({ id }) => id)
  const more = contacts.length > MOST_NAMED ? ` and ${contacts.length - MOST_NAMED} more` : ''
  return `the service has ${contacts.length === 1 ? 'contact' : 'contacts'} ${ids.join(', ')}${more} with ${mail}`
}

/** No contact shows the mail. The service may have changed it on the way in, and then the contact exists anyway. */
function withoutMatch(desired: Contact, others: readonly ServiceContact[]): Finding {
  const alike = others.filter((contact) => showsPart(desired, contact))
  return alike.length === 0
    ? { kind: 'absent' }
    : unclear(
        `${theseText(alike, 'another e-mail address')}, which the look-up brought and which shows part of the record`,
      )
}

interface Found {
  /** What the look-up by the mail brought. */
  readonly found: MailLookup
  /** The ids of those that other records have. */
  readonly taken: readonly number[]
  /** Where the key is made of fields: these. */
  readonly household?: HouseholdFields | undefined
}

export function findingFor(
  desired: Contact,
  { found, taken, household }: Found,
  check: CheckMethod,
): Finding {
  const isFree = ({ id }: ServiceContact): boolean => !taken.includes(id)
  const free = found.contacts.filter(isFree)
  const [first] = free
  // Under `none` and `auto` a contact of another record does not decide about this one.
  if (first === undefined)
    return found.contacts.length === 0 || check !== 'email'
      ? withoutMatch(desired, found.others.filter(isFree))
      : { kind: 'shared' }
  // The service itself would merge the record into it.
  if (check === 'email' && found.contacts.length === 1)
    return { kind: looksLike(desired, first) ? 'found' : 'by_mail', contact: first }
  const alike =
    household === undefined
      ? free.filter((contact) => looksLike(desired, contact))
      : sameOfHousehold(desired, free, household)
  if (household !== undefined && alike.length === 0) return { kind: 'absent' }
  const [only] = alike
  const these = theseText(free, 'this e-mail address')
  if (alike.length > 1) return unclear(`${these}, and ${alike.length} look just like it`)
  if (only !== undefined) return { kind: 'found', contact: only }
  return unclear(`${these}, but none shows the current values of the record`)
}

/** What no look-up can bring back, said at the end of every rebuild. */
export function unknowable(pipeline: Pick<PipelineSettings, 'key' | 'terms'>): readonly string[] {
  return [
    'contacts whose record is in none of the waiting files: they have no link, and are not changed',
    'which values were sent before: where record and service differ, the next run sends the value of the record',
    ...(pipeline.key === undefined
      ? []
      : [
          'records whose e-mail address has changed since they were sent: they look new, and the next run creates them',
        ]),
    ...(pipeline.terms.policy === 'managed'
      ? ['which terms were added by this pipeline: it does not remove the terms that it added']
      : []),
  ]
}
