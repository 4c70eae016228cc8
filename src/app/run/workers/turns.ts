// Turns across the processes that share a state: what two pipelines do with one contact or one address goes one after the
// other, wherever they run. A turn is a row; those of a worker that is removed go with it.
import { hash } from 'node:crypto'
import type { Fleet } from '../../../core/fleet.ts'
import type { Clock } from '../../../core/ports.ts'
import { SyncError } from '../../../core/words/errors.ts'
import { createMailTurns, createTurns, type MailTurns, type Turns } from '../../../sync/send/turns.ts'

const LOOK_MS = 40

function claiming(fleet: Fleet, clock: Clock) {
  return async <T>(names: readonly string[], task: () => Promise<T>): Promise<T> => {
    while (!(await fleet.claim(names))) await clock.sleep(LOOK_MS)
    try {
      return await task()
    } finally {
      await fleet.letGo(names)
    }
  }
}

/** What reads the state and changes it by what it has read: one after the other, whichever worker does it. */
export async function inDecisionTurn<T>(
  fleet: Fleet | undefined,
  clock: Clock,
  work: () => Promise<T>,
): Promise<T> {
  return fleet === undefined ? work() : claiming(fleet, clock)(['decision'], work)
}

/** The address itself is not written down for it. */
const turnOfMail = (mail: string): string => `mail ${hash('sha256', mail, 'base64url')}`

/** Those of this process alone, where it is the one owner of the state. */
export function sharedTurns(fleet: Fleet | undefined, clock: Clock): { turns: Turns; mails: MailTurns } {
  const [turns, mails] = [createTurns(), createMailTurns()]
  if (fleet === undefined) return { turns, mails }
  const claimed = claiming(fleet, clock)
  return {
    turns: { take: (id, task) => turns.take(id, () => claimed([`contact ${id}`], task)) },
    mails: {
      take: (all, task, names) =>
        mails.take(all, () => (all.length === 0 ? task() : claimed(all.map(turnOfMail), task)), names),
    },
  }
}

/** Runs of one pipeline by one worker at a time. Throws STATE_LOCKED where another one has it. */
export function leasedTo(fleet: Fleet | undefined, clock: Clock) {
  return async <T>(pipeline: string, work: () => Promise<T>): Promise<T> => {
    if (fleet === undefined) return work()
    const [taken] = await fleet.take([pipeline], clock.now())
    if (taken === undefined && !(await fleet.has(pipeline)))
      throw new SyncError(
        'STATE_LOCKED',
        `another worker has the pipeline ${pipeline}, or wants that no run is active`,
      )
    try {
      return await work()
    } finally {
      if (taken !== undefined) await fleet.giveUp([taken])
    }
  }
}
