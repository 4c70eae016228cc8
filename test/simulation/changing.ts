// An admin who changes the configuration from day to day: what is in force before the quiet time is an earlier form of each
// pipeline's settings. In the end all must be as if the last form had always been in force.
import type { World } from './world.ts'
import { pipelineHash } from '../../src/config/pipeline-hash.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import type { Chance } from './chance.ts'

const without = (map: PipelineSettings['map'], fields: readonly string[]): PipelineSettings['map'] =>
  Object.fromEntries(Object.entries(map).filter(([field]) => !fields.includes(field)))

/** Terms that are only added are noted as ours where they may have to be removed: those of another form are not. */
const isTakenAway = ({ on_missing: onMissing, terms }: PipelineSettings): boolean =>
  onMissing === 'remove_terms' && terms.policy === 'add'

/** Changes that an earlier form may differ by; none of them may do what the last form must never do. */
const CHANGES: readonly ((last: PipelineSettings) => Partial<PipelineSettings>)[] = [
  ({ map }) => ({ map: without(map, ['phone']) }),
  ({ map }) => ({ map: without(map, ['ba_street', 'ba_city']) }),
  ({ map }) => ({ map: without(map, ['first_name']) }),
  () => ({ blank: 'keep' }),
  () => ({ blank: 'clear' }),
  ({ terms }) => ({ terms: { ...terms, create_missing: false } }),
  ({ terms }) => ({ terms: { ...terms, assign: [] } }),
  // What was given under `add` counts as given by others.
  ({ terms, hand_edits: edits }) =>
    terms.policy === 'replace' && edits === 'overwrite' ? { terms: { ...terms, policy: 'add' } } : {},
  ({ terms }) => ({ terms: { ...terms, assign: terms.assign.filter((one) => !('name' in one)) } }),
  (last) => (isTakenAway(last) ? {} : { on_missing: 'keep' }),
  (last) => (isTakenAway(last) ? {} : { mode: 'incremental', on_missing: 'keep' }),
  () => ({ update_via: 'id' }),
  () => ({ writes: 'create' }),
]

/** A form of the settings that was in force before this one. */
function formerForm(last: PipelineSettings, chance: Chance): PipelineSettings {
  const changes = chance.shuffled(CHANGES).slice(0, chance.between(1, 3))
  const form = changes.reduce((settings, change) => ({ ...settings, ...change(last) }), last)
  return withHash(form)
}

/** With the hash that a configuration would have. */
export const withHash = (settings: PipelineSettings): PipelineSettings => ({
  ...settings,
  hash: pipelineHash(settings, []),
})

/** What the first form says otherwise than the last. */
const differences = (form: PipelineSettings, last: PipelineSettings): string =>
  Object.entries(form)
    .filter(
      ([name, value]) => name !== 'hash' && JSON.stringify(value) !== JSON.stringify(Reflect.get(last, name)),
    )
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(', ')

/** Which form of each pipeline's settings was in force when; the last one where none is named. */
export interface Forms {
  at(last: PipelineSettings, time: number): PipelineSettings
  now(last: PipelineSettings): PipelineSettings
  /** It is in force from now on. */
  set(form: PipelineSettings): void
}

export function createForms(now: () => number): Forms {
  const all: { from: number; form: PipelineSettings }[] = []
  const at: Forms['at'] = (last, time) =>
    all.findLast(({ from, form }) => form.name === last.name && from <= time)?.form ?? last
  return {
    at,
    now: (last) => at(last, now()),
    set: (form) => void all.push({ from: now(), form }),
  }
}

/** Other forms of some pipelines come into force. */
export function changeSettings({ schedule, chance, files, setup, forms, say }: World): void {
  if (schedule.isChanged !== true) return
  const draws = chance.stream(`settings ${files}`)
  for (const pipeline of setup.pipelines) {
    if (!draws.happens(0.6)) continue
    const form = draws.happens(0.7) ? formerForm(pipeline, draws) : pipeline
    forms.set(form)
    say(`settings of ${pipeline.name}: ${differences(form, pipeline)}`)
  }
}
