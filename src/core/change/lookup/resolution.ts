// Who a record without a link is at the service, given what a look-up by its mail shows. Asked where the pipeline says `writes`,
// or has a key of fields: before the first decision on the record, and once more just before anything is made.
import { type Contact, contactMailKey } from '../../mapping/contact.ts'
import { type HouseholdFields, householdValues } from '../../mapping/values/household.ts'
import type { MailLookup, ServiceContact } from '../../ports.ts'
import type { PipelineSettings } from '../../settings.ts'
import { isWithdrawn } from '../permission.ts'

export type Resolution =
  /** `withdrawn`: the lowest mail_status of 1 or 2 that its address has; no contact of it is created with another. */
  | { readonly kind: 'make'; readonly withdrawn?: number }
  | { readonly kind: 'adopt'; readonly contactId: number; readonly reason: string }
  /** Nothing is done about the record until it changes. `several`: it could be any of them. */
  | { readonly kind: 'skip'; readonly reason: string; readonly several: boolean }
  | { readonly kind: 'doubt'; readonly reason: string }

type Rules = Pick<PipelineSettings, 'writes' | 'household'>

/** Whether a record without a link is looked up at the service before anything is decided about it. */
export const looksUp = ({ writes, household }: Rules): boolean => writes !== 'all' || household !== undefined

/** The fields that must be seen of a contact for that. */
export const lookUpFields = ({ household }: Rules): readonly string[] =>
  household === undefined ? ['mail'] : [...household, 'mail_status']

/** What there is to look up; without a mail no contact can be found. */
export const lookUpMail = (contact: Contact): string | undefined =>
  contactMailKey(contact) === undefined ? undefined : String(contact['mail'])

/** Those who are the same in all fields of the key. */
export function sameOfHousehold(
  contact: Contact,
  found: readonly ServiceContact[],
  household: HouseholdFields,
): readonly ServiceContact[] {
  const wanted = JSON.stringify(householdValues(contact, household))
  return found.filter(({ fields }) => JSON.stringify(householdValues(fields, household)) === wanted)
}

export const severalText = (count: number, household: HouseholdFields): string =>
  `the service has several contacts with the same ${household.join(' and ')} (${count}), and any of them may be the right one; merge them there, or name the right one with doubts resolve`

/** The lowest mail_status of 1 or 2 among these contacts of one address. */
export function lowestWithdrawn(found: readonly ServiceContact[]): number | undefined {
  const statuses = found.map(({ fields }) => Number(fields['mail_status'])).filter(isWithdrawn)
  return statuses.length === 0 ? undefined : Math.min(...statuses)
}

/** The mail_status with which a contact of the address is created. */
export const withinAddress = (
  consent: number | undefined,
  withdrawn: number | undefined,
): number | undefined =>
  withdrawn === undefined || (isWithdrawn(consent) && (consent ?? 0) <= withdrawn) ? consent : withdrawn

const skip = (reason: string, several = false): Resolution => ({ kind: 'skip', reason, several })

function made(found: MailLookup | undefined, { household }: Rules): Resolution {
  const withdrawn = household === undefined ? undefined : lowestWithdrawn(found?.contacts ?? [])
  return withdrawn === undefined ? { kind: 'make' } : { kind: 'make', withdrawn }
}

/** `found`: what the look-up by the mail brought; undefined where there was nothing to look up. */
export function resolution(contact: Contact, found: MailLookup | undefined, rules: Rules): Resolution {
  const { writes, household } = rules
  const all = found?.contacts ?? []
  const [only, ...others] = household === undefined ? all : sameOfHousehold(contact, all, household)
  const by = household === undefined ? 'with this e-mail address' : `with the same ${household.join(' and ')}`
  if (writes === 'create' && only !== undefined)
    return skip(`writes: create leaves contact ${only.id}, which the service has ${by}, unchanged`)
  if (only === undefined) {
    if (writes !== 'update') return made(found, rules)
    const nobody = found === undefined ? 'for a record without an e-mail address' : by
    return skip(`writes: update creates no contacts, and the service has no contact ${nobody}`)
  }
  const count = others.length + 1
  if (count > 1 && household !== undefined) return { kind: 'doubt', reason: severalText(count, household) }
  if (count > 1)
    return skip(`writes: update needs exactly one contact, and the service has ${count} ${by}`, true)
  return { kind: 'adopt', contactId: only.id, reason: `the service had this one contact ${by}` }
}

/** How a key was resolved: to which contact, and by which values. */
export interface ResolvedKey {
  readonly key: string
  readonly contactId: number
  readonly mailKey: string
  readonly values: readonly string[]
  /** What decided then which key a record has. */
  readonly rule: string
}

/** Part of the state (see state.ts). */
export interface ResolutionStore {
  /** The fingerprints of the form in which records of these keys were passed over last; undefined where they were not. */
  passed(pipeline: string, keys: readonly string[]): Promise<readonly (string | undefined)[]>
  /** In the order given; `contactId`: who was found now. `rule`: what decides which key a record has. */
  keptResolutions(
    pipeline: string,
    rule: string,
    asked: readonly {
      readonly key: string
      readonly mailKey: string
      readonly contactId: number | undefined
    }[],
  ): Promise<readonly KeptResolution[]>
  /** The rule of staging of the same name, for what the run has planned again. */
  lowerWithinAddress(pipeline: string, runId: string): Promise<void>
}

/** What the state knows of how a key, or its address, was resolved before. */
export interface KeptResolution {
  /** The contact that the key was resolved to. */
  readonly contactId?: number
  /** Another key of the pipeline has the contact that was found now. */
  readonly isAnothers: boolean
  /** Another record of the address was resolved by other rules for the fields of the key. */
  readonly isUnderOtherRule: boolean
}

/** Why a record would resolve to another contact than before; undefined where there is no objection. */
export function otherwiseText(kept: KeptResolution, now: Resolution): string | undefined {
  if (now.kind === 'skip') return undefined
  const found = now.kind === 'adopt' ? `contact ${now.contactId}` : 'no contact, or several'
  if (kept.contactId !== undefined && !(now.kind === 'adopt' && now.contactId === kept.contactId))
    return `its key was contact ${kept.contactId} before, and the service now shows ${found} for it`
  if (kept.isAnothers) return `it would be ${found}, which is that of another key`
  if (kept.isUnderOtherRule && now.kind === 'make')
    return 'it would be created, but other records with its e-mail address were distinguished by other rules for the fields of the key: it may be one of them'
  return undefined
}
