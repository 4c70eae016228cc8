// Rules for columns of telephone numbers. Numbers without a code need a country: it is taken where the records or the numbers
// show it; otherwise the text goes unchanged, which is never wrong, and an operator is asked.
import type { ContactField } from '../mapping/contact.ts'
import type { ColumnReading } from './column-reading.ts'
import { leftOver, type ProposedChoice, type ProposedEntry } from './entry.ts'
import { byRank } from './rank.ts'
import { countryOfValue, phoneIn, shareOf, someOf, USUAL_COUNTRIES } from './values.ts'
import type { HeaderLanguage } from './words/meaning.ts'

/** So many numbers are read to find their country. */
const ASKED = 60
/** With fewer numbers nothing is shown by them. */
const ENOUGH = 10

/** Where a language of the headers makes a country likely. */
const SPOKEN_IN: Readonly<Record<HeaderLanguage, readonly string[]>> = {
  en: ['GB', 'US'],
  de: ['DE', 'AT', 'CH'],
  fr: ['FR', 'BE', 'CH'],
  es: ['ES', 'MX'],
  it: ['IT', 'CH'],
  nl: ['NL', 'BE'],
  pl: ['PL'],
  pt: ['PT', 'BR'],
}

interface Country {
  readonly code: string
  readonly share: number
}

export interface PhoneSurroundings {
  readonly languages: readonly HeaderLanguage[]
  /** The column of countries, where there is one. */
  readonly countries: ColumnReading | undefined
}

const hasCode = (value: string): boolean => /^\s*(?:\+|00|\(\+|tel:\+)/iu.test(value)

/** The country that all records have; undefined where they have several. */
function onlyCountry(countries: ColumnReading | undefined): string | undefined {
  const codes = new Set(
    someOf(countries?.column.values ?? []).flatMap((value) => countryOfValue(value) ?? []),
  )
  return codes.size === 1 ? [...codes][0] : undefined
}

/** The countries that read most of the numbers without a code. */
function readingCountries(values: readonly string[], { languages }: PhoneSurroundings): readonly Country[] {
  const first = languages.slice(0, 1).flatMap((language) => SPOKEN_IN[language])
  const codes = [...new Set([...first, ...USUAL_COUNTRIES])]
  return codes
    .map((code) => {
      const read = phoneIn(code)
      return { code, share: shareOf(values, (value) => read(value) !== undefined) }
    })
    .sort((one, other) => other.share - one.share)
}

/** The country by which numbers without a code are read; undefined where it is not sure. */
function sureCountry(values: readonly string[], around: PhoneSurroundings): string | undefined {
  const only = onlyCountry(around.countries)
  if (only !== undefined) {
    const read = phoneIn(only)
    return shareOf(values, (value) => read(value) !== undefined) >= 0.9 ? only : undefined
  }
  if (values.length < ENOUGH) return undefined
  const [best, next] = readingCountries(values, around)
  return best !== undefined && best.share >= 0.97 && (next?.share ?? 0) <= 0.6 ? best.code : undefined
}

export type PhoneField = Extract<ContactField, 'phone' | 'phone2' | 'fax'>

function phoneEntry(reading: ColumnReading, field: PhoneField, around: PhoneSurroundings): ProposedEntry {
  const { column, confidence, why } = reading
  const base = { column: column.name, field, confidence }
  const national = someOf(
    column.values.filter((value) => !hasCode(value)),
    ASKED,
  )
  const plain = { column: column.name }
  const country = column.values.length === 0 ? undefined : sureCountry(national, around)
  if (country !== undefined && national.length > 0)
    return {
      ...base,
      rule: { ...plain, phone: country },
      why: `${why}; those without a code are read as numbers of ${country}`,
    }
  const unchanged = `${why}; sent unchanged, because nothing shows the country of numbers without a code`
  if (national.length === 0) return { ...base, rule: plain, why: unchanged }
  const likely = readingCountries(national, around).filter(({ share }) => share >= 0.8)
  const choices = likely.slice(0, 3).map(({ code }): ProposedChoice => ({
    answer: code,
    means: `numbers without a code are of ${code}`,
    rule: { ...plain, phone: code },
  }))
  return { ...base, rule: plain, why: unchanged, ...(choices.length === 0 ? {} : { choices }) }
}

/** mobile, work or home where the header says so. */
function typeEntry(entry: ProposedEntry, { header }: ColumnReading): readonly ProposedEntry[] {
  if (entry.rule?.['phone'] === undefined || entry.field === 'fax') return []
  const field = entry.field === 'phone' ? 'phone_type' : 'phone2_type'
  const said =
    header.meaning === 'mobile' ? 'mobile' : header.qualifiers.find((one) => one === 'work' || one === 'home')
  const rule = { phone_type_of: entry.field, ...(said === undefined ? {} : { otherwise: said }) }
  const why = 'mobile where the number says so, otherwise what the header says'
  return [{ column: entry.column, field, rule, confidence: entry.confidence, why }]
}

/** phone, phone2 and fax, the best columns first; further ones are left out. */
export function phoneEntries(
  readings: readonly ColumnReading[],
  taken: ReadonlySet<string>,
  around: PhoneSurroundings,
): readonly ProposedEntry[] {
  const numbers = byRank(readings.filter(({ meaning }) => meaning === 'phone' || meaning === 'mobile'))
  const first = numbers.find(({ meaning }) => meaning === 'phone') ?? numbers[0]
  const rest = numbers.filter((one) => one !== first)
  const second = rest.find(({ meaning }) => meaning === 'mobile') ?? rest[0]
  const faxes = byRank(readings.filter(({ meaning }) => meaning === 'fax'))
  const wishes: readonly (readonly [PhoneField, ColumnReading | undefined])[] = [
    ['phone', first],
    ['phone2', second],
    ['fax', faxes[0]],
  ]
  const used = new Set(wishes.map(([, reading]) => reading))
  const entries = wishes.flatMap(([field, reading]) => {
    if (reading === undefined || taken.has(field)) return []
    const entry = phoneEntry(reading, field, around)
    return [entry, ...typeEntry(entry, reading)]
  })
  const others = [...numbers, ...faxes].filter((reading) => !used.has(reading))
  return [
    ...entries,
    ...others.map(({ column }) =>
      leftOver(column.name, 'a contact has two telephone numbers and a fax; this is a further one'),
    ),
  ]
}
