// The decision about alerts: from facts to the conditions that hold, and from these and what was reported before to
// the messages. One message when a condition begins, one when it ends; none in between.
import { type DriftRound, isAboveShare } from '../change/others/drift-rounds.ts'
import { isOperatorStop } from '../outcome/circuit.ts'
import type { Pause } from '../outcome/daemon.ts'
import { isOutOfReach } from '../outcome/summary.ts'
import {
  type Condition,
  type ConditionKey,
  type ConditionName,
  CONDITIONS,
  isNotFetched,
  isNotOpened,
} from './alert-rules.ts'
import type { AlertSettings } from '../settings.ts'
import { lastDeadline, WEEKDAYS } from '../words/deadline.ts'
import { DAY_MS, HOUR_MS } from '../words/duration.ts'
import type { ErrorCode } from '../words/errors.ts'
import { shareText } from '../words/format.ts'
import type { RunRecord } from '../state.ts'
import type { Milestones } from '../log/milestones.ts'

/** What one receiver wants to be told of. */
export type AlertRules = Pick<
  AlertSettings,
  'on' | 'pipelines' | 'rejects_above' | 'nothing_by' | 'nothing_on' | 'nothing_within'
>

export interface PipelineFacts {
  readonly name: string
  readonly timezone: string | undefined
  readonly isRunning: boolean
  readonly lastRun: RunRecord | undefined
  readonly milestones: Milestones
  readonly backlog: { readonly rejects: number; readonly held: number; readonly inDoubt: number }
  /** Records with a field that was edited at the service and waits for an operator (`hand_edits: ask`). */
  readonly asking: number
  /** Held changes that approvers must release, and their names; absent where there are none. */
  readonly approval?: { readonly changes: number; readonly approvers: readonly string[] } | undefined
  /** Its last run ended by a fault of the state or of the program, with this code. */
  readonly broken: { readonly code: ErrorCode | undefined } | undefined
  readonly waitingSince: number | undefined
  /** What the latest round of looks found, and the share that may differ; absent where contacts are not compared. */
  readonly drift?: { readonly round: DriftRound; readonly share: number } | undefined
}

export interface AlertFacts {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** How the service was when it was last asked by this process. */
  readonly service: 'good' | 'unknown' | Pick<Pause, 'code' | 'reason'>
  readonly pipelines: readonly PipelineFacts[]
  /** Pipelines that are no longer configured, and of which the state still has something. */
  readonly orphans?: readonly string[]
  /** How many problems the last reload was refused for, 0 where it was taken; undefined: no daemon runs here. */
  readonly refusedReload?: number | undefined
  /** Contacts at the service that show the address of an erased person. */
  readonly erasedSeen?: number
  /** Entries of the sync log that wait to be handed over, and when the oldest was made; absent where nothing is handed over. */
  readonly handOver?: { readonly behind: number; readonly oldestAt: number | undefined } | undefined
}

const SERVICE_CONDITIONS: Readonly<Partial<Record<ErrorCode, ConditionName>>> = {
  SERVICE_KEY_REFUSED: 'key_refused',
  SERVICE_UNREACHABLE: 'unreachable',
  SERVICE_CONTRACT: 'unreachable',
  DAILY_LIMIT: 'daily_limit',
}

/** Runs wait for a place for a while on a busy day. */
const OVERDUE_AFTER_MS = 600_000

export const conditionOfService = (code: ErrorCode | undefined): ConditionName | undefined =>
  code === undefined ? undefined : SERVICE_CONDITIONS[code]

function failedCondition({ lastRun, broken, name }: PipelineFacts): Condition[] {
  if (broken !== undefined)
    return [{ name: 'failed', pipeline: name, numbers: { code: broken.code ?? 'INTERNAL' } }]
  // A run that a signal ended failed without a code, and continues automatically. Without the suppression list, and under a name
  // that the state does not know, every run stops until a person has put it right, though it counts as held.
  const isStopped = lastRun?.status === 'failed' || (isOperatorStop(lastRun) && lastRun.code !== 'PAUSED')
  if (!isStopped || lastRun.code === undefined) return []
  if (conditionOfService(lastRun.code) !== undefined) return []
  return [{ name: 'failed', pipeline: name, numbers: { code: lastRun.code, run_id: lastRun.id } }]
}

