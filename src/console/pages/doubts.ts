// Operations in doubt, with the command that settles each, and changes that the next run retries automatically.
import type { Operation, OperationKind } from '../../core/change/operation.ts'
import type { GroupView, Page } from '../../core/views.ts'
import { groupList } from '../html/groups.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html } from '../html/markup.ts'
import { askButton } from '../html/ask.ts'
import { command, nothing } from '../html/parts.ts'
import { type Column, pager } from '../html/table.ts'
import { changeFilter, openTable, stateColumn } from './open.ts'

export interface OpenChanges {
  readonly pipelines: readonly string[]
  readonly filter: {
    readonly pipeline: string | undefined
    readonly runId: string | undefined
    readonly kind: OperationKind | undefined
  }
  /** Of all of them. */
  readonly groups: readonly GroupView[]
  readonly from: string | undefined
  readonly changes: Page<Operation>
}

/** A create needs the contact that it made; of anything else the contact is known. */
function commands({ id, kind }: Operation) {
  const done = kind === 'create' ? ' --contact-id N' : ''
  return html`${command(`contact-sync doubts resolve ${id} --as done${done}`)}
  ${command(`contact-sync doubts resolve ${id} --as not-done`)}`
}

/** The same as forms. */
function forms({ id, kind }: Operation) {
  const contact =
    kind === 'create'
      ? html`<label for="contact-${id}">Contact id<span class="unseen"> of ${id}</span></label>
          <input id="contact-${id}" name="contact" inputmode="numeric" pattern="[0-9]+" required size="9" />`
      : nothing
  return html`<form class="ask" method="post" action="/confirm">
      <input type="hidden" name="kind" value="doubts resolve" />
      <input type="hidden" name="id" value="${id}" />
      <input type="hidden" name="verdict" value="done" />
      ${contact} <button class="small">It was done …<span class="unseen"> ${id}</span></button>
    </form>
    ${askButton('doubts resolve', { id: String(id), verdict: 'not-done' }, 'It was not done …', String(id))}`
}

/** What is on its way settles itself, unless the process that sent it is no more. */
const settle = (running: ReadonlySet<string>, how: (operation: Operation) => Html): Column<Operation> => ({
  title: 'To resolve it',
  cell: (operation) =>
    operation.state === 'sending' && running.has(operation.pipeline)
      ? html`<span class="quiet">its request is in flight now</span>`
      : how(operation),
})

function listOf(
  { pipelines, filter, from, changes, groups }: OpenChanges,
  words: { path: '/doubts' | '/retries'; caption: string; empty: string; more: Column<Operation> },
) {
  const { pipeline, runId, kind } = filter
  const filters =
    runId === undefined
      ? html`${changeFilter(words.path, { pipelines, pipeline, kind })}
        ${groupList(groups, { path: words.path, parameter: 'kind', chosen: { pipeline, kind } })}`
      : html`<p>Of run <a href="/runs/${runId}">${runId}</a>. <a href="${words.path}">All</a></p>`
  const { caption, empty, more } = words
  return html`${filters} ${openTable(changes.rows, { caption, empty, more: [more] })}
  ${pager(words.path, { pipeline, run: runId, kind }, { from, next: changes.next, more: 'More' })}`
}

/** `running`: the pipelines that run at this moment. `mayDecide`: the user may resolve them. */
export function doubtsPage(
  open: OpenChanges,
  { running, mayDecide }: { running: ReadonlySet<string>; mayDecide: boolean },
): PageParts {
  const caption = 'Operations in doubt'
  const empty = 'Nothing is in doubt.'
  const how =
    open.changes.rows.length === 0
      ? nothing
      : html`<p>
          Whether these were carried out is unknown until they are looked up. The next run looks them up
          automatically; what it cannot settle needs a decision: look up the contact in the service, then
          resolve the doubt.
        </p>`
  const body = html`${how}${listOf(open, { path: '/doubts', caption, empty, more: settle(running, mayDecide ? forms : commands) })}`
  return { title: 'In doubt', place: '/doubts', body }
}

export function retriesPage(open: OpenChanges): PageParts {
  const caption = 'Changes that are tried again'
  const empty = 'No operation is waiting for another attempt.'
  const body = html`<p>
      These failed for a reason that is not the record’s, or wait behind one in doubt. The next run tries them
      again; no action is required.
    </p>
    ${listOf(open, { path: '/retries', caption, empty, more: stateColumn })}`
  return { title: 'To be tried again', body, trail: [['/', 'Overview']] }
}
