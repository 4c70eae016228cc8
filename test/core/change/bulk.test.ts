// Which updates share a call, and who is who in a bulk answer.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchBulkAnswer, updatesInBulk } from '../../../src/core/change/bulk.ts'
import type { PipelineSettings } from '../../../src/core/settings.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

describe('a bulk answer', () => {
  it('is matched by mail, never by position', () => {
    const match = matchBulkAnswer(
      ['a@x.de', 'b@x.de', 'c@x.de', 'd@x.de', 'e@x.de'],
      [
        { id: 2, email: 'B@x.de' },
        { id: 1, email: ' a@x.de' },
        { id: 4, email: 'd@x.de' },
        { id: 4, email: 'e@x.de' },
        { id: 9, email: 'z@x.de' },
      ],
    )
    expect([...match.matched]).toEqual([
      ['a@x.de', 1],
      ['b@x.de', 2],
    ])
    expect(match).toMatchObject({ unanswered: ['c@x.de'], strangers: 1 })
    expect([...match.merged.keys()]).toEqual(['d@x.de', 'e@x.de'])
  })

  it('gives nobody the contact of another, whatever order and gaps it has', () => {
    const people = fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(people, fc.infiniteStream(fc.nat(3)), (numbers, chance) => {
        const sent = numbers.map((number) => `p${number}@x.de`)
        const answered = numbers.filter(() => chance.next().value !== 0).reverse()
        const match = matchBulkAnswer(
          sent,
          answered.map((number) => ({ id: number, email: `P${number}@X.DE` })),
        )
        for (const [mail, id] of match.matched) expect(mail).toBe(`p${id}@x.de`)
        expect(match.matched.size + match.unanswered.length).toBe(sent.length)
      }),
    )
  })

  it('that gives one mail two contacts answers nothing for it', () => {
    const match = matchBulkAnswer(
      ['a@x.de'],
      [
        { id: 1, email: 'a@x.de' },
        { id: 2, email: 'a@x.de' },
      ],
    )
    expect(match).toMatchObject({ unanswered: ['a@x.de'] })
  })

  it('that is right and whole leaves nothing over', () =>
    expect(matchBulkAnswer(['a@x.de'], [{ id: 1, email: 'a@x.de' }])).toStrictEqual({
      ...{ matched: new Map([['a@x.de', 1]]), unanswered: [], merged: new Map(), strangers: 0 },
    }))

  it('that says one thing twice is believed; one that names a stranger for the same contact is a merge', () => {
    const twice = [1, 1].map((id) => ({ id, email: 'a@x.de' }))
    expect(matchBulkAnswer(['a@x.de'], twice).matched).toEqual(new Map([['a@x.de', 1]]))
    const shared = [...twice, { id: 1, email: 'z@x.de' }]
    expect(matchBulkAnswer(['a@x.de'], shared)).toStrictEqual({
      ...{ matched: new Map(), unanswered: [], merged: new Map([['a@x.de', 1]]), strangers: 1 },
    })
  })
})

describe('updates', () => {
  const bulk: Partial<PipelineSettings> = { update_via: 'bulk' }
  it.each<[string, Partial<PipelineSettings>, boolean]>([
    ['share calls where the pipeline says so', bulk, true],
    ['go by id where it does not', {}, false],
    ['go by id where the mail does not name the contact', { ...bulk, duplicate_check_method: 'none' }, false],
    ['go by id where only what the contact lacks is added', { ...bulk, update_method: 'add' }, false],
    ['go by id where only what the contact has is changed', { ...bulk, update_method: 'update' }, false],
    ['go by id where edits by hand are kept', { ...bulk, hand_edits: 'keep' }, false],
  ])('%s', (_, changes, inBulk) => expect(updatesInBulk(pipelineSettings(changes))).toBe(inBulk))
})
