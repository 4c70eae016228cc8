// The search for one record: what it finds, and that every look goes along an index.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Connection, openTemporaryDatabase } from '../../../src/store/file/database.ts'
import { createRecordSearch, RECORD_SEARCHES } from '../../../src/store/views/views-explain.ts'

let db: Connection
beforeEach(() => {
  db = openTemporaryDatabase()
})
afterEach(() => db.close())

it.each(Object.entries(RECORD_SEARCHES))('%s reads no whole table', (_, sql) => {
  const steps = db
    .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
    .all(...Array.from(sql.matchAll(/\?/g), () => 'a'))
  expect(steps.length).toBeGreaterThan(0)
  for (const { detail } of steps) expect(detail).not.toMatch(/^SCAN/)
  expect(steps[0]?.detail).toContain('INDEX')
  // All links of a pipeline are as good as the whole table.
  expect(steps[0]?.detail).not.toMatch(/\(pipeline=\?\)/)
})

it('finds the last run before a time that has read a file with this content', async () => {
  const run = db.prepare(
    "INSERT INTO run (id, pipeline, started_at, config_hash, files) VALUES (?, ?, ?, 'h', 1)",
  )
  const input = db.prepare(`
    INSERT INTO input (run_id, pipeline, name, version, bytes, header, sha256, state)
    VALUES (?, ?, ?, 'v', 1, '[]', ?, 'processed')`)
  for (const [id, pipeline, at, name, sha256] of [
    ['r1', 'shop', 1, 'a.csv', 'x'],
    ['r2', 'shop', 2, 'a.csv', 'x'],
    ['r3', 'shop', 3, 'a.csv', 'y'],
    ['r4', 'crm', 4, 'a.csv', 'x'],
    ['r5', 'shop', 5, 'b.csv', 'x'],
    ['r6', 'shop', 6, 'a.csv', 'x'],
  ] as const) {
    run.run(id, pipeline, at)
    input.run(id, pipeline, name, sha256)
  }
  const { readerOf } = createRecordSearch(db)
  const file = { name: 'a.csv', sha256: 'x' }
  expect(await readerOf('shop', file, 5)).toBe('r2')
  expect(await readerOf('shop', file, 6)).toBe('r6')
  expect(await readerOf('shop', file, 0)).toBeUndefined()
})

it('finds a record by its key first, else all of its mail, in one pipeline', async () => {
  const add = db.prepare(
    "INSERT INTO link (pipeline, key, contact_id, mail_key, known) VALUES (?, ?, ?, ?, '{}')",
  )
  add.run('shop', 'K1', 1, 'a@example.com')
  add.run('shop', 'K2', 2, 'a@example.com')
  add.run('shop', 'b@example.com', 3, 'c@example.com')
  add.run('crm', 'K1', 4, 'b@example.com')
  const search = createRecordSearch(db)
  const found = async (text: string) => (await search.linkedRecords('shop', text)).map(({ key }) => key)
  expect(await found('K1')).toEqual(['K1'])
  expect(await found(' A@Example.com')).toEqual(['K1', 'K2'])
  expect(await found('b@example.com')).toEqual(['b@example.com'])
  expect(await found('K3')).toEqual([])
  expect(await found('d@example.com')).toEqual([])
})
