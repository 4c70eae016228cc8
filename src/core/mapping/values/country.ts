// `country`: the ISO 3166-1 alpha-2 code of a country, from its name in eight languages or from one of its codes. A text
// that means two countries, or none, is never guessed.
// The package's own entry loads 75 languages, by names that no bundle can follow.
import countries from 'i18n-iso-countries/index.js'
import de from 'i18n-iso-countries/langs/de.json' with { type: 'json' }
import en from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import es from 'i18n-iso-countries/langs/es.json' with { type: 'json' }
import fr from 'i18n-iso-countries/langs/fr.json' with { type: 'json' }
import it from 'i18n-iso-countries/langs/it.json' with { type: 'json' }
import nl from 'i18n-iso-countries/langs/nl.json' with { type: 'json' }
import pl from 'i18n-iso-countries/langs/pl.json' with { type: 'json' }
import pt from 'i18n-iso-countries/langs/pt.json' with { type: 'json' }
import { isCountryCode, meantCountryCode } from '../country-codes.ts'
import { nearest } from '../../words/nearest.ts'
import { OTHER_NAMES, SPORTS_CODES, VEHICLE_SIGNS } from './country-names.ts'
import { foldedSpellings, foldedWords } from './folded-words.ts'
import type { RuledText, ValueRule } from './value-rule.ts'

/** The languages whose names are read. */
export const COUNTRY_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const

/** Every name with the code that it stands for. */
function allNames(): (readonly [string, string])[] {
  for (const language of [en, de, fr, es, it, nl, pl, pt]) countries.registerLocale(language)
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

/** `isHelpful`: names the nearest country where there is none. */
function countryOf(text: string, isHelpful: boolean): RuledText {
  const code = codeOf(text)
  if (code !== undefined) return code
  const form = foldedWords(text)
  const [found, ...others] = CODES.get(form) ?? CODES.get(form.replace(/^the /u, '')) ?? []
  if (others.length > 0)
    return { problem: `may be ${[found, ...others].join(' or ')}; a lookup can say which` }
  if (found !== undefined) return found
  const near = isHelpful ? nearest(text, SHOWN_NAMES) : undefined
  return {
    problem: `names no country${near === undefined ? '' : `; the nearest is "${near}" (${SHOWN.get(near) ?? ''})`}`,
  }
}

/** So many different texts that name no country are helped: a column with more is none of countries, and each takes long. */
const HELPED = 200
/** So many texts are remembered: a column of countries has few. */
const REMEMBERED = 5000

export function countryRule(): ValueRule {
  const known = new Map<string, RuledText>()
  let unknown = 0
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const made = countryOf(text, unknown < HELPED)
    if (typeof made !== 'string') unknown += 1
    if (known.size < REMEMBERED) known.set(text, made)
    return made
  }
}
