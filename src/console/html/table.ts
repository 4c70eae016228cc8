// Tables that a screen reader can follow and a phone can show: each row becomes a card there, each cell with its title.
// The roles say again what the elements are, because a changed `display` takes that away.
import { html, type Html } from './markup.ts'
import { none, nothing } from './parts.ts'

export interface Column<T> {
  readonly title: string
  /** Numbers are set to the right; short ones are never broken, long names anywhere. */
  readonly kind?: 'number' | 'head' | 'short' | 'name'
  cell(row: T): Html
}

interface TableOptions<T> {
  /** Said to screen readers, and where `shown`, to all. */
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  /** Said where there are no rows. */
  readonly empty: string
}

/** One element within, whatever there is: on a phone the cell is a grid of its title and this. */
function cell<T>({ title, kind, cell: content }: Column<T>, row: T): Html {
  if (kind === 'head')
    return html`<th scope="row" role="rowheader" data-title="${title}"><div>${content(row)}</div></th>`
  const styled = kind === undefined ? nothing : html` class="${kind}"`
  return html`<td role="cell" data-title="${title}" ${styled}><div>${content(row)}</div></td>`
}

export function table<T>({ caption, columns, rows, empty }: TableOptions<T>): Html {
  if (rows.length === 0) return none(empty)
  const heads = columns.map(({ title, kind }) => {
    const numeric = kind === 'number' ? html` class="number"` : nothing
    return html`<th scope="col" role="columnheader" ${numeric}>${title}</th>`
  })
  return html`<table role="table">
    <caption class="unseen">
      ${caption}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${heads}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        (row) =>
          html`<tr role="row">
            ${columns.map((column) => cell(column, row))}
          </tr>`,
      )}
    </tbody>
  </table>`
}

/** To the next page and back to the first one; the parameters of the filter stay. */
export function pager(
  path: string,
  asked: Readonly<Record<string, string | undefined>>,
  { from, next, more }: { from: string | undefined; next: string | undefined; more: string },
): Html {
  const link = (start: string | undefined): string => address(path, { ...asked, from: start })
  if (from === undefined && next === undefined) return nothing
  return html`<nav class="pager" aria-label="Pages">
    ${from === undefined ? nothing : html`<a href="${link(undefined)}">First page</a>`}
    ${next === undefined ? html`<span class="quiet">End of list</span>` : html`<a rel="next" href="${link(next)}">${more}</a>`}
  </nav>`
}

/** An address with those parameters that are there. */
export function address(path: string, asked: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, value)
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}
