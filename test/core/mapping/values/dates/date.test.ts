// `date`: what exporters write for a day, and what becomes of it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkField } from '../../../../../src/core/mapping/fields/field-check.ts'
import { dateRule } from '../../../../../src/core/mapping/values/dates/date.ts'

interface Options {
  readonly until?: number
  readonly timezone?: string
  readonly fileDate?: string
}

function read(formats: string | readonly string[], text: string, options: Options = {}): string {
  const made = dateRule({
    formats: typeof formats === 'string' ? [formats] : formats,
    twoDigitYearsUntil: options.until,
    timezone: options.timezone,
    fileDate: options.fileDate ?? '2026-11-22',
  })(text)
  return typeof made === 'string' ? made : `! ${made.problem}`
}

/** How exporters write 3 February 1980, each with the pattern for it. */
const FORMS: readonly (readonly [pattern: string, text: string])[] = [
  ['dd.MM.yyyy', '03.02.1980'],
  ['d.M.yyyy', '3.2.1980'],
  ['d.M.yyyy', '03.02.1980'],
  ['d. M. yyyy', '3. 2. 1980'],
  ['d.M.yy', '3.2.80'],
  ['dd.MM.yy', '03.02.80'],
  ['dd/MM/yyyy', '03/02/1980'],
  ['d/M/yyyy', '3/2/1980'],
  ['d/M/yy', '3/2/80'],
  ['M/d/yyyy', '2/3/1980'],
  ['MM/dd/yyyy', '02/03/1980'],
  ['M/d/yy', '2/3/80'],
  ['MM-dd-yyyy', '02-03-1980'],
  ['dd-MM-yyyy', '03-02-1980'],
  ['d-MMM-yy', '3-Feb-80'],
  ['d-MMM-yyyy', '3-Feb-1980'],
  ['dd-MMM-yyyy', '03-FEB-1980'],
  ['yyyy/MM/dd', '1980/02/03'],
  ['yyyy/M/d', '1980/2/3'],
  ['yyyy.MM.dd', '1980.02.03'],
  ["yyyy.MM.dd'.'", '1980.02.03.'],
  ['yyyyMMdd', '19800203'],
  ['ddMMyyyy', '03021980'],
  ['yyMMdd', '800203'],
  ['yyyy-MM-dd', '1980-02-03'],
  ['y-M-d', '1980-2-3'],
  ['yyyy年M月d日', '1980年2月3日'],
  ['d. MMMM yyyy', '3. Februar 1980'],
  ['d. MMM yyyy', '3. Feb. 1980'],
  ['d MMMM yyyy', '3 février 1980'],
  ['d MMMM yyyy', '3 FÉVRIER 1980'],
  ['d MMM yyyy', '3 févr. 1980'],
  ["d 'de' MMMM 'de' yyyy", '3 de febrero de 1980'],
  ["d 'de' MMMM 'de' yyyy", '3 de fevereiro de 1980'],
  ["d 'de' MMM 'de' yyyy", '3 de fev. de 1980'],
  ['d MMMM yyyy', '3 febbraio 1980'],
  ['d MMMM yyyy', '3 februari 1980'],
  ['d MMMM yyyy', '3 lutego 1980'],
  ['d MMMM yyyy', '3 luty 1980'],
  ["d MMMM yyyy 'r.'", '3 lutego 1980 r.'],
  ['MMMM d, yyyy', 'February 3, 1980'],
  ['MMM d, yyyy', 'Feb 3, 1980'],
  ['MMM. d, yyyy', 'Feb. 3, 1980'],
  ['EEEE, MMMM d, yyyy', 'Sunday, February 3, 1980'],
  ['EEEE, d. MMMM yyyy', 'Sonntag, 3. Februar 1980'],
  ['EEE dd.MM.yyyy', 'So. 03.02.1980'],
  ['EEE d MMM yyyy', 'dim. 3 févr. 1980'],
  ['EEE MMM dd yyyy HH:mm:ss z', 'Sun Feb 03 1980 00:00:00 GMT+0100'],
  ['EEE MMM dd HH:mm:ss zzz yyyy', 'Sun Feb 03 00:00:00 CET 1980'],
  ['EEE, dd MMM yyyy HH:mm:ss Z', 'Sun, 03 Feb 1980 00:00:00 +0000'],
  ['dd.MM.yyyy HH:mm', '03.02.1980 00:00'],
  ['dd.MM.yyyy HH:mm:ss', '03.02.1980 12:00:00'],
  ["dd.MM.yyyy 'um' HH:mm 'Uhr'", '03.02.1980 um 00:00 Uhr'],
  ['d/M/yyyy H:mm', '3/2/1980 0:00'],
  ['M/d/yyyy h:mm a', '2/3/1980 12:00 AM'],
  ['M/d/yyyy h:mm:ss a', '2/3/1980 12:00:00 a.m.'],
  ['M/d/yy, h:mm a', '2/3/80, 11:59 PM'],
  ['yyyy-MM-dd HH:mm:ss', '1980-02-03 00:00:00'],
  ['yyyy-MM-dd HH:mm:ss.S', '1980-02-03 00:00:00.0'],
  ['yyyy-MM-dd HH:mm:ss.SSSSSS', '1980-02-03 00:00:00.123456'],
  ['yyyy-MM-dd HH:mm:ssX', '1980-02-03 23:30:00+01'],
  ['yyyy-MM-dd HH:mm:ss Z', '1980-02-03 23:30:00 -0800'],
  ['yyyy-MM-dd HH:mm:ss zzz', '1980-02-03 00:00:00 UTC'],
  ['yyyy-MM-dd HH:mm:ss X', '1980-02-03 23:30:00 UTC'],
  ["yyyy-MM-dd'T'HH:mm:ssXXX", '1980-02-03T23:30:00+14:00'],
  ["yyyy-MM-dd'T'HH:mm:ss'Z'", '1980-02-03T00:00:00Z'],
  ["yyyy-MM-dd'T'HH:mm:ss.SSSX", '1980-02-03T00:30:00.000Z'],
  ["yyyy-MM-dd'T'HH:mm", '1980-02-03T00:00'],
  ["yyyyMMdd'T'HHmmssX", '19800203T000000Z'],
]

