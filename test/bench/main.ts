// `npm run bench -- [ROWS] [--pairs N] [--check] [--profile] [--further ROWS] [--plot FILE] [--write]`: what the program
// costs beside plain scripts that do the same without its promises, in one run, as ratios of processor time; medians over
// pairs. Every figure is that of a whole process. `--check` ends with 1 where a figure is above its limit (limits.ts);
// `--profile` adds the functions that take most where an aim is not reached; `--further` also measures a larger file, for
// the memory of a further row; `--write` puts the tables and the picture into the manual of the tests.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Bench, grouped } from './cost/bench.ts'
import { benchCosts, type SizeCosts } from './cost/costs.ts'
import { benchRate } from './cost/rate.ts'
import { prepareScripts } from './cost/scripts.ts'
import { benchSeeds } from './cost/seeds.ts'
import { createSheet, figureCells, filledPlace, isOver, markdownOf, type Sheet } from './cost/sheet.ts'
import { benchStages } from './cost/stages.ts'
import { benchStarts } from './cost/starts.ts'
import { startService } from './measure.ts'
import { plot, type Series } from './plot.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '1' },
    check: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    further: { type: 'string' },
    plot: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const ROWS = Number(positionals[0] ?? 100_000)
const FURTHER = options.further === undefined ? undefined : Number(options.further)
const LEAST_ROWS = 1000
/** Below, the simulation would take longer than everything else. */
const ROWS_WITH_SEEDS = 100_000
const MANUAL = resolve(import.meta.dirname, '../README.md')

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** Microseconds of the processor for each row, of each thing measured at every size. */
function pictureOf(sizes: readonly SizeCosts[]): string {
  const line = (name: string, cpuOf: (size: SizeCosts) => number | undefined): Series => ({
    name,
    points: sizes.map((size) => [size.rows, ((cpuOf(size) ?? NaN) * 1e6) / size.rows] as const),
  })
  return plot([
    line('first push', ({ push }) => push.own.cpu_s),
    line('plain script', ({ push }) => push.beside[0]?.report.cpu_s),
    line('unchanged re-run', ({ rerun }) => rerun.own.cpu_s),
    line('plain parse', ({ rerun }) => rerun.beside[0]?.report.cpu_s),
  ])
}

const machine = `Node ${process.versions.node}, ${availableParallelism()} processors`

async function writeManual(sheet: Sheet, picture: string): Promise<void> {
  const name = `bench/cost-${ROWS}.svg`
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ')
  const parts = [
    `\`${command}\` (${machine}, ${new Date().toISOString().slice(0, 10)}):`,
    ...sheet.tables().map(markdownOf),
    `![Cost over rows](${name})`,
  ]
  await writeFile(resolve(import.meta.dirname, '..', name), picture)
  await writeFile(MANUAL, filledPlace(await readFile(MANUAL, 'utf8'), ROWS, parts.join('\n\n')))
}

async function measureAll(bench: Bench): Promise<string> {
  const before = [ROWS / 100, ROWS / 10].map(Math.round).filter((size) => size >= LEAST_ROWS)
  const sizes = await benchCosts(bench, { before, further: FURTHER }, (place) => benchStarts(place, bench))
  await benchRate(bench)
  if (ROWS >= ROWS_WITH_SEEDS) await benchSeeds(bench)
  await benchStages(bench, options.profile)
  return pictureOf(sizes)
}

if (options.write) filledPlace(await readFile(MANUAL, 'utf8'), ROWS, '')
await prepareScripts()
const folder = await mkdtemp(join(tmpdir(), 'bench-'))
const service = await startService()
try {
  const sheet = createSheet(ROWS, say)
  const bench = { sheet, service, rows: ROWS, rounds: Number(options.pairs), folder }
  say(`${grouped(ROWS)} rows of 20 columns, ${options.pairs} pairs, ${machine}`)
  const picture = await measureAll(bench)
  const add = sheet.begin(['judged', 'value', 'aim', 'limit', 'aim is'])
  for (const figure of sheet.figures()) add(...figureCells(figure, ROWS))
  if (options.plot !== undefined) await writeFile(options.plot, picture)
  if (options.write) await writeManual(sheet, picture)
  const over = sheet.figures().filter(isOver)
  if (options.check && over.length > 0) {
    say(`\nabove their limits: ${over.map(({ name }) => name).join(', ')}`)
    process.exitCode = 1
  }
} finally {
  service.end()
  await rm(folder, { recursive: true })
}
