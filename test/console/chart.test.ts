import { expect, it } from 'vitest'
import { ceilingOf, delayChart, lastDays, outcomeChart, requestChart } from '../../src/console/html/chart.ts'
import { html } from 'hono/html'
import { noCounts } from '../../src/core/outcome/summary.ts'

it.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [157, 200],
  [200, 200],
  [201, 500],
  [999_999, 1_000_000],
])('the top of a scale for %d is %d', (value, top) => expect(ceilingOf(value)).toBe(top))

it('counts days backwards over the end of a month, today the last', () => {
  expect(lastDays(Date.parse('2026-03-02T23:59:59Z'), 4)).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ])
})

it('draws a bar of each outcome that there was, once for wide and once for narrow screens, and says the numbers', async () => {
  const counts = { ...noCounts(), read: 5_000_060, created: 50, rejected: 10, unchanged: 5_000_000 }
  const drawn = await Promise.resolve(
    outcomeChart(
      [{ day: '2026-11-20', runs: 2, counts, requests: 7, fileMs: undefined }],
      Date.parse('2026-11-21T12:00:00Z'),
      html``,
    ),
  )
  expect(drawn.match(/<title>2026-11-20: 50 created, 10 rejected<\/title>/g)).toHaveLength(2)
  const heights = [...drawn.matchAll(/class="(created|rejected)"[^>]*?height="([\d.]+)"/g)].map(
    ([, outcome, height]) => [outcome, Number(height)],
  )
  // 148 pixels are a scale of 100, for what was unchanged is left out.
  expect(heights.filter(([, height]) => height !== 12)).toEqual([
    ['created', 74],
    ['rejected', 14.8],
    ['created', 74],
    ['rejected', 14.8],
  ])
})

const NOW = Date.parse('2026-11-21T12:00:00Z')
const day = (requests: number, fileMs?: number) => ({
  day: '2026-11-20',
  runs: 1,
  counts: noCounts(),
  requests,
  fileMs,
})
const drawn = async (chart: ReturnType<typeof delayChart>): Promise<string> => String(await chart)

it('draws the allowance where the requests come near it, and says it in any case', async () => {
  const near = await drawn(requestChart([day(40_000)], NOW, 50_000))
  expect(near).toContain('class="limit"')
  expect(near).toContain('the busiest day took 80% of it')
  expect(near).toContain('<title>2026-11-20: 40,000 requests</title>')
  const far = await drawn(requestChart([day(4)], NOW, 50_000))
  expect(far).not.toContain('class="limit"')
  expect(far).toContain('less than 0.1% of it')
  expect(await drawn(requestChart([day(0)], NOW, undefined))).toContain('No limit by the day is set')
})

it.each([
  [90_000, 'seconds'],
  [1_800_000, 'minutes'],
  [90_000_000, 'hours'],
])('shows a delay of %d ms in %s', async (fileMs, unit) => {
  expect(await drawn(delayChart([day(1, fileMs), day(1, 1)], NOW))).toContain(`In ${unit}:`)
})

it('says so where no file has a time', async () => {
  expect(await drawn(delayChart([day(3)], NOW))).toContain('No file was processed')
})
