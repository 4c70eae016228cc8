// The program under test, put together as src/app/run/runner.ts does it, over the real store and the real client of the service;
// everything that reaches outside goes through one life.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
// Loaded when a mapping needs it: that takes time which is not virtual.
import '../../src/core/mapping/values/dates/date.ts'
import { createCircuit } from '../../src/core/outcome/circuit.ts'
import type { LeftAlone } from '../../src/core/log/undo.ts'
import { optOutFile } from '../../src/core/change/consents/opt-outs.ts'
import type { SharedWindow } from '../../src/core/ports.ts'
import { runId } from '../../src/core/words/run-id.ts'
import type { Settled } from '../../src/core/change/operation.ts'
import type { Marking } from '../../src/core/run-state.ts'
import type { PipelineSettings, ServiceSettings } from '../../src/core/settings.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import type { Transport } from '../../src/service/http.ts'
import { createService } from '../../src/service/service.ts'
import { openState, type OwnedState } from '../../src/store/state-store.ts'
import { type RunContext, watchedSession } from '../../src/sync/context.ts'
import { rebuildPipeline, type RebuildResult } from '../../src/sync/rebuild.ts'
import { type PipelineResult, runPipeline } from '../../src/sync/run.ts'
import { notingStatus, statusNotes } from '../../src/sync/reads/status-notes.ts'
import { createTally } from '../../src/sync/tally.ts'
import { runUndo, type Undo } from '../../src/sync/undo.ts'
import { createTermDirectory } from '../../src/sync/term-directory.ts'
import { writingTogether } from '../../src/sync/send/together.ts'
import { createMailTurns, createTurns } from '../../src/sync/send/turns.ts'
import { windowWith } from '../support/window.ts'
import type { Chance } from './chance.ts'
import { type Decisions, decisionsOf } from './desk.ts'
import {
  createLifetime,
  type Lifetime,
  type LifetimePlan,
  livingClock,
  livingSource,
  livingState,
  livingTransport,
} from './lifetime.ts'
import type { Ledger } from './ledger.ts'
import type { SimulatedSource } from './simulated-source.ts'
import type { Timeline } from './timeline.ts'
import type { BegunRun } from './undoing.ts'

/** Where states are kept while they are tried: in memory where the machine has such a place. */
export interface StateFolder {
  readonly path: string
  /** A state as it is when it has just been made. */
  readonly template: string
  remove(): void
}

