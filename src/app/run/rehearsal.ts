// `rehearse`: processed files under two configurations. Part of the composition: it opens the files, and a state for reading
// where there is one; nothing is written, and no client of the service is made.
import { type RehearsalTotals, rehearsalCounter } from '../../core/change/plan/rehearsal.ts'
import { ownTermNames } from '../../core/mapping/terms.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { StateStore } from '../../core/state-store.ts'
import { type ErrorCode, SyncError } from '../../core/words/errors.ts'
import { processedFolder, processedInputs, sourceOver } from '../../sources/processed.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { seenRules } from '../../sync/definitions.ts'
import { knownOrders } from '../../sync/plan/date-orders.ts'
import { rehearseFile, type RehearsedSide } from '../../sync/plan/rehearse.ts'
import { systemClock as clock } from '../../system.ts'

/** A file that could not be read under one of the configurations; null: it could. */
interface UnreadFile {
  readonly file: string
  readonly before: ErrorCode | null
  readonly after: ErrorCode | null
}

/** new, removed: the pipeline is in one of the configurations alone. no_files: there is nothing to compare it by. */
export type RehearsalStatus = 'compared' | 'no_files' | 'new' | 'removed'

export interface PipelineRehearsal extends RehearsalTotals {
  readonly pipeline: string
  readonly status: RehearsalStatus
  /** Names of the files that were compared, oldest first. */
  readonly files: readonly string[]
  readonly unread: readonly UnreadFile[]
  /** Custom fields that no run has seen: not compared. */
  readonly unknownFields: readonly string[]
  /** Names of terms that either configuration assigns to all records, so that they identify no person. */
  readonly ownTerms: readonly string[]
  /** Settings that are not the same and that no record shows. */
  readonly settings: readonly string[]
}

export interface RehearsalOptions {
  /** So many files of each pipeline. */
  readonly files: number
  readonly signal: AbortSignal
  /** Told how many records of a pipeline were compared. */
  report(records: number): void
}

const NO_STATE: Pick<StateStore, 'seenDefinitions' | 'dateOrders' | 'termAliases'> = {
  seenDefinitions: () => Promise.resolve([]),
  dateOrders: () => Promise.resolve({}),
  termAliases: () => Promise.resolve(new Map()),
}

/** What compared records show anyway, or what is irrelevant. */
const SHOWN = new Set(['name', 'hash', 'map', 'custom_fields', 'tests', 'key', 'where', 'skip_without'])

function otherSettings(before: PipelineSettings, after: PipelineSettings): readonly string[] {
  const unshown = ({ terms: { assign: _, ...terms }, ...pipeline }: PipelineSettings) =>
    ({ ...pipeline, terms }) as Record<string, unknown>
  const [was, is] = [unshown(before), unshown(after)]
  const isOther = (name: string): boolean =>
    JSON.stringify(was[name] ?? null) !== JSON.stringify(is[name] ?? null)
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((name) => !SHOWN.has(name) && isOther(name))
    .sort()
}

/** The pipeline under both configurations. */
interface Both {
  readonly before: PipelineSettings
  readonly after: PipelineSettings
}

interface Rehearsing {
  readonly both: Both
  readonly folder: string
  /** `service.custom_field_key` under each. */
  readonly keys: { readonly before: string; readonly after: string }
  readonly state: typeof NO_STATE
  readonly options: RehearsalOptions
}

const nothing = (pipeline: string, status: RehearsalStatus): PipelineRehearsal => ({
  ...{ pipeline, status, files: [], unread: [], unknownFields: [], ownTerms: [], settings: [] },
  ...rehearsalCounter().totals(),
})

async function sideOf(which: keyof Both, { both, folder, keys, state, options }: Rehearsing) {
  const pipeline = both[which]
  const seen = await state.seenDefinitions(pipeline.name)
  const { lacking, ...customFields } = seenRules({ pipeline, customFieldKey: keys[which] }, seen)
  const orders = await knownOrders({ pipeline, state })
  const source = sourceOver(folder, pipeline.source, { clock })
  const side: RehearsedSide = { pipeline, source, customFields, orders, state, clock, signal: options.signal }
  return { side, lacking }
}

function assertGoesOn({ aborted }: AbortSignal): void {
  if (aborted)
    throw new SyncError('USAGE', 'stopped before everything was compared', { hint: 'Nothing was changed.' })
}

async function rehearsePipeline(rehearsing: Rehearsing): Promise<PipelineRehearsal> {
  const { both, folder, options } = rehearsing
  const { name, source } = both.before
  const inputs = await processedInputs(folder, source, { limit: options.files, clock })
  const settings = otherSettings(both.before, both.after)
  if (inputs.length === 0) return { ...nothing(name, 'no_files'), settings }
  const [before, after] = [await sideOf('before', rehearsing), await sideOf('after', rehearsing)]
  const sides = { before: before.side, after: after.side }
  const counter = rehearsalCounter()
  const unread: UnreadFile[] = []
  let records = 0
  for (const input of inputs) {
    const faults = await rehearseFile(input, sides, (pairs) => {
      assertGoesOn(options.signal)
      pairs.forEach((pair) => counter.add(pair))
      options.report((records += pairs.length))
    })
    if (faults.before !== null || faults.after !== null) unread.push({ file: input.name, ...faults })
  }
  return {
    pipeline: name,
    status: 'compared',
    files: inputs.map((input) => input.name),
    unread,
    unknownFields: [...new Set([...before.lacking, ...after.lacking])],
    ownTerms: [...ownTermNames(both.before), ...ownTermNames(both.after)],
    settings,
    ...counter.totals(),
  }
}

/** Each pipeline of either configuration, in the order of the old one, then of the new one. */
export async function rehearse(
  before: Settings,
  after: Settings,
  options: RehearsalOptions,
): Promise<readonly PipelineRehearsal[]> {
  const state = openStateForReading(before.state)
  const keys = { before: before.service.custom_field_key, after: after.service.custom_field_key }
  const rehearsals: PipelineRehearsal[] = []
  try {
    for (const pipeline of before.pipelines) {
      const its = after.pipelines.find(({ name }) => name === pipeline.name)
      const folder = processedFolder(pipeline.source)
      if (its === undefined) rehearsals.push(nothing(pipeline.name, 'removed'))
      else if (folder === undefined) rehearsals.push(nothing(pipeline.name, 'no_files'))
      else {
        const both = { before: pipeline, after: its }
        rehearsals.push(await rehearsePipeline({ both, folder, keys, state: state ?? NO_STATE, options }))
      }
    }
    const isNew = ({ name }: PipelineSettings) => !before.pipelines.some((one) => one.name === name)
    return [...rehearsals, ...after.pipelines.filter(isNew).map(({ name }) => nothing(name, 'new'))]
  } finally {
    await state?.close()
  }
}
