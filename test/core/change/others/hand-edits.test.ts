// The three-way merge, line by line of its table.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  asksAboutEdits,
  deleteHeldText,
  editsAtDelete,
  editsText,
  handEditRules,
  judgedAtDelete,
  mergeTerms,
  mergeWithService,
  openAfterTerms,
  isToBeReleased,
  hadBefore,
  respectsHandEdits,
  type SentValues,
} from '../../../../src/core/change/others/hand-edits.ts'
import type { FieldValue } from '../../../../src/core/mapping/contact.ts'
import { pipelineSettings } from '../../../support/pipeline.ts'

const sentOnly = (pushed: Record<string, FieldValue>, more: Partial<SentValues> = {}): SentValues => ({
  last: {},
  pushed: [pushed],
  open: [],
  ...more,
})

const rulesOf = (rule: 'overwrite' | 'keep' | 'ask') =>
  handEditRules(pipelineSettings({ hand_edits: rule }), { rules: [] })

describe('what a contact had before', () => {
  it.each<[string, Record<string, FieldValue>, Pick<SentValues, 'last' | 'pushed'>, FieldValue | undefined]>([
    ['is what its record sent last', { phone: '1' }, { last: {}, pushed: [{ phone: '2' }] }, '1'],
    [
      'is what another one sent since',
      { phone: '1' },
      { last: { phone: '3' }, pushed: [{ phone: '3' }] },
      '3',
    ],
    ['is what another one has emptied since', { phone: '1' }, { last: { phone: '' }, pushed: [] }, ''],
    [
      'is what another one sent, where its record sent nothing',
      {},
      { last: {}, pushed: [{ phone: '2' }] },
      '2',
    ],
    [
      'is what another one sent, where its own create left out a blank',
      { phone: '' },
      { last: {}, pushed: [{ phone: '2' }, { phone: '' }] },
      '2',
    ],
    [
      'is what all others sent alike',
      {},
      { last: {}, pushed: [{ phone: ['2', '3'] }, {}, { phone: ['2', '3'] }] },
      ['2', '3'],
    ],
    [
      'is unknown where others differ and none is known to be the last',
      {},
      { last: {}, pushed: [{ phone: '2' }, { phone: '3' }] },
      undefined,
    ],
  ])('%s', (_, own, others, had) => expect(hadBefore({ phone: '9' }, own, others)['phone']).toEqual(had))

  it('of a mail_status is what its own record says', () =>
    expect(hadBefore({ mail_status: 3 }, {}, { last: { mail_status: 1 }, pushed: [] })).toEqual({}))
})

