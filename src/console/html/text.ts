// Values as text for people: numbers, moments, spans, and data of others with whatever could mislead made visible.

/** Marks that nobody sees, or that turn the direction of what follows: names may hold them, pages show them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A text of others: control and format characters as `\u{202e}`. Line breaks and tabs stay. */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (char) =>
    char === '\n' || char === '\t' ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  )

export const number = (value: number): string => value.toLocaleString('en-US')

/** `1 record`, `2,000 records`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`

/** In UTC, to the second. */
export const momentText = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

const UNITS = [
  [86_400_000, 'd', 3_600_000, 'h'],
  [3_600_000, 'h', 60_000, 'min'],
  [60_000, 'min', 1000, 's'],
] as const

/** `340 ms`, `12.3 s`, `4 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function spanText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(1))} s`
  const [large, largeName, small, smallName] = UNITS.find(([size]) => ms >= size) ?? UNITS[2]
  const rest = Math.floor((ms % large) / small)
  return `${Math.floor(ms / large)} ${largeName}${rest === 0 ? '' : ` ${rest} ${smallName}`}`
}

/** `5 min ago`, `in 2 h`: one unit is enough to place a moment. */
export function distanceText(ms: number, now: number): string {
  const apart = Math.abs(ms - now)
  if (apart < 5000) return 'now'
  const [size, name] =
    apart < 60_000 ? ([1000, 's'] as const) : (UNITS.find(([unit]) => apart >= unit) ?? UNITS[2])
  const text = `${Math.round(apart / size)} ${name}`
  return ms < now ? `${text} ago` : `in ${text}`
}

export function bytesText(count: number): string {
  if (count < 1000) return `${count} B`
  const units = ['kB', 'MB', 'GB', 'TB'] as const
  const power = Math.min(units.length, Math.floor(Math.log10(count) / 3))
  return `${(count / 1000 ** power).toFixed(1)} ${units[power - 1] ?? ''}`
}

/** Hashes are compared by their beginning and end; the whole one is in the title. */
export const shortHash = (hash: string): string =>
  hash.length <= 20 ? hash : `${hash.slice(0, 10)}…${hash.slice(-6)}`