describe('a day', () => {
  it.each(FORMS)('is read by %s from %s', (pattern, text) => {
    expect(read(pattern, text)).toBe('1980-02-03')
  })

  it.each(FORMS.filter(([pattern]) => !/[XZ]/.test(pattern)))(
    'is the same in every time zone: %s, %s',
    (pattern, text) => {
      for (const timezone of ['Pacific/Auckland', 'Europe/Berlin', 'America/Los_Angeles'])
        expect(read(pattern, text, { timezone })).toBe('1980-02-03')
    },
  )

  const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt']
  const MONTHS = Array.from({ length: 12 }, (_, index) => index)
  const named = LANGUAGES.flatMap((language) =>
    MONTHS.flatMap((month) =>
      (['long', 'short'] as const).flatMap((length) => {
        const date = new Date(Date.UTC(1980, month, 17))
        const parts = (options: Intl.DateTimeFormatOptions) =>
          new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options })
            .formatToParts(date)
            .find(({ type }) => type === 'month')?.value ?? ''
        const names = [parts({ month: length }), parts({ month: length, day: 'numeric', year: 'numeric' })]
        const plain = names.map((name) => name.normalize('NFD').replace(/\p{M}/gu, ''))
        const all = new Set([...names, ...names.map((name) => name.toUpperCase()), ...plain])
        return [...all].map((name) => [language, name, `1980-${String(month + 1).padStart(2, '0')}-17`])
      }),
    ),
  )
  it.each(LANGUAGES)('has its months by all their names: %s', (language) => {
    const mine = named.filter(([of]) => of === language)
    expect(mine.length).toBeGreaterThan(40)
    for (const [, name = '', day] of mine)
      expect([name, read('d MMMM yyyy', `17 ${name} 1980`)]).toEqual([name, day])
  })

  it.each([
    ['Jänner', '01'],
    ['Jaenner', '01'],
    ['Feber', '02'],
    ['Mrz', '03'],
    ['Maerz', '03'],
    ['Sept', '09'],
    ['setiembre', '09'],
  ])('has its months by other usual names: %s', (name, month) => {
    expect(read('d MMM yyyy', `9 ${name} 1980`)).toBe(`1980-${month}-09`)
  })

  it('is read by the first pattern that fits', () => {
    const formats = ['dd.MM.yyyy', 'd. MMMM yyyy', 'd/M/yy']
    expect(['31.12.1980', '31. Dezember 1980', '31/12/80'].map((text) => read(formats, text))).toEqual([
      '1980-12-31',
      '1980-12-31',
      '1980-12-31',
    ])
  })

  it('is read in the form of ISO 8601 whatever the patterns are', () => {
    expect(read('d/M/yy', '1980-12-31')).toBe('1980-12-31')
    expect(read('d/M/yy', '1980-12-31T12:00:00+00:00')).toBe('1980-12-31')
    expect(read('d/M/yy', '1980-12-31T00:00:00.000Z')).toBe('1980-12-31')
  })

  it.each([
    ['29.02.1980', '1980-02-29'],
    ['29.02.1900', '! is not a day of the calendar'],
    ['29.02.2000', '2000-02-29'],
    ['31.04.1980', '! is not a day of the calendar'],
    ['00.12.1980', '! is not a day of the calendar'],
    ['31.13.1980', '! is not a day of the calendar'],
    ['31.12.0080', '! is not a day of the calendar'],
  ])('is one of the calendar: %s', (text, expected) => {
    expect(read('dd.MM.yyyy', text)).toBe(expected)
  })
})

