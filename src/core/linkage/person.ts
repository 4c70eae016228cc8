// A contact as record linkage sees it: the fields that distinguish persons, in plain form, so that spelling, accents and
// punctuation cannot part one person in two. Also as a text, already parsed.
import { mailKey } from '../mapping/contact.ts'

export interface Person {
  readonly title: string
  readonly first: string
  readonly family: string
  readonly mail: string
  readonly street: string
  readonly city: string
  readonly postalCode: string
  readonly phone: string
  /** Year, month and day, eight digits. */
  readonly born: string
}

const ASCII = /^[\0-\x7f]*$/

function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  // Most texts: nothing to take apart, in a third of the time.
  if (ASCII.test(text))
    return text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim()
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** The last digits: country codes and leading noughts come and go. */
const lastDigits = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/\D/g, '').slice(-8) : ''

export function personOf(fields: Readonly<Record<string, unknown>>): Person {
  const mail = fields['mail']
  const born = fields['date_of_birth']
  const first = plain(fields['first_name'])
  const family = plain(fields['family_name'])
  return {
    title: plain(fields['title']),
    // One name in both places: a form filled in twice, or a merge with swapped names. It is no first name.
    first: first === family ? '' : first,
    family,
    mail: typeof mail === 'string' ? mailKey(mail) : '',
    street: plain(fields['ba_street']).replace(/\bstr(asse)?\b|strasse\b/g, 'str'),
    city: plain(fields['ba_city']),
    postalCode: plain(fields['ba_postal_code']),
    phone: lastDigits(fields['phone']),
    born: typeof born === 'string' ? born.slice(0, 10).replaceAll('-', '') : '',
  }
}

const ORDER = ['title', 'first', 'family', 'mail', 'street', 'city', 'postalCode', 'phone', 'born'] as const
// No plain text holds one, and a mail address is no place for it either.
const SEPARATOR = '\u001f'

export const personText = (person: Person): string => ORDER.map((name) => person[name]).join(SEPARATOR)

export function personFromText(text: string): Person {
  const values = text.split(SEPARATOR)
  return Object.fromEntries(ORDER.map((name, index) => [name, values[index] ?? ''])) as unknown as Person
}
