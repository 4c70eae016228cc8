// A pipeline that got another name in the configuration, and not in the state: it has no records of its own, and what it reads
// is what another one did that is gone. Its first run would make every contact again.
import { effectiveSettings } from '../../config/effective.ts'
import type { Stop } from '../../core/outcome/circuit.ts'
import type { PipelineSettings, Settings, ShownSetting } from '../../core/settings.ts'
import type { ConfigurationStore } from '../../core/log/configuration-store.ts'
import type { FormerNameStore, InstanceStore } from '../../core/state.ts'
import { plural } from '../../core/words/format.ts'
import type { SourceDeps } from '../../sources/kind.ts'
import { SOURCE_KINDS } from '../../sources/registry.ts'
import { NO_ROWS, orphansAmong, type PipelineTables, readPipelineRows } from '../../store/pipelines.ts'
import { openStateForReading } from '../../store/state-store.ts'

/** The settings of a source as they are shown, whatever its pipeline is called. */
function sourceOf(name: string, settings: readonly ShownSetting[]): string {
  const within = `pipelines.${name}.source.`
  const own = settings.filter(({ path }) => path.startsWith(within))
  return JSON.stringify(own.map(({ path, value }) => `${path.slice(within.length)}: ${value}`).sort())
}

interface KnownPipelines extends Pick<ConfigurationStore, 'configurationsLike'> {
  readonly pipelines: Pick<PipelineTables, 'known' | 'rows'>
}

/** Why it must not run: until a person has said whether it is the pipeline that has gone. */
export async function renamedStop(
  { name }: Pick<PipelineSettings, 'name'>,
  { settings, state }: { readonly settings: Settings; readonly state: KnownPipelines },
): Promise<Stop | undefined> {
  const { pipelines } = state
  const gone = orphansAmong(pipelines.known(), settings)
  if (gone.length === 0) return undefined
  const { links, inDoubt, open } = pipelines.rows(name)
  if (links + inDoubt + open > 0) return undefined
  // Every hash begins so: all that were ever in force.
  const kept = await state.configurationsLike('')
  const source = sourceOf(name, effectiveSettings(settings, SOURCE_KINDS))
  for (const other of gone) {
    const last = kept.findLast((one) => Object.hasOwn(one.pipelines, other))
    const { links: number } = pipelines.rows(other)
    if (last === undefined || number === 0 || sourceOf(other, last.settings) !== source) continue
    const had = `${plural(number, 'record')} of the pipeline ${other}, which is not in the configuration any more`
    const message = `${name} has no records yet, and reads the source of ${had}: as a new pipeline it would create their contacts again`
    return { code: 'PIPELINE_RENAMED', message }
  }
  return undefined
}

/** Which of these pipelines have another name in the state, in words: a run stops, whatever a plan shows. */
export async function renamedNotes(settings: Settings, names: readonly string[]): Promise<readonly string[]> {
  const rows = readPipelineRows(settings.state)
  const state = openStateForReading(settings.state)
  if (state === undefined) return []
  try {
    const known = {
      pipelines: { known: () => [...rows.keys()], rows: (name: string) => rows.get(name) ?? NO_ROWS },
      configurationsLike: (hash: string) => state.configurationsLike(hash),
    }
    const notes: string[] = []
    for (const name of names) {
      const stop = await renamedStop({ name }, { settings, state: known })
      if (stop !== undefined)
        notes.push(
          `note: ${stop.message}; a run stops (PIPELINE_RENAMED) until you say which: contact-sync state rename-pipeline OLD NEW, or: contact-sync state drop-pipeline OLD`,
        )
    }
    return notes
  } finally {
    await state.close()
  }
}

/** Who claims files on other machines: what was claimed under a former name is its own, while no other pipeline has that name. */
export const claimOwner = (
  { name }: PipelineSettings,
  { pipelines }: Settings,
  state: InstanceStore & FormerNameStore,
): NonNullable<SourceDeps['owner']> => ({
  pipeline: name,
  async formerNames() {
    const former = await state.formerNames(name)
    return former.filter((one) => pipelines.every((other) => other.name !== one))
  },
  state: () => state.instance(),
})
