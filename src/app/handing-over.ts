// The sync log, handed over to a collector of logs: by `audit hand-over`, and by the daemon as `audit.hand_over` says. The
// position moves only after everything before it has arrived: an entry may come twice, and none is left out.
import {
  entryOfLine,
  framed,
  handedOverTo,
  handOverText,
  handOverWait,
  type HandOverStore,
} from '../core/log/hand-over.ts'
import type { LoggedEntry } from '../core/log/audit-chain.ts'
import type { SyncLog } from '../core/log/sync-log.ts'
import type { Clock } from '../core/ports.ts'
import type { Settings } from '../core/settings.ts'
import type { InstanceStore } from '../core/state.ts'
import { isReceiver } from '../core/words/network/address.ts'
import { errorFacts } from '../core/words/error-facts.ts'
import type { Log } from '../log/log.ts'
import { hostName } from '../system.ts'
import { appendToFile, sendToReceiver } from './hand-over-places.ts'

type Wanted = NonNullable<Settings['audit']['hand_over']>
type HandOverState = Pick<SyncLog, 'logHead' | 'logPage' | 'logEntry'> & InstanceStore & HandOverStore

const PAGE = 500
/** Entries that are confirmed together: with a receiver, those of one connection. */
const PORTION = 5000

async function* portion(state: HandOverState, from: number): AsyncGenerator<LoggedEntry> {
  let last = from
  while (last < from + PORTION) {
    const page = await state.logPage({}, { order: 'oldest', from: last, limit: PAGE })
    yield* page
    if (page.length < PAGE) return
    last = page.at(-1)?.seq ?? last
  }
}

/** Where the file is ahead of the position: a process was killed after it had written. */
async function knownTo(state: HandOverState, line: string, instance: string): Promise<number> {
  const found = entryOfLine(line)
  if (found === undefined || found.instance !== instance) return 0
  const entry = await state.logEntry(found.seq)
  return entry?.hash === found.hash ? found.seq : 0
}

/** One portion behind this entry; gives the last entry that the place has now. */
async function deliver(
  state: HandOverState,
  { to, format }: Wanted,
  { from, isAgain, signal }: { from: number; isAgain: boolean; signal: AbortSignal },
): Promise<number> {
  const instance = await state.instance()
  const sender = { format, instance, host: hostName() }
  let last = from
  async function* texts(): AsyncGenerator<string> {
    for await (const entry of portion(state, last)) {
      yield handOverText(entry, sender)
      last = entry.seq
    }
  }
  async function* frames(): AsyncGenerator<string> {
    for await (const text of texts()) yield framed(text, format)
  }
  if (isReceiver(to)) await sendToReceiver(to, frames(), signal)
  else
    await appendToFile(to, async (line) => {
      if (!isAgain) last = Math.max(last, await knownTo(state, line, instance))
      return texts()
    })
  return last
}

/** What is new since the last time; `again`: from this entry on. Gives how many entries were handed over. */
export async function handOver(
  state: HandOverState,
  wanted: Wanted,
  { again, signal }: { again?: number | undefined; signal: AbortSignal },
): Promise<{ readonly entries: number; readonly up_to: number }> {
  const { entries: end } = await state.logHead()
  const start = again === undefined ? await handedOverTo(state, wanted) : again - 1
  let seq = start
  while (seq < end && !signal.aborted) {
    seq = await deliver(state, wanted, { from: seq, isAgain: again !== undefined, signal })
    await state.noteHandedOver({ to: wanted.to, seq })
  }
  return { entries: Math.max(0, seq - start), up_to: seq }
}

export interface HandingOver {
  /** Hands over what is new; never rejects. */
  look(): Promise<void>
  /** Resolves when nothing is being handed over. */
  idle(): Promise<void>
  /** The same at once, for a command; rejects where it fails. */
  now(again?: number): ReturnType<typeof handOver>
}

interface Parts {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Log
  readonly signal: AbortSignal
  readonly state: HandOverState
  settings(): Pick<Settings, 'audit'>
}

/** For the daemon. A receiver that is away is tried again after waits that grow, and is reported once. */
export function createHandingOver({ clock, log, signal, state, settings }: Parts): HandingOver {
  let current: Promise<unknown> | undefined
  let failures = 0
  let failedAt = 0
  const isWaiting = (): boolean => clock.monotonic() - failedAt < handOverWait(failures)

  async function once(again?: number): ReturnType<typeof handOver> {
    const { hand_over: wanted } = settings().audit
    if (wanted === undefined) return { entries: 0, up_to: 0 }
    try {
      const done = await handOver(state, wanted, { again, signal })
      failures = 0
      if (done.entries > 0)
        log.info('sync log handed over', { entries: done.entries, sync_log_entries: done.up_to })
      return done
    } catch (error) {
      failures += 1
      failedAt = clock.monotonic()
      if (failures === 1 && !signal.aborted) log.warn('sync log not handed over', errorFacts(error))
      throw error
    }
  }
  async function inTurn(again?: number): ReturnType<typeof handOver> {
    while (current !== undefined) await current.catch(() => undefined)
    const working = once(again)
    current = working
    return working.finally(() => {
      current = undefined
    })
  }

  return {
    async look() {
      if (current !== undefined || isWaiting() || signal.aborted) return
      await inTurn().catch(() => undefined)
    },
    async idle() {
      await current?.catch(() => undefined)
    },
    now: inTurn,
  }
}
