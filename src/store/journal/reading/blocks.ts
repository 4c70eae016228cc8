// Blocks of raw bytes whose records are settled. What is kept of them are facts: "these bytes are these links, each under the
// fingerprint that it has". Triggers note every link whose fingerprint goes or changes (schema-sixth.ts); a block with such
// a link does not count, and is dropped when the blocks are written again.
import {
  type BlockStore,
  type KeptBlocks,
  DIGEST_BYTES,
  linkStarts,
  pickBlocks,
  type SettledBlocks,
  type UnsettledBlock,
} from '../../../core/change/settled-blocks.ts'
import type { Connection } from '../../file/database.ts'
import { type Claims, createLinkLines, type LinkLines } from './claims.ts'
import type { Fingerprints } from './fingerprints.ts'
import { createSettledInputs } from './settled-input.ts'

interface Page {
  readonly digests: Buffer
  readonly counts: Buffer
  readonly links: Buffer
}

interface NotedPage {
  readonly id: number
  readonly digests: Buffer
  readonly counts: Buffer
  readonly fingerprints: string
}

const BLOCKS_A_PAGE = 4096
/** So many changed links at most: beyond that, the parser's way costs no more. */
const MOST_UNSETTLED = 100_000
const LARGEST_LINK = 2 ** 32 - 1

const numbers = (bytes: Buffer): Uint32Array => new Uint32Array(new Uint8Array(bytes).buffer)
const bytesOf = (array: Uint8Array | Uint32Array): Buffer =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength)

function joined(parts: readonly SettledBlocks[]): SettledBlocks {
  const filled = parts.filter(({ counts }) => counts.length > 0)
  if (filled.length === 1 && filled[0] !== undefined) return filled[0]
  const all = {
    digests: new Uint8Array(parts.reduce((sum, { digests }) => sum + digests.length, 0)),
    counts: new Uint8Array(parts.reduce((sum, { counts }) => sum + counts.length, 0)),
    links: new Uint32Array(parts.reduce((sum, { links }) => sum + links.length, 0)),
  }
  let [digest, count, link] = [0, 0, 0]
  for (const { digests, counts, links } of parts) {
    all.digests.set(digests, digest)
    all.counts.set(counts, count)
    all.links.set(links, link)
    digest += digests.length
    count += counts.length
    link += links.length
  }
  return all
}

function* pagesOf({ digests, counts, links }: SettledBlocks): Generator<Page> {
  let link = 0
  for (let from = 0; from < counts.length; from += BLOCKS_A_PAGE) {
    const own = counts.subarray(from, from + BLOCKS_A_PAGE)
    const end = own.reduce((sum, count) => sum + count, link)
    yield {
      digests: bytesOf(digests.subarray(from * DIGEST_BYTES, (from + own.length) * DIGEST_BYTES)),
      counts: bytesOf(own),
      links: bytesOf(links.subarray(link, end)),
    }
    link = end
  }
}

/** For each block whether the test holds for its links: 1 or 0. */
function marked(blocks: SettledBlocks, isWanted: (links: Uint32Array, block: number) => boolean): Uint8Array {
  const starts = linkStarts(blocks)
  const marks = new Uint8Array(blocks.counts.length)
  for (let block = 0; block < marks.length; block += 1)
    if (isWanted(blocks.links.subarray(starts[block], starts[block + 1]), block)) marks[block] = 1
  return marks
}