describe('years of two digits', () => {
  it.each([
    ['01.02.26', 26, '2026-02-01'],
    ['01.02.27', 26, '1927-02-01'],
    ['01.02.00', 26, '2000-02-01'],
    ['01.02.99', 26, '1999-02-01'],
    ['01.02.00', 0, '2000-02-01'],
    ['01.02.01', 0, '1901-02-01'],
    ['01.02.99', 99, '2099-02-01'],
  ])('%s with two_digit_years_until: %i', (text, until, expected) => {
    expect(read('dd.MM.yy', text, { until })).toBe(expected)
  })

  it.each([
    ['22.11.26', '2026-11-22', '2026-11-22'],
    ['23.11.26', '2026-11-22', '1926-11-23'],
    ['01.01.27', '2026-11-22', '1927-01-01'],
    ['01.01.80', '2026-11-22', '1980-01-01'],
    ['01.01.80', '1999-06-01', '1980-01-01'],
    ['31.12.99', '1999-06-01', '1899-12-31'],
    ['29.02.24', '2026-11-22', '2024-02-29'],
  ])('%s in a file of %s is the latest that is not after it', (text, fileDate, expected) => {
    expect(read('d.M.yy', text, { fileDate })).toBe(expected)
  })
})

describe('no date', () => {
  it.each([
    '0/0/00',
    '0.0.00',
    '0.0.0000',
    '00.00.0000',
    '0000-00-00',
    '0000-00-00 00:00:00',
    '0000-00-00T00:00:00Z',
    '00/00/0000',
    '0',
    '-',
    '--',
    '--12-01',
    '--1201',
    '---31',
    '.  .',
    '1604-12-01',
    '0001-01-01',
    '0001-01-01T00:00:00Z',
    '4501-01-01',
    '9999-12-31',
    '1899-12-30',
  ])('%s says nothing', (text) => {
    expect(read('dd.MM.yyyy', text)).toBe('')
  })

  it('is what programs write in the form of the patterns', () => {
    expect(
      ['01.01.0001', '01.01.4501', '30.12.1899', '01.12.1604'].map((text) => read('dd.MM.yyyy', text)),
    ).toEqual(['', '', '', ''])
  })
})

describe('what fits no pattern', () => {
  it.each([
    ['dd.MM.yyyy', '1.2.1980', '! does not fit "dd.MM.yyyy"; d.M.yyyy would read it'],
    ['dd.MM.yyyy', '03/04/1980', '! does not fit "dd.MM.yyyy"; d/M/yyyy or M/d/yyyy would read it'],
    ['dd.MM.yyyy', '31/12/1980', '! does not fit "dd.MM.yyyy"; d/M/yyyy would read it'],
    ['dd.MM.yyyy', '31. Dezember 1980', '! does not fit "dd.MM.yyyy"; d. MMMM yyyy would read it'],
    ['dd.MM.yyyy', '31.12.1980 00:00', '! does not fit "dd.MM.yyyy"; d.M.yyyy H:mm would read it'],
    ['dd.MM.yyyy', 'unknown', '! does not fit "dd.MM.yyyy"'],
    [
      'dd.MM.yyyy',
      '29221',
      '! does not fit "dd.MM.yyyy"; a spreadsheet may have made it of a date: format the column as a date there, and export it again',
    ],
    ['dd.MM.yyyy', '12-01', '! does not fit "dd.MM.yyyy"'],
    ['d.M.yy', '3.2.1980', '! does not fit "d.M.yy"; d.M.yyyy would read it'],
    ['d MMM yyyy', '3 Foo 1980', '! is not a day of the calendar'],
    ['dd.MM.yyyy', '1'.repeat(1000), '! does not fit "dd.MM.yyyy"'],
  ])('%s, %s', (pattern, text, expected) => {
    expect(read(pattern, text)).toBe(expected)
  })

  it('is said of all patterns', () => {
    expect(read(['dd.MM.yyyy', 'd/M/yy'], 'x')).toBe('! fits none of "dd.MM.yyyy", "d/M/yy"')
  })
})

