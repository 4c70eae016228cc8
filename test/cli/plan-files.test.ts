// A plan as a page and as Markdown: one file, everything of others is text, and no personal data in the Markdown.
import { describe, expect, it } from 'vitest'
import { changeSample } from '../../src/cli/plan/change-sample.ts'
import { plansHtml } from '../../src/cli/plan/plan-html.ts'
import { plansMarkdown } from '../../src/cli/plan/plan-markdown.ts'
import type { MergeMethod } from '../../src/core/change/merge-method.ts'
import { judgedInput } from '../../src/core/change/waiting/guard.ts'
import type { Operation } from '../../src/core/change/operation.ts'
import { planBuilder } from '../../src/core/change/plan/plan.ts'
import { shownChange } from '../../src/core/change/plan/planned-change.ts'
import { noCounts } from '../../src/core/outcome/summary.ts'
import { GUARDS } from '../support/pipeline.ts'
import { changeWith, LIMITS, phoneUpdates, planWith } from '../support/plan.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)>\u202e|`"\'&'
const terms = (add: string[], remove: string[] = []) => ({ add, remove, asserts: add })
const NUMBERS = {
  ...{ read: 100, rejected: 0, unidentified: 0, links: 100 },
  ...{ changes: 0, deletes: 9, newTerms: 0, hasDeleted: true },
}

const hostile: Operation = changeWith({
  kind: 'update',
  key: HOSTILE,
  fields: { [HOSTILE]: HOSTILE },
  known: { [HOSTILE]: HOSTILE, ba_country: HOSTILE },
  terms: terms([HOSTILE], [HOSTILE]),
  source: { file: HOSTILE, line: 2 },
})

