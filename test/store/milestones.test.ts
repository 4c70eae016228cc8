// What is asked of runs long after they were, over the real store.
import { expect, it } from 'vitest'
import { noCounts, type RunStatus } from '../../src/core/outcome/summary.ts'
import { DAY_MS } from '../../src/core/words/duration.ts'
import type { ErrorCode } from '../../src/core/words/errors.ts'
import { openTemporaryState } from '../../src/store/state-store.ts'

it('are the first run, the last that was not given up, and the last that found a file', async () => {
  const state = openTemporaryState()
  const run = async (
    at: number,
    status: RunStatus,
    { files = 0, read = 0, code }: { files?: number; read?: number; code?: ErrorCode } = {},
  ): Promise<void> => {
    await state.beginRun({ id: `r${at}`, pipeline: 'shop', startedAt: at, configHash: '' })
    await state.endRun(`r${at}`, {
      endedAt: at + 5,
      status,
      counts: { ...noCounts(), read, rejected: read / 2 },
      error: undefined,
      code,
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
  await run(10, 'partial', { files: 2, read: 8 })
  await run(20, 'held')
  await run(25, 'held', { code: 'PAUSED' })
  await run(26, 'held', { code: 'SUPPRESSION_LIST' })
  await run(30, 'failed', { code: 'SERVICE_UNREACHABLE' })
  expect(await state.milestones('shop')).toEqual({
    firstRunAt: 10,
    lastSuccessAt: 25,
    lastFile: { at: 10, read: 8, rejected: 4 },
    lastRefused: { at: 25, firstAt: 25, runId: 'r20', files: 1, file: 'a.csv', code: 'INPUT_BINARY' },
    lastDrift: { at: 35, runId: 'r30', times: 30 },
  })
  expect(await state.milestones('other')).toMatchObject({ firstRunAt: undefined })
  expect(await state.lastRun('shop')).toMatchObject({ code: 'SERVICE_UNREACHABLE', drift: 30 })
  await state.close()
})

it('the last run is the one that began last, also where the clock was ahead of it before', async () => {
  const state = openTemporaryState()
  await state.beginRun({ id: 'ahead', pipeline: 'shop', startedAt: 7_200_000, configHash: '' })
  await state.beginRun({ id: 'other', pipeline: 'crm', startedAt: 50, configHash: '' })
  await state.beginRun({ id: 'right', pipeline: 'shop', startedAt: 100, configHash: '' })
  expect(await state.lastRun('shop')).toMatchObject({ id: 'right' })
  await state.removeOld('shop', { rejects: undefined, runs: 10_000_000 }, 10)
  expect(await state.lastRun('shop')).toMatchObject({ id: 'right' })
  expect(await state.run('ahead')).toBeUndefined()
  await state.close()
})

it('the last file, success and refusal are those of the runs that began last, also where the clock was ahead before', async () => {
  const state = openTemporaryState()
  const run = async (id: string, at: number, read: number): Promise<void> => {
    await state.beginRun({ id, pipeline: 'shop', startedAt: at, configHash: '' })
    await state.endRun(id, {
      ...{
        endedAt: at + 5,
        status: 'partial',
        counts: { ...noCounts(), read },
        error: undefined,
        code: undefined,
      },
      ...{ drift: 1, files: 1, refused: 1 },
    })
  }
  await run('ahead', 7_200_000, 1)
  await run('right', 100, 2)
  expect(await state.milestones('shop')).toMatchObject({
    lastSuccessAt: 105,
    lastFile: { at: 100, read: 2 },
    lastRefused: { runId: 'right' },
    lastDrift: { runId: 'right' },
  })
  await state.removeOld('shop', { rejects: undefined, runs: 10_000_000 }, 10)
  expect([await state.run('ahead'), (await state.run('right'))?.id]).toEqual([undefined, 'right'])
  await state.close()
})

it('a file that is refused again and again was refused first that day, where nothing came between', async () => {
  const state = openTemporaryState()
  const refused = async (startedAt: number, code?: ErrorCode): Promise<void> => {
    const id = `r${startedAt}`
    await state.beginRun({ id, pipeline: 'shop', startedAt, configHash: '' })
    await state.endRun(id, {
      ...{ endedAt: startedAt + 5, status: 'partial', counts: noCounts(), error: undefined, code: undefined },
      ...{ drift: 0, files: 0, refused: code === undefined ? 0 : 1 },
      ...(code === undefined ? {} : { refusedFile: { file: 'a.csv', code } }),
    })
  }
  const first = async () => (await state.milestones('shop')).lastRefused?.firstAt
  const course: [number, ErrorCode | undefined, number][] = [
    [DAY_MS - 100, 'INPUT_IO', DAY_MS - 95],
    [DAY_MS - 50, 'INPUT_IO', DAY_MS - 95],
    [DAY_MS - 2, 'INPUT_IO', DAY_MS + 3],
    [DAY_MS + 10, 'INPUT_IO', DAY_MS + 15],
    [DAY_MS + 20, 'INPUT_IO', DAY_MS + 15],
    [DAY_MS + 30, undefined, DAY_MS + 15],
    [DAY_MS + 40, 'INPUT_IO', DAY_MS + 45],
    [DAY_MS + 50, 'REMOTE_LOST', DAY_MS + 55],
    [DAY_MS + 60, 'REMOTE_LOST', DAY_MS + 55],
  ]
  for (const [at, code, expected] of course) {
    await refused(at, code)
    expect(await first()).toBe(expected)
  }
  await state.close()
})
