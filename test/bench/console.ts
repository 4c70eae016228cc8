// How long the console's pages take over a large state: `npm run bench:console -- [ENTRIES]`. Fills a state with that many
// entries of the sync log (a million by default), a quarter as many linked contacts, and a tenth as many held changes,
// rejects and contacts that wait for a term; then asks for every page as a browser does. Ends with 1 where one takes longer than 300 ms (the median: the first look of all
// also starts the thread that reads).
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { consoleData } from '../../src/app/daemon/console-data.ts'
import { createMemorySessions } from '../../src/store/sessions/memory-sessions.ts'
import { pageRoutes } from '../../src/console/page-routes.ts'
import { startConsole } from '../../src/console/server.ts'
import { createTokenGate } from '../../src/console/token.ts'
import { createAppend } from '../../src/store/log/audit-append.ts'
import { type Connection, openDatabase } from '../../src/store/file/database.ts'
import type { Settings } from '../../src/core/settings.ts'
import { systemClock as clock } from '../../src/system.ts'
import { pipelineSettings, serviceSettings } from '../support/pipeline.ts'

const LIMIT_MS = 300
const ROUNDS = 15
const TOKEN = 'token-of-the-bench'
const OF_A_RUN = 200

const entries = Number(process.argv[2] ?? 1_000_000)
const contacts = Math.ceil(entries / 4)
const folder = await mkdtemp(join(tmpdir(), 'console-bench-'))
const path = join(folder, 'state.db')
const say = (text: string): unknown => process.stdout.write(`${text}\n`)

const runOf = (index: number): string => `2026-run-${String(Math.floor(index / OF_A_RUN)).padStart(7, '0')}`

function fillLog(db: Connection): void {
  const append = createAppend(db)
  const start = Date.UTC(2026, 0, 1)
  for (let index = 0; index < entries; index += 1) {
    const contact = index % contacts
    const isFirst = index < contacts
    const name = `Name ${index}`
    const fields = isFirst
      ? { mail: { from: null, to: `person${contact}@example.com` }, first_name: { from: null, to: name } }
      : { first_name: { from: `Name ${index - contacts}`, to: name } }
    append({
      at: new Date(start + index * 1000).toISOString(),
      run_id: runOf(index),
      pipeline: contact % 5 === 0 ? 'crm' : 'shop',
      key: `K${contact}`,
      contact_id: contact + 1,
      action: isFirst ? 'create' : 'update',
      fields,
      terms: { add: [], remove: [] },
      request: { method: 'PUT', path: '/contact/<contact_id>', status: 200, attempts: 1 },
      outcome: index % 1000 === 7 ? 'rejected' : 'done',
      reason: null,
      source: { file: 'export.csv', line: (index % 5000) + 2 },
      config_hash: 'c'.repeat(64),
    })
  }
}

function fillRest(db: Connection): void {
  const counts = JSON.stringify({ read: 5000, created: 100, updated: 100, unchanged: 4790, rejected: 10 })
  const run = db.prepare(
    "INSERT INTO run (id, pipeline, started_at, ended_at, status, counts, config_hash) VALUES (?, ?, ?, ?, 'ok', ?, 'c')",
  )
  const input = db.prepare(
    "INSERT INTO input (run_id, pipeline, name, version, bytes, header, sha256, state) VALUES (?, ?, 'export.csv', 'v', 99, '[]', 'a', 'processed')",
  )
  const runs = Math.ceil(entries / OF_A_RUN)
  const now = clock.now()
  for (let index = 0; index < runs; index += 1) {
    const began = now - (runs - index) * 600_000
    const pipeline = index % 5 === 0 ? 'crm' : 'shop'
    run.run(runOf(index * OF_A_RUN), pipeline, began, began + 5000, counts)
    input.run(runOf(index * OF_A_RUN), pipeline)
  }
  const link = db.prepare(
    'INSERT INTO link (pipeline, key, contact_id, mail_key, known, terms) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const terms = JSON.stringify([
    ['Customer', 1],
    ['Newsletter', 0],
    ['VIP', 1],
  ])
  for (let index = 0; index < contacts; index += 1) {
    const mail = `person${index}@example.com`
    const known = JSON.stringify({ mail, first_name: `Name ${index}` })
    link.run(index % 5 === 0 ? 'crm' : 'shop', `K${index}`, index + 1, mail, known, terms)
  }
  const last = runOf(entries - 1)
  const tenth = Math.ceil(entries / 10)
  const operation = db.prepare(`
    INSERT INTO operation (input_id, run_id, pipeline, key, line, file, cause, kind, contact_id, fields, desired, record, fingerprint,
                           state, rank, guard, reason)
    VALUES (@input, @run, 'shop', @key, 0, 'export.csv', 'missing', 'delete', @contact, '{}', '{}', '[]', '', 'held', 9, 'max_deletes', 'many')`)
  const ask = db.prepare(
    "INSERT INTO brake_ask (term, name, pipeline, key, state, file, line) VALUES ('news', 'News', 'shop', ?, 'waiting', 'export.csv', 5)",
  )
  db.prepare("INSERT INTO brake (term, phase, run_id, since) VALUES ('news', 'watching', ?, ?)").run(
    runOf(0),
    now,
  )
  const reject = db.prepare(
    "INSERT INTO reject (input_id, pipeline, key, code, reason, file, line, header, record) VALUES (?, 'shop', ?, 'MAIL_INVALID', 'no mail', 'export.csv', 5, '[\"a\"]', '[[\"b\"]]')",
  )
  for (let index = 0; index < tenth; index += 1) {
    operation.run({ input: runs, run: last, key: `K${index * 2 + 1}`, contact: index * 2 + 2 })
    reject.run((index % runs) + 1, `R${index}`)
    ask.run(`K${index * 2 + 1}`)
  }
  db.prepare("INSERT INTO hold VALUES (?, ?, 'max_deletes', 'shop', ?, '5%', 'many', 'c', ?, NULL)").run(
    last,
    runs,
    tenth,
    now,
  )
}

