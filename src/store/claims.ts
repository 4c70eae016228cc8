// Who was seen in the input that is being read, and on which line. Lives in temporary tables, not in memory:
// an input may hold millions of records.
import type { Identity } from '../core/state.ts'
import type { Connection } from './database.ts'

export interface Claims {
  clear(input: number): void
  claim(input: number, identities: readonly Identity[], keep: 'first' | 'last'): (number | undefined)[]
}

interface Range {
  first: number
  last: number
  line: number
}

/** The identities cut into runs of consecutive links on consecutive lines. */
function runsOf(identities: readonly Identity[]): Identity[][] {
  const runs: Identity[][] = []
  for (const identity of identities) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    const goesOn =
      last !== undefined &&
      'linkId' in last &&
      'linkId' in identity &&
      identity.linkId === last.linkId + 1 &&
      identity.line === last.line + 1
    if (goesOn) run?.push(identity)
    else runs.push([identity])
  }
  return runs
}

function asRange(run: readonly Identity[]): Range | undefined {
  const [start] = run
  if (start === undefined || !('linkId' in start)) return undefined
  return { first: start.linkId, last: start.linkId + run.length - 1, line: start.line }
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
  const tables = ['claim_range', 'claim_link', 'claim_key']
  const clears = tables.map((table) => db.prepare(`DELETE FROM ${table} WHERE input = ?`))
  return {
    clear(input) {
      for (const statement of clears) statement.run(input)
    },
    claim: (input, identities, keep) =>
      runsOf(identities).flatMap((run) => {
        const range = asRange(run)
        if (range === undefined || !isFree(input, range))
          return run.map((identity) => claimOne(input, identity, keep))
        addRange.run(input, range.first, range.last, range.line)
        return run.map(() => undefined)
      }),
  }
}
