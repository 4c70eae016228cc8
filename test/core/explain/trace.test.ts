// The way of a value, rule by rule: the same value as the mapping makes, with and without a listener.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileTracer, unitedTrace } from '../../../src/core/explain/trace.ts'
import { NO_CUSTOM_FIELDS } from '../../../src/core/mapping/custom-fields.ts'
import { compileMapping } from '../../../src/core/mapping/mapping.ts'
import type { FieldMapping } from '../../../src/core/mapping/mapping-schema.ts'
import { unitedMapper } from '../../../src/core/mapping/union.ts'
import { loadRuleKit } from '../../../src/core/mapping/values/rule-kit.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const HEADER = ['no', 'mail', 'a', 'b', 'c']
const CELLS = [
  '',
  '-',
  ' x ',
  'Herr',
  'frau',
  '030 1234567',
  '+49 171 2345678',
  '31.12.1980',
  '0/0/00',
  'Österreich',
]
const MORE = [
  'AT',
  "Anna O'NEILL",
  'Dr. Anna von der Heide',
  '&uuml;',
  '="01067"',
  '1.234,5',
  'a@example.com; b@example.com',
]

const text = fc.oneof(fc.constantFrom(...CELLS, ...MORE), fc.string({ maxLength: 12 }))
const row = fc.tuple(
  fc.constantFrom('K1', ' K2', ''),
  fc.constantFrom('p@example.com', 'no mail', ''),
  text,
  text,
  text,
)

const TRANSFORMS = [
  { name: 'trim', options: undefined },
  { name: 'title_case', options: undefined },
  { name: 'replace', options: { find: 'x', with: 'yy' } },
  { name: 'truncate', options: 3 },
]
const from = fc.constantFrom<FieldMapping>(
  { column: 'a' },
  { columns: ['a', 'b'] },
  { template: '{a}, {b}' },
  { value: 'fixed' },
  { expression: 'record["a"] + record["b"]' },
)
const how = fc.constantFrom<FieldMapping>(
  {},
  { unless: '^(-|x)$' },
  { lookup: { Herr: 'm', frau: 'f' }, otherwise: null },
  { lookup: { Herr: 'm' } },
  { phone: 'DE' },
  { date: ['dd.MM.yyyy'] },
  { country: true },
  { name: 'family' },
  { address: 2 },
  { number: { decimal: ',' } },
  { default: 'nobody' },
)
const rest = fc.record({
  transform: fc.array(fc.constantFrom(...TRANSFORMS), { maxLength: 3 }),
  on_invalid: fc.constantFrom('reject', 'drop', 'truncate'),
  blank: fc.constantFrom('keep', 'clear'),
})
const mapping = fc
  .tuple(from, how, rest)
  .map(([one, two, three]): FieldMapping => ({ ...one, ...two, ...three }))

const pipelines = fc
  .record({
    job_title: mapping,
    ba_state: mapping,
    phone: mapping,
    phone_type: fc.constantFrom(
      undefined,
      { phone_type_of: 'phone' as const },
      { phone_type_of: 'phone' as const, otherwise: 'work' },
    ),
    repair: fc.constantFrom(undefined, ['html', 'spreadsheet'] as const),
  })
  .map(({ repair, phone_type, ...map }): PipelineSettings =>
    pipelineSettings({
      key: ['no'],
      source: { type: 'csv', null_values: ['-'] },
      map: { mail: { column: 'mail' }, ...map, ...(phone_type === undefined ? {} : { phone_type }) },
      ...(repair === undefined ? {} : { repair: [...repair] }),
      terms: {
        ...pipelineSettings().terms,
        assign: [
          { column: 'c', split: ' ', transform: [{ name: 'lower', options: undefined }] },
          { name: 'Sir', when: 'record["a"] == "Herr"' },
        ],
      },
    }),
  )

const against = async (pipeline: PipelineSettings) => {
  const kit = await loadRuleKit(pipeline, { writtenAt: Date.UTC(2026, 10, 22) })
  return {
    mapper: compileMapping(pipeline, HEADER, NO_CUSTOM_FIELDS, kit),
    trace: compileTracer(pipeline, { header: HEADER, customFields: NO_CUSTOM_FIELDS, kit }),
  }
}

