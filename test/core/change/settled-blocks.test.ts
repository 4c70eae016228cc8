// Blocks whose records are settled: one is found by its whole digest and its number of records, and by nothing less.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  blockIndex,
  blocksPrint,
  DIGEST_BYTES,
  linkStarts,
  NO_BLOCKS,
  pickBlocks,
  type SettledBlocks,
} from '../../../src/core/change/settled-blocks.ts'

interface Block {
  readonly digest: string
  readonly links: readonly number[]
}

const packed = (blocks: readonly Block[]): SettledBlocks => ({
  digests: new Uint8Array(Buffer.from(blocks.map(({ digest }) => digest).join(''), 'latin1')),
  counts: Uint8Array.from(blocks, ({ links }) => links.length),
  links: Uint32Array.from(blocks.flatMap(({ links }) => links)),
})
const asRead = (digest: string, records: number) => ({
  digest,
  lines: Array.from({ length: records }, (_, at) => at + 2),
})
const unpacked = (blocks: SettledBlocks): readonly Block[] => {
  const { span } = blockIndex(blocks)
  return Array.from(blocks.counts, (_count, block) => ({
    digest: Buffer.from(blocks.digests.subarray(block * DIGEST_BYTES, (block + 1) * DIGEST_BYTES)).toString(
      'latin1',
    ),
    links: [...blocks.links.subarray(...span(block))],
  }))
}

// Of few bytes, so that digests are alike in part and slots are shared.
const digest = fc
  .array(fc.constantFrom(0, 1, 127, 128, 255), { minLength: DIGEST_BYTES, maxLength: DIGEST_BYTES })
  .map((bytes) => String.fromCharCode(...bytes))
const blocks = fc.uniqueArray(digest, { minLength: 1, maxLength: 40 }).map((all): readonly Block[] =>
  all.map((one, index) => ({
    digest: one,
    links: Array.from({ length: (index % 3) + 1 }, (_, at) => index * 3 + at),
  })),
)

describe('settled blocks', () => {
  it('are found each by its digest, with just its links', () =>
    fc.assert(
      fc.property(blocks, (all) => {
        const index = blockIndex(packed(all))
        for (const [block, { digest: own, links }] of all.entries()) {
          expect(index.find(asRead(own, links.length))).toBe(block)
          expect([...index.blocks.links.subarray(...index.span(block))]).toEqual(links)
        }
      }),
    ))

  it('are not found where one byte or the number of records differs', () =>
    fc.assert(
      fc.property(blocks, fc.nat(DIGEST_BYTES - 1), (all, at) => {
        const { find } = blockIndex(packed(all))
        for (const { digest: own, links } of all) {
          const other = `${own.slice(0, at)}\u0002${own.slice(at + 1)}`
          expect(find(asRead(other, links.length))).toBeUndefined()
          expect(find(asRead(own, links.length + 1))).toBeUndefined()
        }
      }),
    ))

  it('are none where there are none', () => {
    expect(blockIndex(NO_BLOCKS).find(asRead('\u0000'.repeat(DIGEST_BYTES), 0))).toBeUndefined()
    expect([...linkStarts(NO_BLOCKS)]).toEqual([0])
    expect(blockIndex(NO_BLOCKS).span(3)).toEqual([0, 0])
  })

  it('begin where those before them end', () =>
    expect([...linkStarts({ ...NO_BLOCKS, counts: new Uint8Array([2, 0, 3]) })]).toEqual([0, 2, 2, 5]))

  it('are picked as they are marked, each with its own links', () =>
    fc.assert(
      fc.property(blocks, fc.infiniteStream(fc.boolean()), (all, chance) => {
        const marks = all.map(() => (chance.next().value === true ? 1 : 0))
        const picked = pickBlocks(packed(all), Uint8Array.from(marks))
        expect(unpacked(picked)).toEqual(all.filter((_, at) => marks[at] === 1))
        const links = all.flatMap((block, at) => (marks[at] === 1 ? block.links : []))
        expect([...picked.links]).toEqual(links)
        expect(picked.digests).toHaveLength(picked.counts.length * DIGEST_BYTES)
      }),
    ))

  it('have a print that differs where a digest, a count or a link does', () => {
    const one = packed([
      { digest: 'a'.repeat(DIGEST_BYTES), links: [1, 2] },
      { digest: 'b'.repeat(DIGEST_BYTES), links: [3] },
    ])
    const others: SettledBlocks[] = [
      { ...one, digests: one.digests.with(0, 1) },
      { ...one, counts: Uint8Array.of(1, 2) },
      { ...one, links: one.links.with(2, 4) },
      // Beyond the lowest byte.
      { ...one, links: one.links.with(2, 3 + 2 ** 24) },
    ]
    expect(new Set([one, ...others].map(blocksPrint)).size).toBe(5)
    expect(blocksPrint(NO_BLOCKS)).toBe('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
  })

  it('have the same print wherever they lie in memory', () => {
    const one = packed([{ digest: 'a'.repeat(DIGEST_BYTES), links: [1, 2] }])
    const within = {
      digests: Uint8Array.of(9, ...one.digests, 9).subarray(1, -1),
      counts: Uint8Array.of(9, ...one.counts, 9).subarray(1, -1),
      links: Uint32Array.of(9, ...one.links, 9).subarray(1, -1),
    }
    expect(blocksPrint(within)).toBe(blocksPrint(one))
  })

  it('stay the same ones where all are picked', () => {
    const all = packed([{ digest: 'a'.repeat(DIGEST_BYTES), links: [1] }])
    expect(pickBlocks(all, new Uint8Array([1]))).toBe(all)
  })
})
