// Which statuses seen at the service are news for the source, and the file that tells them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isOptOutFile,
  type OptOut,
  optOutFile,
  statusNews,
  withoutRows,
} from '../../../../src/core/change/consents/opt-outs.ts'

it.each([
  [2, undefined, false, 'report'],
  [2, undefined, true, 'remember'],
  [1, 2, false, 'report'],
  [2, 2, false, 'nothing'],
  [2, 4, false, 'report'],
  [2, 4, true, 'remember'],
  [4, 2, false, 'remember'],
  [4, 7, false, 'nothing'],
  [3, undefined, false, 'nothing'],
])('%i after %s, by us %s: %s', (status, last, isOurs, expected) => {
  expect(statusNews(status, last, isOurs)).toBe(expected)
})

const ROW: OptOut = { mail: 'ann@example.com', status: 2, seenAt: 0, pipeline: 'shop', key: 'K"1,\nx' }

describe('a file', () => {
  it('has a header, a line for each, and a name for its content', () => {
    const { name, text } = optOutFile(7, [ROW])
    expect(text).toBe(
      '"mail","status","seen_at","pipeline","key"\n"ann@example.com","2","1970-01-01T00:00:00.000Z","shop","K""1,\nx"\n',
    )
    expect(name).toMatch(/^opt-outs-000007-[0-9a-f]{8}\.csv$/)
    expect(isOptOutFile(name)).toBe(true)
    expect(optOutFile(7, [ROW]).name).toBe(name)
    expect(optOutFile(7, [{ ...ROW, status: 1 }]).name).not.toBe(name)
  })

  it.each([
    ['opt-outs-000007-0123abcd.csv', true],
    ['opt-outs-1234567-0123abcd.csv', true],
    ['opt-outs-00007-0123abcd.csv', false],
    ['opt-outs-000007-0123abc.csv', false],
    ['opt-outs-000007-0123ABCD.csv', false],
    ['old-opt-outs-000007-0123abcd.csv', false],
    ['opt-outs-000007-0123abcd.csv.part', false],
    ['other.csv', false],
  ])('%s is one of the outbox: %s', (name, expected) => {
    expect(isOptOutFile(name)).toBe(expected)
  })

  it('loses the row of a key as it was before it was quoted', () => {
    const other = { ...ROW, key: 'K1,\nx' }
    const { text } = optOutFile(1, [ROW, other])
    expect(withoutRows(text, ({ pipeline, key }) => pipeline === 'shop' && key === ROW.key)).toStrictEqual({
      text: optOutFile(1, [other]).text,
      removed: 1,
    })
  })

  it('keeps its header, whoever is named', () => {
    expect(withoutRows(optOutFile(1, [ROW, ROW]).text, () => true)).toStrictEqual({
      text: optOutFile(1, []).text,
      removed: 2,
    })
    expect(withoutRows('', () => true)).toStrictEqual({ text: '', removed: 0 })
  })

  it('whose rows were shortened by someone names no pipeline and no key there', () => {
    const [header = ''] = optOutFile(1, []).text.split(/(?<=\n)/)
    const seen: unknown[] = []
    withoutRows(`${header}"ann@example.com","2"\n`, (row) => seen.push(row) === 0)
    expect(seen).toStrictEqual([{ mail: 'ann@example.com', pipeline: '', key: '' }])
  })

  it('loses the rows of a person and no other', () => {
    const row = fc.record({
      mail: fc.constantFrom('a@b.example', 'c@d.example', ''),
      status: fc.constantFrom(1, 2),
      seenAt: fc.nat(),
      pipeline: fc.constantFrom('shop', 'crm'),
      key: fc.string({ unit: fc.constantFrom('"', ',', '\n', 'a', ' ') }),
    })
    fc.assert(
      fc.property(fc.array(row), (rows) => {
        const { text, removed } = withoutRows(optOutFile(1, rows).text, ({ mail }) => mail === 'a@b.example')
        const left = rows.filter(({ mail }) => mail !== 'a@b.example')
        expect(text).toBe(optOutFile(1, left).text)
        expect(removed).toBe(rows.length - left.length)
        expect(withoutRows(text, ({ key }) => key === 'zz')).toEqual({ text, removed: 0 })
      }),
    )
  })
})
