// What people may look at in the state, over real runs: pages without gaps, filters, days, the ledger of terms.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page, PageRequest, StateViews } from '../../../src/core/views.ts'
import { noCounts } from '../../../src/core/outcome/summary.ts'
import { type Connection, openDatabase, openForReading } from '../../../src/store/file/database.ts'
import { openState } from '../../../src/store/state-store.ts'
import { createStateViews } from '../../../src/store/views/views.ts'
import { pastAt } from '../../console/desk.ts'

let folder = ''
const NOT_SENT = { kept_edits: 2, needs_evidence: { missing: 4 } }
let db: Connection
let views: StateViews
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'views-'))
  const path = join(folder, 'state.db')
  await pastAt(path)
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  // Two that began in the same millisecond, on another day; one that was killed.
  const at = Date.UTC(2026, 0, 5, 23, 59)
  for (const id of ['a-1', 'a-2', 'a-3']) {
    await state.beginRun({ id, pipeline: id === 'a-3' ? 'crm' : 'shop', startedAt: at, configHash: 'c' })
    const counts = { ...noCounts(), read: 3, created: 2, rejected: 1 }
    if (id !== 'a-3')
      await state.endRun(id, {
        endedAt: at + 5,
        status: 'partial',
        counts,
        notSent: NOT_SENT,
        error: undefined,
        code: undefined,
        drift: 0,
        refused: 0,
        files: 1,
        figures: { requests: 10, fileMs: id === 'a-1' ? 5_000 : undefined },
      })
  }
  await state.close()
  db = openForReading(path)!
  views = createStateViews(db, () => 77)
})
afterAll(async () => {
  db.close()
  await rm(folder, { recursive: true })
})

async function all<T>(ask: (page: PageRequest) => Promise<Page<T>>, limit: number): Promise<T[]> {
  const rows: T[] = []
  for (let from: string | undefined; ;) {
    const page = await ask({ from, limit })
    rows.push(...page.rows)
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    if (page.next === undefined) return rows
    from = page.next
  }
}

describe('pages', () => {
  it.each([1, 2, 50])(
    'of %d runs have each run once, newest first, also within one millisecond',
    async (limit) => {
      const ids = (await all(async (page) => views.runs({}, page), limit)).map(({ id }) => id)
      expect(ids).toEqual(['a-3', 'a-2', 'a-1', 'shop-run-3', 'shop-run-2', 'shop-run-1'])
      const partial = await all(
        async (page) => views.runs({ pipeline: 'shop', status: 'partial' }, page),
        limit,
      )
      expect(partial.map(({ id }) => id)).toEqual(['a-2', 'a-1', 'shop-run-2'])
      const killed = await all(async (page) => views.runs({ status: 'unfinished' }, page), limit)
      expect(killed.map(({ id }) => id)).toEqual(['a-3'])
    },
  )

  it.each([7, 100])('of %d held changes have each once, oldest first', async (limit) => {
    const held = await all(
      async (page) =>
        views.open({ states: ['held'], pipelines: ['shop', 'crm'], guard: 'max_deletes' }, page),
      limit,
    )
    expect(held.map(({ key }) => key)).toEqual(Array.from({ length: 30 }, (_, index) => `K${index + 31}`))
    const alone = await all(
      async (page) => views.open({ states: ['held'], pipelines: ['shop'], guard: null }, page),
      limit,
    )
    expect(alone).toEqual([])
  })

  it.each(['', 'x', '1.x;DROP TABLE run', '9'.repeat(99), '-1', '1.2.3'])(
    'that begin at %j, which is no place, begin at the first',
    async (from) => {
      expect((await views.runs({}, { from, limit: 1 })).rows[0]?.id).toBe('a-3')
      expect((await views.rejects({ pipelines: ['shop'] }, { from, limit: 1 })).rows).toHaveLength(1)
    },
  )

  it('of rejects have the row as it came, by pipeline and by run', async () => {
    const page = { from: undefined, limit: 9 }
    const [{ columns, file, line, key } = { columns: [] }] = (
      await views.rejects({ runId: 'shop-run-3' }, page)
    ).rows
    expect([file, line, key]).toEqual(['wednesday.csv', 32, 'K61'])
    expect(columns.slice(0, 2)).toEqual([
      { name: 'no', value: 'K61' },
      { name: 'mail', value: 'not a mail' },
    ])
    expect((await views.rejects({ pipelines: ['crm', 'shop'] }, page)).rows).toHaveLength(1)
    expect((await views.rejects({ pipelines: ['crm'] }, page)).rows).toEqual([])
    expect((await views.rejects({ runId: 'shop-run-1' }, page)).rows).toEqual([])
  })
})

