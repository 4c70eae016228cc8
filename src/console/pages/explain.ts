// One record explained: each value with the file and line it came from, the rules that made it, and the request that sent it.
import { consentLines, type ExplainedConsent } from '../../core/explain/consent.ts'
import type { ExplainedField, ExplainedTerm, Explanation } from '../../core/explain/explanation.ts'
import type { ShownStep } from '../../core/explain/trace.ts'
import type { FieldValue } from '../../core/mapping/contact.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import {
  badge,
  facts,
  fieldValue,
  moment,
  none,
  note,
  nothing,
  rowOrInput,
  statusBadge,
} from '../html/parts.ts'
import { type Column, table } from '../html/table.ts'

/** Where the terms stand on the page. */
export const TERMS = 'terms'

export const fieldAnchor = (field: string): string => `field-${encodeURIComponent(field)}`

export const explainPath = (contactId: number, pipeline: string, anchor: string): string =>
  `/explain/${contactId}/${encodeURIComponent(pipeline)}#${anchor}`

type Explained = ExplainedField | ExplainedTerm

function place({ file, line }: { readonly file: string | null; readonly line: number | null }): Html {
  if (file === null) return html`<span class="quiet">not known</span>`
  return line === null ? said(file) : rowOrInput({ file, line })
}

/** A rule that reads several columns was given all of them. */
function given(from: ShownStep['from']): Html {
  if (from === null) return html`<span class="nought">nothing</span>`
  if (typeof from !== 'object' || Array.isArray(from)) return fieldValue(from as FieldValue)
  const cells = Object.entries(from)
  return html`${cells.map(([column, text]) => html`<span class="chip">${said(column)}: ${fieldValue(text)}</span> `)}`
}

function rules({ steps, note: remark }: Explained): Html {
  const list =
    steps.length === 0
      ? nothing
      : html`<ol>
          ${steps.map(({ rule, from, to }) => html`<li>${said(rule)}: ${given(from)} → ${fieldValue(to)}</li>`)}
        </ol>`
  return html`${list}${remark === undefined ? nothing : html`<p>${said(remark)}</p>`}`
}

function sent({ at, run_id: run, request, outcome }: Explained): Html {
  if (at === null || run === null) return html`<span class="quiet">not known</span>`
  const asked =
    request === null
      ? nothing
      : html`<br />${request.method} ${request.path} answered ${request.status ?? 'nothing'}`
  return html`<a href="/runs/${run}">${run}</a>
    ${outcome === null ? nothing : statusBadge(outcome)}<br />${moment(Date.parse(at))}${asked}`
}

/** What fields and terms have in common. */
const common = <Row extends { readonly explained: Explained }>(): readonly Column<Row>[] => [
  { title: 'From', cell: ({ explained }) => place(explained) },
  { title: 'Rules, in order', cell: ({ explained }) => rules(explained) },
  { title: 'Sent', cell: ({ explained }) => sent(explained) },
]

interface FieldRow {
  readonly name: string
  readonly explained: ExplainedField
}

/** Of several pipelines: whose value it is. */
const owner = ({ owner: of }: ExplainedField): Html =>
  of === undefined ? nothing : html`<p class="quiet">value of ${of.pipeline ?? 'no pipeline'}: ${of.why}</p>`

const isKnown = ({ value, known }: ExplainedField): boolean => JSON.stringify(value) === JSON.stringify(known)

const fieldTable = (rows: readonly FieldRow[]): Html =>
  table<FieldRow>({
    caption: 'Fields',
    rows,
    empty: 'Nothing was sent of this record.',
    columns: [
      {
        title: 'Field',
        kind: 'head',
        cell: ({ name }) => html`<span id="${fieldAnchor(name)}">${said(name)}</span>`,
      },
      {
        title: 'Value',
        cell: ({ explained }) =>
          html`${fieldValue(explained.value)}
          ${isKnown(explained) ? nothing : html`${badge('warn', 'known at the service:')} ${fieldValue(explained.known)}`}
          ${owner(explained)}`,
      },
      ...common(),
    ],
  })

const termTable = (terms: readonly ExplainedTerm[]): Html =>
  table<{ readonly explained: ExplainedTerm }>({
    caption: 'Terms',
    rows: terms.map((explained) => ({ explained })),
    empty: 'The record has no terms.',
    columns: [{ title: 'Term', kind: 'head', cell: ({ explained }) => said(explained.name) }, ...common()],
  })

const consentPart = (consent: ExplainedConsent): Html =>
  html`<h2 id="consent">Consent</h2>
    <ul>
      ${consentLines(consent).map((line) => html`<li>${said(line)}</li>`)}
    </ul>`

export function explainPage(explanation: Explanation): PageParts {
  const { pipeline, key, contact_id: id, record, fields, terms, consent, note: remark } = explanation
  const rows = Object.entries(fields).map(([name, explained]) => ({ name, explained }))
  const contact = id === null ? none('No contact.') : html`<a href="/contacts/${id}">contact ${id}</a>`
  const body = html`${remark === undefined ? nothing : note('warn', html`<p>${said(remark)}</p>`)}
    ${facts([
      ['Pipeline', html`${pipeline}`],
      ['Key', said(key)],
      ['Contact', contact],
      ['Changed last by', place(record)],
    ])}
    <h2>Fields</h2>
    ${fieldTable(rows)} ${consent === undefined ? nothing : consentPart(consent)}
    <h2 id="${TERMS}">Terms</h2>
    ${termTable(terms)}`
  return { title: `Values of contact ${id ?? ''} from ${pipeline}`, trail: [['/search', 'Search']], body }
}
