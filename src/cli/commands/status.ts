// `status`: each pipeline at a glance, from the state and the inbox; once, or again and again.
import { orphans } from '../../app/people/pipelines.ts'
import {
  commonStanding,
  type CommonStanding,
  pipelineStanding,
  type PipelineStatus,
} from '../../app/standing.ts'
import { shareConnections } from '../../app/sharing-connections.ts'
import { openStateForReading } from '../../store/state-store.ts'
import { fleetStanding, stateOwner } from '../../store/info.ts'
import { fleetView } from '../../core/fleet.ts'
import { systemClock as clock } from '../../system.ts'
import type { ErasedSeen } from '../../core/erasing.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import { control } from '../guarded.ts'
import { type CommonOptions, type Io, print, printJson } from '../io.ts'
import { chosenPipelines, commandSettings, warnOfOlderState } from '../settings.ts'
import {
  erasedText,
  behindText,
  orphanText,
  ownerText,
  unassignedText,
  workersJson,
  workerText,
  pauseText,
  rateText,
  standingText,
} from '../status-text.ts'
import { terminalOf, wrap } from '../terminal.ts'

interface StatusOptions extends CommonOptions {
  readonly watch?: boolean
  readonly every?: string
}

const isoTime = (ms: number | undefined): string | null =>
  ms === undefined ? null : new Date(ms).toISOString()

function lastRunJson({ lastRun: run, isRunning }: PipelineStatus) {
  if (run === undefined) return null
  return {
    run_id: run.id,
    started_at: isoTime(run.startedAt),
    ended_at: isoTime(run.endedAt),
    status: run.status ?? (isRunning ? 'running' : 'unfinished'),
    ...run.counts,
    ...(run.code === undefined ? {} : { code: run.code }),
    ...(run.error === undefined ? {} : { error: run.error }),
  }
}

function driftJson({ drift: round }: PipelineStatus) {
  if (round === undefined) return null
  const { unanswered: unread, ...counts } = round.counts
  const share = counts.checked === 0 ? 0 : counts.differing / counts.checked
  return { ended_at: isoTime(round.endedAt), ...counts, unread, share }
}

const standingJson = (standing: PipelineStatus) => ({
  pipeline: standing.pipeline,
  running: standing.isRunning,
  last_run: lastRunJson(standing),
  last_success: isoTime(standing.lastSuccess),
  next_run: isoTime(standing.nextRun),
  waiting: {
    files: standing.waiting.files,
    bytes: standing.waiting.bytes,
    unsettled: standing.waiting.unsettled,
    refused: standing.waiting.refused,
    ...(standing.waiting.error === undefined ? {} : { code: standing.waiting.error.code }),
  },
  to_send: standing.toSend,
  linked: standing.linked,
  rejects: standing.rejects,
  held: standing.held,
  released: standing.released,
  edits_to_release: standing.editsToRelease,
  failed_files: {
    files: standing.failedFiles.files,
    oldest: isoTime(standing.failedFiles.oldest),
    ...(standing.failedFiles.error === undefined ? {} : { code: standing.failedFiles.error.code }),
  },
  in_doubt: standing.inDoubt,
  on_its_way: standing.onItsWay,
  to_be_tried_again: standing.toBeTriedAgain,
  drift: driftJson(standing),
  paused:
    standing.paused === undefined
      ? null
      : {
          since: isoTime(standing.paused.since),
          by: standing.paused.by,
          reason: standing.paused.reason ?? null,
        },
})

/** How everything stands now, as text or as one JSON document. */
async function look(of: Settings, pipelines: readonly PipelineSettings[]) {
  const { sharing, close } = shareConnections()
  const settings = sharing(of)
  const isShared = settings.state.url !== undefined
  const fleet = isShared ? fleetStanding(settings.state) : undefined
  const owner = fleet === undefined ? stateOwner(settings.state) : fleet.workers[0]
  const state = openStateForReading(settings.state)
  const ownerOf = (name: string) =>
    fleet === undefined ? owner : fleet.leases.find(({ pipeline }) => pipeline === name)
  try {
    const about = { settings, state, owner }
    return {
      owner,
      fleet:
        fleet &&
        fleetView(
          fleet,
          settings.pipelines.map(({ name }) => name),
        ),
      orphans: orphans(settings),
      common: await commonStanding(about),
      standings: await Promise.all(
        pipelines.map((pipeline) => pipelineStanding(pipeline, { ...about, owner: ownerOf(pipeline.name) })),
      ),
    }
  } finally {
    await state?.close()
    close()
  }
}

