// Plans as Markdown for a pull request: numbers alone. No value, no key and no text of a file stands in it, so no personal
// data; names of fields, files and guards do, and of terms that the configuration gives or several records have.
import { type Plan, plannedChanges } from '../../core/change/plan/plan.ts'
import { byNumber } from '../../core/change/waiting/held-why.ts'
import { OUTCOMES } from '../../core/outcome/summary.ts'
import { number, plural, spanText } from '../../core/words/format.ts'
import { leftOutLines } from '../left-out-text.ts'
import {
  markdownName as name,
  markdownTable as table,
  type MarkdownRow,
  largestRows,
  termRows,
} from './markdown.ts'
import { offlineText } from './offline-text.ts'

/** Its message may quote the file, so the code stands for it. */
const inputLines = ({ inputs, judged, leftOut, warnings = [] }: Plan): readonly string[] => [
  ...judged.flatMap(({ file, hold }) =>
    hold === undefined
      ? []
      : [`- held: ${name(file)}: ${hold.guard}, ${number(hold.number)} against ${hold.threshold}`],
  ),
  ...inputs.flatMap(({ file, status, code }) =>
    status === 'done' || status === 'held'
      ? []
      : [`- ${status}: ${name(file)}${code === undefined ? '' : `: ${code}`}`],
  ),
  ...inputs.flatMap(({ file, likely_same: found }) =>
    found === undefined
      ? []
      : [`- likely the same person under two keys: ${name(file)}, ${plural(found.pairs, 'pair')}`],
  ),
  ...leftOutLines(leftOut).map((line) => `- ${name(line)}`),
  ...new Set(warnings.map(({ event }) => `- warning: ${name(event)}`)),
]

function planLines(plan: Plan, ownTerms: readonly string[]): readonly string[] {
  const { pipeline, counts, estimate, code } = plan
  const outcomes = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${number(counts[outcome])} ${outcome.replace('_', ' ')}`,
  )
  const deletes = [
    ...(counts.deleted > 0 ? [`${number(counts.deleted)} deleted`] : []),
    ...(counts.held_deletes > 0 ? [`${plural(counts.held_deletes, 'delete')} held`] : []),
    ...(counts.terms_created > 0 ? [`${plural(counts.terms_created, 'term')} made`] : []),
  ]
  const fields = Object.entries(plan.byField).map(([field, of]): MarkdownRow => [
    name(field),
    of.update,
    of.create,
  ])
  const countries = Object.entries(plan.byCountry).map(([country, count]): MarkdownRow => [
    name(country),
    count,
  ])
  const reasons = byNumber(plan.held).map(([why, count]) => `${why} ${number(count)}`)
  const held = [
    ...(reasons.length === 0 ? [] : [`- held, by reason: ${reasons.join(', ')}`]),
    ...inputLines(plan),
  ]
  return [
    `### ${name(pipeline)}: ${code ?? plural(plannedChanges(plan), 'change')}`,
    '',
    `${plural(counts.read, 'record')}: ${[...outcomes, ...deletes].join(', ') || 'nothing to do'}. ${plural(estimate.requests, 'request')}, at least ${spanText(estimate.seconds * 1000)}.`,
    ...offlineText(plan).map((line) => `\n${name(line)}`),
    ...(held.length === 0 ? [] : ['', ...held]),
    ...table(['field', 'changes', 'in new contacts'], largestRows(fields)),
    ...table(['term', 'given', 'taken'], termRows(plan, ownTerms)),
    ...table(['country', 'changes'], largestRows(countries)),
    '',
  ]
}

/** `ownTerms`: the names of terms that each pipeline's configuration gives. */
export const plansMarkdown = (
  plans: readonly Plan[],
  ownTerms: (pipeline: string) => readonly string[] = () => [],
): string =>
  ['## contact-sync plan', '', ...plans.flatMap((plan) => planLines(plan, ownTerms(plan.pipeline)))].join(
    '\n',
  )
