// Runs of several accounts share one thread, and the state of each is written on it: a transaction that waits for the disk keeps all
// others waiting. A large run does hundreds of them a minute, and a small one needs some dozens of turns of the event loop: with a
// large one's transactions in each of them it would take ten times as long. So an account that has used the thread leaves it to the
// others for as long, while they have runs. And what two accounts do is done in two turns of the event loop: the runs of many that
// begin together, or their looks for news, would keep timers, signals and pages of the console waiting for seconds.
import type { Fleet } from '../../core/fleet.ts'
import type { Clock } from '../../core/ports.ts'
import { createOneATurn } from '../../service/one-a-turn.ts'
import type { OwnedState } from '../../store/state-store.ts'

/** What a run asks, one of many records again and again. */
const SHARED = [
  'beginRun',
  'reopen',
  'unfinishedInputs',
  'leftOpen',
  'known',
  'claim',
  'matchFingerprints',
  'stageBatch',
  'rejectsAt',
  'completeStaging',
  'planTotals',
  'commitPlan',
  'takeToSend',
  'markSending',
  'settleBatch',
  'markAndSettle',
  'endInput',
  'endRun',
] as const satisfies readonly (keyof OwnedState)[]

/** However long a statement has taken, it is not waited for longer. */
const MOST_MS = 250

export interface ThreadShare {
  /** A run of the account. */
  during<Result>(run: () => Promise<Result>): Promise<Result>
  /** The state as its runs use it. */
  shared(state: OwnedState): OwnedState
}

type Asked = (...given: readonly unknown[]) => Promise<unknown>

/** What a worker asks every few seconds, in a turn of its own. */
const withLooks = (fleet: Fleet, itsTurn: () => Promise<void>): Fleet => ({
  ...fleet,
  meet: async (now) => itsTurn().then(async () => fleet.meet(now)),
  asked: async (after) => itsTurn().then(async () => fleet.asked(after)),
})

/** One for all accounts of a process; gives the share of each. */
export function createThreadShares(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): (account: string) => ThreadShare {
  const running = new Map<string, number>()
  const known = new Set<string>()
  const ownTurn = createOneATurn()
  const itsTurn = async (): Promise<void> => {
    if (known.size > 1) await ownTurn()
  }
  return (account) => {
    known.add(account)
    const hasOthers = (): boolean => running.size > (running.has(account) ? 1 : 0)
    /** Until then it is the turn of others. */
    let othersUntil = -Infinity
    let last: Promise<void> = Promise.resolve()

    async function waitForOthers(): Promise<void> {
      for (let ms = 1; ms > 0 && hasOthers();) {
        ms = othersUntil - clock.monotonic()
        if (ms > 0) await clock.sleep(ms)
      }
    }
    function timed(ask: () => Promise<unknown>): Promise<unknown> {
      const began = clock.monotonic()
      const answer = ask()
      const now = clock.monotonic()
      othersUntil = now + Math.min(now - began, MOST_MS)
      return answer
    }
    const inTurn =
      (ask: Asked): Asked =>
      async (...given) => {
        if (hasOthers()) {
          // One after the other: each waits for what the one before has taken.
          last = last.then(waitForOthers).then(itsTurn)
          await last
        }
        return timed(() => ask(...given))
      }
    const count = (by: number): void => {
      const runs = (running.get(account) ?? 0) + by
      if (runs === 0) running.delete(account)
      else running.set(account, runs)
    }
    return {
      async during(run) {
        count(1)
        try {
          await itsTurn()
          return await run()
        } finally {
          count(-1)
        }
      },
      shared(state) {
        const asked = new Map<string | symbol, Asked>(
          SHARED.map((name) => [name, inTurn((...given) => (state[name] as Asked)(...given))]),
        )
        const fleet = state.fleet && withLooks(state.fleet, itsTurn)
        return new Proxy(state, {
          get(target, name) {
            if (name === 'fleet') return fleet
            return asked.get(name) ?? (Reflect.get(target, name) as unknown)
          },
        })
      },
    }
  }
}
