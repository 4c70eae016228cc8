// One after the other for the same thing, side by side for different things.

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
