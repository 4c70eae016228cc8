// What `date: auto` has concluded about a pipeline's columns, forgotten by an operator's word. Part of the composition.
import { planEntry } from '../../core/log/other-entries.ts'
import type { DateOrders } from '../../core/mapping/values/dates/date-order.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Desk } from '../run/desk.ts'

const nothingKept = (pipeline: string, column: string | undefined, kept: DateOrders): SyncError => {
  const columns = Object.keys(kept)
  const of = column === undefined ? '' : ` for the column "${column}"`
  return new SyncError('USAGE', `no order of day and month is kept${of} in the pipeline ${pipeline}`, {
    hint: columns.length === 0 ? 'No column has one.' : `Kept for: ${columns.join(', ')}`,
  })
}

/** What is meant: the orders of one column, or of all. */
interface KeptOrders {
  readonly pipeline: string
  readonly column?: string | undefined
}

/** Removes the orders, so that the next file proves its own; gives those that were removed. Throws USAGE where none is kept. */
export async function forgetDateOrders(desk: Desk, { pipeline, column }: KeptOrders): Promise<DateOrders> {
  const { state } = desk
  const kept = await state.dateOrders(pipeline)
  const isMeant = (name: string): boolean => column === undefined || name === column
  const part = (wanted: boolean): DateOrders =>
    Object.fromEntries(Object.entries(kept).filter(([name]) => isMeant(name) === wanted))
  const removed = part(true)
  if (Object.keys(removed).length === 0) throw nothingKept(pipeline, column, kept)
  desk.ask(removed)
  const effect = { do: 'keep_date_orders', pipeline, orders: part(false) } as const
  const reason = `the order of day and month is forgotten for: ${Object.keys(removed).join(', ')}`
  await desk.conclude([effect], [planEntry({ action: 'forget_order', reason }, desk.about(pipeline))])
  return removed
}
