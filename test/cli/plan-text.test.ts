// What `plan` prints, made from plans that were built by hand.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { printed } from '../../src/cli/guarded.ts'
import { changeText } from '../../src/cli/plan/change-text.ts'
import { planJson } from '../../src/cli/plan/plan-json.ts'
import { planOfKeyText, planSummary, planText } from '../../src/cli/plan/plan-text.ts'
import { terminalOf, widthOf } from '../../src/cli/terminal.ts'
import { judgedInput } from '../../src/core/change/waiting/guard.ts'
import { shownChange } from '../../src/core/change/plan/planned-change.ts'
import type { Operation } from '../../src/core/change/operation.ts'
import { GUARDS } from '../support/pipeline.ts'
import { changeWith, phoneUpdates, planWith } from '../support/plan.ts'

const PLAIN = (_: string, text: string): string => text
const PAPER = { lines: 40, columns: Number.POSITIVE_INFINITY, paint: PLAIN }
const terms = (add: string[], remove: string[] = []) => ({ add, remove, asserts: add })
const create = (key: string, own: Partial<Operation> = {}): Operation =>
  changeWith({
    kind: 'create',
    key,
    contactId: undefined,
    fields: { mail: `${key}@a.example` },
    ...own,
  } as never)

describe('the warnings of a plan', () => {
  const about = (event: string, file: string) => ({ event, text: `${event}, file ${file}` })
  const files = Array.from({ length: 7 }, (_, index) => about('store keeps no claims', `${index}.csv`))

  it('are listed up to three of a kind', () => {
    const plan = { ...planWith([]), warnings: [...files, about('values look damaged', '1.csv')] }
    expect(planSummary(plan).slice(-5)).toEqual([
      '  warning: store keeps no claims, file 0.csv',
      '  warning: store keeps no claims, file 1.csv',
      '  warning: store keeps no claims, file 2.csv',
      '  warning: store keeps no claims, 4 more (--json has all)',
      '  warning: values look damaged, file 1.csv',
    ])
    expect(planJson(plan).warnings).toHaveLength(8)
  })
})

