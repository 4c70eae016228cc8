// Names runs: sortable by time, short enough for a file name, and different for two runs of one second.

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** How many characters each number of chance gives: runs of several pipelines begin in one second, day after day. */
const SUFFIX = [2, 2, 1, 1]

/** What `runId` makes, within a text; its groups are the parts of the time. Earlier versions made four characters of chance. */
export const RUN_ID_PATTERN =
  '(\\d{4})(\\d{2})(\\d{2})-(\\d{2})(\\d{2})(\\d{2})-[0-9a-hjkmnp-tv-z]{4}(?:[0-9a-hjkmnp-tv-z]{2})?'

/** So many characters of a number in [0, 1). */
const characters = (chance: number, count: number): string =>
  Array.from({ length: count }, (_, place) =>
    ALPHABET.charAt(Math.floor(chance * ALPHABET.length ** (place + 1)) % ALPHABET.length),
  ).join('')

/** `20261121-140509-k3f9xm`: the start in UTC and a few characters of chance. */
export function runId(nowMs: number, random: () => number): string {
  const [date = '', time = ''] = new Date(nowMs).toISOString().split('T')
  const suffix = SUFFIX.map((count) => characters(random(), count))
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${suffix.join('')}`
}
