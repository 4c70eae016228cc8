// `npm run bench -- [ROWS] [--pairs N] [--check] [--plot FILE]`: what the program costs beside plain scripts that do the
// same without its promises, in one run, as ratios of processor time; medians over pairs. `--check` ends with 1 where a
// ratio is above its limit (limits.ts). Every figure is that of a whole process.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type LimitName, LIMITS } from './limits.ts'
import { measured, median, type Report, type Server, startService } from './measure.ts'
import { FIELDS, writePeople } from './people-file.ts'
import { plot, type Series } from './plot.ts'
import { stagesOf } from './stages.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '1' },
    check: { type: 'boolean', default: false },
    plot: { type: 'string' },
  },
})
const ROWS = Number(positionals[0] ?? 100_000)
const PAIRS = Number(options.pairs)
const MAIN = resolve(import.meta.dirname, '../../dist/main.js')
const script = (name: string): string => resolve(import.meta.dirname, name)

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const ratios = new Map<LimitName, number>()

function row(name: string, rows: number, { cpu_s, wall_s, peak_mib, delay_p99_ms }: Report): void {
  const figures = [
    `${cpu_s.toFixed(2).padStart(8)} s CPU`,
    `${Math.round(rows / wall_s)
      .toLocaleString('en-US')
      .padStart(9)} rows/s`,
    `${Math.round(peak_mib).toString().padStart(5)} MiB`,
    `${delay_p99_ms.toFixed(0).padStart(5)} ms p99 of the loop`,
  ]
  say(`  ${name.padEnd(34)}${figures.join('')}`)
}

function note(name: LimitName, value: number): void {
  ratios.set(name, value)
  const { most, aim, what } = LIMITS[name]
  const verdict = value <= aim ? 'as aimed at' : value <= most ? `aim ${aim}` : `ABOVE ITS LIMIT OF ${most}`
  say(`  = ${what}: ${value.toFixed(2)} (${verdict})`)
}

const configuration = (url: string, more: string): string => `
service:
  base_url: ${url}
  api_key: sandbox-key
  rate_limit: { requests: 100000, per: 1s, concurrency: 4 }
  bulk: { size: 100 }
state: { path: state/contact-sync.db }
pipelines:
  bench:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    map: { ${FIELDS.map((field) => `${field}: ${field}`).join(', ')} }
${more}`

/** A folder with a configuration and a state of its own. */
interface Place {
  readonly folder: string
  drop(file: string): Promise<void>
  run(...flags: string[]): Promise<Report>
}

async function newPlace(url: string, more = ''): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'))
  await mkdir(join(folder, 'inbox'))
  await writeFile(join(folder, 'config.yaml'), configuration(url, more))
  return {
    folder,
    drop: (file) => copyFile(file, join(folder, 'inbox', 'people.csv')),
    run: (...flags) => measured(folder, [MAIN, 'run', '--config', 'config.yaml'], flags),
  }
}

/** One after the other, so many times: the median of the ratios, and the last reports. */
async function pairs(
  one: () => Promise<Report>,
  other: () => Promise<Report>,
): Promise<{ ratio: number; one: Report; other: Report }> {
  const found: { ratio: number; one: Report; other: Report }[] = []
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const left = await one()
    const right = await other()
    found.push({ ratio: left.cpu_s / right.cpu_s, one: left, other: right })
  }
  const last = found.at(-1)
  if (last === undefined) throw new Error('--pairs must be at least 1')
  return { ...last, ratio: median(found.map(({ ratio }) => ratio)) }
}

async function benchPush(service: Server, file: string, rows: number): Promise<readonly [number, number]> {
  const { ratio, one, other } = await pairs(
    async () => {
      const place = await newPlace(service.url)
      await place.drop(file)
      return place.run().finally(() => rm(place.folder, { recursive: true }))
    },
    () => measured(tmpdir(), [script('plain-push.ts'), file, service.url, 'create']),
  )
  row(`first push of ${rows.toLocaleString('en-US')}`, rows, one)
  row('plain script', rows, other)
  if (rows === ROWS) note('push', ratio)
  return [one.cpu_s, other.cpu_s]
}

async function benchUpdates(service: Server, before: string, via: 'id' | 'bulk'): Promise<void> {
  const place = await newPlace(service.url, `    update_via: ${via}\n`)
  const changed = join(place.folder, 'changed.csv')
  let version = 0
  await place.drop(before)
  await place.run()
  const { ratio, one, other } = await pairs(
    async () => {
      version += 1
      await writePeople(changed, { rows: ROWS, changed: 100, version })
      await place.drop(changed)
      return place.run()
    },
    () => measured(tmpdir(), [script('plain-push.ts'), changed, service.url, 'update']),
  )
  row(`1 % changed, by ${via}`, ROWS, one)
  row('script that sends the same', ROWS, other)
  note(via === 'id' ? 'update_id' : 'update_bulk', ratio)
  await rm(place.folder, { recursive: true })
}

