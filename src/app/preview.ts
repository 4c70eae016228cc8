// A plan: the reading, mapping and comparing of a run over a copy of the state, with nothing that writes at hand.
import { createCircuit } from '../core/circuit.ts'
import type { ServiceReads } from '../core/ports.ts'
import { runId } from '../core/run-id.ts'
import type { PipelineSettings, Settings } from '../core/settings.ts'
import type { Log } from '../log/log.ts'
import { createService } from '../service/service.ts'
import { createSource } from '../sources/registry.ts'
import { openStateCopy } from '../store/state-store.ts'
import { type PlannedChange, previewPipeline, type PreviewTotals } from '../sync/preview.ts'
import { createTally } from '../sync/tally.ts'
import { createTermDirectory } from '../sync/term-directory.ts'
import { systemClock as clock, systemRandom as random } from '../system.ts'
import { logService, type RunOptions } from './runner.ts'

/** What a run would do now: the changes one by one, then the totals. Works beside a running daemon and leaves no trace. */
export async function* preview(
  settings: Settings,
  pipeline: PipelineSettings,
  options: RunOptions & { log: Log },
): AsyncGenerator<PlannedChange, PreviewTotals> {
  const state = openStateCopy(settings.state.path)
  const id = runId(clock.now(), random)
  const source = createSource(pipeline.source, { clock })
  const { signal, report, log } = options
  const service = createService(settings.service, { clock, random, onEvent: logService(log) })
  // Only its reads are handed on: a plan has no way to write.
  const session: ServiceReads = service.session({ signal })
  const circuit = createCircuit(pipeline.guards)
  const terms = createTermDirectory(session, { signal, circuit })
  try {
    const parts = { state, source, session, circuit, terms, clock, signal, report, log }
    const { customFieldKey } = settings.service
    const context = { runId: id, pipeline, customFieldKey, tally: createTally(id), ...parts }
    return yield* previewPipeline(context, settings.service, { wait: options.wait })
  } finally {
    await service.close()
    await state.close()
  }
}
