// Edits by hand beyond the merge of one field: what stays at a create, what a release of a term does, and what the lists and the
// sync log say of edits.
import { describe, expect, it } from 'vitest'
import {
  assertedOnceReleased,
  DELETE_RELEASED_REASON,
  deleteHeldText,
  editsText,
  handEditRules,
  judgedAtDelete,
  keptAtCreate,
  mergeTerms,
  mergeWithService,
  saysAsking,
  type SentValues,
  sentOf,
  termField,
} from '../../../../src/core/change/others/hand-edits.ts'
import { pipelineSettings } from '../../../support/pipeline.ts'

const edit = (field: string, rule: 'keep' | 'ask') => ({ field, rule, sent: '1', service: '9', source: '2' })
const KEEP = handEditRules(pipelineSettings({ hand_edits: 'keep' }), { rules: [] })

describe('what was sent of a field', () => {
  const open = [
    ['fax', '7'],
    ['phone', '8'],
  ] as const

  it('is the last value, and what was sent without an answer; without a last one, what each link sent that has the field', () => {
    const pushed = [{ fax: '1' }, { phone: '2' }, { phone: '3' }]
    expect(sentOf('phone', { last: { phone: '5' }, pushed, open })).toEqual(['5', '8'])
    expect(sentOf('phone', { last: { fax: '5' }, pushed, open })).toEqual(['2', '3', '8'])
    expect(sentOf('phone', { last: {}, pushed: [{ fax: '1' }], open: [] })).toEqual([])
  })

  it('is named in an edit as the value of the link that has the field', () => {
    const sent: SentValues = { last: {}, pushed: [{}, { phone: '1' }], open: [] }
    const shown = { id: 1, fields: { phone: '9' } }
    expect(mergeWithService({ phone: '2' }, { sent, shown }, KEEP).edits).toEqual([edit('phone', 'keep')])
  })
})

describe('a create that only adds', () => {
  const fields = { mail: 'a@x.de', phone: '9', fax: '9' }

  it('leaves what was sent to its contact before, the last one of it, and no blank', () =>
    expect(
      keptAtCreate(fields, [{ phone: '1', fax: '2' }, { phone: '3', fax: '', skype: '4' }, { mail: '' }]),
    ).toEqual({ phone: '3', fax: '2' }))

  it('leaves nothing where nothing was sent', () => expect(keptAtCreate(fields, [])).toEqual({}))
})

describe('a term whose edit was released', () => {
  const given = { name: 'Given', ours: true, unsure: false }
  const others = { name: 'Others', ours: false, unsure: false }

  it('is asserted as unsure under the name of the edit, by whom it was given before; other terms stay as they are', () => {
    expect(assertedOnceReleased([given, others], termField('GIVEN'))).toEqual([
      others,
      { name: 'GIVEN', ours: true, unsure: true },
    ])
    expect(assertedOnceReleased([given, others], termField('Others'))).toEqual([
      given,
      { name: 'Others', ours: false, unsure: true },
    ])
  })

  it('is none of ours where the record never asserted it', () =>
    expect(assertedOnceReleased([given], termField('New'))).toEqual([
      given,
      { name: 'New', ours: false, unsure: true },
    ]))

  it.each<[string, SentValues['open']]>([
    ['another term', [['term Z', '']]],
    ['another term that a user gave', [['term Z', 'Z']]],
    ['the same term in the other direction', [['term Given', 'Given']]],
    ['a term that others gave, in the other direction', [['term X', '']]],
    ['a field with the same value', [['phone', '']]],
    ['a field with the name of a term as its value', [['phone', 'X']]],
  ])('is not released by the release of %s', (_, open) => {
    const sides = { wanted: ['Given'], asserted: [given], shown: ['X'] }
    expect(mergeTerms(sides, open, 'ask')).toMatchObject({ keptAway: ['Given'], keptThere: ['X'] })
  })
})

describe('what is said of edits', () => {
  it('names all fields by rule: those that are kept, then those that wait', () => {
    const edits = [edit('phone', 'ask'), edit('fax', 'keep'), edit('skype', 'keep'), edit('fb', 'ask')]
    const text =
      'hand_edits: keep leaves fax, skype as edited at the service; hand_edits: ask leaves phone, fb as edited at the service'
    expect(editsText(edits)).toBe(text)
    expect(saysAsking(text)).toBe(true)
    expect(saysAsking('hand_edits: keep leaves fax as edited at the service')).toBe(false)
    expect(saysAsking(null)).toBe(false)
  })

  it('of a delete: what it waits for, and, once that was released, when it comes', () => {
    expect(deleteHeldText([edit('phone', 'ask'), edit('fax', 'ask')])).toBe(
      'the contact was edited at the service (phone, fax), so it is not deleted before an operator releases the edits',
    )
    expect(DELETE_RELEASED_REASON).toBe(
      'the edits of the contact at the service were released: it is deleted with the next full export that lacks the record',
    )
  })
})

it('a delete is not judged by the mail_status, though that was sent', () =>
  expect(judgedAtDelete({ mail_status: 4, title: 'm' }, KEEP)).toEqual([
    'title',
    'mail',
    'first_name',
    'family_name',
    'phone',
  ]))
