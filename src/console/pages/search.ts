// What a search found. The words that were searched for stand in no address: they are kept with the session.
import type { LoggedPerson } from '../../core/log/sync-log.ts'
import type { FoundView } from '../../core/views.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { nameAndMail, none, nothing } from '../html/parts.ts'
import { table } from '../html/table.ts'
import { openTable, stateColumn } from './open.ts'
import { rejectTable } from './rejects.ts'

const HINT =
  'A contact is found by its e-mail address, by its number at the service, or by the key of its record; the beginning is enough.'

const contacts = (found: FoundView): Html =>
  found.records.length === 0
    ? nothing
    : html`<h2>Contacts</h2>
        ${table({
          caption: 'Contacts found',
          rows: found.records,
          empty: '',
          columns: [
            {
              title: 'Contact',
              kind: 'head',
              cell: ({ contactId }) => html`<a href="/contacts/${contactId}">contact ${contactId}</a>`,
            },
            { title: 'Who', cell: ({ known }) => nameAndMail(known) },
            { title: 'Key', cell: ({ key }) => said(key) },
            { title: 'Pipeline', kind: 'name', cell: ({ pipeline }) => html`${pipeline}` },
          ],
        })}`

/** Records that have no contact: their creates are open, or they were rejected. */
function others({ open, rejects }: FoundView): Html {
  const creates =
    open.length === 0
      ? nothing
      : html`<h2>Contacts still to be created</h2>
          ${openTable(open, { caption: 'Contacts still to be created', empty: '', more: [stateColumn] })}`
  const rejected =
    rejects.length === 0
      ? nothing
      : html`<h2>Rejected records</h2>
          ${rejectTable(rejects, '')}`
  return html`${creates}${rejected}`
}

export const emptySearchPage = (): PageParts => ({ title: 'Search', body: html`<p>${HINT}</p>` })

/** Contacts that only the sync log knows by this: the link has gone, or the mail was another one then. */
function earlier(found: FoundView, people: readonly LoggedPerson[]): Html {
  const linked = new Set(found.records.map(({ contactId }) => contactId))
  const rows = people.flatMap(({ contactIds, mails }) =>
    contactIds.filter((id) => !linked.has(id)).map((id) => ({ id, mails })),
  )
  if (rows.length === 0) return nothing
  return html`<h2>Matched before</h2>
    <ul>
      ${rows.map(
        ({ id, mails }) =>
          html`<li>
            <a href="/contacts/${id}">contact ${id}</a> ${mails.map((mail) => html`${said(mail)} `)}
          </li>`,
      )}
    </ul>`
}

/** The contact, where all that was found is that one; undefined otherwise. */
export function onlyHit(found: FoundView, people: readonly LoggedPerson[]): number | undefined {
  const ids = new Set([
    ...found.records.map(({ contactId }) => contactId),
    ...people.flatMap(({ contactIds }) => contactIds),
  ])
  const isAll = !found.more && found.open.length + found.rejects.length === 0
  return isAll && ids.size === 1 ? [...ids][0] : undefined
}

export function searchPage(searched: string, found: FoundView, people: readonly LoggedPerson[]): PageParts {
  const known = people.flatMap(({ contactIds }) => contactIds)
  const isEmpty = found.records.length + found.open.length + found.rejects.length + known.length === 0
  const more = found.more ? html`<p>More matches exist; enter more of it.</p>` : nothing
  const body = html`${isEmpty ? none(`No match. ${HINT}`) : nothing}${more}${contacts(found)}${earlier(found, people)}${others(found)}`
  return { title: 'Search', body, searched }
}
