// The rules for texts in a mapping: names, addresses, values to leave out, expressions, and terms that are transformed.
import { describe, expect, it } from 'vitest'
import { compileExpression } from '../../../src/core/mapping/cel/condition.ts'
import { NO_CUSTOM_FIELDS } from '../../../src/core/mapping/custom-fields.ts'
import { compileMapping, type MappedRecord, wantedColumns } from '../../../src/core/mapping/mapping.ts'
import type { FieldMapping } from '../../../src/core/mapping/mapping-schema.ts'
import { loadRuleKit } from '../../../src/core/mapping/values/rule-kit.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

async function mapRow(
  changes: Partial<PipelineSettings>,
  row: Record<string, string>,
): Promise<MappedRecord> {
  const pipeline = pipelineSettings({ map: { mail: { column: 'mail' } }, ...changes })
  const whole = { no: '1', mail: 'a@example.com', ...row }
  const kit = await loadRuleKit(pipeline, { writtenAt: 0 })
  const mapper = compileMapping(pipeline, Object.keys(whole), NO_CUSTOM_FIELDS, kit)
  return mapper.map({ kind: 'record', values: Object.values(whole), line: 2 })
}

async function field(name: string, mapping: FieldMapping, row: Record<string, string>): Promise<unknown> {
  const mapped = await mapRow({ map: { mail: { column: 'mail' }, [name]: mapping } }, row)
  if (mapped.kind === 'contact') return mapped.contact[name]
  return mapped.kind === 'rejected' ? mapped.reason : mapped.kind
}

describe('a field made of a full name or of a list of addresses', () => {
  it.each<[string, FieldMapping, string, unknown]>([
    ['title2', { column: 'A', name: 'title2' }, 'Dr. Anna von der Heide', 'dr'],
    ['first_name', { column: 'A', name: 'first' }, 'Dr. Anna von der Heide', 'Anna'],
    ['family_name', { column: 'A', name: 'family' }, 'Heide, Anna von der', 'von der Heide'],
    ['title', { column: 'A', name: 'title' }, 'Anna Berger', undefined],
    [
      'first_name',
      { column: 'A', name: 'first', transform: [{ name: 'title_case', options: undefined }] },
      'anna berger',
      'Anna',
    ],
    ['first_name', { column: 'A', name: 'first', on_invalid: 'drop' }, 'Madonna', undefined],
    ['first_name', { column: 'A', name: 'first', default: 'friend' }, 'Herr Müller', 'friend'],
    ['mail2', { column: 'A', address: 2 }, 'Nea <n@x.example.com>; m@x.example.com', 'm@x.example.com'],
    ['mail2', { column: 'A', address: 1 }, 'mailto:n@x.example.com', 'n@x.example.com'],
    ['mail2', { column: 'A', address: 2 }, 'n@x.example.com', undefined],
  ])('%s of %o', async (name, mapping, value, expected) => {
    expect(await field(name, mapping, { A: value })).toEqual(expected)
  })

  it('is invalid with a reason where the text is not sure', async () => {
    expect(await field('family_name', { column: 'A', name: 'family' }, { A: 'Müller Anna' })).toBe(
      'family_name: "A" ("Müller Anna") may have the family name first; write "Family, First", or map two columns',
    )
    expect(await field('mail2', { column: 'A', address: 1 }, { A: 'by telephone' })).toBe(
      'mail2: "A" ("by telephone") contains no e-mail address',
    )
    expect(await field('mail2', { column: 'A', address: 1 }, { A: 'n@x' })).toContain(
      'is not a valid e-mail address',
    )
  })

  it.each([
    ['mail', 'Nea <n@x.example.com>', 'is not a valid e-mail address; the rule address: 1 takes the first'],
    ['mail', 'n@x.example.com, m@x.example.com', 'the rule address: 1 takes the first one of a text'],
    ['date_of_birth', '31.12.1980', '; the rule date reads other forms'],
    ['ba_country', 'Germany', '; the rule country: true reads names and other codes'],
  ])('names the rule that reads it: %s of %s', async (name, value, expected) => {
    expect(await field(name, { column: 'A' }, { A: value })).toContain(expected)
  })

  it('names none where no part is an address', async () => {
    expect(await field('mail', { column: 'A' }, { A: 'n @x.example.com' })).toMatch(/e-mail address$/)
  })
})