describe('a plan as a page of HTML', () => {
  const shown = (
    operations: readonly Operation[],
    most = operations.length,
    method: MergeMethod = 'update_add',
  ): string => {
    const builder = planBuilder('shop', method)
    const changes = builder.add(operations).slice(0, most)
    const plan = builder.build({ inputs: [], limits: LIMITS, counts: { ...noCounts(), read: 9 } })
    return plansHtml([{ plan, changes }], Date.UTC(2026, 10, 22, 18, 5))
  }

  it('names those who are probably one person under two keys', () => {
    const example = {
      keys: ['K1', 'K<2>'],
      lines: [2, 9],
      evidence: ['phone', 'birthday'],
      contact_id: null,
      weight: 9,
    } as const
    const found = { pairs: 4, complete: true, examples: [example] }
    const inputs = [{ file: 'a.csv', status: 'done', likely_same: found } as const]
    const plan = planBuilder('shop', 'update_add').build({ inputs, limits: LIMITS, counts: noCounts() })
    const text = plansHtml([{ plan, changes: [] }], 0)
    expect(text).toContain('4 pairs of records are probably one person under two keys')
    expect(text).toContain('K1 [a.csv:2] and K&lt;2&gt; [a.csv:9]: same phone, birthday')
  })

  it('has totals, then each change from and to, with file and line', () => {
    const text = shown([
      ...phoneUpdates(1),
      changeWith({
        kind: 'create',
        key: 'N',
        contactId: undefined,
        fields: { mail: 'n@a.example', fax: '' },
      } as never),
      changeWith({ kind: 'delete', key: 'D', cause: 'missing' }),
      changeWith({
        kind: 'update',
        key: 'W',
        fields: { phone: '2' },
        known: { phone: '1' },
        terms: terms(['x'], ['y']),
      }),
    ])
    expect(text).toContain('<li><bdi>phone changes for 2 of 9 records</bdi></li>')
    expect(text).toContain('<del><bdi>1</bdi></del> &rarr; <ins><bdi>2</bdi></ins></dd>')
    expect(shown(phoneUpdates(1), 1, 'add')).toContain(
      '<ins><bdi>040 1</bdi></ins> <small>withheld by update_method</small>',
    )
    expect(text).toContain('<h4>update <bdi>W</bdi><small> contact 7 <bdi>a.csv:2</bdi></small></h4>')
    expect(text).toContain('<article class="create"><h4>create <bdi>N</bdi><small> <bdi>a.csv:2</bdi>')
    expect(text).toContain('<dd><bdi>n@a.example</bdi></dd>')
    expect(text).toContain('<dd><i>blank</i></dd>')
    expect(text).toContain('<bdi>gone from a.csv</bdi>')
    expect(text).toContain('<ins>+<bdi>x</bdi></ins>, <del>-<bdi>y</bdi></del>')
    expect(text).not.toContain('are on this page')
  })

  it('says where it does not hold all of them', () => {
    expect(shown(phoneUpdates(3), 1)).toContain('1 of 3 changes are on this page.')
  })

  it('has when it was made, then the reach, groups with an example each, and single changes below', () => {
    const text = shown([...phoneUpdates(3), changeWith({ kind: 'delete', key: 'D', cause: 'missing' })])
    const order = [
      'Made 2026-11-22 18:05:00 UTC.',
      'phone changes for 3 of 9 records',
      '9 records: ',
      'Equal changes',
      '~ 3 updates of phone; the first:',
      '<div class="example update"><h4>update <bdi>K1</bdi>',
      'Single changes',
      // The only one of its kind, although it is sent last.
      '<article class="delete"><h4>delete <bdi>D</bdi>',
      '<article class="update"><h4>update <bdi>K1</bdi>',
    ].map((part) => text.indexOf(part))
    expect(order).not.toContain(-1)
    expect(order).toEqual(order.toSorted((one, other) => one - other))
    expect(text.match(/<article/g)).toHaveLength(4)
    expect(text.match(/class="example/g)).toHaveLength(1)
  })

  it('has room for creates and deletes beside any number of updates, in the order of sending', () => {
    const change = (action: 'create' | 'update' | 'delete', key: string) => ({
      ...shownChange(changeWith({ kind: 'update' }), 'add'),
      ...{ action, key },
    })
    const sample = changeSample(4)
    for (let index = 0; index < 10; index += 1) sample.add(change('update', `U${index}`))
    for (const key of ['C1', 'C2']) sample.add(change('create', key))
    for (const key of ['D1', 'D2', 'D3']) sample.add(change('delete', key))
    expect(sample.changes().map(({ key }) => key)).toEqual(['U0', 'C1', 'C2', 'D1'])
    const few = changeSample(20)
    few.add(change('delete', 'D'))
    expect(few.changes()).toHaveLength(1)
    expect(changeSample(0).changes()).toEqual([])
  })

  it('loads nothing and takes nothing of others for its own', () => {
    const text = shown([hostile])
    expect(text.match(/<script/g)).toHaveLength(1)
    expect(text.match(/<\/script>/g)).toHaveLength(1)
    expect(text).not.toContain('<img')
    expect(text).not.toContain('\u202e')
    expect(text).not.toMatch(/https?:|url\(|@import|<link/)
    expect(text).toContain("default-src 'none'")
    expect(text).toContain('name="viewport"')
    expect(text).toContain('prefers-color-scheme: dark')
  })
})

describe('a plan as Markdown', () => {
  it('has the totals by field, term and country, largest first, and what is held and refused', () => {
    const changes = [
      ...phoneUpdates(2),
      changeWith({
        kind: 'create',
        key: 'N',
        contactId: undefined,
        fields: { mail: 'secret@a.example', phone: '1' },
        desired: { ba_country: 'DE' },
        terms: terms(['a|b'], ['c']),
      } as never),
    ]
    const counts = {
      read: 5,
      created: 1,
      updated: 2,
      unchanged: 2,
      deleted: 1,
      held_deletes: 9,
      terms_created: 1,
    }
    const judged = [
      judgedInput('full.csv', NUMBERS, GUARDS),
      judgedInput('ok.csv', { ...NUMBERS, deletes: 0 }, GUARDS),
    ]
    const inputs = [
      { file: 'full.csv', status: 'held', error: 'secret@a.example' },
      { file: 'ok.csv', status: 'done' },
      { file: 'bad.csv', status: 'refused', code: 'INPUT_QUOTE', error: 'secret@a.example' },
      { file: 'slow.csv', status: 'left', error: 'secret@a.example' },
    ] as const
    const held = { shared_mail: 2, max_deletes: 9 }
    const text = plansMarkdown([planWith(changes, { counts, judged, inputs, held })], () => ['a|b'])
    expect(text).toBe(`## contact-sync plan

### shop: 3 changes

5 records: 1 created, 2 updated, 2 unchanged, 1 deleted, 9 deletes held, 1 term made. 11 requests, at least 2 s.

- held, by reason: max_deletes 9, shared_mail 2
- held: full&#46;csv: max_deletes, 9 against 5% (5)
- refused: bad&#46;csv: INPUT_QUOTE
- left: slow&#46;csv

| field | changes | in new contacts |
| --- | ---: | ---: |
| phone | 2 | 1 |
| mail | 0 | 1 |

| term | given | taken |
| --- | ---: | ---: |
| a&#124;b | 1 | 0 |
| 1 term, not named | 0 | 1 |

| country | changes |
| --- | ---: |
| DE | 1 |
`)
  })

  it('holds no value and no key, and takes no name for markup', () => {
    const text = plansMarkdown([planWith([hostile, ...phoneUpdates(1)])])
    expect(text).not.toMatch(/040|030|K1|<|`|\u202e/)
    expect(
      text
        .split('\n')
        .filter(
          (line) => line.startsWith('|') && line.split('|').length !== 5 && line.split('|').length !== 4,
        ),
    ).toEqual([])
  })

  it('names a term of the configuration, and any other where five different records gain or lose it', () => {
    const given = (name: string, times: number, keys = times) =>
      Array.from({ length: times }, (_, index) =>
        changeWith({ kind: 'terms', key: `K${index % keys}`, terms: terms([name], []) }),
      )
    const rare = [...given('Anna', 4), ...given('Anna Maria', 8, 4), ...given('anna@a.example', 9)]
    const plan = planWith([...rare, ...given('VIP', 5), ...given('Rare', 1)])
    const text = plansMarkdown([plan], (pipeline) => (pipeline === 'shop' ? ['Rare'] : []))
    expect(text).toMatch(/^\| VIP \| 5 \| 0 \|$/m)
    expect(text).toMatch(/^\| Rare \| 1 \| 0 \|$/m)
    expect(text).toMatch(/^\| 3 terms, not named \| 21 \| 0 \|$/m)
    expect(text).not.toMatch(/anna/i)
  })

  it('names the largest alone where there are many, and why a plan was given up', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      changeWith({ kind: 'update', fields: { [`f${index}`]: '1' } }),
    )
    const text = plansMarkdown([planWith(many)])
    expect(text.match(/^\| f\d+ /gm)).toHaveLength(50)
    expect(text).toContain('| and 10 more |')
    const stop = { code: 'SERVICE_UNREACHABLE', message: 'secret' } as const
    const failed = plansMarkdown([planWith([], { stop })])
    expect(failed).toContain('### shop: SERVICE_UNREACHABLE')
    expect(failed).toContain('0 records: nothing to do. 0 requests')
    expect(failed).not.toContain('secret')
  })
})
