// What is held: plans held by a guard, with the command that releases them, and changes held for a reason of the record.
import type { Operation } from '../../core/change/operation.ts'
import type { HeldPlan } from '../../core/state.ts'
import type { Page } from '../../core/views.ts'
import { filterForm } from '../html/filter.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, command, facts, moment, none, nothing } from '../html/parts.ts'
import { askButton } from '../html/ask.ts'
import { address, type Column, pager } from '../html/table.ts'
import { number, plural } from '../../core/words/format.ts'
import { openTable, planTable } from './open.ts'

export interface Held {
  readonly now: number
  readonly pipelines: readonly string[]
  readonly pipeline: string | undefined
  readonly from: string | undefined
  /** With the first few changes of each. */
  readonly plans: readonly { readonly plan: HeldPlan; readonly changes: Page<Operation> }[]
  /** Held by no guard. */
  readonly alone: Page<Operation>
  /** Whether the user may release and drop. */
  readonly mayDecide: boolean
}

const planPath = ({ runId, guard }: HeldPlan): string => address(`/held/${runId}`, { guard })

function release({ runId: run, number: all, left, releasedAt }: HeldPlan, mayDecide: boolean): Html {
  if (releasedAt !== undefined)
    return html`<p>${badge('good', 'released')} The next run sends them, unless newer data arrives first.</p>`
  const remaining = left < all ? ' --remaining' : ''
  const overtaken =
    left < all
      ? html` ${number(all - left)} of them have been overtaken since; to release the others:`
      : nothing
  const what = mayDecide ? 'release or drop' : 'release'
  return html`<p>Review them; then ${what} exactly these:${overtaken}</p>
    ${mayDecide ? html`<p>${askButton('held release', { run }, 'Release …')} ${askButton('held drop', { run }, 'Drop …')}</p>` : html`<p>${command(`contact-sync held release ${run}${remaining}`)}</p>`}`
}

function planFacts(plan: HeldPlan, now: number): Html {
  return facts([
    ['Changes held', html`${number(plan.number)}`],
    ['Still as they were', html`${number(plan.left)}`],
    ['Guard', html`<code>${plan.guard === 'expect' ? plan.threshold : `guards.${plan.guard}`}</code>`],
    ['Threshold', html`${plan.threshold}`],
    ['Held', moment(plan.heldAt, now)],
    ['Run', html`<a href="/runs/${plan.runId}">${plan.runId}</a>`],
  ])
}

const one = ({ runId: run }: HeldPlan, mayDecide: boolean): Column<Operation>[] =>
  mayDecide
    ? [
        {
          title: 'This one',
          cell: ({ key }) =>
            html`${askButton('held release', { run, key }, 'Release …')}
            ${askButton('held drop', { run, key }, 'Drop …')}`,
        },
      ]
    : []

function planBlock(
  { plan, changes }: Held['plans'][number],
  { now, mayDecide }: Pick<Held, 'now' | 'mayDecide'>,
): Html {
  const more =
    changes.next === undefined
      ? nothing
      : html`<p><a href="${planPath(plan)}">All ${plural(plan.left, 'change')} of this plan</a></p>`
  return html`<section>
    <h2>${plan.pipeline}: ${plural(plan.number, 'change')} held by ${plan.guard}</h2>
    <p>${said(plan.reason)}</p>
    ${release(plan, mayDecide)} ${planFacts(plan, now)}
    ${planTable(changes.rows, `Changes of run ${plan.runId} that ${plan.guard} holds`, one(plan, mayDecide))}
    ${more}
  </section>`
}

export function heldPage({ now, pipelines, pipeline, from, plans, alone, mayDecide }: Held): PageParts {
  const filter = filterForm('/held', [
    { name: 'pipeline', label: 'Pipeline', all: 'all', choices: pipelines, chosen: pipeline },
  ])
  const isEmpty = plans.length === 0 && alone.rows.length === 0
  const own =
    alone.rows.length === 0 && from === undefined
      ? nothing
      : html`<h2>Held individually</h2>
          <p>Each ends automatically when its reason no longer applies.</p>
          ${openTable(alone.rows, { caption: 'Held individually', empty: 'No more.' })}
          ${pager('/held', { pipeline }, { from, next: alone.next, more: 'More' })}`
  const body = html`${filter} ${isEmpty ? none('Nothing is held.') : nothing}
  ${plans.map((plan) => planBlock(plan, { now, mayDecide }))} ${own}`
  return { title: 'Held', place: '/held', body }
}

export function heldPlanPage({
  now,
  plan,
  changes,
  from,
  mayDecide,
}: Pick<Held, 'now' | 'from' | 'mayDecide'> & Held['plans'][number]): PageParts {
  const pages = { from, next: changes.next, more: 'More changes' }
  const body = html`<p>${said(plan.reason)}</p>
    ${release(plan, mayDecide)} ${planFacts(plan, now)}
    ${planTable(changes.rows, `Changes of run ${plan.runId} that ${plan.guard} holds`, one(plan, mayDecide))}
    ${pager(`/held/${plan.runId}`, { guard: plan.guard }, pages)}`
  const title = `${plan.pipeline}: ${plural(plan.number, 'change')} held by ${plan.guard}`
  return { title, place: '/held', trail: [['/held', 'Held']], body }
}
