// Which pipeline may write a field of a contact that several share.
import { describe, expect, it } from 'vitest'
import {
  dependsOnOthers,
  leftToNextOwner,
  ownersFor,
  ownersBefore,
  ownFields,
  type Sharer,
  sharedFields,
} from '../../../../src/core/change/others/ownership.ts'
import type { FieldOwner } from '../../../../src/core/sending-settings.ts'
import type { Contact } from '../../../../src/core/mapping/contact.ts'
import { pipelineSettings } from '../../../support/pipeline.ts'

const owner = (pipeline: string): FieldOwner => ({ pipeline, missingIn: 2 })
const crm = (phone: string, missing = 0): Sharer => ({ pipeline: 'crm', fields: { phone }, missing })

interface Case {
  readonly owners: readonly string[]
  readonly wants: string
  readonly known?: Contact
  readonly sharers?: readonly Sharer[]
  readonly last?: Contact
}

/** What becomes of the phone of a record of the pipeline shop. */
function fate({ owners, wants, known, sharers = [], last = {} }: Case): string {
  const { contact, unsure } = ownFields(
    { mail: 'a@b.example', phone: wants },
    {
      pipeline: 'shop',
      owners: { phone: owners.map(owner) },
      link: known && { fields: known, unsure: [] },
      sharers,
      last,
    },
  )
  expect(contact['mail']).toBe('a@b.example')
  if (contact['phone'] === undefined) return 'left out'
  return unsure.includes('phone') ? 'sent' : 'compared'
}

describe('a field', () => {
  const both = ['crm', 'shop']
  it.each<[string, Case, string]>([
    ['of another owner', { owners: ['crm'], wants: '1' }, 'left out'],
    ['of its only owner', { owners: ['shop'], wants: '1' }, 'compared'],
    ['of the first owner', { owners: ['shop', 'crm'], wants: '1', sharers: [crm('2')] }, 'compared'],
    ['that an owner before has', { owners: both, wants: '1', sharers: [crm('2')] }, 'left out'],
    ['that an owner before has blank', { owners: both, wants: '1', sharers: [crm('')] }, 'compared'],
    [
      'that an owner before has given up',
      { owners: both, wants: '1', sharers: [{ ...crm('2'), givenUp: ['phone'] }] },
      'compared',
    ],
    [
      'of which an owner before has given up another one',
      { owners: both, wants: '1', sharers: [{ ...crm('2'), givenUp: ['fax'] }] },
      'left out',
    ],
    ['of a record that is missing once', { owners: both, wants: '1', sharers: [crm('2', 1)] }, 'left out'],
    ['of a record that has gone', { owners: both, wants: '1', sharers: [crm('2', 2)] }, 'compared'],
    [
      'of another pipeline that is no owner',
      { owners: ['erp', 'shop'], wants: '1', sharers: [crm('2')] },
      'compared',
    ],
    [
      'that another sent since, and has no more',
      { owners: both, wants: '1', known: { phone: '1' }, sharers: [crm('', 0)], last: { phone: '2' } },
      'sent',
    ],
    [
      'that it sent last itself',
      { owners: both, wants: '1', known: { phone: '1' }, last: { phone: '1' } },
      'compared',
    ],
    ['that is blank now, and was its own', { owners: both, wants: '', known: { phone: '1' } }, 'compared'],
    [
      'that is blank now, and was its own, whatever another has of it',
      { owners: both, wants: '', known: { phone: '1' }, sharers: [crm('2')], last: { phone: '1' } },
      'compared',
    ],
    ['that is blank, and that nobody has ever sent', { owners: both, wants: '' }, 'compared'],
    [
      'that is blank, and that one of several others has sent',
      { owners: both, wants: '', sharers: [crm('2'), { ...crm(''), pipeline: 'erp' }] },
      'left out',
    ],
    [
      'that is blank, and that another alone has ever sent',
      { owners: both, wants: '', known: {}, sharers: [crm('2')] },
      'left out',
    ],
    [
      'that is blank, and of which another sent the value',
      { owners: ['shop', 'crm'], wants: '', known: { phone: '' }, last: { phone: '2' } },
      'left out',
    ],
  ])('%s', (_, given, expected) => {
    expect(fate(given)).toBe(expected)
  })

  it('without owners is compared, and what was unsure stays so', () => {
    const sides = { pipeline: 'shop', owners: {}, sharers: [crm('2')], last: { phone: '2' } }
    const link = { fields: {}, unsure: ['fax'] }
    expect(ownFields({ phone: '1' }, { ...sides, link })).toEqual({
      contact: { phone: '1' },
      unsure: ['fax'],
      left: [],
    })
  })
})