describe('a time zone', () => {
  const pattern = "yyyy-MM-dd'T'HH:mm:ssXXX"
  it.each([
    // Written by programs that have a day as midnight at home, and write it in Greenwich's time.
    ['1980-12-30T23:00:00Z', 'Europe/Berlin', '1980-12-31'],
    ['1980-07-30T22:00:00Z', 'Europe/Paris', '1980-07-31'],
    ['1980-12-30T23:00:00UTC', 'Europe/Berlin', '1980-12-31'],
    ['1980-12-31T01:00:00GMT+0200', 'Europe/Berlin', '1980-12-31'],
    ['1980-12-30T19:00:00-04:00', 'Europe/Berlin', '1980-12-31'],
    ['1980-12-31T05:00:00Z', 'America/New_York', '1980-12-31'],
    ['1980-06-30T12:00:00Z', 'Pacific/Auckland', '1980-07-01'],
    // Any other time is the day that is written.
    ['1980-12-31T00:00:00+01:00', 'America/New_York', '1980-12-31'],
    ['1980-12-31T00:00:00Z', 'America/New_York', '1980-12-31'],
    ['1980-12-31T23:30:00Z', 'Europe/Berlin', '1980-12-31'],
    ['1980-12-31T12:00:00Z', 'Europe/Berlin', '1980-12-31'],
    // Summer time that begins at midnight.
    ['1985-11-02T03:00:00Z', 'America/Sao_Paulo', '1985-11-02'],
  ])('%s in %s is %s', (text, timezone, expected) => {
    expect(read(pattern, text, { timezone })).toBe(expected)
  })

  it('moves nothing where none is set', () => {
    expect(read(pattern, '1980-12-30T23:00:00Z')).toBe('1980-12-30')
  })
})

describe('any text', () => {
  const PATTERNS = [
    'dd.MM.yyyy',
    'd/M/yy',
    'd. MMMM yyyy',
    "yyyy-MM-dd'T'HH:mm:ssXXX",
    'EEEE, MMMM d, yyyy h:mm a',
  ]
  const anything = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[\d./: -]{0,20}$/),
    fc.constantFrom(...FORMS.map(([, text]) => text)),
  )
  it('makes a date that the service takes, nothing, or a sentence; and never another of its own', () => {
    fc.assert(
      fc.property(
        fc.subarray(PATTERNS, { minLength: 1 }),
        anything,
        fc.constantFrom(undefined, 'Pacific/Auckland', 'America/Sao_Paulo'),
        (formats, text, timezone) => {
          const made = read(formats, text, timezone === undefined ? {} : { timezone })
          if (made === '' || made.startsWith('! ')) return
          expect(made).toMatch(/^\d{4}-\d\d-\d\d$/)
          expect(checkField('date_of_birth', made)).toEqual({ value: `${made}T12:00:00+00:00` })
          expect(read(formats, made)).toBe(made)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('of a real day is that day again, in every pattern', () => {
    const days = fc.date({ min: new Date('1927-01-01'), max: new Date('2026-11-22'), noInvalidDate: true })
    fc.assert(
      fc.property(days, (date) => {
        const iso = date.toISOString().slice(0, 10)
        const [year = '', month = '', day = ''] = iso.split('-')
        expect(read('dd.MM.yyyy', `${day}.${month}.${year}`)).toBe(iso)
        expect(read('M/d/yyyy', `${Number(month)}/${Number(day)}/${year}`)).toBe(iso)
        expect(read('yyyyMMdd', `${year}${month}${day}`)).toBe(iso)
        expect(read('d/M/yy', `${Number(day)}/${Number(month)}/${year.slice(2)}`, { until: 26 })).toBe(iso)
      }),
      { numRuns: 300 },
    )
  })
})
