// How things stand: what needs a person first, then each pipeline, the rate, and what the last days brought.
import { pipelinePauseText } from '../../core/decision.ts'
import type { ConditionName } from '../../core/alerts/alert-rules.ts'
import type { ReceiverStanding } from '../../core/alerts/alert-store.ts'
import { currentBacklog } from '../../core/outcome/backlog.ts'
import { OUTCOMES } from '../../core/outcome/summary.ts'
import type { RunProgress } from '../../core/outcome/run-progress.ts'
import type { DayView, PipelineView } from '../../core/views.ts'
import type { LivePipeline, LiveView } from '../data.ts'
import { delayChart, outcomeChart, requestChart } from '../html/chart.ts'
import { progressLine } from '../html/progress.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, count, facts, moment, note, nothing, spoken, statusBadge } from '../html/parts.ts'
import { fleetPart } from '../html/fleet.ts'
import { askButton } from '../html/ask.ts'
import { address, type Column, table } from '../html/table.ts'
import { number, plural, spanText } from '../../core/words/format.ts'

export interface Overview {
  readonly live: LiveView
  readonly pipelines: readonly PipelineView[]
  readonly days: readonly DayView[]
  readonly receivers: readonly ReceiverStanding[]
  readonly requestsOfDay: number | undefined
  /** Pipelines whose contacts the daemon compares. */
  readonly compared: number
  /** Whether the user may run and pause. */
  readonly mayDecide: boolean
}

interface Row extends PipelineView {
  readonly live: LivePipeline | undefined
  readonly progress: RunProgress | undefined
}

const of = (path: string, pipeline: string): string => address(path, { pipeline })

/** One kind of what needs attention, over all pipelines: how many, in which, and the way there. */
function openKind(
  rows: readonly Row[],
  path: string,
  { countOf, words }: { countOf(row: Row): number; words(count: number): string },
): Html[] {
  const those = rows.filter((row) => countOf(row) > 0)
  const [first] = those
  if (first === undefined) return []
  const sum = those.reduce((total, row) => total + countOf(row), 0)
  const place = those.length === 1 ? of(path, first.pipeline) : path
  return [html`<a href="${place}">${words(sum)}</a> in ${those.map(({ pipeline }) => pipeline).join(', ')}`]
}

/** Conditions that the line names by themselves. */
const NAMED: readonly ConditionName[] = ['failed', 'held', 'rejects', 'in_doubt']

/** Open alerts about anything else; one that several receivers were told of counts once. */
function otherAlerts(receivers: readonly ReceiverStanding[]): number {
  const open = receivers.flatMap(({ raised }) =>
    raised.filter(({ told, name }) => told && !NAMED.includes(name)),
  )
  return new Set(open.map(({ name, pipeline }) => `${name} ${pipeline}`)).size
}

/** What needs attention, each with the way there. */
function openEnds(rows: readonly Row[], receivers: readonly ReceiverStanding[]): Html[] {
  const failed = rows.flatMap(({ pipeline, lastRun }) =>
    lastRun?.status === 'failed'
      ? [html`<a href="/runs/${lastRun.id}">the last run</a> of ${pipeline} failed`]
      : [],
  )
  const paused = rows.filter(({ live }) => live?.paused !== undefined).map(({ pipeline }) => pipeline)
  const alerts = otherAlerts(receivers)
  const undelivered = receivers.flatMap(({ pending }) =>
    pending.filter(({ attempts }) => attempts > 0),
  ).length
  return [
    ...failed,
    ...openKind(rows, '/held', {
      // What is released needs no one: the next run sends it.
      countOf: ({ backlog, released }) => backlog.held - released,
      words: (count) => `${plural(count, 'change')} held`,
    }),
    ...openKind(rows, '/edits', {
      countOf: ({ editsToRelease }) => editsToRelease,
      words: (count) => `${plural(count, 'edited field')} to be released`,
    }),
    ...openKind(rows, '/doubts', {
      countOf: ({ backlog }) => backlog.inDoubt,
      words: (count) => `${plural(count, 'operation')} in doubt`,
    }),
    ...openKind(rows, '/rejects', {
      countOf: ({ backlog }) => backlog.rejects,
      words: (count) => `${plural(count, 'record')} rejected`,
    }),
    ...(paused.length === 0 ? [] : [html`<a href="#pipelines">paused</a>: ${paused.join(', ')}`]),
    ...(alerts === 0 ? [] : [html`<a href="/alerts">${plural(alerts, 'open alert')}</a>`]),
    ...(undelivered === 0
      ? []
      : [html`<a href="/alerts">${plural(undelivered, 'alert message')} not delivered</a>`]),
  ]
}

