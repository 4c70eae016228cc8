// Messages that come through a pipe, cut into inputs: where a STATE waits, after so many records or so much time, so that
// STATEs of a long stream are given out on the way. A full export is one input.
import type { Clock } from '../../core/ports.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Fetched, Fetcher, FetchTask } from '../pull/fetcher.ts'
import { type Line, linesOf } from './lines.ts'
import { createStreamReader } from './stream-reader.ts'
import { within } from './within.ts'

const MOST_RECORDS = 10_000
const LONGEST_MS = 30_000
/** A pipe in which nothing comes for so long is not waited for with a STATE at hand. */
const IDLE_MS = 5000
const FOR_EVER_MS = 2 ** 31 - 1
const NOT_ACTIVATED =
  'the stream did not end with ACTIVATE_VERSION: nothing is concluded from the records that it lacks'

interface TargetOptions {
  readonly stream: string
  /** The pipeline takes full exports. */
  readonly isFull: boolean
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The cursor of such an input: it moves with the outcomes of its records, and so proves them. */
export interface TargetCursor {
  /** Of this STATE, in this process alone. */
  readonly mark: string
}

export interface TargetBatch {
  readonly fetcher: Fetcher
  /** What follows is known once the fetch has ended. Values of STATEs, as JSON; each is valid once all records have their outcomes. */
  states(): readonly string[]
  records(): number
  /** Of the last STATE. */
  mark(): string | undefined
}

export interface TargetStream {
  /** To be read to its end before the next one. */
  next(): TargetBatch
  isOver(): boolean
  /** What ended it before its end. */
  problem(): SyncError | undefined
}

interface Counted {
  records: number
  readonly states: string[]
  mark?: string
}

type NextLine = (patience: number) => Promise<Line | 'late' | undefined>

/** Gives the next line; undefined at the end, `late` where none came in time. */
function feedOf(input: AsyncIterable<Buffer>, options: Pick<TargetOptions, 'clock' | 'signal'>): NextLine {
  const pieces = linesOf(input)
  let waiting: Promise<IteratorResult<readonly Line[]>> | undefined
  let lines: readonly Line[] = []
  let at = 0
  return async (patience) => {
    while (at >= lines.length) {
      waiting ??= pieces.next()
      const next = await within(waiting, patience, options)
      if (next === 'late') return options.signal.aborted ? undefined : 'late'
      waiting = undefined
      if (next.done === true) return undefined
      lines = next.value
      at = 0
    }
    const line = lines[at]
    at += 1
    return line
  }
}

export function createTargetStream(input: AsyncIterable<Buffer>, options: TargetOptions): TargetStream {
  const { stream, isFull, clock } = options
  const begun = clock.now()
  const reader = createStreamReader(stream)
  const nextLine = feedOf(input, options)
  let marks = 0
  let isOver = false
  let problem: SyncError | undefined

  function* taken(line: Line, batch: Counted): Generator<Fetched> {
    const { json, state } = reader.take(line)
    if (json !== undefined) {
      batch.records += 1
      yield { json }
    }
    if (state === undefined) return
    batch.states.push(state)
    marks += 1
    batch.mark = `${begun}-${marks}`
    yield { cursor: { mark: batch.mark } satisfies TargetCursor }
  }

  function next(): TargetBatch {
    const batch: Counted = { records: 0, states: [] }
    const isDue = (since: number): boolean =>
      batch.records === 0 || batch.records >= MOST_RECORDS || clock.monotonic() - since >= LONGEST_MS
    async function* messages({ tell }: FetchTask): AsyncGenerator<Fetched> {
      const since = clock.monotonic()
      for (;;) {
        const mayEnd = !isFull && batch.states.length > 0 && !reader.isMissed()
        if (mayEnd && isDue(since)) return
        const line = await nextLine(mayEnd ? IDLE_MS : FOR_EVER_MS)
        if (line === undefined) break
        if (line !== 'late') yield* taken(line, batch)
        else if (mayEnd) return
      }
      isOver = true
      if (options.signal.aborted) return
      if (reader.isMissed()) reader.assertNamed()
      if (reader.isActivated()) return
      if (isFull && batch.records > 0) tell(NOT_ACTIVATED)
      yield { isPart: true }
    }
    async function* fetched(task: FetchTask): AsyncGenerator<Fetched> {
      let isRead = false
      try {
        yield* messages(task)
        isRead = true
      } catch (error) {
        if (error instanceof SyncError) problem = error
        throw error
      } finally {
        // What was taken from the pipe and is not kept will not come again.
        isOver ||= !isRead
      }
    }
    return {
      fetcher: { identity: JSON.stringify(['singer target', stream]), label: stream, fetch: fetched },
      states: () => (reader.isMissed() ? [] : batch.states),
      records: () => batch.records,
      mark: () => batch.mark,
    }
  }
  return { next, isOver: () => isOver, problem: () => problem }
}
