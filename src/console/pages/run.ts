// One run: its totals, which must add up, its files, what the sync log has of it, what is still open.
import { type EvidenceLack, lackText } from '../../core/change/consents/evidence.ts'
import type { NotSent } from '../../core/change/plan/left-out.ts'
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import type { RunTotal } from '../../core/log/sync-log.ts'
import { type Counts, OUTCOMES } from '../../core/outcome/summary.ts'
import type { InputView, Page, RejectView, RunView } from '../../core/views.ts'
import { progressFacts } from '../html/progress.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import {
  configurationHash,
  count,
  facts,
  hashText,
  moment,
  note,
  nothing,
  spoken,
  statusBadge,
  undoBadge,
} from '../html/parts.ts'
import { address, pager, table } from '../html/table.ts'
import { bytesText, number, plural } from '../../core/words/format.ts'
import { entryTable } from './log.ts'
import { rejectTable } from './rejects.ts'
import { type ActiveRun, tookText } from './runs.ts'

export interface RunParts {
  readonly run: RunView
  /** Whether the state has the settings that it was made under. */
  readonly isConfigurationKept: boolean
  readonly now: number
  /** Undefined: it is not active. */
  readonly active: ActiveRun | undefined
  /** Of entries of the sync log, by action and outcome. */
  readonly totals: readonly RunTotal[]
  readonly inputs: Page<InputView>
  readonly rejects: Page<RejectView>
  readonly entries: Page<LoggedEntry>
}

