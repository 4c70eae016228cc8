// SQLite as a source: the contract of all sources that are asked, and what becomes of its values.
import { join } from 'node:path'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SyncError } from '../../../src/core/words/errors.ts'
import { sqlFetcher } from '../../../src/sources/sql/fetcher.ts'
import { sqlOptions } from '../../../src/sources/sql/options.ts'
import type { Fetched } from '../../../src/sources/pull/fetcher.ts'
import { systemClock } from '../../../src/system.ts'
import { describePull, type Row } from '../../contracts/pull.ts'

describePull('sql', (home) => {
  const path = join(home, 'people.db')
  const db = new Database(path)
  db.exec('create table people (no, mail, first, last, phone, changed integer, bad)')
  const insert = db.prepare('insert into people values (@no, @mail, @first, @last, @phone, @changed, null)')
  let breakAfter: number | undefined
  // A row that cannot be read, after so many.
  const damage = (): void => {
    db.exec('update people set bad = null')
    if (breakAfter !== undefined)
      db.prepare(
        "update people set bad = x'00' where rowid > (select coalesce(max(rowid), 0) from (select rowid from people order by rowid limit ?))",
      ).run(breakAfter)
  }
  return {
    options: {
      url: `sqlite:${path}`,
      query: 'select * from people where :cursor is null or changed >= :cursor order by rowid',
      cursor: 'changed',
    },
    put(rows: readonly Row[]) {
      db.exec('delete from people')
      for (const row of rows) insert.run(row)
      damage()
    },
    breakAfter(records) {
      breakAfter = records
      damage()
    },
    close: () => void db.close(),
  }
})

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-'))
  path = join(folder, 'a.db')
  new Database(path).close()
})
afterEach(() => rmSync(folder, { recursive: true }))

async function fetched(query: string, more: object = {}, cursor?: unknown) {
  const options = sqlOptions.parse({ url: `sqlite:${path}`, query, ...more })
  const all: Fetched[] = []
  const task = { cursor, signal: new AbortController().signal, clock: systemClock, tell: () => undefined }
  for await (const one of sqlFetcher(options).fetch(task)) all.push(one)
  return {
    texts: all.flatMap(({ json }) => json ?? []),
    cursor: all.findLast((one) => 'cursor' in one)?.cursor,
  }
}

it('gives every value as it is written, and moves nothing', async () => {
  const { texts } = await fetched(
    `select 9223372036854775807 as big, '2026-03-01' as day, null as none, 'ä"' as "quoted ""name""", '12:cursor' as text -- :cursor`,
  )
  expect(texts).toEqual([
    '{"big":"9223372036854775807","day":"2026-03-01","none":null,"quoted \\"name\\"":"ä\\"","text":"12:cursor"}',
  ])
})

it('passes over a value that is not of the kind of the others', async () => {
  const query = "select :cursor as given, column1 as at from (values ('2026-01-02'), ('n/a'), ('2026-01-01'))"
  const { cursor } = await fetched(query, { cursor: 'at' })
  expect(cursor).toEqual({ type: 'text', text: '2026-01-02' })
  const later = await fetched(query, { cursor: 'at', overlap: '1d' }, cursor)
  expect(later.texts[0]).toContain('"given":"2026-01-01"')
  expect(later.cursor).toEqual(cursor)
  // Numbers of rows may look like times.
  const ids = await fetched(
    'select :cursor as given, column1 as id from (values (1767312300), (4102444800))',
    { cursor: 'id' },
  )
  expect(ids.cursor).toEqual({ type: 'integer', text: '4102444800' })
})

it('keeps the cursor as typed, and asks from before it', async () => {
  const query = 'select :cursor as given, typeof(:cursor) as type, max(coalesce(:cursor, 0), 41) as n'
  const first = await fetched(query, { cursor: 'n' })
  expect(first.cursor).toEqual({ type: 'integer', text: '41' })
  expect((await fetched(query, { cursor: 'n' }, first.cursor)).texts[0]).toContain(
    '"given":"41","type":"integer"',
  )
  const times = "select :cursor as given, '2026-01-02 00:05:00.123456' as at"
  const { cursor } = await fetched(times, { cursor: 'at' })
  expect(cursor).toEqual({ type: 'text', text: '2026-01-02 00:05:00.123456' })
  expect((await fetched(times, { cursor: 'at', overlap: '10m' }, cursor)).texts[0]).toContain(
    '"given":"2026-01-01 23:55:00.123"',
  )
})

it.each([
  ['select 1 as a, 2 as a', {}, 'SOURCE_ANSWER', 'two columns named "a"'],
  ["select x'00' as picture", {}, 'SOURCE_ANSWER', 'column "picture" of the query is binary'],
  ['select * from nowhere', {}, 'SOURCE_ANSWER', 'no such table: nowhere'],
  ['create table t (a)', {}, 'SOURCE_ANSWER', 'gives no rows'],
  ['select 1 as a; delete from t', {}, 'SOURCE_ANSWER', 'more than one statement'],
  ['select 1 as a where :cursor is null', { cursor: 'b' }, 'SOURCE_ANSWER', 'no column "b"'],
  ['select 41 as a where :cursor is null', { cursor: 'a', overlap: '1d' }, 'SOURCE_ANSWER', 'needs a time'],
  ['select 1 as a', { url: 'sqlite:/nowhere/a.db' }, 'SOURCE_UNREACHABLE', 'cannot be opened'],
])('%s %j is refused', async (query, more, code, message) => {
  const error = (await fetched(query, more).catch((reason: unknown) => reason)) as SyncError
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)])
})

it('asks from a number with zeros in front as it is written, in a column of texts', async () => {
  const db = new Database(path)
  db.exec("create table people (no text); insert into people values ('000041'), ('000042')")
  const query = 'select no from people where :cursor is null or no >= :cursor order by no'
  const { cursor } = await fetched(query, { cursor: 'no' })
  db.exec("insert into people values ('000043')")
  db.close()
  const { texts } = await fetched(query, { cursor: 'no' }, cursor)
  expect(texts).toEqual(['{"no":"000042"}', '{"no":"000043"}'])
})

it('waits for a file that another program has locked, and lets others work meanwhile', async () => {
  const other = new Database(path)
  other.exec("create table people (id); insert into people values ('1'); begin exclusive")
  await expect(fetched('select id from people', { timeout: '1s' })).rejects.toMatchObject({
    ...{ code: 'SOURCE_FAILED', message: 'another program has locked the database (SQLITE_BUSY)' },
  })
  setTimeout(() => other.exec('commit'), 300)
  expect((await fetched('select id from people')).texts).toEqual(['{"id":"1"}'])
  other.close()
})
