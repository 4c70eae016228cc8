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

/** A field to fill in; `hints`: what it may hold, among others. */
interface Entry {
  readonly name: string
  readonly label: string
  readonly type: 'date' | 'text'
  readonly value: string | undefined
  readonly hints?: readonly string[]
}

/** What was chosen elsewhere and stays. */
type Kept = Readonly<Record<string, string | undefined>>

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

function field({ name, label, type, value = '', hints }: Entry): Html {
  const id = `by-${name}`
  const list = hints === undefined ? nothing : html` list="${id}-hints"`
  const options =
    hints === undefined
      ? nothing
      : html`<datalist id="${id}-hints">
          ${hints.map((hint) => html`<option value="${hint}"></option>`)}
        </datalist>`
  return html`<div>
    <label for="${id}">${label}</label>
    <input
      id="${id}"
      name="${name}"
      type="${type}"
      value="${value}"
      maxlength="100"
      autocomplete="off"
      ${list}
    />
    ${options}
  </div>`
}

const hidden = (kept: Kept): Html[] =>
  Object.entries(kept).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`],
  )

export const filterForm = (action: string, rows: readonly (Choice | Entry)[], kept: Kept = {}): Html =>
  html`<form class="filter" method="get" action="${action}">
    ${hidden(kept)} ${rows.map((row) => ('choices' in row ? select(row) : field(row)))}
    <button>Show</button>
  </form>`

/** Asks for a person: what is entered is sent, and stands in no address. */
export const personForm = (action: string, kept: Kept): Html =>
  html`<form class="filter" method="post" action="${action}">
    ${hidden(kept)}
    <div>
      <label for="by-who">Of one person</label>
      <input
        id="by-who"
        name="who"
        required
        maxlength="320"
        placeholder="E-mail, key or id"
        autocomplete="off"
        spellcheck="false"
      />
    </div>
    <button>Show</button>
  </form>`