function rejectsCondition({ backlog, milestones, name }: PipelineFacts, rules: AlertRules): Condition[] {
  const { rejects } = backlog
  const { rejects_above: limit } = rules
  if (rejects === 0) return []
  if ('count' in limit)
    return rejects > limit.count ? [{ name: 'rejects', pipeline: name, numbers: { rejects } }] : []
  const { read = 0, rejected = 0 } = milestones.lastFile ?? {}
  const share = read === 0 ? 0 : rejected / read
  return share > limit.share
    ? [{ name: 'rejects', pipeline: name, numbers: { rejects, rejected, read } }]
    : []
}

/** A clock may be set back by so much without having been wrong. */
const SET_RIGHT_MS = HOUR_MS

function nothingCondition(facts: PipelineFacts, rules: AlertRules, now: number): Condition[] {
  const { nothing_by: minute, nothing_on: days = WEEKDAYS, nothing_within: withinMs } = rules
  const { firstRunAt, lastFile } = facts.milestones
  if (minute === undefined || firstRunAt === undefined) return []
  const by = lastDeadline({ minute, days }, facts.timezone, now)
  // A pipeline that is new was not there to take anything by then.
  if (by === undefined || firstRunAt > by) return []
  // One of a time that has not come yet was noted by a clock that was ahead: when it came is not known.
  if (lastFile !== undefined && lastFile.at > by - withinMs && lastFile.at <= now + SET_RIGHT_MS) return []
  const last = lastFile === undefined ? {} : { last_file: new Date(lastFile.at).toISOString() }
  return [
    { name: 'nothing_arrived', pipeline: facts.name, numbers: { by: new Date(by).toISOString(), ...last } },
  ]
}

/** An event of a run is not undone by the next run: it stays open for a day, otherwise it would be gone by the morning. */
const isOver = (at: number, now: number): boolean => Math.abs(now - at) > DAY_MS

function refusedCondition(
  { milestones: { lastRefused: last }, name }: PipelineFacts,
  now: number,
): Condition[] {
  if (last === undefined || isOver(last.at, now)) return []
  const { runId, files, file, code } = last
  // Each run meets it again, until an operator does something about it: once a day is enough.
  const at = isNotFetched(code) || isNotOpened(code) || isOutOfReach(code) ? last.firstAt : last.at
  const named = { ...(file === null || file === '' ? {} : { file }), ...(code === null ? {} : { code }) }
  return [{ name: 'file_refused', pipeline: name, at, numbers: { files, run_id: runId, ...named } }]
}

function driftCondition({ milestones: { lastDrift: last }, name }: PipelineFacts, now: number): Condition[] {
  if (last === undefined || isOver(last.at, now)) return []
  return [{ name: 'drift', pipeline: name, at: last.at, numbers: { times: last.times, run_id: last.runId } }]
}

function shareCondition({ drift, name }: PipelineFacts): Condition[] {
  if (drift === undefined || !isAboveShare(drift.round.counts, drift.share)) return []
  const { checked, differing } = drift.round.counts
  return [
    { name: 'drift_share', pipeline: name, numbers: { differing, checked, allowed: shareText(drift.share) } },
  ]
}

