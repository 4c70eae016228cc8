// Plans as one page of HTML: nothing is loaded from anywhere, so it can be mailed, searched and read on a telephone. It
// holds personal data.
import { type Plan, plannedChanges } from '../../core/change/plan/plan.ts'
import { changePlace, type PlannedChange } from '../../core/change/plan/planned-change.ts'
import { number, plural } from '../../core/words/format.ts'
import { oneLine } from '../../core/words/harmless.ts'
import { PLAN_SCRIPT, PLAN_STYLE } from './plan-page.ts'
import { planSummary } from './plan-text.ts'
import { reachText } from './reach-text.ts'

/** A plan, and as many of its changes as the page is to hold. */
export interface ShownPlan {
  readonly plan: Plan
  readonly changes: readonly PlannedChange[]
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A text of others as text: no element, nothing that turns the direction of what stands beside it. */
const escaped = (text: string): string =>
  oneLine(text).replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)
const set = (text: string): string => `<bdi>${escaped(text)}</bdi>`

const valueOf = (value: unknown): string =>
  value === null || value === ''
    ? '<i>blank</i>'
    : set(typeof value === 'string' ? value : JSON.stringify(value))

function rowsOf({ action, fields, withheld = {}, terms }: PlannedChange): readonly string[] {
  const row = (label: string, value: string): string => `<div><dt>${set(label)}</dt><dd>${value}</dd></div>`
  const changed =
    (note: string) =>
    ([field, { from, to }]: [string, { from: unknown; to: unknown }]): string =>
      action === 'create'
        ? row(field, valueOf(to))
        : row(field, `<del>${valueOf(from)}</del> &rarr; <ins>${valueOf(to)}</ins>${note}`)
  const names = [
    ...terms.add.map((one) => `<ins>+${set(one)}</ins>`),
    ...terms.remove.map((one) => `<del>-${set(one)}</del>`),
  ]
  return [
    ...Object.entries(fields).map(changed('')),
    ...Object.entries(withheld).map(changed(' <small>withheld by update_method</small>')),
    ...(names.length === 0 ? [] : [row('terms', names.join(', '))]),
  ]
}

function changeHtml(change: PlannedChange): string {
  const { action, key, contact_id: id } = change
  const contact = id === null ? '' : ` contact ${id}`
  const place = changePlace(change)
  return `<article class="${action}"><h3>${action} ${set(key)}<small>${contact} ${set(place)}</small></h3><dl>${rowsOf(change).join('')}</dl></article>`
}

function planHtml({ plan, changes }: ShownPlan): string {
  const lines = (of: readonly string[]): string => of.map((line) => `<li>${set(line.trim())}</li>`).join('')
  const all = plannedChanges(plan)
  const rest =
    changes.length < all
      ? `<p>${number(changes.length)} of ${plural(all, 'change')} are on this page.</p>`
      : ''
  return `<section><h2>${set(plan.pipeline)}</h2><ul>${lines(planSummary(plan))}</ul><ul class="reach">${lines(reachText(plan, Number.POSITIVE_INFINITY))}</ul>${rest}
${changes.map(changeHtml).join('\n')}
</section>`
}

export const plansHtml = (plans: readonly ShownPlan[]): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>contact-sync plan</title><style>${PLAN_STYLE}</style></head>
<body><main><h1>contact-sync plan</h1>
<p>Nothing of this was sent. This page holds personal data.</p>
<label>Search <input type="search" placeholder="key, value, field, file"></label> <output></output>
${plans.map(planHtml).join('\n')}
</main><script>${PLAN_SCRIPT}</script></body></html>
`
