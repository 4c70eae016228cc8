import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { compileMapping, wantedColumns } from '../../../src/core/mapping/mapping.ts'
import type { FieldMapping } from '../../../src/core/mapping/mapping-schema.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const BASE = { key: ['no'], map: { mail: { column: 'mail' } } }

function mapOne(changes: Partial<PipelineSettings>, row: Record<string, string>) {
  const header = Object.keys(row)
  const mapper = compileMapping(pipelineSettings({ ...BASE, ...changes }), header)
  return mapper.map({ kind: 'record', values: Object.values(row), line: 2 })
}

/** The value of one field, made by one rule from one row. */
function field(
  name: string,
  mapping: FieldMapping,
  row: Record<string, string>,
  changes: Partial<PipelineSettings> = {},
) {
  const mapped = mapOne(
    { ...changes, map: { ...BASE.map, [name]: mapping } },
    { no: '1', mail: 'a@example.com', ...row },
  )
  if (mapped.kind === 'contact') return mapped.contact[name]
  return mapped.kind === 'rejected' ? `${mapped.code} ${mapped.reason}` : 'skipped'
}

describe('a field', () => {
  it.each<[string, string, FieldMapping, Record<string, string>, unknown]>([
    ['is taken from a column, trimmed', 'company', { column: 'Firma' }, { Firma: '  ACME\u00a0' }, 'ACME'],
    ['takes markup for text', 'company', { column: 'F' }, { F: '<b>A</b> & "B"' }, '<b>A</b> & "B"'],
    ['finds its column ignoring case and blanks', 'company', { column: 'firma ' }, { Firma: 'ACME' }, 'ACME'],
    ['takes the first column that is not blank', 'company', { columns: ['A', 'B'] }, { A: ' ', B: 'x' }, 'x'],
    [
      'loses the marks of direction',
      'mail2',
      { column: 'A' },
      { A: '\u200eb@x.example\u200f' },
      'b@x.example',
    ],
    ['may name alternatives that are not there', 'company', { columns: ['Nowhere', 'B'] }, { B: 'x' }, 'x'],
    ['may be a constant', 'mail_status', { value: 3 }, {}, 3],
    [
      'may be a template',
      'job_title',
      { template: '{P}, {D}' },
      { P: 'Chefin', D: 'Technik' },
      'Chefin, Technik',
    ],
    [
      'drops the text beside a blank placeholder',
      'job_title',
      { template: '{P}, {D}' },
      { P: 'Chefin', D: '' },
      'Chefin',
    ],
    [
      'is looked up, ignoring case',
      'title',
      { column: 'A', lookup: { Herr: 'm', Frau: 'f' } },
      { A: 'frau' },
      'f',
    ],
    [
      'may be looked up to nothing',
      'title',
      { column: 'A', lookup: { Herr: 'm' }, otherwise: null },
      { A: 'Divers' },
      undefined,
    ],
    [
      'may be looked up to another value',
      'title',
      { column: 'A', lookup: { Herr: 'm' }, otherwise: 'f' },
      { A: 'x' },
      'f',
    ],
    ['has a default for a blank', 'phone_type', { column: 'A', default: 'work' }, { A: '' }, 'work'],
    [
      'is transformed before it is looked up',
      'title',
      { column: 'A', transform: [{ name: 'upper', options: undefined }], lookup: { M: 'm' } },
      { A: 'm' },
      'm',
    ],
    ['keeps leading zeros', 'ba_postal_code', { column: 'A' }, { A: '01067' }, '01067'],
    ['is NFC', 'company', { column: 'A' }, { A: 'Cafe\u0301' }, 'Caf\u00e9'],
    ['loses marks that nobody sees', 'company', { column: 'A' }, { A: 'A\u202eB\ufeff\u200b' }, 'AB'],
    [
      'takes a date for noon',
      'date_of_birth',
      { column: 'A' },
      { A: '1980-02-29' },
      '1980-02-29T12:00:00+00:00',
    ],
    [
      'keeps a moment with its offset',
      'date_of_birth',
      { column: 'A' },
      { A: '1980-02-29T00:30:00+01:00' },
      '1980-02-29T00:30:00+01:00',
    ],
    [
      'keeps the day of a moment with a negative offset, which the interface does not show',
      'date_of_birth',
      { column: 'A' },
      { A: '1980-02-29T23:30:00-05:00' },
      '1980-02-29T12:00:00+00:00',
    ],
    ['takes a country code in any case', 'ba_country', { column: 'A' }, { A: 'de' }, 'DE'],
    [
      'counts characters, not bytes',
      'ba_postal_code',
      { column: 'A' },
      { A: '👩'.repeat(20) },
      '👩'.repeat(20),
    ],
  ])('%s', (_, name, mapping, row, expected) => {
    expect(field(name, mapping, row)).toEqual(expected)
  })

  it.each<[string, string, FieldMapping, string, string]>([
    [
      'a date that does not exist',
      'date_of_birth',
      { column: 'A' },
      '2023-02-29',
      'FIELD_INVALID date_of_birth: "A" ("2023-02-29") is no date',
    ],
    ['the year nought', 'date_of_birth', { column: 'A' }, '0000-01-01', 'FIELD_INVALID'],
    ['another order of a date', 'date_of_birth', { column: 'A' }, '31.12.1980', 'FIELD_INVALID'],
    [
      'a country name',
      'ba_country',
      { column: 'A' },
      'Deutschland',
      'FIELD_INVALID ba_country: "A" ("Deutschland") is no ISO 3166-1',
    ],
    ['XK, which is no code of the standard', 'ba_country', { column: 'A' }, 'XK', 'is no ISO 3166-1'],
    ['UK, with what would be right', 'ba_country', { column: 'A' }, 'UK', 'GB would be right'],
    ['GER, with what would be right', 'ba_country', { column: 'A' }, 'DEU', 'DE would be right'],
    [
      'one character too many',
      'ba_postal_code',
      { column: 'A' },
      '1'.repeat(21),
      'FIELD_TOO_LONG ba_postal_code: "A" ("111111111111111111111") has 21 characters, 20 are allowed',
    ],
    ['a title that is none', 'title', { column: 'A' }, 'Herr', 'is none of m, f'],
    ['a status that is none', 'mail_status', { column: 'A' }, '5', 'is none of 1, 2, 3, 4, 7'],
    [
      'a value outside the lookup',
      'title',
      { column: 'A', lookup: { Herr: 'm' } },
      'Divers',
      'title: "A" ("Divers") is not in the lookup',
    ],
    [
      'a long value, of which the beginning is shown',
      'company',
      { column: 'A' },
      `\u0000${'x'.repeat(100)}`,
      `company: "A" ("\\u0000${'x'.repeat(59)}…") contains control characters`,
    ],
    ['two mails in one cell', 'mail2', { column: 'A' }, 'a@example.com, b@example.com', 'MAIL_INVALID'],
    ['a mail with a name', 'mail2', { column: 'A' }, 'Anna <a@example.com>', 'MAIL_INVALID'],
    ['a character in a mail that cannot be seen', 'mail2', { column: 'A' }, 'a\u00adb@example.com', 'U+00AD'],
    [
      'a joiner in a mail',
      'mail2',
      { column: 'A' },
      'a\u200d@example.com',
      '("a\\u200d@example.com") contains U+200D',
    ],
    ['the mark of lost characters', 'company', { column: 'A' }, 'M\ufffdller', 'TEXT_DAMAGED'],
    ['half a character', 'company', { column: 'A' }, 'A\ud83d', 'TEXT_DAMAGED'],
    ['control characters', 'company', { column: 'A' }, 'A\u0000B', 'contains control characters'],
  ])('is rejected for %s', (_, name, mapping, value, expected) => {
    expect(field(name, mapping, { A: value })).toContain(expected)
  })

  it.each([
    ['drop', undefined],
    ['truncate', '1'.repeat(20)],
  ] as const)('that is too long is mended by on_invalid: %s', (onInvalid, expected) => {
    expect(field('ba_postal_code', { column: 'A', on_invalid: onInvalid }, { A: '1'.repeat(30) })).toEqual(
      expected,
    )
  })

  it('is never cut inside a character that people see as one', () => {
    const family = '👩‍👩‍👧'
    expect(
      field('ba_postal_code', { column: 'A', on_invalid: 'truncate' }, { A: `${'1'.repeat(18)}${family}` }),
    ).toBe('1'.repeat(18))
  })

  it('that is invalid otherwise is not mended by truncate', () => {
    expect(field('mail2', { column: 'A', on_invalid: 'truncate' }, { A: 'x' })).toContain('MAIL_INVALID')
  })

  it.each([
    ['keep', undefined],
    ['clear', ''],
  ] as const)('that is blank, under blank: %s', (blank, expected) => {
    expect(field('phone', { column: 'A' }, { A: '' }, { blank })).toEqual(expected)
  })

  it('takes null values for blanks, and a literal 0 for a value', () => {
    const source = { type: 'csv', null_values: ['n/a', '0.0.00'] }
    expect(field('phone', { column: 'A' }, { A: 'n/a' }, { source })).toBeUndefined()
    expect(field('phone', { column: 'A' }, { A: '0' }, { source })).toBe('0')
  })
})

