// Which link each fingerprint of an input is found to have, in whatever order they come.
import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FINGERPRINT_LENGTH } from '../../src/core/change/fingerprint.ts'
import { type FileConnection, openTemporaryDatabase } from '../../src/store/file/database.ts'
import { createFingerprintList } from '../../src/store/journal/reading/fingerprint-list.ts'
import { createFingerprints, type WalkOptions } from '../../src/store/journal/reading/fingerprints.ts'

const print = (text: number | string): string =>
  hash('sha256', String(text), 'base64').slice(0, FINGERPRINT_LENGTH)

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

/** Each link has the print of its number. */
function withLinks<T>(links: Iterable<number>, use: (db: FileConnection) => T): T {
  const db = openTemporaryDatabase()
  try {
    const { put } = createFingerprints(db)
    db.transaction(() => {
      for (const link of links) put('shop', link, print(link))
      put('crm', 1, print('of another pipeline'))
    })()
    return use(db)
  } finally {
    db.close()
  }
}

const NONE_PASSED = { isPassed: () => false, findsAll: false }

const found = (db: FileConnection, wanted: readonly string[], options: WalkOptions = NONE_PASSED) =>
  createFingerprints(db).walk('shop', options).match(wanted)

/** How many statements read fingerprints. */
function countingReads(db: FileConnection): () => number {
  let reads = 0
  const prepare = db.prepare.bind(db)
  db.prepare = ((source: string) => {
    const statement = prepare(source)
    if (!source.includes('FROM fingerprint')) return statement
    const get = statement.get.bind(statement)
    return Object.assign(statement, { get: (...given: unknown[]) => ((reads += 1), get(...given)) })
  }) as typeof db.prepare
  return () => reads
}

describe('a walk', () => {
  it('finds links in their order, with gaps, and blank prints among them', () => {
    const links = range(3000).filter((link) => link % 7 !== 0)
    withLinks(links, (db) => {
      createFingerprints(db).put('shop', 7, '')
      expect(found(db, links.map(print))).toEqual(links)
      expect(found(db, ['', print('new'), print(1)])).toEqual([undefined, undefined, 1])
      expect(found(db, [print('of another pipeline')])).toEqual([undefined])
    })
  })

  it('finds nothing where nothing is settled', () => {
    withLinks([], (db) => expect(found(db, [print(1), ''])).toEqual([undefined, undefined]))
  })

  it('finds records beside new and changed ones, and blocks that overtook each other', () => {
    withLinks(range(2000), (db) => {
      const order = [...range(2000).slice(100, 200), ...range(100), ...range(2000).slice(200)]
      expect(found(db, order.map(print))).toEqual(order)
      const mixed = range(2000).map((link) => (link % 3 === 0 ? print(`new ${link}`) : print(link)))
      expect(found(db, mixed)).toEqual(range(2000).map((link) => (link % 3 === 0 ? undefined : link)))
    })
  })

  it('goes past links that were passed over, without reading their pages', () => {
    withLinks(range(20_000), (db) => {
      const reads = countingReads(db)
      const isPassed = (link: number): boolean => link % 10_000 < 9900
      const rest = range(20_000).filter((link) => !isPassed(link))
      expect(found(db, rest.map(print), { isPassed, findsAll: false })).toEqual(rest)
      expect(reads()).toBeLessThan(7)
    })
  })

  it('reads all fingerprints only once enough of them were not found', () => {
    withLinks(range(10_000), (db) => {
      const reads = countingReads(db)
      const behind = print(9000)
      // 75 times the misses: fewer than there are links.
      const { match } = createFingerprints(db).walk('shop', NONE_PASSED)
      expect(match([...range(100).map((one) => print(`new ${one}`)), behind]).at(-1)).toBeUndefined()
      const before = reads()
      expect(match([...range(200).map((one) => print(`new ${one}`)), behind]).at(-1)).toBe(9000)
      expect(reads()).toBeGreaterThan(before + 9)
    })
  })

  it('finds each link in any order, where all must be found', () => {
    withLinks(range(5000), (db) => {
      const backwards = range(5000).toReversed()
      expect(found(db, backwards.map(print), { ...NONE_PASSED, findsAll: true })).toEqual(backwards)
    })
  })

  it('never names a link that has another fingerprint, and finds all where it must', () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 120 })
    fc.assert(
      fc.property(numbers, numbers, fc.boolean(), fc.nat(3), (links, wanted, findsAll, passedOf) => {
        withLinks(links, (db) => {
          const isPassed = (link: number): boolean => passedOf > 0 && link % (passedOf + 1) === 0
          const here = new Set(links)
          const answers = found(db, wanted.map(print), { isPassed, findsAll })
          for (const [index, link] of wanted.entries()) {
            const answer = answers[index]
            if (answer !== undefined) expect(answer).toBe(link)
            // One page has them all.
            if (here.has(link)) expect(answer).toBe(link)
          }
        })
      }),
      { numRuns: 60 },
    )
  })
})

describe('the list of all', () => {
  it('gives the link of each, also where the table is full of others, and nothing else', () => {
    const list = createFingerprintList(4000)
    for (const from of [0, 1000, 2000, 3000]) {
      const text = Array.from({ length: 1000 }, (_, place) => print(from + place)).join('')
      list.add(text, (place) => 5 * (from + place))
    }
    for (let link = 0; link < 4000; link += 1) expect(list.linkOf(print(link))).toBe(5 * link)
    for (let other = 4000; other < 8000; other += 1) expect(list.linkOf(print(other))).toBeUndefined()
  })

  it('of two links with one fingerprint gives the first', () => {
    const list = createFingerprintList(3)
    list.add(print(1) + print(2) + print(1), (place) => place + 10)
    expect([list.linkOf(print(1)), list.linkOf(print(2))]).toEqual([10, 11])
    expect(createFingerprintList(0).linkOf(print(1))).toBeUndefined()
  })

  it('tells apart what differs late, and takes numbers of links beyond 32 bits', () => {
    const list = createFingerprintList(2)
    const [one, other] = [`${'A'.repeat(14)}BAAAAAAA`, `${'A'.repeat(14)}CAAAAAAA`]
    list.add(one, () => 2 ** 40)
    expect([list.linkOf(one), list.linkOf(other)]).toEqual([2 ** 40, undefined])
  })
})
