// `phone`: a telephone number in the form of E.164, and whether it is a mobile phone's. What is no number, or more than
// E.164 can hold (an extension, two numbers), is refused: a truncated or guessed number would reach someone else.
import {
  type CountryCode,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type PhoneNumber,
} from 'libphonenumber-js/max'
import { oddities } from '../odd-values.ts'
import type { ValueRule } from './value-rule.ts'

/** No number is longer than this with all that is written around it, even two of them. */
const LONGEST = 120

/** `tel:+49...`, `0049 ...` and `(+49) ...` as they are dialled everywhere. */
const international = (text: string): string =>
  text.replace(/^tel:/iu, '').replace(/^\(?\s*(?:\+|00)(?=[\s(]*[1-9])/u, '+')

function numberIn(text: string, country: CountryCode): PhoneNumber | undefined {
  // The whole text has to be the number: what stands around it may be another one.
  const found = parsePhoneNumberFromString(international(text.trim()), {
    defaultCountry: country,
    extract: false,
  })
  return found?.isValid() === true ? found : undefined
}

/** What stands between two numbers. A slash may also stand within one: it counts only where both sides are numbers. */
const BETWEEN = /[;,|\n\r]|\s(?:und|and|oder|or|u\.|et|ou|y|o|e|en|of|i|lub|bzw\.)\s|\//iu

function areSeveral(text: string, country: CountryCode): boolean {
  if (!BETWEEN.test(text)) return false
  return (
    text.split(new RegExp(BETWEEN, 'giu')).filter((part) => numberIn(part, country) !== undefined).length > 1
  )
}

/** Whether a number without `+` may as well have its country code in front: 49171... is a mobile phone, or a village. */
function hasTwoReadings(text: string, country: CountryCode, found: PhoneNumber): boolean {
  if (international(text).startsWith('+')) return false
  const digits = text.replace(/\D/gu, '')
  const other = digits.startsWith(found.countryCallingCode) ? numberIn(`+${digits}`, country) : undefined
  return other !== undefined && other.number !== found.number
}

/** `301234567.0`: the zero behind the point would become the last digit of someone else's number. */
const DECIMAL = /^\d{5,}\.0$/u

/** `country`: for numbers without a country code. Throws for a country without a numbering plan. */
export function phoneRule(country: string): ValueRule {
  if (!isSupportedCountry(country)) throw new Error(`${country} has no telephone numbers`)
  return (text) => {
    if (text.length > LONGEST) return { problem: 'is not a phone number' }
    if (DECIMAL.test(text))
      return { problem: 'is written as a decimal number; export the column as text, or remove the .0' }
    if (areSeveral(text, country))
      return { problem: 'contains several phone numbers; the transform split takes one of them' }
    const found = numberIn(text, country)
    if (found === undefined && oddities(text).includes('numbers with an exponent'))
      return {
        problem:
          'is not a phone number; a spreadsheet has made it of one: format the column as text there, and export it again',
      }
    if (found === undefined)
      return { problem: `is not a phone number of ${country}, and none with a country code` }
    if (found.ext !== undefined)
      return {
        problem:
          'contains an extension, which E.164 does not allow; the transform split takes the number alone',
      }
    if (hasTwoReadings(text, country, found))
      return {
        problem: `may begin with the country code ${found.countryCallingCode}, or not; with a + in front it does`,
      }
    return found.number
  }
}

/** Whether the number in the form of E.164 says that it is a mobile phone's. In some countries none does (US, CA). */
export const isMobileNumber = (number: string): boolean =>
  parsePhoneNumberFromString(number, { extract: false })?.getType() === 'MOBILE'
