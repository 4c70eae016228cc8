// A key that was given to another person: the update would make one person of another, with the first one's history and
// consent at the service. Pure.
import type { Contact } from '../../mapping/contact.ts'
import { householdValues } from '../../mapping/values/household.ts'
import { plural } from '../../words/format.ts'
import type { Hold } from './guard.ts'

const FIELDS = ['first_name', 'family_name', 'mail', 'date_of_birth'] as const

/** Of more records than these the keys are not listed: the whole input is held. */
export const MOST_LISTED = 10_000

/**
 * Whether name, mail and date of birth all became others at once. Of the name, each part that was there before and is there
 * now. What is blank on one side says nothing.
 */
export function isOtherPerson(known: Contact, desired: Contact): boolean {
  if (known['mail'] === desired['mail'] || known['date_of_birth'] === desired['date_of_birth']) return false
  const before = householdValues(known, FIELDS)
  const after = householdValues(desired, FIELDS)
  const [first, family, ...others] = before.map((value, index) => {
    const now = after[index] ?? ''
    return value === '' || now === '' ? undefined : value !== now
  })
  const names = [first, family].filter((differs) => differs !== undefined)
  return names.length > 0 && [...names, ...others].every((differs) => differs === true)
}

/** The changes of these records are held, the rest goes. Undefined where there are none. */
export function otherPersonHold(keys: ReadonlySet<string>): Hold | undefined {
  if (keys.size === 0) return undefined
  const whom =
    keys.size > MOST_LISTED ? `more than ${plural(MOST_LISTED, 'contact')}` : plural(keys.size, 'contact')
  const reason = `${whom} would get another name, e-mail address and date of birth at once: the keys may have been given to other persons`
  const about = { guard: 'other_person', number: keys.size, threshold: '0', reason } as const
  return keys.size > MOST_LISTED
    ? { ...about, holds: 'all' }
    : { ...about, holds: 'records', keys: [...keys] }
}
