// What a proposed configuration makes of the samples that it was made from: every record is mapped, and on request a plan is
// made against the service. Copies of the samples are in a temporary folder, so that nothing is taken from anywhere.
import { copyFile, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readSmallFile } from '../../config/text/read-text.ts'
import type { PlannedChange } from '../../core/change/plan/planned-change.ts'
import type { Plan } from '../../core/change/plan/plan.ts'
import { NO_CUSTOM_FIELDS } from '../../core/mapping/custom-fields.ts'
import { compileMapping, type Mapper, optionalColumns, wantedColumns } from '../../core/mapping/mapping.ts'
import type { SourceItem } from '../../core/mapping/record.ts'
import { unitedMapper } from '../../core/mapping/union.ts'
import { loadRuleKit } from '../../core/mapping/values/rule-kit.ts'
import type { Source, SourceInput } from '../../core/ports.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Log } from '../../log/log.ts'
import { createSource } from '../../sources/registry.ts'
import { ordersWithin } from '../../sync/plan/date-orders.ts'
import { systemClock as clock } from '../../system.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { loadConfiguration } from '../run/configuration.ts'
import { preview } from '../run/preview.ts'
import type { RunOptions } from '../run/run.ts'

export interface Tried {
  readonly mapped: number
  readonly skipped: number
  readonly rejected: number
  /** Values that were left out because they were invalid, by field. */
  readonly dropped: Readonly<Record<string, number>>
  /** Reasons for rejecting, without values, with how often each. */
  readonly reasons: Readonly<Record<string, number>>
}

/** The proposed text as settings. Throws CONFIG_INVALID where it does not load: that would be a bug. */
export async function proposedSettings(
  file: string,
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Settings> {
  const readFile = async (path: string): Promise<Uint8Array> =>
    path === file ? Buffer.from(text) : readSmallFile(path)
  const loaded = await loadConfiguration(file, env, { readFile })
  if (!loaded.ok) throw new SyncError('CONFIG_INVALID', loaded.problems.join('; '))
  return loaded.settings
}

/** The sample's own name; with its place in front where two have the same. */
function copyName(files: readonly string[], index: number): string {
  const names = files.map((file) => basename(file))
  const name = names[index] ?? ''
  return names.indexOf(name) === names.lastIndexOf(name)
    ? name
    : `${String(index + 1).padStart(3, '0')}-${name}`
}

/** Does something with the pipeline, whose inbox holds copies of the samples. */
async function withSamples<T>(
  pipeline: PipelineSettings,
  files: readonly string[],
  use: (pipeline: PipelineSettings) => Promise<T>,
): Promise<T> {
  const folder = await temporaryFolder('init')
  try {
    for (const [index, file] of files.entries()) await copyFile(file, join(folder, copyName(files, index)))
    const source = { ...pipeline.source, folder, files: ['*'], settle: 0 }
    return await use({ ...pipeline, source })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const NOTHING: Tried = { mapped: 0, skipped: 0, rejected: 0, dropped: {}, reasons: {} }

const counted = (
  counts: Readonly<Record<string, number>>,
  names: readonly string[],
): Record<string, number> =>
  names.reduce<Record<string, number>>((all, name) => ({ ...all, [name]: (all[name] ?? 0) + 1 }), {
    ...counts,
  })

/** What one row becomes, counted with those before it. */
function withItem(before: Tried, item: SourceItem, mapper: Mapper): Tried {
  const refused = (reason: string): Tried => ({
    ...before,
    rejected: before.rejected + 1,
    reasons: counted(before.reasons, [reason]),
  })
  if (item.kind === 'defect') return refused(item.message)
  const made = mapper.map(item)
  if (made.kind === 'skipped') return { ...before, skipped: before.skipped + 1 }
  if (made.kind === 'rejected') return refused(made.plain ?? made.reason)
  return { ...before, mapped: before.mapped + 1, dropped: counted(before.dropped, made.mended) }
}

async function tryInput(
  input: SourceInput,
  source: Source,
  pipeline: PipelineSettings,
  before: Tried,
): Promise<Tried> {
  const orders = await ordersWithin(input, {}, { source, pipeline, customFields: NO_CUSTOM_FIELDS })
  const kit = await loadRuleKit(pipeline, { writtenAt: input.writtenAt ?? clock.now(), orders })
  const reader = await source.open(input, {
    columns: wantedColumns(pipeline),
    optional: optionalColumns(pipeline),
  })
  let tried = before
  try {
    const mapper = unitedMapper(compileMapping(pipeline, reader.header, NO_CUSTOM_FIELDS, kit), pipeline)
    for await (const batch of reader.batches())
      for (const item of batch) tried = withItem(tried, item, mapper)
    return tried
  } finally {
    await reader.close()
  }
}

/** Maps every record of the samples. */
export function tryMapping(pipeline: PipelineSettings, files: readonly string[]): Promise<Tried> {
  return withSamples(pipeline, files, async (trial) => {
    const source = createSource(trial.source, { clock })
    const { ready } = await source.list({ wait: true })
    let tried = NOTHING
    for (const input of ready) tried = await tryInput(input, source, trial, tried)
    return tried
  })
}

/** The plan that a run of the samples would have. */
export function planSamples(
  settings: Settings,
  pipeline: PipelineSettings,
  {
    files,
    change,
    ...options
  }: Omit<RunOptions, 'wait'> & {
    readonly log: Log
    readonly files: readonly string[]
    change(change: PlannedChange): void
  },
): Promise<Plan> {
  return withSamples(pipeline, files, async (trial) => {
    const changes = preview(settings, trial, { ...options, wait: true })
    for (;;) {
      const { done, value } = await changes.next()
      if (done === true) return value
      change(value)
    }
  })
}