describe('unless', () => {
  it.each<[FieldMapping, Record<string, string>, unknown]>([
    [{ column: 'A', unless: '^(privat|-)$' }, { A: 'privat' }, undefined],
    [{ column: 'A', unless: '^(privat|-)$' }, { A: ' - ' }, undefined],
    [{ column: 'A', unless: '^(privat|-)$' }, { A: 'Privatbank' }, 'Privatbank'],
    [{ column: 'A', unless: '(?i)^privat$' }, { A: 'PRIVAT' }, undefined],
    [
      { column: 'A', unless: '^privat$', transform: [{ name: 'lower', options: undefined }] },
      { A: 'PRIVAT' },
      undefined,
    ],
    [{ columns: ['A', 'B'], unless: '^-$' }, { A: '-', B: 'ACME' }, 'ACME'],
    [{ template: '{A}, {B}', unless: '^-$' }, { A: '-', B: 'ACME' }, 'ACME'],
    [{ column: 'A', unless: '^-$', default: 'none' }, { A: '-' }, 'none'],
  ])('%o of %o', async (mapping, row, expected) => {
    expect(await field('company', mapping, row)).toEqual(expected)
  })
})

describe('an expression', () => {
  it.each<[string, Record<string, string>, unknown]>([
    ['record["P"] + ", " + record["D"]', { P: 'Lead', D: 'Sales' }, 'Lead, Sales'],
    ['record.P == "" ? record.D : record.P', { P: '', D: 'Sales' }, 'Sales'],
    ['string(size(record))', { P: 'Lead' }, '3'],
    ['size(record["P"])', { P: 'Lead' }, '4'],
    ['double(record["P"]) * 2.0', { P: '1.25' }, '2.5'],
    ['record["P"].split(";").filter(p, p.startsWith("L")).join("+")', { P: 'Lead;Head;Law' }, 'Lead+Law'],
    ['record["P"] == "x" ? record["D"] : ""', { P: 'y', D: 'Sales' }, undefined],
  ])('%s over %o', async (expression, row, expected) => {
    expect(await field('job_title', { expression }, row)).toEqual(expected)
  })

  it('takes null values and values of unless for blanks, and names its columns', async () => {
    const pipeline = pipelineSettings({
      key: ['no'],
      map: { job_title: { expression: 'record["P"] + record.D' } },
    })
    expect(wantedColumns(pipeline)).toEqual(['no', 'P', 'D'])
    const changes = {
      source: { type: 'csv', null_values: ['n/a'] },
      map: {
        mail: { column: 'mail' },
        job_title: { expression: 'record["P"] + record["D"]', unless: '^-$' },
      },
    }
    expect(await mapRow(changes, { P: 'n/a', D: '-' })).not.toHaveProperty('contact.job_title')
    expect(await mapRow(changes, { P: 'n/a', D: 'Sales' })).toHaveProperty('contact.job_title', 'Sales')
  })

  it('that fails makes the field invalid, without a value in the reason', async () => {
    const reason = await field('job_title', { expression: 'string(bool(record["P"]))' }, { P: 'secret word' })
    expect(reason).toMatch(/^job_title: the expression cannot be evaluated/)
    expect(reason).not.toContain('secret')
  })

  it.each([
    ['contact.mail', 'uses contact, of which the field is a part'],
    ['record["A"].split(",")', 'gives list'],
    ['record["A"] +', '(at character'],
    ['rekord["A"]', '(at character 1)'],
    ['record["A"].matches("(a+)+$")', 'matches() can run without end'],
    ['["a"].map(a, ["b"].map(b, a + b)).size()', 'walks through a list within a list'],
  ])('%s is refused when it is read', (expression, problem) => {
    const compiled = compileExpression(expression)
    expect('problem' in compiled ? compiled.problem : 'none').toContain(problem)
  })
})

describe('terms of a column', () => {
  it('are transformed one by one, and blank ones are none', async () => {
    const assign = [
      {
        column: 'Tags',
        split: ';',
        transform: [
          { name: 'replace', options: { find: '#', with: '' } },
          { name: 'lower', options: undefined },
        ],
      },
    ]
    const terms = { policy: 'add', create_missing: true, assign, descriptions: {}, verify: true } as const
    const source = { type: 'csv', null_values: ['none'] }
    expect(await mapRow({ terms, source }, { Tags: '#VIP; Blue ;#;NONE;vip' })).toHaveProperty('terms', [
      'vip',
      'blue',
    ])
  })
})
