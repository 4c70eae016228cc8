// What a command prints with --json, as an answer small enough for an assistant: long lists are cut, with how many
// more there are. Pure.

/** Characters of an answer; lists are cut shorter until it fits. */
const LONGEST_ANSWER = 24_000
const LONGEST_TEXT = 400

function cutText(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)`
}

/** Lists with at most `most` members; how many are left out stands beside each, under its name and `_left_out`. */
function cut(value: unknown, most: number): unknown {
  if (typeof value === 'string') return cutText(value)
  if (Array.isArray(value)) return value.slice(0, most).map((one) => cut(one, most))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const kept = entries.length > 200 ? entries.slice(0, most) : entries
  return Object.fromEntries([
    ...kept.flatMap(([key, inner]): [string, unknown][] => {
      const more = Array.isArray(inner) ? inner.length - most : 0
      return [
        [key, cut(inner, most)],
        ...(more > 0 ? ([[`${key}_left_out`, more]] as [string, unknown][]) : []),
      ]
    }),
    ...(kept.length < entries.length ? [['left_out', entries.length - kept.length]] : []),
  ])
}

/** The answer as JSON of at most some 24,000 characters. */
export function smallEnough(answer: unknown, most: number): string {
  for (let length = most; length >= 1; length = Math.floor(length / 2)) {
    const text = JSON.stringify(cut(answer, length))
    if (text.length <= LONGEST_ANSWER || length === 1) return text.slice(0, LONGEST_ANSWER)
  }
  return ''
}
