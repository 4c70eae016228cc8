// How far runs have come, as it is collected while they are active.
import { expect, it } from 'vitest'
import { createProgressWatch } from '../../../src/app/daemon/progress-watch.ts'
import type { RequestEvent } from '../../../src/core/log/events/service-event.ts'
import { testClock } from '../../support/clock.ts'

const REQUEST: RequestEvent = {
  type: 'request',
  method: 'GET',
  path: '/contact/<contact_id>',
  status: 200,
  attempt: 1,
  durationMs: 1,
  waitedMs: 0,
  sentAt: 0,
}

it('collects reports and requests of each active run, and forgets it when it ends', () => {
  const clock = testClock()
  const watch = createProgressWatch(clock)
  const shop = watch.begin({ pipeline: 'shop', runId: 'r1' })
  const crm = watch.begin({ pipeline: 'crm', runId: 'r2' })
  shop.onService(REQUEST)
  shop.report?.({ phase: 'read', file: 1, files: 1, bytesTotal: 100 })
  clock.advance(1000)
  shop.onService(REQUEST)
  // What the run says of its requests comes late, and lacks those of other sessions.
  shop.report?.({ read: 20, bytesRead: 50, requests: 1 })
  expect(watch.current()).toMatchObject([
    {
      runId: 'r1',
      pipeline: 'shop',
      elapsedMs: 1000,
      now: { read: 20, requests: 2 },
      first: { read: 0, requests: 1 },
    },
    { runId: 'r2', pipeline: 'crm', now: { phase: 'recover', requests: 0 } },
  ])
  shop.end(undefined)
  expect(watch.current().map(({ runId }) => runId)).toEqual(['r2'])
  crm.end(undefined)
  expect(watch.current()).toEqual([])
})

it('lets another watcher see the same', () => {
  const seen: string[] = []
  const watch = createProgressWatch(testClock(), {
    begin: () => ({
      onService: ({ type }) => void seen.push(type),
      stage: (name) => void seen.push(name),
      end: () => void seen.push('end'),
    }),
  })
  const run = watch.begin({ pipeline: 'shop', runId: 'r1' })
  run.stage('read')
  run.onService(REQUEST)
  run.report?.({ read: 1 })
  run.end(undefined)
  expect(seen).toEqual(['read', 'request', 'end'])
})
