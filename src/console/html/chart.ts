// Plots of the last days as bars, drawn on the server: no script is needed to see them. Of records by outcome, what was unchanged
// or skipped is left out: it is nearly everything on most days, and would hide the rest.
import type { Outcome } from '../../core/outcome/summary.ts'
import type { DayView } from '../../core/views.ts'
import { html, type Html } from './markup.ts'
import { none, nothing, spoken } from './parts.ts'
import { number, plural, shareText, spanText } from '../../core/words/format.ts'
import { DAY_MS } from '../../core/words/duration.ts'

const SHOWN = [
  'created',
  'updated',
  'held',
  'in_doubt',
  'rejected',
  'failed',
] as const satisfies readonly Outcome[]

const HEIGHT = 180
const TOP = 10
const BOTTOM = 22

interface Frame {
  readonly width: number
  readonly left: number
  readonly top: number
}

/** One day: its parts from the bottom up, and what is said of it. */
interface Bar {
  readonly parts: readonly { readonly style: string; readonly value: number }[]
  readonly words: string
}

interface Plot {
  readonly bars: ReadonlyMap<string, Bar>
  /** What it shows, for screen readers. */
  readonly label: string
  /** A line across. */
  readonly limit?: number | undefined
}

const heightOf = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0)

/** The least of 1, 2, 5, 10, 20, 50 ... that is not below the value. */
export function ceilingOf(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

/** `2026-11-21` for each of the last days, today the last. */
export const lastDays = (now: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  )

const rounded = (value: number): string => String(Math.round(value * 100) / 100)

type Scale = (value: number) => number

function bar(
  name: string,
  { parts, words }: Bar,
  { x, width, scale }: { x: number; width: number; scale: Scale },
) {
  let y = HEIGHT - BOTTOM
  const rects = parts.map(({ style, value }) => {
    // A bar is seen, however small its share.
    const height = Math.max(1, scale(value))
    y -= height
    return html`<rect
      class="${style}"
      x="${rounded(x)}"
      y="${rounded(y)}"
      width="${rounded(width)}"
      height="${rounded(height)}"
    />`
  })
  return html`<g><title>${name}: ${words}</title>${rects}</g>`
}

function gridLines({ width, left, top }: Frame, scale: Scale): Html[] {
  return [0, 0.5, 1].map((share) => {
    const y = HEIGHT - BOTTOM - scale(top * share)
    const label = Number.isInteger(top * share) ? number(top * share) : ''
    const line = share === 0 ? 'base' : 'grid'
    return html`<line class="${line}" x1="${left}" x2="${width}" y1="${rounded(y)}" y2="${rounded(y)}" />
      <text x="${left - 6}" y="${rounded(y + 4)}" text-anchor="end">${label}</text>`
  })
}

function limitLine(limit: number | undefined, { width, left }: Frame, scale: Scale): Html {
  if (limit === undefined) return nothing
  const y = rounded(HEIGHT - BOTTOM - scale(limit))
  return html`<line class="limit" x1="${left}" x2="${width}" y1="${y}" y2="${y}" />`
}

function plot({ bars, label, limit }: Plot, names: readonly string[], kind: 'wide' | 'narrow'): Html {
  const width = kind === 'wide' ? 900 : 330
  const shown = names.flatMap((name) => bars.get(name) ?? [])
  const top = ceilingOf(Math.max(2, limit ?? 0, ...shown.map(heightOf)))
  const left = 14 + number(top).length * 6.5
  const step = (width - left) / names.length
  const scale: Scale = (value) => (value / top) * (HEIGHT - TOP - BOTTOM)
  const every = kind === 'wide' ? 5 : 4
  const drawn = names.map((name, index) => {
    const day = bars.get(name)
    const place = { x: left + index * step + step * 0.15, width: step * 0.7, scale }
    return day === undefined ? nothing : bar(name, day, place)
  })
  const labels = names.map((name, index) =>
    (names.length - 1 - index) % every !== 0
      ? nothing
      : html`<text
          x="${rounded(index === names.length - 1 ? width : left + (index + 0.5) * step)}"
          y="${HEIGHT - 6}"
          text-anchor="${index === names.length - 1 ? 'end' : 'middle'}"
        >
          ${name.slice(5)}
        </text>`,
  )
  const words = `${label} on each of the last ${names.length} days; the table of records by day has the numbers`
  const frame = { width, left, top }
  return html`<svg class="${kind}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${words}">
    ${gridLines(frame, scale)}${drawn}${limitLine(limit, frame, scale)}${labels}
  </svg>`
}

/** Once for wide and once for narrow screens. */
const plots = (what: Plot, now: number): Html =>
  html`${plot(what, lastDays(now, 30), 'wide')}${plot(what, lastDays(now, 14), 'narrow')}`

const legend = (): Html =>
  html`<ul>
    ${SHOWN.map(
      (outcome) =>
        html`<li>
          <svg viewBox="0 0 12 12" aria-hidden="true">
            <rect class="${outcome}" width="12" height="12" rx="3" />
          </svg>
          ${spoken(outcome)}
        </li>`,
    )}
  </ul>`

function outcomeBar({ counts }: DayView): Bar {
  const parts = SHOWN.filter((outcome) => counts[outcome] > 0)
  return {
    parts: parts.map((outcome) => ({ style: outcome, value: counts[outcome] })),
    words: parts.map((outcome) => `${number(counts[outcome])} ${spoken(outcome)}`).join(', '),
  }
}

/** The plot, with `numbers` (a table of the same) folded in below it. */
export function outcomeChart(days: readonly DayView[], now: number, numbers: Html): Html {
  const bars = new Map(days.map((day) => [day.day, outcomeBar(day)]))
  return html`<figure class="plot">
    ${plots({ bars, label: 'Records by outcome' }, now)}${legend()}
    <details>
      <summary>The numbers, unchanged and skipped included</summary>
      ${numbers}
    </details>
  </figure>`
}

/** A limit far above the bars would press them flat: then it is only said. */
const MOST_ABOVE = 4

/** Of a whole: with one decimal, and never zero for what there is. */
const partText = (part: number, whole: number): string =>
  part > 0 && part / whole < 0.001 ? 'less than 0.1%' : shareText(Math.round((part / whole) * 1000) / 1000)

/** `perDay`: what may be sent in 24 hours; undefined: no limit is set. */
export function requestChart(days: readonly DayView[], now: number, perDay: number | undefined): Html {
  const bars = new Map(
    days
      .filter(({ requests }) => requests > 0)
      .map(({ day, requests }) => [
        day,
        { parts: [{ style: 'sent', value: requests }], words: plural(requests, 'request') },
      ]),
  )
  const most = Math.max(0, ...days.map(({ requests }) => requests))
  const limit = perDay !== undefined && perDay <= most * MOST_ABOVE ? perDay : undefined
  const said =
    perDay === undefined
      ? 'No limit by the day is set.'
      : `The allowance is ${plural(perDay, 'request')} in 24 hours; the busiest day took ${partText(most, perDay)} of it.`
  return html`<figure class="plot">
    ${plots({ bars, label: 'Requests', limit }, now)}
    <figcaption class="quiet">${said} A request counts on the day on which its run began.</figcaption>
  </figure>`
}

const UNITS = [
  ['seconds', 1_000, 120_000],
  ['minutes', 60_000, 7_200_000],
  ['hours', 3_600_000, Infinity],
] as const

/** From the writing of a file to the outcome of its last change: the slowest file of each day. */
export function delayChart(days: readonly DayView[], now: number): Html {
  const timed = days.flatMap(({ day, fileMs }) => (fileMs === undefined ? [] : [{ day, fileMs }]))
  if (timed.length === 0) return none('No file was processed whose time of writing is known.')
  const longest = Math.max(...timed.map(({ fileMs }) => fileMs))
  const [unit, ms] = UNITS.find(([, , most]) => longest < most) ?? UNITS[2]
  const bars = new Map(
    timed.map(({ day, fileMs }) => [
      day,
      { parts: [{ style: 'delay', value: fileMs / ms }], words: spanText(fileMs) },
    ]),
  )
  return html`<figure class="plot">
    ${plots({ bars, label: `Time from file to service in ${unit}` }, now)}
    <figcaption class="quiet">
      In ${unit}: from the time at which the file was written, as its source says, to the outcome of its last
      change. The slowest file of each day.
    </figcaption>
  </figure>`
}

/** The share of contacts that differ, by the last round of each day; `allowed`: the share that is no reason for an alert, from 0 to 1. */
export function driftChart(
  rounds: readonly { readonly day: string; readonly share: number; readonly words: string }[],
  now: number,
  allowed: number,
): Html {
  const bars = new Map(
    rounds.map(({ day, share, words }) => [day, { parts: [{ style: 'delay', value: share * 100 }], words }]),
  )
  const most = Math.max(0, ...rounds.map(({ share }) => share))
  const limit = allowed <= Math.max(most, 0.02) * MOST_ABOVE ? allowed * 100 : undefined
  return html`<figure class="plot">
    ${plots({ bars, label: 'Contacts that differ, in percent', limit }, now)}
    <figcaption class="quiet">
      In percent of the contacts that were compared, by the day on which a round ended. Allowed are
      ${shareText(allowed)}.
    </figcaption>
  </figure>`
}
