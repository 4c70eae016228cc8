// A source that is asked for its records, and gives them badly: it dies in the middle, gives records twice and in any order,
// and again what it gave before. What a fetch brings becomes a file, whole or not at all, as src/sources/pull does it.
// It is its own oracle for the cursor: whatever lies before it has been in a file that was archived as done.
import type { FetchOrder } from '../../src/core/cursor.ts'
import { SyncError } from '../../src/core/words/errors.ts'
import type { Chance } from './chance.ts'
import { createSimulatedSource, type SimulatedSource } from './simulated-source.ts'

type Row = readonly string[]

interface RemoteRecord {
  readonly row: Row
  /** Counts up with every change at the source. */
  readonly position: number
}

export interface PullWorld {
  readonly now: () => number
  readonly chance: Chance
  /** What a full fetch asks for is all that there is; otherwise what changed since the cursor. */
  readonly isFull: boolean
  /** The number of the column by which the source knows its records. */
  readonly keyColumn: number
  /** From now on it gives everything once, in order. */
  readonly isQuiet: () => boolean
  /** How long the next file cannot be moved. */
  readonly stuckFor: () => number
  /** The present life of the program. */
  readonly life: () => number
  readonly violated: (oracle: string, text: string) => void
  readonly say: (text: string) => void
}

export interface PulledSource extends SimulatedSource {
  /** How many records no cursor has passed. */
  unread(cursor: unknown): number
  /** Judges a cursor by what was archived. */
  checkCursor(cursor: unknown): void
}

const OF = 'the query of this source'
const OVERLAPS = [0, 0, 1, 5]

const positionOf = (cursor: unknown): number => (typeof cursor === 'number' ? cursor : 0)

export function createPulledSource(world: PullWorld): PulledSource {
  const { now, chance, stuckFor, life, isFull, keyColumn, isQuiet, violated, say } = world
  const files = createSimulatedSource(now, { stuckFor, isCalm: isQuiet, life })
  const remote = new Map<string, RemoteRecord>()
  const overlap = chance.pick(OVERLAPS)
  let position = 0
  let fetches = 0
  /** The next fetch breaks off behind so many records. */
  let diesAfter: number | undefined

  function put(row: Row): void {
    position += 1
    const key = row[keyColumn] ?? ''
    remote.set(key === '' ? `nameless ${position}` : key, { row, position })
  }

  const changedSince = (after: number): readonly RemoteRecord[] =>
    [...remote.values()]
      .filter((one) => one.position > after)
      .sort((one, other) => one.position - other.position)

  /** In the order, and as often, as this source hands them over. */
  function handedOver(records: readonly RemoteRecord[]): readonly RemoteRecord[] {
    if (isQuiet()) return records
    const again = chance.happens(0.15) ? [...records, ...records.slice(0, 1)] : records
    return chance.happens(0.3) ? chance.shuffled(again) : again
  }

  const died = (records: number) => ({
    name: 'a fetch',
    error: new SyncError('SOURCE_FAILED', `it ended after ${records} records`),
  })

  /** What the fetch left waits as a file, with the cursor behind it; its problem is told. */
  function fetch({ cursor }: FetchOrder): ReturnType<typeof died> | undefined {
    const kept = positionOf(cursor?.value)
    const asked = changedSince(Math.max(0, kept - overlap))
    // What the overlap alone brings is nothing new: a source of this kind gives it all the same, and now and then nothing.
    if (!isFull && asked.every((one) => one.position <= kept) && (isQuiet() || chance.happens(0.5)))
      return undefined
    const all = handedOver(asked)
    const broken = isQuiet()
      ? undefined
      : (diesAfter ?? (chance.happens(0.2) ? chance.int(all.length + 1) : undefined))
    diesAfter = undefined
    const brought = broken === undefined ? all : all.slice(0, broken)
    if (broken !== undefined && brought.length === 0) return died(0)
    fetches += 1
    // Before a record that is still to come lies no cursor: where it broke off, only as far as the order was kept.
    const left = all.slice(brought.length).map((one) => one.position)
    const reached = Math.max(kept, ...brought.map((one) => one.position))
    const safe = left.length === 0 ? reached : Math.max(kept, Math.min(reached, Math.min(...left) - 1))
    const name = `fetch-${String(fetches).padStart(4, '0')}.jsonl`
    say(`a fetch from ${kept} brings ${brought.length} of ${all.length} records, up to ${safe}`)
    files.drop(
      name,
      brought.map(({ row }) => row),
      { input: { cursor: { of: OF, value: safe }, ...(broken === undefined ? {} : { isPart: true }) } },
    )
    return broken === undefined ? undefined : died(brought.length)
  }

  function checkCursor(cursor: unknown): void {
    const done = new Set(
      files.putAway
        .filter(({ folder }) => folder === 'processed')
        .flatMap(({ file }) => file.rows.map((row) => row.join('\t'))),
    )
    const passed = [...remote.values()].filter(
      (one) => one.position <= positionOf(cursor) && !done.has(one.row.join('\t')),
    )
    if (passed.length > 0)
      violated(
        'cursor',
        `it is at ${positionOf(cursor)}, and ${passed.length} records before it have no outcome`,
      )
  }

  return {
    ...files,
    checkCursor,
    unread: (cursor) => (isFull ? 0 : changedSince(positionOf(cursor)).length),
    drop(_name, rows, { cutAfter } = {}) {
      if (isFull) remote.clear()
      for (const row of rows) put(row)
      diesAfter = cutAfter
    },
    async list(asked) {
      const { fetch: order } = asked
      if (order === undefined) return files.list(asked)
      checkCursor(order.cursor?.value)
      const problem = files.waiting.size > 0 ? undefined : fetch(order)
      const listing = await files.list(asked)
      return problem === undefined ? listing : { ...listing, refused: [problem] }
    },
  }
}
