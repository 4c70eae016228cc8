// How many contacts one run may delete: counted from the ledger, where nothing else can have had a part in it.
import type { Limit } from '../../src/core/words/scalars.ts'
import type { PipelineResult } from '../../src/sync/run.ts'
import { pipelineOf } from './claims.ts'
import type { World } from './world.ts'

/** A share allows at least one. */
const most = (limit: Limit, base: number): number =>
  'count' in limit ? limit.count : limit.share === 0 ? 0 : Math.max(1, Math.floor(base * limit.share + 1e-9))

/** The records that had a contact when the last export of the pipeline was opened. */
function linkedThen(name: string, { claims, ledger, sources }: World): number {
  const openedAt = sources.get(name)?.opened.at(-1)?.openedAt ?? 0
  const isDeleted = (contact: number): boolean =>
    ledger.effects.some(
      ({ who, kind, contact: id, at }) =>
        who === 'connector' && kind === 'delete' && id === contact && at < openedAt,
    )
  return claims.stamps.filter(
    (stamp) =>
      pipelineOf(stamp) === name &&
      claims.of(stamp).some(({ effect, contact }) => effect.at < openedAt && !isDeleted(contact)),
  ).length
}

/**
 * O3: no run deletes more than `guards.max_deletes` allows unless a person let it. What an earlier run could not carry out
 * may come on top, so only runs before which no delete failed are judged.
 */
export function checkGuard(result: PipelineResult, world: World): void {
  const { ledger, setup, released, crashes, violated } = world
  const pipeline = setup.pipelines.find(({ name }) => name === result.pipeline)
  const isDisturbed = ledger.requests.some(({ method, fault }) => method === 'DELETE' && fault !== undefined)
  if (pipeline === undefined || released.has(pipeline.name) || isDisturbed || crashes > 0) return
  const allowed = most(pipeline.guards.max_deletes, linkedThen(pipeline.name, world))
  if (result.deleted > allowed)
    violated('O3', `a run deleted ${result.deleted} contacts, guards.max_deletes allows ${allowed}`)
}
