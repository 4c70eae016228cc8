// Brakes whose first contacts have been watched for long enough: a run of the pipelines that wait looks at them, whether or not a
// file has arrived.
import type { BrakeStore } from '../../core/change/waiting/brake.ts'
import { presentNames, termKey, type TermNameStore } from '../../core/mapping/terms.ts'
import type { Clock } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'

/** The pipelines that are to run; `now` in milliseconds since the epoch. */
export async function pipelinesDue(
  state: Pick<BrakeStore, 'brakes'> & TermNameStore,
  { pipelines }: Pick<Settings, 'pipelines'>,
  now: number,
): Promise<readonly string[]> {
  const braked = pipelines.filter(({ guards }) => guards.brake !== undefined)
  if (braked.length === 0) return []
  const watched = (await state.brakes()).filter(({ phase }) => phase === 'watching')
  const aliases = await state.termAliases()
  return braked.flatMap(({ name, guards: { brake } }) => {
    const terms = new Set(presentNames(brake?.terms ?? [], aliases).map(termKey))
    const isDue = watched.some(
      ({ term, since, waiting }) =>
        terms.has(term) &&
        // Later than now: a clock was ahead, and a run puts that right.
        (since + (brake?.watch ?? 0) <= now || since > now) &&
        (waiting.length === 0 || waiting.some(({ pipeline }) => pipeline === name)),
    )
    return isDue ? [name] : []
  })
}

interface Looking {
  readonly runner: { readonly state: Pick<BrakeStore, 'brakes'> & TermNameStore }
  readonly clock: Clock
  settings(): Settings
  want(pipeline: string): void
  onFault(error: unknown): void
}

/** Asks for the runs that are due. Never throws. */
export async function lookAtBrakes({ runner, clock, settings, want, onFault }: Looking): Promise<void> {
  try {
    for (const name of await pipelinesDue(runner.state, settings(), clock.now())) want(name)
  } catch (error) {
    onFault(error)
  }
}