/** What is kept, and replacing it. */
function createPages(db: Connection) {
  const versionOf = db
    .prepare<[string], string>('SELECT version FROM settled_version WHERE pipeline = ?')
    .pluck()
  const page = db.prepare<[string, number], Page>(
    'SELECT digests, counts, links FROM settled_block WHERE pipeline = ? AND page = ?',
  )
  const unsettled = db
    .prepare<[string, number], number>('SELECT link_id FROM unsettled_link WHERE pipeline = ? LIMIT ?')
    .pluck()
  const clear = ['settled_block', 'unsettled_link'].map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE pipeline = ?`),
  )
  const setVersion = db.prepare('INSERT OR REPLACE INTO settled_version VALUES (?, ?)')
  const add = db.prepare('INSERT INTO settled_block VALUES (?, ?, ?, ?, ?)')
  const nextPage = db
    .prepare<[string], number>('SELECT coalesce(max(page) + 1, 0) FROM settled_block WHERE pipeline = ?')
    .pluck()
  const append = (pipeline: string, blocks: SettledBlocks): void => {
    let number = nextPage.get(pipeline) ?? 0
    for (const { digests, counts, links } of pagesOf(blocks)) {
      add.run(pipeline, number, digests, counts, links)
      number += 1
    }
  }
  return {
    versionOf: (pipeline: string): string | undefined => versionOf.get(pipeline),
    read(pipeline: string): SettledBlocks {
      const parts: SettledBlocks[] = []
      for (let found = page.get(pipeline, 0); found !== undefined; found = page.get(pipeline, parts.length))
        parts.push({ digests: found.digests, counts: found.counts, links: numbers(found.links) })
      return joined(parts)
    },
    /** Links whose fingerprint has gone or changed; undefined where they are too many. */
    unsettled(pipeline: string): ReadonlySet<number> | undefined {
      const links = unsettled.all(pipeline, MOST_UNSETTLED + 1)
      return links.length > MOST_UNSETTLED ? undefined : new Set(links)
    },
    replace(pipeline: string, version: string, blocks: SettledBlocks): void {
      for (const statement of clear) statement.run(pipeline)
      setVersion.run(pipeline, version)
      append(pipeline, blocks)
    },
    append,
  }
}

/** Blocks that were read record by record, until their input is done with. */
function createNoted(db: Connection) {
  const add = db.prepare(
    'INSERT INTO noted_block (pipeline, digests, counts, fingerprints) VALUES (?, ?, ?, ?)',
  )
  const next = db.prepare<[string, number], NotedPage>(
    'SELECT id, digests, counts, fingerprints FROM noted_block WHERE pipeline = ? AND id > ? ORDER BY id LIMIT 1',
  )
  const clear = db.prepare('DELETE FROM noted_block WHERE pipeline = ?')
  return {
    add(pipeline: string, blocks: readonly UnsettledBlock[]): void {
      const digests = Buffer.from(blocks.map(({ digest }) => digest).join(''), 'latin1')
      const counts = Buffer.from(blocks.map(({ fingerprints }) => fingerprints.length))
      add.run(pipeline, digests, counts, JSON.stringify(blocks.flatMap(({ fingerprints }) => fingerprints)))
    },
    *pages(pipeline: string): Generator<NotedPage> {
      for (let page = next.get(pipeline, 0); page !== undefined; page = next.get(pipeline, page.id))
        yield page
    },
    clear: (pipeline: string): void => void clear.run(pipeline),
  }
}

/** Of a page that was noted, the blocks whose records are all settled by now, and none of them elsewhere. */
function settledOf(
  { digests, counts }: NotedPage,
  links: readonly (number | undefined)[],
  used: LinkLines,
): SettledBlocks {
  const settled: { readonly block: number; readonly links: readonly number[] }[] = []
  let at = 0
  counts.forEach((count, block) => {
    const own = links.slice(at, at + count).flatMap((link) => link ?? [])
    at += count
    const isFree =
      new Set(own).size === count &&
      own.every((link) => used.lineOf(link) === undefined && link <= LARGEST_LINK)
    if (!isFree) return
    for (const link of own) used.set(link, 0)
    settled.push({ block, links: own })
  })
  return {
    digests: Buffer.concat(
      settled.map(({ block }) => digests.subarray(block * DIGEST_BYTES, (block + 1) * DIGEST_BYTES)),
    ),
    counts: Uint8Array.from(settled, ({ links: own }) => own.length),
    links: Uint32Array.from(settled.flatMap(({ links: own }) => own)),
  }
}

export function createBlockStore(
  db: Connection,
  { claims, fingerprints }: { claims: Claims; fingerprints: Fingerprints },
): BlockStore {
  const pages = createPages(db)
  const noted = createNoted(db)
  const inputs = createSettledInputs(db)
  const notedBy = (pipeline: string, used: LinkLines): SettledBlocks => {
    const isPassed = (link: number): boolean => used.lineOf(link) !== undefined
    const walk = fingerprints.walk(pipeline, { isPassed, findsAll: true })
    const settled: SettledBlocks[] = []
    for (const page of noted.pages(pipeline))
      settled.push(settledOf(page, walk.match(JSON.parse(page.fingerprints) as string[]), used))
    noted.clear(pipeline)
    return joined(settled)
  }
  const keep = ({ pipeline }: { readonly pipeline: string }, kept: KeptBlocks): void => {
    const { version, known, isPassed, contested, input } = kept
    const changed = pages.unsettled(pipeline)
    const used = createLinkLines()
    const use = (links: Iterable<number>): void => {
      for (const link of links) used.set(link, 0)
    }
    use(contested)
    const isStill = (links: Uint32Array): boolean =>
      changed !== undefined && links.every((link) => !changed.has(link) && used.lineOf(link) === undefined)
    const passed = marked(known, (links, block) => isPassed[block] === 1 && isStill(links))
    const seen = pickBlocks(known, passed).links
    use(seen)
    const now = notedBy(pipeline, used)
    const all = marked(
      known,
      (links, block) => passed[block] === 1 || (isPassed[block] === 0 && isStill(links)),
    )
    const isWhole =
      changed?.size === 0 && pages.versionOf(pipeline) === version && all.every((is) => is === 1)
    const blocks = joined([pickBlocks(known, all), now])
    if (isWhole) pages.append(pipeline, now)
    else pages.replace(pipeline, version, blocks)
    inputs.keep(pipeline, input, { blocks, records: seen.length + now.links.length })
  }
  const settledNow = (pipeline: string): SettledBlocks | undefined => {
    const changed = pages.unsettled(pipeline)
    if (changed === undefined) return undefined
    const blocks = pages.read(pipeline)
    if (changed.size === 0) return blocks
    return pickBlocks(
      blocks,
      marked(blocks, (links) => links.every((link) => !changed.has(link))),
    )
  }
  return {
    async settledBlocks(pipeline, version) {
      noted.clear(pipeline)
      return pages.versionOf(pipeline) === version ? settledNow(pipeline) : undefined
    },
    settledInput: async (pipeline, bytes) => inputs.find(pipeline, bytes, () => settledNow(pipeline)),
    claimLinks: async ({ id }, links, lines) => claims.claimLinks(id, links, lines),
    async noteBlocks({ pipeline }, blocks) {
      if (blocks.length > 0) noted.add(pipeline, blocks)
    },
    keepBlocks: async (staged, kept) => db.transaction(keep)(staged, kept),
  }
}
