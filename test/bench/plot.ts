// Cost over rows as a picture: microseconds of the processor for each record, one line for each thing measured.
export interface Series {
  readonly name: string
  /** Rows, and microseconds for each of them. */
  readonly points: readonly (readonly [number, number])[]
}

const WIDTH = 720
const HEIGHT = 400
const MARGIN = { left: 70, right: 190, top: 30, bottom: 50 }
const COLOURS = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700', '#8250df', '#57606a']

const decades = (values: readonly number[]): [number, number] => [
  Math.floor(Math.log10(Math.min(...values))),
  Math.ceil(Math.log10(Math.max(...values))),
]

/** An SVG on logarithmic axes. */
export function plot(series: readonly Series[]): string {
  const points = series.flatMap((one) => one.points)
  const [left, right] = decades(points.map(([rows]) => rows))
  const [low, high] = decades(points.map(([, cost]) => cost))
  const width = WIDTH - MARGIN.left - MARGIN.right
  const height = HEIGHT - MARGIN.top - MARGIN.bottom
  const x = (rows: number): number =>
    MARGIN.left + ((Math.log10(rows) - left) / Math.max(1, right - left)) * width
  const y = (cost: number): number =>
    MARGIN.top + height - ((Math.log10(cost) - low) / Math.max(1, high - low)) * height
  const text = (at: readonly [number, number], content: string, anchor = 'middle'): string =>
    `<text x="${at[0].toFixed(0)}" y="${at[1].toFixed(0)}" text-anchor="${anchor}">${content}</text>`
  const grid = Array.from({ length: high - low + 1 }, (_, index) => {
    const cost = 10 ** (low + index)
    const at = y(cost)
    return `<path d="M${MARGIN.left} ${at.toFixed(1)}h${width}" stroke="#d0d7de"/>${text([MARGIN.left - 8, at + 4], String(cost), 'end')}`
  })
  const ticks = Array.from({ length: right - left + 1 }, (_, index) => {
    const rows = 10 ** (left + index)
    return text([x(rows), MARGIN.top + height + 20], rows.toLocaleString('en-US'))
  })
  const lines = series.map(({ name, points: own }, index) => {
    const colour = COLOURS[index % COLOURS.length]
    const path = own.map(([rows, cost]) => `${x(rows).toFixed(1)} ${y(cost).toFixed(1)}`).join('L')
    const [rows, cost] = own.at(-1) ?? [1, 1]
    return `<path d="M${path}" fill="none" stroke="${colour}" stroke-width="2"/><g fill="${colour}">${text([x(rows) + 8, y(cost) + 4], name, 'start')}</g>`
  })
  const axes = [
    text([MARGIN.left + width / 2, HEIGHT - 10], 'rows of the file'),
    text([MARGIN.left, 18], 'µs of the processor for each record', 'start'),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${[...grid, ...ticks, ...lines, ...axes].join('')}</svg>\n`
}
