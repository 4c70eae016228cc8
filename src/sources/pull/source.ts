// A source that is asked for its records. What a fetch brings is spooled, and from then on is an input like any file of a
// drop folder: a run that is killed finds it again. Nothing is fetched while one waits.
import { isDeepStrictEqual } from 'node:util'
import type { FetchOrder, KeptCursor } from '../../core/cursor.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Source, SourceInput } from '../../core/ports.ts'
import { jsonKind } from '../json/kind.ts'
import type { SourceDeps } from '../kind.ts'
import type { Fetcher } from './fetcher.ts'
import { type FetchNote, readNote, removeNote } from './note.ts'
import { spool } from './spool.ts'

/** The options of such a source as the configuration builds them: what is fetched lies apart from how it is read. */
export interface PullOptions {
  /** Of the spool; absolute. */
  readonly folder: string
  /** The folder of the configuration; absolute. */
  readonly home?: string
  readonly sparse?: boolean
  readonly fetch: unknown
}

/** How the lines of a spool are read. */
export const lineOptions = ({ folder, sparse = false }: Pick<PullOptions, 'folder' | 'sparse'>) => ({
  ...{ folder, files: ['*.jsonl'], settle: 0, encoding: 'utf-8', sparse, records: undefined },
})

const noInputs = { ready: [], unsettled: 0, refused: [] }

/** Belongs to no fetch: the next one begins from the start. */
const FROM_THE_START: KeptCursor = { of: '', value: null }

/**
 * Whether the state has come from elsewhere since the fetch, or further: it was restored, it is another one in the same folder,
 * or another worker has run the pipeline.
 */
function isOutdated({ isFull, before, accepted }: FetchNote, order: FetchOrder): boolean {
  if (accepted !== undefined && accepted !== (order.accepted ?? null)) return true
  return !isFull && !order.isFull && !isDeepStrictEqual(before, order.cursor)
}

/**
 * What a note says of its input. Of one without a note, or that is outdated, nothing is concluded: neither who is missing, nor
 * that all before its cursor came, nor that its values are the newest.
 */
function describedBy(
  note: FetchNote | undefined,
  input: SourceInput,
  order: FetchOrder | undefined,
): SourceInput {
  if (note === undefined) return { ...input, isPart: true }
  if (order !== undefined && isOutdated(note, order))
    return { ...input, cursor: FROM_THE_START, isPart: true }
  const { cursor } = note
  const isPart = note.problem !== undefined || ((order?.isFull ?? true) && !note.isFull)
  return { ...input, ...(cursor === undefined ? {} : { cursor }), ...(isPart ? { isPart } : {}) }
}

/** Where the source has said how far it came, the usual hint, that the cursor has not moved, would be wrong. */
const MOVED = {
  hint: 'Look for the cause at the source. The next run fetches from where the source last said how far it had come.',
}

function partProblem(name: string, { problem, records, cursor, isFull }: FetchNote) {
  if (problem === undefined) return []
  const message = `${problem.message}; the ${records} records before that are taken, and nothing is concluded from what is missing`
  const hint = cursor === undefined || isFull ? {} : MOVED
  return [{ name, error: new SyncError(problem.code, message, hint) }]
}

/** `fetcher` is made when something is to be fetched. */
export function createPullSource(
  options: PullOptions & { readonly mostRecords: number },
  fetcher: () => Promise<Fetcher>,
  { clock, tokens }: SourceDeps,
): Source {
  const { folder } = options
  const lines = jsonKind.create(lineOptions(options), { clock })
  const look = async (asked: Parameters<Source['list']>[0]): ReturnType<Source['list']> => {
    try {
      return await lines.list(asked)
    } catch (error) {
      // Nothing was ever fetched.
      if (error instanceof SyncError && error.code === 'INPUT_FOLDER_MISSING') return noInputs
      throw error
    }
  }
  const outdated = new Set<string>()
  const inputs = async (asked: Parameters<Source['list']>[0]): ReturnType<Source['list']> => {
    const listing = await look(asked)
    const described = await Promise.all(
      listing.ready.map(async (input) => ({ input, note: await readNote(folder, input.name) })),
    )
    for (const { input, note } of described)
      if (note !== undefined && asked.fetch !== undefined && isOutdated(note, asked.fetch))
        outdated.add(input.version)
    const problems = described.flatMap(({ input, note }) => (note ? partProblem(input.name, note) : []))
    return {
      ...listing,
      ready: described.map(({ input, note }) => describedBy(note, input, asked.fetch)),
      refused: [...listing.refused, ...problems],
    }
  }
  return {
    ...lines,
    async list(asked) {
      const waiting = await inputs(asked)
      const { fetch: order, signal = new AbortController().signal } = asked
      if (order === undefined || waiting.ready.length > 0) return waiting
      const made = await fetcher()
      if (made.isFed === true) return waiting
      const cursor = await spool({
        ...{ folder, order, signal, clock, tokens, mostRecords: options.mostRecords },
        fetcher: made,
      })
      return { ...(await inputs(asked)), cursor }
    },
    async open(input, how) {
      // Of another program's records nothing else has them.
      if (outdated.has(input.version) && (await fetcher()).isFed !== true)
        throw new SyncError(
          'INPUT_OUTDATED',
          `${input.name} is out of date: the pipeline went on without it after it was fetched`,
        )
      return lines.open(input, how)
    },
    async archive(input, to) {
      const isArchived = await lines.archive(input, to)
      if (isArchived) await removeNote(folder, input.name)
      return isArchived
    },
  }
}
