// The picture of cost over rows: one line for each thing measured, dearer above cheaper, more rows to the right.
import { expect, it } from 'vitest'
import { plot } from './plot.ts'

const lines = (svg: string): number[][] =>
  [...svg.matchAll(/<path d="M([\d. L]+)" fill="none"/g)].map(([, path = '']) =>
    path.split(/[ L]/).map(Number),
  )

it('a line of each series goes through its points, on logarithmic axes', () => {
  const svg = plot([
    {
      name: 'dear',
      points: [
        [1000, 100],
        [10_000, 100],
        [100_000, 100],
      ],
    },
    {
      name: 'cheap',
      points: [
        [1000, 10],
        [100_000, 1],
      ],
    },
  ])
  const [dear = [], cheap = []] = lines(svg)
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0] = dear
  expect(x2 - x1).toBeCloseTo(x3 - x2, 0)
  expect(y2).toBe(y1)
  const [from = 0, high = 0, to = 0, low = 0] = cheap
  expect([from, to]).toEqual([x1, x3])
  expect(low - high).toBeCloseTo(high - y1, 0)
  for (const text of ['dear', 'cheap', '1,000', '100,000']) expect(svg).toContain(`>${text}</text>`)
})

it('one point alone is a picture as well', () => {
  expect(plot([{ name: 'one', points: [[1000, 5]] }])).not.toContain('NaN')
})
