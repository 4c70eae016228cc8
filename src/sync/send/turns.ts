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

export interface MailTurns {
  /** Runs the task while none of these mails is in another task. */
  take<T>(mails: readonly string[], task: () => Promise<T>): Promise<T>
}

export function createMailTurns(): MailTurns {
  const busy = new Map<string, Promise<unknown>>()
  return {
    async take(mails, task) {
      // All at once or none, so that no task waits while holding what another waits for.
      for (;;) {
        const waitFor = mails.flatMap((mail) => busy.get(mail) ?? [])
        if (waitFor.length === 0) break
        await Promise.all(waitFor)
      }
      const done = Promise.withResolvers<undefined>()
      for (const mail of mails) busy.set(mail, done.promise)
      try {
        return await task()
      } finally {
        for (const mail of mails) busy.delete(mail)
        done.resolve(undefined)
      }
    },
  }
}
