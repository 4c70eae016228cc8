// From an input to a plan: read, map, compare, stage, batch by batch; then the plan is committed as a whole.
// Nothing is sent here. What makes the input unusable throws, and leaves nothing staged.
import type { Accepted } from '../../core/change/accepted.ts'
import { type Expectation, expectationOf } from '../../core/change/waiting/expectation.ts'
import type { CustomFieldRules } from '../../core/mapping/custom-fields.ts'
import { heldCounter } from '../../core/change/waiting/held-why.ts'
import { fingerprintContext } from '../../core/change/fingerprint.ts'
import { dependsOnOthers } from '../../core/change/others/ownership.ts'
import type { Hold, JudgedInput } from '../../core/change/waiting/guard.ts'
import { optionalColumns, wantedColumns } from '../../core/mapping/mapping.ts'
import type { DateOrders } from '../../core/mapping/values/dates/date-order.ts'
import type { InputReader, SourceInput } from '../../core/ports.ts'
import { UnsureOfRecords } from '../../core/mapping/record.ts'
import { type UnitedMapper, unitedMapper } from '../../core/mapping/union.ts'
import type { StagedInput } from '../../core/state.ts'
import type { LikelySame } from '../../core/outcome/likely-same.ts'
import { type Counts, noCounts } from '../../core/outcome/summary.ts'
import { isStopped, type PlanContext, stoppedWhileReading } from '../context.ts'
import { commitPlan } from './commit-plan.ts'
import type { KeptBlocks, SettledInput } from '../../core/change/settled-blocks.ts'
import { startBlocks } from './blocks.ts'
import { startBrake } from './records/braked.ts'
import { noteCorrections } from './records/corrected.ts'
import { keepOrders, knownOrders, ordersWithin, printOfOrders } from './date-orders.ts'
import { planBatch } from './batch.ts'
import type { Reading } from './reading.ts'
import { mapperFor } from './present-terms.ts'
import { warnAboutLikelySame, warnAboutOddities, warnAboutOpened, warnAboutValues } from './read-warnings.ts'
import { rereadBy } from './records/reread-rejects.ts'
import { otherwiseHold } from './resolved.ts'
import { recordBatches } from './united.ts'

export interface PlannedInput {
  readonly staged: StagedInput
  /** Of what was read. */
  readonly sha256: string
  readonly counts: Counts
  /** What the guards judged of it, and what they hold. */
  readonly judged: JudgedInput
  /** A full export without any record. */
  readonly isEmptyFull: boolean
  /** What the next input is compared with; undefined where that is not this one. */
  readonly accepted: Accepted | undefined
  /** What is to be kept of its raw bytes once it is done with. */
  readonly blocks: KeptBlocks | undefined
  /** New records that are probably the same person as another key of the source. */
  readonly likelySame: LikelySame | undefined
}

interface Open {
  readonly reader: InputReader
  /** Opens the same input once more. */
  open(): Promise<InputReader>
  readonly keyOf: UnitedMapper['keyOf']
}

async function readAll({ reader, ...opened }: Open, reading: Reading, context: PlanContext): Promise<void> {
  const { blocks } = reading
  if (reader.settled !== undefined) {
    if (blocks === undefined) throw new UnsureOfRecords()
    return blocks.passAll(reader.settled, reading.counts)
  }
  const batches = recordBatches({ reader, ...opened, blocks: blocks?.how }, context.pipeline)
  for await (const batch of batches) {
    reading.expectation?.note(batch)
    if (isStopped(context)) throw stoppedWhileReading()
    await planBatch(batch, reading, context)
    context.report({
      phase: 'read',
      read: context.tally.counts.read + reading.counts.read,
      bytesRead: reader.bytesRead(),
    })
  }
}

interface Which {
  readonly input: SourceInput
  readonly isLast: boolean
  readonly onRead?: (sha256: string) => void
}

/**
 * Reads one input to its end and commits the plan for it. `isLast`: no later input of the source waits, so what a full
 * one lacks has gone. `onRead` is told the sum of what was read.
 * Throws a SyncError of class `input` (it cannot be taken) or `later` (it changed meanwhile); then nothing is staged.
 */
export async function planInput(
  which: Which,
  customFields: CustomFieldRules,
  context: PlanContext,
): Promise<PlannedInput> {
  const orders = await ordersWithin(which.input, await knownOrders(context), {
    ...context,
    customFields,
    isStopped: () => isStopped(context),
  })
  const how = { customFields, orders }
  const planned = await readInput(which, { ...how, isAhead: true }, context).catch((error: unknown) => {
    if (!(error instanceof UnsureOfRecords)) throw error
    return readInput(which, { ...how, isAhead: false }, context)
  })
  if (planned.judged.hold === undefined) await keepOrders(orders, context)
  return planned
}

/** The input as it may be recognised by its bytes alone: where these bring its records and nothing more. */
function recognisable(reader: InputReader, { staged, counts }: Reading): SettledInput | undefined {
  const { header, rawForm, twiceEncoded, contradicted } = reader
  if (rawForm === undefined || twiceEncoded !== undefined || contradicted !== undefined) return undefined
  return { sha256: reader.sha256(), bytes: staged.input.bytes, header, rawForm, records: counts.read }
}

interface How {
  readonly customFields: CustomFieldRules
  readonly orders: DateOrders
  /** What is settled may be passed over by its raw bytes. */
  readonly isAhead: boolean
}

/** What becomes of a row may depend on rows in other blocks, and what becomes of the file on all of its values. */
const readsAllRows = (
  { on_duplicate_key: onDuplicateKey }: PlanContext['pipeline'],
  expectation: Expectation | undefined,
): boolean => onDuplicateKey === 'union' || expectation?.needsRows === true

