// Which pipelines a worker runs, and what it sees of the others, over a fleet that the test makes up.
import { expect, it } from 'vitest'
import { createOwnership } from '../../../src/app/daemon/fleet/ownership.ts'
import { type Fleet, type FleetWorker, GUEST, type WorkerReport } from '../../../src/core/fleet.ts'
import type { Settings } from '../../../src/core/settings.ts'
import { testClock } from '../../support/clock.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const present = (fence: number, report: WorkerReport): FleetWorker => ({
  ...report,
  fence,
  ...{ name: `w${fence}`, machine: 'host', pid: fence, since: 0, leaseMs: 15_000, isLate: false },
})

it('says when its runs have ended, and notices that those of another worker have', async () => {
  const reports: WorkerReport[] = []
  let other: WorkerReport = GUEST
  const fleet = {
    own: () => 1,
    async meet(report: WorkerReport) {
      reports.push(report)
      const leases = [{ pipeline: 'shop', fence: 1, since: 0 }]
      return Promise.resolve({ workers: [present(1, report), present(2, other)], leases })
    },
  } as unknown as Fleet
  const ended = new Map<string, number>()
  let noticed = 0
  const ownership = createOwnership({
    fleet,
    clock: testClock(),
    log: { info: () => undefined } as never,
    signal: new AbortController().signal,
    settings: () => ({ pipelines: [pipelineSettings({})], workers: { labels: [] } }) as unknown as Settings,
    active: () => [],
    conditions: () => [],
    ended: () => ended,
    rest: () => 'none',
    onStanding: () => Promise.resolve(),
    onEndedElsewhere: () => (noticed += 1),
    onChange: () => Promise.resolve(),
    onFault: () => undefined,
  })
  await ownership.look()
  ended.set('shop', 5)
  await ownership.look()
  expect(reports.map(({ runs }) => runs['shop']?.endedAt)).toEqual([undefined, 5])
  expect(noticed).toBe(0)
  other = { ...GUEST, runs: { crm: { hash: 'h', sees: true, endedAt: 7 } } }
  await ownership.look()
  await ownership.look()
  expect(noticed).toBe(1)
})
