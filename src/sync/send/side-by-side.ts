// Requests that are under way: as many at a time as the service allows, and never two for one mail at once, because the second
// could be judged before the first is there.
import type { Operation } from '../../core/change/operation.ts'
import { isStopped, type RunContext } from '../context.ts'

/** Requests that are ready (and in the journal) when a turn is free: an answer need not be worked on before the next one leaves. */
const READY = 1

export interface SideBySide {
  /**
   * Begins the task once it may; false: the run is to end, or one of the tasks has failed. `mails`: those that it concerns.
   */
  begin(
    task: () => Promise<void>,
    of: { kind: Operation['kind']; mails: readonly string[] },
  ): Promise<boolean>
  /** Resolves when all have ended; throws what the first of them has thrown. */
  end(): Promise<void>
}

export function createSideBySide(context: RunContext): SideBySide {
  const underway = new Map<Promise<void>, Operation['kind']>()
  const busy = new Set<string>()
  const errors: unknown[] = []
  const mustWait = (mails: readonly string[]): boolean =>
    underway.size >= context.service.rate_limit.concurrency + READY || mails.some((mail) => busy.has(mail))
  const creates = (): Promise<void>[] =>
    [...underway].flatMap(([done, kind]) => (kind === 'create' ? done : []))
  return {
    async begin(task, { kind, mails }) {
      // The result of every create must be known before any delete: a create may be merged into a contact that is to be deleted.
      if (kind === 'delete') await Promise.all(creates())
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
      underway.set(done, kind)
      return true
    },
    async end() {
      await Promise.all(underway.keys())
      if (errors.length > 0) throw errors[0]
    },
  }
}
