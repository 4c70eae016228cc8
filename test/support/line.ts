// One pipeline with everything around it in memory (the real store among it): run it, look at what happened.
import { planJson } from '../../src/cli/plan/plan-json.ts'
import type { Plan } from '../../src/core/change/plan/plan.ts'
import type { PlannedChange } from '../../src/core/change/plan/planned-change.ts'
import { type Circuit, createCircuit } from '../../src/core/outcome/circuit.ts'
import type { SuppressionList } from '../../src/core/change/consents/suppression.ts'
import type { PipelineSettings, ServiceSettings } from '../../src/core/settings.ts'
import type { Source } from '../../src/core/ports.ts'
import type { TestState } from './state/memory-state.ts'
import type { UndoOptions } from '../../src/core/log/undo.ts'
import { temporaryState } from './state/temporary-state.ts'
import { type RunContext, watchedSession } from '../../src/sync/context.ts'
import { offlineParts } from '../../src/sync/offline.ts'
import { previewPipeline } from '../../src/sync/preview.ts'
import { rebuildPipeline, type RebuildResult } from '../../src/sync/rebuild.ts'
import { type PipelineResult, runPipeline } from '../../src/sync/run.ts'
import { createRejectSource } from '../../src/sync/plan/reject-source.ts'
import { createTally } from '../../src/sync/tally.ts'
import { createTermDirectory } from '../../src/sync/term-directory.ts'
import { createMailTurns, createTurns, type MailTurns } from '../../src/sync/send/turns.ts'
import { runUndo } from '../../src/sync/undo.ts'
import { type TestClock, testClock } from './clock.ts'
import { type MemoryService, memoryService } from './memory-service.ts'
import { type MemorySource, memorySource } from './memory-source.ts'
import { pipelineSettings, serviceSettings } from './pipeline.ts'

export interface Line {
  readonly source: MemorySource
  readonly service: MemoryService
  readonly state: TestState
  readonly clock: TestClock
  readonly log: { message: string; fields: unknown }[]
  pipeline: PipelineSettings
  settings: ServiceSettings
  abort: AbortController
  /** The circuit of the newest run. */
  circuit: Circuit | undefined
  /** `consents.suppress`. */
  suppression: SuppressionList | undefined
  run(options?: { isAsked?: boolean }): Promise<PipelineResult>
  /** `rejects retry`. */
  retry(): Promise<PipelineResult>
  /** `undo`. */
  undo(run: string, options?: Partial<UndoOptions>): Promise<PipelineResult>
  /** `state rebuild`. */
  rebuild(): Promise<RebuildResult>
  /** `totals`: the plan as `plan --json` prints it. `isOffline`: nothing is asked of the service. */
  preview(how?: {
    isOffline?: boolean
  }): Promise<{ changes: PlannedChange[]; plan: Plan; totals: ReturnType<typeof planJson> }>
}

export function testLine(
  options: {
    pipeline?: Partial<PipelineSettings>
    settings?: Partial<ServiceSettings>
    state?: TestState
    /** In place of the one in memory. */
    source?: Source
    service?: MemoryService
    mails?: MailTurns
    ahead?: RunContext['ahead']
    /** How many runs the state has seen already: their ids are taken. */
    runs?: number
  } = {},
): Line {
  let runs = options.runs ?? 0
  const log: Line['log'] = []
  const line: Line = {
    source: memorySource(),
    service: options.service ?? memoryService(),
    state: options.state ?? temporaryState(),
    clock: testClock(),
    log,
    pipeline: pipelineSettings(options.pipeline),
    settings: serviceSettings(options.settings),
    abort: new AbortController(),
    circuit: undefined,
    suppression: undefined,
    run: async ({ isAsked = true } = {}) => runPipeline(context(), { wait: false, isAsked }),
    retry: async () =>
      runPipeline(
        { ...context(), source: createRejectSource(line.state, line.pipeline.name) },
        { wait: false },
      ),
    async undo(run, options = {}) {
      const undo = { run, deleteCreated: false, addedTerms: false, ...options }
      return runUndo({ ...undo, entries: line.state.entriesOfRun(run) }, context())
    },
    rebuild: async () => rebuildPipeline({ ...context(), concurrency: 4 }, { wait: false }),
    async preview({ isOffline = false } = {}) {
      const changes: PlannedChange[] = []
      const parts = isOffline ? offlineParts() : {}
      const generator = previewPipeline({ ...context(), ...parts }, line.settings, { wait: false })
      for (;;) {
        const step = await generator.next()
        if (step.done === true) return { changes, plan: step.value, totals: planJson(step.value) }
        changes.push(step.value)
      }
    },
  }
  const context = (): RunContext => {
    const runId = `${line.pipeline.name}-run-${++runs}`
    line.clock.advance(1000)
    const circuit = createCircuit(line.pipeline.guards)
    line.circuit = circuit
    const { signal } = line.abort
    const session = watchedSession(line.service.session(), { signal, circuit })
    const note = (message: string, fields: unknown): void => void log.push({ message, fields })
    return {
      runId,
      pipeline: line.pipeline,
      service: line.settings,
      state: line.state,
      source: options.source ?? line.source,
      session,
      circuit,
      terms: createTermDirectory(session, { state: line.state }),
      customFieldKey: line.settings.custom_field_key,
      suppression: line.suppression,
      turns: createTurns(),
      mails: options.mails ?? createMailTurns(),
      ahead: options.ahead ?? ((work) => work()),
      seen: {},
      tally: createTally(runId),
      clock: line.clock,
      signal,
      log: { info: note, warn: note },
      report: () => undefined,
    }
  }
  return line
}

export const HEADER = ['no', 'mail', 'first', 'last', 'phone'] as const

/** A table of `count` invented people, numbered from `from`. */
export function people(count: number, from = 1): string[][] {
  const rows = Array.from({ length: count }, (_, index) => {
    const number = String(from + index)
    return [
      `K${number}`,
      `person${number}@example.com`,
      `Vorname${number}`,
      `Nachname${number}`,
      `030 ${number}`,
    ]
  })
  return [[...HEADER], ...rows]
}