describe('the text of a plan', () => {
  it('says first what changes how often, then shows groups with an example, then single changes', () => {
    const changes = [
      ...phoneUpdates(9812),
      create('N1', { desired: { ba_country: 'DE' } }),
      create('N2', { terms: terms(['Newsletter']), desired: { ba_country: 'AT' } }),
      changeWith({
        kind: 'update',
        key: 'S1',
        contactId: 4,
        fields: { fax: '' },
        known: { fax: '1', ba_country: 'DE' },
        terms: terms([], ['Kunde']),
        source: { file: 'a.csv', line: 9 },
      }),
    ]
    const counts = { read: 10_000, updated: 9813, created: 2, unchanged: 185 }
    const text = planText(planWith(changes, { counts }), PAPER)
    const manual = readFileSync(resolve(import.meta.dirname, '../../config/README.md'), 'utf8')
    expect(text).toEqual([
      '  10,000 records: 2 to be created, 9,813 to be updated, 185 unchanged',
      '  9,823 requests, at least 32 min 44 s under the rate limit',
      '  phone changes for 9,812 of 10,000 records',
      '  fax changes for 1 of 10,000 records',
      '  2 new contacts: mail 2',
      '  term Newsletter: added to 1',
      '  term Kunde: removed from 1',
      '  changes by country: DE 2, AT 1; no country 9,812',
      '  ~ 9,812 updates of phone; the first:',
      '    ~ update K1 (contact 1)  [a.csv:2]',
      '        phone: "030 1" -> "040 1"',
      '  + 2 new contacts; the first:',
      '    + create N1  [a.csv:2]',
      '        mail: "N1@a.example"',
      '  ~ update S1 (contact 4)  [a.csv:9]',
      '      fax: "1" -> (blank)',
      '      terms: -Kunde',
      '  3 of 9,815 changes shown; --limit N lists N one by one, --json all of them',
    ])
    const shown = ['```', 'shop: plan, nothing is sent', ...text, '```'].join('\n')
    expect(manual.includes(shown), shown).toBe(true)
  })

  it('has no more to say where every change is shown', () => {
    const text = planText(planWith(phoneUpdates(1), { counts: { read: 1, updated: 1 } }), PAPER)
    expect(text.at(-1)).toBe('      phone: "030 1" -> "040 1"')
    expect(planText(planWith([], { counts: { read: 2, unchanged: 2 } }), PAPER)).toEqual([
      '  2 records: 2 unchanged',
      '  0 requests, at least 0 ms under the rate limit',
    ])
    expect(planText(planWith([]), PAPER)[0]).toBe('  0 records: nothing to do')
  })

  it('says of equal changes that they are, and names what a group is about', () => {
    const same = (key: string) =>
      changeWith({ kind: 'update', key, fields: { ba_country: 'DE' }, known: {}, terms: terms(['x'], ['y']) })
    const text = planText(planWith([same('K1'), same('K2')]), PAPER)
    expect(text).toContain('  ~ 2 updates of ba_country, +x, -y; all equal to the first:')
    expect(text).toContain('  term x: added to 2')
    const gone = (key: string) => changeWith({ kind: 'delete', key, cause: 'missing' })
    expect(planText(planWith([gone('K1'), gone('K2')]), PAPER)).toContain('  - 2 deletes; the first:')
  })

  it('names what the update method withholds', () => {
    const plan = planWith([])
    const withheld = { phone: { from: '1', to: '2' } }
    const example = { ...shownChange(changeWith({ kind: 'update' }), 'add'), withheld }
    const group = { count: 3, isSame: false, example }
    const text = planText({ ...plan, actions: { ...plan.actions, update: 3 }, groups: [group] }, PAPER)
    expect(text).toContain('  ~ 3 updates of phone (withheld); the first:')
    expect(text).toContain('        phone: "1" -> "2" (withheld by update_method)')
    expect(planSummary({ ...plan, withheld: { phone: 3 } })).toContain('  withheld by update_method: phone 3')
  })

  it('says which guard holds what, which files are refused, and why it was given up', () => {
    const held = { file: 'a.csv', status: 'held', error: 'a.csv: too many' } as const
    const refused = {
      file: 'b.csv',
      status: 'refused',
      error: 'b.csv: empty',
      hint: 'Send it again.',
    } as const
    const counts = { read: 1, held: 1, held_deletes: 2, deleted: 1, terms_created: 1 }
    expect(planSummary(planWith([], { inputs: [held, refused], counts }))).toEqual([
      '  1 record: 1 held, 1 term to be created, 1 to be deleted, 2 deletes held',
      '  2 requests, at least 0 ms under the rate limit',
      '  held: a.csv: too many',
      '  refused: b.csv: empty',
      '    Send it again.',
    ])
    const stop = { code: 'SERVICE_UNREACHABLE', message: 'no answer' } as const
    expect(planSummary(planWith([], { stop }))[0]).toBe('  aborted: SERVICE_UNREACHABLE: no answer')
  })

  const wide = (fields: number): Operation =>
    changeWith({
      kind: 'update',
      fields: Object.fromEntries(
        Array.from({ length: fields }, (_, index) => [`f${index}`, 'x'.repeat(300)]),
      ),
    })

  it('cuts an example, and says how to see the whole of it', () => {
    const text = planText(planWith([wide(20)]), PAPER)
    expect(text.at(-1)).toBe('      and 12 more (--key K1 shows them)')
    expect(Math.max(...text.map((line) => line.length))).toBeLessThan(210)
    expect(planText(planWith([wide(20), wide(20)]), PAPER)).toContain(
      '  ~ 2 updates of f0, f1, f2, f3, f4 and 15 more; all equal to the first:',
    )
    // A line that says that one more is left out would be as long as that one.
    expect(planText(planWith([wide(9)]), PAPER).filter((line) => line.startsWith('      f'))).toHaveLength(9)
    const whole = shownChange(wide(20), 'update_add')
    expect(planOfKeyText('K1', planWith([]), { changes: [whole], paint: PLAIN })).toHaveLength(23)
  })

  it.each([
    [24, 80],
    [40, 120],
    [15, 30],
  ])('is no longer than %i lines of %i characters', (lines, columns) => {
    const many = Array.from({ length: 60 }, (_, index) =>
      changeWith({
        kind: 'update',
        key: `K${index}`,
        fields: { [`field${index}`]: 'value' },
        desired: { ba_country: `C${index}` },
        terms: terms([`term ${index}`]),
      }),
    )
    const view = { lines, columns, paint: PLAIN }
    const text = planText(planWith([...many, create('N'), ...phoneUpdates(5)]), view)
    const height = text.reduce((sum, line) => sum + Math.ceil(widthOf(line) / columns), 0)
    if (columns > 30) expect(height).toBeLessThanOrEqual(lines)
    expect(text.some((line) => /^ {2}and \d+ more fields$/.test(line))).toBe(true)
    expect(text.some((line) => /^ {2}and \d+ more terms$/.test(line))).toBe(true)
    expect(text.at(-1)).toMatch(/^ {2}\d+ of 66 changes shown/)
  })

  it('lists changes one by one where that is asked for', () => {
    const changes = phoneUpdates(3).map((one) => shownChange(one, 'update_add'))
    const plan = planWith(phoneUpdates(3))
    expect(planText(plan, PAPER, changes.slice(0, 2)).slice(-5)).toEqual([
      '  ~ update K1 (contact 1)  [a.csv:2]',
      '      phone: "030 1" -> "040 1"',
      '  ~ update K2 (contact 2)  [a.csv:3]',
      '      phone: "030 2" -> "040 2"',
      '  2 of 3 changes shown; --limit N lists N one by one, --json all of them',
    ])
    expect(planText(plan, PAPER, changes).at(-1)).toBe('      phone: "030 3" -> "040 3"')
  })

  it('of one record has its changes alone, or says that there are none', () => {
    const changes = phoneUpdates(1).map((one) => shownChange(one, 'update_add'))
    const plan = planWith(phoneUpdates(2), { counts: { read: 2, updated: 2 } })
    expect(planOfKeyText('K1', plan, { changes, paint: PLAIN }).slice(0, 3)).toEqual([
      '  ~ update K1 (contact 1)  [a.csv:2]',
      '      phone: "030 1" -> "040 1"',
      '  2 records: 2 to be updated',
    ])
    expect(planOfKeyText('K9', plan, { changes: [], paint: PLAIN })[0]).toBe('  no change of K9 is planned')
    const failed = planWith([], { stop: { code: 'CONFIG_INVALID', message: 'no' } })
    expect(planOfKeyText('K9', failed, { changes: [], paint: PLAIN })[0]).toBe(
      '  aborted: CONFIG_INVALID: no',
    )
  })

  it('is coloured on a terminal alone', () => {
    const painted = (isTTY: boolean): string => {
      const { paint } = terminalOf({ stdout: { isTTY } as never, env: {} })
      return planText(planWith(phoneUpdates(2)), { ...PAPER, paint })
        .map(printed)
        .join('\n')
    }
    expect(painted(true)).toContain('\u001b[33m  ~ 2 updates of phone; the first:\u001b[0m')
    expect(painted(true)).toContain('\u001b[1m  phone changes for 2')
    expect(painted(false)).not.toContain('\u001b')
  })

  it('knows how many lines a terminal has', () => {
    expect(terminalOf({ stdout: { isTTY: true, rows: 50 } as never, env: {} }).rows).toBe(50)
    expect(terminalOf({ stdout: { isTTY: true, rows: 0 } as never, env: {} }).rows).toBe(40)
    expect(terminalOf({ stdout: { rows: 50 } as never, env: {} }).rows).toBe(40)
  })

  it('of one change is the same with and without colours, but for these', () => {
    const change = shownChange(create('K1', { terms: terms(['a']) }), 'add')
    const { paint } = terminalOf({ stdout: { isTTY: true } as never, env: {} })
    expect(changeText(change).join()).not.toContain('\u001b')
    expect(changeText(change, paint).slice(1)).toEqual(changeText(change).slice(1))
  })
})

