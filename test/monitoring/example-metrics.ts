// `/metrics` with every series that there is, as a daemon gives them after a run.
import { noCounts } from '../../src/core/outcome/summary.ts'
import { createMetrics, type Metrics } from '../../src/metrics/metrics.ts'

export async function exampleMetrics(): Promise<Metrics> {
  const live = {
    name: 'shop',
    dueAt: 1,
    runningSince: undefined,
    waitingSince: undefined,
    brokenAt: undefined,
    brokenBy: undefined,
    overlaps: 0,
    missed: 0,
  }
  const metrics = createMetrics({ version: '1' }, async () =>
    Promise.resolve({
      pipelines: [
        {
          name: 'shop',
          linked: 1,
          rejects: 1,
          held: 1,
          inDoubt: 1,
          onItsWay: 6,
          watchedSince: 4_000,
          retriable: 1,
          lastSuccessAt: 1,
          lastFile: { at: 1, read: 1, rejected: 0 },
          braked: { watching: 1, held: 1 },
          drift: {
            share: 0.05,
            round: {
              ...{ pipeline: 'shop', startedAt: 1, endedAt: 2, after: '' },
              counts: { checked: 9, differing: 1, gone: 1, kept: 1, unanswered: 1, by_field: {} },
            },
          },
        },
      ],
      condition: {
        running: true,
        stateOpen: true,
        paused: new Map(),
        startedAt: 1,
        pause: undefined,
        refusedReload: undefined,
        pipelines: [live],
        fleet: {
          workers: [
            {
              ...{ name: 'a', machine: 'host', pid: 1, since: 1, labels: [] },
              ...{ pipelines: ['shop'], active: [], rest: 'none' },
            },
          ],
          unassigned: [],
        },
      },
      isReady: true,
      rate: { allowed: 1, used: 1, waiting: 1, pausedMs: 0 },
      limits: { window: 1, day: 1 },
      requestsOfDay: 1,
      state: { bytes: 1, walBytes: 1 },
      undelivered: 0,
      handOver: { behind: 1, oldestAt: 1 },
      raised: new Map([['held', 1]]),
    }),
  )
  metrics.begin('shop')
  metrics.onService({
    type: 'request',
    method: 'GET',
    path: '/x',
    status: 200,
    attempt: 1,
    durationMs: 1,
    waitedMs: 1,
    sentAt: 1,
  })
  metrics.onService({ type: 'retry', method: 'GET', path: '/x', attempt: 1, delayMs: 1, summary: '' })
  metrics.onDaemon({
    type: 'run_ended',
    at: 1,
    run: {
      ...noCounts(),
      pipeline: 'shop',
      run_id: 'r',
      status: 'ok',
      requests: 1,
      retries: 0,
      duration_ms: 1,
      drift: 0,
      files: [],
      warnings: [],
    },
  })
  return Promise.resolve(metrics)
}
