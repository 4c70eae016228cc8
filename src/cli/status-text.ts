// `status` for display: the condition of each pipeline, what needs attention, and what to type next.
import { pipelinePauseText } from '../core/decision.ts'
import type { WorkerView } from '../core/fleet.ts'
import { OUTCOMES } from '../core/outcome/summary.ts'
import { ERRORS } from '../core/words/errors.ts'
import type { CommonStanding, PipelineStatus } from '../app/standing.ts'
import {
  bytesText,
  distanceText,
  momentText,
  number,
  plural,
  shareText,
  spanText,
} from '../core/words/format.ts'
import { type Terminal, wrap } from './terminal.ts'

type Run = NonNullable<PipelineStatus['lastRun']>

const COLOURS = { ok: 'green', partial: 'yellow', held: 'yellow', failed: 'red' } as const

function runText({ lastRun: run, isRunning }: PipelineStatus, now: number, { paint }: Terminal): string {
  if (run === undefined) return 'never ran'
  const since = `${momentText(run.startedAt)} (${distanceText(run.startedAt, now)})`
  if (isRunning) return `${paint('bold', 'running')} since ${since}`
  const status = run.status === undefined ? paint('red', 'cut off') : paint(COLOURS[run.status], run.status)
  return `last run ${since}: ${status}`
}

