// `country`: names in eight languages, codes, signs of vehicles, and what means none or two.
import countries from 'i18n-iso-countries'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkField } from '../../../../src/core/mapping/fields/field-check.ts'
import { COUNTRY_LANGUAGES, countryRule } from '../../../../src/core/mapping/values/country.ts'
import { OFFICIAL_NAMES } from '../../../../src/core/mapping/values/official-names.ts'

const rule = countryRule()
const read = (text: string): string => {
  const made = rule(text)
  return typeof made === 'string' ? made : `! ${made.problem}`
}

const CODES = Object.keys(countries.getAlpha2Codes()).filter((code) => code !== 'XK')

/** Names of two countries, in one language or in two. */
const AMBIGUOUS: readonly string[] = ['Congo', 'Kongo', 'São Martinho']

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '')
const spelt = (text: string): string =>
  text.replace(/[äöüß]/gu, (letter) => ({ ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' })[letter] ?? letter)

describe('a country', () => {
  it.each(COUNTRY_LANGUAGES)('is found by each name that it has: %s', (language) => {
    const names = countries.getNames(language, { select: 'all' })
    expect(Object.keys(names).length).toBeGreaterThan(240)
    const wrong = CODES.flatMap((code) =>
      (names[code] ?? []).flatMap((name) =>
        [name, name.toUpperCase(), plain(name), spelt(name), ` ${name} `.trim(), name.replaceAll("'", '’')]
          .filter((text) => read(text) !== code && !AMBIGUOUS.includes(name))
          .map((text) => `${text}: ${read(text)}, not ${code}`),
      ),
    )
    expect(wrong).toEqual([])
  })

  it('has official names of which each is of one country', () => {
    const wrong = Object.entries(OFFICIAL_NAMES).flatMap(([code, names]) =>
      names.filter((name) => read(name) !== code).map((name) => `${name}: ${read(name)}, not ${code}`),
    )
    expect(wrong).toEqual([])
  })

  it('is found by its codes of two and three letters', () => {
    expect(CODES.length).toBe(249)
    for (const [two, three] of Object.entries(countries.getAlpha2Codes())) {
      if (two === 'XK') continue
      expect([two, two.toLowerCase(), three, three.toLowerCase()].map(read)).toEqual([two, two, two, two])
    }
  })

  it.each([
    ['D', 'DE'],
    ['A', 'AT'],
    ['CH', 'CH'],
    ['F', 'FR'],
    ['I', 'IT'],
    ['E', 'ES'],
    ['P', 'PT'],
    ['B', 'BE'],
    ['L', 'LU'],
    ['H', 'HU'],
    ['S', 'SE'],
    ['N', 'NO'],
    ['FL', 'LI'],
    ['SLO', 'SI'],
    ['UK', 'GB'],
    ['USA', 'US'],
    ['CDN', 'CA'],
    ['GER', 'DE'],
    ['SUI', 'CH'],
    ['NED', 'NL'],
    // An ISO code counts before a sign: these are El Salvador, Bahrain and Burundi on a vehicle.
    ['ES', 'ES'],
    ['BRN', 'BN'],
    ['RU', 'RU'],
    ['Deutschland', 'DE'],
    ['BRD', 'DE'],
    ['Bundesrepublik Deutschland', 'DE'],
    ['Oesterreich', 'AT'],
    ['ÖSTERREICH', 'AT'],
    ['Cote d`Ivoire', 'CI'],
    ['Côte d’Ivoire', 'CI'],
    ['The Netherlands', 'NL'],
    ['the netherlands', 'NL'],
    ['Holland', 'NL'],
    ['England', 'GB'],
    ['Northern Ireland', 'GB'],
    ['Great Britain', 'GB'],
    ['Großbritannien', 'GB'],
    ['Grossbritannien', 'GB'],
    ['Tschechien', 'CZ'],
    ['Czech Republic', 'CZ'],
    ['U.S.A.', 'US'],
    ['United States of America', 'US'],
    ['Etats-Unis', 'US'],
    ['Südkorea', 'KR'],
    ['Suedkorea', 'KR'],
    ['Bosnia & Herzegovina', 'BA'],
    ['Bosnien-Herzegowina', 'BA'],
    ['Weißrussland', 'BY'],
    ['Türkei', 'TR'],
    ['Türkiye', 'TR'],
    ['Russland', 'RU'],
    ['Irã', 'IR'],
    ['Iran, Islamic Republic of', 'IR'],
    ['Iran (Islamic Republic of)', 'IR'],
    ['Tanzania, United Republic of', 'TZ'],
    ['Venezuela, Bolivarian Republic of', 'VE'],
    ['Palestine, State of', 'PS'],
    ["Korea (the Democratic People's Republic of)", 'KP'],
    ['Congo, the Democratic Republic of the', 'CD'],
    ['Congo, Republic of', 'CG'],
    ['Macedonia, the former Yugoslav Republic of', 'MK'],
    ['Slovak Republic', 'SK'],
    ['Kingdom of Spain', 'ES'],
    ['Republic of Niger', 'NE'],
    ['Republic of the Niger', 'NE'],
    ['Hong Kong SAR China', 'HK'],
    ['Macao SAR China', 'MO'],
    ['Myanmar (Burma)', 'MM'],
    ['St. Kitts & Nevis', 'KN'],
    ['Republik Moldau', 'MD'],
    ['Arabia Saudí', 'SA'],
    ['Moldau', 'MD'],
    ['EUA', 'US'],
    ['Holy See', 'VA'],
  ])('%s is %s', (text, code) => {
    expect(read(text)).toBe(code)
  })

  it.each([
    ['Congo', '! may be CD or CG; a lookup can say which'],
    ['Kongo', '! may be CD or CG; a lookup can say which'],
    ['São Martinho', '! may be MF or SX; a lookup can say which'],
    ['Deutschlnd', '! names no country; the nearest is "Deutschland" (DE)'],
    ['Makao', '! names no country; the nearest is "Macao" (MO)'],
    ['Bayern', /^! names no country$/],
    ['Korea', /^! names no country$/],
    ['Korea, Republic', /^! names no country$/],
    ['Republic of China', /^! names no country$/],
    ['Virgin Islands', /^! names no country$/],
    ['Kongoo', /^! names no country$/],
    ['EU', /^! names no country$/],
    ['Georgia (US)', /^! names no country/],
    ['Unknown', /^! names no country/],
    ['XX', /^! names no country/],
    ['XK', /^! names no country/],
    ['12345', /^! names no country/],
    ['Yugoslavia', /^! names no country/],
  ])('%s is none', (text, expected) => {
    const made = countryRule()(text)
    expect(typeof made === 'string' ? made : `! ${made.problem}`).toMatch(expected)
  })

  it('is looked for among near names only while there are few texts', () => {
    const fresh = countryRule()
    for (let at = 0; at < 1000; at += 1) fresh(`${at}`)
    expect(fresh('Deutschlnd')).toEqual({ problem: 'names no country' })
    expect(fresh('Deutschland')).toBe('DE')
    expect(fresh('the gambia')).toBe('GM')
    for (let at = 1000; at < 6000; at += 1) fresh(`${at}`)
    expect(fresh('Deutschland')).toBe('DE')
  })

  it('is a code that the service takes, or a sentence, for any text; and its own code again', () => {
    const names = COUNTRY_LANGUAGES.flatMap((language) => Object.values(countries.getNames(language)))
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...names),
      fc.string({ maxLength: 3 }),
    )
    fc.assert(
      fc.property(anything, (text) => {
        const made = read(text)
        if (made.startsWith('! ')) return
        expect(checkField('ba_country', made)).toEqual({ value: made })
        expect(read(made)).toBe(made)
      }),
      { numRuns: 300 },
    )
  })
})
