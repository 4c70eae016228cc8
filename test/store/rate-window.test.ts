// The window of the rate limit, from one owner of the state to the next.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openState } from '../../src/store/state-store.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rate-window-'))
})
afterEach(async () => rm(folder, { recursive: true }))

const open = () => openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: false })

it('is empty at first, and handed on where the state was closed', async () => {
  const first = open()
  expect(first.window.load()).toEqual([])
  first.window.save([17, 23])
  await first.close()
  const second = open()
  expect(second.window.load()).toEqual([17, 23])
  await second.close()
})

it('is unknown after an owner that was killed, but for when it wrote last', async () => {
  const before = Date.now()
  await open().close()
  // As a killed owner leaves it.
  const db = new Database(join(folder, 'state.db'))
  db.exec('INSERT INTO owner VALUES (1, 99, 0)')
  db.close()
  const next = open()
  const window = next.window.load()
  expect('killedAt' in window && window.killedAt).toBeGreaterThanOrEqual(Math.floor(before) - 1)
  // A client that takes the place of the first one in the same process goes on from what that one had sent.
  next.window.save([17])
  expect(next.window.load()).toEqual([17])
  next.window.save([])
  await next.close()
  const last = open()
  expect(last.window.load()).toEqual([])
  await last.close()
})
