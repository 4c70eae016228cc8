// `state rename-pipeline` and `state drop-pipeline`: what becomes of the state when the configuration names a pipeline
// otherwise, or no longer; and `state forget-date-order`, when its source writes dates otherwise.
import type { DateOrders } from '../../core/mapping/values/dates/date-order.ts'
import { SyncError } from '../../core/words/errors.ts'
import { confirm } from '../confirm.ts'
import { plural } from '../../core/words/format.ts'
import type { DecidingOptions } from '../decided-by.ts'
import { decided } from '../deciding.ts'
import { type Io, print, printJson } from '../io.ts'
import { chosenPipelines, commandSettings } from '../settings.ts'

interface Rows {
  readonly links: number
  readonly open: number
  readonly inDoubt: number
  readonly rejects: number
  readonly runs: number
}

const rowsText = ({ links, open, rejects, runs }: Rows): string =>
  [plural(links, 'link'), plural(open, 'open change'), plural(rejects, 'reject'), plural(runs, 'run')].join(
    ', ',
  )

const rowsJson = ({ links, open, inDoubt, rejects, runs }: Rows) => ({
  links,
  open,
  in_doubt: inDoubt,
  rejects,
  runs,
})

export async function rename(io: Io, options: DecidingOptions, [from, to]: string[]): Promise<number> {
  if (from === undefined || to === undefined)
    throw new SyncError('USAGE', 'state rename-pipeline needs the old and the new name')
  const settings = await commandSettings(io, options)
  const renamed = await decided(
    { io, options, settings },
    { kind: 'state rename-pipeline', args: { from, to } },
  )
  if (options.json === true) printJson(io, { from, to, ...rowsJson(renamed) })
  else print(io, `${from} is now called ${to}: ${rowsText(renamed)}.`)
  return 0
}

interface ConfirmedOptions extends DecidingOptions {
  readonly yes?: boolean
}

export async function drop(io: Io, options: ConfirmedOptions, [name]: string[]): Promise<number> {
  if (name === undefined) throw new SyncError('USAGE', 'state drop-pipeline needs the name of a pipeline')
  const settings = await commandSettings(io, options)
  const rows = await decided(
    { io, options, settings },
    {
      kind: 'state drop-pipeline',
      args: { name },
      confirm: (there: Rows) =>
        confirm(
          io,
          `Drop ${name}: ${rowsText(there)}? Its contacts stay at the service unchanged; this cannot be undone.`,
          options.yes === true,
        ),
    },
  )
  if (options.json === true) printJson(io, { pipeline: name, ...rowsJson(rows) })
  else print(io, `${name} is dropped:  ${rowsText(rows)}. Its contacts stay unchanged.`)
  return 0
}

/** `Birthday: day first in dates with /` */
const ordersText = (orders: DateOrders): string =>
  Object.entries(orders)
    .map(([column, marks]) => {
      const each = Object.entries(marks).map(([mark, order]) => `${order} first in dates with ${mark}`)
      return `${column}: ${each.join(', ')}`
    })
    .join('; ')

export async function forgetDateOrder(
  io: Io,
  options: ConfirmedOptions,
  [name, column]: string[],
): Promise<number> {
  const settings = await commandSettings(io, options)
  const [pipeline] = name === undefined ? [] : chosenPipelines(settings, [name])
  if (pipeline === undefined)
    throw new SyncError('USAGE', 'state forget-date-order needs the name of a pipeline')
  const orders = await decided(
    { io, options, settings },
    {
      kind: 'state forget-date-order',
      args: { pipeline: pipeline.name, column },
      confirm: (kept: DateOrders) =>
        confirm(
          io,
          `Forget for ${pipeline.name}: ${ordersText(kept)}? The next file proves its own order.`,
          options.yes === true,
        ),
    },
  )
  if (options.json === true) printJson(io, { pipeline: pipeline.name, forgotten: orders })
  else print(io, `${pipeline.name}: forgotten: ${ordersText(orders)}. The next file proves its own order.`)
  return 0
}
