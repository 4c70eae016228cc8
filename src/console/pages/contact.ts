// One contact over all pipelines: what was last pushed, what is open, and its life in the sync log, oldest first.
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import type { Page, PersonView, RecordView } from '../../core/views.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, facts, fieldValue, none, nothing } from '../html/parts.ts'
import { pager, table } from '../html/table.ts'
import { life } from './log.ts'
import { openTable, stateColumn } from './open.ts'
import { rejectTable } from './rejects.ts'

export interface ContactParts {
  readonly contactId: number
  readonly person: PersonView
  readonly entries: Page<LoggedEntry>
  readonly from: string | undefined
}

const MARKS: readonly (readonly [(record: RecordView) => boolean, Html])[] = [
  [({ gone }) => gone, badge('bad', 'gone at the service')],
  [({ missing }) => missing > 0, badge('warn', 'missing in the source')],
  [({ unsure }) => unsure.length > 0, badge('warn', 'a change is on its way or in doubt')],
]

function recordHead(record: RecordView): Html {
  const marks = MARKS.filter(([applies]) => applies(record)).map(([, mark]) => html`${mark} `)
  return html`<h3>${record.pipeline}: ${said(record.key)} ${marks}</h3>`
}

function terms({ terms: asserted }: RecordView): Html {
  if (asserted === undefined || asserted.length === 0) return nothing
  return html`<p>
    Terms:
    ${asserted.map(
      ({ name, ours, unsure }) =>
        html`<span class="chip"
          >${said(name)}${ours ? html` <span class="quiet">given by us</span>` : nothing}${unsure ? html` <span class="quiet">unsure</span>` : nothing}</span
        > `,
    )}
  </p>`
}

const valueOf = ({ known: values, unsure }: RecordView, field: string): Html =>
  html`${fieldValue(values[field])} ${unsure.includes(field) ? badge('warn', 'unsure') : nothing}`

/** What each pipeline last pushed, side by side: where they differ, the later one stands at the service. */
function known(records: readonly RecordView[]): Html {
  const fields = [...new Set(records.flatMap(({ known: values }) => Object.keys(values)))]
  const [only] = records
  if (records.length === 1 && only !== undefined && fields.length > 0)
    return facts(fields.map((field) => [field, valueOf(only, field)]))
  return table({
    caption: 'Fields as they were last pushed',
    rows: fields,
    empty: 'Nothing was pushed yet.',
    columns: [
      { title: 'Field', kind: 'head', cell: (field) => html`${field}` },
      ...records.map((record) => ({
        title: record.pipeline,
        cell: (field: string) => valueOf(record, field),
      })),
    ],
  })
}

function openOf({ open, rejects }: PersonView): Html {
  const changes =
    open.length === 0
      ? nothing
      : html`<h2>Open changes</h2>
          ${openTable(open, { caption: 'Open changes', empty: '', more: [stateColumn] })}`
  const rejected =
    rejects.length === 0
      ? nothing
      : html`<h2>Rejected records</h2>
          ${rejectTable(rejects, '')}`
  return html`${changes}${rejected}`
}

export function contactPage({ contactId, person, entries, from }: ContactParts): PageParts {
  const { records } = person
  const path = `/contacts/${contactId}`
  const body = html`${
      records.length === 0
        ? none('No record of any pipeline is linked to this contact now.')
        : html`<h2>Records</h2>
            ${records.map((record) => html`${recordHead(record)}${terms(record)}`)} ${known(records)}`
    }
    ${openOf(person)}
    <h2>Its life, oldest first</h2>
    ${life(entries.rows, 'The sync log has no entry of this contact.')}
    ${pager(path, {}, { from, next: entries.next, more: 'Newer entries' })}`
  return { title: `Contact ${contactId}`, trail: [['/search', 'Search']], body }
}
