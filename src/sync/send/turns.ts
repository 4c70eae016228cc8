// One after the other for the same thing, side by side for different things.
// Shared by all pipelines that run at once.

export interface Turns {
  take<T>(id: number, task: () => Promise<T>): Promise<T>
}

export function createTurns(): Turns {
  const last = new Map<number, Promise<unknown>>()
  return {
    async take(id, task) {
      const before = last.get(id)
      const mine = before === undefined ? task() : before.then(task, task)
      last.set(id, mine)
      try {
        return await mine
      } finally {
        if (last.get(id) === mine) last.delete(id)
      }
    },
  }
}

/** Family names: a service that judges by them may merge a create into any contact of its name. */
export interface NameTurn {
  /** No other task with the name runs meanwhile, and none begins while this one waits. */
  readonly alone: readonly string[]
  /** Other tasks may share the name. */
  readonly shared: readonly string[]
}

export interface MailTurns {
  /** Runs the task while none of these mails, and of these names none that it must have alone, is in another task. */
  take<T>(mails: readonly string[], task: () => Promise<T>, names?: NameTurn): Promise<T>
}

interface Turn {
  readonly alone: ReadonlySet<string>
  readonly shared: ReadonlySet<string>
  readonly done: Promise<undefined>
  hasBegun: boolean
}

const hasAny = (of: ReadonlySet<string>, names: ReadonlySet<string>): boolean =>
  [...names].some((name) => of.has(name))

function mustWaitFor(other: Turn, mine: Turn): boolean {
  if (hasAny(other.alone, mine.shared)) return true
  return other.hasBegun && (hasAny(other.alone, mine.alone) || hasAny(other.shared, mine.alone))
}

export function createMailTurns(): MailTurns {
  const turns = new Set<Turn>()
  return {
    async take(mails, task, { alone, shared } = { alone: [], shared: [] }) {
      const done = Promise.withResolvers<undefined>()
      const named = (names: readonly string[]): string[] => names.map((name) => `name ${name}`)
      const mine: Turn = {
        alone: new Set([...mails, ...named(alone)]),
        shared: new Set(named(shared)),
        done: done.promise,
        hasBegun: false,
      }
      turns.add(mine)
      try {
        // All at once or none, so that no task waits while holding what another waits for.
        for (;;) {
          const others = [...turns].filter((other) => other !== mine && mustWaitFor(other, mine))
          if (others.length === 0) break
          await Promise.all(others.map((other) => other.done))
        }
        mine.hasBegun = true
        return await task()
      } finally {
        turns.delete(mine)
        done.resolve(undefined)
      }
    },
  }
}