describe('a field', () => {
  it.each<[what: string, service: unknown, sent: SentValues, source: FieldValue, kept: boolean]>([
    ['that is blank at the service is sent', '', sentOnly({ phone: '1' }), '2', false],
    ['that the service does not show is sent', undefined, sentOnly({ phone: '1' }), '2', false],
    ['that shows what was sent last is sent', '1', sentOnly({ phone: '1' }), '2', false],
    ['that shows it in another form is sent', ' 1 ', sentOnly({ phone: '1' }), '2', false],
    ['of several choices that shows them is sent', ['a', 'b'], sentOnly({ phone: ['a', 'b'] }), ['c'], false],
    ['of several choices that shows others was edited', ['b'], sentOnly({ phone: ['a', 'b'] }), ['c'], true],
    ['that shows something else was edited', '9', sentOnly({ phone: '1' }), '2', true],
    ['that was never sent, and is there, was edited', '9', sentOnly({}), '2', true],
    ['that is cleared by the source was edited', '9', sentOnly({ phone: '1' }), '', true],
    ['whose answer was lost is sent', '3', sentOnly({ phone: '1' }, { open: [['phone', '3']] }), '2', false],
    ['of another attempt was edited', '3', sentOnly({ phone: '1' }, { open: [['fax', '3']] }), '2', true],
    [
      'that another pipeline sent is sent',
      '5',
      sentOnly({ phone: '1' }, { pushed: [{ phone: '1' }, { phone: '5' }] }),
      '2',
      false,
    ],
    [
      'that was sent before the last one was edited',
      '1',
      sentOnly({ phone: '1' }, { last: { phone: '5' } }),
      '2',
      true,
    ],
  ])('%s', (_, service, sent, source, kept) => {
    const shown = { id: 1, fields: { phone: service } }
    const merged = mergeWithService({ phone: source }, { sent, shown }, rulesOf('keep'))
    expect(merged.edits.map(({ field }) => field)).toEqual(kept ? ['phone'] : [])
    expect(merged.send).toEqual(kept ? {} : { phone: source })
    expect(mergeWithService({ phone: source }, { sent, shown }, rulesOf('overwrite')).send).toEqual({
      phone: source,
    })
  })

  it('that shows what the source wants is agreed, whatever was sent', () => {
    const shown = { id: 1, fields: { phone: '2', mail: 'A@B.example' } }
    expect(
      mergeWithService(
        { phone: '2', mail: 'a@b.example' },
        { sent: sentOnly({ phone: '1' }), shown },
        rulesOf('keep'),
      ),
    ).toEqual({ send: {}, agreed: ['phone', 'mail'], edits: [] })
  })

  it('is named with all three values, and its rule', () => {
    const shown = { id: 1, fields: { phone: '9' } }
    const { edits } = mergeWithService(
      { phone: '2' },
      { sent: sentOnly({ phone: '1' }), shown },
      rulesOf('ask'),
    )
    expect(edits).toEqual([{ field: 'phone', rule: 'ask', sent: '1', service: '9', source: '2' }])
    expect(editsText(edits)).toBe('hand_edits: ask leaves phone as edited at the service')
    expect(editsText([])).toBeUndefined()
  })

  it('of mail_status is never merged', () => {
    const shown = { id: 1, fields: { mail_status: 4 } }
    expect(
      mergeWithService({ mail_status: 1 }, { sent: sentOnly({ mail_status: 7 }), shown }, rulesOf('keep'))
        .send,
    ).toEqual({ mail_status: 1 })
  })

  it('is sent, agreed or edited, and in just one of them; what is blank at the service is never edited', () => {
    const value = fc.constantFrom('', '1', '2', '3')
    fc.assert(
      fc.property(value, value, value, fc.array(value), (service, pushed, source, attempts) => {
        const sent = sentOnly({ phone: pushed }, { open: attempts.map((one) => ['phone', one] as const) })
        const shown = { id: 1, fields: { phone: service } }
        const { send, agreed, edits } = mergeWithService({ phone: source }, { sent, shown }, rulesOf('keep'))
        expect(Object.keys(send).length + agreed.length + edits.length).toBe(1)
        expect(edits.length === 1).toBe(![source, '', pushed, ...attempts].includes(service))
      }),
    )
  })
})

describe('the rule of a field', () => {
  const map = { mail: { column: 'mail' }, phone: { column: 'phone', hand_edits: 'ask' as const } }
  const custom_fields = { Size: { column: 'size', hand_edits: 'keep' as const } }
  const rules = { rules: [{ key: 'field_7', name: 'Size' }] } as never

  it('is its own, else that of the pipeline; custom fields go by the key that they have in a contact', () => {
    const { any, ruleOf } = handEditRules(pipelineSettings({ map, custom_fields }), rules)
    expect([any, ruleOf('mail'), ruleOf('phone'), ruleOf('field_7'), ruleOf('mail_status')]).toEqual([
      true,
      'overwrite',
      'ask',
      'keep',
      'overwrite',
    ])
  })

  it('asks for a look where any of them does', () => {
    expect(respectsHandEdits(pipelineSettings())).toBe(false)
    expect(respectsHandEdits(pipelineSettings({ hand_edits: 'ask' }))).toBe(true)
    expect(respectsHandEdits(pipelineSettings({ custom_fields }))).toBe(true)
    const overwriting = { phone: { column: 'phone', hand_edits: 'overwrite' as const } }
    expect(respectsHandEdits(pipelineSettings({ map: overwriting }))).toBe(false)
    expect(asksAboutEdits(pipelineSettings({ hand_edits: 'keep', custom_fields }))).toBe(false)
    expect(asksAboutEdits(pipelineSettings({ map: { phone: { column: 'phone', hand_edits: 'ask' } } }))).toBe(
      true,
    )
    expect(isToBeReleased({ rule: 'ask', source: '1' })).toBe(true)
    expect(isToBeReleased({ rule: 'ask', source: null })).toBe(false)
    expect(isToBeReleased({ rule: 'keep', source: '1' })).toBe(false)
    expect(isToBeReleased({ rule: 'ask', source: '1', isReleased: true })).toBe(false)
  })
})