/** The sentences behind it: why a run failed, who has paused a pipeline and how to resume it. */
const reasonsOf = (rows: readonly Row[]): Html[] =>
  rows.flatMap(({ pipeline, lastRun, live }) => [
    ...(live?.paused === undefined
      ? []
      : [html`<li>${pipeline}: ${said(pipelinePauseText(live.paused))}</li>`]),
    ...(lastRun?.status === 'failed' && lastRun.error !== undefined
      ? [html`<li>${pipeline}: ${said(lastRun.error)}</li>`]
      : []),
  ])

function refusedReload({ refusedReload: problems }: LiveView): Html {
  if (problems === undefined) return nothing
  const lines = problems.map((problem) => html`<li>${said(problem)}</li>`)
  return note(
    'warn',
    html`<p>The configuration was not reloaded; the previous one is still in use:</p>
      <ul>
        ${lines}
      </ul>`,
  )
}

/** Nothing where nothing does. */
function attention({ live, receivers }: Overview, rows: readonly Row[]): Html {
  const unready = live.reasons.map((reason) => html`<li>${said(reason)}</li>`)
  const [first, ...others] = openEnds(rows, receivers)
  const reasons = reasonsOf(rows)
  return html`${refusedReload(live)}${
    unready.length === 0
      ? nothing
      : note(
          'bad',
          html`<p>Not ready:</p>
            <ul>
              ${unready}
            </ul>`,
        )
  }
  ${
    first === undefined
      ? nothing
      : note(
          'warn',
          html`<p>Needs attention: ${first}${others.map((one) => html` · ${one}`)}</p>
            ${
              reasons.length === 0
                ? nothing
                : html`<ul>
                    ${reasons}
                  </ul>`
            }`,
        )
  }`
}

function lastRunCell({ live, lastRun, progress }: Row, now: number): Html {
  if (progress !== undefined)
    return html`${badge('busy', 'running')} <a href="/runs/${progress.runId}">${progressLine(progress)}</a>`
  const running = live?.running === true ? html`${badge('busy', 'running')} ` : nothing
  if (lastRun === undefined) return html`${running}<span class="quiet">never</span>`
  // What has begun and not ended either runs or was killed; only the daemon knows which.
  const status =
    lastRun.status === undefined
      ? live?.running === true
        ? nothing
        : statusBadge('unfinished')
      : statusBadge(lastRun.status)
  return html`${running}${status} <a href="/runs/${lastRun.id}">${moment(lastRun.startedAt, now)}</a>`
}

function nextCell({ live }: Row, now: number): Html {
  if (live?.paused !== undefined) return badge('warn', 'paused')
  if (live?.dueAt === undefined)
    return html`<span class="quiet"
      >${live?.watches === true ? 'when a file lands' : 'only when asked'}</span
    >`
  return moment(live.dueAt, now)
}

const decisions: Column<Row> = {
  title: 'Decide',
  cell: ({ pipeline, live }) =>
    live?.paused === undefined
      ? html`${askButton('run', { pipeline }, 'Run …', pipeline)}
        ${askButton('pause', { pipeline }, 'Pause …', pipeline)}`
      : askButton('resume', { pipeline }, 'Resume …', pipeline),
}

