// Whether a text may be the value of a contact field, and in which form it is sent (interface, 2.3).
// Strict in what is sent: what the service could refuse, cut or misread is found here.
import validator from 'validator/lib/isEmail.js'
import {
  CONTACT_FIELDS,
  characterCount,
  type ContactField,
  type FieldRule,
  type FieldValue,
  isPlainText,
} from '../contact.ts'
import { isCountryCode, meantCountryCode } from '../country-codes.ts'
import type { ErrorCode } from '../../words/errors.ts'

export type FieldCheck =
  | { readonly value: FieldValue }
  | {
      readonly code: Extract<ErrorCode, 'FIELD_INVALID' | 'FIELD_TOO_LONG' | 'MAIL_INVALID' | 'TEXT_DAMAGED'>
      readonly problem: string
    }

// eslint's rule on control characters is right in general; here they are what is looked for.
const CONTROL = new RegExp('[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]', 'u')
/** Marks that cannot be seen and that reorder or split text: never meant in a contact. */
const INVISIBLE = /[\u{feff}\u{200b}\u{200e}\u{200f}\u{061c}\u{2060}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu
/** Others may be meant in a name (within an emoji, or in Persian), but in no address. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}]/u
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

const invalid = (problem: string): FieldCheck => ({ code: 'FIELD_INVALID', problem })
const tooLong = (value: string, size: number): FieldCheck => ({
  code: 'FIELD_TOO_LONG',
  problem: `has ${characterCount(value)} characters, ${size} are allowed`,
})

/** Values in which the service's alphabet is kept: NFC, without invisible marks, trimmed. */
export function cleanText(raw: string): string {
  const text = isPlainText(raw) ? raw : raw.normalize('NFC').replace(INVISIBLE, '')
  return text.trim()
}

function isRealDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? []
  if (year === undefined || year === '0000') return false
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

function checkDate(value: string): FieldCheck {
  // Noon keeps the day in every time zone that a reader may be in.
  if (DATE.test(value) && isRealDate(value)) return { value: `${value}T12:00:00+00:00` }
  const [, date, , offset = ''] = DATE_TIME.exec(value) ?? []
  if (date !== undefined && isRealDate(date)) {
    // The interface shows offsets with a plus alone. A moment turned into another zone could be another birthday:
    // so the day stays, as the source wrote it, at noon.
    if (offset.startsWith('-')) return { value: `${date}T12:00:00+00:00` }
    return { value: offset === 'Z' ? `${value.slice(0, -1)}+00:00` : value }
  }
  return invalid('is no date of the form 1980-12-31 or 1980-12-31T00:00:00+01:00')
}

function checkCountry(value: string): FieldCheck {
  const code = value.toUpperCase()
  if (isCountryCode(code)) return { value: code }
  const meant = meantCountryCode(code)
  const suggestion = meant === undefined ? '' : `; ${meant} would be right`
  return invalid(`is no ISO 3166-1 alpha-2 country code${suggestion}`)
}

function checkMail(value: string, size: number): FieldCheck {
  if (characterCount(value) > size) return tooLong(value, size)
  const [unseen] = UNSEEN.exec(value) ?? []
  if (unseen !== undefined)
    return { code: 'MAIL_INVALID', problem: `contains ${codePoint(unseen)}, a character that cannot be seen` }
  const valid = validator.default(value, {
    allow_utf8_local_part: true,
    allow_display_name: false,
    ignore_max_length: true,
  })
  return valid ? { value } : { code: 'MAIL_INVALID', problem: 'is not a valid e-mail address' }
}

function checkChoice(value: string, values: readonly string[]): FieldCheck {
  const choice = value.toLowerCase()
  return values.includes(choice) ? { value: choice } : invalid(`is none of ${values.join(', ')}`)
}

function checkStatus(value: string, values: readonly number[]): FieldCheck {
  const status = /^\d$/.test(value) ? Number(value) : undefined
  if (status !== undefined && values.includes(status)) return { value: status }
  return invalid(`is none of ${values.join(', ')}`)
}

function checkRule(value: string, rule: FieldRule): FieldCheck {
  switch (rule.kind) {
    case 'text':
      return checkSize(value, rule.size)
    case 'choice':
      return checkChoice(value, rule.values)
    case 'mail':
      return checkMail(value, rule.size)
    case 'country':
      return checkCountry(value)
    case 'datetime':
      return checkDate(value)
    case 'status':
      return checkStatus(value, rule.values)
  }
}

/** What no text may hold, whatever it is for. */
function damage(value: string): (FieldCheck & { problem: string }) | undefined {
  if (isPlainText(value)) return undefined
  if (!value.isWellFormed())
    return { code: 'TEXT_DAMAGED', problem: 'contains half a character (a lone surrogate)' }
  if (value.includes('\uFFFD'))
    return { code: 'TEXT_DAMAGED', problem: 'contains the replacement character for lost text (U+FFFD)' }
  if (CONTROL.test(value)) return { code: 'FIELD_INVALID', problem: 'contains control characters' }
  return undefined
}

/** Why a text can be sent nowhere; undefined for a sound one. */
export const textProblem = (value: string): string | undefined => damage(value)?.problem

/** Checks one clean, non-blank text by any rule; gives what is wrong, or what `rule` makes of a sound text. */
export const checkText = (value: string, rule: (value: string) => FieldCheck): FieldCheck =>
  damage(value) ?? rule(value)

/** Whether a text fits into so many characters. */
export const checkSize = (value: string, size: number): FieldCheck =>
  characterCount(value) > size ? tooLong(value, size) : { value }

/** Checks one clean, non-blank text for one standard field; gives the value in the form that is sent. */
export function checkField(field: ContactField, value: string): FieldCheck {
  return damage(value) ?? checkRule(value, CONTACT_FIELDS[field])
}

/** The first `size` characters that a text field allows, cut between graphemes; undefined for other fields. */
export function truncated(field: ContactField, value: string): string | undefined {
  const rule = CONTACT_FIELDS[field]
  return rule.kind === 'text' ? truncatedTo(rule.size, value) : undefined
}

/** The first `size` characters, cut between graphemes. */
export function truncatedTo(size: number, value: string): string {
  let kept = ''
  let count = 0
  for (const { segment } of new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(value)) {
    count += characterCount(segment)
    if (count > size) break
    kept += segment
  }
  return kept.trimEnd()
}