/** Why the file is not as its source's files are expected to be; undefined: it is. */
async function unexpectedOf(
  { expectation, counts, staged }: Reading,
  last: Accepted | undefined,
  { state }: PlanContext,
): Promise<Hold | undefined> {
  if (expectation === undefined) return undefined
  const { links } = await state.inputNumbers(staged)
  return expectation.verdict({ read: counts.read, links, last })
}

/** Of what records depend on beside their values and the mapping: the suppression list, and records of other pipelines. */
async function printOfOthers({ pipeline, suppression, runId }: PlanContext): Promise<string> {
  const list = await suppression?.now()
  const edition = list === undefined ? '' : ` suppression ${list.edition}`
  // A record that depends on others is compared by every run.
  return dependsOnOthers(pipeline.name, pipeline.owners) ? `${runId}${edition}` : edition
}

const newReading = (
  begun: Pick<
    Reading,
    | 'staged'
    | 'mapper'
    | 'context'
    | 'blocks'
    | 'rereadBy'
    | 'expectation'
    | 'corrections'
    | 'asked'
    | 'braked'
    | 'leftOut'
  >,
): Reading => ({
  ...begun,
  counts: noCounts(),
  held: heldCounter(),
  mended: new Map(),
  odd: new Map(),
  otherPersons: new Set(),
  otherwise: { records: 0, reason: undefined },
  several: { records: 0 },
  dropped: new Set(),
  waiting: new Set(),
  corrected: { fields: 0, ended: [] },
  passedOver: { withTerms: 0 },
})

/** What later inputs are compared with. */
const acceptedAs = (
  reader: InputReader,
  { counts }: Reading,
  { pipeline, clock }: PlanContext,
): Accepted => ({
  mode: pipeline.mode,
  records: counts.read,
  endsWithLineBreak: reader.endsWithLineBreak?.(),
  header: reader.header,
  at: clock.now(),
})

/** What became of values, in the tally and the log. */
function tellOfValues(reader: InputReader, reading: Reading, context: PlanContext): void {
  context.tally.leftOut.add(reading.leftOut.totals())
  warnAboutValues(reading, context)
  warnAboutOddities(reader, reading.staged.input, context)
}

/** Throws UnsureOfRecords where nothing must be passed over. */
async function readInput(
  { input, isLast, onRead }: Which,
  { customFields, orders, isAhead }: How,
  context: PlanContext,
): Promise<PlannedInput> {
  const { pipeline, state, runId } = context
  const last = await state.lastAccepted(pipeline.name)
  const how = {
    columns: wantedColumns(pipeline),
    optional: optionalColumns(pipeline),
    lastEndedWithLineBreak: last?.endsWithLineBreak === true,
    settled: isAhead ? await state.settledInput(pipeline.name, input.bytes) : undefined,
  }
  const open = () => context.source.open(input, how)
  const reader = await open()
  try {
    if (isAhead) warnAboutOpened(reader, input, context)
    const { header } = reader
    const mapper = unitedMapper(await mapperFor({ input, header, orders }, customFields, context), pipeline)
    const staged = await state.beginInput({ runId, pipeline: pipeline.name, input, header })
    const expectation = expectationOf(pipeline, header)
    const rules = pipeline.hash + customFields.print + printOfOrders(orders) + (await printOfOthers(context))
    const print = fingerprintContext(header, rules)
    const blocks = readsAllRows(pipeline, expectation)
      ? undefined
      : await startBlocks(reader, { staged, print, isAhead }, state)
    const reading = newReading({
      ...{ staged, mapper, context: print, blocks, rereadBy: rereadBy(reader), expectation },
      leftOut: context.tally.leftOut.part(),
      ...(await startBrake(context)),
      corrections: Map.groupBy(await state.openCorrections(pipeline.name), ({ key }) => key),
    })
    const isMended = () => reader.isSupplement?.() ?? false
    const isSupplement = () => input.isPart === true || isMended()
    const commit = async () => {
      await readAll({ reader, open, keyOf: mapper.keyOf }, reading, context)
      await reading.blocks?.flush(reading.counts)
      onRead?.(reader.sha256())
      await noteCorrections(reading, context)
      const isPart = isSupplement() || input.rejectsOf !== undefined
      const ofFile = isPart ? undefined : await unexpectedOf(reading, last, context)
      const unexpected = ofFile ?? otherwiseHold(reading.otherwise)
      const read = { ...reading, isSupplement: isSupplement(), unexpected }
      return commitPlan(read, { sha256: reader.sha256(), isLast }, context)
    }
    const { judged, isAccepted, likelySame } = await commit().catch(async (error: unknown) => {
      await state.discardInput(staged)
      throw error
    })
    tellOfValues(reader, reading, context)
    warnAboutLikelySame(input, likelySame, context)
    if (isMended())
      context.log.info('file of corrected rejects: treated as a supplement, not as a full export', {
        file: input.name,
      })
    const { counts } = reading
    return {
      staged,
      sha256: reader.sha256(),
      counts,
      judged,
      likelySame,
      isEmptyFull: pipeline.mode === 'full' && counts.read === 0 && !isSupplement(),
      accepted: isAccepted ? acceptedAs(reader, reading, context) : undefined,
      // Of an input that was recognised as a whole, everything is kept already.
      blocks: reader.settled === undefined ? reading.blocks?.kept(recognisable(reader, reading)) : undefined,
    }
  } finally {
    await reader.close()
  }
}
