// Plans as one page of HTML: nothing is loaded from anywhere, so it can be mailed, searched and read on a telephone. It
// holds personal data.
import { type Plan, plannedChanges } from '../../core/change/plan/plan.ts'
import { changePlace, type PlannedChange } from '../../core/change/plan/planned-change.ts'
import { momentText, number, plural } from '../../core/words/format.ts'
import { oneLine } from '../../core/words/harmless.ts'
import { leftOutExamples } from '../left-out-text.ts'
import { groupHead } from './change-text.ts'
import { offlineText } from './offline-text.ts'
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

function rowsOf({
  action,
  fields,
  withheld = {},
  kept_edits: edits = {},
  terms,
}: PlannedChange): readonly string[] {
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
    ...Object.entries(edits).map(changed(' <small>edited at the service, stays</small>')),
    ...(names.length === 0 ? [] : [row('terms', names.join(', '))]),
  ]
}

/** Element and class of one change, or of one that stands for others. */
type Frame = 'article' | 'div'

function changeHtml(change: PlannedChange, frame: Frame = 'article'): string {
  const { action, key, contact_id: id } = change
  const contact = id === null ? '' : ` contact ${id}`
  const place = changePlace(change)
  const kind = frame === 'article' ? action : `example ${action}`
  return `<${frame} class="${kind}"><h4>${action} ${set(key)}<small>${contact} ${set(place)}</small></h4><dl>${rowsOf(change).join('')}</dl></${frame}>`
}

/** More would hide the single changes. */
const MOST_GROUPS_SHOWN = 30

/** Groups of changes that do the same, largest first; a change that is the only one of its kind is among the single ones. */
function groupsHtml({ groups, ungrouped }: Plan): string {
  const several = groups.filter(({ count }) => count > 1)
  if (several.length === 0) return ''
  const shown = several
    .slice(0, MOST_GROUPS_SHOWN)
    .map((group) => `<p>${set(groupHead(group).trim())}</p>${changeHtml(group.example, 'div')}`)
  const left = several.length - shown.length
  const rest = left === 0 && ungrouped === 0 ? '' : `<p>and ${plural(left, 'smaller group')}</p>`
  return `<h3>Equal changes</h3>${shown.join('\n')}${rest}`
}

/** Those first that are the only ones of their kind, wherever they are in the order of sending. */
function singleChanges({ plan: { groups }, changes }: ShownPlan): readonly PlannedChange[] {
  const only = groups.filter(({ count }) => count === 1).map(({ example }) => example)
  return [...new Set([...only, ...changes])].slice(0, changes.length)
}

function leftOutHtml({ leftOut }: Plan): string {
  const examples = leftOutExamples(leftOut)
  if (examples.length === 0) return ''
  return `<h3>Not sent as the record has it: examples</h3><ul>${examples.map((line) => `<li>${set(line)}</li>`).join('')}</ul>`
}

function planHtml({ plan, changes }: ShownPlan): string {
  const list = (of: readonly string[], kind: string): string =>
    of.length === 0
      ? ''
      : `<ul class="${kind}">${of.map((line) => `<li>${set(line.trim())}</li>`).join('')}</ul>`
  const all = plannedChanges(plan)
  const rest =
    changes.length < all
      ? `<p>${number(changes.length)} of ${plural(all, 'change')} are on this page. --limit N puts N on it; --json lists all.</p>`
      : ''
  return `<section><h2>${set(plan.pipeline)}</h2>
<div class="overview">${list(reachText(plan, Number.POSITIVE_INFINITY), 'reach')}${list(planSummary(plan), 'summary')}${list(offlineText(plan), 'offline')}${leftOutHtml(plan)}
${groupsHtml(plan)}${changes.length === 0 ? '' : '<h3>Single changes</h3>'}</div>${rest}
${singleChanges({ plan, changes })
  .map((change) => changeHtml(change))
  .join('\n')}
</section>`
}

/** `at`: when the plans were made, in milliseconds since the epoch. */
export const plansHtml = (plans: readonly ShownPlan[], at: number): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>contact-sync plan</title><style>${PLAN_STYLE}</style></head>
<body><main><h1>contact-sync plan</h1>
<p>Made ${momentText(at)}. Nothing of this was sent. This page contains personal data.</p>
<label>Search <input type="search" placeholder="key, value, field, file, delete"></label> <output></output>
${plans.map(planHtml).join('\n')}
</main><script>${PLAN_SCRIPT}</script></body></html>
`
