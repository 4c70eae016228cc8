// Columns that a file may lack, and fields without which a record is skipped.
import { describe, expect, it } from 'vitest'
import { changedFields, nextKnown } from '../../../src/core/change/diff.ts'
import { compileMapping, type MappedRecord, optionalColumns } from '../../../src/core/mapping/mapping.ts'
import type { FieldMapping } from '../../../src/core/mapping/mapping-schema.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { nearlyFound } from '../../../src/core/mapping/optional.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const MAIL = { mail: { column: 'mail' } }

function mapRow(changes: Partial<PipelineSettings>, row: Record<string, string>): MappedRecord {
  const pipeline = pipelineSettings({ map: MAIL, ...changes })
  return compileMapping(pipeline, Object.keys(row)).map({
    kind: 'record',
    values: Object.values(row),
    line: 2,
  })
}

const ROW = { no: '1', mail: 'a@example.com' }

/** What becomes of the field under each header, blanks clearing; '(refused)' where the file is. */
function made(mapping: FieldMapping, row: Record<string, string>): unknown {
  try {
    const mapped = mapRow({ blank: 'clear', map: { ...MAIL, company: mapping } }, { ...ROW, ...row })
    return mapped.kind === 'contact' ? mapped.contact['company'] : mapped
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

describe('an optional field', () => {
  it.each<[string, FieldMapping]>([
    ['a column', { column: 'A' }],
    ['several columns', { columns: ['A', 'B'] }],
    ['a template', { template: '{A} {C}' }],
    ['an expression', { expression: 'record["A"] + record["C"]' }],
  ])('of %s is left alone where the file lacks it, even if blanks clear', (_, mapping) => {
    expect(made(mapping, { X: 'x' })).toContain('column "A" (map.company) is not in the header')
    expect(made({ ...mapping, optional: true }, { X: 'x' })).toBeUndefined()
    expect(made({ ...mapping, optional: true }, { A: '', B: '', C: '' })).toBe('')
    expect(made({ ...mapping, optional: true, default: 'none' }, { X: 'x' })).toBeUndefined()
  })

  it('of several alternatives needs one; of columns that are put together it needs all', () => {
    expect(made({ columns: ['A', 'B'], optional: true }, { B: 'b' })).toBe('b')
    expect(made({ template: '{A} {C}', optional: true }, { A: 'a' })).toBeUndefined()
    expect(made({ expression: 'record["A"] + record["C"]', optional: true }, { C: 'c' })).toBeUndefined()
  })

  it.each([
    ['"A" in record ? record["A"] : record["C"]', { A: 'a', C: 'c' }, 'a'],
    ['"A" in record ? record["A"] : record["C"]', { C: 'c' }, 'c'],
    ['"A" in record ? record["A"] : record["C"]', { A: 'a' }, undefined],
    ['has(record.A) ? record.A : has(record.B) ? record.B : "none"', { b: 'x' }, 'x'],
    ['has(record.A) ? "1" : "B" in record ? "2" : ""', { B: '' }, '2'],
    ['has(record.A) ? "1" : "B" in record ? "2" : ""', { X: 'x' }, undefined],
    ['"A" in record ? "1" : "2"', { ' a ': '' }, '1'],
  ])('%s of %j is %s: a column that is asked about may be lacking', (expression, row, expected) => {
    expect(made({ expression, optional: true }, row)).toBe(expected)
  })

  it.each([
    ['Straße geschäftlich', 'Stra\uFFFDe gesch\uFFFDftlich'],
    ['Straße geschäftlich', 'STRA\uFFFD\uFFFDE GESCH\uFFFD\uFFFDFTLICH'],
    ['Größe', 'Gr\uFFFD\uFFFDe'],
    ['Büro', 'B\uFFFDro'],
  ])('%s is not lacking in a file that has %s: the file is refused', (column, damaged) => {
    expect(made({ column, optional: true }, { [damaged]: 'x' })).toContain(`column "${column}" (map.company)`)
  })

  it.each<FieldMapping>([
    { columns: ['Firma', 'Büro'], optional: true },
    { expression: '"Büro" in record ? record["Büro"] : record["Firma"]', optional: true },
  ])('a damaged column is missed beside another that is there: %j', (mapping) => {
    expect(made(mapping, { Firma: 'x', 'B\uFFFDro': 'y' })).toContain('column "Büro" (map.company)')
    expect(made(mapping, { Firma: 'x' })).toBe('x')
  })

  it.each(['B\uFFFDro 2', 'Stra\uFFFDe', '\uFFFDro', 'Bro\uFFFD', 'Bro'])(
    'is no damaged Büro: %s',
    (name) => {
      expect(made({ column: 'Büro', optional: true }, { [name]: 'x' })).toBeUndefined()
    },
  )

  it('an expression that asks about all of its columns can do without any of them', () => {
    const expression = '"A" in record ? "1" : "2"'
    expect(made({ expression }, { X: 'x' })).toBe('2')
    expect(made({ expression }, { A: 'x' })).toBe('1')
  })

  it('whose column is there twice is refused all the same', () => {
    const pipeline = pipelineSettings({ map: { ...MAIL, company: { column: 'A', optional: true } } })
    expect(() => compileMapping(pipeline, ['no', 'mail', 'A', 'A'])).toThrow('occurs several times')
  })

  it('takes its custom field along, and a needed column stays needed', () => {
    const changes = {
      map: { ...MAIL, company: { column: 'A', optional: true }, job_title: { column: 'B', optional: true } },
      skip_without: ['job_title'],
    }
    expect(() => mapRow(changes, ROW)).toThrow('column "B" (map.job_title) is not in the header')
    const mailKey = { key: undefined, map: { mail: { column: 'M', optional: true } } }
    expect(() => mapRow(mailKey, { no: '1' })).toThrow('column "M" (map.mail) is not in the header')
  })

  it('that is perhaps misspelt is named with the column that was perhaps meant', () => {
    const map = {
      ...MAIL,
      company: { column: 'Firme', optional: true },
      phone: { columns: ['mali', 'Telefon'], optional: true },
      fax: { column: 'Fax', optional: true },
    }
    const pipeline = pipelineSettings({ map })
    expect(nearlyFound(pipeline, ['no', 'mail', 'Firma', 'Fax', 'Street'])).toEqual([
      'no column "Firme" (map.company, optional); the nearest is "Firma"',
    ])
    expect(nearlyFound(pipeline, ['no', 'mail', 'Firme', 'Telefon', 'Firma'])).toEqual([])
  })

  it('empties nothing over several files, and a later file with the column is compared with what was sent', () => {
    const map = { ...MAIL, company: { column: 'A', optional: true } }
    const contactOf = (row: Record<string, string>) => {
      const mapped = mapRow({ map, blank: 'clear' }, { ...ROW, ...row })
      return mapped.kind === 'contact' ? mapped.contact : {}
    }
    let known = nextKnown({}, contactOf({ A: 'ACME' }))
    expect(changedFields(contactOf({}), known, [])).toEqual({})
    known = nextKnown(known, contactOf({}))
    expect(changedFields(contactOf({ A: 'ACME' }), known, [])).toEqual({})
    expect(changedFields(contactOf({ A: 'Other' }), known, [])).toEqual({ company: 'Other' })
    expect(changedFields(contactOf({ A: '' }), known, [])).toEqual({ company: '' })
  })

  it('leaves to sources without a header only the columns that nobody else names', () => {
    const pipeline = pipelineSettings({
      key: ['no'],
      where: 'record["S"] != ""',
      map: {
        mail: { column: 'mail' },
        company: { columns: ['no', 'S', 'mail', 'A'], optional: true },
        phone: { pick: { label: ['L*'], value: 'V*', of: ['x'], except: [] }, optional: true },
      },
    })
    const optional = optionalColumns(pipeline)
    expect(optional).toContain('A')
    expect(optional).toContain('V1')
    for (const needed of ['no', 'S', 'mail']) expect(optional).not.toContain(needed)
  })
})

describe('skip_without', () => {
  const map = { ...MAIL, company: { column: 'A' }, mail_status: { column: 'S' } }
  it.each<[string, Partial<PipelineSettings>, Record<string, string>, unknown]>([
    ['a blank field', {}, { A: '' }, { kind: 'skipped', key: undefined }],
    ['a filled field', {}, { A: 'x' }, { kind: 'contact' }],
    ['a blank that clears', { blank: 'clear' }, { A: ' ' }, { kind: 'skipped' }],
    ['another field that is invalid', {}, { A: '', S: '9' }, { kind: 'skipped' }],
    ['a full export, by its key', { mode: 'full' }, { A: '' }, { kind: 'skipped', key: '1' }],
    ['a full export without a key', { mode: 'full' }, { A: '', no: '' }, { kind: 'skipped', key: undefined }],
  ])('%s', (_, changes, row, expected) => {
    const whole = { ...ROW, A: '', S: '3', ...row }
    expect(mapRow({ map, skip_without: ['company'], ...changes }, whole)).toMatchObject(expected as object)
  })

  it('counts a value that is invalid as there, whatever becomes of it', () => {
    const changes = { map: MAIL, skip_without: ['mail'] }
    expect(mapRow(changes, { no: '1', mail: 'nonsense' })).toMatchObject({
      kind: 'rejected',
      code: 'MAIL_INVALID',
    })
    expect(mapRow({ ...changes, on_invalid: 'drop' }, { no: '1', mail: 'nonsense' })).toMatchObject({
      kind: 'contact',
    })
    expect(mapRow({ ...changes, key: undefined }, { no: '1', mail: '' })).toMatchObject({ kind: 'skipped' })
  })
})
