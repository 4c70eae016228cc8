// What the daemon does as one of several workers: its pipelines, and times without runs. As the one owner of a state it has all
// pipelines, and no other process asks for rest.
import { type Fleet, isNewest } from '../../core/fleet.ts'
import type { Clock } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import type { DaemonRuns } from './daemon-runs.ts'
import { createFleetRest, type FleetRest } from './fleet-rest.ts'
import { createOwnership, type Ownership } from './ownership.ts'

interface Parts {
  readonly fleet: Fleet | undefined
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
  settings(): Settings
  runs(): DaemonRuns
  /** With every look at the others. */
  onLook(): Promise<void>
  /** A worker that was there at the look before is not any more; told to the one with the newest configuration. */
  onGone(): void
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
  let present: readonly number[] = []
  const ownership: Ownership = createOwnership({
    ...parts,
    active: () => runs().active(),
    conditions: () => runs().conditions(),
    rest: () => rest.standing(),
    async onStanding(now) {
      rest.follow(now)
      const before = present
      present = now.workers.map(({ fence }) => fence)
      const own = ownership.standing()?.own ?? 0
      if (before.some((fence) => !present.includes(fence)) && isNewest(now, own)) parts.onGone()
      await parts.onLook()
    },
  })
  const rest = createFleetRest({ clock, signal, runs, ownership: () => ownership })
  return { ownership, rest, own: createOwnSettings(parts.settings, ownership) }
}
