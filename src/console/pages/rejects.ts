// Records that could not be pushed: where they stand, why, and the row as it came.
import type { GroupView, Page, RejectFilter, RejectView } from '../../core/views.ts'
import { filterForm } from '../html/filter.ts'
import { groupList } from '../html/groups.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { askButton } from '../html/ask.ts'
import { command, facts, nothing } from '../html/parts.ts'
import { type Column, pager, table } from '../html/table.ts'

export interface Rejects {
  readonly pipelines: readonly string[]
  readonly filter: Omit<RejectFilter, 'pipelines'> & { readonly pipeline: string | undefined }
  /** Of all rejects. */
  readonly groups: readonly GroupView[]
  readonly from: string | undefined
  readonly rejects: Page<RejectView>
  /** Whether the user may retry them. */
  readonly mayDecide: boolean
}

export const receivedColumns = (columns: RejectView['columns']): Html =>
  facts(
    columns.map(({ name, value }) => [
      name,
      value === '' ? html`<span class="nought">blank</span>` : said(value),
    ]),
  )

const row = ({ columns }: RejectView): Html =>
  html`<details>
    <summary>The row</summary>
    ${receivedColumns(columns)}
  </details>`

const correct = (decidable: readonly string[]): Column<RejectView> => ({
  title: 'Decide',
  cell: ({ id, key, pipeline }) =>
    key === undefined || !decidable.includes(pipeline)
      ? nothing
      : html`<a href="/rejects/${id}">Correct …<span class="unseen"> ${said(key)}</span></a>`,
})

/** `decidable`: pipelines whose rejects the user may correct; none by default. */
export const rejectTable = (
  rows: readonly RejectView[],
  empty: string,
  decidable: readonly string[] = [],
): Html =>
  table({
    caption: 'Rejected records',
    rows,
    empty,
    columns: [
      {
        title: 'File and line',
        kind: 'head',
        cell: ({ file, line, runId }) => html`<a href="/runs/${runId}">${said(file)}:${line}</a>`,
      },
      { title: 'Pipeline', kind: 'name', cell: ({ pipeline }) => html`${pipeline}` },
      {
        title: 'Key',
        kind: 'short',
        cell: ({ key }) => (key === undefined ? html`<span class="nought">none</span>` : said(key)),
      },
      {
        title: 'Reason',
        cell: (reject) =>
          html`<div class="reason">${said(reject.reason)} <code>${reject.code}</code></div>
            ${row(reject)}`,
      },
      ...(decidable.length > 0 ? [correct(decidable)] : []),
    ],
  })

const codesOf = (groups: readonly GroupView[]): string[] =>
  [...new Set(groups.map(({ kind }) => kind))].sort()

export function rejectsPage(parts: Rejects): PageParts {
  const { pipelines, filter, from, rejects, groups, mayDecide } = parts
  const { pipeline, runId, code } = filter
  const filters =
    runId === undefined
      ? html`${filterForm('/rejects', [
          { name: 'pipeline', label: 'Pipeline', all: 'all', choices: pipelines, chosen: pipeline },
          { name: 'code', label: 'Code', all: 'any', choices: codesOf(groups), chosen: code },
        ])}
        ${groupList(groups, { path: '/rejects', parameter: 'code', chosen: { pipeline, kind: code } })}`
      : html`<p>Of run <a href="/runs/${runId}">${runId}</a>. <a href="/rejects">All rejects</a></p>`
  // Of a run there may be rejects whose pipeline is not configured any more: nothing is decided about them.
  const decidable = mayDecide ? pipelines : []
  const asked = decidable.filter((name) => rejects.rows.some((one) => one.pipeline === name))
  const retries = html`<p>
    ${asked.map((name) => askButton('rejects retry', { pipeline: name }, `Retry those of ${name} …`))}
  </p>`
  const what =
    rejects.rows.length === 0
      ? nothing
      : html`<p>
            ${mayDecide ? 'Correct single values here, or all of them' : 'Correct them'} in a copy and drop it
            again, or fix the mapping and retry them: ${command('contact-sync rejects export FILE')}
            ${mayDecide ? nothing : command(`contact-sync rejects retry${pipeline === undefined ? '' : ` ${pipeline}`}`)}
          </p>
          ${mayDecide ? retries : nothing}`
  const corrected = html`<p>
    <a href="/corrections">Corrections</a>: values that were set right, and for how long.
  </p>`
  const body = html`${corrected}${filters}${what}
  ${rejectTable(rejects.rows, 'No record is rejected.', decidable)}
  ${pager('/rejects', { pipeline, run: runId, code }, { from, next: rejects.next, more: 'Older rejects' })}`
  return { title: 'Rejects', place: '/rejects', body }
}
