// The data of the console's pages: the state by the thread that reads it, the present condition of the daemon, the settings in
// force. Part of the composition.
import { effectiveSettings } from '../../config/effective.ts'
import { SOURCE_KINDS } from '../../sources/registry.ts'
import type { ConsoleData, LiveView } from '../../console/data.ts'
import { readiness } from '../../console/health.ts'
import { termKey } from '../../core/mapping/terms.ts'
import type { Decision } from '../../core/decision.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Explanation } from '../../core/explain/explanation.ts'
import type { DaemonCondition } from '../../core/outcome/daemon.ts'
import type { RunProgress } from '../../core/outcome/run-progress.ts'
import type { Clock } from '../../core/ports.ts'
import type { NotedRead } from '../../core/log/reads.ts'
import type { Settings } from '../../core/settings.ts'
import { VERSION } from '../../installation.ts'
import { standingsOfReceivers, testAlerts } from '../alerting/alert-commands.ts'
import { nextDue } from '../run/next-due.ts'
import { requestsOfDay } from '../run/service/rate-window.ts'
import { explainRecords } from '../people/explain.ts'
import type { Corrected } from '../people/correcting.ts'
import { correctableReject } from '../people/correctable.ts'
import { countedApprovals, isReleasedAgain, type Released, releaseLines } from '../people/releasing.ts'
import { createReader, type Readable } from './reader.ts'

interface Parts {
  readonly clock: Clock
  /** Of now: a reload may have changed them. */
  settings(): Settings
  daemon(): DaemonCondition
  progress(): readonly RunProgress[]
  noteRead(read: NotedRead): void
  /** By the owner of the state. */
  decide(decision: Decision): Promise<unknown>
}

function liveView({ clock, settings, daemon, progress }: Parts): LiveView {
  const { pipelines, service } = settings()
  const state = daemon()
  const byName = new Map(state.pipelines.map((pipeline) => [pipeline.name, pipeline]))
  const active = new Set(state.fleet?.workers.flatMap((worker) => worker.active))
  return {
    version: VERSION,
    now: clock.now(),
    startedAt: state.startedAt,
    ...readiness(state),
    refusedReload: state.refusedReload,
    fleet: state.fleet,
    pipelines: pipelines.map(({ name, schedule, timezone, watch }) => {
      const own = byName.get(name)
      return {
        name,
        schedule,
        timezone,
        // What another worker runs is due as its schedule says.
        dueAt: own === undefined ? nextDue({ schedule, timezone }) : own.dueAt,
        watches: watch,
        running: own?.runningSince !== undefined || active.has(name),
        paused: state.paused.get(name),
      }
    }),
    rate: service.rate_limit,
    progress: progress(),
  }
}

/** Undefined where no record of a configured pipeline is linked to the contact. */
async function explainLinked(
  contactId: number,
  name: string,
  state: Readable,
  settings: Settings,
): Promise<Explanation | undefined> {
  const pipeline = settings.pipelines.find((one) => one.name === name)
  const { records } = await state.person(contactId)
  const key = records.find((record) => record.pipeline === name)?.key
  if (pipeline === undefined || key === undefined) return undefined
  return (await explainRecords(key, { settings, pipeline, state })).find((one) => one.key === key)
}

const refused = (error: unknown) => ({
  isDone: false,
  text: error instanceof SyncError ? `${error.message}. ${error.hint}` : 'It failed; the log has the reason.',
})

const correctedText = ({ pipeline, key, still }: Corrected): string =>
  still === null
    ? `Done. The next run of ${pipeline} maps record ${key} with it. It is in the sync log.`
    : `Noted, and in the sync log. Record ${key} is still rejected: ${still}.`

const DONE = 'Done. It is in the sync log.'

/** With what an approval leaves open. */
function doneText(kind: string, result: unknown): string {
  if (kind === 'correct') return correctedText(result as Corrected)
  if (kind !== 'held release') return DONE
  const released = result as Released
  const first = isReleasedAgain(released) ? 'Nothing new was decided.' : DONE
  return [first, ...releaseLines(released).map((line) => `${line}.`)].join(' ')
}

/** A run is begun, and not waited for: its page shows what becomes of it. */
async function decided(decision: Decision, { decide }: Parts): ReturnType<ConsoleData['decide']> {
  const taking = decide(decision)
  if (decision.kind === 'run') {
    taking.catch(() => undefined)
    return { isDone: true, text: 'The run was asked for. The list of runs shows it as soon as it has begun.' }
  }
  try {
    return { isDone: true, text: doneText(decision.kind, await taking) }
  } catch (error) {
    return refused(error)
  }
}

/** A receiver that does not answer is waited for no longer than for any message. */
async function testedAlerts(settings: Settings): ReturnType<ConsoleData['testAlerts']> {
  const tested = await testAlerts(settings, new AbortController().signal)
  const lines = tested.map(
    ({ receiver, reason }) =>
      `${receiver}: ${reason === undefined ? 'delivered' : `not delivered: ${reason}`}`,
  )
  return { isDone: tested.every(({ delivered }) => delivered), text: lines.join('\n') }
}

/** Pipelines that name a term have the same numbers for it. */
function brakesOf({ pipelines }: Settings): ReturnType<ConsoleData['brakes']> {
  const all = pipelines.flatMap(({ guards: { brake: rule } }) =>
    rule === undefined ? [] : rule.terms.map((term) => [termKey(term), { term, rule }] as const),
  )
  return [...new Map(all).values()]
}

/** Nothing is opened before the first page is asked for. */
export function consoleData(parts: Parts): { readonly data: ConsoleData; close(): Promise<void> } {
  const reader = createReader(parts.settings().state)
  return {
    data: {
      views: reader.readable,
      log: reader.readable,
      live: () => liveView(parts),
      counting: () => countedApprovals(parts.settings()),
      requestsOfDay: () => requestsOfDay(parts.settings(), parts.clock.now()),
      explain: (contactId, pipeline) => explainLinked(contactId, pipeline, reader.readable, parts.settings()),
      correctable: (id, typed) =>
        correctableReject(
          { id, typed },
          { settings: parts.settings(), state: reader.readable, clock: parts.clock },
        ),
      noteRead: (read) => parts.noteRead(read),
      alerts: () => standingsOfReceivers(parts.settings(), reader.readable),
      testAlerts: () => testedAlerts(parts.settings()).catch(refused),
      decide: (decision) => decided(decision, parts),
      brakes: () => brakesOf(parts.settings()),
      drift: () =>
        parts
          .settings()
          .pipelines.flatMap(({ name, drift }) =>
            drift === undefined ? [] : [{ pipeline: name, share: drift.share }],
          ),
      configuration: () => effectiveSettings(parts.settings(), SOURCE_KINDS),
    },
    close: () => reader.close(),
  }
}
