// Durations as people write them, the same wherever one is set. Pure.

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

export const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/
export const DURATION_SENTENCE = 'is not a duration; write one such as 500ms, 30s, 5m, 2h or 30d'

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}

/** Whole milliseconds of a text that has the form of a duration. */
export function milliseconds(duration: string): number {
  const [, amount = '', unit = ''] = DURATION.exec(duration) ?? []
  return Math.round(Number(amount) * (UNIT_MS[unit] ?? 0))
}

const WHOLE_UNITS = ['d', 'h', 'm', 's'] as const

/** The shortest text that stands for exactly these milliseconds: `30d`, `90s`, `1500ms`. */
export function durationText(ms: number): string {
  const unit = ms === 0 ? undefined : WHOLE_UNITS.find((name) => ms % (UNIT_MS[name] ?? 1) === 0)
  if (unit !== undefined) return `${ms / (UNIT_MS[unit] ?? 1)}${unit}`
  return ms < 1e9 ? `${ms}ms` : `${ms / 1000}s`
}
