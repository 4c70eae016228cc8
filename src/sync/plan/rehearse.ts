// One file under two configurations, record by record: both readings stream side by side, and records meet by the place
// where they stand. Nothing is compared with a state, so a record counts as one of a new contact.
import { difference } from '../../core/change/diff.ts'
import { placeOfKey } from '../../core/change/fingerprint.ts'
import type { OutcomePair, RehearsedOutcome } from '../../core/change/plan/rehearsal.ts'
import type { CustomFieldRules } from '../../core/mapping/custom-fields.ts'
import { optionalColumns, wantedColumns } from '../../core/mapping/mapping.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import type { TermNameStore } from '../../core/mapping/terms.ts'
import { type UnitedMapper, unitedMapper } from '../../core/mapping/union.ts'
import type { DateOrders } from '../../core/mapping/values/dates/date-order.ts'
import type { Clock, InputReader, Source, SourceInput } from '../../core/ports.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { type ErrorCode, inputError } from '../../core/words/errors.ts'
import { ordersWithin } from './date-orders.ts'
import { mapperFor } from './present-terms.ts'
import { createCensus, recordBatches } from './united.ts'

/** One configuration of the pipeline, with what the state knows for it. */
export interface RehearsedSide {
  readonly pipeline: PipelineSettings
  /** Opens the files. */
  readonly source: Pick<Source, 'open'>
  readonly customFields: CustomFieldRules
  readonly orders: DateOrders
  readonly state: TermNameStore
  readonly clock: Clock
  readonly signal: AbortSignal
}

const NOTHING_KNOWN = { link: undefined, inDoubt: false }

function outcomeOf(item: SourceItem, mapper: UnitedMapper, pipeline: PipelineSettings): RehearsedOutcome {
  if (item.kind !== 'record') return { kind: 'rejected', code: item.code }
  const mapped = mapper.map(item)
  if (mapped.kind === 'skipped') return { kind: 'skipped' }
  if (mapped.kind === 'rejected') return { kind: 'rejected', code: mapped.code }
  const { key, contact, terms, lacking } = mapped
  if (lacking.length > 0) return { kind: 'rejected', code: 'FIELD_INVALID' }
  const decided = difference({ contact, terms }, NOTHING_KNOWN, pipeline)
  if (decided.kind === 'rejected') return { kind: 'rejected', code: decided.code }
  return { kind: 'mapped', key, contact, terms: terms ?? [] }
}

type Rule = (outcome: RehearsedOutcome) => RehearsedOutcome

/** `on_duplicate_key: reject`: the first of a key counts. */
function firstOfKey(): Rule {
  const seen = new Set<number>()
  return (outcome) => {
    if (outcome.kind !== 'mapped') return outcome
    const place = placeOfKey(outcome.key)
    if (seen.has(place)) return { kind: 'rejected', code: 'KEY_DUPLICATE' }
    seen.add(place)
    return outcome
  }
}

/** `on_duplicate_key: last`: of those that come so often, the last one counts. */
function lastOfKey(repeated: ReadonlyMap<number, number>): Rule {
  const left = new Map(repeated)
  return (outcome) => {
    const place = outcome.kind === 'mapped' && left.size > 0 ? placeOfKey(outcome.key) : -1
    const times = left.get(place) ?? 1
    left.set(place, times - 1)
    return times > 1 ? { kind: 'skipped' } : outcome
  }
}

interface Opened {
  readonly mapper: UnitedMapper
  readonly first: InputReader
  open(): Promise<InputReader>
}

async function repeatedKeys({ mapper, open }: Opened, { pipeline }: RehearsedSide) {
  const census = createCensus()
  const note = (item: SourceItem): void => {
    const outcome = outcomeOf(item, mapper, pipeline)
    if (outcome.kind === 'mapped') census.note(placeOfKey(outcome.key))
  }
  const reader = await open()
  try {
    for await (const batch of reader.batches()) batch.forEach(note)
    return census.repeated()
  } finally {
    await reader.close()
  }
}

/** Rows of one key are one record before they get here, where the pipeline says so. */
async function duplicateRule(opened: Opened, side: RehearsedSide): Promise<Rule> {
  const { on_duplicate_key: onDuplicateKey } = side.pipeline
  if (onDuplicateKey === 'union') return (outcome) => outcome
  return onDuplicateKey === 'last' ? lastOfKey(await repeatedKeys(opened, side)) : firstOfKey()
}

interface Placed {
  /** The line, and which record on it, in one number. */
  readonly place: number
  readonly outcome: RehearsedOutcome
}

/** So many records on one line are told apart; some files have all of theirs on one. */
const ON_ONE_LINE = 2 ** 24

function placing(): (line: number) => number {
  let last = 0
  let count = 0
  return (line) => {
    count = line === last ? count + 1 : 0
    last = line
    return line * ON_ONE_LINE + count
  }
}

