// Changes that are still in the journal, one by one: held, in doubt, or to be tried again. Shared by three pages.
import type { Operation, OperationKind } from '../../core/change/operation.ts'
import { plannedChange } from '../html/changes.ts'
import { filterForm } from '../html/filter.ts'
import { html, type Html, said } from '../html/markup.ts'
import { nameAndMail, statusBadge } from '../html/parts.ts'
import { type Column, table } from '../html/table.ts'

/** What the filters offer. */
export const CHANGE_KINDS = [
  'create',
  'update',
  'terms',
  'consent',
  'delete',
] as const satisfies readonly OperationKind[]

/** The filters of every list of open changes. */
export const changeFilter = (
  path: string,
  {
    pipelines,
    pipeline,
    kind,
  }: { pipelines: readonly string[]; pipeline: string | undefined; kind: OperationKind | undefined },
): Html =>
  filterForm(path, [
    { name: 'pipeline', label: 'Pipeline', all: 'all', choices: pipelines, chosen: pipeline },
    { name: 'kind', label: 'Kind', all: 'any', choices: CHANGE_KINDS, chosen: kind },
  ])

/** A record that has gone stands in no line. */
const place = ({ cause, source }: Operation): Html =>
  cause === 'missing' ? html`gone from ${said(source.file)}` : html`${said(source.file)}:${source.line}`

const contact = ({ contactId }: Operation): Html =>
  contactId === undefined
    ? html`<span class="quiet">no contact yet</span>`
    : html`<a href="/contacts/${contactId}">contact ${contactId}</a>`

/** Whose record it is, as far as it says: a key alone cannot be judged. */
const who = ({ known, desired }: Operation): Html => nameAndMail({ ...known, ...desired })

function change(operation: Operation): Html {
  const action = operation.kind === 'consent' ? 'update' : operation.kind
  return html`<strong>${action}</strong> ${plannedChange(operation)}`
}

const COMMON: readonly Column<Operation>[] = [
  {
    title: 'Key',
    kind: 'head',
    cell: (operation) => html`${said(operation.key)}<br />${contact(operation)}${who(operation)}`,
  },
  { title: 'Change', cell: change },
  {
    title: 'File and line',
    cell: (operation) => html`<a href="/runs/${operation.runId}">${place(operation)}</a>`,
  },
]

const reason: Column<Operation> = {
  title: 'Reason',
  cell: ({ reason: text, state }) => {
    const left = state === 'sending' ? 'it was sent, and no answer is recorded' : ''
    return html`<div class="reason">${said(text ?? left)}</div>`
  },
}

export const openTable = (
  rows: readonly Operation[],
  { caption, empty, more = [] }: { caption: string; empty: string; more?: readonly Column<Operation>[] },
): Html => table({ caption, rows, empty, columns: [...COMMON, reason, ...more] })

/** Of one plan: the reason is shown once, above it. */
export const planTable = (
  rows: readonly Operation[],
  caption: string,
  more: readonly Column<Operation>[] = [],
): Html => table({ caption, rows, empty: 'None of them is still current.', columns: [...COMMON, ...more] })

export const stateColumn: Column<Operation> = {
  title: 'State',
  cell: ({ state }) => statusBadge(state === 'sending' ? 'in_doubt' : state),
}
