// What the state lets go when it is old, and what it keeps whatever its age.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openState, type OwnedState } from '../../src/store/state-store.ts'
import { type Line, people, testLine } from '../support/line.ts'

let folder = ''
let state: OwnedState
let line: Line
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retention-'))
  state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: true })
  line = testLine({ state })
})
afterEach(async () => {
  await state.close()
  await rm(folder, { recursive: true })
})

const DAY = 86_400_000
const MANY = 1000
const ALL = Number.MAX_SAFE_INTEGER

function ask(sql: string): unknown[] {
  const db = new Database(join(folder, 'state.db'))
  const found = db.prepare(sql).pluck().all()
  db.close()
  return found
}
const runs = () => ask('SELECT id FROM run ORDER BY started_at')
const inputs = () => ask('SELECT name FROM input ORDER BY id')
const rejected = () => ask('SELECT key FROM reject ORDER BY id')

const invalid = (number: number): string[] => [`X${number}`, 'no mail', 'A', 'B', '']

/** A run a day; when each began is told. */
async function day(name: string, rows?: string[][]): Promise<number> {
  if (rows !== undefined) line.source.drop(name, rows)
  line.clock.advance(DAY)
  await line.run()
  return line.clock.now()
}

it('lets runs go that are old, with their inputs', async () => {
  await day('a.csv', people(2))
  await day('b.csv', people(3))
  const third = await day('c.csv', people(4))
  await day('d.csv', people(5))
  expect(await state.removeOld('shop', { rejects: undefined, runs: third }, MANY)).toEqual({
    rejects: 0,
    runs: 2,
  })
  expect(runs()).toEqual(['shop-run-3', 'shop-run-4'])
  expect(inputs()).toEqual(['c.csv', 'd.csv'])
  expect(await state.removeOld('other', { rejects: ALL, runs: ALL }, MANY)).toEqual({ rejects: 0, runs: 0 })
  // The state goes on as before, and stays the latest.
  line.source.drop('e.csv', people(5))
  expect(await line.run()).toMatchObject({ unchanged: 5, requests: 0 })
  await state.close()
  state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: true })
})

it('keeps those by which health and alerts reckon: the last, the last good one, the last with a file', async () => {
  await day('a.csv', people(2))
  await day('nothing')
  line.service.fault = () => ({ kind: 'denied', status: 401 })
  await day('b.csv', people(3))
  await day('still waiting')
  line.service.fault = () => undefined
  line.source.missing = true
  const before = await state.milestones('shop')
  await state.removeOld('shop', { rejects: ALL, runs: ALL }, MANY)
  const after = await state.milestones('shop')
  expect([after.lastSuccessAt, after.lastFile]).toEqual([before.lastSuccessAt, before.lastFile])
  expect(before.lastSuccessAt).toBeDefined()
  expect(await state.lastRun('shop')).toMatchObject({ id: 'shop-run-4' })
})

it('lets rejects go that are old, and never those of the newest file', async () => {
  await day('a.csv', [...people(2), invalid(1), invalid(2)])
  await day('b.csv', [...people(2), invalid(3)])
  const limit = { rejects: ALL, runs: undefined }
  expect(await state.removeOld('shop', limit, 1)).toEqual({ rejects: 1, runs: 0 })
  expect(rejected()).toEqual(['X2', 'X3'])
  expect(await state.removeOld('shop', limit, MANY)).toEqual({ rejects: 1, runs: 0 })
  expect(await state.removeOld('shop', limit, MANY)).toEqual({ rejects: 0, runs: 0 })
  expect(rejected()).toEqual(['X3'])
})

it('keeps rejects until they are old, and their runs and inputs as long as them', async () => {
  const first = await day('a.csv', [...people(2), invalid(1)])
  await day('b.csv', people(2))
  await day('c.csv', people(2))
  expect(await state.removeOld('shop', { rejects: first - DAY, runs: ALL }, MANY)).toMatchObject({
    rejects: 0,
  })
  expect(rejected()).toEqual(['X1'])
  expect(runs()).toContain('shop-run-1')
  expect(inputs()).toEqual(['a.csv', 'c.csv'])
})

it('keeps whatever something open comes from', async () => {
  await day('a.csv', people(3))
  line.service.contacts.delete(1)
  const changed = people(3)
  changed[1]![4] = '040 1'
  // Its contact has gone: held, for a person to say.
  await day('b.csv', changed)
  await day('c.csv', people(3).slice(0, 1))
  expect(await state.backlog('shop')).toMatchObject({ held: 1 })
  await state.removeOld('shop', { rejects: ALL, runs: ALL }, MANY)
  expect(inputs()).toContain('b.csv')
  expect(runs()).toContain('shop-run-2')
  expect(await state.backlog('shop')).toMatchObject({ held: 1, linked: 3 })
})

it('keeps what a guard held, and lets it be released', async () => {
  line.pipeline = { ...line.pipeline, mode: 'full', on_missing: 'delete' }
  await day('a.csv', people(20))
  await day('a.csv', people(5))
  const held = await state.heldPlans(['shop'])
  expect(held).toMatchObject([{ number: 15 }])
  await state.removeOld('shop', { rejects: ALL, runs: ALL }, MANY)
  expect(await state.heldPlans(['shop'])).toEqual(held)
  await state.release(held[0]!.runId, line.clock.now())
  expect(await line.run()).toMatchObject({ deleted: 15 })
})

it('never touches the sync log', async () => {
  await day('a.csv', people(2))
  await day('b.csv', people(3))
  const before = ask('SELECT hash FROM audit ORDER BY seq')
  await state.removeOld('shop', { rejects: ALL, runs: ALL }, MANY)
  expect(ask('SELECT hash FROM audit ORDER BY seq')).toEqual(before)
})

it('knows when the last of the runs of a pipeline began that began by a time, also where the clock was ahead once', async () => {
  const first = await day('a.csv', people(2))
  const second = await day('b.csv', people(3))
  expect(await state.lastBegun('shop', first - DAY)).toBeUndefined()
  expect(await state.lastBegun('other', second)).toBeUndefined()
  const [one, other] = [await state.lastBegun('shop', second - 1), await state.lastBegun('shop', second)]
  expect([one! <= first, one! > first - DAY]).toEqual([true, true])
  expect(other).toBeGreaterThan(first)
  line.clock.advance(1000 * DAY)
  await day('c.csv', people(4))
  line.clock.advance(-1001 * DAY)
  await day('d.csv', people(5))
  expect(await state.lastBegun('shop', second + 2000 * DAY)).toBeLessThan(second + 2 * DAY)
})
