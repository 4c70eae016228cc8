// Requests that are under way: as many at a time as the service allows, and never two for one mail at once, because the second
// could be judged before the first is there.
import type { Operation } from '../../core/change/operation.ts'
import { contactMailKey } from '../../core/mapping/contact.ts'
import { isStopped, type RunContext } from '../context.ts'

/** Requests that are ready (and in the journal) when a turn is free: an answer need not be worked on before the next one leaves. */
const READY = 1

export interface SideBySide {
  /** Begins the task, which sends these operations, once it may; false: the run is to end, or one of the tasks has failed. */
  begin(
    task: () => Promise<void>,
    of: { kind: Operation['kind']; operations: readonly Operation[] },
  ): Promise<boolean>
  /** Resolves when all have ended; throws what the first of them has thrown. */
  end(): Promise<void>
}

/**
 * The mails that a request concerns: those it brings, and those it takes away, which may be another's from then on. A create of
 * another pipeline may be merged into a contact by its mail, and would be gone with it if that were deleted meanwhile.
 */
function mailsOf({ kind, mailKey, known }: Operation): string[] {
  const isGivenUp = kind === 'delete' || (kind === 'update' && mailKey !== undefined)
  return [mailKey, isGivenUp ? contactMailKey(known) : undefined].filter((mail) => mail !== undefined)
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
    async begin(task, { kind, operations }) {
      const mails = [...new Set(operations.flatMap(mailsOf))]
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
