// `country`: the ISO 3166-1 alpha-2 code of a country, from its name in eight languages or from one of its codes. A text
// that means two countries, or none, is never guessed.
import countries from 'i18n-iso-countries'
import { isCountryCode, meantCountryCode } from '../country-codes.ts'
import { nearest } from '../../words/nearest.ts'
import { OTHER_NAMES, SPORTS_CODES, VEHICLE_SIGNS } from './country-names.ts'
import { foldedSpellings, foldedWords } from './folded-words.ts'
import type { RuledText, ValueRule } from './value-rule.ts'

/** The languages whose names are read. */
export const COUNTRY_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const

/** Every name with the code that it stands for. */
function allNames(): (readonly [string, string])[] {
  const listed = COUNTRY_LANGUAGES.flatMap((language) =>
    Object.entries(countries.getNames(language, { select: 'all' })).flatMap(([code, names]) =>
      names.map((name) => [name, code] as const),
    ),
  )
  const others = Object.entries(OTHER_NAMES).flatMap(([code, names]) =>
    names.map((name) => [name, code] as const),
  )
  return [...listed, ...others].filter(([, code]) => isCountryCode(code))
}

const NAMES = allNames()

function codesByForm(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  for (const [name, code] of NAMES)
    for (const form of foldedSpellings(name)) found.set(form, (found.get(form) ?? new Set()).add(code))
  return new Map([...found].map(([form, codes]) => [form, [...codes].sort()]))
}

const CODES = codesByForm()

/** The name that stands for a code in a hint, by the name itself. */
const SHOWN = new Map(NAMES)
const SHOWN_NAMES = [...SHOWN.keys()]

/** The code that the letters are, or stand for. ISO counts before the signs of vehicles, and those before sports. */
function codeOf(text: string): string | undefined {
  if (!/^[A-Za-z]{1,3}$/.test(text)) return undefined
  const code = text.toUpperCase()
  if (isCountryCode(code)) return code
  return meantCountryCode(code) ?? VEHICLE_SIGNS[code] ?? SPORTS_CODES[code]
}

function unknown(text: string): RuledText {
  const near = nearest(text, SHOWN_NAMES)
  const hint = near === undefined ? '' : `; the nearest is "${near}" (${SHOWN.get(near) ?? ''})`
  return { problem: `names no country${hint}` }
}

function countryOf(text: string): RuledText {
  const code = codeOf(text)
  if (code !== undefined) return code
  const form = foldedWords(text)
  const [found, ...others] = CODES.get(form) ?? CODES.get(form.replace(/^the /u, '')) ?? []
  if (found === undefined) return unknown(text)
  if (others.length === 0) return found
  return { problem: `may be ${[found, ...others].join(' or ')}; a lookup can say which` }
}

/** So many different texts are remembered: a column of countries has few, and looking for a near name takes long. */
const REMEMBERED = 1000

export function countryRule(): ValueRule {
  const known = new Map<string, RuledText>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    // A column with more is none of countries: what is near to its texts helps nobody.
    if (known.size >= REMEMBERED) {
      const code = codeOf(text)
      if (code !== undefined) return code
      return CODES.has(foldedWords(text)) ? countryOf(text) : { problem: 'names no country' }
    }
    const made = countryOf(text)
    known.set(text, made)
    return made
  }
}
