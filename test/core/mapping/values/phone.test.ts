// `phone`: how numbers are written in twenty countries, and what is no number.
import fc from 'fast-check'
import { getCountries, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, it } from 'vitest'
import { checkField } from '../../../../src/core/mapping/fields/field-check.ts'
import { isMobileNumber, phoneRule } from '../../../../src/core/mapping/values/phone.ts'
import { WITHOUT_NUMBERS } from '../../../../src/core/mapping/values/value-schema.ts'
import countries from 'i18n-iso-countries'

function read(country: string, text: string): string {
  const made = phoneRule(country)(text)
  return typeof made === 'string' ? made : `! ${made.problem}`
}

const SEVERAL = '! contains several phone numbers; the transform split takes one of them'
const EXTENSION =
  '! contains an extension, which E.164 does not allow; the transform split takes the number alone'

describe('a telephone number', () => {
  it.each([
    ['DE', '030 901820', '+4930901820'],
    ['DE', '030/901820', '+4930901820'],
    ['DE', '(030) 90 18-20', '+4930901820'],
    ['DE', '0171 1234567', '+491711234567'],
    ['DE', '0171-123 45 67', '+491711234567'],
    ['DE', '+49 (0)171 1234567', '+491711234567'],
    ['DE', '+49 (0) 30 901820', '+4930901820'],
    ['DE', '0049 171 1234567', '+491711234567'],
    ['DE', '(+49) 171 1234567', '+491711234567'],
    ['DE', '(0049) 171/1234567', '+491711234567'],
    ['US', '1 212 555 0123', '+12125550123'],
    ['NL', '31 6 12345678', '+31612345678'],
    ['DE', 'tel:+49-30-901820', '+4930901820'],
    ['DE', '+43 1 58858', '+43158858'],
    ['US', '0049 171 1234567', '+491711234567'],
    ['AT', '01 58858-0', '+431588580'],
    ['AT', '0664 1234567', '+436641234567'],
    ['CH', '044 668 18 00', '+41446681800'],
    ['CH', '079 123 45 67', '+41791234567'],
    ['FR', '01 42 68 53 00', '+33142685300'],
    ['FR', '06.12.34.56.78', '+33612345678'],
    ['FR', '+33 (0)6 12 34 56 78', '+33612345678'],
    ['ES', '912 345 678', '+34912345678'],
    ['ES', '612 34 56 78', '+34612345678'],
    ['IT', '06 6982', '+39066982'],
    ['IT', '+39 06 6982', '+39066982'],
    ['IT', '312 345 6789', '+393123456789'],
    ['NL', '020 624 1111', '+31206241111'],
    ['NL', '06-12345678', '+31612345678'],
    ['PL', '22 694 25 00', '+48226942500'],
    ['PL', '512 345 678', '+48512345678'],
    ['PT', '21 321 4600', '+351213214600'],
    ['PT', '912 345 678', '+351912345678'],
    ['GB', '020 7946 0958', '+442079460958'],
    ['GB', '07400 123456', '+447400123456'],
    ['GB', '+44 (0)20 7946 0958', '+442079460958'],
    ['US', '(212) 555-0123', '+12125550123'],
    ['US', '212.555.0123', '+12125550123'],
    ['US', '1-212-555-0123', '+12125550123'],
    ['CA', '(416) 555-0123', '+14165550123'],
    ['BE', '02 511 51 51', '+3225115151'],
    ['LU', '27 12 34 56', '+35227123456'],
    ['DK', '33 15 15 15', '+4533151515'],
    ['SE', '08-123 456 78', '+46812345678'],
    ['SE', '070-123 45 67', '+46701234567'],
    ['NO', '22 12 34 56', '+4722123456'],
    ['FI', '040 1234567', '+358401234567'],
    ['CZ', '212 345 678', '+420212345678'],
    ['HU', '(06 1) 234 5678', '+3612345678'],
    ['IE', '01 234 5678', '+35312345678'],
    ['TR', '0532 123 45 67', '+905321234567'],
    ['JP', '03-1234-5678', '+81312345678'],
    ['AU', '(02) 9374 4000', '+61293744000'],
    ['BR', '(11) 96123-4567', '+5511961234567'],
    ['IN', '98765 43210', '+919876543210'],
  ])('of %s: %s', (country, text, expected) => {
    expect(read(country, text)).toBe(expected)
  })

  it.each([
    ['DE', '030 901820; 0171 1234567', SEVERAL],
    ['DE', '030 901820, 0171 1234567', SEVERAL],
    ['DE', '030 901820 / 0171 1234567', SEVERAL],
    ['DE', '030901820/01711234567', SEVERAL],
    ['DE', '030 901820 oder 0171 1234567', SEVERAL],
    ['DE', '030 901820\n0171 1234567', SEVERAL],
    ['DE', '49 171 1234567', '! may begin with the country code 49, or not; with a + in front it does'],
    ['DE', '301234567.0', '! is written as a decimal number; export the column as text, or remove the .0'],
    ['US', '(212) 555-0123 ext. 4', EXTENSION],
    ['US', '+1 212 555 0123 x4', EXTENSION],
  ])('is not guessed: %s, %s', (country, text, expected) => {
    expect(read(country, text)).toBe(expected)
  })

  it.each([
    '4,91711E+11',
    '4.91711E+11',
    '123',
    '0',
    '-',
    'unknown',
    'Anna 0171 1234567',
    '0171 1234567 (abends)',
    '0171 123456789012345',
    '+999 123456',
    '1'.repeat(500),
    'anna@example.com',
  ])('is none: %s', (text) => {
    expect(read('DE', text)).toMatch(/^! is not a phone number/)
  })

  it.each(['4,91711E+11', '4.91711E+11'])('is one that a spreadsheet has damaged: %s', (text) => {
    expect(read('DE', text)).toContain('format the column as text there')
  })

  it('is read however its country writes it, and from everywhere with a code', () => {
    const all = getCountries()
    expect(all.length).toBeGreaterThan(240)
    for (const country of all) {
      const example = getExampleNumber(country, examples)
      if (example === undefined) continue
      const { number } = example
      const international = example.formatInternational()
      const forms = [
        example.formatNational(),
        international,
        example.getURI(),
        number,
        number.replace('+', '00'),
      ]
      expect([country, ...forms.map((text) => read(country, text))]).toEqual([
        country,
        ...forms.map(() => number),
      ])
      expect([country, read('DE', international), read('US', number.replace('+', '00'))]).toEqual([
        country,
        number,
        number,
      ])
    }
  })

  it('has a country that has numbers', () => {
    const iso = Object.keys(countries.getAlpha2Codes()).filter((code) => code !== 'XK')
    const has: readonly string[] = getCountries()
    expect(iso.filter((code) => !has.includes(code)).sort()).toEqual([...WITHOUT_NUMBERS].sort())
    expect(() => phoneRule('AQ')).toThrow('AQ has no telephone numbers')
  })

  it.each([
    ['+491711234567', true],
    ['+4930901820', false],
    ['+447400123456', true],
    // Numbers of North America do not say it.
    ['+12125550123', false],
    ['no number', false],
  ])('says of itself whether it is mobile: %s', (number, isMobile) => {
    expect(isMobileNumber(number)).toBe(isMobile)
  })

  it('is one that the service takes, or a sentence, for any text; and itself again', () => {
    const digits = fc.stringMatching(/^[+()\d /;,.-]{0,25}$/)
    fc.assert(
      fc.property(
        fc.constantFrom('DE', 'US', 'IT', 'FR'),
        fc.oneof(digits, fc.string({ unit: 'binary' })),
        (country, text) => {
          const made = read(country, text)
          if (made.startsWith('! ')) return
          expect(made).toMatch(/^\+[1-9]\d{5,14}$/)
          expect(checkField('phone', made)).toEqual({ value: made })
          expect(read('JP', made)).toBe(made)
        },
      ),
      { numRuns: 500 },
    )
  })
})
