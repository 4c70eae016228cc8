// One contact over all pipelines: what was last pushed, what is open, and its life in the sync log, oldest first.
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import type { Page, PersonView, RecordView } from '../../core/views.ts'
import { number } from '../../core/words/format.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, facts, fieldValue, none, note, nothing } from '../html/parts.ts'
import { pager, table } from '../html/table.ts'
import { editsOfContact } from './edits.ts'
import { explainPath, fieldAnchor, TERMS } from './explain.ts'
import { life } from './log.ts'
import { openTable, stateColumn } from './open.ts'
import { rejectTable } from './rejects.ts'

export interface ContactParts {
  readonly contactId: number
  readonly person: PersonView
  readonly entries: Page<LoggedEntry>
  readonly from: string | undefined
  /** Pipelines whose records can be explained. */
  readonly configured: readonly string[]
  readonly now: number
}

const MARKS: readonly (readonly [(record: RecordView) => boolean, Html])[] = [
  [({ gone }) => gone, badge('bad', 'deleted at the service')],
  [({ missing }) => missing > 0, badge('warn', 'missing in the source')],
  [({ unsure }) => unsure.length > 0, badge('warn', 'a change is on its way or in doubt')],
]

function recordHead(record: RecordView): Html {
  const marks = MARKS.filter(([applies]) => applies(record)).map(([, mark]) => html`${mark} `)
  return html`<h3>${record.pipeline}: ${said(record.key)} ${marks}</h3>`
}

type Explain = (record: RecordView, anchor: string, content: Html) => Html

/** What leads from a value to its explanation. */
const explainLinks =
  (configured: readonly string[]): Explain =>
  ({ pipeline, contactId }, anchor, content) =>
    configured.includes(pipeline)
      ? html`<a href="${explainPath(contactId, pipeline, anchor)}">${content}</a>`
      : content

function terms(record: RecordView, explain: Explain): Html {
  const { terms: asserted = [] } = record
  if (asserted.length === 0) return nothing
  return html`<p>
    Terms:
    ${asserted.map(
      ({ name, ours, unsure }) =>
        html`<span class="chip"
          >${explain(record, TERMS, said(name))}${ours ? html` <span class="quiet">added by contact-sync</span>` : nothing}${unsure ? html` <span class="quiet">unsure</span>` : nothing}</span
        > `,
    )}
  </p>`
}

const valueOf = (record: RecordView, field: string, explain: Explain): Html => {
  const { known: values, unsure, givenUp = [] } = record
  const value = fieldValue(values[field])
  return html`${field in values ? explain(record, fieldAnchor(field), value) : value}
  ${unsure.includes(field) ? badge('warn', 'unsure') : nothing}
  ${givenUp.includes(field) ? html`<span class="quiet">blank since, left to the next owner</span>` : nothing}`
}

/** What each pipeline last pushed, side by side: where they differ, the later one stands at the service. */
function known(records: readonly RecordView[], explain: Explain): Html {
  const fields = [...new Set(records.flatMap(({ known: values }) => Object.keys(values)))]
  const [only] = records
  if (records.length === 1 && only !== undefined && fields.length > 0)
    return facts(fields.map((field) => [field, valueOf(only, field, explain)]))
  return table({
    caption: 'Fields as last sent',
    rows: fields,
    empty: 'Nothing was sent yet.',
    columns: [
      { title: 'Field', kind: 'head', cell: (field) => html`${field}` },
      ...records.map((record) => ({
        title: record.pipeline,
        cell: (field: string) => valueOf(record, field, explain),
      })),
    ],
  })
}

/** Where there are more than the page shows. */
const leftOut = (shown: number, more: number, what: string): Html =>
  more === 0
    ? nothing
    : note('warn', html`<p>Only ${number(shown)} of ${number(shown + more)} ${what} are shown.</p>`)

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

export function contactPage({ contactId, person, entries, from, configured, now }: ContactParts): PageParts {
  const explain = explainLinks(configured)
  const { records } = person
  const path = `/contacts/${contactId}`
  const body = html`${
      records.length === 0
        ? none('No record of any pipeline is linked to this contact now.')
        : html`<h2>Records</h2>
            ${records.map((record) => html`${recordHead(record)}${terms(record, explain)}`)}
            ${leftOut(records.length, person.moreRecords, 'linked records')} ${known(records, explain)}`
    }
    ${editsOfContact(person.edits, now)} ${leftOut(person.edits.length, person.moreEdits, 'edited values')}
    ${openOf(person)}
    <h2>History, oldest first</h2>
    ${life(entries.rows, 'The sync log has no entry of this contact.')}
    ${pager(path, {}, { from, next: entries.next, more: 'Newer entries' })}`
  return { title: `Contact ${contactId}`, trail: [['/search', 'Search']], body }
}
