// Names runs: sortable by time, short enough for a file name, and different for two runs of one millisecond.

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const SUFFIX = 4

/** `20261121-140509-k3f9`: the start in UTC and a few characters of chance. */
export function runId(nowMs: number, random: () => number): string {
  const [date = '', time = ''] = new Date(nowMs).toISOString().split('T')
  const suffix = Array.from({ length: SUFFIX }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length)))
  return `${date.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${suffix.join('')}`
}
