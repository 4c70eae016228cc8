import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  assignedTo,
  type FleetStanding,
  fleetView,
  type FleetWorker,
  GUEST,
  isAtRest,
  isNewest,
  isRestAsked,
  lookEvery,
  hasEndedElsewhere,
  reportedTroubles,
} from '../../src/core/fleet.ts'

function worker(fence: number, pipelines: readonly string[], more: Partial<FleetWorker> = {}): FleetWorker {
  return {
    ...GUEST,
    fence,
    name: `w${fence}`,
    machine: 'host',
    pid: fence,
    since: 0,
    leaseMs: 15_000,
    isLate: false,
    runs: Object.fromEntries(pipelines.map((name) => [name, { hash: 'h', sees: true }])),
    ...more,
  }
}

const lease = (pipeline: string, fence: number) => ({ pipeline, fence, since: 1 })
const given = (standing: FleetStanding) => Object.fromEntries(assignedTo(standing))

describe('which worker has which pipeline', () => {
  it('gives one worker all, and nobody what is not configured anywhere', () => {
    expect(given({ workers: [worker(1, ['a', 'b'])], leases: [lease('gone', 1)] })).toEqual({ a: 1, b: 1 })
    expect(given({ workers: [], leases: [] })).toEqual({})
    expect(given({ workers: [worker(1, [])], leases: [] })).toEqual({})
  })

  it('shares evenly, and leaves pipelines where they are as long as that is even', () => {
    const names = ['a', 'b', 'c', 'd']
    const workers = [worker(1, names), worker(2, names)]
    const leases = [lease('a', 2), lease('b', 1), lease('c', 2), lease('d', 1)]
    expect(given({ workers, leases })).toEqual({ a: 2, b: 1, c: 2, d: 1 })
    const all = names.map((name) => lease(name, 1))
    expect(given({ workers, leases: all })).toEqual({ a: 1, b: 1, c: 2, d: 2 })
  })

  it('gives a pipeline to those alone that may run it, and evens out with the others', () => {
    const workers = [worker(1, ['a', 'b', 'c', 'd']), worker(2, ['c', 'd'])]
    expect(given({ workers, leases: [lease('c', 1), lease('d', 1)] })).toEqual({ a: 1, b: 1, c: 2, d: 2 })
    expect(given({ workers, leases: [] })).toEqual({ a: 1, b: 1, c: 2, d: 2 })
  })

  it('keeps what one worker alone may run, however much that is', () => {
    const workers = [worker(1, ['a', 'b', 'c']), worker(2, ['c'])]
    const leases = [lease('a', 1), lease('b', 1), lease('c', 1)]
    expect(given({ workers, leases })).toEqual({ a: 1, b: 1, c: 2 })
  })

  it('gives a worker that may be gone nothing, and leaves it what it has', () => {
    const names = ['a', 'b', 'c', 'd']
    const late = worker(1, names, { isLate: true })
    const leases = [lease('a', 1), lease('b', 1), lease('c', 1)]
    expect(given({ workers: [late, worker(2, names)], leases })).toEqual({ a: 1, b: 1, c: 1, d: 2 })
    expect(given({ workers: [late, worker(2, names)], leases: [] })).toEqual({ a: 2, b: 2, c: 2, d: 2 })
    expect(given({ workers: [late], leases: [lease('a', 1)] })).toEqual({ a: 1 })
  })

  it('runs a pipeline under the settings that were read last', () => {
    const old = worker(1, ['a'], { configured: 1 })
    const fresh = worker(2, [], { configured: 2, runs: { a: { hash: 'new', sees: true } } })
    expect(given({ workers: [old, fresh], leases: [lease('a', 1)] })).toEqual({ a: 2 })
  })

  it('runs a pipeline where its folder is, and anywhere when no worker sees it', () => {
    const blind = worker(1, [], { runs: { a: { hash: 'h', sees: false } } })
    expect(given({ workers: [blind, worker(2, ['a'])], leases: [lease('a', 1)] })).toEqual({ a: 2 })
    expect(given({ workers: [blind], leases: [] })).toEqual({ a: 1 })
  })

  it('is the same for all, gives each pipeline to one that may run it, and settles at once', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const workers = fc
      .array(fc.record({ list: fc.subarray(names), isLate: fc.boolean() }), { minLength: 1, maxLength: 5 })
      .map((some) => some.map(({ list, isLate }, place) => worker(place + 1, list, { isLate })))
    const standing = workers.chain((all) =>
      fc
        .array(
          fc.record({
            pipeline: fc.constantFrom(...names),
            fence: fc.constantFrom(...all.map(({ fence }) => fence)),
          }),
        )
        .map((some) => ({
          workers: all,
          leases: [...new Map(some.map((one) => [one.pipeline, { ...one, since: 1 }])).values()],
        })),
    )
    fc.assert(
      fc.property(standing, ({ workers: all, leases }) => {
        const assigned = assignedTo({ workers: all, leases })
        const mayRun = (name: string) => all.filter(({ runs }) => Object.hasOwn(runs, name))
        for (const name of names)
          if (mayRun(name).some(({ isLate }) => !isLate)) expect(assigned.has(name)).toBe(true)
        for (const [name, fence] of assigned) {
          const to = mayRun(name).find((one) => one.fence === fence)
          const has = leases.some((one) => one.pipeline === name && one.fence === fence)
          expect(to !== undefined && (!to.isLate || has)).toBe(true)
        }
        const after = [...assigned].map(([name, fence]) => lease(name, fence))
        expect(assignedTo({ workers: all, leases: after })).toEqual(assigned)
        expect(assignedTo({ workers: all.toReversed(), leases: leases.toReversed() })).toEqual(assigned)
      }),
    )
  })
})

