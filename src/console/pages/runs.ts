// The list of runs, newest first, and the filter over it.
import type { WorkerView } from '../../core/fleet.ts'
import type { RunProgress } from '../../core/outcome/run-progress.ts'
import type { RunRecord } from '../../core/state.ts'
import type { ListedRun, Page, RunFilter } from '../../core/views.ts'
import { filterForm } from '../html/filter.ts'
import type { PageParts } from '../html/layout.ts'
import { html, said } from '../html/markup.ts'
import { count, moment, nothing, statusBadge, undoBadge } from '../html/parts.ts'
import { type Column, pager, table } from '../html/table.ts'
import { spanText } from '../../core/words/format.ts'

export const RUN_STATUSES = ['ok', 'partial', 'held', 'failed', 'unfinished'] as const

export interface ActiveRun {
  /** Undefined where another worker has it. */
  readonly progress?: RunProgress | undefined
  /** The one that has it, where it is another one and is known. */
  readonly worker?: WorkerView | undefined
}

export interface Runs {
  readonly pipelines: readonly string[]
  readonly filter: RunFilter
  readonly from: string | undefined
  readonly runs: Page<ListedRun>
  /** By the id of the run. */
  readonly active: ReadonlyMap<string, ActiveRun>
}

export function tookText({ startedAt, endedAt }: RunRecord): string {
  return endedAt === undefined ? '' : spanText(endedAt - startedAt)
}

const counts = (title: string, name: keyof NonNullable<RunRecord['counts']>): Column<ListedRun> => ({
  title,
  kind: 'number',
  cell: (run) => (run.counts === undefined ? nothing : count(run.counts[name])),
})

const columnsOf = (active: Runs['active']): readonly Column<ListedRun>[] => [
  {
    title: 'Began',
    kind: 'head',
    cell: ({ id, startedAt }) => html`<a href="/runs/${id}">${moment(startedAt)}</a>`,
  },
  { title: 'Pipeline', kind: 'name', cell: ({ pipeline }) => html`${pipeline}` },
  {
    title: 'Status',
    cell: ({ id, status, error, undoes }) =>
      html`${statusBadge(active.has(id) ? 'running' : (status ?? 'unfinished'))}
      ${undoes === undefined ? nothing : undoBadge(undoes)}${error === undefined ? nothing : html`<div class="reason quiet">${said(error)}</div>`}`,
  },
  { title: 'Took', kind: 'short', cell: (run) => html`${tookText(run)}` },
  counts('Read', 'read'),
  counts('Created', 'created'),
  counts('Updated', 'updated'),
  counts('Deleted', 'deleted'),
  counts('Rejected', 'rejected'),
  counts('Held', 'held'),
  counts('In doubt', 'in_doubt'),
  counts('Failed', 'failed'),
]

export function runsPage({ pipelines, filter, from, runs, active }: Runs): PageParts {
  const asked = { pipeline: filter.pipeline, status: filter.status }
  const body = html`${filterForm('/runs', [
    { name: 'pipeline', label: 'Pipeline', all: 'all', choices: pipelines, chosen: filter.pipeline },
    { name: 'status', label: 'Status', all: 'any', choices: RUN_STATUSES, chosen: filter.status },
  ])}
  ${table({
    caption: 'Runs, newest first',
    columns: columnsOf(active),
    rows: runs.rows,
    empty: 'No run matches. A run starts when its pipeline is due, or with: contact-sync run PIPELINE',
  })}
  ${pager('/runs', asked, { from, next: runs.next, more: 'Older runs' })}`
  return { title: 'Runs', place: '/runs', body }
}
