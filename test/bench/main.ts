// `npm run bench -- [ROWS]`: a first push and an unchanged re-run of one file, beside a plain streaming parse of it.
// The sandbox runs in a process of its own; every figure is that of a whole process. Ratios travel, seconds do not.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

interface Report {
  readonly wall_s: number
  readonly cpu_s: number
  readonly peak_mib: number
}

const ROWS = Number(process.argv[2] ?? 200_000)
const REPORT = resolve(import.meta.dirname, 'report.ts')
const PLAIN = resolve(import.meta.dirname, 'plain.ts')
const MAIN = resolve(import.meta.dirname, '../../dist/main.js')
const FIELDS = [
  'first_name',
  'family_name',
  'company',
  'job_title',
  'mail',
  'phone',
  'phone2',
  'fax',
  'ba_street',
  'ba_city',
  'ba_postal_code',
  'ba_state',
  'ba_country',
]

async function writePeople(path: string): Promise<void> {
  const file = createWriteStream(path)
  const extra = Array.from({ length: 6 }, (_, index) => `extra${index + 1}`)
  file.write(`${['no', ...FIELDS, ...extra].join(',')}\n`)
  for (let row = 0; row < ROWS; row += 1) {
    const company = row % 2 === 0 ? `"Muster ${row}, GmbH"` : `Muster ${row}`
    const note = row % 50 === 0 ? '"two\nlines"' : 'one line'
    const values = [
      `K${row}`,
      `Vorname${row % 997}`,
      `Nachname${row}`,
      company,
      'Einkauf',
      `person${row}@example.com`,
      `+49 30 ${row}`,
      '',
      '',
      `Hauptstraße ${row % 200}`,
      'Berlin',
      String(10_000 + (row % 89_999)),
      'Berlin',
      'DE',
      note,
      'a',
      'b',
      'c',
      '',
      '',
    ]
    if (!file.write(`${values.join(',')}\n`)) await once(file, 'drain')
  }
  file.end()
  await once(file, 'finish')
}

async function measured(folder: string, ...args: string[]): Promise<Report> {
  const child = spawn(process.execPath, ['--import', REPORT, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Report
}

async function startSandbox(folder: string): Promise<{ url: string; end(): void }> {
  const child = spawn(process.execPath, [MAIN, 'sandbox', '--port', '0', '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { base_url: url } = JSON.parse(line.toString()) as { base_url: string }
  return { url, end: () => child.kill('SIGTERM') }
}

const configuration = (url: string): string => `
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
`

function line(name: string, report: Report, plain: Report): string {
  const figures = [
    `${Math.round(ROWS / report.wall_s)
      .toLocaleString('en-US')
      .padStart(9)} rows/s`,
    `${report.cpu_s.toFixed(2).padStart(7)} s CPU`,
    `${(report.cpu_s / plain.cpu_s).toFixed(2).padStart(6)} x plain`,
    `${Math.round(report.peak_mib).toString().padStart(5)} MiB peak`,
  ]
  return `${name.padEnd(28)}${figures.join('')}\n`
}

const folder = await mkdtemp(join(tmpdir(), 'bench-'))
const sandbox = await startSandbox(folder)
try {
  const file = join(folder, 'people.csv')
  await writePeople(file)
  await mkdir(join(folder, 'inbox'))
  await writeFile(join(folder, 'config.yaml'), configuration(sandbox.url))
  const drop = (): Promise<void> => copyFile(file, join(folder, 'inbox', 'people.csv'))
  const run = async (): Promise<Report> => {
    await drop()
    return measured(folder, MAIN, 'run', '--config', 'config.yaml')
  }
  const megabytes = (await stat(file)).size / 1e6
  process.stdout.write(
    `${ROWS.toLocaleString('en-US')} rows of 20 columns, ${megabytes.toFixed(0)} MB, Node ${process.versions.node}\n`,
  )
  const plain = await measured(folder, PLAIN, file)
  process.stdout.write(line('plain csv-parse', plain, plain))
  process.stdout.write(line('first push, bulk of 100', await run(), plain))
  for (const name of ['unchanged re-run', 'unchanged re-run, again']) {
    const again = await measured(folder, PLAIN, file)
    process.stdout.write(line(name, await run(), again))
  }
} finally {
  sandbox.end()
  await rm(folder, { recursive: true })
}