it('names fields with a value that are left to others, and the owners that go first', () => {
  const owners = { phone: ['crm', 'shop'].map(owner), fax: ['crm'].map(owner), skype: ['crm'].map(owner) }
  const sides = { pipeline: 'shop', owners, link: undefined, sharers: [crm('2')], last: {} }
  expect(ownFields({ phone: '1', fax: '2', skype: '' }, sides)).toEqual({
    ...{ contact: {}, unsure: [], left: ['phone', 'fax'] },
  })
  expect(ownersBefore('shop', owners.phone)).toEqual(['crm'])
  expect(ownersBefore('erp', owners.phone)).toEqual(['crm', 'shop'])
  expect(ownersBefore('crm', owners.phone)).toEqual([])
})

it('knows the owners of the fields of a pipeline, in the order of the configuration', () => {
  const all = [
    { ...pipelineSettings({ name: 'shop' }), owns: ['phone' as const] },
    { ...pipelineSettings({ name: 'crm' }), owns: ['fax' as const, 'phone' as const] },
  ]
  const owners = ownersFor({ map: { mail: {}, phone: {} } }, all)
  expect(owners).toMatchObject({ phone: [{ pipeline: 'shop' }, { pipeline: 'crm' }] })
  expect(ownersFor({ map: { mail: {} } }, all)).toBeUndefined()
  expect(['shop', 'crm', 'erp'].map((name) => dependsOnOthers(name, owners))).toEqual([true, true, false])
  expect([dependsOnOthers('shop', undefined), dependsOnOthers('crm', { fax: [owner('crm')] })]).toEqual([
    false,
    false,
  ])
})

it('names fields that two pipelines write and none owns, where they can meet', () => {
  const shop = pipelineSettings({ name: 'shop' })
  const other = { ...shop, name: 'crm' }
  const fields = Object.keys(shop.map).filter((field) => field !== 'mail' && field !== 'mail_status')
  expect(sharedFields([shop, other])).toEqual([{ pipelines: ['shop', 'crm'], fields }])
  const alone = { duplicate_check_method: 'none' as const }
  expect(
    sharedFields([
      { ...shop, ...alone },
      { ...other, ...alone },
    ]),
  ).toEqual([])
  expect(sharedFields([{ ...shop, map: {} }, other])).toEqual([])
  const owned = { ...shop, owners: Object.fromEntries(fields.map((field) => [field, [owner('shop')]])) }
  expect(sharedFields([owned, other])).toEqual([])
})

describe('two pipelines', () => {
  type Settings = ReturnType<typeof pipelineSettings>
  const phone = { phone: { column: 'p' } }
  const map = { mail: { column: 'm' }, ...phone, mail_status: { column: 's' } }
  const none = { duplicate_check_method: 'none' } as const
  const SHARED = [{ pipelines: ['shop', 'crm'], fields: ['phone'] }]
  it.each<[string, Partial<Settings>, Partial<Settings>, readonly object[]]>([
    ['write the same field, but neither mail nor mail_status of it counts', {}, {}, SHARED],
    ['write different fields', {}, { map: { mail: { column: 'm' }, fax: { column: 'f' } } }, []],
    ['meet where one of them looks for contacts of the same mail', none, {}, SHARED],
    ['meet where the other one does', {}, none, SHARED],
    ['meet where one of them changes contacts that are there', { ...none, writes: 'update' }, none, SHARED],
    ['do not meet where neither does', none, none, []],
    ['do not meet where the first has no mail', { map: phone }, {}, []],
    ['do not meet where the second has no mail', {}, { map: phone }, []],
  ])('%s', (_, one, other, shared) => {
    const shop = pipelineSettings({ name: 'shop', map, ...one })
    expect(sharedFields([shop, pipelineSettings({ name: 'crm', map, ...other })])).toEqual(shared)
  })
})

it('names the blanks of a record that the next owner fills in', () => {
  const owners = { phone: ['crm', 'shop'].map(owner), fax: [owner('crm')], skype: ['shop', 'erp'].map(owner) }
  const left = (pipeline: string) => leftToNextOwner(['phone', 'fax', 'skype', 'title'], { pipeline, owners })
  expect(['crm', 'shop', 'erp'].map(left)).toEqual([['phone'], ['skype'], []])
})
