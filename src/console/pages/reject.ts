// A rejected row: its columns as they came, and a form with the fields that the mapping makes of them.
import type { CorrectableField, CorrectableReject } from '../data.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { command, fieldValue, note, nothing } from '../html/parts.ts'
import { receivedColumns } from './rejects.ts'

/** Before the name of a field in the form. */
export const FIELD_PREFIX = 'field.'

function input({ field, text, typed, problem }: CorrectableField, index: number): Html {
  const id = `field-${index}`
  const value = typed ?? text
  const told = problem === undefined ? nothing : html` aria-invalid="true" aria-describedby="${id}-problem"`
  const name = `${FIELD_PREFIX}${field}`
  // A line of input would lose line breaks.
  const control = /[\r\n]/.test(value)
    ? html`<textarea id="${id}" name="${name}" rows="3" autocomplete="off" ${told}>${`\n${value}`}</textarea>`
    : html`<input id="${id}" name="${name}" value="${value}" autocomplete="off" ${told} />`
  return html`<div>
    <label for="${id}">${field}</label>
    ${control} ${problem === undefined ? nothing : html`<p class="problem" id="${id}-problem">${problem}</p>`}
  </div>`
}

const form = ({ reject: { id }, fields }: CorrectableReject): Html =>
  html`<form class="confirm" method="post" action="/confirm">
    <input type="hidden" name="kind" value="correct" />
    <input type="hidden" name="id" value="${id}" />
    ${fields.map(input)}
    <button>Check these values …</button>
  </form>`

/** For users who decide nothing. */
const shownField = ({ field, text, problem }: CorrectableField): Html =>
  html`<div>
    <dt>${field}</dt>
    <dd>${fieldValue(text)}${problem === undefined ? nothing : html`<p class="problem">${problem}</p>`}</dd>
  </div>`

function fieldsOf(parts: CorrectableReject, mayDecide: boolean): Html {
  const { fields, obstacle, reject } = parts
  if (obstacle !== undefined)
    return html`<p>
        It cannot be corrected here: ${said(obstacle)}. Correct it in a copy and drop that again:
      </p>
      <p>${command('contact-sync rejects export FILE')}</p>`
  const about = html`<h2>Fields</h2>
    <p>
      What the mapping makes of the row; where it makes nothing, what the row says. A value that you set right
      holds until the source says something new.
    </p>`
  if (mayDecide) return html`${about}${form(parts)}`
  return html`${about}
    <dl class="facts">${fields.map(shownField)}</dl>
    <p>${command(`contact-sync correct ${reject.pipeline} reject:${reject.id} FIELD=VALUE`)}</p>`
}

/** Values beyond the header have no name. */
const rowAsReceived = (header: readonly string[], values: readonly string[]): Html =>
  receivedColumns(values.map((value, index) => ({ name: header[index] ?? `(${index + 1})`, value })))

/** `problem`: why what was sent goes no further. */
export function rejectPage(
  parts: CorrectableReject,
  { mayDecide, problem }: { readonly mayDecide: boolean; readonly problem?: string },
): PageParts {
  const { pipeline, file, line, reason, code, key, header, values, rows = [{ values }] } = parts.reject
  const body = html`${problem === undefined ? nothing : note('bad', html`<p>${problem}</p>`)}
    <p>${pipeline}, ${said(file)}:${line}: ${said(reason)} <code>${code}</code></p>
    ${fieldsOf(parts, mayDecide)}
    <h2>The row as it came</h2>
    ${rows.map((row) => rowAsReceived(header, row.values))}`
  return {
    title: `Rejected record ${key ?? ''}`.trim(),
    place: '/rejects',
    body,
    trail: [['/rejects', 'Rejects']],
  }
}