describe('what is taken for a worker that is gone', () => {
  const workers = [
    worker(1, ['a'], { configured: 5 }),
    worker(2, ['a'], { configured: 7 }),
    worker(3, ['b'], { configured: 7 }),
    worker(4, [], { configured: 9 }),
  ]

  it('is taken under the configuration that a daemon has read last', () => {
    expect([1, 2, 3, 4, 5].filter((own) => isNewest({ workers, leases: [] }, own))).toEqual([2, 3])
    expect(isNewest({ workers: [], leases: [] }, 1)).toBe(false)
  })
})

describe('how often a worker looks', () => {
  it.each([
    [1000, 1, 1000],
    [1000, 20, 1000],
    [1000, 40, 2000],
    // None waits for longer than a lease and five seconds.
    [1000, 500, 4000],
    [250, 200, 2500],
    [250, 1, 250],
  ])('every %i ms with %i states in its process: %i ms', (ms, states, expected) => {
    expect(lookEvery(ms, { crowd: () => states })).toBe(expected)
  })
})

describe('rest', () => {
  const asks = (fence: number) => worker(fence, [], { rest: 'asked' })

  it('is wanted where another worker asks for it', () => {
    const standing = { workers: [asks(1), worker(2, ['a'])], leases: [] }
    expect([isRestAsked(standing, 1), isRestAsked(standing, 2)]).toEqual([false, true])
  })

  it('is there once no other worker with pipelines lets a run begin', () => {
    const leases = [lease('a', 2)]
    expect(isAtRest({ workers: [asks(1), worker(2, ['a'])], leases }, 1)).toBe(false)
    expect(isAtRest({ workers: [asks(1), worker(2, ['a'], { rest: 'given' })], leases }, 1)).toBe(true)
    expect(isAtRest({ workers: [asks(1)], leases: [] }, 1)).toBe(true)
  })

  it('is for one after the other: first for the one that joined first', () => {
    const standing = { workers: [asks(1), asks(2)], leases: [] }
    expect([isAtRest(standing, 1), isAtRest(standing, 2)]).toEqual([true, false])
  })
})

describe('workers as they are shown', () => {
  it('have their pipelines, those that run, and what none may run', () => {
    const workers = [
      worker(1, ['a', 'b'], { doing: ['a'], labels: ['berlin'] }),
      worker(2, []),
      worker(3, []),
      worker(4, [], { rest: 'asked' }),
    ]
    const view = fleetView({ workers, leases: [lease('a', 1), lease('b', 1), lease('c', 2)] }, [
      'a',
      'b',
      'c',
    ])
    expect(view.unassigned).toEqual(['c'])
    expect(
      view.workers.map(({ name, pipelines, active, rest }) => ({ name, pipelines, active, rest })),
    ).toEqual([
      { name: 'w1', pipelines: ['a', 'b'], active: ['a'], rest: 'none' },
      { name: 'w2', pipelines: ['c'], active: ['c'], rest: 'none' },
      { name: 'w4', pipelines: [], active: [], rest: 'asked' },
    ])
  })

  it('lack nothing while no worker follows schedules', () => {
    expect(fleetView({ workers: [worker(1, [])], leases: [] }, ['a'])).toEqual({
      workers: [],
      unassigned: [],
    })
  })

  it('show that a run of another one has ended, once', () => {
    const at = (endedAt?: number) => ({
      hash: 'h',
      sees: true,
      ...(endedAt === undefined ? {} : { endedAt }),
    })
    const all = (own?: number, other?: number) => ({
      workers: [worker(1, [], { runs: { a: at(own) } }), worker(2, [], { runs: { a: at(other), b: at(3) } })],
      leases: [],
    })
    expect(hasEndedElsewhere(all(), all(), 1)).toBe(false)
    expect(hasEndedElsewhere(all(5), all(), 1)).toBe(false)
    expect(hasEndedElsewhere(all(5), all(), 2)).toBe(true)
    expect(hasEndedElsewhere(all(5, 7), all(5), 1)).toBe(true)
    expect(hasEndedElsewhere(all(5, 8), all(5, 7), 1)).toBe(true)
    expect(hasEndedElsewhere(all(5, 8), all(5, 8), 1)).toBe(false)
    // One that is new, or gone, has ended nothing that others have not seen.
    expect(hasEndedElsewhere(all(5, 8), { workers: [], leases: [] }, 1)).toBe(false)
    expect(hasEndedElsewhere({ workers: [], leases: [] }, all(5, 8), 1)).toBe(false)
  })

  it('say of what they have what is wrong with it, and of nothing else', () => {
    const late = { hash: 'h', sees: true, waitingSince: 7 }
    const workers = [
      worker(1, ['a'], { runs: { a: late, b: late } }),
      worker(2, ['b'], { runs: { b: { hash: 'h', sees: true, broken: { code: 'STATE_FULL' } } } }),
    ]
    const troubles = reportedTroubles({ workers, leases: [lease('a', 1), lease('b', 2), lease('c', 3)] })
    expect(troubles.get('a')).toMatchObject({ waitingSince: 7 })
    expect(troubles.get('b')).toEqual({ hash: 'h', sees: true, broken: { code: 'STATE_FULL' } })
    expect(troubles.get('c')).toEqual({})
  })
})
