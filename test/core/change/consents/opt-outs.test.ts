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
    expect(isOptOutFile('other.csv')).toBe(false)
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
