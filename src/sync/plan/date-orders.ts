// `date: auto`: what a whole input proves about the order of day and month, found in a separate pass before the records
// are mapped. Only a pipeline that asks for it pays for it.
import type { CustomFieldRules } from '../../core/mapping/custom-fields.ts'
import { compileMapping, optionalColumns, wantedColumns } from '../../core/mapping/mapping.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import {
  createOrderEvidence,
  type DateOrders,
  type DateOrderStore,
  type OrderEvidence,
} from '../../core/mapping/values/dates/date-order.ts'
import { asksForOrders, loadRuleKit, witnessing } from '../../core/mapping/values/rule-kit.ts'
import type { Source, SourceInput } from '../../core/ports.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { inputError, SyncError } from '../../core/words/errors.ts'
import { type PlanContext, stoppedWhileReading } from '../context.ts'

interface Whole {
  readonly source: Pick<Source, 'open'>
  readonly pipeline: PipelineSettings
  readonly customFields: CustomFieldRules
  /** Whether the reading is to end before it is complete. */
  isStopped?(): boolean
}

/** Maps all records of the input for what their dates prove, and for nothing else. */
async function evidenceIn(input: SourceInput, whole: Whole): Promise<OrderEvidence> {
  const { source, pipeline, customFields } = whole
  const evidence = createOrderEvidence()
  const reader = await source.open(input, {
    columns: wantedColumns(pipeline),
    optional: optionalColumns(pipeline),
  })
  try {
    const kit = witnessing(await loadRuleKit(pipeline, { writtenAt: 0 }), evidence)
    const mapper = compileMapping(pipeline, reader.header, customFields, kit)
    const look = (item: SourceItem): void => {
      evidence.onLine(item.line)
      if (item.kind === 'record') mapper.map(item)
    }
    for await (const batch of reader.batches()) {
      if (whole.isStopped?.() === true) throw stoppedWhileReading()
      batch.forEach(look)
    }
    return evidence
  } finally {
    await reader.close()
  }
}

/**
 * The orders by which the dates of an input are read: those that were proved before, and those that it proves itself.
 * Throws INPUT_DATE_ORDER where they contradict each other.
 */
export async function ordersWithin(input: SourceInput, known: DateOrders, whole: Whole): Promise<DateOrders> {
  if (!asksForOrders(whole.pipeline)) return {}
  const proved = (await evidenceIn(input, whole)).ordersWith(known)
  if ('contradiction' in proved) throw new SyncError('INPUT_DATE_ORDER', proved.contradiction)
  return proved.orders
}

/** As runs would know them after these inputs, the oldest first. One that contradicts what is known proves nothing. */
export async function ordersAcross(
  inputs: readonly SourceInput[],
  known: DateOrders,
  whole: Whole,
): Promise<DateOrders> {
  let orders = known
  for (const input of inputs)
    try {
      orders = await ordersWithin(input, orders, whole)
    } catch (error) {
      if (inputError(error) === undefined) throw error
    }
  return orders
}

type Kept = Pick<PlanContext, 'pipeline' | 'state'>

/** What the pipeline's columns have proved so far. */
export const knownOrders = async ({
  pipeline,
  state,
}: Pick<Kept, 'pipeline'> & { readonly state: Pick<DateOrderStore, 'dateOrders'> }): Promise<DateOrders> =>
  asksForOrders(pipeline) ? state.dateOrders(pipeline.name) : {}

/** Of an input that was taken. */
export async function keepOrders(orders: DateOrders, { pipeline, state }: Kept): Promise<void> {
  if (asksForOrders(pipeline)) await state.keepDateOrders(pipeline.name, orders)
}

/** For the fingerprints: a record that was mapped under other orders is mapped again. */
export const printOfOrders = (orders: DateOrders): string =>
  Object.keys(orders).length === 0 ? '' : JSON.stringify(orders)
