// `state info` and `state backup`: the state as a file. Both work beside a running daemon, in the midst of a run.
import { EXIT } from '../../core/words/exit-codes.ts'
import { resolve } from 'node:path'
import { backupState } from '../../store/file/backup.ts'
import { stateInfo } from '../../store/info.ts'
import { serverPlace, stateText } from '../../core/state-place.ts'
import { systemClock as clock } from '../../system.ts'
import { SyncError } from '../../core/words/errors.ts'
import { bytesText, momentText, number, plural } from '../../core/words/format.ts'
import { type CommonOptions, type Io, print, printError, printJson } from '../io.ts'
import { commandSettings } from '../settings.ts'
import { workersJson, workerText } from '../status-text.ts'

type Info = Extract<Awaited<ReturnType<typeof stateInfo>>, { mark: object }>

const infoJson = (path: string, info: Info) => ({
  path,
  exists: true,
  bytes: info.bytes,
  wal_bytes: info.walBytes,
  schema: info.schema,
  application_id: info.applicationId,
  instance: info.mark.instance,
  service: info.service ?? null,
  owner:
    info.owner === undefined
      ? null
      : { pid: info.owner.pid, since: new Date(info.owner.since).toISOString() },
  integrity: info.integrity,
  ...(info.workers.length === 0 ? {} : { workers: workersJson(info.workers) }),
  pipelines: info.pipelines.map(({ inDoubt, onItsWay, retriable, ...counts }) => ({
    ...counts,
    in_doubt: inDoubt,
    on_its_way: onItsWay,
    to_be_tried_again: retriable,
  })),
  sync_log: { entries: info.mark.entries, hash: info.mark.hash },
  runs: info.mark.runs,
  last_run: info.mark.lastRun,
  marked: info.isMarked,
  doubt: info.doubt ?? null,
})

function infoText(path: string, info: Info): readonly string[] {
  const { mark, owner, integrity, doubt } = info
  const last = mark.lastRun === null ? '' : `, the last began ${momentText(Date.parse(mark.lastRun))}`
  const pipelines = info.pipelines.map(
    ({ pipeline, linked, rejects, held, inDoubt, retriable }) =>
      `  ${pipeline}: ${number(linked)} linked, ${plural(rejects, 'reject')}, ${number(held)} held, ${number(inDoubt)} in doubt, ${number(retriable)} to be tried again`,
  )
  return [
    path,
    `  ${bytesText(info.bytes)}, and ${bytesText(info.walBytes)} not yet merged into it; schema ${info.schema}, instance ${mark.instance}`,
    info.service === undefined ? '  not bound to a service yet' : `  belongs to the service ${info.service}`,
    ...(info.workers.length > 0
      ? info.workers.map((one) => `  ${workerText(one)}`)
      : [
          owner === undefined
            ? '  not held by a process'
            : `  held by process ${owner.pid} since ${momentText(owner.since)}`,
        ]),
    `  integrity: ${integrity}`,
    `  ${plural(mark.runs, 'run')}${last}`,
    `  sync log: ${plural(mark.entries, 'entry', 'entries')}, head ${mark.hash}`,
    ...pipelines,
    ...(doubt === undefined ? [] : [`  STATE_OLDER: the state ${doubt}`]),
  ]
}

/** Ends with 1 where the state is damaged, lost, or not the latest. */
export async function info(io: Io, options: CommonOptions): Promise<number> {
  const place = (await commandSettings(io, options)).state
  const path = stateText(place)
  const found = await stateInfo(place, clock.now())
  if (found.mark === undefined) {
    const lost = found.doubt
    if (options.json === true) printJson(io, { path, exists: false, doubt: lost ?? null })
    else
      print(
        io,
        lost === undefined ? `there is no state ${path} yet` : `STATE_OLDER: the state ${path} ${lost}`,
      )
    return lost === undefined ? EXIT.done : EXIT.fault
  }
  if (options.json === true) printJson(io, infoJson(path, found))
  else print(io, infoText(path, found))
  return found.integrity === 'ok' && found.doubt === undefined ? EXIT.done : EXIT.fault
}

export async function backup(io: Io, options: CommonOptions, [name]: string[]): Promise<number> {
  if (name === undefined) throw new SyncError('USAGE', 'state backup needs the name of the file to write')
  const place = (await commandSettings(io, options)).state
  const server = serverPlace(place)
  if (server !== undefined)
    throw new SyncError('USAGE', `the state ${stateText(place)} is not a file`, {
      hint: `Back it up by the means of the server: pg_dump -Fc -n '${server.schema}', or its continuous archive. See "Backup" in state/SERVER.md.`,
    })
  const { path } = place
  const file = resolve(io.cwd, name)
  const { bytes: size, links, mark } = await backupState(path, file, { at: clock.now(), signal: io.signal })
  const { entries, hash, instance, runs } = mark
  if (options.json === true)
    printJson(io, { file, bytes: size, instance, runs, links, sync_log: { entries, hash } })
  else
    printError(
      io,
      `${file}: ${bytesText(size)}, read back and intact: ${plural(links, 'link')}, ${plural(runs, 'run')}, ${plural(entries, 'entry', 'entries')} in the sync log, head ${hash}`,
    )
  return 0
}
