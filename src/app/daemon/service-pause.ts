// While the service cannot be used no run starts. It is probed at growing intervals, by one cheap read; where it
// refuses the key no request is sent before the key has changed, or an operator resumes.
import type { Pause } from '../../core/outcome/daemon.ts'
import type { Clock, Random } from '../../core/ports.ts'

type Trouble = Pick<Pause, 'code' | 'reason'>

export interface CompleteRun {
  readonly begunAt: number
  readonly requests: number
}

export interface ServicePause {
  readonly current: Pause | undefined
  /** A run had to stop for this. */
  begin(trouble: Trouble): void
  /** A run came to its end: if it has asked the service since the pause began, the pause need not wait any longer. */
  allWell(run: CompleteRun): void
  /** Ends the waiting for the next question, also the one for another key. */
  askNow(): void
}

interface Parts {
  readonly clock: Clock
  readonly random: Random
  /** The end of the daemon. */
  readonly signal: AbortSignal
  /** What is wrong with the service, or undefined. */
  probe(signal: AbortSignal): Promise<Trouble | undefined>
  /** Takes a key that has changed into use; whether there was one. */
  renewKey(): Promise<boolean>
  onPaused(pause: Pause): void
  onResumed(ms: number): void
  /** The state failed, or this program. */
  onFault(error: unknown): void
}

const FIRST_GAP_MS = 5_000
const LONGEST_GAP_MS = 300_000
/** How often a refused key is compared with its file. */
const KEY_LOOK_MS = 5_000

/** Twice as long each time, and a quarter more or less, so that many daemons do not ask in step. */
function gapMs(failures: number, random: Random): number {
  const gap = Math.min(FIRST_GAP_MS * 2 ** Math.min(failures, 20), LONGEST_GAP_MS)
  return Math.round(gap * (0.75 + random() / 2))
}

export function createServicePause(parts: Parts): ServicePause {
  const { clock, random, signal } = parts
  let current: Pause | undefined
  let asking = new AbortController()
  /** Probes and runs in a row that found the service unusable. */
  let failures = 0

  const isEnding = (): boolean => signal.aborted
  const isRefused = (): boolean => current?.code === 'SERVICE_KEY_REFUSED'

  /** Until the time is over, or it is ended early. */
  async function wait(ms: number): Promise<'over' | 'asked'> {
    const wanted = asking.signal
    await clock.sleep(ms, AbortSignal.any([signal, wanted]))
    return wanted.aborted ? 'asked' : 'over'
  }

  async function waitForKey(): Promise<void> {
    while (!isEnding()) {
      if (await parts.renewKey()) return
      if ((await wait(KEY_LOOK_MS)) === 'asked') return
    }
  }

  async function waitForService(): Promise<void> {
    while (!isEnding() && current !== undefined && !isRefused()) {
      const gap = gapMs(failures, random)
      current = { ...current, nextProbeAt: clock.now() + gap }
      await wait(gap)
      if (isEnding() || isRefused()) return
      asking = new AbortController()
      const trouble = await parts.probe(signal)
      if (trouble === undefined) return
      failures += 1
      change(trouble)
    }
  }

  function change({ code, reason }: Trouble): void {
    if (current === undefined || signal.aborted) return
    const isNews = code !== current.code
    current = { ...current, code, reason, nextProbeAt: undefined }
    if (isNews) parts.onPaused(current)
  }

  async function recover(pause: Pause): Promise<void> {
    asking = new AbortController()
    await waitForService()
    // A new key is tried by the runs themselves: they say what becomes of it.
    if (isRefused()) await waitForKey()
    current = undefined
    // Until a run has completed, recovery is not certain; if it fails, the intervals keep growing.
    failures += 1
    if (!signal.aborted) parts.onResumed(clock.now() - pause.since)
  }

  return {
    get current() {
      return current
    },
    begin(trouble) {
      if (signal.aborted) return
      if (current !== undefined) {
        // Runs that began before the pause end with the same; a refused key is worse than a silent service.
        if (trouble.code === 'SERVICE_KEY_REFUSED') change(trouble)
        return
      }
      current = { since: clock.now(), ...trouble, nextProbeAt: undefined }
      parts.onPaused(current)
      recover(current).catch(parts.onFault)
    },
    allWell({ begunAt, requests }) {
      failures = 0
      // Runs that a user asks for begin during a pause as well.
      if (current !== undefined && requests > 0 && begunAt >= current.since) asking.abort()
    },
    askNow: () => asking.abort(),
  }
}
