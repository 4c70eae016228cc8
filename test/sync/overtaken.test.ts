// A create in doubt has steps left when it is settled at last; meanwhile a newer record of the same key may say more.
import { describe, expect, it } from 'vitest'
import { type Line, testLine } from '../support/line.ts'

const row = (tags: string): string[][] => [
  ['no', 'mail', 'first', 'last', 'phone', 'tags'],
  ['K1', 'person1@example.com', 'A', 'B', '', tags],
]

/** A create whose answer is lost, and that no look-up finds in its own run. */
async function inDoubt(check: 'email' | 'none'): Promise<Line> {
  const line = testLine({
    pipeline: {
      duplicate_check_method: check,
      terms: {
        policy: 'managed',
        create_missing: true,
        assign: [{ column: 'tags', split: ',' }],
        descriptions: {},
        verify: true,
      },
    },
  })
  line.source.drop('a.csv', row('old,both'))
  line.service.fault = ({ method, path }) => {
    if (method === 'POST' && path.startsWith('/contact')) return { kind: 'unknown', applied: true }
    return path === '/contact/<contact_mail>' ? { kind: 'absent' } : undefined
  }
  expect(await line.run()).toMatchObject({ in_doubt: 1 })
  return line
}

/** The next run does not find it at its beginning, and does at its end. */
async function foundLate(line: Line) {
  let looks = 0
  line.service.fault = ({ path }) =>
    path === '/contact/<contact_mail>' && ++looks === 1 ? { kind: 'absent' } : undefined
  return line.run()
}

describe.each(['email', 'none'] as const)(
  'a doubt that is settled with a newer record waiting, check %s',
  (check) => {
    it('leaves its terms to the newer record', async () => {
      const line = await inDoubt(check)
      line.source.drop('a.csv', row('both,new'))
      expect(await foundLate(line)).toMatchObject({ status: 'ok', in_doubt: 0, failed: 0 })
      expect(line.service.termsOf(1)).toEqual(['both', 'new'])
      const writes = line.service.writes().length
      line.source.drop('b.csv', row('both,new'))
      expect(await line.run()).toMatchObject({ status: 'ok', unchanged: 1 })
      expect(line.service.writes()).toHaveLength(writes)
    })

    it('gives terms that stay ours, and takes them back when they are withdrawn', async () => {
      const line = await inDoubt(check)
      line.source.drop('a.csv', row('old,both'))
      await foundLate(line)
      expect(line.service.termsOf(1)).toEqual(['both', 'old'])
      line.source.drop('b.csv', row('both'))
      await line.run()
      expect(line.service.termsOf(1)).toEqual(['both'])
    })

    it('goes on with its own terms where nothing newer waits', async () => {
      const line = await inDoubt(check)
      expect(await foundLate(line)).toMatchObject({ status: 'ok', in_doubt: 0 })
      expect(line.service.termsOf(1)).toEqual(['both', 'old'])
    })
  },
)
