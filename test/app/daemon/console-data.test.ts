// What the console shows of pipelines that another worker runs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { consoleData } from '../../../src/app/daemon/console-data.ts'
import type { DaemonCondition } from '../../../src/core/outcome/daemon.ts'
import type { Settings } from '../../../src/core/settings.ts'
import { systemClock as clock } from '../../../src/system.ts'
import { pipelineSettings, serviceSettings } from '../../support/pipeline.ts'

const folder = mkdtempSync(join(tmpdir(), 'console-data-'))
afterAll(() => rmSync(folder, { recursive: true }))

const settings = {
  service: serviceSettings(),
  state: { path: join(folder, 'state.db') },
  pipelines: [
    pipelineSettings({ name: 'own', schedule: '0 * * * *' }),
    pipelineSettings({ name: 'busy', schedule: '0 * * * *' }),
    pipelineSettings({ name: 'stopped', schedule: '0 * * * *' }),
    pipelineSettings({ name: 'asked', schedule: undefined }),
  ],
} as unknown as Settings

const other = { name: 'b', machine: 'm', pid: 2, since: 0, labels: [], rest: 'none' } as const
const PAUSE = { pipeline: 'stopped', since: 5, by: 'anna', reason: 'wrong export' }
const condition: DaemonCondition = {
  running: true,
  stateOpen: true,
  startedAt: 0,
  pause: undefined,
  refusedReload: undefined,
  pipelines: [
    {
      ...{ name: 'own', dueAt: 7, runningSince: undefined, waitingSince: undefined },
      ...{ brokenAt: undefined, brokenBy: undefined, overlaps: 0, missed: 0 },
    },
  ],
  paused: new Map([['stopped', PAUSE]]),
  fleet: {
    workers: [{ ...other, pipelines: ['busy', 'stopped', 'asked'], active: ['busy'] }],
    unassigned: [],
  },
}

it('is when they are due, whether they run, and that they are paused', async () => {
  const { data, close } = consoleData({
    clock,
    settings: () => settings,
    daemon: () => condition,
    progress: () => [],
    noteRead: () => undefined,
    decide: () => Promise.resolve(),
  })
  const shown = data.live().pipelines
  expect(shown.map(({ name, running, paused }) => [name, running, paused])).toEqual([
    ['own', false, undefined],
    ['busy', true, undefined],
    ['stopped', false, PAUSE],
    ['asked', false, undefined],
  ])
  const [own, busy, stopped, asked] = shown.map(({ dueAt }) => dueAt)
  expect([own, asked]).toEqual([7, undefined])
  const now = clock.now()
  for (const due of [busy, stopped]) {
    expect(due).toBeGreaterThan(now - 1000)
    expect((due ?? 0) % 3_600_000).toBe(0)
  }
  await close()
})
