// Who was seen in the input that is being read, and on which line. Links in memory, at four bytes each: an input may hold
// millions of records, and nearly all of them have one. Keys without a link in temporary tables. What goes by sets, in SQL,
// asks with `claimed_line(input, link)`.
import type { Identity } from '../../../core/state.ts'
import { type Connection, isFile } from '../../file/connection.ts'

export interface Claims {
  clear(input: number): void
  claim(
    input: number,
    identities: readonly (Identity | undefined)[],
    keep: 'first' | 'last',
  ): (number | undefined)[]
  /** Those of many links at once; false where one of them was there before. */
  claimLinks(input: number, links: Uint32Array, lines: Uint32Array): boolean
  isClaimed(input: number, link: number): boolean
  /** Notes keys of records that are there but are passed over. */
  skip(input: number, keys: readonly string[]): void
  /** How many links were seen. */
  count(input: number): number
  /** From now on statements may ask for `claimed_line` of links that were seen so far. */
  publish(input: number): void
}

const PAGE = 1024

export interface LinkLines {
  /** Undefined where it has none. */
  lineOf(link: number): number | undefined
  set(link: number, line: number): void
  /** How many have one. */
  count(): number
  /** Links with their lines. */
  entries(): Iterable<readonly [link: number, line: number]>
}

/** A line for each of many links. Their numbers mostly lie close together. */
export function createLinkLines(): LinkLines {
  const pages = new Map<number, Uint32Array>()
  let [last, lastPage]: [number, Uint32Array | undefined] = [-1, undefined]
  let count = 0
  const pageOf = (link: number): Uint32Array | undefined => {
    const number = Math.floor(link / PAGE)
    if (number !== last) [last, lastPage] = [number, pages.get(number)]
    return lastPage
  }
  return {
    lineOf(link) {
      const line = pageOf(link)?.[link % PAGE] ?? 0
      return line === 0 ? undefined : line - 1
    },
    set(link, line) {
      let page = pageOf(link)
      if (page === undefined) {
        page = lastPage = new Uint32Array(PAGE)
        pages.set(last, page)
      }
      if (page[link % PAGE] === 0) count += 1
      page[link % PAGE] = line + 1
    },
    count: () => count,
    *entries() {
      for (const [number, page] of pages)
        for (const [place, line] of page.entries()) if (line > 0) yield [number * PAGE + place, line - 1]
    },
  }
}

/** So many are put into a table at once. */
const TOGETHER = 10_000

/** Statements within this process ask it; those at a server find the lines in a table. */
function createPublish(
  db: Connection,
  linksOf: ReadonlyMap<number, LinkLines>,
): Pick<Claims, 'publish' | 'clear'> {
  if (isFile(db)) {
    db.function('claimed_line', { directOnly: true }, (input: unknown, link: unknown) =>
      link === null ? null : (linksOf.get(Number(input))?.lineOf(Number(link)) ?? null),
    )
    return { publish: () => undefined, clear: () => undefined }
  }
  const remove = db.prepare('DELETE FROM claim_link WHERE input = ?')
  const add = db.prepare(`
    INSERT INTO claim_link SELECT CAST(? AS BIGINT), CAST(value ->> 0 AS BIGINT), CAST(value ->> 1 AS BIGINT) FROM json_each(?)`)
  return {
    publish(input) {
      remove.run(input)
      const entries = [...(linksOf.get(input)?.entries() ?? [])]
      for (let from = 0; from < entries.length; from += TOGETHER)
        add.run(input, JSON.stringify(entries.slice(from, from + TOGETHER)))
    },
    clear: (input) => void remove.run(input),
  }
}

export function createClaims(db: Connection): Claims {
  const linksOf = new Map<number, LinkLines>()
  const keyLine = db
    .prepare<[number, string], number>('SELECT line FROM claim_key WHERE input = ? AND key = ?')
    .pluck()
  const addKey = db.prepare('INSERT INTO claim_key VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const moveKey = db.prepare('UPDATE claim_key SET line = ? WHERE input = ? AND key = ?')
  const putSkipped = db.prepare('INSERT OR IGNORE INTO claim_skipped VALUES (?, ?)')
  const clears = ['key', 'skipped', 'dropped', 'correction', 'ask', 'reread'].map((what) =>
    db.prepare(`DELETE FROM claim_${what} WHERE input = ?`),
  )
  const links = (input: number): LinkLines => {
    const found = linksOf.get(input) ?? createLinkLines()
    linksOf.set(input, found)
    return found
  }
  const published = createPublish(db, linksOf)
  /** The line of another claim is asked for only where there is one, since nearly every key is claimed once. */
  const claimKey = (input: number, { key, line }: { key: string; line: number }, keep: 'first' | 'last') => {
    const added = addKey.run(input, key, line)
    return (): number | undefined => {
      if (added.changes > 0) return undefined
      const earlier = keyLine.get(input, key)
      if (keep === 'last') moveKey.run(line, input, key)
      return earlier
    }
  }
  const claimLink = (
    input: number,
    { linkId, line }: { linkId: number; line: number },
    keep: 'first' | 'last',
  ) => {
    const earlier = links(input).lineOf(linkId)
    if (earlier === undefined || keep === 'last') links(input).set(linkId, line)
    return earlier
  }
  const clearTables = db.transaction((input: number) => {
    published.clear(input)
    for (const statement of clears) statement.run(input)
  })
  return {
    clear(input) {
      linksOf.delete(input)
      clearTables(input)
    },
    claim(input, identities, keep) {
      // All keys are claimed before it is asked which of them were: one way to a server and back.
      const claimed = identities.map((identity) => {
        if (identity === undefined) return undefined
        return 'key' in identity ? claimKey(input, identity, keep) : claimLink(input, identity, keep)
      })
      return claimed.map((earlier) => (typeof earlier === 'function' ? earlier() : earlier))
    },
    claimLinks(input, given, lines) {
      const { lineOf, set } = links(input)
      // Not by entries(): an object for each of a million.
      return given.every((link, index) => {
        if (lineOf(link) !== undefined) return false
        set(link, lines[index] ?? 0)
        return true
      })
    },
    isClaimed: (input, link) => linksOf.get(input)?.lineOf(link) !== undefined,
    skip(input, keys) {
      for (const key of keys) putSkipped.run(input, key)
    },
    count: (input) => links(input).count(),
    publish: published.publish,
  }
}
