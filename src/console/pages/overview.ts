// How things stand: what needs a person first, then each pipeline, the rate, and what the last days brought.
import { pipelinePauseText } from '../../core/decision.ts'
import type { ReceiverStanding } from '../../core/alerts/alert-store.ts'
import { currentBacklog } from '../../core/outcome/backlog.ts'
import { OUTCOMES } from '../../core/outcome/summary.ts'
import type { RunProgress } from '../../core/outcome/run-progress.ts'
import type { DayView, PipelineView } from '../../core/views.ts'
import type { LivePipeline, LiveView } from '../data.ts'
import { outcomeChart } from '../html/chart.ts'
import { progressLine } from '../html/progress.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, count, facts, moment, note, nothing, spoken, statusBadge } from '../html/parts.ts'
import { askButton } from '../html/ask.ts'
import { address, type Column, table } from '../html/table.ts'
import { number, plural, spanText } from '../../core/words/format.ts'

export interface Overview {
  readonly live: LiveView
  readonly pipelines: readonly PipelineView[]
  readonly days: readonly DayView[]
  readonly receivers: readonly ReceiverStanding[]
  readonly requestsOfDay: number | undefined
  /** Whether the user may run and pause. */
  readonly mayDecide: boolean
}

interface Row extends PipelineView {
  readonly live: LivePipeline | undefined
  readonly progress: RunProgress | undefined
}

const of = (path: string, pipeline: string): string => address(path, { pipeline })

/** One line for each thing that needs an operator. */
function openEnds({ pipeline, backlog, lastRun }: PipelineView): Html[] {
  const { rejects, held, inDoubt } = backlog
  const error = lastRun?.error
  return [
    ...(lastRun?.status === 'failed'
      ? [
          html`<li>
            ${pipeline}:
            <a href="/runs/${lastRun.id}">the last run</a>
            failed${error === undefined ? '' : ': '}${error === undefined ? nothing : said(error)}
          </li>`,
        ]
      : []),
    ...(held > 0
      ? [html`<li>${pipeline}: <a href="${of('/held', pipeline)}">${plural(held, 'change')} held</a></li>`]
      : []),
    ...(inDoubt > 0
      ? [
          html`<li>
            ${pipeline}: <a href="${of('/doubts', pipeline)}">${plural(inDoubt, 'operation')} in doubt</a>
          </li>`,
        ]
      : []),
    ...(rejects > 0
      ? [
          html`<li>
            ${pipeline}: <a href="${of('/rejects', pipeline)}">${plural(rejects, 'record')} rejected</a>
          </li>`,
        ]
      : []),
  ]
}

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

function attention({ live, pipelines }: Overview): Html {
  const reasons = live.reasons.map((reason) => html`<li>${said(reason)}</li>`)
  const paused = live.pipelines.flatMap(({ name, paused: pause }) =>
    pause === undefined ? [] : [html`<li>${name}: ${said(pipelinePauseText(pause))}</li>`],
  )
  const lines = [...paused, ...pipelines.flatMap(openEnds)]
  if (reasons.length + lines.length === 0 && live.refusedReload === undefined)
    return note(
      'good',
      html`<p>No open items: nothing is held, in doubt or rejected, and no pipeline is overdue.</p>`,
    )
  return html`${refusedReload(live)}${
    reasons.length === 0
      ? nothing
      : note(
          'bad',
          html`<p>Not ready:</p>
            <ul>
              ${reasons}
            </ul>`,
        )
  }
  ${
    lines.length === 0
      ? nothing
      : note(
          'warn',
          html`<p>Needs attention:</p>
            <ul>
              ${lines}
            </ul>`,
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
  if (live?.dueAt === undefined) return html`<span class="quiet">only when asked</span>`
  return moment(live.dueAt, now)
}

const decisions: Column<Row> = {
  title: 'Decide',
  cell: ({ pipeline, live }) =>
    live?.paused === undefined
      ? html`${askButton('run', { pipeline }, 'Run …')} ${askButton('pause', { pipeline }, 'Pause …')}`
      : askButton('resume', { pipeline }, 'Resume …'),
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

function rateFacts({ live, requestsOfDay, receivers }: Overview): Html {
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
  const body = html`${attention({ ...overview, pipelines: rows })}
    <h2>Pipelines</h2>
    ${pipelineTable(rows, { now: live.now, mayDecide: overview.mayDecide })}
    <h2>Records by day</h2>
    ${outcomeChart(days, live.now, dayTable(days))}
    <h2>The daemon</h2>
    ${rateFacts(overview)}`
  return { title: 'Overview', place: '/', body }
}
