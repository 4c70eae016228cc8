// A drop folder without files: versions, files that are replaced or damaged, an archive, rejects. What was opened, and what
// was put away, is noted for the oracles, in order.
import { SyncError } from '../../src/core/words/errors.ts'
import type { InputReader, RejectRow, Source, SourceInput } from '../../src/core/ports.ts'
import type { SourceItem } from '../../src/core/mapping/record.ts'
import { HEADER } from './people.ts'

export interface SimulatedFile {
  readonly input: SourceInput
  readonly rows: readonly (readonly string[])[]
  /** When it was opened last. */
  openedAt: number
  /** Damaged behind so many rows. */
  readonly cutAfter: number | undefined
  /** Its last row has no line break: what it says may be the beginning of something else. */
  readonly isLastCut: boolean
  /** Until then it cannot be moved. */
  readonly stuckUntil: number
  /** How many had been opened when it was done with; undefined before. */
  doneAt?: number | undefined
  /** In which life of the program that was: one that dies then may not have noted it, and reads it again. */
  doneIn?: number
}

/** In the order in which they were done with, whether they could be moved then or not. */
export interface PutAway {
  readonly file: SimulatedFile
  readonly folder: 'processed' | 'failed'
  readonly at: number
  /** The rows that the copy lacks, by their place: of people who were erased. */
  readonly leftOut: ReadonlySet<number>
}

export interface SimulatedSource extends Source {
  drop(
    name: string,
    rows: readonly (readonly string[])[],
    more?: {
      cutAfter?: number | undefined
      isLastCut?: boolean
      input?: Pick<SourceInput, 'cursor' | 'isPart'>
    },
  ): void
  readonly waiting: ReadonlyMap<string, SimulatedFile>
  readonly opened: readonly SimulatedFile[]
  readonly putAway: readonly PutAway[]
  readonly rejects: ReadonlyMap<string, readonly RejectRow[]>
}

const BATCH = 5
/** It was not the file that ended the process: an operator drops it again at once. */
const ENDED_TOO_OFTEN = 'times while it read this file'

function itemsOf({ rows, isLastCut }: SimulatedFile): SourceItem[] {
  return rows.map((values, index): SourceItem => {
    const line = index + 2
    if (isLastCut && index === rows.length - 1)
      return { kind: 'defect', code: 'RECORD_MAYBE_CUT', message: 'no line break ends it', values, line }
    if (values.length === HEADER.length) return { kind: 'record', values, line }
    return {
      kind: 'defect',
      code: 'RECORD_RAGGED',
      message: `${values.length} values, ${HEADER.length} expected`,
      values,
      line,
    }
  })
}

function readerOf(file: SimulatedFile): InputReader {
  const { cutAfter, input } = file
  const damage = (): never => {
    throw new SyncError('INPUT_QUOTE', 'a quote that opened on line 2 never closes')
  }
  return {
    header: HEADER,
    bytesRead: () => 0,
    async *batches() {
      const items = itemsOf(file)
      for (let start = 0; start < items.length; start += BATCH) {
        await Promise.resolve()
        if (cutAfter !== undefined && start + BATCH > cutAfter) damage()
        yield items.slice(start, start + BATCH)
      }
      if (cutAfter !== undefined) damage()
    },
    sha256: () => input.version,
    close: () => Promise.resolve(),
  }
}

/** `stuckFor`: how long the next file cannot be moved, in milliseconds; as long as the world is not calm. `life`: the present one. */
export function createSimulatedSource(
  now: () => number,
  { stuckFor, isCalm, life } = { stuckFor: () => 0, isCalm: () => true, life: () => 0 },
): SimulatedSource {
  const waiting = new Map<string, SimulatedFile>()
  const opened: SimulatedFile[] = []
  const archived: PutAway[] = []
  const rejects = new Map<string, readonly RejectRow[]>()
  let versions = 0
  const found = (input: SourceInput): SimulatedFile | undefined => {
    const file = waiting.get(input.name)
    return file?.input.version === input.version ? file : undefined
  }
  return {
    waiting,
    opened,
    putAway: archived,
    rejects,
    drop(name, rows, { cutAfter, isLastCut = false, input: told = {} } = {}) {
      versions += 1
      const input = { name, version: `v${versions}`, bytes: rows.length, ...told }
      waiting.set(name, { input, rows, cutAfter, isLastCut, openedAt: 0, stuckUntil: now() + stuckFor() })
    },
    list: () => {
      const ready = [...waiting.values()].map(({ input }) => input)
      ready.sort((one, other) => (one.name < other.name ? -1 : 1))
      return Promise.resolve({ ready, unsettled: 0, refused: [] })
    },
    open: (input) => {
      const file = found(input)
      if (file === undefined) return Promise.reject(new SyncError('INPUT_CHANGED', 'it was replaced'))
      file.openedAt = now()
      if (file.doneIn !== life()) file.doneAt = undefined
      opened.push(file)
      return Promise.resolve(readerOf(file))
    },
    isWaiting: (input) => Promise.resolve(found(input) !== undefined),
    clearLeftovers: () => Promise.resolve(),
    archive: async (input, { folder, reason, leaveOut }) => {
      const file = found(input)
      if (file === undefined) return false
      const leftOut = new Set<number>()
      for (const [index, row] of file.rows.entries())
        if ((await leaveOut?.ofRecord(HEADER, row)) !== undefined) leftOut.add(index)
      const isStuck = !isCalm() && now() < file.stuckUntil
      const isAgain = reason?.includes(ENDED_TOO_OFTEN) === true
      if (!isAgain && file.doneAt === undefined) {
        file.doneAt = opened.length
        file.doneIn = life()
        archived.push({ file, folder, at: now(), leftOut })
      }
      if (isStuck) throw new SyncError('ARCHIVE_FAILED', `${input.name} cannot be moved`)
      waiting.delete(input.name)
      if (isAgain) {
        versions += 1
        waiting.set(input.name, {
          ...file,
          input: { ...file.input, version: `v${versions}` },
          doneAt: undefined,
        })
      }
      return true
    },
    async writeRejects(input, _to, _header, rows) {
      const kept: RejectRow[] = []
      for await (const row of rows) kept.push(row)
      rejects.set(input.name, kept)
    },
  }
}
