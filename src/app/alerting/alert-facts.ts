// What alerts are judged by, gathered from the state, the daemon and what runs have just met.
import { currentBacklog } from '../../core/outcome/backlog.ts'
import { type AlertFacts, conditionOfService, type PipelineFacts } from '../../core/alerts/alert.ts'
import type { AlertStore } from '../../core/alerts/alert-store.ts'
import type { DriftRoundStore } from '../../core/change/others/drift-rounds.ts'
import type { HandEditStore } from '../../core/change/others/hand-edits.ts'
import type { ErasedSeenStore } from '../../core/erasing.ts'
import type { HandOverStore } from '../../core/log/hand-over.ts'
import type { SyncLog } from '../../core/log/sync-log.ts'
import {
  type DaemonCondition,
  type DaemonListener,
  type EndedRun,
  isElsewhere,
  isRunActive,
} from '../../core/outcome/daemon.ts'
import type { Clock } from '../../core/ports.ts'
import type { PipelineSettings, Settings } from '../../core/settings.ts'
import type { StateLists } from '../../core/state.ts'
import { orphansAmong } from '../../store/pipelines.ts'
import { recordsThatAsk } from '../asked-edits.ts'
import { handOverStanding } from '../hand-over-standing.ts'

/** How the service was when this process last asked it. */
export interface ServiceVerdict {
  current(): AlertFacts['service']
  readonly listen: DaemonListener
  ran(run: Pick<EndedRun, 'code' | 'error' | 'requests'>): void
}

export function createServiceVerdict(): ServiceVerdict {
  let verdict: AlertFacts['service'] = 'unknown'
  const ran: ServiceVerdict['ran'] = ({ code, error, requests }) => {
    if (code !== undefined && conditionOfService(code) !== undefined)
      verdict = { code: code as never, reason: error ?? code }
    // A run that had nothing to ask has seen nothing of the service.
    else if (requests > 0) verdict = 'good'
  }
  return {
    current: () => verdict,
    ran,
    listen(event) {
      if (event.type === 'run_ended') ran(event.run)
      if (event.type === 'paused') verdict = event.pause
      if (event.type === 'resumed') verdict = 'good'
    },
  }
}

type Reads = Pick<StateLists, 'lastRun' | 'milestones' | 'backlog' | 'heldPlans'> &
  Pick<AlertStore, 'knownPipelines'> &
  Pick<DriftRoundStore, 'driftRounds'> &
  Pick<ErasedSeenStore, 'erasedSeen'> &
  Pick<SyncLog, 'logHead' | 'logEntry'> &
  Pick<HandEditStore, 'openEdits'> &
  HandOverStore

/** What approvers must release; the plans are looked at only where something is held. */
async function approvalOf(
  { name, approvals }: PipelineSettings,
  { state, server }: { state: Reads; server: Settings['server'] },
): Promise<PipelineFacts['approval']> {
  if (approvals === undefined) return undefined
  const plans = await state.heldPlans([name])
  const changes = plans.reduce((sum, { toApprove }) => sum + toApprove, 0)
  const approvers = server.users.filter(({ role }) => role === 'approver').map((user) => user.name)
  return changes === 0 ? undefined : { changes, approvers }
}

async function driftOf({ name, drift }: PipelineSettings, state: Reads): Promise<PipelineFacts['drift']> {
  if (drift === undefined) return undefined
  const [round] = await state.driftRounds(name, 1)
  return round === undefined ? undefined : { round, share: drift.share }
}

async function pipelineFacts(
  pipeline: PipelineSettings,
  {
    state,
    server,
    condition,
  }: { state: Reads; server: Settings['server']; condition: DaemonCondition | undefined },
): Promise<PipelineFacts> {
  const { name, timezone } = pipeline
  const live = condition?.pipelines.find((one) => one.name === name)
  const isRunning = condition !== undefined && isRunActive(condition, name)
  const elsewhere = live === undefined ? condition?.fleet?.troubles?.get(name) : undefined
  const here = live?.brokenAt === undefined ? undefined : { code: live.brokenBy }
  return {
    name,
    timezone,
    isRunning,
    lastRun: await state.lastRun(name),
    milestones: await state.milestones(name),
    backlog: currentBacklog(await state.backlog(name), isRunning),
    asking: await recordsThatAsk(pipeline, state),
    approval: await approvalOf(pipeline, { state, server }),
    broken: here ?? (elsewhere?.broken && { code: elsewhere.broken.code }),
    waitingSince: live?.waitingSince ?? elsewhere?.waitingSince,
    drift: await driftOf(pipeline, state),
  }
}

/** How the service was for the last runs that other workers made. */
function seenElsewhere(
  pipelines: readonly PipelineFacts[],
  condition: DaemonCondition | undefined,
): AlertFacts['service'] | undefined {
  if (condition === undefined) return undefined
  const runs = pipelines.flatMap(({ name, lastRun }) =>
    lastRun !== undefined && isElsewhere(condition, name) ? [lastRun] : [],
  )
  for (const { code, error } of runs)
    if (code !== undefined && conditionOfService(code) !== undefined)
      return { code: code as never, reason: error ?? code }
  if (runs.some(({ status }) => status === undefined)) return 'unknown'
  return runs.length === 0 ? undefined : 'good'
}

/** What this process has seen of it goes first where it is bad, and what others have seen otherwise. */
function serviceOf(
  seen: AlertFacts['service'],
  elsewhere: AlertFacts['service'] | undefined,
): AlertFacts['service'] {
  return typeof seen === 'string' && elsewhere !== undefined ? elsewhere : seen
}

/** `condition`: undefined where no daemon runs. */
export async function gatherFacts(
  settings: Settings,
  state: Reads,
  of: { clock: Clock; service: ServiceVerdict; condition: DaemonCondition | undefined },
): Promise<AlertFacts> {
  const { pipelines, server, audit } = settings
  const facts: PipelineFacts[] = []
  for (const pipeline of pipelines)
    facts.push(await pipelineFacts(pipeline, { state, server, condition: of.condition }))
  const orphans = orphansAmong(await state.knownPipelines(), settings)
  const { condition } = of
  const refusedReload = condition === undefined ? undefined : (condition.refusedReload?.length ?? 0)
  const erasedSeen = (await state.erasedSeen()).length
  const handOver = await handOverStanding({ audit }, state)
  const now = of.clock.now()
  // A run that had begun before may still end well, which ends no pause.
  const service = condition?.pause ?? serviceOf(of.service.current(), seenElsewhere(facts, condition))
  return { now, service, pipelines: facts, orphans, refusedReload, erasedSeen, handOver }
}
