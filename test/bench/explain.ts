// How long `explain` takes in a large state: `npm run bench:explain -- [LINKS] [--check]`, a million by default. Some thousand
// records are pushed by the program; all others are copies of their links and of their entries in the sync log, put in with
// SQL. Then the program explains records by key and by mail. `--check` ends with 1 where the median of the time, or the
// processor time of any, is more than a second: the time of one also says how busy the machine is.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { LoggedEntry } from '../../src/core/log/audit-chain.ts'
import type { AuditEntry } from '../../src/core/log/audit.ts'
import { type Connection, openDatabase } from '../../src/store/file/database.ts'
import { createBatchAppend } from '../../src/store/log/audit-append.ts'
import { createSyncLog } from '../../src/store/log/audit-read.ts'
import { MAIN } from '../support/cli.ts'
import { median } from './cost/median.ts'
import { newPlace, type Place } from './cost/place.ts'
import { prepareScripts, SCRIPTS } from './cost/scripts.ts'
import { measured, type Report, startService } from './measure.ts'
import { writePeople } from './people-file.ts'

const LIMIT_S = 1
const PUSHED = 3000
const LOOKS = 20
const BATCH = 1000
/** Above all numbers of pushed records, all of one length: keys and mails are put in in their order. */
const FIRST = 10_000_000

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: 'boolean', default: false } },
})
const links = Number(positionals[0] ?? 1_000_000)
const say = (text: string): unknown => process.stdout.write(`${text}\n`)

const mailOf = (number: number): string => `person${number}@example.com`

interface Link {
  readonly known: string
  readonly terms: string | null
}

/** The entry of a record as that of another one. */
const asOf = (entry: LoggedEntry, number: number): AuditEntry => ({
  ...{ at: entry.at, run_id: entry.run_id, pipeline: entry.pipeline, action: entry.action },
  ...{ terms: entry.terms, request: entry.request, outcome: entry.outcome, reason: entry.reason },
  ...{ source: entry.source, config_hash: entry.config_hash },
  key: `K${number}`,
  contact_id: number,
  fields: { ...entry.fields, mail: { from: null, to: mailOf(number) } },
})

async function fill(db: Connection): Promise<void> {
  const model = db.prepare<[], Link>('SELECT known, terms FROM link ORDER BY id LIMIT 1').get()
  const [entry] = await createSyncLog(db).logPage({ action: 'create' }, { order: 'oldest', limit: 1 })
  if (model === undefined || entry === undefined) throw new Error('nothing was pushed')
  const link = db
    .prepare<unknown[], number>(
      "INSERT INTO link (pipeline, key, contact_id, mail_key, known, terms) VALUES ('bench', ?, ?, ?, ?, ?) RETURNING id",
    )
    .pluck()
  const fingerprint = db.prepare("INSERT INTO fingerprint VALUES ('bench', ?, ?)")
  const append = createBatchAppend(db)
  const some = db.transaction((from: number, to: number) => {
    const numbers = Array.from({ length: to - from }, (_, index) => from + index)
    for (const number of numbers) {
      const known = JSON.stringify({ ...(JSON.parse(model.known) as object), mail: mailOf(number) })
      const id = link.get(`K${number}`, number, mailOf(number), known, model.terms)
      fingerprint.run(id, `f${number}`)
    }
    append(numbers.map((number) => asOf(entry, number)))
  })
  const last = FIRST + links - PUSHED
  for (let from = FIRST; from < last; from += BATCH) some(from, Math.min(from + BATCH, last))
}

/** What it prints is looked at, too: an explanation that is fast and empty is none. */
async function looked({ folder }: Place, wanted: string, key: string): Promise<Report> {
  const args = [
    '--require',
    SCRIPTS.report,
    MAIN,
    'explain',
    'bench',
    wanted,
    '--json',
    '--config',
    'config.yaml',
  ]
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((done, fail) => {
    execFile(process.execPath, args, { cwd: folder }, (error, stdout, stderr) => {
      if (error === null) done({ stdout, stderr })
      else fail(new Error(`explain ${wanted}: ${error.message}${stderr}`))
    })
  })
  const { key: found, fields } = JSON.parse(stdout) as { key: string; fields: { mail?: { run_id?: string } } }
  if (found !== key || typeof fields.mail?.run_id !== 'string')
    throw new Error(`explain ${wanted} gave ${stdout}`)
  return JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Report
}

async function look(place: Place, what: string, wantedOf: (number: number) => string): Promise<boolean> {
  const reports: Report[] = []
  for (let turn = 0; turn < LOOKS; turn += 1) {
    const number = FIRST + Math.floor(Math.random() * (links - PUSHED))
    reports.push(await looked(place, wantedOf(number), `K${number}`))
  }
  const text = (name: 'wall_s' | 'cpu_s'): string => {
    const values = reports.map((report) => report[name])
    return `${median(values).toFixed(2)} s, ${Math.max(...values).toFixed(2)} s at worst`
  }
  const isLate =
    median(reports.map((report) => report.wall_s)) > LIMIT_S ||
    reports.some((report) => report.cpu_s > LIMIT_S)
  say(`explain by ${what}: ${text('wall_s')} (processor ${text('cpu_s')})${isLate ? ': TOO LONG' : ''}`)
  return !isLate
}

await prepareScripts()
const folder = await mkdtemp(join(tmpdir(), 'explain-bench-'))
const service = await startService()
try {
  const place = await newPlace(folder, service.url)
  const people = join(folder, 'people.csv')
  await writePeople(people, { rows: PUSHED })
  await place.drop(people)
  await place.run()
  const start = performance.now()
  const db = openDatabase(join(place.folder, 'state/contact-sync.db'), { thorough: false })
  await fill(db)
  db.close()
  say(
    `${links} links, ${PUSHED} of them pushed, all others put in in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  )
  const inTime = [await look(place, 'key', (number) => `K${number}`), await look(place, 'mail', mailOf)]
  // A run goes along indexes, too: the same file, ten of its rows changed and five new.
  await writePeople(people, { rows: PUSHED + 5, changed: 300 })
  await place.drop(people)
  const run: Report = await measured(place.folder, [MAIN, 'run', '--config', 'config.yaml'])
  say(
    `a run of ${PUSHED + 5} rows, ten of them changed and five new: ${run.wall_s.toFixed(2)} s (processor ${run.cpu_s.toFixed(2)} s)`,
  )
  if (options.check && inTime.includes(false)) process.exitCode = 1
} finally {
  service.end()
  await rm(folder, { recursive: true })
}
