// `state rename-pipeline` and `state drop-pipeline`: what becomes of the state when the configuration names a pipeline
// otherwise, or no longer; and `state forget-date-order`, when its source writes dates otherwise.
import { forgetDateOrders } from '../../app/people/date-orders.ts'
import { dropPipeline, renamePipeline } from '../../app/people/pipelines.ts'
import type { DateOrders } from '../../core/mapping/values/date-order.ts'
import { SyncError } from '../../core/words/errors.ts'
import { confirm } from '../confirm.ts'
import { plural } from '../../core/words/format.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
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

export async function rename(io: Io, options: CommonOptions, [from, to]: string[]): Promise<number> {
  if (from === undefined || to === undefined)
    throw new SyncError('USAGE', 'state rename-pipeline needs the old and the new name')
  const settings = await commandSettings(io, options)
  const renamed = await renamePipeline(settings, { from, to }, io.pid)
  if (options.json === true) printJson(io, { from, to, ...rowsJson(renamed) })
  else print(io, `${from} is now called ${to}: ${rowsText(renamed)}.`)
  return 0
}

interface ConfirmedOptions extends CommonOptions {
  readonly yes?: boolean
}

export async function drop(io: Io, options: ConfirmedOptions, [name]: string[]): Promise<number> {
  if (name === undefined) throw new SyncError('USAGE', 'state drop-pipeline needs the name of a pipeline')
  const settings = await commandSettings(io, options)
  const rows = await dropPipeline(settings, name, {
    pid: io.pid,
    confirm: (there) =>
      confirm(
        io,
        `Drop ${name}: ${rowsText(there)}? Its contacts stay at the service unchanged; this cannot be undone.`,
        options.yes === true,
      ),
  })
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
  const orders = await forgetDateOrders(
    settings,
    { pipeline, column },
    {
      pid: io.pid,
      confirm: (kept) =>
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
