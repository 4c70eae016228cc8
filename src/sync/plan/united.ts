// Rows of one key as one record, wherever in the input they stand (`on_duplicate_key: union`). A first pass finds the keys
// that come several times; then rows of such a key wait until the last of them was read. Where too many would have to wait,
// only a share of the keys is united in a pass, and the others in further passes: memory does not grow with the input.
import { placeOfKey } from '../../core/change/fingerprint.ts'
import type { RecordRow, SourceItem, SourceRecord } from '../../core/mapping/record.ts'
import type { UnitedMapper } from '../../core/mapping/union.ts'
import type { InputReader } from '../../core/ports.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'

type Batches = AsyncIterable<readonly SourceItem[]>

/** How many rows wait at most. */
const MOST_WAITING = 20_000

/** How often each place comes, for those that come more than once: eight bytes a row, whatever the keys are. */
export function createCensus() {
  let places = new Float64Array(1024)
  let count = 0
  return {
    note(place: number): void {
      if (count === places.length) {
        const larger = new Float64Array(count * 2)
        larger.set(places)
        places = larger
      }
      places[count] = place
      count += 1
    },
    repeated(): ReadonlyMap<number, number> {
      const sorted = places.subarray(0, count).sort()
      const times = new Map<number, number>()
      for (let at = 1; at < count; at += 1) {
        const place = sorted[at] ?? 0
        if (place === sorted[at - 1]) times.set(place, (times.get(place) ?? 1) + 1)
      }
      return times
    },
  }
}

/** Records that are read again may be of several rows already. */
const rowsOf = ({ rows, values, line, text }: SourceRecord): readonly RecordRow[] =>
  rows ?? [{ values, line, ...(text === undefined ? {} : { text }) }]

/** The rows in the order of the input; the record stands where the last of them does. */
function unitedRecord(records: readonly SourceRecord[], last: SourceRecord): SourceRecord {
  if (records.length < 2) return last
  const { block: _, ...record } = last
  return { ...record, rows: records.flatMap(rowsOf) }
}

/** Rows that wait for the others of their key, in the share of the keys that this pass is about. */
function createWaiting(from: number, most: number) {
  const groups = new Map<string, { readonly place: number; readonly records: SourceRecord[] }>()
  let to = 1
  let rows = 0
  const dropBehind = (): void => {
    for (const [key, { place, records }] of groups)
      if (place >= to) {
        groups.delete(key)
        rows -= records.length
      }
  }
  return {
    isTurnOf: (place: number): boolean => place >= from && place < to,
    /** The record, once all of its rows are there. */
    add(key: string, record: SourceRecord, { place, times }: { place: number; times: number }) {
      const group = groups.get(key) ?? { place, records: [] }
      groups.set(key, group)
      group.records.push(record)
      rows += 1
      if (group.records.length === times) {
        groups.delete(key)
        rows -= times
        return unitedRecord(group.records, record)
      }
      if (group.records.length > most)
        throw new SyncError(
          'INPUT_RECORD_TOO_LARGE',
          `more than ${most} rows have the key of the record on line ${record.line}`,
          { hint: 'Choose a key that distinguishes records, or leave such rows out with where.' },
        )
      for (; rows > most; dropBehind()) to = (from + to) / 2
      return undefined
    },
    /** Those that waited for a key that only looked like theirs. */
    left: (): SourceRecord[] =>
      [...groups.values()].flatMap(({ records }) => {
        const last = records.at(-1)
        return last === undefined ? [] : unitedRecord(records, last)
      }),
    end: (): number => to,
  }
}

interface Uniting {
  /** Batches of the whole input, from its beginning. The last one that is asked for ends last. */
  pass(): Batches
  keyOf(item: SourceItem): string | undefined
  readonly most?: number
}

/** All items of the input, rows of one key as one record. */
export async function* unitedBatches({
  pass,
  keyOf,
  most = MOST_WAITING,
}: Uniting): AsyncGenerator<readonly SourceItem[]> {
  const census = createCensus()
  for await (const batch of pass()) {
    for (const item of batch) {
      const key = keyOf(item)
      if (key !== undefined) census.note(placeOfKey(key))
    }
    // The run may have been aborted in the meantime.
    yield []
  }
  const repeated = census.repeated()
  const united = new Set<number>()
  for (let from = 0; from < 1;) {
    const waiting = createWaiting(from, most)
    const ready = (item: SourceItem): readonly SourceItem[] => {
      const key = repeated.size === 0 ? undefined : keyOf(item)
      const place = key === undefined ? 0 : placeOfKey(key)
      const times = repeated.get(place) ?? 1
      if (united.has(place)) return []
      if (key === undefined || item.kind !== 'record' || times === 1) return from === 0 ? [item] : []
      const record = waiting.isTurnOf(place) ? waiting.add(key, item, { place, times }) : undefined
      if (record === undefined) return []
      // All rows of the place were read. Its turn comes once more where the share of this pass becomes smaller.
      united.add(place)
      return [record]
    }
    for await (const batch of pass()) yield batch.flatMap(ready)
    yield waiting.left()
    from = waiting.end()
  }
}

/** The records among a few rows that were read. */
export async function recordsAmong(
  rows: readonly SourceItem[],
  keyOf: UnitedMapper['keyOf'],
  { on_duplicate_key: onDuplicateKey }: Pick<PipelineSettings, 'on_duplicate_key'>,
): Promise<readonly SourceItem[]> {
  if (onDuplicateKey !== 'union') return rows
  async function* pass(): AsyncGenerator<readonly SourceItem[]> {
    yield await Promise.resolve(rows)
  }
  const records: SourceItem[] = []
  const keyOfItem = (item: SourceItem) => (item.kind === 'record' ? keyOf(item) : undefined)
  for await (const batch of unitedBatches({ pass, keyOf: keyOfItem })) records.push(...batch)
  return records
}

interface Reading {
  readonly reader: InputReader
  readonly keyOf: UnitedMapper['keyOf']
  /** Opens the same input once more. */
  open(): Promise<InputReader>
  readonly blocks?: Parameters<InputReader['batches']>[0]
}

/** The records of an input as its pipeline understands them. */
export function recordBatches(
  { reader, keyOf, open, blocks }: Reading,
  { on_duplicate_key: onDuplicateKey }: Pick<PipelineSettings, 'on_duplicate_key'>,
): Batches {
  if (onDuplicateKey !== 'union') return reader.batches(blocks)
  async function* again(): AsyncGenerator<readonly SourceItem[]> {
    const another = await open()
    try {
      yield* another.batches()
    } finally {
      await another.close()
    }
  }
  let passes = 0
  return unitedBatches({
    // The reader itself tells what was read: it is asked once.
    pass: () => ((passes += 1) === 2 ? reader.batches() : again()),
    keyOf: (item) => (item.kind === 'record' ? keyOf(item) : undefined),
  })
}
