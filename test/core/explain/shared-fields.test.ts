// Whose value a field of a shared contact has, case by case.
import { expect, it } from 'vitest'
import { fieldsOfOthers, type SharedContact, valueOwner } from '../../../src/core/explain/shared-fields.ts'

const record = (pipeline: string, phone?: string, missing = 0) => ({
  pipeline,
  missing,
  fields: phone === undefined ? {} : { phone },
})
type Sent = ReturnType<typeof record> & { readonly givenUp?: readonly string[] }
const owner = (pipeline: string) => ({ pipeline, missingIn: 2 })
const OWNERS = [owner('crm'), owner('shop')]

const shared = (records: readonly [Sent, Sent], last?: string, owners?: typeof OWNERS): SharedContact => ({
  records,
  owners: owners === undefined ? undefined : { phone: owners },
  last: last === undefined ? {} : { phone: last },
})

it.each([
  ['the only owner', shared([record('crm', '1'), record('erp')], '1', [owner('crm')]), 'crm', 'owns it'],
  [
    'the first owner',
    shared([record('crm', '1'), record('shop', '2')], '1', OWNERS),
    'crm',
    'owns it before shop',
  ],
  [
    'a blank first owner',
    shared([record('crm', ''), record('shop', '2')], '2', OWNERS),
    'shop',
    'owns it as the next one: crm has no value',
  ],
  [
    'an owner that has given it up',
    shared([{ ...record('crm', '1'), givenUp: ['phone'] }, record('shop', '2')], '2', OWNERS),
    'shop',
    'owns it as the next one: crm has no value',
  ],
  [
    'the one that has given it up, before the next one has sent',
    shared([{ ...record('crm', '1'), givenUp: ['phone'] }, record('shop')], '1', OWNERS),
    'crm',
    'sent last; shop owns it and sends its value, if it has one, when its record is next read',
  ],
  [
    'one that has gone',
    shared([record('crm', '1', 2), record('shop', '2')], '2', OWNERS),
    'shop',
    'owns it as the next one: the record of crm has gone',
  ],
  [
    'one without a record',
    shared([record('erp'), record('shop', '2')], '2', OWNERS),
    'shop',
    'owns it as the next one: crm has no record of the contact',
  ],
  [
    'an owner that is yet to send',
    shared([record('crm', ''), record('shop', '2')], '', OWNERS),
    'crm',
    'sent last; shop owns it and sends its value when its record is next read',
  ],
  [
    'an owner whose value was overwritten',
    shared([record('crm', '1'), record('shop')], '5', OWNERS),
    null,
    'sent last; crm owns it and sends its value when its record is next read',
  ],
  [
    'owners without a value',
    shared([record('crm', ''), record('shop', undefined, 2)], '', OWNERS),
    'crm',
    'sent last; none of the pipelines that own it has a value',
  ],
  [
    'one that alone sends it',
    shared([record('crm', '1'), record('shop')], '1'),
    'crm',
    'no other pipeline sends it',
  ],
  [
    'the last of two',
    shared([record('crm', '1'), record('shop', '2')], '2'),
    'shop',
    'sent last; no pipeline owns it',
  ],
  [
    'two of one mind',
    shared([record('crm', '1'), record('shop', '1')], '1'),
    'crm',
    'shop sent the same value; no pipeline owns it',
  ],
  [
    'two of which the last is unknown',
    shared([record('crm', '1'), record('shop', '2')]),
    null,
    'several pipelines send it, none owns it, and which one was last is not known',
  ],
  [
    'a value of none',
    shared([record('crm', '1'), record('shop', '2')], '3'),
    null,
    'what was last sent is the value of none of the records that the state knows',
  ],
] as const)('%s', (_, contact, pipeline, why) => {
  const found = valueOwner('phone', contact, [])
  expect(found?.why).toBe(why)
  expect(found?.pipeline).toBe(pipeline)
})

it('an edit that is kept goes before all', () => {
  const edit = {
    ...{ pipeline: 'crm', key: 'K', contactId: 1, since: 0, field: 'phone', rule: 'keep' as const },
  }
  const values = { sent: '1', service: '9', source: '1' }
  const contact = shared([record('crm', '1'), record('shop')], '1', OWNERS)
  expect(valueOwner('phone', contact, [{ ...edit, ...values }])).toEqual({
    pipeline: null,
    why: 'edited by hand at the service, and kept',
  })
})

it('says nothing of a contact of one pipeline', () => {
  expect(valueOwner('phone', undefined, [])).toBeUndefined()
})

it('lists what the pipeline leaves to others that have a value', () => {
  expect(fieldsOfOthers(shared([record('erp'), record('crm', '1')], '1', OWNERS))).toEqual(['phone'])
  expect(fieldsOfOthers(shared([record('erp'), record('crm', '')], '', OWNERS))).toEqual([])
  expect(fieldsOfOthers(shared([record('crm', '1'), record('shop', '2')], '1', OWNERS))).toEqual([])
  expect(fieldsOfOthers(shared([record('crm', '1'), record('shop', '2')], '1'))).toEqual([])
})