describe('a traced record', () => {
  it('has the key, the values and the terms that the mapping gives, and each value is what its last rule made', async () => {
    await fc.assert(
      fc.asyncProperty(pipelines, fc.array(row, { minLength: 1, maxLength: 4 }), async (pipeline, rows) => {
        const { mapper, trace } = await against(pipeline)
        for (const values of rows) {
          const mapped = mapper.map({ kind: 'record', values, line: 2 })
          const traced = trace({ values, line: 2 })
          for (const { value, steps } of traced.fields.values())
            if (value !== undefined && value !== '') expect(steps.at(-1)?.to).toEqual(value)
          const problems = [...traced.fields].filter(
            ([, { problem, value }]) => problem !== undefined && value === undefined,
          )
          if (mapped.kind !== 'contact') {
            if (mapped.kind === 'rejected' && !['KEY_MISSING', 'WHERE_FAILED'].includes(mapped.code))
              expect(problems.length).toBeGreaterThan(0)
            continue
          }
          const fields = [...traced.fields].flatMap(([name, { value }]) =>
            value === undefined ? [] : [[name, value]],
          )
          expect([traced.key, Object.fromEntries(fields), traced.terms.map(({ name }) => name)]).toEqual([
            mapped.key,
            mapped.contact,
            mapped.terms,
          ])
          for (const { name, steps } of traced.terms) expect(String(steps.at(-1)?.to).trim()).toBe(name)
        }
      }),
    )
  })

  it('has the key of fields that the mapping gives', async () => {
    const map = { mail: { column: 'mail' }, company: { column: 'c' } }
    const pipeline = pipelineSettings({ key: undefined, household: ['mail', 'company'], map })
    const { mapper, trace } = await against(pipeline)
    const values = ['K1', 'Ash@Example.com', '', '', ' Ann  Ltd']
    expect(mapper.map({ kind: 'record', values, line: 2 })).toMatchObject({ key: 'ash@example.com|ann ltd' })
    expect(trace({ values, line: 2 }).key).toBe('ash@example.com|ann ltd')
    expect(trace({ values: ['K1', 'a@example.com', '', '', ''], line: 2 }).key).toBeUndefined()
  })

  it('tells each rule with what it was given and what it made, in order', async () => {
    const pipeline = pipelineSettings({
      repair: ['html'],
      source: { type: 'csv', null_values: ['-'] },
      map: {
        phone: {
          column: 'a',
          transform: [{ name: 'replace', options: { find: 'x', with: '' } }],
          phone: 'DE',
        },
        phone_type: { phone_type_of: 'phone', otherwise: 'home' },
        ba_country: { column: 'b', country: true, default: 'DE' },
        company: { column: 'c', unless: '^privat$' },
      },
    })
    const { trace } = await against(pipeline)
    const { fields } = trace({ values: ['K1', '', '030 123&#52;567x', '-', 'privat'], line: 2 })
    expect(Object.fromEntries([...fields].map(([name, { steps }]) => [name, steps]))).toEqual({
      phone_type: [{ rule: 'phone_type_of: phone', from: '+49301234567', to: 'home' }],
      phone: [
        { rule: 'repair: ["html"] of column "a"', from: '030 123&#52;567x', to: '030 1234567x' },
        { rule: 'column "a"', from: '030 1234567x', to: '030 1234567x' },
        { rule: 'transform: replace: {"find":"x","with":""}', from: '030 1234567x', to: '030 1234567' },
        { rule: 'phone: "DE"', from: '030 1234567', to: '+49301234567' },
      ],
      ba_country: [
        { rule: 'column "b"', from: '-', to: '-' },
        { rule: 'null_values', from: '-', to: '' },
        { rule: 'default: "DE"', from: '', to: 'DE' },
      ],
      company: [
        { rule: 'column "c"', from: 'privat', to: 'privat' },
        { rule: 'unless: "^privat$"', from: 'privat', to: '' },
      ],
    })
  })

  it('of several rows has each value from the row that gives it, as the union of them has', async () => {
    await fc.assert(
      fc.asyncProperty(pipelines, fc.array(row, { minLength: 2, maxLength: 4 }), async (settings, given) => {
        const pipeline: PipelineSettings = { ...settings, on_duplicate_key: 'union' }
        const rows = given.map(([, mail, ...others], line) => ({ values: ['K1', mail, ...others], line }))
        const { mapper, trace } = await against(pipeline)
        const last = rows.at(-1) ?? { values: [], line: 0 }
        const mapped = unitedMapper(mapper, pipeline).map({ kind: 'record', ...last, rows })
        if (mapped.kind !== 'contact') return
        const traced = unitedTrace(rows.map(trace))
        const fields = [...(traced?.fields ?? [])].flatMap(([name, { value }]) =>
          value === undefined ? [] : [[name, value]],
        )
        expect([Object.fromEntries(fields), traced?.terms.map(({ name }) => name)]).toEqual([
          mapped.contact,
          mapped.terms,
        ])
      }),
    )
  })
})