function countsText({ counts }: Run): string[] {
  if (counts === undefined) return []
  const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${number(counts[outcome])} ${outcome.replace('_', ' ')}`,
  )
  if (counts.deleted > 0) parts.push(`${number(counts.deleted)} deleted`)
  if (counts.held_deletes > 0) parts.push(`${plural(counts.held_deletes, 'delete')} held`)
  return [`${plural(counts.read, 'record')} read${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`]
}

function waitingText({ waiting }: PipelineStatus): string[] {
  const { files, unsettled, refused, error } = waiting
  if (error !== undefined) return [`inbox: ${error.message}. ${error.hint}`]
  const parts = [
    ...(files > 0 ? [`${plural(files, 'file')} (${bytesText(waiting.bytes)})`] : []),
    ...(unsettled > 0 ? [`${number(unsettled)} still growing`] : []),
    ...(refused > 0 ? [`${number(refused)} that would be rejected (contact-sync check)`] : []),
  ]
  return parts.length === 0 ? [] : [`inbox: ${parts.join(', ')}`]
}

function sendingText({ toSend, isRunning, onItsWay }: PipelineStatus): string[] {
  if (toSend.changes === 0)
    return onItsWay === 0 ? [] : [`${plural(onItsWay, 'operation')} in flight, no answer yet`]
  const { changes, requests, seconds } = toSend
  const time = `${plural(requests, 'request')}, at least ${spanText(seconds * 1000)} under the rate limit`
  return [
    `still to send: ${plural(changes, 'change')}, ${time}${isRunning ? '' : '; the next run continues'}`,
  ]
}

function failedText({ failedFiles: { files, oldest, error } }: PipelineStatus, now: number): string[] {
  if (error !== undefined) return [`${error.message}. ${error.hint}`]
  if (files === 0) return []
  const since =
    oldest === undefined ? '' : `, the oldest since ${momentText(oldest)} (${distanceText(oldest, now)})`
  return [
    `${plural(files, 'file')} in failed/${since}: see the .reason.txt beside each. Correct the file and drop it again, or remove it`,
  ]
}

/** What needs attention, each with the command to type. */
function openEnds(standing: PipelineStatus, now: number): string[] {
  const {
    pipeline,
    rejects,
    held,
    released,
    editsToRelease: edits,
    inDoubt,
    toBeTriedAgain,
    toSend,
  } = standing
  const waiting = held - released
  const again = toBeTriedAgain - toSend.changes
  return [
    ...(standing.paused === undefined ? [] : [pipelinePauseText(standing.paused)]),
    ...(rejects > 0 ? [`${plural(rejects, 'reject')}: contact-sync rejects list ${pipeline}`] : []),
    ...(waiting > 0 ? [`${number(waiting)} held: contact-sync held list ${pipeline}`] : []),
    ...(edits > 0
      ? [`${plural(edits, 'edit')} at the service to be released: contact-sync edits list ${pipeline}`]
      : []),
    ...(released > 0 ? [`${number(released)} released, sent by the next run`] : []),
    ...(inDoubt > 0 ? [`${number(inDoubt)} in doubt: contact-sync doubts list ${pipeline}`] : []),
    ...(again > 0 ? [`${number(again)} tried again by the next run`] : []),
    ...failedText(standing, now),
  ]
}

function errorText({ lastRun: run, paused }: PipelineStatus, { paint }: Terminal): string[] {
  if (run?.error === undefined) return []
  const { code, error } = run
  if (code === undefined) return [error]
  // Whether it is paused now is said among what needs attention, and need not be what the last run met.
  if (code === 'PAUSED')
    return paused === undefined
      ? ['the pipeline was paused then, and is no longer: the next run continues']
      : []
  return [`${paint('red', code)}: ${error}`, ERRORS[code].hint]
}

/** Nothing before the first round has ended. */
function driftText({ drift: round }: PipelineStatus): readonly string[] {
  if (round === undefined) return []
  const { checked, differing } = round.counts
  const share = checked === 0 ? 0 : Math.round((differing / checked) * 1000) / 1000
  const most = `drift: ${number(differing)} of ${plural(checked, 'contact')} differ (${shareText(share)})`
  return [`${most}, compared until ${momentText(round.endedAt ?? 0)}`]
}

function nextText({ nextRun, watches, paused }: PipelineStatus, now: number): string {
  if (paused !== undefined) return ''
  if (nextRun === undefined) return watches ? '; runs when a file lands' : '; runs only when asked'
  const next = `; next run ${momentText(nextRun)} (in ${spanText(Math.max(0, nextRun - now))})`
  return watches ? `${next}, or when a file lands` : next
}

/** `now` in milliseconds since the epoch. Lines are broken to fit the terminal. */
export function standingText(standing: PipelineStatus, now: number, terminal: Terminal): readonly string[] {
  const { pipeline, linked, lastRun, isRunning } = standing
  const open = openEnds(standing, now)
  const details = [
    ...(lastRun === undefined || isRunning ? [] : countsText(lastRun)),
    ...errorText(standing, terminal),
    ...sendingText(standing),
    ...waitingText(standing),
    `${plural(linked, 'contact')} linked${open.length === 0 ? ', nothing open' : ''}`,
    ...driftText(standing),
  ]
  const head = `${terminal.paint('bold', pipeline)}: ${runText(standing, now, terminal)}${nextText(standing, now)}`
  return [
    ...wrap(head, terminal.columns, 2),
    ...details.flatMap((line) => wrap(`  ${line}`, terminal.columns, 4)),
    ...open.flatMap((line) => wrap(`  ${terminal.paint('yellow', '!')} ${line}`, terminal.columns, 4)),
  ]
}

/** A pipeline that the state knows and the configuration does not. */
export const orphanText = (name: string): string =>
  `${name}: not in the configuration. Its links protect their contacts from deletion. If renamed: contact-sync state rename-pipeline ${name} NEW. If dropped: contact-sync state drop-pipeline ${name}`

export function ownerText(owner: { pid: number; since: number } | undefined, now: number): string {
  if (owner === undefined) return 'No contact-sync process holds this state.'
  return `Process ${owner.pid} has held the state since ${momentText(owner.since)} (${distanceText(owner.since, now)}).`
}

/** Why the daemon lets no run begin, and what ends that. */
export function pauseText(
  { pause }: CommonStanding,
  now: number,
  { paint, columns }: Terminal,
): readonly string[] {
  if (pause === undefined) return []
  const { since, code, reason } = pause
  const head = `Paused since ${momentText(since)} (${distanceText(since, now)}): no run starts`
  return wrap(`${paint('red', '!')} ${head}: ${code}: ${reason}. ${ERRORS[code].hint}`, columns, 2)
}

/** Erased persons who are at the service again, and what can be done about each. */
export function erasedText(
  { erasedSeen }: CommonStanding,
  now: number,
  { paint, columns }: Terminal,
): readonly string[] {
  return erasedSeen.flatMap(({ contactId, firstAt, isLinked }) => {
    const seen = `Contact ${contactId} at the service shows the address of an erased person, since ${momentText(firstAt)} (${distanceText(firstAt, now)}).`
    const next = isLinked
      ? 'A record of another person has the contact: correct its address there.'
      : `To erase it there: contact-sync audit forget id:${contactId} --at-service delete`
    return wrap(`${paint('yellow', '!')} ${seen} ${next}`, columns, 2)
  })
}

/** What the collector of logs does not have yet. */
export function behindText({ handOver }: CommonStanding, now: number): readonly string[] {
  if (handOver === undefined || handOver.behind === 0) return []
  const { behind, to, oldestAt } = handOver
  const since =
    oldestAt === undefined
      ? ''
      : `, the oldest since ${momentText(oldestAt)} (${distanceText(oldestAt, now)})`
  return [`Sync log: ${plural(behind, 'entry', 'entries')} not handed over to ${to} yet${since}`]
}

/** The rate in force, and how much of it is used. */
export function rateText({ rate }: CommonStanding, now: number, { columns }: Terminal): readonly string[] {
  const { allowed, requests, perMs, used, slowedUntil, pausedUntil, perDay, usedOfDay = 0 } = rate
  const full = `${plural(requests, 'request')} in ${spanText(perMs)}`
  const parts = [
    slowedUntil === undefined
      ? `Rate: ${full}`
      : `Rate: ${number(allowed)} of ${full}, because the service asked for fewer (all again in ${spanText(slowedUntil - now)})`,
    ...(pausedUntil === undefined
      ? []
      : [`nothing is sent for ${spanText(pausedUntil - now)}, because the service asked to wait`]),
    `${number(used)} used now`,
    ...(perDay === undefined
      ? []
      : [`${number(usedOfDay)} of ${plural(perDay, 'request')} in 24 hours used`]),
  ]
  return wrap(`${parts.join('; ')}.`, columns, 2)
}

const REST = {
  none: '',
  asked: '; waits until no run is active',
  given: '; lets no run begin, another worker waits for that',
}

/** `worker berlin-1: process 4711 on host-a since 2026-11-25 08:00 UTC; 2 pipelines: shop (active), crm` */
export function workerText({
  name,
  machine,
  pid,
  since,
  labels,
  pipelines,
  active,
  rest,
}: WorkerView): string {
  const has = pipelines.map((one) => (active.includes(one) ? `${one} (active)` : one)).join(', ')
  const what = pipelines.length === 0 ? 'no pipelines' : `${plural(pipelines.length, 'pipeline')}: ${has}`
  const label = labels.length === 0 ? '' : ` [${labels.join(', ')}]`
  return `worker ${name}${label}: process ${pid} on ${machine} since ${momentText(since)}; ${what}${REST[rest]}`
}

export const workersJson = (workers: readonly WorkerView[]): readonly object[] =>
  workers.map(({ since, ...one }) => ({ ...one, since: new Date(since).toISOString() }))

/** Pipelines that no worker may run. */
export const unassignedText = (pipelines: readonly string[]): readonly string[] =>
  pipelines.length === 0
    ? []
    : [
        `! No worker may run ${pipelines.join(', ')}: none has a label of \`on\`, or the configuration of all others is another one.`,
      ]
