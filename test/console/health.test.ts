import { expect, it } from 'vitest'
import { readiness } from '../../src/console/health.ts'
import type { DaemonCondition, PipelineCondition } from '../../src/core/outcome/daemon.ts'

const SHOP: PipelineCondition = {
  name: 'shop',
  dueAt: 1,
  runningSince: undefined,
  waitingSince: undefined,
  brokenAt: undefined,
  brokenBy: undefined,
  overlaps: 0,
  missed: 0,
}
const WELL: DaemonCondition = {
  running: true,
  stateOpen: true,
  paused: new Map(),
  startedAt: 0,
  pause: undefined,
  refusedReload: undefined,
  pipelines: [SHOP],
}
const PAUSE = { since: 0, code: 'SERVICE_UNREACHABLE', reason: 'no answer', nextProbeAt: 5 } as const

it.each<[string, Partial<DaemonCondition>, string[]]>([
  ['all is well', {}, []],
  ['it is ending', { running: false }, ['shutting down']],
  ['the state is closed', { stateOpen: false, pipelines: [] }, ['the state is not open']],
  ['a pipeline did not run', { pipelines: [{ ...SHOP, brokenAt: 5 }] }, ['pipeline shop is overdue']],
  [
    'the disk is full',
    { pipelines: [{ ...SHOP, brokenAt: 5, brokenBy: 'STATE_FULL' }] },
    ['pipeline shop is overdue (STATE_FULL)'],
  ],
  ['it runs again', { pipelines: [{ ...SHOP, brokenAt: 5, runningSince: 6 }] }, []],
  [
    'the service is away',
    { pause: PAUSE },
    ['runs paused since 1970-01-01T00:00:00.000Z (SERVICE_UNREACHABLE)'],
  ],
])('readiness when %s', (_, changes, reasons) => {
  expect(readiness({ ...WELL, ...changes })).toEqual({ ready: reasons.length === 0, reasons, paused: [] })
})
