// The ledger of terms: which are asserted, by how many records, and for how many of them it was ours to give.
import type { TermsView, TermView } from '../../core/views.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { count, moment, note, nothing } from '../html/parts.ts'
import { table } from '../html/table.ts'
import { plural } from '../../core/words/format.ts'

const MOST = 500

const termTable = (terms: readonly TermView[]): Html =>
  table({
    caption: 'Terms, the most asserted first',
    rows: terms.slice(0, MOST),
    empty: 'No record asserts a term.',
    columns: [
      { title: 'Term', kind: 'head', cell: ({ name }) => said(name) },
      { title: 'Records that assert it', kind: 'number', cell: ({ records }) => count(records) },
      { title: 'Added by contact-sync', kind: 'number', cell: ({ ours }) => count(ours) },
      { title: 'Pipelines', cell: ({ pipelines }) => html`${pipelines.join(', ')}` },
    ],
  })

const INTRODUCTION = html`<p>
  The terms that records of the sources assert. Only terms added by contact-sync are ever taken away, under
  the policies managed and replace; terms added by others are not in this list.
</p>`

function counts({ terms, records }: TermsView, when: Html): Html {
  const more =
    terms.length > MOST ? html`<p>Shown are ${MOST} of ${plural(terms.length, 'term')}.</p>` : nothing
  return html`${more} ${termTable(terms)}
    <p class="quiet">Counted over ${plural(records, 'linked record')}, ${when}.</p>`
}

export function termsPage(view: TermsView, now: number): PageParts {
  const { countedAt } = view
  const body =
    countedAt === undefined
      ? note('busy', html`<p>The terms of all linked records are being counted. Reload in a moment.</p>`)
      : counts(view, moment(countedAt, now))
  return { title: 'Terms', place: '/terms', body: html`${INTRODUCTION}${body}` }
}
