// Blocks of raw bytes whose records are settled in just this form, and finding one by its digest. In few arrays of numbers:
// some fifteen bytes a record, so that an input of millions of records needs no look-up on disk.
import { createHash } from 'node:crypto'
import type { RawBlock } from '../mapping/record.ts'

export const DIGEST_BYTES = 16

/** The input that is being read. */
interface Staged {
  readonly id: number
  readonly pipeline: string
}

/** Blocks in an order of no meaning. Each link is in one of them at most. */
export interface SettledBlocks {
  /** One behind the other. */
  readonly digests: Uint8Array
  /** How many records each has. */
  readonly counts: Uint8Array
  /** Of all their records, one behind the other. */
  readonly links: Uint32Array
}

/** A block that is settled as soon as all its records are, each under its fingerprint. */
export interface UnsettledBlock {
  readonly digest: string
  readonly fingerprints: readonly string[]
}

/**
 * An input whose records are all in the blocks that are kept, and which has nothing else in it: the same bytes bring the
 * links of just these blocks, all of them unchanged.
 */
export interface SettledInput {
  /** Of its bytes, hexadecimal; and how many there are. */
  readonly sha256: string
  readonly bytes: number
  readonly header: readonly string[]
  readonly rawForm: string
  readonly records: number
}

/** What the state keeps of blocks. A block is kept as long as the fingerprint of each of its links is what it was. */
export interface BlockStore {
  /** Begins a reading: those that are kept under this version, or undefined. What an earlier reading noted is dropped. */
  settledBlocks(pipeline: string, version: string): Promise<SettledBlocks | undefined>
  /**
   * Notes who is in blocks that were passed over, as `claim` does; false where one of them was there before: then nothing
   * that follows counts, and the input must be discarded.
   */
  claimLinks(staged: Staged, links: Uint32Array, lines: Uint32Array): Promise<boolean>
  /** Blocks that were read record by record. */
  noteBlocks(staged: Staged, blocks: readonly UnsettledBlock[]): Promise<void>
  /** The last input, where it had so many bytes, and all its records are settled still in the form that they had in it. */
  settledInput(pipeline: string, bytes: number): Promise<SettledInput | undefined>
  /** Once the input is done with. */
  keepBlocks(staged: Staged, kept: KeptBlocks): Promise<void>
}

/**
 * What is kept of blocks: those that were passed over and are settled still, those that were noted and are settled by now,
 * and of the others those that share no link with them.
 */
export interface KeptBlocks {
  readonly version: string
  readonly known: SettledBlocks
  /** For each of the known ones whether it was passed over: 1 or 0. */
  readonly isPassed: Uint8Array
  /** Links that several records of the input named: which of them counts is determined again each time. */
  readonly contested: ReadonlySet<number>
  /** The input itself; undefined where reading it brings more than its records: a warning, say. */
  readonly input: SettledInput | undefined
}

export const NO_BLOCKS: SettledBlocks = {
  digests: new Uint8Array(0),
  counts: new Uint8Array(0),
  links: new Uint32Array(0),
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Uint8Array | Uint32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** Differs where any block, or any link of one, is another. */
export function blocksPrint({ digests, counts, links }: SettledBlocks): string {
  const hash = createHash('sha256')
  for (const array of [digests, counts, links]) hash.update(bytesOf(array))
  return hash.digest('base64')
}

/** Where the links of each block begin; one more for the end of the last. */
export function linkStarts({ counts }: SettledBlocks): Uint32Array {
  const starts = new Uint32Array(counts.length + 1)
  for (let block = 0, at = 0; block < counts.length; block += 1) {
    at += counts[block] ?? 0
    starts[block + 1] = at
  }
  return starts
}

/** 32 bits of a digest that starts at `at`. */
const wordAt = (digest: string, at: number): number =>
  digest.charCodeAt(at) |
  (digest.charCodeAt(at + 1) << 8) |
  (digest.charCodeAt(at + 2) << 16) |
  (digest.charCodeAt(at + 3) << 24)

export interface BlockIndex {
  readonly blocks: SettledBlocks
  /** The number of the block; undefined where there is none. */
  find(block: RawBlock): number | undefined
  /** From where to where its links stand in `links`. */
  span(block: number): readonly [from: number, to: number]
}

export function blockIndex(blocks: SettledBlocks): BlockIndex {
  const { digests, counts } = blocks
  const starts = linkStarts(blocks)
  const words = new Int32Array(digests.buffer, digests.byteOffset, digests.length / 4)
  // Open addressing over twice as many slots as blocks: 0 is a free one.
  const size = 2 ** Math.ceil(Math.log2(counts.length * 2 + 2))
  const slots = new Uint32Array(size)
  const mask = size - 1
  for (let block = 0; block < counts.length; block += 1) {
    let slot = (words[block * 4] ?? 0) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = block + 1
  }
  return {
    blocks,
    find({ digest, lines }) {
      const first = wordAt(digest, 0)
      for (let slot = first & mask; ; slot = (slot + 1) & mask) {
        const block = (slots[slot] ?? 0) - 1
        if (block < 0) return undefined
        const at = block * 4
        const isIt =
          words[at] === first &&
          words[at + 1] === wordAt(digest, 4) &&
          words[at + 2] === wordAt(digest, 8) &&
          words[at + 3] === wordAt(digest, 12)
        if (isIt) return counts[block] === lines.length ? block : undefined
      }
    },
    span: (block) => [starts[block] ?? 0, starts[block + 1] ?? 0],
  }
}

/** Those of the blocks that have a 1 at their place. */
export function pickBlocks(blocks: SettledBlocks, isWanted: Uint8Array): SettledBlocks {
  let [wanted, all] = [0, 0]
  for (let block = 0; block < isWanted.length; block += 1)
    if (isWanted[block] === 1) {
      wanted += 1
      all += blocks.counts[block] ?? 0
    }
  if (wanted === blocks.counts.length) return blocks
  const digests = new Uint8Array(wanted * DIGEST_BYTES)
  const counts = new Uint8Array(wanted)
  const links = new Uint32Array(all)
  let [from, to, link] = [0, 0, 0]
  for (let block = 0; block < isWanted.length; block += 1) {
    const count = blocks.counts[block] ?? 0
    if (isWanted[block] === 1) {
      digests.set(
        blocks.digests.subarray(block * DIGEST_BYTES, (block + 1) * DIGEST_BYTES),
        to * DIGEST_BYTES,
      )
      counts[to] = count
      links.set(blocks.links.subarray(from, from + count), link)
      to += 1
      link += count
    }
    from += count
  }
  return { digests, counts, links }
}
