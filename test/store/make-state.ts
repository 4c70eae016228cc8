// Makes the fixture of a schema by the program of its own time: `node test/store/make-state.ts TREE NAME --full`, where TREE is a
// checkout of that time (git worktree add, with its node_modules), writes NAME.sql and NAME.json into test/fixtures/states.
// Without --full, for schemas that know no full exports, the pipeline with one is left out.
// Call it for the newest schema before a migration is added to it. It asks the tree for what has been the same ever since:
// its state and its test line. The story leaves behind whatever a state can hold when its process dies.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import Database from 'better-sqlite3'
import type { openState } from '../../src/store/state-store.ts'
import type { Line, testLine } from '../support/line.ts'

const [tree = '', name = ''] = process.argv.slice(2)
const at = (path: string): string => resolve(tree, path)
const store = (await import(at('src/store/state-store.ts'))) as { openState: typeof openState }
const support = (await import(at('test/support/line.ts'))) as { testLine: typeof testLine }

const folder = mkdtempSync(join(tmpdir(), 'make-state-'))
const path = join(folder, 'state.db')
const state = store.openState(path, { pid: 4711, since: Date.UTC(2026, 0, 1), thorough: true })

const HEADER = ['no', 'mail', 'first', 'last', 'phone']
type Row = readonly string[]
const person = (number: number, phone = `030 ${number}`, mail = `person${number}@example.com`): Row => [
  `K${number}`,
  mail,
  `Vorname${number}`,
  `Nachname${number}`,
  phone,
]
const range = (from: number, to: number): Row[] =>
  Array.from({ length: to - from + 1 }, (_, index) => person(from + index))

const terms = {
  policy: 'managed',
  create_missing: true,
  assign: [{ name: 'Customer' }],
  descriptions: {},
  verify: true,
} as const

/** `none`, so that a create whose answer is lost stays in doubt. */
const shop = support.testLine({ state, pipeline: { duplicate_check_method: 'none', terms } })
const { service } = shop
const isOf = (number: number, fields: Readonly<Record<string, unknown>>): boolean =>
  fields['mail'] === `person${number}@example.com`
const idOf = (number: number): number =>
  [...service.contacts].find(([, fields]) => isOf(number, fields))?.[0] ?? 0

async function drop(line: Line, file: string, rows: readonly Row[]): Promise<void> {
  line.source.drop(file, [HEADER, ...rows])
  await line.run()
}

/** Eight people, of whom one has no mail that is one, and one is there twice. */
async function firstFile(): Promise<void> {
  await drop(shop, 'a.csv', [
    ...range(1, 8),
    person(3, '030 3', 'no mail'),
    person(10, '030 10', 'at nowhere'),
  ])
}

/** An update whose contact a user has deleted, and a create whose answer is lost. */
async function fileWithFaults(): Promise<void> {
  service.contacts.delete(idOf(5))
  service.fault = ({ method, contacts }) =>
    contacts.some((contact) => isOf(9, contact)) ? { kind: 'unknown', applied: method === 'POST' } : undefined
  await drop(shop, 'b.csv', [person(1, '040 1'), person(5, '040 5'), person(9)])
  // Behind the one in doubt.
  await drop(shop, 'c.csv', [person(9, '040 9')])
}

/** A full export that lacks more than a guard lets go. Versions that know no such thing take it for an incremental one. */
async function fullFile(): Promise<void> {
  const full = { name: 'crm', mode: 'full', on_missing: 'delete', hash: 'mapping-2' } as const
  const crm = support.testLine({ state, service, pipeline: full })
  await drop(crm, 'full.csv', range(20, 29))
  await drop(crm, 'full.csv', range(20, 23))
}

/** One update gets no answer, and the process dies with the next on its way and others planned. */
async function dyingRun(): Promise<void> {
  const [failing, last] = [idOf(4), idOf(6)]
  const faults = service.fault
  service.fault = (call) => {
    if (call.method !== 'PUT' || call.path !== '/contact/<contact_id>') return faults(call)
    if (call.id === failing) return { kind: 'unknown' }
    if (call.id === last) throw new Error('dies')
    return faults(call)
  }
  const rows = [person(4, '040 4'), person(6, '040 6'), person(7, '040 7'), person(11)]
  await drop(shop, 'd.csv', rows).catch(() => undefined)
}

type Value = string | number | bigint | Buffer | null
const literal = (value: Value): string => {
  if (value === null) return 'NULL'
  if (Buffer.isBuffer(value)) return `x'${value.toString('hex')}'`
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

/** The whole database as text: tables, rows, then indexes and triggers, then what tells which version it is. */
function dump(db: Database.Database): string {
  const schema = db
    .prepare<[], { type: string; name: string; sql: string | null }>(
      'SELECT type, name, sql FROM sqlite_schema ORDER BY rowid',
    )
    .all()
    .filter(({ sql, name: object }) => sql !== null && !object.startsWith('sqlite_'))
  const statements = (...types: string[]) =>
    schema.filter(({ type }) => types.includes(type)).map(({ sql }) => `${sql ?? ''};`)
  const tables = [
    ...schema.filter(({ type }) => type === 'table').map((table) => table.name),
    'sqlite_sequence',
  ]
  const rows = tables.flatMap((table) => [
    ...(table === 'sqlite_sequence' ? ['DELETE FROM sqlite_sequence;'] : []),
    ...db
      .prepare<[], Value[]>(`SELECT * FROM ${table}`)
      .raw()
      .all()
      .map((row) => `INSERT INTO ${table} VALUES (${row.map(literal).join(', ')});`),
  ])
  const marks = ['application_id', 'user_version'].map(
    (pragma) => `PRAGMA ${pragma} = ${String(db.pragma(pragma, { simple: true }))};`,
  )
  return [...statements('table'), ...rows, ...statements('index', 'trigger'), ...marks, ''].join('\n')
}

await firstFile()
await fileWithFaults()
if (process.argv.includes('--full')) await fullFile()
await dyingRun()
const db = new Database(path, { readonly: true })
const target = resolve(import.meta.dirname, '../fixtures/states', name)
writeFileSync(`${target}.sql`, dump(db))
// What is at the service then: contacts, terms, and who has which.
const ledger = {
  contacts: [...service.contacts],
  terms: [...service.terms],
  contactTerms: [...service.contactTerms].map(([id, given]) => [id, [...given]]),
}
writeFileSync(`${target}.json`, `${JSON.stringify(ledger, undefined, 1)}\n`)
const states = db.prepare('SELECT pipeline, state, kind, key FROM operation ORDER BY id').all()
process.stdout.write(`${JSON.stringify(states, undefined, 1)}\n`)
db.close()
await state.close()
rmSync(folder, { recursive: true })