async function timed(
  ask: () => Promise<number>,
): Promise<{ status: number; first: number; median: number; worst: number }> {
  const times: number[] = []
  let status = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now()
    status = await ask()
    times.push(performance.now() - began)
  }
  const [first = 0] = times
  const later = times.slice(1).sort((left, right) => left - right)
  return { status, first, median: later[Math.floor(later.length / 2)] ?? 0, worst: later.at(-1) ?? 0 }
}

async function measure(url: string): Promise<boolean> {
  const some = Math.ceil(contacts / 2)
  const pages = [
    '/',
    '/runs',
    `/runs?pipeline=crm&status=partial`,
    `/runs/${runOf(entries - 1)}`,
    `/runs/${runOf(entries / 2)}`,
    '/held',
    `/held/${runOf(entries - 1)}?guard=max_deletes`,
    '/brakes',
    `/held/${runOf(0)}?guard=brake`,
    '/edits',
    '/corrections',
    '/alerts',
    '/doubts',
    '/rejects',
    '/rejects?pipeline=shop',
    `/rejects?run=${runOf(0)}`,
    '/log',
    `/log?from=${Math.ceil(entries / 2)}`,
    '/log?action=create',
    '/log?pipeline=crm&outcome=rejected',
    `/log?run=${runOf(entries / 2)}`,
    `/log/${some}`,
    '/log/verification',
    `/contacts/${some}`,
    '/configuration',
    '/terms',
  ]
  const headers = { authorization: `Bearer ${TOKEN}` }
  const own = {
    ...headers,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/x-www-form-urlencoded',
  }
  const asks: [string, () => Promise<Response>][] = [
    ...pages.map((page): [string, () => Promise<Response>] => [
      page,
      async () => fetch(url + page, { headers }),
    ]),
    ...[`person${some}@example.com`, `K${some}`, 'person1', String(some)].map(
      (q): [string, () => Promise<Response>] => [
        `search ${q}`,
        async () =>
          fetch(`${url}/search`, { method: 'POST', headers: own, body: new URLSearchParams({ q }) }),
      ],
    ),
  ]
  say(`${'page'.padEnd(48)} status  first   median  worst of ${ROUNDS - 1} more (ms)`)
  let isFast = true
  for (const [name, ask] of asks) {
    const { status, first, median, worst } = await timed(async () => {
      const answer = await ask()
      await answer.text()
      return answer.status
    })
    const slow = status !== 200 || median > LIMIT_MS
    isFast &&= !slow
    const figures = [first, median, worst].map((ms) => ms.toFixed(1).padStart(7)).join(' ')
    say(`${name.padEnd(48)} ${status}   ${figures}${slow ? '  TOO SLOW' : ''}`)
  }
  return isFast
}

const began = performance.now()
const db = openDatabase(path, { thorough: false })
// Nothing of it has to outlive this process, and a journal of it would be larger than the state.
db.pragma('journal_mode = OFF')
db.pragma('synchronous = OFF')
db.pragma('cache_size = -400000')
db.transaction(() => fillLog(db))()
db.transaction(() => fillRest(db))()
db.pragma('journal_mode = WAL')
db.close()
say(
  `${entries} entries, ${contacts} contacts: filled in ${((performance.now() - began) / 1000).toFixed(0)} s`,
)
const gate = createTokenGate(() => [{ token: TOKEN }], clock)
const onFault = (error: unknown): void => void say(String(error))
const settings = {
  server: { users: [] },
  file: '/etc/contact-sync.yaml',
  service: serviceSettings(),
  state: { path },
  pipelines: [pipelineSettings(), pipelineSettings({ name: 'crm' })],
  alerts: [],
  secrets: [TOKEN],
  unshown: [],
} as unknown as Settings
const condition = {
  running: true,
  stateOpen: true,
  paused: new Map(),
  startedAt: clock.now(),
  pause: undefined,
  refusedReload: undefined,
  pipelines: [],
}
const looking = consoleData({
  clock,
  settings: () => settings,
  daemon: () => condition,
  progress: () => [],
  noteRead: () => undefined,
  decide: () => Promise.resolve(),
})
const server = await startConsole(
  { host: '127.0.0.1', port: 0, hosts: [], users: [], token: TOKEN, metrics_token: undefined },
  {
    mounts: [
      pageRoutes({
        accounts: () => [{ name: 'default', data: looking.data, isOpenTo: () => true }],
        gate,
        clock,
        sessions: createMemorySessions(clock),
        onFault,
      }),
    ],
    gateOf: () => gate,
    names: () => [],
    onFault,
  },
)
const isFast = await measure(`http://127.0.0.1:${server.port}`)
await server.close()
await looking.close()
await rm(folder, { recursive: true })
process.exitCode = isFast ? 0 : 1
