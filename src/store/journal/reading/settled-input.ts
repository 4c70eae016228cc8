// The last input of a pipeline, as a row of `meta`, where all that it holds are records in kept blocks (blocks.ts). The row
// counts only as long as the blocks are, bit by bit, those that were kept with it.
import { blocksPrint, type SettledBlocks, type SettledInput } from '../../../core/change/settled-blocks.ts'
import type { Connection } from '../../file/database.ts'

interface KeptInput extends SettledInput {
  /** Of the blocks. */
  readonly print: string
}

/** Blocks that were kept after an input, and how many records of it are in them. */
interface After {
  readonly blocks: SettledBlocks
  readonly records: number
}

export function createSettledInputs(db: Connection) {
  const nameOf = (pipeline: string): string => `settled_input:${pipeline}`
  const read = db.prepare<[string], string>('SELECT value FROM meta WHERE name = ?').pluck()
  const write = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)')
  const drop = db.prepare('DELETE FROM meta WHERE name = ?')
  return {
    /** `now` gives the blocks that are settled now. */
    find(pipeline: string, bytes: number, now: () => SettledBlocks | undefined): SettledInput | undefined {
      const text = read.get(nameOf(pipeline))
      if (text === undefined) return undefined
      const { print, ...input } = JSON.parse(text) as KeptInput
      if (input.bytes !== bytes) return undefined
      const blocks = now()
      return blocks !== undefined && blocksPrint(blocks) === print ? input : undefined
    },
    /** In place of the one before. */
    keep(pipeline: string, input: SettledInput | undefined, { blocks, records }: After): void {
      // Blocks of other inputs name links that this one lacks; records without a block may become anything.
      const isAll = records > 0 && input?.records === records && blocks.links.length === records
      if (!isAll) return void drop.run(nameOf(pipeline))
      const kept: KeptInput = { ...input, print: blocksPrint(blocks) }
      write.run(nameOf(pipeline), JSON.stringify(kept))
    },
  }
}