type Look = Awaited<ReturnType<typeof look>>

const pauseJson = ({ pause }: CommonStanding) =>
  pause === undefined ? null : { since: isoTime(pause.since), code: pause.code, reason: pause.reason }

const rateJson = ({ rate }: CommonStanding) => ({
  requests: rate.requests,
  per_ms: rate.perMs,
  allowed: rate.allowed,
  used: rate.used,
  slowed_until: isoTime(rate.slowedUntil),
  paused_until: isoTime(rate.pausedUntil),
  per_day: rate.perDay ?? null,
  used_of_day: rate.usedOfDay ?? null,
})

const erasedJson = ({ contactId, print, firstAt, lastAt, isLinked }: ErasedSeen) => ({
  contact_id: contactId,
  print,
  first_seen: isoTime(firstAt),
  last_seen: isoTime(lastAt),
  linked: isLinked,
})

const handOverJson = ({ handOver }: CommonStanding) =>
  handOver === undefined
    ? null
    : { to: handOver.to, behind: handOver.behind, oldest: isoTime(handOver.oldestAt) }

const lookJson = ({ owner, fleet, orphans: known, common, standings }: Look) => ({
  owner: owner === undefined ? null : { pid: owner.pid, since: isoTime(owner.since) },
  ...(fleet && { workers: workersJson(fleet.workers), unassigned: fleet.unassigned }),
  pause: pauseJson(common),
  rate: rateJson(common),
  hand_over: handOverJson(common),
  erased_at_service: common.erasedSeen.map(erasedJson),
  pipelines: standings.map(standingJson),
  orphans: known,
})

function lookText(io: Io, { owner, fleet, orphans: known, common, standings }: Look): readonly string[] {
  const terminal = terminalOf(io)
  const now = clock.now()
  return [
    ...standings.flatMap((one) => standingText(one, now, terminal)),
    ...known.map(orphanText),
    ...rateText(common, now, terminal),
    ...(fleet === undefined || fleet.workers.length === 0
      ? [ownerText(owner, now)]
      : fleet.workers.flatMap((one) => wrap(workerText(one), terminal.columns, 2))),
    ...unassignedText(fleet?.unassigned ?? []),
    ...pauseText(common, now, terminal),
    ...erasedText(common, now, terminal),
    ...behindText(common, now),
  ]
}

const HOME_AND_CLEAR = control('\u001b[H\u001b[2J')

function show(io: Io, options: StatusOptions, seen: Look): void {
  if (options.json === true) return printJson(io, lookJson(seen))
  const lines = lookText(io, seen)
  if (options.watch !== true) return print(io, lines)
  if (terminalOf(io).isTerminal) io.stdout.write(HOME_AND_CLEAR)
  print(io, [...lines, ''])
}

function seconds(text: string | undefined): number {
  const value = Number(text ?? 2)
  if (value >= 0.1 && value <= 86_400) return value
  throw new SyncError('USAGE', `"${text ?? ''}" is not an interval`, {
    hint: '--every takes seconds, from 0.1 to 86400.',
  })
}

export async function status(io: Io, options: StatusOptions, names: string[]): Promise<number> {
  const every = seconds(options.every) * 1000
  const settings = await commandSettings(io, options)
  const pipelines = chosenPipelines(settings, names)
  warnOfOlderState(io, settings)
  show(io, options, await look(settings, pipelines))
  while (options.watch === true) {
    await clock.sleep(every, io.signal)
    if (io.signal.aborted) break
    show(io, options, await look(settings, pipelines))
  }
  return 0
}
