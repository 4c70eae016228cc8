// What contacts at the service really have, compared with what was last sent to them: the latest round of each pipeline, and how the
// share of those that differ has gone.
import type { DriftRound } from '../../core/change/others/drift-rounds.ts'
import { number, plural, shareText } from '../../core/words/format.ts'
import { driftChart } from '../html/chart.ts'
import type { PageParts } from '../html/layout.ts'
import { html, type Html, said } from '../html/markup.ts'
import { badge, command, count, facts, moment, none, nothing } from '../html/parts.ts'
import { table } from '../html/table.ts'

export interface DriftOfPipeline {
  readonly pipeline: string
  /** What is allowed to differ, from 0 to 1. */
  readonly share: number
  /** Rounds that have ended, newest first. */
  readonly rounds: readonly DriftRound[]
}

export interface DriftPage {
  readonly now: number
  readonly pipelines: readonly DriftOfPipeline[]
}

const shareOf = ({ counts: { checked, differing } }: DriftRound): number =>
  checked === 0 ? 0 : differing / checked

const dayOf = ({ endedAt = 0 }: DriftRound): string => new Date(endedAt).toISOString().slice(0, 10)

/** The last round of each day. */
function byDay(rounds: readonly DriftRound[]) {
  const oldestFirst = rounds.toReversed().map((round) => ({
    day: dayOf(round),
    share: shareOf(round),
    words: `${number(round.counts.differing)} of ${plural(round.counts.checked, 'contact')}`,
  }))
  return [...new Map(oldestFirst.map((one) => [one.day, one])).values()]
}

/** With two decimals, since a small part of many contacts is a number of people. */
const percent = (share: number): string => shareText(Math.round(share * 10_000) / 10_000)

function fieldTable({ counts: { by_field: byField } }: DriftRound): Html {
  const rows = Object.entries(byField).toSorted(([, one], [, other]) => other - one)
  if (rows.length === 0) return nothing
  return html`<h3>By field</h3>
    ${table({
      caption: 'Contacts that differ, by field',
      rows,
      empty: '',
      columns: [
        { title: 'Field or term', kind: 'head', cell: ([field]) => said(field) },
        { title: 'Contacts', kind: 'number', cell: ([, contacts]) => count(contacts) },
      ],
    })}`
}

function latest(round: DriftRound, { pipeline, share }: DriftOfPipeline, now: number): Html {
  const { checked, differing, gone, kept, unanswered } = round.counts
  const isAbove = differing > checked * share
  const verdict = isAbove
    ? badge('warn', `above ${shareText(share)}`)
    : badge('good', `within ${shareText(share)}`)
  const repair = differing === 0 ? nothing : command(`contact-sync drift ${pipeline} --all --repair`)
  return html`${facts([
    ['Looked at', html`${plural(checked, 'contact')}, until ${moment(round.endedAt ?? 0, now)}`],
    ['As sent', html`${number(checked - differing - gone - kept)}`],
    ['Differ', html`${number(differing)} (${percent(shareOf(round))}) ${verdict}`],
    ['Gone from the service', html`${number(gone)}`],
    ['Edits that stay', html`${number(kept)}`],
    ['Not readable', html`${number(unanswered)}`],
    ...(differing === 0 ? [] : [['To set them back', repair] as const]),
  ])}
  ${fieldTable(round)}`
}

function pipelineBlock(one: DriftOfPipeline, now: number): Html {
  const [round] = one.rounds
  const known =
    round === undefined
      ? none('No round has ended yet: contacts are looked at while no run is active.')
      : html`${latest(round, one, now)}
          <h3>Share over time</h3>
          ${driftChart(byDay(one.rounds), now, one.share)}`
  return html`<section>
    <h2>${said(one.pipeline)}</h2>
    ${known}
  </section>`
}

export function driftPage({ now, pipelines }: DriftPage): PageParts {
  const blocks =
    pipelines.length === 0
      ? none('No pipeline is compared by the daemon. Set drift: { every: 24h } at a pipeline.')
      : html`${pipelines.map((one) => pipelineBlock(one, now))}`
  const body = html`<p>
      What contacts at the service have, compared with what was last sent to them. The daemon looks at all of
      them in rounds, with requests that runs leave over. Setting values back is a plan that is held until it
      is released.
    </p>
    ${blocks}`
  return { title: 'Drift', place: '/', trail: [['/', 'Overview']], body }
}