export function makeStateFolder(): StateFolder {
  const path = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'contact-sync-simulation-'))
  const template = join(path, 'template.db')
  const state = openState(template, { pid: 1, since: 0, thorough: false })
  void state.close()
  const db = new Database(template)
  // The name of a new state is chance that no seed decides.
  db.exec("UPDATE meta SET value = '0123456789abcdef' WHERE name = 'instance'")
  db.pragma('journal_mode = DELETE')
  db.close()
  rmSync(`${template}.mark`, { force: true })
  return { path, template, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export interface ProgramDeps {
  readonly timeline: Timeline
  readonly ledger: Pick<Ledger, 'announce' | 'ended'>
  readonly chance: Chance
  readonly service: ServiceSettings
  readonly sources: ReadonlyMap<string, SimulatedSource>
  readonly transport: (life: number) => Transport
  readonly pipelines: readonly PipelineSettings[]
  /** The files of the outbox by name; undefined where there is none. */
  readonly outbox: Map<string, string> | undefined
  readonly begun: BegunRun[]
  readonly violated: (oracle: string, text: string) => void
  /** What the machine's clock says. */
  readonly wall: () => number
  /** Every line that would be logged, as JSON. */
  readonly log: (line: string) => void
  readonly trace: (text: string) => void
}

export interface Program extends Decisions {
  readonly life: Lifetime
  readonly number: number
  /** Beside the points: for lists, and for what a person does between two runs. */
  readonly state: StateStore
  readonly file: string
  run(pipeline: PipelineSettings, signal: AbortSignal): Promise<PipelineResult>
  undo(pipeline: PipelineSettings, undo: Omit<Undo, 'entries'>): Promise<PipelineResult>
  /** `state rebuild` of one pipeline. */
  rebuild(pipeline: PipelineSettings): Promise<RebuildResult>
  /** The state is the latest again. */
  accept(): void
  /** Ends it without putting anything in order. */
  drop(): void
}

/** As a killed process leaves it: the database and its log, without a checkpoint, and its mark. */
export function copyState(from: string, to: string): void {
  for (const end of ['', '-wal', '.mark']) if (existsSync(from + end)) copyFileSync(from + end, to + end)
}

export function removeState(file: string): void {
  for (const end of ['', '-wal', '-shm', '.lock', '.mark']) rmSync(file + end, { force: true })
}

/** The window that all processes share, after one that was killed: until it is over no free place is known. */
function windowAfter(life: number, { timeline, service }: ProgramDeps): SharedWindow {
  const freeAt = life > 1 ? timeline.now() + service.rate_limit.per : 0
  return windowWith({ take: () => Math.max(0, freeAt - timeline.now()) })
}

function closeQuietly(state: OwnedState): void {
  // A statement may still be open in what never came back; then the connection goes with the process.
  state.close().catch(() => undefined)
}

/** Tells the ledger which terms are noted as about to be given. */
function announcing(state: StateStore, life: number, { ledger, timeline }: ProgramDeps): StateStore {
  const announce = ({ operations, terms = [] }: Marking): void => {
    const gives = terms.filter(({ ours }) => ours).map(({ name }) => name)
    for (const { id, contactId: contact } of gives.length === 0 ? [] : operations)
      if (contact !== undefined) ledger.announce({ life, operation: id, at: timeline.now(), contact, gives })
  }
  const end = (settled: readonly Settled[]): void =>
    ledger.ended(
      life,
      settled.map(({ operation }) => operation.id),
    )
  return {
    ...state,
    async markSending(operations, about) {
      await state.markSending(operations, about)
      announce({ operations, ...about })
    },
    async settleBatch(settled, context) {
      const settlements = await state.settleBatch(settled, context)
      end(settled)
      return settlements
    },
    async markAndSettle(marks, ended) {
      const settlements = await state.markAndSettle(marks, ended)
      end(ended?.settled ?? [])
      marks.forEach(announce)
      return settlements
    },
  }
}

export function startProgram(
  deps: ProgramDeps,
  at: { file: string; number: number; isOlder?: boolean },
  plan: LifetimePlan,
): Program {
  const { timeline, chance, sources, log, trace } = deps
  const draws = chance.stream(`life ${at.number}`)
  const life = createLifetime(plan, timeline, draws.stream('points'))
  const owned = openState(at.file, { pid: 1, since: 0, thorough: false, evenOlder: at.isOlder === true })
  const state = livingState(announcing(owned, at.number, deps), life)
  const clock = livingClock(timeline, life, deps.wall)
  const random = draws.stream('random').next
  const note = (message: string, fields: unknown): void => log(JSON.stringify({ message, fields }))
  const service = createService(deps.service, {
    clock,
    random,
    shared: windowAfter(at.number, deps),
    transport: livingTransport(deps.transport(at.number), life),
    onEvent: (event) => note('service call', event),
  })
  const turns = createTurns()
  const mails = createMailTurns()

  function context(pipeline: PipelineSettings, signal: AbortSignal): RunContext {
    const source = sources.get(pipeline.name)
    if (source === undefined) throw new Error(`no source for ${pipeline.name}`)
    const id = runId(deps.wall(), random)
    const circuit = createCircuit(pipeline.guards)
    const plain = service.session({ signal })
    const outbox = deps.outbox === undefined ? undefined : 'outbox'
    const store = statusNotes(state, {
      consents: { outbox, suppress: undefined },
      pipelines: [...deps.pipelines],
    })
    const noted = store === undefined ? plain : notingStatus(plain, { store, pipeline: pipeline.name, clock })
    const session = watchedSession(noted, { signal, circuit })
    return {
      runId: id,
      pipeline,
      service: deps.service,
      state: writingTogether(state),
      source: livingSource(source, life),
      session,
      circuit,
      terms: createTermDirectory(session, { state }),
      customFieldKey: deps.service.custom_field_key,
      turns,
      mails,
      ahead: (work) => service.ahead(work),
      seen: {},
      tally: createTally(id),
      clock,
      signal,
      log: { info: note, warn: note },
      report: () => undefined,
    }
  }

  /** As src/app/run/opt-out-files.ts does it. */
  async function writeOptOuts(outbox: Map<string, string>): Promise<void> {
    for (let file = await state.openOptOuts(); file !== undefined; file = await state.openOptOuts()) {
      const { name, text } = optOutFile(file.number, file.rows)
      await life.call('outbox.write', () => {
        if ((outbox.get(name) ?? text) !== text)
          deps.violated('outbox', `${name} is written with another text`)
        outbox.set(name, text)
        trace(`outbox: ${name} ${JSON.stringify(text)}`)
        return Promise.resolve()
      })
      await state.optOutsWritten(file.number)
    }
  }

  return {
    ...decisionsOf({ ...deps, file: at.file, state: owned }),
    life,
    number: at.number,
    state: owned,
    file: at.file,
    async run(pipeline, signal) {
      const given = context(pipeline, signal)
      trace(`run ${given.runId} of ${pipeline.name} begins`)
      deps.begun.push({ runId: given.runId, pipeline: pipeline.name, at: timeline.now() })
      const result = await runPipeline(given, { wait: false })
      if (deps.outbox !== undefined) await writeOptOuts(deps.outbox)
      trace(`run ${given.runId} of ${pipeline.name} ends: ${JSON.stringify(result)}`)
      log(JSON.stringify(result))
      return result
    },
    async undo(pipeline, undo) {
      const given = context(pipeline, new AbortController().signal)
      deps.begun.push({ runId: given.runId, pipeline: pipeline.name, at: timeline.now() })
      const leftAlone = ({ key, what, why }: LeftAlone): void => trace(`left: ${key}, ${what}: ${why}`)
      const entries = owned.entriesOfRun(undo.run)
      const result = await runUndo({ ...undo, entries }, { ...given, leftAlone })
      trace(`undo ${given.runId} of ${undo.run} ends: ${JSON.stringify(result)}`)
      log(JSON.stringify(result))
      return result
    },
    async rebuild(pipeline) {
      const given = context(pipeline, new AbortController().signal)
      const { concurrency } = deps.service.rate_limit
      const result = await rebuildPipeline({ ...given, concurrency }, { wait: false })
      trace(`rebuild of ${pipeline.name} ends: ${JSON.stringify(result)}`)
      return result
    },
    accept: () => owned.accept(),
    drop() {
      life.end()
      closeQuietly(owned)
    },
  }
}
