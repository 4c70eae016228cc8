// Who was seen in the input that is being read, and on which line. Lives in temporary tables, not in memory:
// an input may hold millions of records.
import type { Identity } from '../core/state.ts'
import type { Connection } from './database.ts'

export interface Claims {
  clear(): void
  claim(identities: readonly Identity[], keep: 'first' | 'last'): (number | undefined)[]
}

interface Range {
  first: number
  last: number
  line: number
}

/** The whole batch as one range: consecutive links on consecutive lines. */
function asRange(identities: readonly Identity[]): Range | undefined {
  const [start] = identities
  if (start === undefined || !('linkId' in start)) return undefined
  const runsOn = identities.every(
    (identity, index) =>
      'linkId' in identity &&
      identity.linkId === start.linkId + index &&
      identity.line === start.line + index,
  )
  return runsOn
    ? { first: start.linkId, last: start.linkId + identities.length - 1, line: start.line }
    : undefined
}

export function createClaims(db: Connection): Claims {
  const rangeBelow = db.prepare<[number], Range>(
    'SELECT * FROM claim_range WHERE first <= ? ORDER BY first DESC LIMIT 1',
  )
  const addRange = db.prepare('INSERT INTO claim_range VALUES (?, ?, ?)')
  const linkBetween = db
    .prepare<[number, number], number>('SELECT 1 FROM claim_link WHERE link_id BETWEEN ? AND ?')
    .pluck()
  const linkLine = db.prepare<[number], number>('SELECT line FROM claim_link WHERE link_id = ?').pluck()
  const putLink = db.prepare('INSERT OR REPLACE INTO claim_link VALUES (?, ?)')
  const keyLine = db.prepare<[string], number>('SELECT line FROM claim_key WHERE key = ?').pluck()
  const putKey = db.prepare('INSERT OR REPLACE INTO claim_key VALUES (?, ?)')

  const earlierLine = (identity: Identity): number | undefined => {
    if ('key' in identity) return keyLine.get(identity.key)
    const single = linkLine.get(identity.linkId)
    if (single !== undefined) return single
    const range = rangeBelow.get(identity.linkId)
    return range !== undefined && range.last >= identity.linkId
      ? range.line + identity.linkId - range.first
      : undefined
  }
  const claimOne = (identity: Identity, keep: 'first' | 'last'): number | undefined => {
    const earlier = earlierLine(identity)
    if (earlier !== undefined && keep === 'first') return earlier
    if ('key' in identity) putKey.run(identity.key, identity.line)
    else putLink.run(identity.linkId, identity.line)
    return earlier
  }
  const isFree = (range: Range): boolean => {
    const below = rangeBelow.get(range.last)
    return (
      (below === undefined || below.last < range.first) &&
      linkBetween.get(range.first, range.last) === undefined
    )
  }
  return {
    clear() {
      db.exec('DELETE FROM claim_range; DELETE FROM claim_link; DELETE FROM claim_key')
    },
    claim(identities, keep) {
      const range = asRange(identities)
      if (range === undefined || !isFree(range)) return identities.map((identity) => claimOne(identity, keep))
      addRange.run(range.first, range.last, range.line)
      return identities.map(() => undefined)
    },
  }
}
