// A button that asks for a decision: the page behind it says what will happen, and nothing is done before that is confirmed.
import { html, type Html } from './markup.ts'
import { nothing } from './parts.ts'

/**
 * `fields`: what is decided about; a key or a name stands in the form, never in an address. `of`: names it where several
 * buttons of one label stand below each other, for those who hear the buttons of a page and see no row.
 */
export const askButton = (
  kind: string,
  fields: Readonly<Record<string, string>>,
  label: string,
  of?: string,
): Html =>
  html`<form class="ask" method="post" action="/confirm">
    <input type="hidden" name="kind" value="${kind}" />
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button class="small">
      ${label}${of === undefined ? nothing : html`<span class="unseen"> ${of}</span>`}
    </button>
  </form>`
