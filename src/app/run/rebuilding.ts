// A state that may not be the latest: rebuilt pipeline by pipeline from the files that wait and the service, or
// accepted unchanged by an operator. Part of the composition.
import { createCircuit } from '../../core/outcome/circuit.ts'
import { planEntry } from '../../core/log/other-entries.ts'
import type { ServiceListener } from '../../core/log/events/service-event.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import { runId } from '../../core/words/run-id.ts'
import { sharedWindow } from './service/rate-window.ts'
import { logService } from './service/service-log.ts'
import { assertOfService, bindAtFirstUse } from './service/service-binding.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import { createService } from '../../service/service.ts'
import { createSource } from '../../sources/registry.ts'
import { openState, type OwnedState } from '../../store/state-store.ts'
import type { ProgressReport } from '../../core/outcome/run-progress.ts'
import { watchedSession } from '../../sync/context.ts'
import type { RebuildContext } from '../../sync/rebuild-read.ts'
import { rebuildPipeline, type RebuildResult } from '../../sync/rebuild.ts'
import { createTally } from '../../sync/tally.ts'
import { createTermDirectory } from '../../sync/term-directory.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'

export interface Rebuilding {
  readonly decided: DecidedBy
  readonly signal: AbortSignal
  readonly log: Log
  readonly onService?: ServiceListener | undefined
  report(pipeline: string, report: Partial<ProgressReport>): void
  done(result: RebuildResult & { readonly requests: number }): void
}

export interface Rebuilt {
  /** Why the state was not the latest; undefined where it was. */
  readonly doubt?: string | undefined
  /** Pipelines that are still to be rebuilt before runs continue. */
  readonly left: readonly string[]
}

async function rebuildOne(
  settings: Settings,
  pipeline: PipelineSettings,
  { state, rebuilding }: { state: OwnedState; rebuilding: Rebuilding },
): Promise<RebuildResult & { readonly requests: number }> {
  const id = runId(clock.now(), random)
  const trouble = new AbortController()
  const ignore = state.onTrouble(() => trouble.abort())
  const signal = AbortSignal.any([rebuilding.signal, trouble.signal])
  const { concurrency } = settings.service.rate_limit
  const logged = logService(rebuilding.log)
  const onEvent: ServiceListener = (event) => {
    logged(event)
    rebuilding.onService?.(event)
  }
  const shared = sharedWindow(settings, (reason) => onEvent({ type: 'alone', reason }), state)
  const deps = { clock, random, onEvent, ...shared }
  const service = createService(settings.service, deps)
  // Only its reads are handed on: a rebuild has no way to write.
  const circuit = createCircuit(pipeline.guards)
  const session = watchedSession(service.session({ signal }), { signal, circuit })
  const context: RebuildContext = {
    runId: id,
    pipeline,
    state,
    source: createSource(pipeline.source, { clock }),
    session,
    circuit,
    terms: createTermDirectory(session, { state }),
    customFieldKey: settings.service.custom_field_key,
    clock,
    signal,
    log: rebuilding.log.with({ pipeline: pipeline.name, run_id: id }),
    tally: createTally(id),
    report: (report) => rebuilding.report(pipeline.name, { ...report, requests: session.counts.requests }),
    concurrency,
  }
  const { name, hash: configHash } = pipeline
  const { decided } = rebuilding
  const reason = 'links are looked up at the service'
  await state.note(
    planEntry(
      { action: 'rebuild', reason },
      { at: clock.now(), runId: id, pipeline: name, configHash, decided },
    ),
  )
  try {
    await bindAtFirstUse(settings, state.binding, session)
    const result = await rebuildPipeline(context, { wait: true })
    return { ...result, requests: session.counts.requests }
  } finally {
    ignore()
    await service.close()
  }
}

/** The state is the latest again once each pipeline was rebuilt or accepted; those that are left. */
function acceptWhereDone(settings: Settings, state: OwnedState): readonly string[] {
  const rebuilt = state.rebuilt()
  const left = settings.pipelines.map(({ name }) => name).filter((name) => !rebuilt.includes(name))
  if (left.length === 0) state.accept()
  return left
}

/** Work on a state that runs refuse, as its owner for that time. Throws STATE_LOCKED where another process has it. */
export async function onAnyState<T>(
  settings: Settings,
  pid: number,
  work: (state: OwnedState) => Promise<T>,
): Promise<T> {
  const state = openState(settings.state, { pid, since: clock.now(), thorough: true, evenOlder: true })
  try {
    return await work(state)
  } finally {
    await state.close()
  }
}

interface Meant {
  readonly settings: Settings
  readonly state: OwnedState
  readonly pipelines: readonly PipelineSettings[]
}

/**
 * Rebuilds these pipelines; once all that are configured have been, the state is taken for the latest again.
 * What was found stays found when it is interrupted: it continues from there when it is called again. No run is active.
 */
export async function rebuildState(
  { settings, state, pipelines }: Meant,
  rebuilding: Rebuilding,
): Promise<Rebuilt> {
  const doubt = state.doubt()
  assertOfService(settings, state.binding)
  for (const pipeline of pipelines) {
    if (rebuilding.signal.aborted) break
    const result = await rebuildOne(settings, pipeline, { state, rebuilding })
    if (result.complete && doubt !== undefined) state.rebuilt(pipeline.name)
    rebuilding.done(result)
  }
  if (doubt === undefined) return { left: [] }
  return { doubt, left: acceptWhereDone(settings, state) }
}

/**
 * Takes the state for the latest, by an operator's word, or that of these pipelines alone: then it is the latest once the
 * others have been rebuilt or accepted.
 */
export async function acceptState(
  { settings, state, pipelines }: Meant,
  decided: DecidedBy,
): Promise<Rebuilt> {
  const doubt = state.doubt()
  if (doubt === undefined) return { left: [] }
  const at = clock.now()
  const id = runId(at, random)
  for (const { name: pipeline, hash: configHash } of pipelines) {
    const reason = `the state was accepted, though it ${doubt}`
    await state.note(
      planEntry({ action: 'accept', reason }, { at, runId: id, pipeline, configHash, decided }),
    )
    state.rebuilt(pipeline)
  }
  return { doubt, left: acceptWhereDone(settings, state) }
}
