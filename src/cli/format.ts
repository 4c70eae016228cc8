// Numbers and spans of time, as people read them.

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

export const number = (value: number): string => value.toLocaleString('en-US')

/** `1 record`, `2 records`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

/** A span in milliseconds: `340 ms`, `12.3 s`, `4 min 5 s`, `3 h 20 min`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(1)} s`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${Math.round((ms % MINUTE) / SECOND)} s`
  return `${Math.floor(ms / HOUR)} h ${Math.round((ms % HOUR) / MINUTE)} min`
}

/** How long ago: `just now`, `3 min ago`, `2 days ago`. */
export function ago(ms: number): string {
  if (ms < 5 * SECOND) return 'just now'
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`
  if (ms < 48 * HOUR) return `${Math.floor(ms / HOUR)} h ago`
  return `${Math.floor(ms / (24 * HOUR))} days ago`
}

/** A moment in milliseconds since the epoch, in UTC, to the second. */
export const moment = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** A field's value in a plan: blank is said, text is quoted. */
export const shownValue = (value: unknown): string =>
  value === null || value === '' ? '(blank)' : JSON.stringify(value)

/** A size in bytes: `512 B`, `4.2 kB`, `1.3 MB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`
  const units = ['kB', 'MB', 'GB', 'TB'] as const
  const power = Math.min(units.length, Math.floor(Math.log10(count) / 3))
  return `${(count / 1000 ** power).toFixed(1)} ${units[power - 1] ?? ''}`
}

/** Behind the name of a file that was written. */
export const replacedText = (replaced: boolean): string =>
  replaced ? ', in place of the file that was there' : ''