function pipelineConditions(facts: PipelineFacts, rules: AlertRules, all: AlertFacts): Condition[] {
  const { name: pipeline, backlog, asking, waitingSince } = facts
  const when = (holds: boolean, name: ConditionName, numbers: Condition['numbers']): Condition[] =>
    holds ? [{ name, pipeline, numbers }] : []
  // While the service is away every pipeline waits, and that has been said.
  const isLate =
    waitingSince !== undefined && all.now - waitingSince > OVERDUE_AFTER_MS && typeof all.service === 'string'
  return [
    ...failedCondition(facts),
    ...when(backlog.held + asking > 0, 'held', {
      held: backlog.held + asking,
      ...(asking === 0 ? {} : { edits: asking }),
      ...(facts.approval === undefined
        ? {}
        : { to_approve: facts.approval.changes, approvers: facts.approval.approvers.join(', ') }),
    }),
    ...rejectsCondition(facts, rules),
    ...when(backlog.inDoubt > 0, 'in_doubt', { in_doubt: backlog.inDoubt }),
    ...nothingCondition(facts, rules, all.now),
    ...refusedCondition(facts, all.now),
    ...driftCondition(facts, all.now),
    ...shareCondition(facts),
    ...when(isLate, 'overdue', { since: new Date(waitingSince ?? 0).toISOString() }),
  ]
}

/** Far longer than the daemon, or a scheduler that hands over each hour, takes when all is well. */
const HAND_OVER_LATE_MS = 2 * HOUR_MS

function handOverCondition({ handOver, now }: AlertFacts): Condition[] {
  if (handOver?.oldestAt === undefined || now - handOver.oldestAt <= HAND_OVER_LATE_MS) return []
  const { behind, oldestAt } = handOver
  return [
    {
      name: 'hand_over',
      pipeline: '',
      numbers: { entries: behind, since: new Date(oldestAt).toISOString() },
    },
  ]
}

const wants = (rules: AlertRules, name: ConditionName): boolean =>
  rules.on.includes(name) || CONDITIONS[name].under.some((other) => rules.on.includes(other))

const concerns = ({ pipelines }: AlertRules, pipeline: string): boolean =>
  pipelines === undefined || pipeline === '' || pipelines.includes(pipeline)

/** Everything that holds and that these rules ask for. */
export function conditions(facts: AlertFacts, rules: AlertRules): readonly Condition[] {
  const { service } = facts
  const name = typeof service === 'string' ? undefined : conditionOfService(service.code)
  const ofService: Condition[] =
    name === undefined || typeof service === 'string'
      ? []
      : [{ name, pipeline: '', numbers: { code: service.code, reason: service.reason } }]
  const { refusedReload: problems = 0 } = facts
  const ofReload: Condition[] =
    problems > 0 ? [{ name: 'reload_refused', pipeline: '', numbers: { problems } }] : []
  const { erasedSeen: contacts = 0 } = facts
  const ofErased: Condition[] =
    contacts > 0 ? [{ name: 'erased_seen', pipeline: '', numbers: { contacts } }] : []
  return [
    ...ofService,
    ...ofReload,
    ...ofErased,
    ...handOverCondition(facts),
    ...facts.pipelines.flatMap((one) => pipelineConditions(one, rules, facts)),
  ].filter((one) => wants(rules, one.name) && concerns(rules, one.pipeline))
}

/** Conditions that depend on how the last run ended: unknown while a run is active, or after one was interrupted. */
const OF_RUNS: readonly ConditionName[] = ['failed', 'held', 'rejects', 'in_doubt']
const OF_SERVICE: readonly ConditionName[] = ['key_refused', 'unreachable', 'daily_limit']

/** Whether nothing can be said about the condition now, so that what was said stands. */
export function isUnsettled({ name, pipeline }: ConditionKey, facts: AlertFacts): boolean {
  if (OF_SERVICE.includes(name)) return facts.service === 'unknown'
  if (name === 'reload_refused') return facts.refusedReload === undefined
  const of = facts.pipelines.find((one) => one.name === pipeline)
  // That a pipeline is no longer configured settles nothing about it.
  if (of === undefined && facts.orphans?.includes(pipeline) === true) return true
  if (of === undefined || !OF_RUNS.includes(name)) return false
  const isCutOff = of.lastRun !== undefined && of.lastRun.status === undefined
  return of.isRunning || (isCutOff && of.broken === undefined)
}
