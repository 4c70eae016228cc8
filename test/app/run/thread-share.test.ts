// What runs of several accounts leave each other of the thread they share.
import { describe, expect, it } from 'vitest'
import { createThreadShares } from '../../../src/app/run/thread-share.ts'
import type { OwnedState } from '../../../src/store/state-store.ts'
import { systemClock } from '../../../src/system.ts'

/** Time passes by what statements take, and by sleeping. */
function world() {
  let now = 0
  const done: string[] = []
  const shares = createThreadShares({
    monotonic: () => now,
    sleep: (ms) => {
      now += ms
      done.push(`waits ${ms}`)
      return Promise.resolve()
    },
  })
  const account = (name: string) => {
    const share = shares(name)
    const takeToSend = (ms: unknown) => {
      now += Number(ms)
      done.push(`${name} takes ${String(ms)}`)
      return Promise.resolve([])
    }
    const state = share.shared({ takeToSend, binding: name } as unknown as OwnedState)
    return {
      during: share.during,
      state,
      take: (ms: number) => (state.takeToSend as unknown as typeof takeToSend)(ms),
    }
  }
  return { done, account }
}

describe('an account that has used the thread', () => {
  it('leaves it to others for as long, while they have runs', async () => {
    const { done, account } = world()
    const [large, small] = [account('large'), account('small')]
    await large.during(async () => {
      await large.take(8)
      await large.take(9)
      await small.during(async () => {
        await large.take(20)
        await large.take(5)
        await small.take(1)
      })
      await large.take(7)
    })
    expect(done).toEqual([
      'large takes 8',
      'large takes 9',
      'waits 9',
      'large takes 20',
      'waits 20',
      'large takes 5',
      'small takes 1',
      'large takes 7',
    ])
  })

  it('waits for each of the statements that its runs ask for at once, and never long', async () => {
    const { done, account } = world()
    const [large, small] = [account('large'), account('small')]
    await small.during(() =>
      large.during(async () => Promise.all([large.take(10), large.take(4000), large.take(3)])),
    )
    expect(done).toEqual(['large takes 10', 'waits 10', 'large takes 4000', 'waits 250', 'large takes 3'])
  })

  it('does not wait for one whose run has failed, and has the rest of its state as it is', async () => {
    const { done, account } = world()
    const [large, small] = [account('large'), account('small')]
    await expect(small.during(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    await large.during(async () => {
      await large.take(5)
      await large.take(5)
    })
    expect(done).toEqual(['large takes 5', 'large takes 5'])
    expect(large.state.binding).toBe('large')
  })

  it('does what it does in turns of the event loop in which no other does anything', async () => {
    let [turn, isOver] = [0, false]
    const count = (): void => {
      turn += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const shares = createThreadShares(systemClock)
    const turns: number[] = []
    const ask = () => Promise.resolve(turns.push(turn))
    const accounts = ['north', 'south', 'west'].map((name) => {
      const share = shares(name)
      const state = { takeToSend: ask, fleet: { meet: ask, asked: ask } } as unknown as OwnedState
      return { share, state: share.shared(state) }
    })
    const all = (work: (one: (typeof accounts)[number]) => Promise<unknown>) =>
      Promise.all(accounts.map(work))
    await all(({ share, state }) =>
      share.during(async () => {
        await state.takeToSend('r1', undefined, 1)
        await state.takeToSend('r1', undefined, 1)
      }),
    )
    await all(async ({ state }) => state.fleet?.asked(0))
    isOver = true
    expect(turns).toHaveLength(9)
    expect(new Set(turns).size).toBe(9)
  })
})
