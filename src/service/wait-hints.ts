// How long an answer asks us to wait: Retry-After and the rate-limit headers in their three spellings.
// What cannot be read with certainty is ignored: our own limiter and backoff hold without it.
import { DAY_MS, HOUR_MS } from '../core/words/duration.ts'

/** Headers by lower-case name, as Node gives them. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>

export interface WaitHints {
  /** From Retry-After; undefined where the answer does not say. */
  readonly retryAfterMs?: number | undefined
  /** Until the service's own limit resets; undefined where the answer does not say. */
  readonly resetMs?: number | undefined
  /** The service says that nothing is left until then; undefined while something is. */
  readonly exhaustedMs?: number | undefined
}

const SHORTEST_MS = 1_000
const LONGEST_MS = 900_000
const FAMILIES = ['x-rate-limit', 'x-ratelimit', 'ratelimit']
// Strict on purpose: Date.parse makes a date of almost anything ("abc 5" is a day in 2001).
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** The waits that the headers ask for, between 1 s and 15 min. `nowMs` is wall clock. */
export function waitHints(headers: AnswerHeaders, nowMs: number): WaitHints {
  const resetMs = firstOf(headers, 'reset', (text) => resetDelayMs(text, nowMs))
  const remaining = firstOf(headers, 'remaining', (text) => numberIn(text))
  const retryAfter = text(headers, 'retry-after')
  const retryAfterMs = retryAfter === undefined ? undefined : retryAfterDelayMs(retryAfter, nowMs)
  return {
    retryAfterMs,
    resetMs,
    exhaustedMs: remaining !== undefined && remaining <= 0 ? resetMs : undefined,
  }
}

/** Retry-After as seconds or as an HTTP date; undefined where it is neither. */
export function retryAfterDelayMs(value: string, nowMs: number): number | undefined {
  const seconds = numberIn(value)
  if (seconds !== undefined) return clamped(seconds * 1000)
  if (!HTTP_DATE.test(value.trim())) return undefined
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : clamped(at - nowMs)
}

/**
 * A reset as seconds from now, as epoch seconds or as epoch milliseconds. Undefined where it could be
 * two of them, or where it lies so far off that the unit must be another one.
 */
export function resetDelayMs(value: string, nowMs: number): number | undefined {
  const number = numberIn(value)
  if (number === undefined || number < 0) return undefined
  if (number * 1000 <= HOUR_MS) return clamped(number * 1000)
  for (const at of [number * 1000, number]) {
    const delayMs = at - nowMs
    // A little in the past is a limit that was just lifted, or a clock that goes wrong.
    if (delayMs >= -HOUR_MS && delayMs <= DAY_MS) return clamped(delayMs)
  }
  return undefined
}

function firstOf<T>(
  headers: AnswerHeaders,
  name: string,
  read: (text: string) => T | undefined,
): T | undefined {
  for (const family of FAMILIES) {
    const value = text(headers, `${family}-${name}`)
    const result = value === undefined ? undefined : read(value)
    if (result !== undefined) return result
  }
  return undefined
}

function text(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

function numberIn(value: string): number | undefined {
  return /^\s*-?\d{1,20}(\.\d{1,9})?\s*$/.test(value) ? Number(value) : undefined
}

function clamped(ms: number): number {
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, Math.ceil(ms)))
}
