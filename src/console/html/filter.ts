// A form that narrows a list down: choices in the address, so that a list can be kept as a bookmark.
import { html, type Html } from './markup.ts'
import { nothing, spoken } from './parts.ts'

interface Choice {
  readonly name: string
  readonly label: string
  /** What not choosing is called. */
  readonly all: string
  readonly choices: readonly string[]
  readonly chosen: string | undefined
}

function select({ name, label, all, choices, chosen }: Choice): Html {
  const selected = (choice: string): Html => (choice === chosen ? html` selected` : nothing)
  return html`<div>
    <label for="by-${name}">${label}</label>
    <select id="by-${name}" name="${name}">
      <option value="">${all}</option>
      ${choices.map((choice) => html`<option value="${choice}" ${selected(choice)}>${spoken(choice)}</option>`)}
    </select>
  </div>`
}

export const filterForm = (action: string, choices: readonly Choice[]): Html =>
  html`<form class="filter" method="get" action="${action}">
    ${choices.map(select)}
    <button>Show</button>
  </form>`
