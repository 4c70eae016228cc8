// The one rate limit of all processes that ask the service of a configuration: it lies beside their state.
import type { Clock, SharedWindow } from '../../../core/ports.ts'
import type { Settings } from '../../../core/settings.ts'
import type { OwnedState } from '../../../store/state-store.ts'
import { grownBack, RECOVERY_MS } from '../../../core/outcome/recovery.ts'
import { createSharedWindow } from '../../../store/window/shared-window.ts'
import { steadyTime } from '../../../store/window/steady-time.ts'
import { processId, systemClock } from '../../../system.ts'
import { readWindowUse, type WindowUse } from '../../../store/window/window-use.ts'
import { openGuestSlots } from '../../../store/postgres/guest-slots.ts'
import { readSlotUse } from '../../../store/postgres/slots.ts'
import { openToRead } from '../../../store/reading.ts'
import { serverPlace } from '../../../core/state-place.ts'

/** The rate in force, over all processes that ask the service. */
export interface RateStanding {
  /** As configured: so many requests in each window of so many milliseconds. */
  readonly requests: number
  readonly perMs: number
  /** Requests that a window may hold now: fewer for a while after the service has asked for fewer. */
  readonly allowed: number
  /** Requests that the window holds. */
  readonly used: number
  /** When the service has last asked for fewer, and that still has an effect: when nothing of it is left. */
  readonly slowedUntil: number | undefined
  /** The service has asked for a pause: nothing is sent before its end. */
  readonly pausedUntil: number | undefined
  readonly perDay: number | undefined
  /** Undefined where there is no limit of a day. */
  readonly usedOfDay: number | undefined
}

const addressOf = (baseUrl: string): string => new URL(baseUrl).href.replace(/\/+$/, '')

/** Undefined where no request was counted yet. */
function useOf(
  state: Settings['state'],
  of: { service: string; now: number; timeoutMs: number },
): WindowUse | undefined {
  if (serverPlace(state) === undefined) return readWindowUse(state.path, of)
  const db = openToRead(state)
  try {
    return db && readSlotUse(db, of)
  } finally {
    db?.close()
  }
}

/** Requests of the last 24 hours; undefined where there is no limit of a day. */
export function requestsOfDay({ service, state }: Settings, now: number): number | undefined {
  const { base_url: baseUrl, rate_limit: rateLimit, timeout: timeoutMs } = service
  if (rateLimit.per_day === undefined) return undefined
  return useOf(state, { service: addressOf(baseUrl), now, timeoutMs })?.ofDay ?? 0
}

export function rateStanding({ service, state }: Settings, now: number): RateStanding {
  const { base_url: baseUrl, rate_limit: rateLimit, timeout: timeoutMs } = service
  const { requests, per: perMs, per_day: perDay } = rateLimit
  const use = useOf(state, { service: addressOf(baseUrl), now, timeoutMs })
  const slowed = use?.slowed
  // After a pause alone all places are in use.
  const isSlowed = slowed !== undefined && slowed.places < requests && now < slowed.resumeAt + RECOVERY_MS
  return {
    requests,
    perMs,
    allowed: isSlowed
      ? grownBack(requests, Math.min(slowed.places, requests), now - slowed.resumeAt)
      : requests,
    used: use?.used ?? 0,
    slowedUntil: isSlowed ? slowed.resumeAt + RECOVERY_MS : undefined,
    pausedUntil: slowed !== undefined && now < slowed.resumeAt ? slowed.resumeAt : undefined,
    perDay,
    usedOfDay: perDay === undefined ? undefined : (use?.ofDay ?? 0),
  }
}

/**
 * `onAlone`: told once, where it cannot be shared, with the code of the error. `owned`: the state, where this process owns
 * it; what an older version counted there is carried over. `clock`: that of a simulated world.
 */
export function sharedWindow(
  { service, state }: Settings,
  onAlone: (reason: string) => void = () => undefined,
  owned?: Pick<OwnedState, 'formerWindow' | 'slots'> & { readonly clock?: Pick<Clock, 'monotonic'> },
): { shared: SharedWindow } {
  const { base_url: baseUrl, rate_limit: rateLimit, timeout: timeoutMs } = service
  const { per: perMs } = rateLimit
  const counted = { service: addressOf(baseUrl), perMs, timeoutMs }
  const server = serverPlace(state)
  const { clock = systemClock } = owned ?? {}
  const slots = { ...counted, recoveryMs: RECOVERY_MS, monotonic: () => clock.monotonic() }
  if (owned?.slots !== undefined) return { shared: owned.slots(slots) }
  if (server !== undefined)
    return { shared: openGuestSlots(server, { pid: processId(), since: systemClock.now() }, slots) }
  return {
    shared: createSharedWindow(state.path, {
      ...counted,
      steady: steadyTime(() => systemClock.now()),
      former: owned?.formerWindow,
      onAlone,
    }),
  }
}
