// A plan: the reading, mapping and comparing of a run over a copy of the state, with nothing that writes at hand.
import type { Plan } from '../../core/change/plan/plan.ts'
import type { PlannedChange } from '../../core/change/plan/planned-change.ts'
import { type Circuit, createCircuit } from '../../core/outcome/circuit.ts'
import type { ServiceReads } from '../../core/ports.ts'
import type { StateStore } from '../../core/state-store.ts'
import { runId } from '../../core/words/run-id.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { Log } from '../../log/log.ts'
import { createService } from '../../service/service.ts'
import { openPlanSource } from '../../sources/plan-source.ts'
import { openStateCopy, openStateForReading } from '../../store/state-store.ts'
import { createTokenVault } from '../../store/tokens.ts'
import { type LeftAloneListener, type PlanContext, watchedSession } from '../../sync/context.ts'
import { offlineParts } from '../../sync/offline.ts'
import { previewPipeline, previewUndoing } from '../../sync/preview.ts'
import { createTally } from '../../sync/tally.ts'
import { createTermDirectory } from '../../sync/term-directory.ts'
import { systemClock as clock, systemRandom as random } from '../../system.ts'
import { createSuppressions } from './suppression.ts'
import { keepingWarnings } from './keeping-warnings.ts'
import { sharedWindow } from './service/rate-window.ts'
import { claimOwner } from './renamed.ts'
import type { RunOptions } from './run.ts'
import type { UndoRequest } from './runner.ts'
import { assertReadOfService } from './service/service-binding.ts'
import { logService } from './service/service-log.ts'
import { planFolder } from '../temporary-folder.ts'

interface PreviewOptions extends RunOptions {
  readonly log: Log
  /** Asks the service nothing. */
  readonly isOffline?: boolean
  /** Of what is not sent as records have it, examples of this one alone. */
  readonly key?: string | undefined
}

interface Previewing {
  readonly settings: Settings
  readonly pipeline: PipelineSettings
  readonly options: PreviewOptions
}

interface Asking {
  readonly state: StateStore
  readonly circuit: Circuit
}

/** Only the reads of the service are handed on: a plan has no way to write. */
function askingService({ settings, state, circuit, options }: Omit<Previewing, 'pipeline'> & Asking) {
  const { signal, log } = options
  const onEvent = logService(log)
  const window = sharedWindow(settings, (reason) => onEvent({ type: 'alone', reason }))
  const service = createService(settings.service, { clock, random, onEvent, ...window })
  const session = watchedSession<ServiceReads>(service.session({ signal }), { signal, circuit })
  const terms = createTermDirectory(session, { state })
  return { parts: { session, terms }, close: () => service.close() }
}

/** No client is made at all. */
const notAsking = () => ({ parts: offlineParts(), close: () => Promise.resolve() })

/** Makes a plan over a copy of the state. Works beside a running daemon and leaves no trace. */
async function* overCopy(
  { settings, pipeline, options }: Previewing,
  plan: (context: PlanContext) => AsyncGenerator<PlannedChange, Plan>,
): AsyncGenerator<PlannedChange, Plan> {
  assertReadOfService(settings)
  const state = openStateCopy(settings.state)
  const id = runId(clock.now(), random)
  // A token that the plan has renewed is the one that the next run needs.
  const tokens = createTokenVault(settings.state)
  const { source, close: closeSource } = await openPlanSource(pipeline.source, {
    clock,
    tokens,
    owner: claimOwner(pipeline, settings, state),
    ownFolder: planFolder,
  })
  const { signal, report } = options
  const { log, warnings } = keepingWarnings(options.log, ['consents not raised: no evidence'])
  const circuit = createCircuit(pipeline.guards)
  const asking =
    options.isOffline === true
      ? notAsking()
      : askingService({ settings, state, circuit, options: { ...options, log } })
  try {
    const parts = { state, source, circuit, clock, signal, report, log, ...asking.parts }
    const { custom_field_key: customFieldKey } = settings.service
    const suppression = createSuppressions(state)(settings.consents.suppress)
    const tally = createTally(id, options.key)
    const made = yield* plan({ runId: id, pipeline, customFieldKey, suppression, tally, ...parts })
    return warnings.length === 0 ? made : { ...made, warnings: [...warnings] }
  } finally {
    await closeSource()
    await asking.close()
    await state.close()
  }
}

/** What a run would do now: the changes one by one, then the plan as a whole. */
export function preview(
  settings: Settings,
  pipeline: PipelineSettings,
  options: PreviewOptions,
): AsyncGenerator<PlannedChange, Plan> {
  const { wait } = options
  return overCopy({ settings, pipeline, options }, (context) =>
    previewPipeline(context, settings.service, { wait }),
  )
}

/** What undoing a run would do, as far as the state can tell: the contacts are looked at only when it is done. */
export async function* previewUndo(
  settings: Settings,
  { pipeline, undo }: { pipeline: PipelineSettings; undo: UndoRequest },
  options: RunOptions & { log: Log; left: LeftAloneListener },
): AsyncGenerator<PlannedChange, Plan> {
  const log = openStateForReading(settings.state)
  try {
    const entries = log?.entriesOfRun(undo.run, undo.contact) ?? none()
    const highestBefore = (await log?.highestContactBefore(undo.run)) ?? 0
    return yield* overCopy({ settings, pipeline, options }, (context) =>
      previewUndoing({ ...undo, entries, highestBefore }, options.left, {
        context,
        service: settings.service,
      }),
    )
  } finally {
    await log?.close()
  }
}

async function* none(): AsyncGenerator<never> {}
