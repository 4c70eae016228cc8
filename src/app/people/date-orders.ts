// What `date: auto` has concluded about a pipeline's columns, forgotten by an operator's word. Part of the composition.
import { planEntry } from '../../core/log/audit.ts'
import type { DateOrders } from '../../core/mapping/values/date-order.ts'
import { SyncError } from '../../core/words/errors.ts'
import { runId } from '../../core/words/run-id.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'
import { asOwner } from '../run/as-owner.ts'

const nothingKept = (pipeline: string, column: string | undefined, kept: DateOrders): SyncError => {
  const columns = Object.keys(kept)
  const of = column === undefined ? '' : ` for the column "${column}"`
  return new SyncError('USAGE', `no order of day and month is kept${of} in the pipeline ${pipeline}`, {
    hint: columns.length === 0 ? 'No column has one.' : `Kept for: ${columns.join(', ')}`,
  })
}

/** What is meant: the orders of one column, or of all. */
export interface KeptOrders {
  readonly pipeline: PipelineSettings
  readonly column: string | undefined
}

/**
 * Removes the orders, so that the next file proves its own; gives those that were removed. Throws USAGE where none is kept,
 * STATE_LOCKED beside a daemon. `confirm` is asked before; it throws.
 */
export function forgetDateOrders(
  settings: Settings,
  { pipeline, column }: KeptOrders,
  { pid, confirm }: { pid: number; confirm(orders: DateOrders): Promise<void> },
): Promise<DateOrders> {
  return asOwner(settings, pid, async (state) => {
    const kept = await state.dateOrders(pipeline.name)
    const isMeant = (name: string): boolean => column === undefined || name === column
    const part = (wanted: boolean): DateOrders =>
      Object.fromEntries(Object.entries(kept).filter(([name]) => isMeant(name) === wanted))
    const removed = part(true)
    if (Object.keys(removed).length === 0) throw nothingKept(pipeline.name, column, kept)
    await confirm(removed)
    await state.keepDateOrders(pipeline.name, part(false))
    const at = clock.now()
    const reason = `the order of day and month is forgotten for: ${Object.keys(removed).join(', ')}`
    const about = { at, runId: runId(at, random), pipeline: pipeline.name, configHash: pipeline.hash }
    await state.note(planEntry({ action: 'forget_order', reason }, about))
    return removed
  })
}
