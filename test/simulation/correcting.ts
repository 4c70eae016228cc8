// A person sets values right between two runs: they hold over every later export, until the source says something else than it
// said then.
import { SyncError } from '../../src/core/words/errors.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { cell, readingOf } from './expected.ts'
import { HEADER, personIn } from './people.ts'
import { FIELD_COLUMNS } from './setup.ts'
import type { SimulatedFile, SimulatedSource } from './simulated-source.ts'
import type { World } from './world.ts'

export interface Corrected {
  readonly pipeline: string
  readonly key: string
  readonly field: Field
  readonly value: string
  /** How many files of the pipeline had been opened. */
  readonly opened: number
  isDropped: boolean
}

const FIELDS = ['phone', 'first_name', 'ba_city'] as const
type Field = (typeof FIELDS)[number]

const keyColumn = ({ key }: PipelineSettings): string => (key === undefined ? 'mail' : 'no')

async function dropOne(
  pipeline: PipelineSettings,
  { program, chance, corrections, say }: World,
): Promise<void> {
  const open = (await program.state.allCorrections([pipeline.name])).filter(
    ({ ended }) => ended === undefined,
  )
  const [one] = chance.stream(`drop ${corrections.length}`).shuffled(open)
  if (one === undefined) return
  say(`correction ${one.id} of ${one.key}, ${one.field} is dropped`)
  await program.dropCorrection(one.id)
  for (const given of corrections)
    if (given.pipeline === one.pipeline && given.key === one.key && given.field === one.field)
      given.isDropped = true
}

/** No run is active. */
export async function correctSomething(world: World): Promise<void> {
  const { schedule, chance, corrections, begun, setup, sources, program, say } = world
  if (schedule.isCorrected !== true) return
  const draws = chance.stream(`correct ${begun.length}`)
  const pipeline = draws.pick(setup.pipelines)
  if (draws.happens(0.2)) await dropOne(pipeline, world)
  const opened = sources.get(pipeline.name)?.opened ?? []
  for (let turn = draws.int(4); turn > 0; turn -= 1) {
    const rows = opened.flatMap((file) => file.rows)
    if (rows.length === 0) return
    const row = draws.pick(rows)
    const key = cell(row, keyColumn(pipeline))
    const person = personIn(cell(row, 'stamp'))
    const field = draws.pick(FIELDS)
    const value = `canx${person}xc${corrections.length}`
    try {
      await program.correct(pipeline.name, key, { [field]: value })
      say(`${field} of ${pipeline.name} ${key} is set right: ${value}`)
      corrections.push({
        ...{ pipeline: pipeline.name, key, field, value, opened: opened.length, isDropped: false },
      })
    } catch (error) {
      if (!(error instanceof SyncError) || error.code !== 'USAGE') throw error
      say(`${field} of ${pipeline.name} ${key} is not set right: ${error.message}`)
    }
  }
}

/**
 * The value that a person set right: `must` where the source has said the same ever since, `may` where it counts as long as
 * something else was not sent for it.
 */
export function correctedValue(
  { pipeline, key, field }: { pipeline: PipelineSettings; key: string; field: string },
  {
    corrections,
    sources,
  }: { corrections: readonly Corrected[]; sources: ReadonlyMap<string, SimulatedSource> },
): { readonly must?: string; readonly may: readonly string[] } {
  const own = corrections.filter(
    (one) => one.pipeline === pipeline.name && one.key === key && one.field === field,
  )
  const last = own.at(-1)
  if (last === undefined) return { may: [] }
  const opened = sources.get(pipeline.name)?.opened ?? []
  // A row that is not good says something of which nobody knows; of a damaged file nothing is taken.
  const said = (file: SimulatedFile): (string | undefined)[] => {
    if (file.cutAfter !== undefined) return []
    const { bad } = readingOf(file, pipeline)
    const rows = file.rows.filter((row) => cell(row, keyColumn(pipeline)) === key)
    return rows.map((row) => {
      const isCut = file.isLastCut && row === file.rows.at(-1)
      return bad.has(key) || isCut || row.length !== HEADER.length
        ? undefined
        : cell(row, FIELD_COLUMNS[last.field])
    })
  }
  // What was opened, and not done with, may not have been known.
  const before = opened.slice(0, last.opened)
  const isKnown = (file: SimulatedFile, index: number): boolean =>
    file.doneAt !== undefined && file.doneAt <= last.opened && before.lastIndexOf(file) === index
  const done = before.findLastIndex((file, index) => isKnown(file, index) && said(file).length > 0)
  const values = new Set(opened.slice(Math.max(0, done)).flatMap(said))
  const isSure = values.size === 1 && !values.has(undefined) && !last.isDropped
  return { ...(isSure ? { must: last.value } : {}), may: own.map(({ value }) => value) }
}