async function benchUnchanged(service: Server, file: string): Promise<void> {
  const place = await newPlace(service.url)
  const other = join(place.folder, 'other.csv')
  await place.drop(file)
  await place.run()
  const parse = (): Promise<Report> => measured(tmpdir(), [script('plain.ts'), file])
  // Other bytes, the same records and one more.
  let rows = ROWS
  const unchanged = await pairs(async () => {
    rows += 1
    await writePeople(other, { rows })
    await place.drop(other)
    return place.run()
  }, parse)
  row('unchanged re-run', ROWS, unchanged.one)
  note('unchanged', unchanged.ratio)
  const same = await pairs(async () => {
    await place.drop(other)
    return place.run()
  }, parse)
  row('the same bytes again', ROWS, same.one)
  note('same_bytes', same.ratio)
  let version = 0
  const {
    ratio,
    one,
    other: plain,
  } = await pairs(async () => {
    version += 1
    await writePeople(other, { rows, changed: 100, version })
    await place.drop(other)
    return place.run()
  }, parse)
  row('1 % changed', ROWS, one)
  row('plain parse into objects', ROWS, plain)
  note('changed', ratio)
  await rm(place.folder, { recursive: true })
}

async function benchStart(service: Server): Promise<void> {
  const place = await newPlace(service.url)
  const bare = (): Promise<Report> => measured(place.folder, ['-e', '0'])
  const starts = [
    ['version', ['--version']],
    ['help', ['--help']],
    ['completion', ['completion', 'bash']],
    ['status', ['status', '--config', 'config.yaml']],
  ] as const
  for (const [name, args] of starts) {
    const { ratio } = await pairs(() => measured(place.folder, [MAIN, ...args]), bare)
    note(name, ratio)
  }
  await rm(place.folder, { recursive: true })
}

async function benchRate(): Promise<void> {
  const service = await startService(50)
  const place = await newPlace(service.url)
  const yaml = configuration(service.url, '').replace('requests: 100000', 'requests: 40')
  await writeFile(join(place.folder, 'config.yaml'), yaml.replace('size: 100', 'size: 10'))
  const file = join(place.folder, 'people.csv')
  await writePeople(file, { rows: 4000 })
  await place.drop(file)
  await place.run()
  const { requests, most, took_ms } = await service.windows()
  service.end()
  await rm(place.folder, { recursive: true })
  // A place is taken for a window and the time until its answer: more than this cannot be used.
  const possible = (took_ms / 1000) * 40 * (1000 / 1050) + 40
  say(`  40 a second, 50 ms for each answer: ${requests} requests, at most ${most} in a window`)
  note('rate_over', most / 40)
  note('rate_unused', Math.max(0, 1 - requests / possible))
}

async function showStages(service: Server, file: string, rows: number): Promise<void> {
  const place = await newPlace(service.url)
  await place.drop(file)
  const profile = join(place.folder, 'profile')
  await place.run('--cpu-prof', `--cpu-prof-dir=${profile}`)
  for (const [stage, ms] of stagesOf(profile).slice(0, 14))
    say(`  ${stage.padEnd(34)}${((ms * 1000) / rows).toFixed(1).padStart(8)} µs a record`)
  await rm(place.folder, { recursive: true })
}

const folder = await mkdtemp(join(tmpdir(), 'bench-files-'))
const service = await startService()
try {
  const sizes = [...new Set([Math.max(1000, Math.round(ROWS / 10)), ROWS])]
  const files = new Map(sizes.map((rows) => [rows, join(folder, `${rows}.csv`)] as const))
  for (const [rows, file] of files) await writePeople(file, { rows })
  const whole = files.get(ROWS) ?? ''
  say(`${ROWS.toLocaleString('en-US')} rows of 20 columns, ${PAIRS} pairs, Node ${process.versions.node}`)
  const costs: { rows: number; cpu: readonly [number, number] }[] = []
  for (const [rows, file] of files) costs.push({ rows, cpu: await benchPush(service, file, rows) })
  await benchUpdates(service, whole, 'id')
  await benchUpdates(service, whole, 'bulk')
  await benchUnchanged(service, whole)
  await benchStart(service)
  await benchRate()
  const [small = ROWS] = sizes
  say(`  where the time of a first push of ${small.toLocaleString('en-US')} goes:`)
  await showStages(service, files.get(small) ?? '', small)
  if (options.plot !== undefined) {
    const series = ['first push', 'plain script'].map((name, index): Series => {
      const points = costs.map(({ rows, cpu }) => [rows, ((cpu[index] ?? 0) * 1e6) / rows] as const)
      return { name, points }
    })
    await writeFile(options.plot, plot(series))
  }
} finally {
  service.end()
  await rm(folder, { recursive: true })
}

const over = [...ratios].filter(([name, value]) => value > LIMITS[name].most).map(([name]) => name)
if (options.check && over.length > 0) {
  say(`above their limits: ${over.join(', ')}`)
  process.exitCode = 1
}
