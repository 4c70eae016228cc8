// What the daemon does as one of several workers: its pipelines, and times without runs. As the one owner of a state it has all
// pipelines, and no other process asks for rest.
import { type Fleet, isNewest } from '../../../core/fleet.ts'
import type { Clock } from '../../../core/ports.ts'
import type { Settings } from '../../../core/settings.ts'
import type { Log } from '../../../log/log.ts'
import type { DaemonRuns } from '../daemon-runs.ts'
import { createFleetRest, type FleetRest } from './fleet-rest.ts'
import { createOwnership, type Ownership } from './ownership.ts'

interface Parts {
  readonly fleet: Fleet | undefined
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  settings(): Settings
  runs(): DaemonRuns
  ended(): ReadonlyMap<string, number>
  onEndedElsewhere(): void
  /** With every look at the others. */
  onLook(): Promise<void>
  /** Takes decisions of workers that are gone; asked of the one with the newest configuration, with every look. */
  takeLeft(): Promise<void>
  /** Other pipelines are owned now. */
  onChange(): Promise<void>
  onFault(error: unknown): void
}

/** The settings with the pipelines that this process runs, the same object while neither changes. */
function createOwnSettings(current: () => Settings, { isOwn }: Ownership): () => Settings {
  let last: { of: Settings; own: Settings } | undefined
  return () => {
    const of = current()
    const pipelines = of.pipelines.filter(({ name }) => isOwn(name))
    const isSame = last?.of === of && last.own.pipelines.length === pipelines.length
    if (!isSame || pipelines.some((one, place) => one !== last?.own.pipelines[place]))
      last = { of, own: pipelines.length === of.pipelines.length ? of : { ...of, pipelines } }
    return last?.own ?? of
  }
}

/** `own`: the settings with the pipelines of this worker alone. */
export function createFleetWork(parts: Parts): { ownership: Ownership; rest: FleetRest; own(): Settings } {
  const { clock, signal, runs } = parts
  let isTaking = false
  // It may wait until no run is active, which takes further looks.
  const takeLeft = (): void => {
    if (isTaking) return
    isTaking = true
    void parts
      .takeLeft()
      .catch(parts.onFault)
      .finally(() => (isTaking = false))
  }
  const ownership: Ownership = createOwnership({
    ...parts,
    active: () => runs().active(),
    conditions: () => runs().conditions(),
    rest: () => rest.standing(),
    async onStanding(now) {
      rest.follow(now)
      if (isNewest(now, ownership.standing()?.own ?? 0)) takeLeft()
      await parts.onLook()
    },
  })
  const rest = createFleetRest({ clock, signal, runs, ownership: () => ownership })
  return { ownership, rest, own: createOwnSettings(parts.settings, ownership) }
}