describe('the key', () => {
  it.each([
    ['is one column', ['no'], { no: ' 17 ', x: '' }, '17'],
    ['has no marks that cannot be seen', ['no'], { no: '\u200e17\u2060' }, '17'],
    ['is several columns, kept apart', ['no', 'x'], { no: 'a|b', x: 'c' }, 'a\\|b|c'],
  ])('%s', (_, key, row, expected) => {
    expect(mapOne({ key }, { ...row, mail: 'a@example.com' })).toMatchObject({
      kind: 'contact',
      key: expected,
    })
  })

  it('is the mail where nothing else is said, in its form for comparison', () => {
    expect(mapOne({ key: undefined }, { mail: 'Anna@BÜCHER.example' })).toMatchObject({
      key: 'anna@xn--bcher-kva.example',
    })
    expect(mapOne({ key: undefined }, { mail: '' })).toMatchObject({ kind: 'rejected', code: 'KEY_MISSING' })
  })

  it('is lacking where the mail was dropped, which no skip_without passes over', () => {
    const map = { mail: { column: 'mail', on_invalid: 'drop' } } as const
    expect(mapOne({ key: undefined, map, skip_without: ['mail'] }, { mail: 'nonsense' })).toMatchObject({
      code: 'KEY_MISSING',
      reason: expect.stringContaining('the e-mail address is invalid and was dropped') as string,
    })
  })

  it.each([
    ['too long', 'k'.repeat(601), 'KEY_TOO_LONG', 'key: has 601 characters; at most 600 are possible'],
    [
      'cut within a character',
      'a\ud800',
      'TEXT_DAMAGED',
      'key: contains half a character (a lone surrogate)',
    ],
    ['with the character U+0000', 'a\0b', 'TEXT_DAMAGED', 'key: contains the character U+0000'],
  ])('that no state can hold, %s, is rejected', (_, no, code, reason) => {
    const rejected = { kind: 'rejected', code, reason, key: undefined }
    expect(mapOne({}, { no, mail: 'a@example.com' })).toEqual(rejected)
    expect(mapOne({}, { no: 'k'.repeat(600), mail: 'a@example.com' })).toMatchObject({ kind: 'contact' })
  })

  it('is still known of a rejected record', () => {
    expect(mapOne({}, { no: '7', mail: 'nonsense' })).toMatchObject({ kind: 'rejected', key: '7' })
  })

  it('never makes two different records one', () => {
    const cell = fc.string({ maxLength: 3, unit: fc.constantFrom('a', '|', '\\', 'b') })
    fc.assert(
      fc.property(cell, cell, cell, cell, (a, b, c, d) => {
        const one = mapOne({ key: ['no', 'x'] }, { no: `k${a}`, x: b, mail: 'a@example.com' })
        const other = mapOne({ key: ['no', 'x'] }, { no: `k${c}`, x: d, mail: 'a@example.com' })
        const same = one.kind === 'contact' && other.kind === 'contact' && one.key === other.key
        expect(same).toBe(a === c && b === d)
      }),
    )
  })
})

