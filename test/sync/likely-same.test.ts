// People who are likely in the source twice: found by plan and run alike, never merged or held, and not again where nothing is new.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLikelySame } from '../../src/sync/plan/likely-same.ts'
import type { PlanContext } from '../../src/sync/context.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'

const ANNA = ['K1', 'anna.berger@gmx.example', 'Anna', 'Berger', '1']
const OTTO = ['K2', 'otto@x.example', 'Otto', 'Maier', '2']
const OTHER_ANNA = ['K9', 'anna.berger@web.example', 'Anna', 'Berger', '3']
const ANNA_BY_PHONE = ['K10', 'ab@mail.example', 'Anna', 'Berger', '030 7654321']
const ANNA_WITH_PHONE = ['K11', 'berger@post.example', 'Anna', 'Berger', '+49307654321']

const drop = (line: Line, name: string, ...rows: readonly string[][]): void => {
  line.source.drop(name, [[...HEADER], ...rows])
}

const found = ({ files }: { files: readonly { likely_same?: unknown }[] }): unknown[] =>
  files.map(({ likely_same: finding }) => finding)

const EVENT = 'records probably the same person under different keys'

describe('likely the same person under two keys', () => {
  it('is said by the plan and by the run alike, with where they stand; both are created', async () => {
    const planned = testLine()
    const line = testLine()
    for (const each of [planned, line]) drop(each, 'a.csv', ANNA, OTTO, OTHER_ANNA)
    const { plan } = await planned.preview()
    const result = await line.run()
    const [finding] = found(result)
    expect(finding).toMatchObject({
      pairs: 1,
      complete: true,
      examples: [{ lines: [2, 4], contact_id: null, evidence: ['mail'] }],
    })
    expect(plan.inputs.map(({ likely_same: planned }) => planned)).toMatchObject([
      { ...(finding as object), examples: [{ keys: ['K1', 'K9'], lines: [2, 4] }] },
    ])
    expect(result).toMatchObject({ status: 'ok', created: 3, held: 0 })
    expect(line.service.contacts).toHaveLength(3)
  })

  it('is said of a new record and one that is linked, and then never again', async () => {
    const line = testLine()
    drop(line, 'a.csv', ANNA, OTTO, ANNA_BY_PHONE)
    expect(found(await line.run())).toEqual([undefined])
    drop(line, 'b.csv', ANNA, OTTO, ANNA_BY_PHONE, OTHER_ANNA, ANNA_WITH_PHONE)
    const linked = await line.state.known(line.pipeline.name, ['K1'])
    expect(found(await line.run())).toMatchObject([
      {
        pairs: 2,
        examples: [
          { lines: [null, 6], evidence: ['phone'] },
          { lines: [null, 5], contact_id: linked[0]?.link?.contactId },
        ],
      },
    ])
    drop(line, 'c.csv', ANNA, OTTO, ANNA_BY_PHONE, OTHER_ANNA, ANNA_WITH_PHONE)
    expect(found(await line.run())).toEqual([undefined])
  })

  it('is a number in the log, and no key in the report of a run: a key may be a mail', async () => {
    const line = testLine()
    drop(line, 'a.csv', ANNA, OTTO, OTHER_ANNA)
    const result = await line.run()
    expect(JSON.stringify(found(result))).not.toMatch(/K1|anna|berger/i)
    expect(line.log.filter(({ message }) => message === EVENT)).toEqual([
      { message: EVENT, fields: { file: 'a.csv', file_number: 1, file_sha256: 'abc', pairs: 1 } },
    ])
  })

  it('is not said of people with numbers for names', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(200))
    expect(found(await line.run())).toEqual([undefined])
  })

  it('is said of the same pairs in whatever order the records stand', async () => {
    const rows = [ANNA, OTTO, OTHER_ANNA, ANNA_BY_PHONE, ANNA_WITH_PHONE]
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(rows, { minLength: rows.length }), async (order) => {
        const line = testLine()
        drop(line, 'a.csv', ...order)
        const { plan } = await line.preview()
        await line.state.close()
        const pairs = plan.inputs[0]?.likely_same?.examples.map(({ keys = [] }) => [...keys].sort().join())
        expect(pairs?.sort()).toEqual(['K1,K9', 'K10,K11'])
      }),
      { numRuns: 20 },
    )
  })
})

it('page by page records are compared, and others have their turn in between', async () => {
  const page = (from: number) =>
    Array.from({ length: 500 }, (_, index) => ({
      id: from + index,
      key: `K${from + index}`,
      line: from + index,
      contact: { mail: `person${(from + index) % 400}@example.com` },
    }))
  const done: string[] = []
  function* pages() {
    for (const from of [0, 500]) {
      done.push('page')
      yield page(from)
    }
  }
  const state = {
    newRecords: pages,
    linkedLike: () => Promise.resolve([]),
    newRecordsById() {
      done.push('pairs')
      return Promise.resolve([])
    },
  }
  const clock = { sleep: () => Promise.resolve(done.push('turn')) }
  const context = { pipeline: { name: 'shop' }, state, clock } as unknown as PlanContext
  await findLikelySame({ id: 1, runId: 'r' } as never, context)
  expect(done).toEqual(['page', 'turn', 'page', 'turn', 'pairs', 'turn', 'pairs'])
})
