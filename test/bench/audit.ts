// How long it takes to enter, find, show, check and export in a large sync log: `npm run bench:audit -- [ENTRIES]`, a
// million by default. A person has ten entries, a run two thousand. Ends with 1 where a look takes longer than 300 ms.
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AUDIT_START } from '../../src/core/log/audit-chain.ts'
import type { AuditEntry } from '../../src/core/log/audit.ts'
import { everyEntry, exportLine } from '../../src/core/log/log-lines.ts'
import { runAccount } from '../../src/core/log/run-account.ts'
import type { LogFilter } from '../../src/core/log/sync-log.ts'
import { createBatchAppend } from '../../src/store/log/audit-append.ts'
import { createSyncLog } from '../../src/store/log/audit-read.ts'
import { type Connection, openDatabase, openForReading } from '../../src/store/file/database.ts'

const LIMIT_MS = 300
const BATCH = 1000
const OF_A_RUN = 2000
const MINUTE = 60_000

const entries = Number(process.argv[2] ?? 1_000_000)
const people = Math.ceil(entries / 10)
const folder = await mkdtemp(join(tmpdir(), 'audit-bench-'))
const path = join(folder, 'state.db')
const say = (text: string): unknown => process.stdout.write(`${text}\n`)
const runOf = (index: number): string => `run-${Math.floor(index / OF_A_RUN)}`

function entryAt(index: number): AuditEntry {
  const person = index % people
  const isFirst = index < people
  const value = `030 ${index}`
  return {
    at: new Date(Date.UTC(2020, 0, 1) + index * MINUTE).toISOString(),
    run_id: runOf(index),
    pipeline: index % 3 === 0 ? 'crm' : 'shop',
    key: `K${person}`,
    contact_id: person + 1,
    action: isFirst ? 'create' : index % 7 === 0 ? 'terms' : 'update',
    fields: isFirst
      ? { mail: { from: null, to: `person${person}@example.com` }, phone: { from: null, to: value } }
      : { [index % 100 === 0 ? 'fax' : 'phone']: { from: `030 ${index - people}`, to: value } },
    terms: { add: index % 7 === 0 ? [`Term ${index % 50}`] : [], remove: [] },
    request: { method: 'PUT', path: '/contact/<contact_id>', status: 200, attempts: 1 },
    outcome: index % 1000 === 999 ? 'failed' : 'done',
    reason: null,
    source: { file: `export-${index % 300}.csv`, line: (index % 5000) + 2, sha256: 'a'.repeat(64) },
    config_hash: 'c'.repeat(64),
  }
}

function fill(db: Connection): void {
  const append = createBatchAppend(db)
  const link = db.prepare(
    "INSERT OR IGNORE INTO link (pipeline, key, contact_id, mail_key, known) VALUES (?, ?, ?, ?, '{}')",
  )
  const some = db.transaction((from: number) => {
    const batch = Array.from({ length: Math.min(BATCH, entries - from) }, (_, index) => entryAt(from + index))
    // As a run does: links are written before the entries about them.
    for (const { pipeline, key, contact_id: id } of batch)
      link.run(pipeline, key, id, `person${(id ?? 1) - 1}@example.com`)
    append(batch)
  })
  for (let from = 0; from < entries; from += BATCH) some(from)
}

async function timed(what: string, limit: number | undefined, work: () => Promise<number>): Promise<boolean> {
  const times: number[] = []
  const cpu = process.cpuUsage()
  let found = 0
  const rounds = limit === undefined ? 1 : 5
  // The first goes over a cold cache, and counts as well.
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now()
    found = await work()
    times.push(performance.now() - start)
  }
  const { user, system } = process.cpuUsage(cpu)
  const worst = Math.max(...times)
  const isLate = limit !== undefined && worst > limit
  say(
    `${what}: ${worst.toFixed(0)} ms at worst (${((user + system) / 1000 / rounds).toFixed(1)} ms of processor time on average), ${found} entries${isLate ? ': TOO LONG' : ''}`,
  )
  return !isLate
}

const middle = Math.floor(people / 2)
const last = entries - 1
const LOOKS: readonly (readonly [string, LogFilter])[] = [
  ['list, no filter', {}],
  ['list by run', { run: runOf(last) }],
  ['list by pipeline and outcome', { pipeline: 'crm', outcome: 'failed' }],
  ['list by rare field', { field: 'fax' }],
  ['list by term and action', { term: 'Term 7', action: 'terms' }],
  ['list by two that never meet', { action: 'create', term: 'Term 49', outcome: 'failed' }],
  ['list by a day', { since: Date.UTC(2020, 0, 3), until: Date.UTC(2020, 0, 4) }],
  ['show by key', { contact: `key:K${middle}` }],
  ['show by mail', { contact: `person${middle}@example.com` }],
  ['show by id', { contact: `id:${middle}` }],
]

try {
  const writer = openDatabase(path, { thorough: false })
  const start = performance.now()
  fill(writer)
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage()
  writer.close()
  const { size } = await stat(path)
  say(
    `${entries} entries: entered at ${Math.round(entries / seconds)} a second (${Math.round((entries * 1_000_000) / (user + system))} a second of processor time), ${Math.round(size / entries)} bytes each`,
  )
  const db = openForReading(path)
  if (db === undefined) throw new Error('the state is not there')
  const log = createSyncLog(db)
  const verdicts: boolean[] = []
  for (const [what, filter] of LOOKS) {
    const look = async () => (await log.logPage(filter, { order: 'newest', limit: 100 })).length
    verdicts.push(await timed(what, LIMIT_MS, look))
  }
  verdicts.push(
    await timed(
      `run of ${OF_A_RUN}, with control totals`,
      LIMIT_MS,
      async () => (await runAccount(log.entriesOfRun(runOf(0)))).entries,
    ),
  )
  await timed('export of everything', undefined, async () => {
    let count = 0
    for await (const entry of everyEntry(log, {})) count += JSON.stringify(exportLine(entry)) === '' ? 0 : 1
    return count
  })
  await timed(
    'verify',
    undefined,
    async () => (await log.checkLog({ seq: 0, hash: AUDIT_START }, entries)).to.seq,
  )
  db.close()
  process.exitCode = verdicts.every(Boolean) ? 0 : 1
} finally {
  await rm(folder, { recursive: true })
}