/** What the configuration makes of each record of the file. Throws a SyncError of class `input` or `later`. */
async function* outcomesIn(
  input: SourceInput,
  side: RehearsedSide,
): AsyncGenerator<readonly Placed[], undefined> {
  const { pipeline, source, customFields } = side
  const orders = await ordersWithin(input, side.orders, side)
  const how = { columns: wantedColumns(pipeline), optional: optionalColumns(pipeline) }
  const open = () => source.open(input, how)
  const first = await open()
  try {
    const mapped = await mapperFor({ input, header: first.header, orders }, customFields, side)
    const mapper = unitedMapper(mapped, pipeline)
    const ruled = await duplicateRule({ mapper, first, open }, side)
    const placeOf = placing()
    for await (const batch of recordBatches({ reader: first, open, keyOf: mapper.keyOf }, pipeline))
      yield batch.map((item) => ({
        place: placeOf(item.line),
        outcome: ruled(outcomeOf(item, mapper, pipeline)),
      }))
  } finally {
    await first.close()
  }
}

/** One reading on its way. */
interface Stream {
  readonly batches: AsyncGenerator<readonly Placed[], undefined>
  /** Records that have not met theirs. */
  readonly waiting: Map<number, RehearsedOutcome>
  /** Records come in the order of the file; united ones may not. */
  readonly isInOrder: boolean
  /** Why the file cannot be read further; null: nothing has failed. */
  fault: ErrorCode | null
  reached: number
  isOver: boolean
}

const streamOf = (input: SourceInput, side: RehearsedSide): Stream => ({
  batches: outcomesIn(input, side),
  waiting: new Map(),
  isInOrder: side.pipeline.on_duplicate_key !== 'union',
  fault: null,
  reached: -1,
  isOver: false,
})

interface Met {
  readonly own: RehearsedOutcome
  readonly its: RehearsedOutcome
}

/** The next batch; none at the end, which a fault of the file is as well. */
async function nextBatch(stream: Stream): Promise<readonly Placed[]> {
  try {
    const { done, value } = await stream.batches.next()
    stream.isOver = done === true
    return value ?? []
  } catch (error) {
    const { code } = inputError(error) ?? {}
    if (code === undefined) throw error
    stream.fault = code
    stream.isOver = true
    return []
  }
}

/** Takes the next batch; gives those that met, with theirs. Nothing meets the records of a reading that failed. */
async function advance(stream: Stream, other: Stream): Promise<readonly Met[]> {
  const batch = await nextBatch(stream)
  if (other.fault !== null) return []
  return batch.flatMap(({ place, outcome }) => {
    stream.reached = Math.max(stream.reached, place)
    const its = other.waiting.get(place)
    if (its === undefined) {
      stream.waiting.set(place, outcome)
      return []
    }
    other.waiting.delete(place)
    return [{ own: outcome, its }]
  })
}

/** Takes out those that cannot meet theirs any more. */
function left(stream: Stream, other: Stream): readonly RehearsedOutcome[] {
  const gone: RehearsedOutcome[] = []
  if (!other.isOver && !other.isInOrder) return gone
  for (const [place, outcome] of stream.waiting) {
    if (!other.isOver && place > other.reached) {
      if (stream.isInOrder) return gone
      continue
    }
    stream.waiting.delete(place)
    gone.push(outcome)
  }
  return gone
}

/** Of each reading, why it failed; null: the file was read to its end. */
interface Faults {
  readonly before: ErrorCode | null
  readonly after: ErrorCode | null
}

/**
 * Gives the records of the file under both configurations, in pairs, some at a time. Memory holds a batch or two of each; where rows are
 * united by other keys than before, those whose record stands elsewhere wait until the end. Where one reading fails, records
 * before that place are given, and the other reading continues alone, for its own fault. Throws what is no fault of the file.
 */
export async function rehearseFile(
  input: SourceInput,
  { before, after }: { before: RehearsedSide; after: RehearsedSide },
  give: (pairs: readonly OutcomePair[]) => void,
): Promise<Faults> {
  const [was, is] = [streamOf(input, before), streamOf(input, after)]
  const unmet = (): readonly OutcomePair[] => [
    ...left(was, is).map((outcome) => ({ before: outcome, after: undefined })),
    ...left(is, was).map((outcome) => ({ before: undefined, after: outcome })),
  ]
  try {
    while (!was.isOver || !is.isOver) {
      const isTurnOfWas = is.isOver || (!was.isOver && was.reached <= is.reached)
      const met = await (isTurnOfWas ? advance(was, is) : advance(is, was))
      const pairs = met.map(({ own, its }) =>
        isTurnOfWas ? { before: own, after: its } : { before: its, after: own },
      )
      give(was.fault === null && is.fault === null ? [...pairs, ...unmet()] : pairs)
    }
    return { before: was.fault, after: is.fault }
  } finally {
    await was.batches.return(undefined)
    await is.batches.return(undefined)
  }
}
