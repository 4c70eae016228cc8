// Requests that are under way: as many at a time as the service allows, and never two for one mail at once, because the second
// could be judged before the first is there.
import { isStopped, type RunContext } from '../context.ts'

/** Requests that are ready (and in the journal) when a turn is free: an answer need not be worked on before the next one leaves. */
const READY = 1

export interface SideBySide {
  /**
   * Begins the task once it may; false: the run is to end, or one of the tasks has failed. `mails`: those that it concerns.
   * `isCreate`: what it does has to be known before anything is deleted.
   */
  begin(task: () => Promise<void>, of: { mails: readonly string[]; isCreate: boolean }): Promise<boolean>
  /** Resolves when the creates under way have ended. */
  creates(): Promise<void>
  /** Resolves when all have ended; throws what the first of them has thrown. */
  end(): Promise<void>
}

export function createSideBySide(context: RunContext): SideBySide {
  const underway = new Map<Promise<void>, { readonly isCreate: boolean }>()
  const busy = new Set<string>()
  const errors: unknown[] = []
  const mustWait = (mails: readonly string[]): boolean =>
    underway.size >= context.service.rate_limit.concurrency + READY || mails.some((mail) => busy.has(mail))
  return {
    async begin(task, { mails, isCreate }) {
      while (mustWait(mails)) await Promise.race(underway.keys())
      if (isStopped(context) || errors.length > 0) return false
      for (const mail of mails) busy.add(mail)
      const done = context.mails
        .take(mails, task)
        .catch((error: unknown) => void errors.push(error))
        .finally(() => {
          underway.delete(done)
          for (const mail of mails) busy.delete(mail)
        })
      underway.set(done, { isCreate })
      return true
    },
    async creates() {
      await Promise.all([...underway].flatMap(([done, { isCreate }]) => (isCreate ? done : [])))
    },
    async end() {
      await Promise.all(underway.keys())
      if (errors.length > 0) throw errors[0]
    },
  }
}
