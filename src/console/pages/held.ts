// What is held: plans held by a guard, with the command that releases them, and changes held for a reason of the record.
import type { Operation, OperationKind } from '../../core/change/operation.ts'
import type { HeldPlan } from '../../core/state.ts'
import type { GroupView, Page } from '../../core/views.ts'
import { filterForm } from '../html/filter.ts'
import { groupList } from '../html/groups.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, command, facts, moment, none, nothing } from '../html/parts.ts'
import { askButton } from '../html/ask.ts'
import { address, type Column, pager } from '../html/table.ts'
import { number, plural } from '../../core/words/format.ts'
import { CHANGE_KINDS, changeFilter, openTable, planTable } from './open.ts'

export interface Held {
  readonly now: number
  readonly pipelines: readonly string[]
  readonly pipeline: string | undefined
  readonly kind: OperationKind | undefined
  /** Of all that is held. */
  readonly groups: readonly GroupView[]
  readonly from: string | undefined
  /** With the first few changes of each. */
  readonly plans: readonly { readonly plan: HeldPlan; readonly changes: Page<Operation> }[]
  /** Whether a term has a brake. */
  readonly hasBrakes: boolean
  /** Held by no guard. */
  readonly alone: Page<Operation>
  /** Whether the user may release and drop. */
  readonly mayDecide: boolean
  /** Whether the user may release what approvers must. */
  readonly mayApprove: boolean
}

/** Who is looking. */
type User = Pick<Held, 'mayDecide' | 'mayApprove'>

/** A run holds plans of other pipelines, too, where they wait for a term of a brake. */
const whichPlan = ({ guard, pipeline }: HeldPlan) => ({
  guard,
  pipeline: guard === 'brake' ? pipeline : undefined,
})

const planPath = (plan: HeldPlan): string => address(`/held/${plan.runId}`, whichPlan(plan))

const mayRelease = ({ needed }: HeldPlan, { mayDecide, mayApprove }: User): boolean =>
  needed === 0 ? mayDecide : mayApprove

/** Who must release it, and who has; nothing where any operator may. */
function approvals({ guard, needed, approvedBy }: HeldPlan): Html {
  if (needed === 0) return nothing
  const so = approvedBy.length === 0 ? '' : ` So far: ${approvedBy.join(', ')}.`
  // Another guard may hold more than the rule is about.
  const what = guard === 'approval' ? 'them' : 'those that a rule under approvals names'
  return html`<p>
    ${badge('warn', 'approval')} ${plural(needed, 'different approver')} must release ${what}.${so}
  </p>`
}

function release(plan: HeldPlan, user: User): Html {
  const { runId: run, number: all, left, releasedAt, needed } = plan
  if (releasedAt !== undefined)
    return html`<p>
      ${badge('good', 'released')} The next run sends ${all === 1 ? 'it' : 'them'}, unless newer data arrives
      first.
    </p>`
  const remaining = needed > 0 ? ' --as NAME' : left < all ? ' --remaining' : ''
  const overtaken =
    left < all
      ? html` ${number(all - left)} of them have been overtaken since; to release the others:`
      : nothing
  const what = user.mayDecide ? 'release or drop' : 'release'
  const releasing = mayRelease(plan, user)
    ? html`${askButton('held release', { run }, 'Release …', run)} `
    : nothing
  return html`${approvals(plan)}
    <p>Review them; then ${what} exactly these:${overtaken}</p>
    ${user.mayDecide ? html`<p>${releasing}${askButton('held drop', { run }, 'Drop …', run)}</p>` : html`<p>${command(`contact-sync held release ${run}${remaining}`)}</p>`}`
}

/** What of the configuration held it. */
function ruleOf({ guard, threshold }: HeldPlan): string {
  if (guard === 'expect') return threshold
  if (guard === 'drift') return threshold
  return guard === 'approval' ? 'approvals' : `guards.${guard}`
}

const BRAKE = html`<p><a href="/brakes">Brakes</a>: terms that a few contacts get first</p>`

