// A term under another name: the ledger of links, plans that wait, and the aliases, forward and back.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { termEntry } from '../../src/core/log/other-entries.ts'
import { openDatabase } from '../../src/store/file/database.ts'
import { openState, type OwnedState } from '../../src/store/state-store.ts'
import { createStateViews } from '../../src/store/views/views.ts'

let folder = ''
let state: OwnedState
const open = (): OwnedState => openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: false })
const entry = termEntry(
  { action: 'update_term', fields: { name: { from: 'A', to: 'B' } }, request: null },
  { at: 0, runId: 'r', pipeline: null, configHash: '' },
)

/** Writes to the state as a run would have. */
function given(sql: string, ...values: unknown[]): void {
  const db = new Database(join(folder, 'state.db'))
  db.pragma('foreign_keys = OFF')
  db.prepare(sql).run(...values)
  db.close()
}

function ledgers(): unknown[] {
  const db = new Database(join(folder, 'state.db'), { readonly: true })
  const rows = db
    .prepare<[], string>('SELECT terms FROM link WHERE terms IS NOT NULL ORDER BY id')
    .pluck()
    .all()
  db.close()
  return rows.map((terms) => JSON.parse(terms) as unknown)
}

const link = (id: number, terms: unknown): void =>
  given(
    "INSERT INTO link (id, pipeline, key, contact_id, known, terms) VALUES (?, 'shop', ?, ?, '{}', ?)",
    id,
    `K${id}`,
    id,
    JSON.stringify(terms),
  )

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'term-names-'))
  state = open()
})
afterEach(async () => {
  await state.close()
  await rm(folder, { recursive: true })
})

it('every link is renamed, one that names both names one term, and all can be taken back', async () => {
  link(1, [['a', 1], ['x', 0]]) // prettier-ignore
  link(2, [['B', 0, 1], ['A', 1]]) // prettier-ignore
  link(3, [['x', 1]])
  expect(state.terms.begin({ id: 7, from: 'A', to: 'B' })).toBe(2)
  expect(ledgers()).toEqual([[['B', 1], ['x', 0]], [['B', 1, 1]], [['x', 1]]]) // prettier-ignore
  expect([...(await state.termAliases())]).toEqual([['a', 'B']])
  await state.close()
  state = open()
  expect(state.terms.pending()).toMatchObject({ id: 7, from: 'A', to: 'B' })
  state.terms.takeBack()
  expect(ledgers()[0]).toEqual([['A', 1], ['x', 0]]) // prettier-ignore
  expect([state.terms.pending(), state.terms.aliases().size]).toEqual([undefined, 0])
})

it('more links than are read at once are renamed', () => {
  const db = new Database(join(folder, 'state.db'))
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12001)
    INSERT INTO link (id, pipeline, key, contact_id, known, terms) SELECT i, 'shop', 'K' || i, i, '{}', '[["A",1]]' FROM n`)
  db.close()
  expect(state.terms.begin({ id: 7, from: 'A', to: 'B' })).toBe(12_001)
  expect(new Set(ledgers().map((terms) => JSON.stringify(terms)))).toEqual(new Set(['[["B",1]]']))
})

it('renames one after the other lead straight to the name of today, and one back does not go round', () => {
  const rename = (from: string, to: string, called?: string): unknown => {
    state.terms.begin({ id: 7, from, to })
    state.terms.complete(entry, called)
    return Object.fromEntries(state.terms.aliases())
  }
  expect(rename('A', 'B')).toEqual({ a: 'B' })
  expect(rename('B', 'C')).toEqual({ a: 'C', b: 'C' })
  expect(rename('C', 'A')).toEqual({ b: 'A', c: 'A' })
  expect(rename('A', 'a')).toEqual({ b: 'a', c: 'a' })
  // The service made another name of it still.
  expect(rename('a', 'É', 'E')).toEqual({ a: 'E', b: 'E', c: 'E', é: 'E' })
})

it('a plan that waits gives the term of today, and does not take away what it gives', () => {
  const planned = { add: ['A', 'x'], remove: ['B', 'y'], asserts: ['A', 'x'] }
  given(
    `INSERT INTO operation (input_id, run_id, pipeline, key, line, file, kind, fields, desired, record, fingerprint, state, rank, terms)
     VALUES (1, 'r', 'shop', 'K', 1, 'f', 'terms', '{}', '{}', '[[]]', '', 'held', 3, ?)`,
    JSON.stringify(planned),
  )
  state.terms.begin({ id: 7, from: 'A', to: 'B' })
  const db = new Database(join(folder, 'state.db'), { readonly: true })
  const text = db.prepare<[], string>('SELECT terms FROM operation').pluck().get() ?? ''
  db.close()
  expect(JSON.parse(text)).toEqual({ add: ['B', 'x'], remove: ['y'], asserts: ['B', 'x'] })
})

it('what waits in a brake, and what was granted there, follows, and can be taken back', async () => {
  const ask = (key: string, term: string, phase: string): void =>
    given(
      `INSERT INTO brake_ask (term, name, pipeline, key, state, file, line) VALUES (?, ?, 'shop', ?, ?, 'f', 1)`,
      ...[term.toLowerCase(), term, key, phase],
    )
  link(1, [])
  link(2, [])
  ask('K1', 'A', 'waiting')
  ask('K2', 'A', 'dropped')
  ask('K2', 'B', 'waiting')
  given("INSERT INTO brake VALUES ('a', 'watching', 'r', 5, NULL, 2)")
  given("INSERT INTO brake VALUES ('b', 'none', 'r', 5, NULL, 0)")
  given("INSERT INTO brake_grant (term, at, number) VALUES ('a', 3, 4)")
  state.terms.begin({ id: 7, from: 'A', to: 'B' })
  const waiting = [{ pipeline: 'shop', asks: 2 }]
  expect(await state.brakes()).toMatchObject([{ term: 'b', name: 'B', phase: 'watching', waiting }])
  const db = openDatabase(join(folder, 'state.db'), { thorough: false })
  expect(await createStateViews(db, () => 9).brakes([{ name: 'A', since: 0 }])).toMatchObject([
    { name: 'B', phase: 'watching', given: 4, waiting },
  ])
  db.close()
  state.terms.takeBack()
  expect(await state.brakes()).toMatchObject([{ term: 'a', name: 'A', phase: 'watching', waiting }])
  state.terms.begin({ id: 7, from: 'A', to: 'a' })
  expect(await state.brakes()).toMatchObject([{ term: 'a', name: 'a', phase: 'watching', waiting }])
})
