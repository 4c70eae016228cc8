// `state move`: from the file to a server, or back. The process is alone with both meanwhile.
import { resolve } from 'node:path'
import { type MovedState, type MovedTable, moveTo, spoolLeft, targetOf } from '../../app/state-moving.ts'
import { number, plural } from '../../core/words/format.ts'
import { serverPlace, type StatePlace, stateText } from '../../core/state-place.ts'
import { systemClock as clock } from '../../system.ts'
import { confirm } from '../confirm.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'

interface MoveOptions extends CommonOptions {
  readonly to?: string
  readonly yes?: boolean
}

const rowsOf = (tables: readonly MovedTable[], name: string): number =>
  tables.find((table) => table.name === name)?.rows ?? 0

const amountText = (tables: readonly MovedTable[]): string =>
  `${plural(rowsOf(tables, 'link'), 'link')}, ${plural(rowsOf(tables, 'audit'), 'entry', 'entries')} of the sync log, ${number(tables.reduce((sum, { rows }) => sum + rows, 0))} rows in all`

/** What has to be changed in the configuration now: the path there is one for all accounts, each file is named after its own. */
const nextText = (to: StatePlace, path: string): string =>
  serverPlace(to) === undefined
    ? `state: { path: ${path} }, without url`
    : 'state: { url: "${DATABASE_URL}" }, beside path, which stays as it is'

function movedText(
  { tables, mark, aside, isResumed }: MovedState,
  { from, to, path }: { readonly from: string; readonly to: StatePlace; readonly path: string },
  spool: ReturnType<typeof spoolLeft>,
): string[] {
  const what = isResumed
    ? 'The move that was interrupted is complete.'
    : `Moved from ${from} to ${stateText(to)}: ${amountText(tables)}, each table read back and the same.`
  return [
    what,
    `The former state was put aside ${isResumed ? aside : `as ${aside}`}: no command uses it any more. Remove it once you no longer want to go back.`,
    `Sync log: ${plural(mark.entries, 'entry', 'entries')}, head ${mark.hash}`,
    ...spool.map(
      ([before, after]) =>
        `What was fetched and not read to its end stays in ${before}: move it to ${after} before the next run.`,
    ),
    `Now change the configuration: ${nextText(to, path)}. Until then no run begins. Then: contact-sync audit verify`,
  ]
}

export async function move(io: Io, options: MoveOptions): Promise<number> {
  const settings = await commandSettings(io, options)
  const to = targetOf(options.to, settings, io.cwd)
  const from = stateText(settings.state)
  const moved = await moveTo(to, settings, {
    pid: io.pid,
    now: clock.now(),
    confirm: (tables) =>
      confirm(io, `Move ${amountText(tables)} from ${from} to ${stateText(to)}?`, options.yes === true),
  })
  const spool = spoolLeft(to, settings)
  // What the window of the rate limit holds is not carried over: it is empty after so long.
  await clock.sleep(Math.min(settings.service.rate_limit.per, 60_000), io.signal)
  if (options.json === true)
    printJson(io, {
      from,
      to: stateText(to),
      aside: moved.aside,
      resumed: moved.isResumed,
      tables: Object.fromEntries(moved.tables.map(({ name, rows }) => [name, rows])),
      spool: spool.map(([before, after]) => ({ from: before, to: after })),
      sync_log: { entries: moved.mark.entries, hash: moved.mark.hash },
    })
  else print(io, movedText(moved, { from, to, path: resolve(io.cwd, options.to ?? '') }, spool))
  return 0
}
