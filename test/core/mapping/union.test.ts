// Several rows of one key as one record.
import { describe, expect, it } from 'vitest'
import { fingerprint, recordFingerprint } from '../../../src/core/change/fingerprint.ts'
import { NO_CUSTOM_FIELDS } from '../../../src/core/mapping/custom-fields.ts'
import { compileMapping } from '../../../src/core/mapping/mapping.ts'
import type { FieldMapping } from '../../../src/core/mapping/mapping-schema.ts'
import type { SourceRecord } from '../../../src/core/mapping/record.ts'
import { unitedMapper } from '../../../src/core/mapping/union.ts'
import { loadRuleKit, NO_RULES } from '../../../src/core/mapping/values/rule-kit.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const HEADER = ['no', 'mail', 'first', 'last', 'phone', 'tags']
const TERMS: PipelineSettings['terms'] = {
  ...pipelineSettings().terms,
  assign: [{ column: 'tags', split: '|' }],
}

const rulesFor = (map: PipelineSettings['map']) => loadRuleKit(pipelineSettings({ map }), { writtenAt: 0 })
const COUNTRY = await rulesFor({ ba_country: { column: 'last', country: true } })
const PHONE = await rulesFor({
  phone: { column: 'phone', phone: 'DE' },
  phone_type: { phone_type_of: 'phone' },
})

const mapperOf = (changes: Partial<PipelineSettings> = {}, kit = NO_RULES) => {
  const pipeline = pipelineSettings({ on_duplicate_key: 'union', ...changes })
  return unitedMapper(compileMapping(pipeline, HEADER, NO_CUSTOM_FIELDS, kit), pipeline)
}

const recordOf = (...rows: string[][]): SourceRecord => {
  const all = rows.map((values, index) => ({ values, line: index + 2 }))
  return { kind: 'record', ...all.at(-1)!, rows: all }
}

const map = (rows: string[][], changes: Partial<PipelineSettings> = {}) =>
  mapperOf({ terms: TERMS, ...changes }).map(recordOf(...rows))