it('a contact that is to be deleted was edited where it shows what nobody sent', () => {
  const shown = { id: 1, fields: { phone: '9', first_name: 'Ann', mail_status: 1 } }
  const known = { phone: '1', first_name: 'Ann', fax: '3', mail_status: 4 }
  const edits = editsAtDelete(known, { sent: sentOnly(known), shown }, rulesOf('keep'))
  expect(edits).toEqual([{ field: 'phone', rule: 'ask', sent: '1', service: '9', source: null }])
  expect(deleteHeldText(edits)).toBe(
    'the contact was edited at the service (phone), so it is not deleted before an operator releases the edits',
  )
  expect(editsAtDelete(known, { sent: sentOnly(known), shown }, rulesOf('overwrite'))).toEqual([])
})

it('a mapped field that was never sent was edited where it is filled, and its rule asks for a look', () => {
  const map = {
    ...{ mail: { column: 'mail' }, phone: { column: 'phone' }, mail_status: { column: 'status' } },
    fax: { column: 'fax', hand_edits: 'overwrite' as const },
  }
  const rules = handEditRules(pipelineSettings({ hand_edits: 'keep', map }), {
    rules: [{ key: 'field_7', name: 'Size' }],
  } as never)
  const known = { mail: 'a@x.example' }
  expect(judgedAtDelete(known, rules)).toEqual(['mail', 'phone', 'field_7'])
  const about = (fields: Record<string, unknown>) =>
    editsAtDelete(known, { sent: sentOnly(known), shown: { id: 1, fields: { ...known, ...fields } } }, rules)
  expect(about({ phone: ' ', field_7: [], fax: '3', mail_status: 2 })).toEqual([])
  const never = { rule: 'ask', sent: null, source: null }
  expect(about({ phone: '9', field_7: ['L', 'M'] })).toEqual([
    { ...never, field: 'phone', service: '9' },
    { ...never, field: 'field_7', service: ['L', 'M'] },
  ])
})

describe('terms of a whole list', () => {
  const given = (name: string, more = {}) => ({ name, ours: true, unsure: false, ...more })
  const asserted = [given('a'), given('B'), given('D')]
  const sides = { wanted: ['A', 'B', 'C'], asserted, shown: ['B', 'X'] }

  it('that others gave stay, even if the source named them meanwhile; what was never sure is given', () => {
    const others = [given('E', { ours: false }), given('F'), given('A', { unsure: true })]
    expect(mergeTerms({ wanted: ['A'], asserted: others, shown: ['E', 'F'] }, [], 'keep')).toMatchObject({
      keptAway: [],
      keptThere: ['E'],
    })
  })

  it('that somebody took away, and those that others gave, stay as they are', () => {
    expect(mergeTerms(sides, [], 'keep')).toEqual({
      keptAway: ['a'],
      keptThere: ['X'],
      edits: [
        { field: 'term a', rule: 'keep', sent: 'a', service: '', source: 'a' },
        { field: 'term X', rule: 'keep', sent: null, service: 'X', source: '' },
      ],
    })
  })

  it('go the way of the source once they were released', () => {
    const open = [
      ['term a', ''],
      ['term X', 'X'],
    ] as const
    expect(mergeTerms(sides, open, 'keep')).toEqual({ keptAway: [], keptThere: [], edits: [] })
  })

  it('a release ends once it has had its effect', () => {
    const open = [
      ['phone', '1'],
      ['term A', ''],
      ['term B', ''],
      ['term C', ''],
      ['term X', 'X'],
      ['term Y', 'Y'],
    ] as const
    const asserts = [
      { name: 'a', ours: true },
      { name: 'B', ours: true, unsure: true },
      { name: 'Y', ours: false },
    ]
    expect(openAfterTerms(open, { asserts })).toEqual([
      ['phone', '1'],
      ['term B', ''],
      ['term C', ''],
      ['term Y', 'Y'],
    ])
  })
})
