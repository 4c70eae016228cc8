// The rules for dates, countries and telephone numbers within a mapping: with what comes before and behind them.
import { describe, expect, it } from 'vitest'
import { NO_CUSTOM_FIELDS } from '../../../../src/core/mapping/custom-fields.ts'
import { compileMapping } from '../../../../src/core/mapping/mapping.ts'
import type { FieldMapping } from '../../../../src/core/mapping/mapping-schema.ts'
import { loadRuleKit } from '../../../../src/core/mapping/values/rule-kit.ts'
import type { PipelineSettings } from '../../../../src/core/settings.ts'
import { pipelineSettings } from '../../../support/pipeline.ts'

const WRITTEN = Date.UTC(2026, 10, 22)

async function mapped(
  map: Record<string, FieldMapping>,
  cells: Record<string, string>,
  changes: Partial<PipelineSettings> = {},
) {
  const row = { no: '1', mail: 'a@example.com', ...cells }
  const pipeline = pipelineSettings({ ...changes, map: { mail: { column: 'mail' }, ...map } })
  const kit = await loadRuleKit(pipeline, { writtenAt: WRITTEN })
  const mapper = compileMapping(pipeline, Object.keys(row), NO_CUSTOM_FIELDS, kit)
  return mapper.map({ kind: 'record', values: Object.values(row), line: 2 })
}

const BORN = { column: 'Born', date: ['dd.MM.yyyy', 'd.M.yy'] }
const LAND = { column: 'Land', country: true }
const TEL = { column: 'Tel', phone: 'DE' }

describe('the rules of a mapping', () => {
  it('make the values that the service takes', async () => {
    const map = { date_of_birth: BORN, ba_country: LAND, phone: TEL }
    const made = await mapped(map, { Born: ' 31.12.1980 ', Land: 'Österreich', Tel: '0171 1234567' })
    expect(made).toMatchObject({
      kind: 'contact',
      contact: { date_of_birth: '1980-12-31T12:00:00+00:00', ba_country: 'AT', phone: '+491711234567' },
      mended: [],
    })
  })

  it('say in a reject what is wrong, with the value for the list of rejects alone', async () => {
    const made = await mapped(
      { date_of_birth: BORN, ba_country: LAND, phone: TEL },
      { Born: '31/12/1980', Land: 'Deutschlnd', Tel: 'none' },
    )
    expect(made).toMatchObject({ kind: 'rejected', code: 'FIELD_INVALID' })
    expect('reason' in made && made.reason.split('; ')).toEqual([
      'phone: "Tel" ("none") is not a phone number of DE, and none with a country code',
      'ba_country: "Land" ("Deutschlnd") names no country',
      'the nearest is "Deutschland" (DE)',
      'date_of_birth: "Born" ("31/12/1980") fits none of "dd.MM.yyyy", "d.M.yy"',
      'd/M/yyyy would read it',
    ])
    expect('plain' in made && made.plain).not.toContain('Deutschlnd')
  })

  it('leave the field out where it may be dropped, and count that', async () => {
    const made = await mapped({ phone: { ...TEL, on_invalid: 'drop' } }, { Tel: 'none' })
    expect(made).toMatchObject({ kind: 'contact', mended: ['phone'] })
    expect('contact' in made && made.contact).not.toHaveProperty('phone')
    const all = await mapped({ date_of_birth: BORN }, { Born: 'x' }, { on_invalid: 'drop' })
    expect(all).toMatchObject({ kind: 'contact', mended: ['date_of_birth'] })
  })

  it('take a date that says nothing for a blank', async () => {
    const cells = { Born: '00.00.0000' }
    const kept = await mapped({ date_of_birth: BORN }, cells)
    expect('contact' in kept && kept.contact).not.toHaveProperty('date_of_birth')
    expect(await mapped({ date_of_birth: BORN }, cells, { blank: 'clear' })).toMatchObject({
      contact: { date_of_birth: '' },
    })
    expect(await mapped({ date_of_birth: { ...BORN, default: '1980-01-01' } }, cells)).toMatchObject({
      contact: { date_of_birth: '1980-01-01T12:00:00+00:00' },
    })
  })

  it('come behind transforms and lookup, and before the default', async () => {
    const land = {
      column: 'Land',
      lookup: { Bayern: 'Germany' },
      otherwise: 'AT',
      country: true,
      default: 'CH',
    }
    expect(await mapped({ ba_country: land }, { Land: 'Bayern' })).toMatchObject({
      contact: { ba_country: 'DE' },
    })
    expect(await mapped({ ba_country: land }, { Land: '' })).toMatchObject({ contact: { ba_country: 'CH' } })
    const exceptions = { column: 'Land', lookup: { Congo: 'CG', unknown: null }, country: true }
    for (const [Land, code] of [
      ['congo', 'CG'],
      ['Österreich', 'AT'],
      ['unknown', undefined],
    ] as const) {
      const made = await mapped({ ba_country: exceptions }, { Land })
      expect('contact' in made && made.contact['ba_country']).toBe(code)
    }
    const born = { ...BORN, transform: [{ name: 'replace', options: { find: 'born ', with: '' } }] }
    expect(await mapped({ date_of_birth: born }, { Born: 'born 1.2.80' })).toMatchObject({
      contact: { date_of_birth: '1980-02-01T12:00:00+00:00' },
    })
  })

  it('read years of two digits by the date of the file', async () => {
    expect(await mapped({ date_of_birth: BORN }, { Born: '23.11.26' })).toMatchObject({
      contact: { date_of_birth: '1926-11-23T12:00:00+00:00' },
    })
    const until = { ...BORN, two_digit_years_until: 30 }
    expect(await mapped({ date_of_birth: until }, { Born: '23.11.26' })).toMatchObject({
      contact: { date_of_birth: '2026-11-23T12:00:00+00:00' },
    })
  })

  it('are not there for a mapping that was compiled without them', () => {
    const pipeline = pipelineSettings({ map: { phone: TEL } })
    expect(() => compileMapping(pipeline, ['no', 'Tel'])).toThrow('was not loaded')
  })
})

describe('the type of a number', () => {
  const type = { phone_type_of: 'phone' as const, otherwise: 'work' }
  it.each([
    ['0171 1234567', 'mobile'],
    ['030 901820', 'work'],
    ['+1 212 555 0123', 'work'],
    ['', undefined],
  ])('of %s is %s', async (Tel, expected) => {
    const made = await mapped({ phone: TEL, phone_type: type }, { Tel })
    expect('contact' in made && made.contact['phone_type']).toBe(expected)
  })

  it('is left out without `otherwise`, and where there is no number', async () => {
    const plain = { phone_type_of: 'phone' as const }
    const fixed = await mapped({ phone: TEL, phone_type: plain }, { Tel: '030 901820' })
    expect('contact' in fixed && fixed.contact).not.toHaveProperty('phone_type')
    const none = await mapped({ phone: { ...TEL, on_invalid: 'drop' }, phone_type: type }, { Tel: 'none' })
    expect('contact' in none && none.contact).not.toHaveProperty('phone_type')
  })

  it('goes with a number for which the file has no column', async () => {
    const pick = { label: ['Phone * - Type'], value: 'Phone * - Value', of: ['Mobile'], except: [] }
    const phone = { pick, optional: true, phone: 'DE' }
    const clears = { blank: 'clear' } as const
    const made = await mapped({ phone, phone_type: type }, {}, clears)
    expect('contact' in made && made.contact).not.toHaveProperty('phone_type')
  })
})
