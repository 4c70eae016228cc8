// What the values of a column are, by the rules that a mapping would use for them. Nothing is guessed from the header here.
import web from 'validator/lib/isURL.js'
import { checkField } from '../mapping/fields/field-check.ts'
import { addressesIn } from '../mapping/values/addresses.ts'
import { autoDateRule } from '../mapping/values/dates/auto-date.ts'
import { countryRule } from '../mapping/values/country.ts'
import { foldedWords } from '../mapping/values/folded-words.ts'
import { namePart } from '../mapping/values/names.ts'
import { titleAt, type TitleMeaning } from '../mapping/values/name-words.ts'
import { phoneRule } from '../mapping/values/phone.ts'
import type { SampleColumn } from './samples.ts'
import { GENDERS, YES_NO } from './words/value-words.ts'

/** So many values are asked; those of a large sample are taken from all over it. */
const ASKED = 300
/** Reading a telephone number takes longer. */
const ASKED_PHONES = 60

/** The values that are asked. */
export function someOf<T>(values: readonly T[], most = ASKED): readonly T[] {
  const step = Math.max(1, values.length / most)
  return values
    .filter((_, place) => Math.floor(place / step) !== Math.floor((place - 1) / step))
    .slice(0, most)
}

type Test = (value: string) => boolean

/** The share of values that are so; 0 where there are none. */
export function shareOf(values: readonly string[], is: Test): number {
  return values.length === 0 ? 0 : values.filter(is).length / values.length
}

export const isMail: Test = (value) => 'value' in checkField('mail', value)
/** Also `Nea <n@x.example>; m@x.example`. */
const holdsMails: Test = (value) => {
  const addresses = addressesIn(value)
  return addresses.length > 0 && addresses.every(isMail)
}
const isUrl: Test = (value) => !value.includes('@') && /\p{L}/u.test(value) && web.default(value)
const isYesNo: Test = (value) => YES_NO.has(foldedWords(value))
const isNumber: Test = (value) => value.trim() !== '' && Number.isFinite(Number(value.replace(',', '.')))

/** `12`, `7 a`, `12-14`, `3/2`: what stands behind the name of a street. */
const isHouseNumber: Test = (value) => /^\d{1,5} ?\p{L}?( ?[-/] ?\d{1,5} ?\p{L}?)?$/u.test(value)

const noOrder = { twoDigitYearsUntil: undefined, timezone: undefined }

/** `fileDate`: the day of the sample. Reads every usual form; an order that is open is not decided by it. */
function dateReader(orders: SampleColumn['dateOrders'], fileDate: string): Test {
  const proved = typeof orders === 'string' ? {} : orders
  const rule = autoDateRule({ ...noOrder, fileDate }, proved)
  return (value) => {
    const made = rule(value)
    return typeof made === 'string' ? made !== '' : made.problem.startsWith('may have')
  }
}

const toCountry = countryRule()
/** The country of a value; undefined where it names none. */
export function countryOfValue(value: string): string | undefined {
  const made = toCountry(value)
  return typeof made === 'string' && made !== '' ? made : undefined
}

/** E.164, with this country for numbers without a code; undefined where it is no number there. */
export function phoneIn(country: string): (value: string) => string | undefined {
  const rule = phoneRule(country)
  return (value) => {
    const made = rule(value)
    return typeof made === 'string' && made !== '' ? made : undefined
  }
}

/** Countries with many numbering plans among them; one that reads a number shows that it may be one. */
export const USUAL_COUNTRIES = [
  'DE',
  'US',
  'GB',
  'FR',
  'ES',
  'IT',
  'NL',
  'PL',
  'PT',
  'CH',
  'AT',
  'BE',
  'ZA',
  'SE',
]

/** What the words of a salutation mean; undefined where one of them is no title. */
export function titlesIn(value: string): readonly TitleMeaning[] | undefined {
  const words = value.split(/[\s/]+/u).filter((word) => word !== '')
  // Behind the last word stands the name.
  const found = words.map((_, place) => titleAt([...words, 'A', 'B'], place))
  return found.length > 0 && found.every((one) => one !== undefined) ? found.flat() : undefined
}

export const genderOf = (value: string): 'm' | 'f' | undefined => GENDERS.get(foldedWords(value))

/** Whether a full name can be taken apart without a doubt. */
export const isFullName: Test = (value) =>
  typeof namePart(value, 'family') === 'string' && value.includes(' ')

export interface Shares {
  readonly mail: number
  readonly mails: number
  readonly url: number
  readonly yesNo: number
  readonly number: number
  readonly date: number
  readonly country: number
  /** Numbers with the code of their country. */
  readonly international: number
  /** Numbers of any country. */
  readonly phone: number
  readonly salutation: number
  readonly gender: number
  /** Longer than any name or street. */
  readonly long: number
  readonly digits: number
  readonly houseNumber: number
}

const LONG = 120

function isPhoneAnywhere(countries: readonly string[]): Test {
  const readers = countries.map(phoneIn)
  return (value) => readers.some((read) => read(value) !== undefined)
}

/** Shares that cost something are found when they are asked for. */
export function sharesOf(column: SampleColumn, fileDate: string): Shares {
  const some = someOf(column.values)
  const few = someOf(some, ASKED_PHONES)
  const known = new Map<keyof Shares, number>()
  const lazy = (name: keyof Shares, values: readonly string[], is: () => Test): number => {
    const found = known.get(name) ?? shareOf(values, is())
    known.set(name, found)
    return found
  }
  const isInternational: Test = (value) => /^\s*(?:\+|00|\(\+)/u.test(value)
  return {
    get mail() {
      return lazy('mail', some, () => isMail)
    },
    get mails() {
      return lazy('mails', some, () => holdsMails)
    },
    get url() {
      return lazy('url', some, () => isUrl)
    },
    get yesNo() {
      return lazy('yesNo', some, () => isYesNo)
    },
    get number() {
      return lazy('number', some, () => isNumber)
    },
    get date() {
      return lazy('date', some, () => dateReader(column.dateOrders, fileDate))
    },
    get country() {
      return lazy('country', some, () => (value) => countryOfValue(value) !== undefined)
    },
    get international() {
      const reader = isPhoneAnywhere(['DE'])
      return lazy('international', few, () => (value) => isInternational(value) && reader(value))
    },
    get phone() {
      return lazy('phone', few, () => isPhoneAnywhere(USUAL_COUNTRIES))
    },
    get salutation() {
      return lazy('salutation', some, () => (value) => titlesIn(value) !== undefined)
    },
    get gender() {
      return lazy('gender', some, () => (value) => genderOf(value) !== undefined)
    },
    get long() {
      return lazy('long', some, () => (value) => value.length > LONG)
    },
    get houseNumber() {
      return lazy('houseNumber', some, () => isHouseNumber)
    },
    get digits() {
      return lazy('digits', some, () => (value) => /\d/u.test(value))
    },
  }
}
