// Durations as people write them, the same wherever one is set. Pure.

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

export const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/
export const DURATION_SENTENCE = 'is no duration; write one such as 500ms, 30s, 5m, 2h or 30d'

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: HOUR_MS,
  d: DAY_MS,
}

/** Whole milliseconds of a text that has the form of a duration. */
export function milliseconds(duration: string): number {
  const [, amount = '', unit = ''] = DURATION.exec(duration) ?? []
  return Math.round(Number(amount) * (UNIT_MS[unit] ?? 0))
}

const UNITS = ['d', 'h', 'm', 's', 'ms'] as const

/** The shortest text that stands for exactly these milliseconds: `30d`, `90s`, `1500ms`. */
export function durationText(ms: number): string {
  const unit = ms === 0 ? 'ms' : (UNITS.find((name) => ms % (UNIT_MS[name] ?? 1) === 0) ?? 'ms')
  return `${ms / (UNIT_MS[unit] ?? 1)}${unit}`
}
