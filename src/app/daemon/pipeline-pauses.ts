// What operators have paused of the pipelines, as the state says it: here, or by way of another worker. A pause of the service
// is service-pause.ts.
import type { PipelinePause } from '../../core/decision.ts'
import type { Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import type { Runner } from '../run/runner.ts'
import type { DaemonRuns } from './daemon-runs.ts'

interface Pausing {
  readonly state: Pick<Runner['state'], 'pausedPipelines'>
}

const pausesOf = async ({ state }: Pausing): Promise<ReadonlyMap<string, PipelinePause>> =>
  new Map((await state.pausedPipelines()).map((one) => [one.pipeline, one]))

/** What is not configured any more may still be paused. */
export const pausedOf = ({ pipelines }: Settings, paused: ReadonlyMap<string, PipelinePause>) =>
  new Map([...paused].filter(([name]) => pipelines.some((one) => one.name === name)))

/** They are read at the start, after each decision, and again and again where other workers take decisions too. */
export async function createPipelinePauses(runner: Pausing, { log, runs }: { log: Log; runs(): DaemonRuns }) {
  let paused = await pausesOf(runner)
  if (paused.size > 0) log.warn('pipelines paused', { pipelines: paused.size })
  const renew = async (): Promise<void> => {
    paused = await pausesOf(runner)
    runs().pump()
  }
  return {
    now: () => paused,
    renew,
    /** Of what another worker has paused, the runs end in good order. */
    async follow(): Promise<void> {
      const before = paused
      const now = await pausesOf(runner)
      const fresh = [...now.keys()].filter((name) => !before.has(name))
      if (fresh.length === 0 && now.size === before.size) return
      await renew()
      void runs().halt(fresh, 'the pipeline was paused')
    },
  }
}