describe('what is held of a plan', () => {
  const held = { contact_deleted: 1, shared_mail: 2, max_deletes: 1200 } as const
  const plan = planWith([], { counts: { read: 3, held: 3, held_deletes: 1200 }, held })

  it('is named by reason, the most frequent first', () => {
    expect(planText(plan, PAPER)).toEqual(
      expect.arrayContaining([
        '  1,200 held, max_deletes',
        '  2 held, shared_mail: another record of the pipeline has the same e-mail address',
        '  1 held, contact_deleted: the contact was deleted at the service',
      ]),
    )
    expect(planJson(plan).held_reasons).toEqual(held)
    expect(planJson(planWith([])).held_reasons).toEqual({})
  })
})

describe('the JSON of a plan', () => {
  it('has counts, what changes by field, term and country, and what guards hold', () => {
    const numbers = { read: 6, rejected: 0, unidentified: 0, links: 10, changes: 3, deletes: 4, newTerms: 0 }
    const judged = [
      judgedInput('a.csv', { ...numbers, hasDeleted: true }, GUARDS),
      judgedInput('b.csv', { ...numbers, deletes: 0, hasDeleted: true }, GUARDS),
    ]
    const changes = [
      ...phoneUpdates(2),
      create('N', { fields: { phone: '1' }, terms: terms(['x'], ['y']), desired: { ba_country: 'DE' } }),
    ]
    const json = planJson(planWith(changes, { counts: { read: 6, updated: 2, created: 1 }, judged }))
    expect(json).toMatchObject({
      pipeline: 'shop',
      status: 'ok',
      read: 6,
      updated: 2,
      created: 1,
      deleted: 0,
      estimate: { requests: 9, seconds: 1 },
      files: [],
      by_field: { phone: 3 },
      by_term: { x: { add: 1, remove: 0 }, y: { add: 0, remove: 1 } },
      by_country: { DE: 1 },
    })
    expect(json.held_by).toEqual([
      {
        file: 'a.csv',
        guard: 'max_deletes',
        holds: 'deletes',
        number: 4,
        threshold: '5% (1)',
        reason: '4 of 10 contacts are missing from the source, more than guards.max_deletes 5% (1) allows',
      },
    ])
    for (const name of ['withheld', 'error', 'code', 'other_terms']) expect(json).not.toHaveProperty(name)
  })

  it('has what is withheld, terms beyond those that are named, and why it was given up, where there is any', () => {
    const stop = { code: 'SERVICE_UNREACHABLE', message: 'no answer' } as const
    const plan = { ...planWith([], { stop }), withheld: { phone: 1 }, otherTerms: 2 }
    expect(planJson(plan)).toMatchObject({
      withheld: { phone: 1 },
      other_terms: 2,
      error: 'no answer',
      code: 'SERVICE_UNREACHABLE',
      status: 'failed',
    })
    expect(planText(plan, PAPER)).toContain('  other terms, added or removed: 2 times')
  })
})
