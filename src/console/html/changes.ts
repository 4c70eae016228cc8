// What a change does, field by field and term by term: from, to, added, removed. Said in words, too, not by colour alone.
import type { FieldChange } from '../../core/change/diff.ts'
import { fieldChanges } from '../../core/change/diff.ts'
import type { Operation } from '../../core/change/operation.ts'
import { html, type Html, said } from './markup.ts'
import { fieldValue, nothing } from './parts.ts'

interface Change {
  readonly fields: Readonly<Record<string, FieldChange>>
  readonly terms: { readonly add: readonly string[]; readonly remove: readonly string[] }
}

function fieldRow([name, { from, to }]: readonly [string, FieldChange]): Html {
  const before =
    from === null
      ? nothing
      : html`<del class="from">${fieldValue(from)}</del> <span class="unseen">becomes</span
          ><span aria-hidden="true">→</span> `
  return html`<dt>${name}</dt>
    <dd>${before}<ins class="to">${fieldValue(to)}</ins></dd>`
}

const terms = (names: readonly string[], kind: 'added' | 'removed'): Html[] =>
  names.map(
    (name) =>
      html`<span class="chip ${kind}"
        ><span aria-hidden="true">${kind === 'added' ? '+' : '−'}</span
        ><span class="unseen">${kind}: </span> ${said(name)}</span
      > `,
  )

/** Nothing where it changes nothing. */
export function changeList({ fields, terms: { add, remove } }: Change): Html {
  const rows = Object.entries(fields)
  if (rows.length + add.length + remove.length === 0) return nothing
  const termRow =
    add.length + remove.length === 0
      ? nothing
      : html`<dt>terms</dt>
          <dd>${terms(add, 'added')}${terms(remove, 'removed')}</dd>`
  return html`<dl class="changes">${rows.map(fieldRow)}${termRow}</dl>`
}

/** What an operation of the journal would change, with all its steps. */
export function plannedChange({ fields, known, terms: plan, consent }: Operation): Html {
  const withConsent = consent === undefined ? fields : { ...fields, mail_status: consent }
  return changeList({
    fields: fieldChanges(withConsent, known),
    terms: { add: plan?.add ?? [], remove: plan?.remove ?? [] },
  })
}
