// Plans as Markdown for a pull request: numbers alone. No value, no key and no text of a file stands in it, so no personal
// data; names of fields, terms, files and guards do.
import { type Plan, plannedChanges } from '../../core/change/plan/plan.ts'
import { OUTCOMES } from '../../core/outcome/summary.ts'
import { number, plural, spanText } from '../../core/words/format.ts'
import { oneLine } from '../../core/words/harmless.ts'
import { offlineText } from './offline-text.ts'

/** A name as it is, whatever Markdown would make of its characters. */
const name = (text: string): string =>
  oneLine(text).replaceAll(/[\\`*_{}[\]()#+!|<>&~@:.-]/g, (sign) => `&#${sign.codePointAt(0)};`)

type Row = readonly (string | number)[]

function table(head: Row, rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return []
  const line = (cells: Row): string =>
    `| ${cells.map((cell) => (typeof cell === 'number' ? number(cell) : cell)).join(' | ')} |`
  return ['', line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)]
}

/** Rows that a comment on a pull request has room for. */
const MOST_ROWS = 50

/** The largest first. */
function rowsOf(rows: readonly Row[], weigh: (row: Row) => number): readonly Row[] {
  const sorted = rows.toSorted((one, other) => weigh(other) - weigh(one))
  if (sorted.length <= MOST_ROWS) return sorted
  return [...sorted.slice(0, MOST_ROWS), [`and ${number(sorted.length - MOST_ROWS)} more`]]
}

const weight = (row: Row): number =>
  row.reduce((sum: number, cell) => sum + (typeof cell === 'number' ? cell : 0), 0)

/** Its message may quote the file, so the code stands for it. */
const inputLines = ({ inputs, judged }: Plan): readonly string[] => [
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
]

function planLines(plan: Plan): readonly string[] {
  const { pipeline, counts, estimate, code } = plan
  const outcomes = OUTCOMES.filter((outcome) => counts[outcome] > 0).map(
    (outcome) => `${number(counts[outcome])} ${outcome.replace('_', ' ')}`,
  )
  const deletes = [
    ...(counts.deleted > 0 ? [`${number(counts.deleted)} deleted`] : []),
    ...(counts.held_deletes > 0 ? [`${plural(counts.held_deletes, 'delete')} held`] : []),
    ...(counts.terms_created > 0 ? [`${plural(counts.terms_created, 'term')} made`] : []),
  ]
  const fields = Object.entries(plan.byField).map(([field, of]): Row => [name(field), of.update, of.create])
  const terms = Object.entries(plan.byTerm).map(([term, { add, remove }]): Row => [name(term), add, remove])
  const countries = Object.entries(plan.byCountry).map(([country, count]): Row => [name(country), count])
  const held = inputLines(plan)
  return [
    `### ${name(pipeline)}: ${code ?? plural(plannedChanges(plan), 'change')}`,
    '',
    `${plural(counts.read, 'record')}: ${[...outcomes, ...deletes].join(', ') || 'nothing to do'}. ${plural(estimate.requests, 'request')}, at least ${spanText(estimate.seconds * 1000)}.`,
    ...offlineText(plan).map((line) => `\n${name(line)}`),
    ...(held.length === 0 ? [] : ['', ...held]),
    ...table(['field', 'changes', 'in new contacts'], rowsOf(fields, weight)),
    ...table(['term', 'given', 'taken'], rowsOf(terms, weight)),
    ...table(['country', 'changes'], rowsOf(countries, weight)),
    '',
  ]
}

export const plansMarkdown = (plans: readonly Plan[]): string =>
  ['## contact-sync plan', '', ...plans.flatMap(planLines)].join('\n')