function planFacts(plan: HeldPlan, now: number): Html {
  return facts([
    ['Changes held', html`${number(plan.number)}`],
    ['Still as they were', html`${number(plan.left)}`],
    ['Guard', html`<code>${ruleOf(plan)}</code>`],
    ['Threshold', html`${plan.threshold}`],
    ['Held', moment(plan.heldAt, now)],
    ['Run', html`<a href="/runs/${plan.runId}">${plan.runId}</a>`],
  ])
}

const one = (plan: HeldPlan, user: User): Column<Operation>[] =>
  user.mayDecide
    ? [
        {
          title: 'This one',
          cell({ key, pipeline }) {
            const which = { run: plan.runId, key, pipeline }
            return html`${mayRelease(plan, user) ? askButton('held release', which, 'Release …', key) : nothing}
            ${askButton('held drop', which, 'Drop …', key)}`
          },
        },
      ]
    : []

const changesOf = (plan: HeldPlan, rows: readonly Operation[], user: User): Html =>
  planTable(rows, `Changes of run ${plan.runId} that ${plan.guard} holds`, one(plan, user))

function planBlock(
  { plan, changes }: Held['plans'][number],
  { now, ...user }: Pick<Held, 'now'> & User,
): Html {
  const more =
    changes.next === undefined
      ? nothing
      : html`<p><a href="${planPath(plan)}">All ${plural(plan.left, 'change')} of this plan</a></p>`
  return html`<section>
    <h2>${plan.pipeline}: ${plural(plan.number, 'change')} held by ${plan.guard}</h2>
    <p>${said(plan.reason)}</p>
    ${plan.guard === 'brake' ? BRAKE : nothing} ${release(plan, user)} ${planFacts(plan, now)}
    ${changesOf(plan, changes.rows, user)} ${more}
  </section>`
}

export function heldPage(held: Held): PageParts {
  const { now, pipelines, pipeline, kind, groups, from, plans, alone, hasBrakes, ...user } = held
  const filter = html`${changeFilter('/held', { pipelines, pipeline, kind })}
  ${groupList(groups, { path: '/held', parameter: 'kind', chosen: { pipeline, kind } })}`
  const isEmpty = plans.length === 0 && alone.rows.length === 0
  const own =
    alone.rows.length === 0 && from === undefined
      ? nothing
      : html`<h2>Held individually</h2>
          <p>Each ends automatically when its reason no longer applies.</p>
          ${openTable(alone.rows, { caption: 'Held individually', empty: 'No more.' })}
          ${pager('/held', { pipeline, kind }, { from, next: alone.next, more: 'More' })}`
  const body = html`${filter}
  ${isEmpty ? none(groups.length === 0 ? 'Nothing is held.' : 'Nothing of this kind is held.') : nothing}
  ${plans.map((plan) => planBlock(plan, { now, ...user }))} ${own}
  ${hasBrakes && !plans.some(({ plan }) => plan.guard === 'brake') ? BRAKE : nothing}`
  return { title: 'Held', place: '/held', body }
}

export function heldPlanPage({
  now,
  plan,
  changes,
  kind,
  from,
  ...user
}: Pick<Held, 'now' | 'kind' | 'from' | 'mayDecide' | 'mayApprove'> & Held['plans'][number]): PageParts {
  const pages = { from, next: changes.next, more: 'More changes' }
  const path = `/held/${plan.runId}`
  const which = whichPlan(plan)
  const kinds = { name: 'kind', label: 'Kind', all: 'any', choices: CHANGE_KINDS, chosen: kind }
  const body = html`<p>${said(plan.reason)}</p>
    ${plan.guard === 'brake' ? BRAKE : nothing} ${release(plan, user)} ${planFacts(plan, now)}
    ${filterForm(path, [kinds], which)} ${changesOf(plan, changes.rows, user)}
    ${pager(path, { ...which, kind }, pages)}`
  const title = `${plan.pipeline}: ${plural(plan.number, 'change')} held by ${plan.guard}`
  return { title, place: '/held', trail: [['/held', 'Held']], body }
}
