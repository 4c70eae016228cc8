// Pipelines that the state knows and the configuration does not; renaming one, and giving one up, by an operator's word.
// Part of the composition. Both change the state alone: nothing is sent.
import { existsSync, renameSync, rmSync } from 'node:fs'
import { spoolFolder } from '../../config/spool-folder.ts'
import { planEntry } from '../../core/log/other-entries.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Settings } from '../../core/settings.ts'
import { orphansAmong, type PipelineRows, readKnownPipelines } from '../../store/pipelines.ts'
import type { Desk } from '../run/desk.ts'

const isConfigured = ({ pipelines }: Settings, name: string): boolean =>
  pipelines.some((pipeline) => pipeline.name === name)

/** By name; none where there is no state yet. */
export const orphans = (settings: Settings): readonly string[] =>
  orphansAmong(readKnownPipelines(settings.state), settings)

const unknown = (name: string, known: readonly string[]): SyncError =>
  new SyncError('USAGE', `the state has no pipeline ${name}`, {
    hint: known.length === 0 ? 'It has none.' : `It has: ${known.join(', ')}`,
  })

function assertRenamable(settings: Settings, { from, to }: { from: string; to: string }): void {
  if (isConfigured(settings, from))
    throw new SyncError('USAGE', `the pipeline ${from} is still configured under this name`, {
      hint: `Rename it to ${to} in the configuration first, then run this again.`,
    })
  if (!isConfigured(settings, to))
    throw new SyncError('USAGE', `the configuration has no pipeline ${to}`, {
      hint: `Rename ${from} to ${to} in the configuration first, then run this again.`,
    })
}

/** What was fetched for it goes with it: rows in it may be explained, tried again or erased. */
function moveSpool({ state: { path } }: Settings, { from, to }: { from: string; to: string }): void {
  const [before, after] = [spoolFolder(path, from), spoolFolder(path, to)]
  if (!existsSync(before)) return
  if (existsSync(after))
    throw new SyncError('USAGE', `${after} already holds files that were fetched for ${to}`, {
      hint: `Move these files away, then run this again: it puts those of ${from} in their place.`,
    })
  renameSync(before, after)
}

export interface Renamed extends PipelineRows {
  readonly from: string
  readonly to: string
}

/**
 * Carries all that the state has of the pipeline over to its new name. Throws USAGE where the configuration does not fit, or
 * the state has links, open changes or doubts of the new name already. No run is active.
 */
export function renamePipeline(desk: Desk, { from, to }: { from: string; to: string }): Promise<Renamed> {
  const { settings } = desk
  const { pipelines } = desk.state
  assertRenamable(settings, { from, to })
  const known = pipelines.known()
  if (!known.includes(from)) throw unknown(from, known)
  // Rejects are no records: those of both are listed afterwards.
  const own = pipelines.rows(to)
  if (own.links + own.inDoubt + own.open > 0)
    throw new SyncError('USAGE', `the state has a pipeline ${to} already, with ${own.links} links`, {
      hint: `Two pipelines cannot be merged. Give ${from} another name, or take ${to} out of the configuration and drop it: contact-sync state drop-pipeline ${to}`,
    })
  const rows = pipelines.rows(from)
  const reason = `the pipeline ${from} is now called ${to}: ${rows.links} links`
  moveSpool(settings, { from, to })
  pipelines.rename({ from, to }, planEntry({ action: 'rename', reason }, desk.about(to)))
  return Promise.resolve({ from, to, ...rows })
}

/**
 * Removes what the state has of a pipeline that is no longer configured; its contacts stay as they are. Throws USAGE where it
 * is configured, or anything of it is in doubt. No run is active.
 */
export function dropPipeline(desk: Desk, { name }: { name: string }): Promise<PipelineRows> {
  const { settings } = desk
  const { pipelines } = desk.state
  if (isConfigured(settings, name))
    throw new SyncError(
      'USAGE',
      `the pipeline ${name} is configured: its next run would search for its contacts again`,
      {
        hint: 'Remove it from the configuration first, then run this again.',
      },
    )
  const known = pipelines.known()
  if (!known.includes(name)) throw unknown(name, known)
  const rows = pipelines.rows(name)
  if (rows.inDoubt > 0)
    throw new SyncError(
      'USAGE',
      `the pipeline ${name} has ${rows.inDoubt} operations in doubt, which would never be looked up`,
      {
        hint: `Put it back into the configuration and settle them first: contact-sync run ${name}, or contact-sync doubts resolve.`,
      },
    )
  desk.ask(rows)
  const reason = `the pipeline ${name} was dropped: ${rows.links} links, ${rows.open} open changes and ${rows.rejects} rejects were removed; contacts stay`
  rmSync(spoolFolder(settings.state.path, name), { recursive: true, force: true })
  pipelines.drop(name, planEntry({ action: 'drop', reason }, desk.about(name)))
  return Promise.resolve(rows)
}