describe('where', () => {
  it.each([
    ['record["Status"] != "weg"', { Status: 'da' }, 'contact'],
    ['record["Status"] != "weg"', { Status: 'weg' }, 'skipped'],
    ['record.status == "da"', { Status: 'da' }, 'contact'],
    ['contact.mail.endsWith("example.com")', {}, 'contact'],
    ['contact.phone != ""', {}, 'skipped'],
    ['record["Status"].like("^d.$")', { Status: 'da' }, 'contact'],
    ['double(record["Umsatz"]) > 10.0', { Umsatz: '11' }, 'contact'],
    ['double(record["Umsatz"]) > 10.0', { Umsatz: 'viel' }, 'rejected'],
  ])('%s over %o: %s', (where, row, kind) => {
    expect(mapOne({ where }, { no: '1', mail: 'a@example.com', ...row }).kind).toBe(kind)
  })

  it('takes null values for blanks, as fields do', () => {
    const source = { type: 'csv', null_values: ['NULL'] }
    const row = { no: '1', mail: 'a@example.com', Status: 'NULL' }
    expect(mapOne({ where: 'record["Status"] != ""', source }, row).kind).toBe('skipped')
    const assign = [{ name: 'Active', when: 'record["Status"] != ""' }]
    const terms = { ...pipelineSettings({}).terms, assign }
    expect(mapOne({ terms, source }, row)).toMatchObject({ kind: 'contact', terms: [] })
  })

  it('skips before anything can be rejected', () => {
    expect(mapOne({ where: 'record["no"] == "2"' }, { no: '1', mail: 'nonsense' }).kind).toBe('skipped')
    const either = 'contact.mail != "b@example.com" && record["no"] == "2"'
    expect(mapOne({ where: either }, { no: '1', mail: 'nonsense' }).kind).toBe('skipped')
    expect(mapOne({ where: either }, { no: '2', mail: 'nonsense' }).kind).toBe('rejected')
    for (const where of ['contact.mail == "b@example.com"', 'contact.mail == ""'])
      expect(mapOne({ where }, { no: '1', mail: 'nonsense' }).kind).toBe('rejected')
  })
})

