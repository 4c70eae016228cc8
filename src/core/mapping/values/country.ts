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
import { OFFICIAL_NAMES } from './official-names.ts'
import type { RuledText, ValueRule } from './value-rule.ts'

/** The languages whose names are read. */
export const COUNTRY_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt'] as const

type Named = readonly [name: string, code: string]

/** As Unicode names countries in these languages, and where people of other countries write them otherwise. */
const regionNames = (): readonly Named[] =>
  [...COUNTRY_LANGUAGES, 'en-GB', 'de-AT', 'de-CH', 'pt-PT'].flatMap((language) => {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    return Object.keys(countries.getAlpha2Codes()).flatMap((code) => {
      const name = names.of(code)
      return name === undefined ? [] : [[name, code] as const]
    })
  })

const namesIn = (list: Readonly<Record<string, readonly string[]>>): readonly Named[] =>
  Object.entries(list).flatMap(([code, names]) => names.map((name) => [name, code] as const))

/** The names that are usual, each with the code that it stands for. */
function usualNames(): readonly Named[] {
  for (const language of [en, de, fr, es, it, nl, pl, pt]) countries.registerLocale(language)
  const listed = COUNTRY_LANGUAGES.flatMap((language) =>
    namesIn(countries.getNames(language, { select: 'all' })),
  )
  return [...listed, ...namesIn(OTHER_NAMES)].filter(([, code]) => isCountryCode(code))
}

const USUAL = usualNames()

/** `Republic of the Niger` and `Republic of Niger` are one name. */
const withoutArticle = (form: string): string => form.replace(/\bthe /gu, '')

function codesByForm(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>()
  const regions = regionNames().filter(([, code]) => isCountryCode(code))
  for (const [name, code] of [...USUAL, ...regions, ...namesIn(OFFICIAL_NAMES)])
    for (const form of foldedSpellings(name).map(withoutArticle))
      found.set(form, (found.get(form) ?? new Set()).add(code))
  return new Map([...found].map(([form, codes]) => [form, [...codes].sort()]))
}

const CODES = codesByForm()

/** `Iran, Islamic Republic of` and `Iran (Islamic Republic of)` are `Islamic Republic of Iran`, too. */
function writings(text: string): readonly string[] {
  const [, name, what] = /^([^,()]+)(?:,|\s\()\s*([^,()]+)\)?$/u.exec(text.trim()) ?? []
  return name === undefined || what === undefined ? [text] : [text, `${what} ${name}`]
}

const codesOf = (text: string): readonly string[] =>
  writings(text)
    .map((writing) => CODES.get(withoutArticle(foldedWords(writing))) ?? [])
    .find((codes) => codes.length > 0) ?? []

/** The code of a name that a hint shows: a usual one, and of one country. */
const SHOWN = new Map(USUAL.filter(([name]) => codesOf(name).length === 1))
const SHOWN_NAMES = [...SHOWN.keys()]

/** The code that the letters are, or stand for. ISO counts before the signs of vehicles, and those before sports. */
function codeOf(text: string): string | undefined {
  if (!/^[A-Za-z]{1,3}$/.test(text)) return undefined
  const code = text.toUpperCase()
  if (isCountryCode(code)) return code
  return meantCountryCode(code) ?? VEHICLE_SIGNS[code] ?? SPORTS_CODES[code]
}

/** A wrong hint is worse than none: of five letters one may differ, of ten or more two. */
const mostDiffering = (length: number): number => Math.min(2, Math.floor(length / 5))

/** `isHelpful`: names the nearest country where there is none. */
function countryOf(text: string, isHelpful: boolean): RuledText {
  const code = codeOf(text)
  if (code !== undefined) return code
  const [found, ...others] = codesOf(text)
  if (others.length > 0)
    return { problem: `may be ${[found, ...others].join(' or ')}; a lookup can say which` }
  if (found !== undefined) return found
  const near = isHelpful ? nearest(text, SHOWN_NAMES, mostDiffering) : undefined
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
