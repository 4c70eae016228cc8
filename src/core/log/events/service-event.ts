// What the client of the service tells those who watch it: logs, metrics, traces. Nothing in it is personal: a path is
// always the template of the interface, `/contact/<contact_id>`. Durations in milliseconds.
import type { RequestTrace } from '../../ports.ts'
import { spanText } from '../../words/format.ts'

/** One request, answered or abandoned. */
export interface RequestEvent {
  readonly type: 'request'
  readonly method: RequestTrace['method']
  readonly path: string
  /** Undefined where no answer came. */
  readonly status: number | undefined
  /** Counted from 1 over one call. */
  readonly attempt: number
  readonly durationMs: number
  /** How long it waited for its turn under the rate limit. */
  readonly waitedMs: number
  /** When it was sent, in milliseconds since the epoch. */
  readonly sentAt: number
}

export type ServiceEvent =
  | RequestEvent
  | {
      readonly type: 'retry'
      readonly method: RequestTrace['method']
      readonly path: string
      /** The attempt that has just failed, counted from 1. */
      readonly attempt: number
      readonly delayMs: number
      readonly summary: string
    }
  /** The service said "too many requests": all calls wait. */
  | { readonly type: 'throttled'; readonly delayMs: number; readonly summary: string }
  /** The service said that nothing is left for now, or that it is away for so long: all calls wait. */
  | { readonly type: 'waiting'; readonly delayMs: number }
  /** The service has asked another process, or the one before this, to wait: all calls wait. */
  | { readonly type: 'paused'; readonly delayMs: number }
  /** `per_day` is used up: nothing more is sent. */
  | { readonly type: 'daily_limit' }
  /** The window cannot be shared with other processes; `reason`: the code of the error. */
  | { readonly type: 'alone'; readonly reason: string }

/** For a person who waits while all calls are held back for so long. */
export const heldBackText = (ms: number): string =>
  `the service has asked to wait: nothing is sent for ${spanText(ms)}, then this continues`

export type ServiceListener = (event: ServiceEvent) => void

/** The rate limit at this moment. */
export interface RateUse {
  /** Requests that a window may hold now: fewer than configured for a while after the service throttled. */
  readonly allowed: number
  /** Requests that the window holds. */
  readonly used: number
  /** Calls that wait for their turn. */
  readonly waiting: number
  /** How long all of them are held back yet, in milliseconds. */
  readonly pausedMs: number
}
