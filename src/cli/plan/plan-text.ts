// A plan as text, made from the value alone: what changes by field, term and country, then groups of equal changes with an
// example each, then single changes. At most a screen, unless single changes are asked for.
import { type Plan, plannedChanges } from '../../core/change/plan/plan.ts'
import { byNumber, OWN_HOLDS } from '../../core/change/waiting/held-why.ts'
import type { PlannedChange } from '../../core/change/plan/planned-change.ts'
import { OUTCOMES } from '../../core/outcome/summary.ts'
import { ERRORS } from '../../core/words/errors.ts'
import { number, plural, spanText } from '../../core/words/format.ts'
import { likelySameLines } from '../likely-same-text.ts'
import { leftOutExamples, leftOutLines } from '../left-out-text.ts'
import { withheldLines } from '../summary.ts'
import { type Terminal, widthOf } from '../terminal.ts'
import { changeText, groupText } from './change-text.ts'
import { offlineText } from './offline-text.ts'
import { reachText } from './reach-text.ts'

/** What the text has to fit into. */
export interface PlanView {
  readonly lines: number
  readonly columns: number
  readonly paint: Terminal['paint']
}

/** Of the same event: one for each of many files, say. */
const MOST_ALIKE = 3

function warningLines({ warnings = [] }: Plan): readonly string[] {
  return [...Map.groupBy(warnings, ({ event }) => event)].flatMap(([event, alike]) => {
    const rest = alike.length - MOST_ALIKE
    const shown = alike.slice(0, MOST_ALIKE).map(({ text }) => `  warning: ${text}`)
    return rest > 0 ? [...shown, `  warning: ${event}, ${number(rest)} more (--json has all)`] : shown
  })
}

/** The counts, what the update method withholds, the requests, and files that are not planned as they are. */
export function planSummary(plan: Plan): readonly string[] {
  const { counts, estimate, inputs, code, error } = plan
  if (code !== undefined) return [`  aborted: ${code}: ${error ?? ''}`, `    ${ERRORS[code].hint}`]
  const parts = OUTCOMES.filter((outcome) => counts[outcome] > 0).map((outcome) => {
    const verb =
      outcome === 'created' || outcome === 'updated' ? `to be ${outcome}` : outcome.replace('_', ' ')
    return `${number(counts[outcome])} ${verb}`
  })
  if (counts.terms_created > 0) parts.push(`${plural(counts.terms_created, 'term')} to be created`)
  if (counts.deleted > 0) parts.push(`${number(counts.deleted)} to be deleted`)
  if (counts.held_deletes > 0) parts.push(`${plural(counts.held_deletes, 'delete')} held`)
  const files = inputs.flatMap(({ error, hint, status }) =>
    error === undefined ? [] : [`  ${status}: ${error}`, ...(hint === undefined ? [] : [`    ${hint}`])],
  )
  const { requests, seconds } = estimate
  return [
    `  ${plural(counts.read, 'record')}: ${parts.join(', ') || 'nothing to do'}`,
    ...heldLines(plan),
    ...withheldLines(Object.keys(plan.withheld).length === 0 ? undefined : plan.withheld),
    ...((plan.keptEdits ?? 0) === 0
      ? []
      : [`  ${plural(plan.keptEdits ?? 0, 'field')} edited at the service that would stay`]),
    ...leftOutLines(plan.leftOut).map((line) => `  ${line}`),
    `  ${plural(requests, 'request')}, at least ${spanText(seconds * 1000)} under the rate limit`,
    ...files,
    ...likelySameLines(inputs),
    ...warningLines(plan),
  ]
}

/** What concerns single records is in no report of a file. */
const heldLines = ({ held }: Plan): readonly string[] =>
  byNumber(held).map(([why, count]) => {
    const said = why in OWN_HOLDS ? `: ${OWN_HOLDS[why as keyof typeof OWN_HOLDS]}` : ''
    return `  ${number(count)} held, ${why}${said}`
  })

const offlineLines = (plan: Plan): readonly string[] => offlineText(plan).map((line) => `  ${line}`)

/** Below so many lines fewer names are listed, so that examples fit as well. */
const TALL = 30

function hint(shown: number, plan: Plan, paint: Terminal['paint']): readonly string[] {
  const all = plannedChanges(plan)
  const text = `  ${number(shown)} of ${plural(all, 'change')} shown; --limit N lists N one by one, --json all of them`
  return shown < all ? [paint('dim', text)] : []
}

/** As many groups as fit below what stands above them. */
function groupLines(plan: Plan, above: readonly string[], view: PlanView): readonly string[] {
  const heightOf = (lines: readonly string[]): number =>
    lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / view.columns)), 0)
  let left = view.lines - heightOf(above) - 1
  const shown: (readonly string[])[] = []
  for (const group of plan.groups) {
    const text = groupText(group, view.paint)
    left -= heightOf(text)
    if (left < 0) break
    shown.push(text)
  }
  return [...shown.flat(), ...hint(shown.length, plan, view.paint)]
}

/** The overview, and below it groups of changes, or the changes given one by one. */
export function planText(plan: Plan, view: PlanView, changes?: readonly PlannedChange[]): readonly string[] {
  const reach = reachText(plan, view.lines < TALL ? 4 : 8).map((line) => view.paint('bold', line))
  const above = [...planSummary(plan), ...reach, ...offlineLines(plan)]
  if (changes === undefined) return [...above, ...groupLines(plan, above, view)]
  const list = changes.flatMap((change) => changeText(change, view.paint))
  return [...above, ...list, ...hint(changes.length, plan, view.paint)]
}

/** What the plan has about one record, and the counts of the whole. */
export function planOfKeyText(
  key: string,
  plan: Plan,
  { changes, paint }: { changes: readonly PlannedChange[]; paint: Terminal['paint'] },
): readonly string[] {
  const none = changes.length === 0 && plan.code === undefined ? [`  no change of ${key} is planned`] : []
  return [
    ...changes.flatMap((change) => changeText(change, paint)),
    ...none,
    ...leftOutExamples(plan.leftOut).map((line) => `  ${line}`),
    ...planSummary(plan),
    ...offlineLines(plan),
  ]
}