describe('columns', () => {
  it('that are missing under a header of one name point to the lines before the header', () => {
    const pipeline = pipelineSettings({ key: ['No'], map: { mail: { column: 'EMail' } } })
    expect(() => compileMapping(pipeline, ['Notes:'])).toThrow('source.skip_lines')
    expect(() => compileMapping(pipeline, ['Notes:', '', ''])).toThrow('source.skip_lines')
    expect(() => compileMapping(pipeline, ['No', 'Name', 'Street'])).not.toThrow('source.skip_lines')
  })

  it('that are missing are all named, with the nearest', () => {
    const pipeline = pipelineSettings({
      key: ['Nr'],
      map: { mail: { column: 'E-Mail' }, company: { columns: ['Firma', 'Company'] } },
    })
    expect(() => compileMapping(pipeline, ['No', 'EMail', 'Nachname'])).toThrow(
      'column "Nr" (key) is not in the header; the nearest is "No"; column "E-Mail" (map.mail) is not in the header; the nearest is "EMail"; column "Firma" (map.company) is not in the header; column "Company" (map.company) is not in the header; the header is: No, EMail, Nachname',
    )
  })

  it('that are there twice are refused only where they are mapped', () => {
    const pipeline = pipelineSettings(BASE)
    expect(() => compileMapping(pipeline, ['no', 'mail', 'x', 'x'])).not.toThrow()
    expect(() => compileMapping(pipeline, ['no', 'mail', 'mail'])).toThrow(
      'column "mail" (map.mail) occurs several times, as columns 2 and 3',
    )
    expect(() => compileMapping(pipeline, ['no', 'Mail', 'MAIL'])).toThrow('several times')
    expect(() => compileMapping(pipeline, ['no', 'mail', 'MAIL'])).not.toThrow()
  })

  it('may bear the names of JavaScript', () => {
    const mapped = mapOne(
      { key: ['__proto__'], map: { mail: { column: 'constructor' } } },
      JSON.parse('{"__proto__":"1","constructor":"a@example.com"}') as Record<string, string>,
    )
    expect(mapped).toMatchObject({ kind: 'contact', key: '1', contact: { mail: 'a@example.com' } })
  })

  it('are all wished for: mapping, key, template and where', () => {
    const pipeline = pipelineSettings({
      key: ['a'],
      where: 'record["b"] == "" && has(record.z)',
      map: { mail: { columns: ['c', 'd'] }, company: { template: '{e} {{f}}' } },
    })
    expect(wantedColumns(pipeline)).toEqual(['a', 'c', 'd', 'e', 'b'])
  })
})
