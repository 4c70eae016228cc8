// Lists read to their end, whatever a service makes of pages: by property, over several lists of one address.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallResult } from '../../src/core/ports.ts'
import { createLists, type ServedPage, type PagedList, type PageQuery } from '../../src/service/pages.ts'

interface Entry {
  readonly id: number
  readonly name?: string
}

/** How a service answers: `plain` entries without a `limit`, never more than `cap`. */
interface Habit {
  readonly plain: number
  readonly cap: number
  readonly parameters: 'taken' | 'refused' | 'offset ignored'
}

const request = { method: 'GET', path: '/list', status: 200, attempts: 1 } as const
const entries = (count: number): Entry[] => Array.from({ length: count }, (_, index) => ({ id: index + 1 }))

function serviceOf(all: readonly Entry[], { plain, cap, parameters }: Habit) {
  const asked: (PageQuery | undefined)[] = []
  const list: PagedList<Entry> = {
    path: '/list',
    ask(page): Promise<CallResult<ServedPage<Entry>>> {
      return Promise.resolve(answerTo(page))
    },
  }
  const answerTo = (page: PageQuery | undefined): CallResult<ServedPage<Entry>> => {
    asked.push(page)
    if (page !== undefined && parameters === 'refused')
      return { kind: 'refused', reason: 'limit', summary: 'limit', request: { ...request, status: 400 } }
    const offset = parameters === 'offset ignored' ? 0 : (page?.offset ?? 0)
    const limit = Math.min(cap, page === undefined ? plain : page.limit)
    const given = all.slice(offset, offset + limit)
    return { kind: 'ok', value: { came: given.length, entries: given }, request }
  }
  return { list, asked }
}

describe('a list', () => {
  it('is read whole, whatever the pages and whatever was read before it', async () => {
    const habits = fc.record({
      plain: fc.integer({ min: 1, max: 500 }),
      cap: fc.integer({ min: 2, max: 500 }),
      parameters: fc.constant('taken' as const),
    })
    await fc.assert(
      fc.asyncProperty(habits, fc.array(fc.nat(1200), { maxLength: 4 }), async (habit, counts) => {
        const lists = createLists()
        for (const count of counts) {
          const result = await lists.read(serviceOf(entries(count), habit).list)
          expect(result).toMatchObject({ kind: 'ok', value: entries(count) })
        }
      }),
      { numRuns: 60 },
    )
  })

  it('costs one request where it is shorter than one that was read before', async () => {
    const lists = createLists()
    const habit = { plain: 500, cap: 500, parameters: 'taken' } as const
    await lists.read(serviceOf(entries(4), habit).list)
    for (const count of [3, 1, 0]) {
      const { list, asked } = serviceOf(entries(count), habit)
      expect(await lists.read(list)).toMatchObject({ value: entries(count) })
      expect(asked).toEqual([undefined])
    }
  })

  it('is all that came where the service refuses to page it, but not where it filled a page', async () => {
    const lists = createLists()
    const refusing = { plain: 500, cap: 500, parameters: 'refused' } as const
    const first = serviceOf(entries(7), refusing)
    expect(await lists.read(first.list)).toMatchObject({ value: entries(7), request: { status: 200 } })
    const again = serviceOf(entries(8), refusing)
    expect(await lists.read(again.list)).toMatchObject({ value: entries(8) })
    expect([first.asked.length, again.asked.length]).toEqual([2, 1])
    expect(await lists.read(serviceOf(entries(500), refusing).list)).toMatchObject({ kind: 'refused' })
  })

  it('ends where the offset is ignored', async () => {
    const { list, asked } = serviceOf(entries(9), { plain: 5, cap: 5, parameters: 'offset ignored' })
    expect(await createLists().read(list)).toMatchObject({ value: entries(5) })
    expect(asked).toHaveLength(2)
  })

  it.each([
    ['entries', 500, 'x', 400],
    ['requests', 3, 'x', 1000],
    ['characters', 500, 'x'.repeat(10_000), 14],
  ])('that does not end is given up: too many %s', async (_, size, name, requests) => {
    let sent = 0
    const list: PagedList<Entry> = {
      path: '/list',
      isDocumented: true,
      ask(): Promise<CallResult<ServedPage<Entry>>> {
        sent += 1
        const page = entries(size).map(({ id }) => ({ id: sent * size + id, name }))
        return Promise.resolve({ kind: 'ok', value: { came: size, entries: page }, request })
      },
    }
    expect(await createLists().read(list)).toMatchObject({
      kind: 'unknown',
      summary: `GET /list does not end: ${sent * size} entries came in ${sent} answers, and more were to come`,
    })
    expect(sent).toBe(requests)
  })
})