describe('a record of several rows', () => {
  it('is blank in what all of its rows lack, of fields that have owners', () => {
    const owners = { phone: [{ pipeline: 'shop', missingIn: 1 }] }
    const blankOf = (...phones: string[]) => {
      const rows = phones.map((phone) => ['K1', 'a@example.com', '', 'Ash', phone, ''])
      const mapped = map(rows, { owners })
      return mapped.kind === 'contact' ? mapped.blank : 'not mapped'
    }
    expect([blankOf(''), blankOf('', ''), blankOf('', '1'), blankOf('1', '')]).toEqual([
      ['phone'],
      ['phone'],
      undefined,
      undefined,
    ])
    expect(map([['K1', 'a@example.com', '', 'Ash', '', '']], { owners, blank: 'clear' })).not.toHaveProperty(
      'blank',
    )
    expect(map([['K1', 'a@example.com', '', 'Ash', '', '']])).not.toHaveProperty('blank')
  })

  it('has each field of the last row that has a value, and the terms of all', () => {
    const mapped = map([
      ['K1', 'old@example.com', 'Ann', 'Ash', '1', 'Red|Blue'],
      ['K1', 'a@example.com', '', 'Birch', '', 'blue|Green'],
      ['K1', '', 'Anna', '', '', ''],
    ])
    expect(mapped).toMatchObject({
      kind: 'contact',
      key: 'K1',
      contact: { first_name: 'Anna', family_name: 'Birch', mail: 'a@example.com', phone: '1' },
      terms: ['Red', 'Blue', 'Green'],
    })
  })

  it('has its fields in one order, whatever the rows lack', () => {
    const first = map([
      ['K1', 'a@example.com', '', '', '1', ''],
      ['K1', '', 'Ann', 'Ash', '', ''],
    ])
    const second = map([
      ['K1', '', 'Ann', 'Ash', '', ''],
      ['K1', 'a@example.com', '', '', '1', ''],
    ])
    expect(JSON.stringify(first)).toBe(JSON.stringify(second))
  })

  it('clears a field only where no row has a value', () => {
    const mapped = map(
      [
        ['K1', 'a@example.com', 'Ann', '', '1', ''],
        ['K1', 'a@example.com', 'Ann', '', '', ''],
      ],
      { blank: 'clear' },
    )
    expect(mapped).toMatchObject({ contact: { family_name: '', phone: '1' } })
  })

  const valued = (row: string[]) => ({ kind: 'record', values: row, line: 9 }) as const

  it('has a default only where no row has a value', () => {
    const changes = { map: { ba_country: { column: 'last', country: true, default: 'DE' } } }
    const austrian = ['K1', '', '', 'AT', '', '']
    const unsaid = ['K1', '', '', '', '', '']
    const made = (...rows: string[][]) => {
      const mapper = mapperOf({ ...changes, blank: 'clear' }, COUNTRY)
      return [mapper.map(recordOf(...rows)), mapper.seen(recordOf(...rows), 'ba_country')?.made]
    }
    expect(made(austrian, unsaid)).toMatchObject([{ contact: { ba_country: 'AT' } }, 'AT'])
    expect(made(unsaid, austrian)).toMatchObject([{ contact: { ba_country: 'AT' } }, 'AT'])
    expect(made(unsaid, unsaid)).toMatchObject([{ contact: { ba_country: 'DE' } }, 'DE'])
    expect(mapperOf(changes, COUNTRY).map(valued(unsaid))).toMatchObject({ contact: { ba_country: 'DE' } })
  })

  describe('with phone_type_of', () => {
    const mobile = ['K1', '', '', '', '0171 1234567', '']
    const fixed = ['K1', '', '', '', '030 901820', '']
    const none = ['K1', '', '', '', '', '']
    const typed = (rows: string[][], changes: Partial<PipelineSettings> = {}, phone: FieldMapping = {}) => {
      const map = {
        phone: { column: 'phone', phone: 'DE', ...phone },
        phone_type: { phone_type_of: 'phone' },
      } as const
      const mapper = mapperOf({ map, ...changes }, PHONE)
      const mapped = mapper.map(recordOf(...rows))
      const contact = mapped.kind === 'contact' ? mapped.contact : undefined
      expect(mapper.seen(recordOf(...rows), 'phone_type')?.made).toBe(contact?.['phone_type'])
      return contact
    }

    it('has the type of the number that it has', () => {
      expect(typed([mobile, fixed])).toEqual({ phone: '+4930901820' })
      expect(typed([mobile, fixed], { blank: 'clear' })).toEqual({ phone: '+4930901820', phone_type: '' })
      expect(typed([fixed, mobile])).toEqual({ phone: '+491711234567', phone_type: 'mobile' })
      expect(typed([mobile, none])).toEqual({ phone: '+491711234567', phone_type: 'mobile' })
      expect(typed([none, none])).toEqual({})
    })

    it('has no type of a number that was dropped, or that only stands in for one', () => {
      const broken = ['K1', '', '', '', 'none at all', '']
      expect(typed([fixed, broken], { on_invalid: 'drop' })).toEqual({ phone: '+4930901820' })
      expect(typed([fixed, none], {}, { default: '+491711234567' })).toEqual({ phone: '+4930901820' })
    })
  })

  it('is rejected where one row is, with the line of each', () => {
    const mapped = map([
      ['K1', 'a@example.com', 'Ann', 'Ash', '1', ''],
      ['K1', 'nonsense', 'Ann', 'Ash', '1', ''],
      ['K1', 'more', 'Ann', 'Ash', '1', ''],
    ])
    expect(mapped).toMatchObject({
      kind: 'rejected',
      key: 'K1',
      code: 'MAIL_INVALID',
      reason: expect.stringMatching(/^line 3: mail: .*"nonsense".*; line 4: mail: .*"more"/) as string,
      plain: expect.not.stringContaining('nonsense') as string,
    })
  })

  it('is skipped where no row has what skip_without names, and not where one has', () => {
    const [given, bare] = [
      ['K1', 'a@example.com', 'Ann', 'Ash', '1', 'Red'],
      ['K1', '', 'Anna', 'Ash', '', 'Blue'],
    ]
    const without = { skip_without: ['mail', 'phone'] } as Partial<PipelineSettings>
    expect(map([given, bare], without)).toMatchObject({ kind: 'contact', terms: ['Red', 'Blue'] })
    expect(map([bare, bare], { ...without, mode: 'full' })).toEqual({ kind: 'skipped', key: 'K1' })
    expect(map([bare, bare], without)).toEqual({ kind: 'skipped', key: undefined })
    const alone = { kind: 'record', values: bare, line: 2 } as const
    expect(mapperOf(without).map(alone)).toEqual({ kind: 'skipped', key: undefined })
    expect(mapperOf(without).keyOf(alone)).toBe('K1')
    expect(mapperOf({ ...without, key: undefined }).keyOf(alone)).toBeUndefined()
    expect(mapperOf(without).map({ ...alone, values: given })).toMatchObject({ kind: 'contact', key: 'K1' })
  })

  it('has no terms where the pipeline has nothing to do with them', () => {
    const row = ['K1', 'a@example.com', 'Ann', 'Ash', '1', 'Red']
    expect(map([row, row], { terms: pipelineSettings().terms })).toMatchObject({ terms: undefined })
  })

  it('counts what was dropped in each row, and what is odd in each', () => {
    const bad = ['K1', 'nonsense', '&uuml;', 'Ash', '1', '']
    expect(map([bad, bad], { on_invalid: 'drop' })).toMatchObject({ mended: ['mail', 'mail'] })
    const mapper = mapperOf()
    expect(mapper.odd(recordOf(bad, bad))).toEqual(['HTML entities', 'HTML entities'])
  })
})

it('the fingerprint is that of the list of its rows', () => {
  const [a, b] = [['1'], ['2']]
  const of = (...rows: string[][]): string => recordFingerprint('context', recordOf(...rows))
  expect(of(a, b)).toBe(of([...a], [...b]))
  expect(
    new Set([
      of(a, b),
      of(b, a),
      of(a, a),
      of(a),
      recordFingerprint('context', { kind: 'record', values: a, line: 1 }),
    ]).size,
  ).toBe(5)
  expect(of(a)).not.toBe(fingerprint('context', a))
})
