// Records by outcome and day as stacked bars, drawn on the server: no script is needed to see them. What was unchanged
// or skipped is left out: it is nearly everything on most days, and would hide the rest.
import type { Outcome } from '../../core/outcome/summary.ts'
import type { DayView } from '../../core/views.ts'
import { html, type Html } from './markup.ts'
import { nothing, spoken } from './parts.ts'
import { number } from '../../core/words/format.ts'
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

const shownRecords = ({ counts }: Pick<DayView, 'counts'>): number =>
  SHOWN.reduce((sum, outcome) => sum + counts[outcome], 0)

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

function bar(day: DayView, x: number, { width, scale }: { width: number; scale: (value: number) => number }) {
  let y = HEIGHT - BOTTOM
  const parts = SHOWN.filter((outcome) => day.counts[outcome] > 0)
  const rects = parts.map((outcome) => {
    // A bar is seen, however small its share.
    const height = Math.max(1, scale(day.counts[outcome]))
    y -= height
    return html`<rect
      class="${outcome}"
      x="${rounded(x)}"
      y="${rounded(y)}"
      width="${rounded(width)}"
      height="${rounded(height)}"
    />`
  })
  const words = parts.map((outcome) => `${number(day.counts[outcome])} ${spoken(outcome)}`).join(', ')
  return html`<g><title>${day.day}: ${words}</title>${rects}</g>`
}

function gridLines({ width, left, top }: Frame, scale: (value: number) => number): Html[] {
  return [0, 0.5, 1].map((share) => {
    const y = HEIGHT - BOTTOM - scale(top * share)
    const label = Number.isInteger(top * share) ? number(top * share) : ''
    const line = share === 0 ? 'base' : 'grid'
    return html`<line class="${line}" x1="${left}" x2="${width}" y1="${rounded(y)}" y2="${rounded(y)}" />
      <text x="${left - 6}" y="${rounded(y + 4)}" text-anchor="end">${label}</text>`
  })
}

function plot(days: ReadonlyMap<string, DayView>, names: readonly string[], kind: 'wide' | 'narrow'): Html {
  const width = kind === 'wide' ? 900 : 330
  const shown = names.flatMap((name) => days.get(name) ?? [])
  const top = ceilingOf(Math.max(2, ...shown.map(shownRecords)))
  const left = 14 + number(top).length * 6.5
  const step = (width - left) / names.length
  const scale = (value: number): number => (value / top) * (HEIGHT - TOP - BOTTOM)
  const every = kind === 'wide' ? 5 : 4
  const bars = names.map((name, index) => {
    const day = days.get(name)
    return day === undefined
      ? nothing
      : bar(day, left + index * step + step * 0.15, { width: step * 0.7, scale })
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
  const words = `Records by outcome on each of the last ${names.length} days; the table below has the numbers`
  return html`<svg class="${kind}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${words}">
    ${gridLines({ width, left, top }, scale)}${bars}${labels}
  </svg>`
}

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

/** The plot, with `numbers` (a table of the same) folded in below it. */
export function outcomeChart(days: readonly DayView[], now: number, numbers: Html): Html {
  const byDay = new Map(days.map((day) => [day.day, day]))
  return html`<figure class="plot">
    ${plot(byDay, lastDays(now, 30), 'wide')}${plot(byDay, lastDays(now, 14), 'narrow')}${legend()}
    <details>
      <summary>The numbers, unchanged and skipped included</summary>
      ${numbers}
    </details>
  </figure>`
}
