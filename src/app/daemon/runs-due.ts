// Runs that neither a schedule nor a file asks for: of pipelines that wait for a brake whose first contacts have been watched for
// long enough, and of those that watch their folders, for what operators have decided since.
import type { BrakeStore } from '../../core/change/waiting/brake.ts'
import { presentNames, termKey, type TermNameStore } from '../../core/mapping/terms.ts'
import type { DueStore } from '../../core/outcome/daemon.ts'
import type { Clock } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'

/** The pipelines that are to run for a brake; `now` in milliseconds since the epoch. */
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

type State = Pick<BrakeStore, 'brakes'> & TermNameStore & Pick<DueStore, 'leftByDecisions'>

interface Looking {
  readonly runner: { readonly state: State }
  readonly clock: Clock
  settings(): Settings
  /** Names of the pipelines whose runs are active: these send what was decided meanwhile. */
  active(): readonly string[]
  want(pipeline: string): void
  onFault(error: unknown): void
}

/** Schedules may ask for a look each second. */
const LEAST_APART_MS = 30_000

/**
 * What operators have released, corrected or resolved as not done asks for one run of a pipeline that watches its folder, as a
 * file that lands there: what stays after that run does not ask again.
 */
function createReleaseLooks({ runner, clock, settings, active }: Looking) {
  let offered = new Map<string, string>()
  let lookedAt: number | undefined
  return async (): Promise<readonly string[]> => {
    const now = clock.monotonic()
    if (lookedAt !== undefined && now - lookedAt < LEAST_APART_MS) return []
    lookedAt = now
    const before = offered
    offered = new Map()
    const fresh: string[] = []
    for (const { name, watch } of settings().pipelines) {
      if (!watch) continue
      const seen = before.get(name) ?? ''
      const left = active().includes(name) ? seen : await runner.state.leftByDecisions(name)
      offered.set(name, left)
      if (left !== '' && left !== seen) fresh.push(name)
    }
    return fresh
  }
}

export interface RunsDue {
  /** Asks for the runs that are due. Never throws. */
  look(): Promise<void>
}

export function createRunsDue(parts: Looking): RunsDue {
  const { runner, clock, settings, want, onFault } = parts
  const released = createReleaseLooks(parts)
  return {
    async look() {
      try {
        const braked = await pipelinesDue(runner.state, settings(), clock.now())
        for (const name of new Set([...braked, ...(await released())])) want(name)
      } catch (error) {
        onFault(error)
      }
    },
  }
}
