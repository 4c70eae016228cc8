// A button that asks for a decision: the page behind it says what will happen, and nothing is done before that is confirmed.
import { html, type Html } from './markup.ts'

/** `fields`: what is decided about; a key or a name stands in the form, never in an address. */
export const askButton = (kind: string, fields: Readonly<Record<string, string>>, label: string): Html =>
  html`<form class="ask" method="post" action="/confirm">
    <input type="hidden" name="kind" value="${kind}" />
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button class="small">${label}</button>
  </form>`
