// `undo`: puts back what a run did, contact by contact, where it is still as the run left it; first shown as a plan.
import { decide, ownOrAsk } from '../../app/decisions/deciding.ts'
import { pauseNotes } from '../../app/decisions/pausing.ts'
import { previewUndo } from '../../app/run/preview.ts'
import type { WithWarnings } from '../../app/run/run.ts'
import type { RunMade } from '../../app/decisions/kinds.ts'
import { openRunner } from '../../app/run/runner.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { systemClock as clock } from '../../system.ts'
import type { Plan } from '../../core/change/plan/plan.ts'
import type { PlannedChange } from '../../core/change/plan/planned-change.ts'
import type { DecidedBy } from '../../core/words/decided-by.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { exitCode, isCutOff } from '../../core/outcome/summary.ts'
import { EXIT } from '../../core/words/exit-codes.ts'
import type { LeftAlone } from '../../core/log/undo.ts'
import type { ProgressReport } from '../../core/outcome/run-progress.ts'
import { confirm } from '../confirm.ts'
import { number, plural } from '../../core/words/format.ts'
import { decidedBy, type DecidingOptions } from '../decided-by.ts'
import { askingOf } from '../deciding.ts'
import { type Io, print, printError, printJson } from '../io.ts'
import { createProgress } from '../progress.ts'
import { commandSettings, warnOfOlderState } from '../settings.ts'
import { resultLines } from '../summary.ts'
import { changeText } from '../plan/change-text.ts'
import { planJson } from '../plan/plan-json.ts'
import { planSummary } from '../plan/plan-text.ts'
import { drained } from './plan.ts'
import { planLog, quietLog } from './quiet-log.ts'

interface UndoCommandOptions extends DecidingOptions {
  readonly pause?: boolean
  readonly contact?: string
  readonly deleteCreated?: boolean
  readonly addedTerms?: boolean
  readonly plan?: boolean
  readonly yes?: boolean
}

interface Planning {
  readonly io: Io
  readonly settings: Settings
  readonly pipeline: PipelineSettings
  readonly undo: {
    readonly run: string
    readonly contact: string | undefined
    readonly deleteCreated: boolean
    readonly addedTerms: boolean
  }
}

interface Work extends Planning {
  readonly decided: DecidedBy
  /** It was paused for this, and stays so. */
  readonly evenPaused: boolean
}

/** Throws USAGE where the state knows no such run, or its pipeline is no longer configured. */
async function pipelineOf(settings: Settings, run: string): Promise<PipelineSettings> {
  const state = openStateForReading(settings.state)
  try {
    const name = (await state?.run(run))?.pipeline
    if (name === undefined)
      throw new SyncError('USAGE', `the state knows no run ${run}`, {
        hint: 'The sync log names the run of every change.',
      })
    const pipeline = settings.pipelines.find((one) => one.name === name)
    if (pipeline === undefined)
      throw new SyncError(
        'USAGE',
        `run ${run} was one of the pipeline ${name}, which is no longer configured`,
      )
    return pipeline
  } finally {
    await state?.close()
  }
}

/** What the run held was not sent, and an undo does not touch it: who undoes a run is told where it waits. */
async function heldNote(settings: Settings, pipeline: string, run: string): Promise<string | undefined> {
  const state = openStateForReading(settings.state)
  try {
    const plans = (await state?.heldPlans([pipeline])) ?? []
    const waiting = plans
      .filter(({ runId }) => runId === run)
      .reduce((sum, { left, ready }) => sum + left + ready, 0)
    return waiting === 0
      ? undefined
      : `run ${run} holds ${plural(waiting, 'change')} that it did not send, and this does not touch ${waiting === 1 ? 'it' : 'them'}: contact-sync held drop ${run}`
  } finally {
    await state?.close()
  }
}

const leftJson = ({ key, contactId, what, why }: LeftAlone) => ({
  key: key === '' ? null : key,
  contact_id: contactId === 0 ? null : contactId,
  what,
  why,
})

const leftText = ({ key, contactId, what, why }: LeftAlone): string =>
  `  = unchanged: ${contactId === 0 ? '' : `${key} (contact ${contactId}), `}${what}: ${why}`

/** Hands on what undoing would change, and what it would leave. */
async function planned(
  { io, settings, pipeline, undo }: Planning,
  told: { change(change: PlannedChange): void; left(left: LeftAlone): void },
): Promise<Plan> {
  const log = planLog(io, settings)
  const options = { wait: false, signal: io.signal, report: () => undefined, log, left: told.left }
  const changes = previewUndo(settings, { pipeline, undo }, options)
  try {
    for (;;) {
      const { done, value } = await changes.next()
      if (done === true) return value
      told.change(value)
      await drained(io)
    }
  } finally {
    await log.close()
  }
}

