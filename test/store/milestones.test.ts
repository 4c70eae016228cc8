// What is asked of runs long after they were, over the real store.
import { expect, it } from 'vitest'
import { noCounts, type RunStatus } from '../../src/core/outcome/summary.ts'
import { openTemporaryState } from '../../src/store/state-store.ts'

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
