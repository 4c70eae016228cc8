// An input read by the blocks of its raw bytes. A block that is settled is passed over: its records are counted as unchanged
// and claimed, as if they had been parsed and recognised one by one. The records of all others take the usual way, and are
// noted with the block of which they are, so that it may be settled later.
import { blockVersion } from '../../core/change/fingerprint.ts'
import {
  type BlockIndex,
  blockIndex,
  type BlockStore,
  type KeptBlocks,
  NO_BLOCKS,
  type SettledBlocks,
  type SettledInput,
  type UnsettledBlock,
} from '../../core/change/settled-blocks.ts'
import { type RawBlock, type SourceItem, UnsureOfRecords } from '../../core/mapping/record.ts'
import type { Counts } from '../../core/outcome/summary.ts'
import type { InputReader } from '../../core/ports.ts'
import type { Identity, StagedInput } from '../../core/state.ts'

interface Compared {
  readonly line: number
  readonly identity: Identity | undefined
  readonly earlier: number | undefined
}

export interface BlockReading {
  /** How the reader is to use the raw bytes. */
  readonly how: NonNullable<Parameters<InputReader['batches']>[0]>
  /** Hands on what was passed over and noted since. Throws UnsureOfRecords where a record was there twice. */
  flush(counts: Counts): Promise<void>
  /** All records of an input that is settled as a whole. Throws UnsureOfRecords where its blocks do not count any more. */
  passAll(input: SettledInput, counts: Counts): Promise<void>
  /** A record that was parsed; in the order of the input. */
  note(item: SourceItem, fingerprint: string): void
  /** Told of each record that was parsed which earlier one has its key. Throws UnsureOfRecords where that is none. */
  compare(records: readonly Compared[]): void
  kept(input: SettledInput | undefined): KeptBlocks
}

/** What was passed over: which blocks, and the links that they name on which lines. */
function createPassed(blocks: SettledBlocks) {
  let index: BlockIndex | undefined
  const isPassed = new Uint8Array(blocks.counts.length)
  let [links, lines]: [number[], number[]] = [[], []]
  return {
    isSettled(block: RawBlock): boolean {
      index ??= blockIndex(blocks)
      const { find, span } = index
      const found = find(block)
      if (found === undefined) return false
      isPassed[found] = 1
      const [from, to] = span(found)
      for (let at = from; at < to; at += 1) links.push(blocks.links[at] ?? 0)
      lines.push(...block.lines)
      return true
    },
    /** Since the last call. */
    take(): { readonly links: Uint32Array; readonly lines: Uint32Array } {
      const taken = { links: Uint32Array.from(links), lines: Uint32Array.from(lines) }
      ;[links, lines] = [[], []]
      return taken
    },
    isPassed,
  }
}

/** Puts records together to blocks. One of which some record is missing is none. */
function createNotes() {
  let done: UnsettledBlock[] = []
  let current: { readonly block: RawBlock; readonly fingerprints: string[] } | undefined
  return {
    note({ block }: { readonly block: RawBlock }, fingerprint: string): void {
      if (current?.block !== block) current = { block, fingerprints: [] }
      current.fingerprints.push(fingerprint)
      const { fingerprints } = current
      if (fingerprints.length === block.lines.length) done.push({ digest: block.digest, fingerprints })
    },
    take(): readonly UnsettledBlock[] {
      const taken = done
      done = []
      return taken
    },
  }
}

/** Undefined where the records cannot be told apart in the raw bytes. `isAhead`: settled blocks may be passed over. */
export async function startBlocks(
  { rawForm }: Pick<InputReader, 'rawForm'>,
  { staged, print, isAhead }: { staged: StagedInput; print: string; isAhead: boolean },
  state: BlockStore,
): Promise<BlockReading | undefined> {
  if (rawForm === undefined) return undefined
  const version = blockVersion(print, rawForm)
  const known = (await state.settledBlocks(staged.pipeline, version)) ?? NO_BLOCKS
  const passed = createPassed(known)
  const notes = createNotes()
  const contested = new Set<number>()
  return {
    // With nothing to pass over, the parser reads the whole file anyway, so no certainty is needed before it.
    how: isAhead && known.counts.length > 0 ? passed.isSettled : 'beside',
    async flush(counts) {
      const { links, lines } = passed.take()
      counts.read += links.length
      counts.unchanged += links.length
      if (links.length > 0 && !(await state.claimLinks(staged, links, lines))) throw new UnsureOfRecords()
      await state.noteBlocks(staged, notes.take())
    },
    async passAll({ records }, counts) {
      const { links } = known
      // Under another version there are none.
      if (links.length !== records) throw new UnsureOfRecords()
      counts.read += records
      counts.unchanged += records
      // Which line a record is on matters to those alone that are parsed beside it.
      if (!(await state.claimLinks(staged, links, new Uint32Array(records)))) throw new UnsureOfRecords()
    },
    note(item, fingerprint) {
      if (item.kind === 'record' && item.block !== undefined) notes.note({ block: item.block }, fingerprint)
    },
    compare(records) {
      for (const { line, identity, earlier } of records) {
        if (earlier === undefined) continue
        // A block that was passed over is further down the file: which of the two counts, the parser has to find.
        if (earlier > line) throw new UnsureOfRecords()
        if (identity !== undefined && 'linkId' in identity) contested.add(identity.linkId)
      }
    },
    kept: (input) => ({ version, contested, known, isPassed: passed.isPassed, input }),
  }
}
