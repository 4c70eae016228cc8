// An older backup takes the place of the state: what was sent since is in no state. Then the last exports are dropped again,
// and every pipeline is rebuilt, before anything runs.
import { join } from 'node:path'
import { copyState, removeState, startProgram } from './program.ts'
import type { World } from './world.ts'

const REBUILD_LIMIT_MS = 24 * 3_600_000
const MOST_REBUILDS = 5

const backupOf = ({ folder }: World): string => join(folder.path, 'backup.db')

/** No run is active. */
export function backUp(world: World): void {
  const { schedule, program, ledger, say } = world
  if (schedule.isRestored !== true) return
  removeState(backupOf(world))
  copyState(program.file, backupOf(world))
  world.lost = [ledger.requests.length, 0]
  say('the state is backed up')
}

export async function restore(world: World): Promise<void> {
  const { folder, ledger, program, setup, timeline, violated, say } = world
  world.lost = [world.lost[0], ledger.requests.length]
  world.points += program.life.points
  program.drop()
  removeState(program.file)
  const file = join(folder.path, `state-${world.lives}.db`)
  copyState(backupOf(world), file)
  removeState(backupOf(world))
  world.lives += 1
  say('an older backup takes the place of the state')
  world.program = startProgram(
    world.deps,
    { file, number: world.lives, isOlder: true },
    { crashAt: undefined, yields: 0 },
  )
  for (const pipeline of setup.pipelines)
    for (let turn = 1; ; turn += 1) {
      const { unanswered } = await timeline.until(world.program.rebuild(pipeline), REBUILD_LIMIT_MS)
      if (unanswered === 0) break
      if (turn === MOST_REBUILDS) return violated('liveness', `${pipeline.name} is not rebuilt`)
    }
  world.program.accept()
}
