// Several records of one key in one input: only accepted ones claim the key, and what is passed over is named.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'

const GOOD = ['K1', 'good@example.com', 'Good', 'B', '1']
const BETTER = ['K1', 'better@example.com', 'Better', 'B', '2']
const BAD = ['K1', 'bad', 'Bad', 'B', '3']

const firstNames = (line: Line): unknown[] =>
  [...line.service.contacts.values()].map((contact) => contact['first_name'])

function lineWith(rows: string[][], pipeline: Partial<PipelineSettings>, between = 0): Line {
  const line = testLine({ pipeline })
  const [first = [], ...others] = rows
  line.source.drop('a.csv', [[...HEADER], first, ...people(between, 100).slice(1), ...others])
  return line
}

const rejectedAs = async (line: Line): Promise<string[]> => {
  const codes: string[] = []
  for await (const { code, line: at } of line.state.rejects(['shop'])) codes.push(`${at} ${code}`)
  return codes
}

describe('records of one key in one input', () => {
  const cases: [string, 'reject' | 'last', string[][], object, string, string[]][] = [
    [
      'a bad one does not block a later good one',
      'reject',
      [BAD, GOOD],
      { rejected: 1 },
      'Good',
      ['2 KEY_DUPLICATE'],
    ],
    [
      'a bad one does not win over an earlier good one',
      'reject',
      [GOOD, BAD],
      { rejected: 1 },
      'Good',
      ['3 KEY_DUPLICATE'],
    ],
    [
      'the second good one is the duplicate',
      'reject',
      [BAD, GOOD, BETTER],
      { rejected: 2 },
      'Good',
      ['2 KEY_DUPLICATE', '4 KEY_DUPLICATE'],
    ],
    [
      'the last good one counts',
      'last',
      [GOOD, BETTER, BAD],
      { rejected: 1, skipped: 1 },
      'Better',
      ['4 MAIL_INVALID'],
    ],
    [
      'a bad one before the last good one is passed over',
      'last',
      [BAD, GOOD, BAD, BETTER],
      { rejected: 0, skipped: 3 },
      'Better',
      [],
    ],
  ]
  for (const between of [0, 300])
    it.each(cases)(
      `%s (${between} records between them)`,
      async (_, onDuplicateKey, rows, counts, name, codes) => {
        const line = lineWith(rows, { on_duplicate_key: onDuplicateKey }, between)
        expect(await line.run()).toMatchObject({ created: between + 1, ...counts })
        expect(firstNames(line)).toContain(name)
        const at = (text: string): string =>
          text.replace(/^\d+/, (digits) => String(Number(digits) + (digits === '2' ? 0 : between)))
        expect(await rejectedAs(line)).toEqual(codes.map(at))
        // The same again: what is known by its fingerprint claims its key just so.
        const [first = [], ...others] = rows
        line.source.drop('b.csv', [[...HEADER], first, ...people(between, 100).slice(1), ...others])
        expect(await line.run()).toMatchObject({ created: 0, updated: 0, unchanged: between + 1, ...counts })
      },
    )

  it('a rejected one beside the good one does not keep an older held change of the key', async () => {
    const line = lineWith([GOOD], { guards: { ...GUARDS, max_new_terms: 0, max_rejects: { count: 0 } } })
    line.source.drop('a.csv', [[...HEADER], GOOD, ['K9', 'bad', 'A', 'B', '1']])
    expect(await line.run()).toMatchObject({ created: 0, held: 1 })
    line.pipeline = { ...line.pipeline, guards: GUARDS }
    line.source.drop('b.csv', [[...HEADER], BETTER, BAD])
    expect(await line.run()).toMatchObject({ created: 1, rejected: 1 })
    expect(await line.state.backlog('shop')).toMatchObject({ held: 0, linked: 1 })
  })

  it('a held one counts once, as its later row, with the reason', async () => {
    const line = lineWith([GOOD], { on_duplicate_key: 'last' })
    await line.run()
    line.service.contacts.clear()
    line.source.drop('b.csv', [[...HEADER], BETTER])
    await line.run()
    line.source.drop('c.csv', [[...HEADER], BETTER, ['K2', 'k2@example.com', 'A', 'B', '1'], GOOD, BETTER])
    const { totals } = await line.preview()
    expect(totals).toMatchObject({ read: 4, created: 1, skipped: 2, held: 1 })
    expect(totals.held_reasons).toEqual({ contact_deleted: 1 })
  })

  it('a rejected one of a linked key does not block the change of the good one', async () => {
    const line = lineWith([GOOD], {})
    await line.run()
    line.source.drop('b.csv', [[...HEADER], BAD, BETTER])
    expect(await line.run()).toMatchObject({ updated: 1, rejected: 1 })
    expect(firstNames(line)).toEqual(['Better'])
  })

  it('a bad row that a later mapping would take does not go over the accepted one', async () => {
    const line = lineWith([BAD, GOOD], {})
    await line.run()
    line.pipeline = { ...line.pipeline, on_invalid: 'drop', hash: 'mapping-2' }
    expect(await line.retry()).toMatchObject({ read: 0 })
    expect(firstNames(line)).toEqual(['Good'])
  })

  it('a rejected row still counts as present in a full export', async () => {
    const line = testLine({
      pipeline: { mode: 'full', on_missing: 'delete', guards: { ...GUARDS, max_deletes: { share: 1 } } },
    })
    line.source.drop('a.csv', people(4))
    await line.run()
    line.source.drop(
      'b.csv',
      people(2).map((row) => (row[0] === 'K2' ? ['K2', 'bad', 'A', 'B', '1'] : row)),
    )
    expect(await line.run()).toMatchObject({ deleted: 2, rejected: 1, unchanged: 1 })
    expect(line.service.contacts.size).toBe(2)
  })

  it('an unchanged record that stands twice is rejected with its key, and holds no delete of the others', async () => {
    const line = testLine({
      pipeline: { mode: 'full', on_missing: 'delete', guards: { ...GUARDS, max_deletes: { share: 1 } } },
    })
    line.source.drop('a.csv', people(4))
    await line.run()
    const [header = [], first = [], second = []] = people(2)
    line.source.drop('b.csv', [header, first, first, second])
    expect(await line.run()).toMatchObject({ deleted: 2, rejected: 1, unchanged: 2, held: 0 })
    const rejects: unknown[] = []
    for await (const reject of line.state.rejects(['shop'])) rejects.push(reject)
    expect(rejects).toMatchObject([{ key: first[0], code: 'KEY_DUPLICATE', line: 3 }])
  })

  it('terms of records that a later one of their key replaces are named', async () => {
    const terms = { ...testLine().pipeline.terms, assign: [{ column: 'tags', split: ',' }] }
    const line = testLine({ pipeline: { on_duplicate_key: 'last', terms } })
    line.source.drop('a.csv', [
      [...HEADER, 'tags'],
      [...GOOD, 'red,blue'],
      [...BETTER, 'blue'],
      ['K2', 'other@example.com', 'C', 'D', '1', 'red'],
      ['K2', 'other@example.com', 'C', 'D', '2', 'red,blue'],
    ])
    expect(await line.run()).toMatchObject({ created: 2, skipped: 2 })
    expect(line.log).toContainEqual({
      message: 'terms ignored: a later record of the same key counts',
      fields: { file_number: 1, file_sha256: 'abc', file: 'a.csv', records: 1 },
    })
  })

  // A JSON file without line breaks, as most programs write it.
  it('under last the last good one counts, wherever the lines of a file end', async () => {
    const row = fc.record({
      key: fc.constantFrom('K1', 'K2', 'K3', 'K4'),
      name: fc.constantFrom('A', 'B', 'C', ''),
      isBad: fc.boolean(),
    })
    const file = fc.record({ rows: fc.array(row, { maxLength: 8 }), oneLine: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async (files) => {
        const line = testLine({ pipeline: { on_duplicate_key: 'last' } })
        const names = new Map<string, string>()
        for (const [day, { rows, oneLine }] of files.entries()) {
          const good = rows.filter(({ isBad }) => !isBad)
          const last = new Map(good.map(({ key, name }) => [key, name]))
          const before = new Map(names)
          // A blank leaves what the contact has.
          for (const [key, name] of last) names.set(key, name === '' ? (names.get(key) ?? '') : name)
          const table = rows.map(({ key, name, isBad }) => [
            key,
            isBad ? 'bad' : `${key}@a.example`,
            name,
            'X',
            '1',
          ])
          line.source.drop(`${day}.csv`, [[...HEADER], ...table], { oneLine })
          const created = [...last.keys()].filter((key) => !before.has(key)).length
          const updated = [...last.keys()].filter(
            (key) => before.has(key) && before.get(key) !== names.get(key),
          )
          expect(await line.run()).toMatchObject({
            created,
            updated: updated.length,
            unchanged: last.size - created - updated.length,
          })
        }
        const atService = [...line.service.contacts.values()].map((contact) => [
          contact['mail'],
          contact['first_name'] ?? '',
        ])
        expect(new Map(atService as [string, string][])).toEqual(
          new Map([...names].map(([key, name]) => [`${key}@a.example`, name])),
        )
      }),
      { numRuns: 60 },
    )
  })
})
