// The tests that a configuration brings for its own mapping.
import { describe, expect, it } from 'vitest'
import { mappingTestDifferences, type TestDifference } from '../../../src/core/mapping/mapping-test.ts'
import { loadRuleKit } from '../../../src/core/mapping/values/rule-kit.ts'
import type { MappingTest, PipelineSettings } from '../../../src/core/settings.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const PIPELINE: Partial<PipelineSettings> = {
  key: ['No'],
  skip_without: ['mail'],
  where: 'record["Status"] != "deleted"',
  map: {
    mail: { column: 'Mail' },
    title2: { column: 'Name', name: 'title2' },
    first_name: { column: 'Name', name: 'first' },
    family_name: { column: 'Name', name: 'family' },
    ba_country: { column: 'Land', country: true },
    date_of_birth: { column: 'Born', date: ['dd.MM.yyyy'] },
    mail_status: { column: 'Opt' },
  },
  terms: {
    policy: 'add',
    create_missing: true,
    assign: [
      { column: 'Tags', split: ',' },
      { name: 'VIP', when: 'record["Level"] == "1"' },
    ],
    descriptions: {},
    verify: true,
  },
}

async function differences(
  test: Omit<MappingTest, 'name'>,
  changes: Partial<PipelineSettings> = {},
): Promise<readonly TestDifference[]> {
  const pipeline = pipelineSettings({ ...PIPELINE, ...changes })
  const kit = await loadRuleKit(pipeline, { writtenAt: 0 })
  return mappingTestDifferences(pipeline, { name: 'any', ...test }, kit)
}

const DOCTOR = { Name: 'Dr. Anna Berger', Land: 'Österreich' }

describe('a test passes', () => {
  it.each<[string, Omit<MappingTest, 'name'>]>([
    [
      'where the named fields are as they are to be, whatever columns it leaves out',
      {
        record: DOCTOR,
        contact: { title2: 'dr', first_name: 'Anna', family_name: 'Berger', ba_country: 'AT' },
      },
    ],
    ['with a date by its day', { record: { Born: '31.12.1980' }, contact: { date_of_birth: '1980-12-31' } }],
    ['with a status as a number or as text', { record: { Opt: '4' }, contact: { mail_status: 4 } }],
    ['with nothing', { record: { Name: 'Anna Berger' }, contact: { title2: null, mail: '' } }],
    ['with terms in any order', { record: { Tags: 'Blue,VIP' }, terms: ['vip', 'Blue'] }],
    ['with a condition whose columns are there', { record: { Level: '1' }, terms: ['VIP'] }],
    ['with a skipped record', { record: { Mail: '' }, skipped: true }],
    ['with a record that where skips', { record: { Status: 'deleted' }, skipped: true }],
    ['with a part of the reason', { record: { Born: '12/31/1980' }, rejected: 'date_of_birth: "Born"' }],
    ['with a key that is blank', { record: { No: '' }, rejected: '"No" is blank' }],
  ])('%s', async (_, test) => {
    expect(await differences(test)).toEqual([])
  })

  it('where the mail is the key, with it and without it', async () => {
    const changes = { key: undefined, skip_without: undefined, where: undefined } as const
    expect(await differences({ record: DOCTOR, contact: { first_name: 'Anna' } }, changes)).toEqual([])
    expect(await differences({ record: { Mail: '' }, rejected: 'has no mail' }, changes)).toEqual([])
  })
})

describe('a test fails, with what was expected and what came', () => {
  it.each<[Omit<MappingTest, 'name'>, TestDifference]>([
    [
      { record: DOCTOR, contact: { ba_country: 'DE', first_name: 'Anna' } },
      { of: 'ba_country', expected: '"DE"', got: '"AT"' },
    ],
    [
      { record: { Name: 'Anna Berger' }, contact: { title2: 'dr' } },
      { of: 'title2', expected: '"dr"', got: 'nothing' },
    ],
    [
      { record: { Name: 'Anna Berger' }, contact: { ba_country: 'AT' } },
      { of: 'ba_country', expected: '"AT"', got: 'nothing' },
    ],
    [
      { record: { Tags: 'Blue' }, terms: ['VIP'] },
      { of: 'terms', expected: 'VIP', got: 'Blue' },
    ],
    [
      { record: DOCTOR, skipped: true },
      { of: 'record', expected: 'skipped', got: 'a contact' },
    ],
    [
      { record: { Mail: '' }, contact: { mail: null } },
      { of: 'record', expected: 'a contact', got: 'skipped' },
    ],
    [
      { record: { Name: 'Madonna' }, rejected: 'several people' },
      {
        of: 'record',
        expected: 'rejected: several people',
        got: expect.stringContaining('is one word') as string,
      },
    ],
  ])('%o', async (test, difference) => {
    expect(await differences(test)).toEqual([difference])
  })
})