async function showPlan(work: Planning, isJson: boolean): Promise<number> {
  const { io, undo } = work
  const changes: PlannedChange[] = []
  const left: LeftAlone[] = []
  if (!isJson) print(io, `${work.pipeline.name}: what undoing run ${undo.run} would change; nothing is sent`)
  const plan = await planned(work, {
    change(change) {
      if (isJson) changes.push(change)
      else print(io, changeText(change))
    },
    left(one) {
      if (isJson) left.push(one)
      else print(io, leftText(one))
    },
  })
  const { pipeline, ...rest } = planJson(plan)
  if (isJson)
    printJson(io, { undoes: undo.run, pipelines: [{ pipeline, changes, ...rest }], left: left.map(leftJson) })
  else {
    print(io, planSummary(plan))
    print(io, '  Each contact is read before it is changed: values that others changed since stay.')
  }
  return exitCode([plan])
}

/** What a person is asked: how much it is, before anything is sent. */
async function question(work: Planning): Promise<string> {
  const count = { update: 0, delete: 0, create: 0 }
  let left = 0
  await planned(work, {
    change({ action }) {
      count[action] += 1
    },
    left() {
      left += 1
    },
  })
  const deleted = count.delete > 0 ? `, delete ${plural(count.delete, 'contact')}` : ''
  const kept = left > 0 ? `; ${number(left)} values stay unchanged (--plan names them)` : ''
  return `Undo run ${work.undo.run} of ${work.pipeline.name}: put back ${plural(count.update, 'contact')}${deleted}${kept}. Continue?`
}

/** What the next run would do about it, and how that is prevented. */
const afterwards = ({ pipeline: { name } }: Work): string =>
  `  The next run sends the values of the source again: fix the source or the mapping first. Until then: contact-sync pause ${name}`

async function undoHere(work: Work): Promise<RunMade> {
  const { io, settings, pipeline, undo, decided, evenPaused } = work
  const log = quietLog(io, settings)
  const progress = createProgress(pipeline.name, io, clock)
  const left: LeftAlone[] = []
  try {
    const runner = openRunner(settings, { log, pid: io.pid, thorough: false })
    try {
      const result = await runner.undo(pipeline, undo, {
        wait: false,
        signal: io.signal,
        decided,
        evenPaused,
        report: (report) => progress.report(report),
        left: (one) => left.push(one),
      })
      return { result, left }
    } finally {
      await runner.close()
    }
  } finally {
    progress.clear()
    await log.close()
  }
}

async function undoHereOrBeside(work: Work): Promise<RunMade> {
  const { io, settings, pipeline, undo, decided, evenPaused } = work
  const progress = createProgress(pipeline.name, io, clock)
  const show = (event: unknown): void =>
    progress.report((event as { report: Partial<ProgressReport> }).report)
  const args = { ...undo, pipeline: pipeline.name, evenPaused }
  const asked = { settings, deciding: { kind: 'undo', args, decided } as const, isConfirmed: true }
  try {
    return await ownOrAsk(asked, { ...askingOf(io), show }, () => undoHere(work))
  } finally {
    progress.clear()
  }
}

async function carryOut(work: Work, isJson: boolean): Promise<number> {
  const { io, undo } = work
  const { result, left } = await undoHereOrBeside(work)
  for (const warning of result.warnings) printError(io, `warning: ${warning}`)
  if (isJson)
    printJson(io, { status: result.status, undoes: undo.run, pipelines: [result], left: left.map(leftJson) })
  else {
    for (const one of left) print(io, leftText(one))
    print(io, resultLines(result))
    print(io, nextStep(work, result))
  }
  if (!isCutOff(result)) return exitCode([result])
  if (!io.signal.aborted)
    printError(io, 'the process that has the state was stopped meanwhile; the next run continues from here')
  return EXIT.terminated
}

function nextStep(work: Work, { code }: WithWarnings): string {
  const { pipeline, undo: asked, evenPaused } = work
  if (evenPaused)
    return `  The pipeline stays paused. When the source or the mapping is fixed: contact-sync resume ${pipeline.name}`
  if (code === 'PAUSED')
    return `  To undo it while the pipeline stays paused: contact-sync undo ${asked.run} --pause`
  return afterwards(work)
}

export async function undo(io: Io, options: UndoCommandOptions, [run = '']: string[]): Promise<number> {
  const settings = await commandSettings(io, options)
  warnOfOlderState(io, settings)
  const pipeline = await pipelineOf(settings, run)
  const asked = {
    run,
    contact: options.contact,
    deleteCreated: options.deleteCreated === true,
    addedTerms: options.addedTerms === true,
  }
  const isPausing = options.pause === true
  const planOf = { io, settings, pipeline, undo: asked }
  const held = await heldNote(settings, pipeline.name, run)
  if (held !== undefined) printError(io, `note: ${held}`)
  if (options.plan === true) {
    for (const note of await pauseNotes(settings, [pipeline.name])) printError(io, note)
    return showPlan(planOf, options.json === true)
  }
  const who = await decidedBy(io, options, settings)
  const yes = options.yes === true
  await confirm(io, yes || !io.isInteractive ? '' : await question(planOf), yes)
  if (isPausing)
    await decide(
      settings,
      { kind: 'pause', args: { pipelines: [pipeline.name] }, decided: who },
      askingOf(io),
    )
  return carryOut({ ...planOf, decided: who, evenPaused: isPausing }, options.json === true)
}
