// Custom fields and numbers: what becomes of a text under a definition, and what is wrong with a mapping.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { customFieldFindings, definitionChange } from '../../../src/core/mapping/custom-fields.ts'
import { compileMapping } from '../../../src/core/mapping/mapping.ts'
import { parseNumber } from '../../../src/core/words/number.ts'
import type { CustomFieldDefinition } from '../../../src/core/ports.ts'
import type { FieldMapping } from '../../../src/core/mapping/mapping-schema.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const definition = (type: string, changes: Partial<CustomFieldDefinition> = {}): CustomFieldDefinition => ({
  id: 7,
  name: 'f',
  label: '',
  description: '',
  type,
  required: false,
  multiple: undefined,
  ...changes,
})

const findings = (mapping: FieldMapping, one: CustomFieldDefinition, key = '{field_name}') =>
  customFieldFindings(pipelineSettings({ custom_fields: { f: mapping } }), [one], key)

/** The field as it would be sent, or why the record is rejected. */
function mapped(mapping: FieldMapping, one: CustomFieldDefinition, value: string): unknown {
  const pipeline = pipelineSettings({
    key: undefined as never,
    map: { mail: { value: 'a@x.de' } },
    custom_fields: { f: { column: 'c', ...mapping } },
  })
  const mapper = compileMapping(pipeline, ['c'], customFieldFindings(pipeline, [one], '{field_name}'))
  const record = mapper.map({ kind: 'record', values: [value], line: 2, text: undefined } as never)
  if (record.kind === 'contact') return record.contact['f']
  return record.kind === 'rejected' ? record.reason : record.kind
}

describe('values by type', () => {
  it.each([
    ['text_textfield', {}, '0042', '0042'],
    [
      'text',
      {},
      'x'.repeat(256),
      `custom_fields.f: "c" ("${'x'.repeat(60)}…") has 256 characters, 255 are allowed`,
    ],
    [
      'text',
      { size: 8 },
      'x'.repeat(9),
      'custom_fields.f: "c" ("xxxxxxxxx") has 9 characters, 8 are allowed',
    ],
    ['text', { size: 8, on_invalid: 'truncate' }, 'x'.repeat(9), 'x'.repeat(8)],
    ['integer', {}, '42', 42],
    ['integer', {}, '4,2', expect.stringContaining('is no integer')],
    ['integer', { number: {} }, '1.234.567', 1234567],
    ['integer', { number: {} }, '1,5', expect.stringContaining('is no integer')],
    ['float', {}, '1.5', 1.5],
    ['float', { number: {} }, '1.234,56', 1234.56],
    ['number', {}, '9007199254740993', expect.stringContaining('too large')],
    ['options_select', {}, 'de', 'de'],
    ['options_select', { split: ';' }, 'de;en', 'de;en'],
    ['options_buttons', { split: ';' }, ' b ;a;;b', ['a', 'b']],
    ['options_buttons', {}, 'a;b', ['a;b']],
    ['options_buttons', { split: ';' }, ' ; ', undefined],
    ['options_buttons', { split: ';', blank: 'clear' }, ';', ''],
    ['options_buttons', { split: ';', default: 'a' }, ';', ['a']],
    ['constructor', {}, 'as it is', 'as it is'],
    ['checkbox_confirmation', {}, 'Ja', 1],
    ['checkbox_confirmation', {}, 'false', 0],
    ['checkbox_confirmation', {}, 'maybe', expect.stringContaining('neither yes nor no')],
    ['something_new', {}, 'as it is', 'as it is'],
    ['text', {}, 'M\uFFFDller', expect.stringContaining('replacement character')],
    ['text', {}, '', undefined],
    ['text', { blank: 'clear' }, '', ''],
    ['text', { default: 'd' }, '', 'd'],
  ] as const)('%s %j: %j', (type, mapping, value, expected) => {
    expect(mapped(mapping as FieldMapping, definition(type), value)).toEqual(expected)
  })

  it('a definition that says so makes one value of several, or several of one', () => {
    expect(mapped({ split: ',' }, definition('selection', { multiple: true }), 'b,a')).toEqual(['a', 'b'])
    expect(mapped({}, definition('options_buttons', { multiple: false }), 'a')).toBe('a')
    // Only a selection can have several values (interface, 2.3); a text stays one, whatever else its definition says.
    expect(mapped({ split: ',' }, definition('text_textfield', { multiple: true }), 'b,a')).toBe('b,a')
  })

  it('a required field must not be emptied; one that is only blank is left to what is known of the contact', () => {
    const must = definition('text', { required: true })
    expect(mapped({ blank: 'clear' }, must, '')).toContain('is blank, and the service requires')
    const several = definition('options_buttons', { required: true })
    expect(mapped({ split: ';', blank: 'clear' }, several, ';')).toContain('is blank, and the service')
    expect(mapped({}, must, '')).toBeUndefined()
    expect(mapped({ on_invalid: 'drop', blank: 'clear' }, must, '')).toBeUndefined()
  })
})

