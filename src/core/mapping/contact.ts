// The service's contact: which standard fields there are, what each may hold (interface, 2.3),
// and the forms in which two contacts or two mail addresses are compared.
// Nothing here knows where a contact comes from or where it goes.
import { domainToASCII } from 'node:url'

/** A value as it is sent: text, an integer (`mail_status`), or the values of a multiple selection. */
export type FieldValue = string | number | readonly string[]

/** Fields by name, in no particular order. A field that is absent is not spoken of; `''` clears it. */
export type Contact = Readonly<Record<string, FieldValue>>

export type FieldRule =
  | { readonly kind: 'text'; readonly size: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'mail'; readonly size: number }
  | { readonly kind: 'country' }
  | { readonly kind: 'datetime' }
  | { readonly kind: 'status'; readonly values: readonly number[] }

const text = (size: number): FieldRule => ({ kind: 'text', size })
const phoneTypes: FieldRule = { kind: 'choice', values: ['work', 'home', 'mobile', 'other'] }

/** The standard fields that can be written, in the canonical order (interface, 2.3 and 3). Sizes in characters. */
export const CONTACT_FIELDS = {
  title: { kind: 'choice', values: ['m', 'f'] },
  title2: { kind: 'choice', values: ['dr', 'prof'] },
  first_name: text(255),
  family_name: text(255),
  company: text(255),
  job_title: text(255),
  mail: { kind: 'mail', size: 255 },
  mail_status: { kind: 'status', values: [1, 2, 3, 4, 7] },
  mail2: { kind: 'mail', size: 255 },
  phone_type: phoneTypes,
  phone: text(255),
  phone2_type: phoneTypes,
  phone2: text(255),
  fax: text(255),
  skype: text(255),
  fb: text(255),
  twitter: text(255),
  ba_street: text(255),
  ba_street2: text(255),
  ba_city: text(255),
  ba_postal_code: text(20),
  ba_state: text(20),
  ba_country: { kind: 'country' },
  date_of_birth: { kind: 'datetime' },
} as const satisfies Record<string, FieldRule>

export type ContactField = keyof typeof CONTACT_FIELDS

export const CONTACT_FIELD_NAMES = Object.keys(CONTACT_FIELDS) as ContactField[]

/** A contact without a mail must have all of these (interface, 4.2, create body). */
export const FULL_ADDRESS_FIELDS = [
  'first_name',
  'family_name',
  'ba_street',
  'ba_city',
  'ba_postal_code',
] as const satisfies readonly ContactField[]

/** Characters of Latin-1 that can be seen. Nearly all texts are made of them alone, and each is itself in NFC. */
const PLAIN = /^[ -~\u00a0-\u00ff]*$/

/** Whether a text is in NFC, damaged nowhere, and without control characters and invisible marks: seen at a glance. */
export const isPlainText = (text: string): boolean => PLAIN.test(text)

const composed = (text: string): string => (isPlainText(text) ? text : text.normalize('NFC'))

/** Domains whose ASCII form is themselves in lower case: converting each would take longer than all the rest. */
const PLAIN_DOMAIN = /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/i
const ENCODED = /xn--/i

const asciiDomain = (domain: string): string =>
  PLAIN_DOMAIN.test(domain) && !ENCODED.test(domain)
    ? domain.toLowerCase()
    : domainToASCII(domain) || domain.toLowerCase()

/**
 * The form in which mail addresses are compared: trimmed, NFC, case-folded, the domain in ASCII.
 * Never sent: the service stores the address as the source gave it.
 */
export function mailKey(mail: string): string {
  const trimmed = composed(mail).trim()
  const at = trimmed.lastIndexOf('@')
  if (at < 0) return trimmed.toLowerCase()
  const domain = trimmed.slice(at + 1).replace(/\.$/, '')
  return `${trimmed.slice(0, at).toLowerCase()}@${asciiDomain(domain)}`
}

/** The contact's mail in the form for comparison, or undefined where it has none. */
export function contactMailKey(contact: Contact): string | undefined {
  const mail = contact['mail']
  return typeof mail === 'string' && mail !== '' ? mailKey(mail) : undefined
}

/** Length as the service counts it: code points after NFC. */
export function characterCount(value: string): number {
  if (isPlainText(value)) return value.length
  let count = 0
  for (const _ of value.normalize('NFC')) count += 1
  return count
}
