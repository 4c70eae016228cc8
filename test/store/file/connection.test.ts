// The connection: when statements are compiled, how often, and what is done to their text before.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { connect, withStablePlan } from '../../../src/store/file/connection.ts'
import { MIGRATIONS } from '../../../src/store/file/schema.ts'
import { openForReading } from '../../../src/store/file/database.ts'
import { openState, type OwnedState } from '../../../src/store/state-store.ts'

afterEach(() => void vi.restoreAllMocks())

const numbers = () => {
  const db = connect(':memory:')
  db.exec(
    "CREATE TABLE number (id INTEGER PRIMARY KEY, word TEXT); INSERT INTO number VALUES (1, 'one'), (2, 'two')",
  )
  return db
}

describe('a statement', () => {
  it('is compiled when it is first run, and once for everybody who names it', () => {
    const compile = vi.spyOn(Database.prototype, 'prepare')
    const db = numbers()
    const [one, same] = [1, 2].map(() =>
      db.prepare<[number], string>('SELECT word FROM number WHERE id = ?').pluck(),
    )
    expect(compile).not.toHaveBeenCalled()
    expect([one?.get(1), same?.get(2)]).toEqual(['one', 'two'])
    expect(compile).toHaveBeenCalledOnce()
  })

  it('gives rows, values or lists, whichever was asked for under the same text', () => {
    const db = numbers()
    const text = 'SELECT id, word FROM number ORDER BY id LIMIT 1'
    expect(db.prepare(text).get()).toEqual({ id: 1, word: 'one' })
    expect(db.prepare(text).pluck().get()).toBe(1)
    expect(db.prepare(text).raw().get()).toEqual([1, 'one'])
  })

  it('may be read row by row while another of the same text is', () => {
    const db = numbers()
    const text = 'SELECT id FROM number ORDER BY id'
    const pairs = []
    for (const one of db.prepare<[], number>(text).pluck().iterate())
      for (const other of db.prepare<[], number>(text).pluck().iterate()) pairs.push([one, other])
    expect(pairs).toEqual([[1, 1], [1, 2], [2, 1], [2, 2]]) // prettier-ignore
  })
})

it('opening a state compiles few of the statements that a run may need', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contact-sync-connection-'))
  await openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: false }).close()
  const compile = vi.spyOn(Database.prototype, 'prepare')
  const state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: false })
  expect(compile.mock.calls.length).toBeLessThan(30)
  await state.close()
  rmSync(folder, { recursive: true })
})

it('whoever reads while a state is made sees none, however far it has come', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contact-sync-connection-'))
  const path = join(folder, 'state.db')
  const seen: unknown[] = []
  const { exec } = Database.prototype
  vi.spyOn(Database.prototype, 'exec').mockImplementation(function (this: Database.Database, sql) {
    if (MIGRATIONS.includes(sql) && this.name === path) seen.push(openForReading(path))
    return exec.call(this, sql)
  })
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  expect(seen).toEqual(Array(MIGRATIONS.length).fill(undefined))
  vi.restoreAllMocks()
  await state.close()
  rmSync(folder, { recursive: true })
})

it('a change that is not committed is told, though its answer was there before', () => {
  const db = numbers()
  db.pragma('foreign_keys = ON')
  db.exec('CREATE TABLE part (of INTEGER REFERENCES number (id) DEFERRABLE INITIALLY DEFERRED)')
  const add = db.prepare<[number], number>('INSERT INTO part VALUES (?) RETURNING of').pluck()
  expect(add.get(2)).toBe(2)
  expect(() => add.get(3)).toThrow('FOREIGN KEY constraint failed')
  expect(db.prepare('SELECT of FROM part').pluck().all()).toEqual([2])
})

it('a state that is made while somebody looks is not taken for a database of another program', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contact-sync-connection-'))
  const path = join(folder, 'state.db')
  writeFileSync(path, '')
  const { pragma } = Database.prototype
  let made: OwnedState | undefined
  vi.spyOn(Database.prototype, 'pragma').mockImplementation(function (this: Database.Database, ...given) {
    const answer = pragma.apply(this, given)
    if (given[0] !== 'application_id') return answer
    vi.restoreAllMocks()
    made = openState(path, { pid: 1, since: 0, thorough: false })
    return answer
  })
  expect(openForReading(path)).toBeUndefined()
  const db = openForReading(path)
  expect(db).toBeDefined()
  db?.close()
  await made?.close()
  rmSync(folder, { recursive: true })
})

describe('a transaction', () => {
  it('is undone whole when its work throws, and within another one by itself', () => {
    const db = numbers()
    const add = db.transaction((id: number, isBad: boolean) => {
      db.prepare('INSERT INTO number VALUES (?, NULL)').run(id)
      if (isBad) throw new Error('bad')
    })
    expect(() => add(3, true)).toThrow('bad')
    db.transaction(() => {
      add(4, false)
      expect(() => add(5, true)).toThrow('bad')
    })()
    expect(db.prepare('SELECT id FROM number ORDER BY id').pluck().all()).toEqual([1, 2, 4])
  })
})

describe('what SQLite shall not look into', () => {
  it.each([
    ['SELECT 1 WHERE a = ? LIMIT ?', 'SELECT 1 WHERE a = +? LIMIT +?'],
    ['VALUES (@one, @two_2)', 'VALUES (+@one, +@two_2)'],
    ["a ->> '$.x?' = ? AND b = 'it''s @home'", "a ->> '$.x?' = +? AND b = 'it''s @home'"],
    ['"a?b" = ?', '"a?b" = +?'],
    ["a = ? -- isn't it?\nAND b = ?", "a = +? -- isn't it?\nAND b = +?"],
  ])('%s', (text, stable) => {
    expect(withStablePlan(text)).toBe(stable)
  })

  it('changes no value, of whatever type', () => {
    const db = connect(':memory:')
    const values = [1, 1.5, '1', '-', null, Buffer.from([1, 2])]
    for (const value of values) {
      const given = db.prepare<[unknown, unknown], { value: unknown; type: string }>(
        'SELECT ? AS value, typeof(?) AS type',
      )
      const plain = new Database(':memory:').prepare('SELECT ? AS value, typeof(?) AS type')
      expect(given.get(value, value)).toEqual(plain.get(value, value))
    }
  })

  it('is found by the same index', () => {
    const db = numbers()
    db.exec("CREATE INDEX words ON number (word) WHERE word <> 'three'")
    const plan = db.prepare<[string], { detail: string }>(
      "EXPLAIN QUERY PLAN SELECT id FROM number WHERE word = ? AND word <> 'three' ORDER BY id LIMIT 1",
    )
    expect(plan.get('two')?.detail).toContain('USING COVERING INDEX words (word=?)')
  })
})