describe('a mapping against the definitions', () => {
  it('names what the service does not have, with the nearest', () => {
    const pipeline = pipelineSettings({ custom_fields: { shoesize: { column: 'a' }, zzz: { column: 'b' } } })
    const all = [definition('integer', { name: 'shoe_size' }), definition('text', { id: 8, name: 'nick' })]
    expect(customFieldFindings(pipeline, all, '{field_name}').problems).toEqual([
      'map.custom_fields.shoesize: the service has no such field; did you mean shoe_size?',
      'map.custom_fields.zzz: the service has no such field; it has shoe_size, nick',
    ])
  })

  it('says how many names it does not list', () => {
    const pipeline = pipelineSettings({ custom_fields: { zzzzzz: { column: 'a' } } })
    const all = Array.from({ length: 40 }, (_, id) => definition('text', { id, name: `field_number_${id}` }))
    expect(customFieldFindings(pipeline, all, '{field_name}').problems).toEqual([
      expect.stringContaining('field_number_11 and 28 more; contact-sync fields lists them'),
    ])
  })

  it('gives each field its key, and refuses one that is taken', () => {
    expect(findings({}, definition('text'), 'field_{field_id}').rules).toMatchObject([{ key: 'field_7' }])
    expect(findings({}, definition('text', { name: 'f' }), 'mail').problems).toEqual([
      'map.custom_fields.f: its key "mail" is that of a field of every contact; see service.custom_field_key',
    ])
  })

  it('warns of unknown types, and of required fields that are not mapped', () => {
    const { warnings } = customFieldFindings(
      pipelineSettings({ custom_fields: { f: {} } }),
      [definition('odd'), definition('text', { id: 9, name: 'must', required: true })],
      '{field_name}',
    )
    expect(warnings).toEqual([
      'custom field f has the type odd, which is not known; its text is sent unchanged',
      'custom field must is required by the service, and the pipeline does not map it',
    ])
  })

  it('warns of a split for a field of one value', () => {
    const split = { f: { column: 'a', split: ';' } }
    const warningsOf = (type: string): readonly string[] =>
      customFieldFindings(pipelineSettings({ custom_fields: split }), [definition(type)], '{field_name}')
        .warnings
    expect(warningsOf('options_select')).toEqual([
      'custom field f takes one value (options_select): split has no effect, the text is sent whole',
    ])
    expect(warningsOf('options_buttons')).toEqual([])
  })

  it('has another print when a type changes, and not when a label does', () => {
    const print = (one: CustomFieldDefinition) => findings({}, one).print
    expect(print(definition('text'))).not.toBe(print(definition('integer')))
    expect(print(definition('text'))).toBe(print(definition('text', { label: 'other' })))
    const pipeline = pipelineSettings({ custom_fields: { a: { column: 'a' }, b: { column: 'b' } } })
    const two = [definition('text', { name: 'a' }), definition('text', { id: 8, name: 'b' })]
    const other = customFieldFindings(pipeline, two.toReversed(), '{field_name}').print
    expect(customFieldFindings(pipeline, two, '{field_name}').print).toBe(other)
    expect(definitionChange(definition('text'), definition('integer'))).toBe('type from text to integer')
    expect(definitionChange(definition('text'), definition('text'))).toBeUndefined()
  })
})

describe('numbers as people write them', () => {
  it.each([
    ['1.234,56', undefined, '1234.56'],
    ['1,234.56', undefined, '1234.56'],
    ['1 234,5', undefined, '1234.5'],
    ["1'234.5", undefined, '1234.5'],
    ['1.234.567', undefined, '1234567'],
    ['-3', undefined, '-3'],
    ['+4', undefined, '4'],
    ['\u22125', undefined, '-5'],
    ['0,125', undefined, '0.125'],
    ['0.125', undefined, '0.125'],
    ['007', undefined, '7'],
    ['-0,0', undefined, '0'],
    ['12,5', undefined, '12.5'],
    ['1.234', ',', '1234'],
    ['1.234', '.', '1.234'],
    ['12.34', ',', undefined],
    ['1.234', undefined, undefined],
    ['1,234', undefined, undefined],
    ['1e3', undefined, undefined],
    ['1.23.456', undefined, undefined],
    ['1,2,3', undefined, undefined],
    ['5,', undefined, undefined],
    ['42 43', undefined, undefined],
    ['1 5', ',', undefined],
    ['42\n43', undefined, undefined],
    ['0 125', undefined, undefined],
    ["1 234'567", undefined, undefined],
    ['- 3', undefined, '-3'],
    ['1 234 567,8', undefined, '1234567.8'],
    ['', undefined, undefined],
    ['abc', undefined, undefined],
    ['١٢', undefined, undefined],
  ] as const)('%j with %j', (value, decimal, expected) => {
    const parsed = parseNumber(value, decimal)
    expect('text' in parsed ? parsed.text : undefined).toBe(expected)
  })

  it('says how to tell thousands from decimals', () => {
    expect(parseNumber('1.234', undefined)).toMatchObject({
      problem: expect.stringContaining('decimal: ","') as string,
    })
  })

  it('are read back as they were written, in either way of writing', () => {
    const number = fc.tuple(
      fc.integer({ min: -999_999_999, max: 999_999_999 }),
      fc.integer({ min: 0, max: 99 }),
    )
    fc.assert(
      fc.property(number, fc.constantFrom('de-DE', 'en-US', 'fr-FR', 'de-CH'), ([whole, cents], locale) => {
        const value = Number(`${whole}.${String(cents).padStart(2, '0')}`)
        const text = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(value)
        const parsed = parseNumber(text, undefined)
        expect('text' in parsed && Number(parsed.text)).toBe(value === 0 ? 0 : value)
      }),
    )
  })
})
