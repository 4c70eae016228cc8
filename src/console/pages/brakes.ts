// Terms that a few contacts get first: how each decision stands, what was found, and what was decided before.
import type { BrakeRule } from '../../core/change/waiting/brake.ts'
import type { LoggedEntry } from '../../core/log/audit-chain.ts'
import type { BrakeView } from '../../core/views.ts'
import { number, plural, shareText, spanText } from '../../core/words/format.ts'
import { html, type Html, said } from '../html/markup.ts'
import type { PageParts } from '../html/layout.ts'
import { badge, command, facts, moment, none, nothing } from '../html/parts.ts'
import { address, table } from '../html/table.ts'

export interface Brakes {
  readonly now: number
  readonly terms: readonly {
    readonly brake: BrakeView
    /** Undefined where the configuration has none for it any more. */
    readonly rule: BrakeRule | undefined
  }[]
  /** Entries of the sync log about brakes, the newest first. */
  readonly entries: readonly LoggedEntry[]
}

type Term = Brakes['terms'][number]

const STANDING: Readonly<Record<BrakeView['phase'], Html>> = {
  none: badge('good', 'open'),
  watching: badge('busy', 'the first contacts are watched'),
  held: badge('warn', 'the rest is held'),
}

function ruleText({ above, first, watch, stop_when: at }: BrakeRule): string {
  const limits = [
    ...(at.unsubscribed === undefined ? [] : [`${shareText(at.unsubscribed)} unsubscribe`]),
    ...(at.refused === undefined ? [] : [`${shareText(at.refused)} are blocked`]),
  ]
  const stop = limits.length === 0 ? '' : `; the rest is held where ${limits.join(' or ')}`
  return `more than ${number(above)} contacts within ${spanText(watch)}: ${number(first)} of them get it first${stop}`
}

/** When the first are read again; until all of them have it nothing is due. */
function firstText({ brake: { first }, rule }: Term, now: number): Html {
  if (first.drawn === 0) return html`none drawn`
  const got = html`${number(first.drawn)} drawn, ${number(first.given)} have it`
  if (first.since === undefined) return got
  if (rule === undefined) return html`${got} since ${moment(first.since, now)}`
  return html`${got} since ${moment(first.since, now)}; read again ${moment(first.since + rule.watch, now)}`
}

const waitingText = ({ runId, waiting }: BrakeView): Html =>
  waiting.length === 0
    ? html`none`
    : html`${waiting.map(
        ({ pipeline, asks }) =>
          html`<a href="${address(`/held/${runId ?? ''}`, { guard: 'brake', pipeline })}"
              >${plural(asks, 'contact')} of ${pipeline}</a
            ><br />`,
      )}`

function termBlock(term: Term, now: number): Html {
  const { brake, rule } = term
  const isOpen = brake.phase === 'none'
  const rows: readonly (readonly [string, Html] | undefined)[] = [
    ['Rule', rule === undefined ? html`none any more: what waits stays held` : html`${ruleText(rule)}`],
    rule && [
      `Let through within ${spanText(rule.watch)}`,
      html`${number(brake.given)} of ${number(rule.above)}`,
    ],
    isOpen ? undefined : ['The first', firstText(term, now)],
    brake.figures === undefined ? undefined : ['Found', html`of the first, ${said(brake.figures)}`],
    isOpen ? undefined : ['Waiting', waitingText(brake)],
  ]
  return html`<section>
    <h2>${said(brake.name)} ${STANDING[brake.phase]}</h2>
    ${facts(rows.filter((row) => row !== undefined))}
  </section>`
}

const entryList = (entries: readonly LoggedEntry[], now: number): Html =>
  table({
    caption: 'What was decided',
    rows: entries,
    empty: 'No brake has stopped anything.',
    columns: [
      { title: 'Entry', kind: 'head', cell: ({ seq }) => html`<a href="/log/${seq}">${seq}</a>` },
      { title: 'When', cell: ({ at }) => moment(Date.parse(at), now) },
      { title: 'What', cell: ({ reason }) => said(reason ?? '') },
      { title: 'Run', cell: ({ run_id: run }) => html`<a href="/runs/${run}">${run}</a>` },
    ],
  })

export function brakesPage({ now, terms, entries }: Brakes): PageParts {
  const blocks = terms.map((term) => termBlock(term, now))
  const how = terms.length === 0 ? none('No term has a brake (guards.brake).') : nothing
  const body = html`<p>
      Where many contacts ask for a term that starts a mailing, a few get it first and are watched. What waits
      is released or dropped on its page, or by ${command('contact-sync held release RUN')}.
    </p>
    ${how}${blocks}
    <h2>What was decided</h2>
    ${entryList(entries, now)}`
  return { title: 'Brakes', place: '/held', trail: [['/held', 'Held']], body }
}
