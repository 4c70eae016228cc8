// What is asked of runs long after they were, over the real store, and from a state of an older version.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { noCounts, type RunStatus } from '../../src/core/outcome/summary.ts'
import { APPLICATION_ID, MIGRATIONS } from '../../src/store/file/schema.ts'
import { openState, openTemporaryState } from '../../src/store/state-store.ts'

it('are the first run, the last that was not given up, and the last that found a file', async () => {
  const state = openTemporaryState()
  const run = async (at: number, status: RunStatus, files: number, read = 0): Promise<void> => {
    await state.beginRun({ id: `r${at}`, pipeline: 'shop', startedAt: at, configHash: '' })
    await state.endRun(`r${at}`, {
      endedAt: at + 5,
      status,
      counts: { ...noCounts(), read, rejected: read / 2 },
      error: undefined,
      code: status === 'failed' ? 'SERVICE_UNREACHABLE' : undefined,
      drift: at,
      files,
      refused: at === 20 ? 1 : 0,
      ...(at === 20 ? { refusedFile: { file: 'a.csv', code: 'INPUT_BINARY' as const } } : {}),
    })
  }
  expect(await state.milestones('shop')).toEqual({
    firstRunAt: undefined,
    lastSuccessAt: undefined,
    lastFile: undefined,
  })
  await run(10, 'partial', 2, 8)
  await run(20, 'ok', 0)
  await run(30, 'failed', 0)
  expect(await state.milestones('shop')).toEqual({
    firstRunAt: 10,
    lastSuccessAt: 25,
    lastFile: { at: 10, read: 8, rejected: 4 },
    lastRefused: { at: 25, runId: 'r20', files: 1, file: 'a.csv', code: 'INPUT_BINARY' },
    lastDrift: { at: 35, runId: 'r30', times: 30 },
  })
  expect(await state.milestones('other')).toMatchObject({ firstRunAt: undefined })
  expect(await state.lastRun('shop')).toMatchObject({ code: 'SERVICE_UNREACHABLE', drift: 30 })
  await state.close()
})

it('know the files of runs of a version that did not count them', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contact-sync-milestones-'))
  const path = join(folder, 'state.db')
  const db = new Database(path)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  for (const migration of MIGRATIONS.slice(0, 3)) db.exec(migration)
  db.pragma('user_version = 3')
  db.exec(`INSERT INTO run VALUES ('r1', 'shop', 10, 15, 'ok', '{"read":4,"rejected":1}', NULL, 'h'), ('r2', 'shop', 20, 25, 'ok', '{}', NULL, 'h');
    INSERT INTO input VALUES (1, 'r1', 'shop', 'a.csv', 'v', 1, '[]', NULL, 'processed')`)
  db.close()
  const state = openState(path, { pid: 1, since: 0, thorough: true })
  expect(await state.milestones('shop')).toEqual({
    firstRunAt: 10,
    lastSuccessAt: 25,
    lastFile: { at: 10, read: 4, rejected: 1 },
  })
  await state.close()
  rmSync(folder, { recursive: true })
})