/** The sum is shown, so that it can be checked by eye. */
function totalsOf(counts: Counts): Html {
  const sum = OUTCOMES.reduce((total, outcome) => total + counts[outcome], 0)
  const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${number(counts[outcome])} ${spoken(outcome)}`,
  )
  const text = `${plural(counts.read, 'record')} read${parts.length === 0 ? '' : ` = ${parts.join(' + ')}`}`
  return html`${facts([
    ['Read', count(counts.read)],
    ...OUTCOMES.map((outcome): readonly [string, Html] => [capital(spoken(outcome)), count(counts[outcome])]),
    ['Deleted', count(counts.deleted)],
    ['Deletes held', count(counts.held_deletes)],
    ['Terms made', count(counts.terms_created)],
  ])}
  ${sum === counts.read ? html`<p class="quiet">${text}</p>` : note('bad', html`<p>The counts do not add up: ${text}</p>`)}`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Values that stayed as they are at the service, for reasons outside the records. */
function notSentTable(pipeline: string, sent: NotSent | undefined): Html {
  if (sent === undefined) return nothing
  const { kept_edits: kept, withheld = {}, left_to_owners: owned = {}, needs_evidence: unproven = {} } = sent
  const former = sent.former_statuses ?? 0
  const edits = html`<a href="${address('/edits', { pipeline })}">edited by hand at the service, and kept</a>`
  const rows: readonly (readonly [field: string, why: Html, values: number])[] = [
    ...(kept === 0 ? [] : [['several', edits, kept] as const]),
    ...Object.entries(withheld).map(
      ([field, values]) => [field, html`kept back by the update method`, values] as const,
    ),
    ...Object.entries(owned).map(
      ([field, { records, pipelines }]) =>
        [field, html`left to ${pipelines.join(', ')} (owns)`, records] as const,
    ),
    ...Object.entries(unproven).map(
      ([lack, records]) => ['mail_status', html`${lackText(lack as EvidenceLack)}`, records] as const,
    ),
    ...(former === 0
      ? []
      : [
          [
            'mail_status',
            html`the 1 or 2 of a deleted contact with the address stands again`,
            former,
          ] as const,
        ]),
  ]
  return rows.length === 0
    ? nothing
    : html`<h2>Not sent as the source has it</h2>
        ${table({
          caption: 'Values that were not sent as the source has them',
          rows,
          empty: '',
          columns: [
            { title: 'Field', kind: 'head', cell: ([field]) => html`${field}` },
            { title: 'Why', cell: ([, why]) => why },
            { title: 'Values', kind: 'number', cell: ([, , values]) => count(values) },
          ],
        })}`
}

const fileTable = (inputs: readonly InputView[]): Html =>
  table({
    caption: 'Files of this run',
    rows: inputs,
    empty: 'No file was processed.',
    columns: [
      { title: 'File', kind: 'head', cell: ({ name }) => said(name) },
      { title: 'State', cell: ({ state }) => statusBadge(state) },
      { title: 'Size', kind: 'number', cell: ({ bytes }) => html`${bytesText(bytes)}` },
      { title: 'Rejected now', kind: 'number', cell: ({ rejects }) => count(rejects) },
      { title: 'SHA-256', cell: ({ sha256 }) => (sha256 === undefined ? nothing : hashText(sha256)) },
    ],
  })

const filesPath = (id: string): string => `/runs/${id}/files`

export function runFilesPage(
  { id }: Pick<RunView, 'id'>,
  { inputs, from }: Pick<RunParts, 'inputs'> & { readonly from: string | undefined },
): PageParts {
  const body = html`${fileTable(inputs.rows)}
  ${pager(filesPath(id), {}, { from, next: inputs.next, more: 'More files' })}`
  const trail = [
    ['/runs', 'Runs'],
    [`/runs/${id}`, `Run ${id}`],
  ] as const
  return { title: `Files of run ${id}`, place: '/runs', trail, body }
}

const totalTable = (totals: RunParts['totals']): Html =>
  table({
    caption: 'Entries of the sync log by action and outcome',
    rows: totals,
    empty: 'Nothing was sent, so the sync log has no entry of this run.',
    columns: [
      { title: 'Action', kind: 'head', cell: ({ action }) => html`${spoken(action)}` },
      { title: 'Outcome', cell: ({ outcome }) => statusBadge(outcome) },
      { title: 'Entries', kind: 'number', cell: ({ entries }) => count(entries) },
    ],
  })

function openOf({ id, pipeline, open }: RunView): Html {
  const places = {
    held: '/held',
    in_doubt: '/doubts',
    sending: '/doubts',
    failed: '/retries',
    waiting: '/retries',
  }
  const lines = Object.entries(open).map(([state, value]) => {
    const words = `${number(value)} ${spoken(state)}`
    const path = Object.hasOwn(places, state) ? places[state as keyof typeof places] : undefined
    return path === undefined
      ? html`<li>${words}</li>`
      : html`<li><a href="${address(path, { pipeline, run: id })}">${words}</a></li>`
  })
  return lines.length === 0
    ? nothing
    : note(
        'warn',
        html`<p>Still open of this run:</p>
          <ul>
            ${lines}
          </ul>`,
      )
}

/** How far it is, or who knows that. */
function activeFacts({ progress, worker }: ActiveRun): Html {
  if (progress !== undefined) return progressFacts(progress)
  const where =
    worker === undefined
      ? nothing
      : html` (${said(worker.name)}, process ${worker.pid} on ${said(worker.machine)})`
  return note(
    'busy',
    html`<p>It runs at another worker${where}. What was sent so far is below, under Changes.</p>`,
  )
}

export function runPage({
  run,
  now,
  isConfigurationKept,
  active,
  totals,
  inputs,
  rejects,
  entries,
}: RunParts): PageParts {
  const { id, pipeline, counts, error } = run
  const { logOfRun, rejectsOfRun } = {
    logOfRun: address('/log', { run: id }),
    rejectsOfRun: address('/rejects', { run: id }),
  }
  const body = html`${error === undefined ? nothing : note(run.status === 'held' ? 'warn' : 'bad', html`<p>${said(error)}</p>`)}
    ${active === undefined ? openOf(run) : activeFacts(active)}
    ${facts([
      ['Pipeline', html`<a href="${address('/runs', { pipeline })}">${pipeline}</a>`],
      [
        'Status',
        html`${statusBadge(active === undefined ? (run.status ?? 'unfinished') : 'running')}
        ${run.undoes === undefined ? nothing : undoBadge(run.undoes)}`,
      ],
      ['Began', moment(run.startedAt, now)],
      [
        'Ended',
        run.endedAt === undefined
          ? html`<span class="quiet">${active === undefined ? 'not yet, or killed' : 'not yet'}</span>`
          : moment(run.endedAt),
      ],
      ['Took', html`${tookText(run)}`],
      ['Configuration', configurationHash(run.configHash, isConfigurationKept)],
    ])}
    <h2>Totals</h2>
    ${counts === undefined ? html`<p class="none">The run has not ended, so it has no totals.</p>` : totalsOf(counts)}
    ${notSentTable(pipeline, run.notSent)}
    <h2>Files</h2>
    ${fileTable(inputs.rows)}
    ${inputs.next === undefined ? nothing : html`<p><a href="${filesPath(id)}">All files of this run</a></p>`}
    <h2>Rejects</h2>
    ${rejectTable(rejects.rows, 'No record of this run is rejected now.')}
    ${rejects.next === undefined ? nothing : html`<p><a href="${rejectsOfRun}">All rejects of this run</a></p>`}
    <h2>Changes</h2>
    ${totalTable(totals)}
    ${
      entries.rows.length === 0
        ? nothing
        : html`<h3>Single entries</h3>
            ${entryTable(entries.rows)}`
    }
    ${entries.next === undefined ? nothing : html`<p><a href="${logOfRun}">All changes of this run</a></p>`}`
  return { title: `Run ${id}`, place: '/runs', trail: [['/runs', 'Runs']], body }
}
