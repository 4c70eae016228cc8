// Decisions about the state itself, as its owner takes them beside its runs: none is active meanwhile.
import { acceptState, type Rebuilding, rebuildState, type Rebuilt } from '../run/rebuilding.ts'
import { type Rebound, rebindState } from '../run/service/service-binding.ts'
import type { DaemonOwner, Taking } from './owner.ts'

interface Named {
  readonly pipelines: readonly string[]
}

const meant = ({ settings, state }: Taking, { pipelines: names }: Named) => ({
  settings,
  state,
  pipelines: settings.pipelines.filter(({ name }) => names.includes(name)),
})

/** The progress of a rebuild. */
export type RebuildEvent =
  | { readonly pipeline: string; readonly report: Parameters<Rebuilding['report']>[1] }
  | { readonly done: Parameters<Rebuilding['done']>[0] }

/** The files that wait are read and looked up. Runs continue when it has ended; the command may end before. */
export function rebuildBeside(desk: Taking, named: Named, daemon: DaemonOwner): Promise<Rebuilt> {
  const show = (event: RebuildEvent): void => desk.show(event)
  return daemon.rest(() =>
    rebuildState(meant(desk, named), {
      decided: desk.decided,
      signal: desk.signal,
      log: daemon.log,
      onService: desk.onService,
      report: (pipeline, report) => show({ pipeline, report }),
      done: (done) => show({ done }),
    }),
  )
}

/** A daemon has no state that is not the latest: it says so. */
export const acceptBeside = (desk: Taking, named: Named, daemon: DaemonOwner): Promise<Rebuilt> =>
  daemon.rest(() => acceptState(meant(desk, named), desk.decided))

export interface ReboundBeside extends Rebound {
  /** Why the daemon does not use the new address yet; undefined where no daemon has to. */
  readonly problems?: readonly string[] | undefined
}

/** The owner knows the former address; the new one is that of the command. A daemon reads its configuration again. */
export async function rebindBeside(desk: Taking, { address }: { address: string }): Promise<ReboundBeside> {
  const service = { ...desk.settings.service, base_url: address }
  const rebound = await rebindState({ ...desk, settings: { ...desk.settings, service } })
  const { daemon } = desk.owner
  if (daemon === undefined || rebound.from === rebound.to) return rebound
  const { problems = [] } = await daemon.reload(desk.decided)
  return { ...rebound, problems }
}