function pipelineTable(rows: readonly Row[], { now, mayDecide }: { now: number; mayDecide: boolean }): Html {
  return table({
    caption: 'Pipelines',
    rows,
    empty: 'No pipeline is configured.',
    columns: [
      {
        title: 'Pipeline',
        kind: 'head',
        cell: ({ pipeline }) => html`<a href="${of('/runs', pipeline)}">${pipeline}</a>`,
      },
      { title: 'Last run', cell: (row) => lastRunCell(row, now) },
      { title: 'Next run', cell: (row) => nextCell(row, now) },
      { title: 'Linked', kind: 'number', cell: ({ backlog }) => count(backlog.linked) },
      {
        title: 'Rejected',
        kind: 'number',
        cell: ({ pipeline, backlog }) => count(backlog.rejects, of('/rejects', pipeline)),
      },
      {
        title: 'Held',
        kind: 'number',
        cell: ({ pipeline, backlog }) => count(backlog.held, of('/held', pipeline)),
      },
      {
        title: 'In doubt',
        kind: 'number',
        cell: ({ pipeline, backlog }) => count(backlog.inDoubt, of('/doubts', pipeline)),
      },
      {
        title: 'Tried again',
        kind: 'number',
        cell: ({ pipeline, backlog }) => count(backlog.retriable, of('/retries', pipeline)),
      },
      ...(mayDecide ? [decisions] : []),
    ],
  })
}

function alertText(receivers: readonly ReceiverStanding[]): string {
  if (receivers.length === 0) return 'none configured'
  const open = receivers.flatMap(({ raised }) => raised.filter(({ told }) => told)).length
  return `${plural(receivers.length, 'receiver')}, ${open === 0 ? 'no open alerts' : plural(open, 'open alert')}`
}

function rateFacts({ live, requestsOfDay, receivers, compared }: Overview): Html {
  const { requests, per, concurrency, per_day: perDay } = live.rate
  const used =
    perDay === undefined || requestsOfDay === undefined
      ? html`<span class="quiet">no limit by the day is set</span>`
      : html`<meter
            min="0"
            max="${perDay}"
            high="${Math.round(perDay * 0.9)}"
            value="${requestsOfDay}"
            aria-label="Used"
          ></meter>
          ${number(requestsOfDay)} of ${number(perDay)}`
  return facts([
    ['Health', live.ready ? badge('good', 'ready') : badge('bad', 'not ready')],
    ['Running since', moment(live.startedAt, live.now)],
    ['Rate limit', html`${plural(requests, 'request')} per ${spanText(per)}, ${concurrency} at once`],
    ['Requests of the last 24 hours', used],
    ['Alerts', html`<a href="/alerts">${alertText(receivers)}</a>`],
    ...(compared === 0
      ? []
      : [
          ['Drift', html`<a href="/drift">contacts of ${plural(compared, 'pipeline')} compared</a>`] as const,
        ]),
    ['Version', html`${live.version}`],
  ])
}

function dayTable(days: readonly DayView[]): Html {
  return table({
    caption: 'Records by day and outcome',
    rows: days.toReversed(),
    empty: 'Nothing ran.',
    columns: [
      { title: 'Day', kind: 'head', cell: ({ day }) => html`<time datetime="${day}">${day}</time>` },
      { title: 'Runs', kind: 'number', cell: ({ runs }) => count(runs) },
      ...OUTCOMES.map((outcome) => ({
        title: spoken(outcome),
        kind: 'number' as const,
        cell: ({ counts }: DayView) => count(counts[outcome]),
      })),
      { title: 'Requests', kind: 'number', cell: ({ requests }) => count(requests) },
      {
        title: 'Slowest file',
        kind: 'short',
        cell: ({ fileMs }) => (fileMs === undefined ? nothing : html`${spanText(fileMs)}`),
      },
    ],
  })
}

export function overviewPage(overview: Overview): PageParts {
  const { live, days } = overview
  const rows = overview.pipelines.map((one): Row => {
    const now = live.pipelines.find(({ name }) => name === one.pipeline)
    return {
      ...one,
      backlog: currentBacklog(one.backlog, now?.running === true),
      live: now,
      progress: live.progress.find(({ pipeline }) => pipeline === one.pipeline),
    }
  })
  const body = html`${attention(overview, rows)}
    <h2 id="pipelines">Pipelines</h2>
    ${pipelineTable(rows, { now: live.now, mayDecide: overview.mayDecide })}
    <h2>Records by day</h2>
    ${outcomeChart(days, live.now, dayTable(days))}
    <h2>Requests by day</h2>
    ${requestChart(days, live.now, live.rate.per_day)}
    <h2>Time from file to service</h2>
    ${delayChart(days, live.now)}
    <h2>The daemon</h2>
    ${rateFacts(overview)}${fleetPart(live)}`
  return { title: 'Overview', place: '/', body }
}
