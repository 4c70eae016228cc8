// Values that were edited at the service and that no pipeline overwrites: what was sent, what is there, what the source wants.
import type { OpenEdit } from '../../core/change/others/hand-edits.ts'
import type { Page } from '../../core/views.ts'
import { filterForm } from '../html/filter.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, command, fieldValue, moment, nothing } from '../html/parts.ts'
import { type Column, pager, table } from '../html/table.ts'
import { askButton } from '../html/ask.ts'

export interface Edits {
  readonly pipelines: readonly string[]
  readonly pipeline: string | undefined
  readonly from: string | undefined
  readonly edits: Page<OpenEdit>
  readonly now: number
  /** Whether the user may release them. */
  readonly mayDecide: boolean
}

const RELEASE: Column<OpenEdit> = {
  title: 'Decide',
  cell: ({ pipeline, key, field, isReleased = false }) =>
    isReleased
      ? badge('good', 'released')
      : askButton('edits release', { pipeline, key, field }, 'Release …', `${field} of ${key}`),
}

const KEY: Column<OpenEdit> = {
  title: 'Key',
  kind: 'head',
  cell: ({ pipeline, key, contactId }) =>
    html`${pipeline}: ${said(key)}<br /><a href="/contacts/${contactId}">contact ${contactId}</a>`,
}

const columns = (now: number): readonly Column<OpenEdit>[] => [
  { title: 'Field', kind: 'name', cell: ({ field }) => said(field) },
  { title: 'At the service', cell: ({ service }) => fieldValue(service) },
  {
    title: 'Last sent',
    cell: ({ sent }) => (sent === null ? html`<span class="quiet">never</span>` : fieldValue(sent)),
  },
  {
    title: 'The source wants',
    cell: ({ source }) =>
      source === null ? html`<span class="quiet">its record is gone</span>` : fieldValue(source),
  },
  { title: 'Since', cell: ({ since }) => moment(since, now) },
]

export const editsOfContact = (edits: readonly OpenEdit[], now: number): Html =>
  edits.length === 0
    ? nothing
    : html`<h2>Edited at the service</h2>
        ${table({ caption: 'Values that stay', rows: edits, empty: '', columns: columns(now) })}
        <p>${command('contact-sync edits release PIPELINE KEY')}</p>`

export function editsPage({ pipelines, pipeline, from, edits, now, mayDecide }: Edits): PageParts {
  const filters = filterForm('/edits', [
    { name: 'pipeline', label: 'Pipeline', all: 'all', choices: pipelines, chosen: pipeline },
  ])
  const how =
    edits.rows.length === 0
      ? nothing
      : html`<p>
          These values stay until the service and the source agree, the field is emptied or set back, or an
          operator releases the
          edit${mayDecide ? html`.` : html`: ${command('contact-sync edits release PIPELINE KEY')}`}
        </p>`
  const empty = 'No value is kept that was edited at the service.'
  const list = table({
    caption: 'Edits',
    rows: edits.rows,
    empty,
    columns: [KEY, ...columns(now), ...(mayDecide ? [RELEASE] : [])],
  })
  const pages = pager('/edits', { pipeline }, { from, next: edits.next, more: 'More' })
  return { title: 'Edited at the service', place: '/edits', body: html`${how}${filters}${list}${pages}` }
}
