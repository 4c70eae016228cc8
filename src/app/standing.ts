// How a pipeline stands: what it did, what waits for it, and what it still has to send. Reads alone, from the state and
// the inbox; works beside a running daemon.
import { updatesInBulk } from '../core/change/bulk.ts'
import { looksUp } from '../core/change/lookup/resolution.ts'
import { isToBeReleased } from '../core/change/others/hand-edits.ts'
import type { DriftRound } from '../core/change/others/drift-rounds.ts'
import { currentBacklog, NO_BACKLOG, isRunOfOwner } from '../core/outcome/backlog.ts'
import type { PipelinePause } from '../core/decision.ts'
import type { ErasedSeen } from '../core/erasing.ts'
import { SyncError } from '../core/words/errors.ts'
import { estimate, type Estimate, serviceLimits } from '../core/change/estimate.ts'
import type { NotedPause } from '../core/outcome/daemon.ts'
import type { PipelineSettings, Settings } from '../core/settings.ts'
import type { RunRecord } from '../core/state.ts'
import type { StateStore } from '../core/state-store.ts'
import { failedOf } from '../sources/old-files.ts'
import { createSource } from '../sources/registry.ts'
import { systemClock as clock } from '../system.ts'
import { type HandOverStanding, handOverStanding } from './hand-over-standing.ts'
import { nextDue } from './run/next-due.ts'
import { type RateStanding, rateStanding } from './run/service/rate-window.ts'

/** The files in the inbox now. */
interface Waiting {
  readonly files: number
  readonly bytes: number
  /** Still growing. */
  readonly unsettled: number
  /** What bears a fitting name and is no file that can be taken. */
  readonly refused: number
  /** Why nothing can be said: the folder is missing or may not be read. */
  readonly error: SyncError | undefined
}

/** The files in `failed` beside the inbox. */
interface FailedFiles {
  readonly files: number
  /** When the first of them was put there, milliseconds since the epoch. */
  readonly oldest: number | undefined
  /** Why nothing can be said. */
  readonly error: SyncError | undefined
}

export interface PipelineStatus {
  readonly pipeline: string
  readonly lastRun: RunRecord | undefined
  /** Whether the last run is active now; one without an end that is not was interrupted. */
  readonly isRunning: boolean
  /** Milliseconds since the epoch. */
  readonly nextRun: number | undefined
  /** A file that lands begins a run. */
  readonly watches: boolean
  readonly lastSuccess: number | undefined
  readonly waiting: Waiting
  /** What the active run has still to send, and how long that takes under the rate limit. */
  readonly toSend: Estimate & { readonly changes: number }
  readonly linked: number
  readonly rejects: number
  readonly held: number
  /** Of those held: released, and waiting for the next run. */
  readonly released: number
  /** Fields edited at the service that wait for a release (`hand_edits: ask`). */
  readonly editsToRelease: number
  readonly failedFiles: FailedFiles
  readonly inDoubt: number
  /** Sent by the active run; the answer is outstanding. */
  readonly onItsWay: number
  readonly toBeTriedAgain: number
  /** It sends nothing until an operator resumes it. */
  readonly paused: PipelinePause | undefined
  /** The latest round of looks for drift that has ended. */
  readonly drift: DriftRound | undefined
}

async function waitingFiles(pipeline: PipelineSettings): Promise<Waiting> {
  try {
    const { ready, unsettled, refused } = await createSource(pipeline.source, { clock }).list({ wait: false })
    const bytes = ready.reduce((total, input) => total + input.bytes, 0)
    return { files: ready.length, bytes, unsettled, refused: refused.length, error: undefined }
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    return { files: 0, bytes: 0, unsettled: 0, refused: 0, error }
  }
}

async function filesThatFailed({ source }: PipelineSettings): Promise<FailedFiles> {
  try {
    return { ...(await failedOf(source)), error: undefined }
  } catch (error) {
    if (!(error instanceof SyncError)) throw error
    return { files: 0, oldest: undefined, error }
  }
}

async function stillToSend(
  run: RunRecord | undefined,
  { pipeline, settings, state }: { pipeline: PipelineSettings; settings: Settings; state: StateStore },
): Promise<PipelineStatus['toSend']> {
  if (run === undefined || run.endedAt !== undefined) return { changes: 0, requests: 0, seconds: 0 }
  const totals = await state.planTotals(run.id)
  const { update_method: mergeMethod, terms } = pipeline
  const how = {
    mergeMethod,
    updatesInBulk: updatesInBulk(pipeline),
    looksPerCreate: looksUp(pipeline) ? 1 : 0,
  }
  return {
    changes: totals.operations,
    ...estimate({ ...totals, newTerms: 0 }, { ...serviceLimits(settings.service), ...how, terms }),
  }
}

/** `owner`: who holds the state now. `state`: undefined where there is none yet. */
export async function pipelineStanding(
  pipeline: PipelineSettings,
  of: {
    settings: Settings
    state: StateStore | undefined
    owner: { readonly since: number } | undefined
  },
): Promise<PipelineStatus> {
  const { settings, state, owner } = of
  const { name } = pipeline
  const run = await state?.lastRun(name)
  const isRunning = isRunOfOwner(run, owner?.since, clock.now())
  const backlog = currentBacklog((await state?.backlog(name)) ?? NO_BACKLOG, isRunning)
  return {
    pipeline: name,
    lastRun: run,
    isRunning,
    nextRun: nextDue(pipeline),
    watches: pipeline.watch,
    lastSuccess: (await state?.milestones(name))?.lastSuccessAt,
    waiting: await waitingFiles(pipeline),
    toSend:
      state === undefined
        ? { changes: 0, requests: 0, seconds: 0 }
        : await stillToSend(run, { pipeline, settings, state }),
    linked: backlog.linked,
    rejects: backlog.rejects,
    held: backlog.held,
    released: (await state?.released(name)) ?? 0,
    editsToRelease: ((await state?.openEdits([name])) ?? []).filter(isToBeReleased).length,
    failedFiles: await filesThatFailed(pipeline),
    inDoubt: backlog.inDoubt,
    onItsWay: backlog.onItsWay,
    toBeTriedAgain: backlog.retriable,
    paused: (await state?.pausedPipelines())?.find((one) => one.pipeline === name),
    drift: pipeline.drift === undefined ? undefined : (await state?.driftRounds(name, 1))?.[0],
  }
}

/** What holds for all pipelines. */
export interface CommonStanding {
  /** The daemon lets no run begin, because the service cannot be used. */
  readonly pause: NotedPause | undefined
  readonly rate: RateStanding
  /** Contacts at the service that show the address of an erased person. */
  readonly erasedSeen: readonly ErasedSeen[]
  /** Entries of the sync log that its collector does not have yet; undefined: there is none. */
  readonly handOver: HandOverStanding | undefined
}

export async function commonStanding(of: {
  settings: Settings
  state: StateStore | undefined
  owner: object | undefined
}): Promise<CommonStanding> {
  const { settings, state, owner } = of
  const now = clock.now()
  return {
    pause: owner === undefined ? undefined : await state?.notedPause(),
    rate: rateStanding(settings, now),
    erasedSeen: (await state?.erasedSeen()) ?? [],
    handOver: await handOverStanding(settings, state),
  }
}
