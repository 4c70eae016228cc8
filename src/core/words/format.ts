// Numbers, moments, spans and sizes as people read them, the same on the terminal and in the console.
import { DAY_MS, HOUR_MS, MINUTE_MS } from './duration.ts'

export const number = (value: number): string =>
  // The first use of the locale's rules costs a start 30 ms, and whole numbers need none.
  Number.isSafeInteger(value)
    ? String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
    : value.toLocaleString('en-US')

/** `1 record`, `2,000 records`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** A moment in milliseconds since the epoch, in UTC, to the second. */
export const momentText = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

const UNITS = [
  [DAY_MS, 'd', HOUR_MS, 'h'],
  [HOUR_MS, 'h', MINUTE_MS, 'min'],
  [MINUTE_MS, 'min', 1000, 's'],
] as const

/** `340 ms`, `12.3 s`, `4 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${Number((ms / 1000).toFixed(1))} s`
  const [large, largeName, small, smallName] = UNITS.find(([size]) => ms >= size) ?? UNITS[2]
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}

/** `5 min ago`, `in 2 h`: one unit is enough to place a moment. */
export function distanceText(ms: number, now: number): string {
  const apart = Math.abs(ms - now)
  if (apart < 5000) return 'now'
  const [size, name] =
    apart < MINUTE_MS ? ([1000, 's'] as const) : (UNITS.find(([unit]) => apart >= unit) ?? UNITS[2])
  const text = `${Math.round(apart / size)} ${name}`
  return ms < now ? `${text} ago` : `in ${text}`
}

/** `512 B`, `4.2 kB`, `1.3 MB`. */
export function bytesText(count: number): string {
  if (count < 1000) return `${count} B`
  const units = ['kB', 'MB', 'GB', 'TB'] as const
  const power = Math.min(units.length, Math.floor(Math.log10(count) / 3))
  return `${(count / 1000 ** power).toFixed(1)} ${units[power - 1] ?? ''}`
}

/** `5%`, of a number between 0 and 1. */
export const shareText = (share: number): string => `${Number((share * 100).toFixed(4))}%`
