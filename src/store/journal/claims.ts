// Who was seen in the input that is being read, and on which line. Lives in temporary tables, not in memory:
// an input may hold millions of records.
import type { Identity } from '../../core/state.ts'
import type { Connection } from '../file/database.ts'

export interface Claims {
  clear(input: number): void
  claim(
    input: number,
    identities: readonly (Identity | undefined)[],
    keep: 'first' | 'last',
  ): (number | undefined)[]
  /** Notes keys of records that are there but are passed over. */
  skip(input: number, keys: readonly string[]): void
}

interface Range {
  first: number
  last: number
  line: number
}

/** How many identities from `start` on are consecutive links on consecutive lines; at least one. */
function runLength(identities: readonly (Identity | undefined)[], start: number): number {
  const first = identities[start]
  if (first === undefined || !('linkId' in first)) return 1
  let length = 1
  for (;;) {
    const next = identities[start + length]
    if (next === undefined || !('linkId' in next)) return length
    if (next.linkId !== first.linkId + length || next.line !== first.line + length) return length
    length += 1
  }
}

/** What ends with the input, and what is only noted. */
function createNotes(db: Connection): Pick<Claims, 'clear' | 'skip'> {
  const putSkipped = db.prepare('INSERT OR IGNORE INTO claim_skipped VALUES (?, ?)')
  const tables = ['claim_range', 'claim_link', 'claim_key', 'claim_skipped']
  const clears = tables.map((table) => db.prepare(`DELETE FROM ${table} WHERE input = ?`))
  return {
    clear(input) {
      for (const statement of clears) statement.run(input)
    },
    skip(input, keys) {
      for (const key of keys) putSkipped.run(input, key)
    },
  }
}

export function createClaims(db: Connection): Claims {
  const rangeBelow = db.prepare<[number, number], Range>(
    'SELECT first, last, line FROM claim_range WHERE input = ? AND first <= ? ORDER BY first DESC LIMIT 1',
  )
  const addRange = db.prepare('INSERT INTO claim_range VALUES (?, ?, ?, ?)')
  const linkBetween = db
    .prepare<[number, number, number], number>(
      'SELECT 1 FROM claim_link WHERE input = ? AND link_id BETWEEN ? AND ?',
    )
    .pluck()
  const linkLine = db
    .prepare<[number, number], number>('SELECT line FROM claim_link WHERE input = ? AND link_id = ?')
    .pluck()
  const putLink = db.prepare('INSERT OR REPLACE INTO claim_link VALUES (?, ?, ?)')
  const keyLine = db
    .prepare<[number, string], number>('SELECT line FROM claim_key WHERE input = ? AND key = ?')
    .pluck()
  const putKey = db.prepare('INSERT OR REPLACE INTO claim_key VALUES (?, ?, ?)')

  const earlierLine = (input: number, identity: Identity): number | undefined => {
    if ('key' in identity) return keyLine.get(input, identity.key)
    const single = linkLine.get(input, identity.linkId)
    if (single !== undefined) return single
    const range = rangeBelow.get(input, identity.linkId)
    const isInside = range !== undefined && range.last >= identity.linkId
    return isInside ? range.line + identity.linkId - range.first : undefined
  }
  const claimOne = (input: number, identity: Identity, keep: 'first' | 'last'): number | undefined => {
    const earlier = earlierLine(input, identity)
    if (earlier !== undefined && keep === 'first') return earlier
    if ('key' in identity) putKey.run(input, identity.key, identity.line)
    else putLink.run(input, identity.linkId, identity.line)
    return earlier
  }
  const isFree = (input: number, range: Range): boolean => {
    const below = rangeBelow.get(input, range.last)
    return (
      (below === undefined || below.last < range.first) &&
      linkBetween.get(input, range.first, range.last) === undefined
    )
  }
  return {
    ...createNotes(db),
    claim(input, identities, keep) {
      const earlier = Array<number | undefined>(identities.length).fill(undefined)
      for (let start = 0, length = 1; start < identities.length; start += length) {
        length = runLength(identities, start)
        const first = identities[start]
        if (first !== undefined && 'linkId' in first) {
          const range = { first: first.linkId, last: first.linkId + length - 1, line: first.line }
          if (isFree(input, range)) {
            addRange.run(input, range.first, range.last, range.line)
            continue
          }
        }
        for (let index = start; index < start + length; index += 1) {
          const identity = identities[index]
          if (identity !== undefined) earlier[index] = claimOne(input, identity, keep)
        }
      }
      return earlier
    },
  }
}