it('days are those of UTC, with the sums of their runs', async () => {
  const days = await views.days(0)
  expect(days.map(({ day, runs }) => [day, runs])).toEqual([
    ['2026-01-01', 3],
    ['2026-01-05', 3],
  ])
  expect(days[1]?.counts).toMatchObject({ read: 6, created: 4, rejected: 2, unchanged: 0 })
  expect(days[1]).toMatchObject({ requests: 20, fileMs: 5_000 })
  // The runs of the first day have sent some, too.
  expect(days[0]?.requests).toBeGreaterThan(0)
  expect(await views.days(Date.UTC(2026, 0, 2))).toHaveLength(1)
})

it('a run says what of its source was not sent, beside its counts', async () => {
  const run = await views.run('a-1')
  expect(run).toMatchObject({ counts: { read: 3 }, notSent: NOT_SENT })
  expect(run?.counts).not.toHaveProperty('not_sent')
  expect(await views.run('shop-run-3')).toMatchObject({ notSent: { kept_edits: 0 } })
})

it('a run names its files and what is still open of it', async () => {
  const run = await views.run('shop-run-3')
  const { rows } = await views.inputs('shop-run-3', { from: undefined, limit: 5 })
  expect(rows).toMatchObject([{ name: 'wednesday.csv', sha256: 'abc', state: 'processed', rejects: 1 }])
  expect(run?.open).toEqual({ held: 30 })
  expect((await views.run('a-3'))?.status).toBeUndefined()
})

it('terms are counted over all links, with those that were ours to give', async () => {
  const [first, second] = await Promise.all([views.terms(), views.terms()])
  expect(first).toEqual({
    terms: [{ name: 'Customer', records: 60, ours: 60, pipelines: ['shop'] }],
    countedAt: 77,
    records: 60,
  })
  expect(second).toEqual(first)
})

it('counts of a run that an older version made lack nothing', async () => {
  const other = openDatabase(join(folder, 'other.db'), { thorough: false })
  other
    .prepare(
      "INSERT INTO run (id, pipeline, started_at, ended_at, status, counts, config_hash) VALUES ('old', 'shop', 1, 2, 'ok', ?, 'c')",
    )
    .run(JSON.stringify({ read: 3, created: 3 }))
  const run = await createStateViews(other, () => 77).run('old')
  expect(run?.counts).toEqual({ ...noCounts(), read: 3, created: 3 })
  other.close()
})

it('the figures of a run go with it', async () => {
  const path = join(folder, 'figures.db')
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  await state.beginRun({ id: 'r1', pipeline: 'shop', startedAt: 1, configHash: '' })
  const end = {
    endedAt: 2,
    status: 'ok',
    error: undefined,
    code: undefined,
    drift: 0,
    refused: 0,
    files: 1,
  } as const
  await state.endRun('r1', { ...end, counts: noCounts(), figures: { requests: 3, fileMs: undefined } })
  await state.close()
  const all = openDatabase(path, { thorough: false })
  expect(all.prepare('SELECT requests, file_ms FROM run_figure').all()).toEqual([
    { requests: 3, file_ms: null },
  ])
  all.prepare('DELETE FROM run').run()
  expect(all.prepare('SELECT * FROM run_figure').all()).toEqual([])
  all.close()
})
