// Accounts whose state at a server is away for now: each joins again as soon as it can.
import type { Clock } from '../../../core/ports.ts'
import type { Settings } from '../../../core/settings.ts'
import { SyncError } from '../../../core/words/errors.ts'
import type { Log } from '../../../log/log.ts'
import type { AccountConfiguration } from '../../run/configuration.ts'
import type { Serving } from '../serving.ts'

const REJOIN_MS = 2000

/** The server with its state is away, or this worker was taken for lost: it joins again as soon as it can. */
export const isPassing = (settings: Settings, error: unknown): error is SyncError =>
  settings.state.url !== undefined &&
  error instanceof SyncError &&
  (error.code === 'STATE_IO' || error.code === 'STATE_LOCKED')

interface Parts {
  readonly clock: Clock
  readonly log: Log
  readonly serving: Pick<Serving, 'lacking'>
  /** The end of all. */
  readonly signal: AbortSignal
  readonly isOneOfSeveral: boolean
  loadOwn(account: string): Promise<AccountConfiguration>
}

interface Told {
  /** Throws what keeps the account from being at work. */
  open(settings: Settings): Promise<void>
  /** The account is at work under the settings from before, because there are none to be had now: it says so. */
  readAgain(account: string): void
  /** It cannot be at work, for another reason. */
  onEnd(account: string, error: unknown): void
}

interface Waiting {
  readonly ended: Promise<void>
  stop(): void
  isStopped(): boolean
}

/** `waiting`: those that wait, by name. */
export function createWaiting(parts: Parts, { open, readAgain, onEnd }: Told) {
  const { clock, log, serving, isOneOfSeveral, loadOwn } = parts
  const waiting = new Map<string, Waiting>()

  /** Ends where it is at work again, where it cannot be, and where it is to be no more. */
  async function rejoin(settings: Settings, error: SyncError, signal: AbortSignal): Promise<void> {
    const { account } = settings
    const label = isOneOfSeveral ? { account } : {}
    const isOver = (): boolean => signal.aborted
    log.warn('state unavailable: waiting', { ...label, code: error.code })
    for (let last: unknown = error; isPassing(settings, last);) {
      serving.lacking(account, `state unavailable (${last.code})`)
      await clock.sleep(REJOIN_MS, signal)
      if (isOver()) return
      const loaded = await loadOwn(account)
      if (isOver()) return
      last = await open(loaded.ok ? loaded.settings : settings).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (last === undefined) {
        log.info('state available again', label)
        if (!loaded.ok) readAgain(account)
      } else if (!isPassing(settings, last)) onEnd(account, last)
    }
  }

  return {
    waiting: waiting as ReadonlyMap<string, Waiting>,
    wait(settings: Settings, error: SyncError): void {
      const { account } = settings
      const own = new AbortController()
      const ended = rejoin(settings, error, AbortSignal.any([parts.signal, own.signal])).finally(() =>
        waiting.delete(account),
      )
      waiting.set(account, { ended, stop: () => own.abort(), isStopped: () => own.signal.aborted })
    },
  }
}
