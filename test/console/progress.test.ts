// The pages of an active run: how far it has come, and how they load themselves again.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { WorkerView } from '../../src/core/fleet.ts'
import { NOT_BEGUN, type RunProgress } from '../../src/core/outcome/run-progress.ts'
import type { ListedRun } from '../../src/core/views.ts'
import { type Desk, openDesk } from './desk.ts'

const RUN = 'shop-run-3'
const SENDING: RunProgress = {
  runId: RUN,
  pipeline: 'shop',
  elapsedMs: 10_000,
  first: { ...NOT_BEGUN, phase: 'apply', planned: 400, read: 1200 },
  now: { ...NOT_BEGUN, phase: 'apply', read: 1200, planned: 400, applied: 100, requests: 55 },
}

const BESIDE: WorkerView = {
  ...{ name: 'berlin-2', machine: 'db2', pid: 4711, since: 0, labels: [] },
  ...{ pipelines: ['shop'], active: ['shop'], rest: 'none' },
}

let active: RunProgress[] = []
let workers: WorkerView[] = []
let desk: Desk
/** What has begun has not ended yet. */
const begun = ({ status, endedAt, ...run }: ListedRun): ListedRun => ({
  ...run,
  ...(run.id === RUN ? { status: undefined, endedAt: undefined } : { status, endedAt }),
})

beforeAll(async () => {
  desk = await openDesk((data) => ({
    ...data,
    live() {
      const live = data.live()
      const running = new Set([
        ...active.map(({ pipeline }) => pipeline),
        ...workers.flatMap((worker) => worker.active),
      ])
      const pipelines = live.pipelines.map((one) => ({ ...one, running: running.has(one.name) }))
      return { ...live, pipelines, progress: active, fleet: { workers, unassigned: [] } }
    },
    views: {
      ...data.views,
      async runs(filter, page) {
        const { rows, next } = await data.views.runs(filter, page)
        return { rows: rows.map(begun), next }
      },
    },
  }))
})
afterAll(async () => desk.close())
beforeEach(() => {
  active = [SENDING]
  workers = []
})

const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

it('its page says what was read and sent, how fast, and what is left of the stage', async () => {
  const { body, headers } = await desk.page(`/runs/${RUN}`)
  const text = textOf(body)
  expect(text).toContain('Records read 1,200')
  expect(text).toContain('Changes sent 100 of 400')
  expect(text).toContain('Requests sent 55')
  expect(text).toContain('Per second 10 changes, 5.5 requests')
  expect(text).toContain('25 %, about 30 s left')
  expect(text).toContain('this page is reloaded every 5 seconds')
  expect(headers['refresh']).toBe('5')
  expect((await desk.page('/runs/shop-run-2')).headers['refresh']).toBeUndefined()
})

it('the overview has it in one line, and leads to the run', async () => {
  const { body, headers } = await desk.page('/')
  expect(textOf(body)).toContain('running sending, 100 of 400 changes, 55 requests, about 30 s left')
  expect(body).toContain(`href="/runs/${RUN}"`)
  expect(headers['refresh']).toBe('5')
})

it('says what it reads, and nothing that is not known', async () => {
  active = [{ ...SENDING, now: { ...NOT_BEGUN, phase: 'read', file: 2, files: 3, read: 7 } }]
  const text = textOf((await desk.page(`/runs/${RUN}`)).body)
  expect(text).toContain('Stage reading file 2 of 3')
  expect(text).not.toMatch(/Of this stage|Changes sent|NaN|Infinity/)
})

it('the list of runs tells one that is active from one that was killed', async () => {
  const runs = async (): Promise<string> => textOf((await desk.page('/runs')).body)
  expect(await runs()).toContain('running')
  active = []
  expect(await runs()).toContain('✕ unfinished')
  expect(await runs()).not.toContain('running')
})

it('what another worker runs is running, and its page says where', async () => {
  active = []
  workers = [BESIDE]
  expect(textOf((await desk.page('/runs')).body)).not.toContain('✕ unfinished')
  const { body, headers } = await desk.page(`/runs/${RUN}`)
  expect(textOf(body)).toMatch(/It runs at another worker \( *berlin-2 *, process 4711 on db2 *\)\./)
  expect(textOf(body)).toContain('Status … running')
  expect(headers['refresh']).toBe('5')
  expect((await desk.page('/')).headers['refresh']).toBe('5')
  expect((await desk.page('/runs/shop-run-2')).headers['refresh']).toBeUndefined()
})

it('is asked for no more once the run has ended, or the user does not want it', async () => {
  expect((await desk.page('/?refresh=off')).headers['refresh']).toBeUndefined()
  expect((await desk.page('/?refresh=off')).body).toContain('Reload it every 5 seconds')
  active = []
  for (const path of ['/', `/runs/${RUN}`]) {
    const { body, headers } = await desk.page(path)
    expect(headers['refresh']).toBeUndefined()
    expect(body).not.toContain('reloaded')
  }
})

it('a page that is left open is one look at data, and does not keep its user signed in', async () => {
  const headers = await desk.signIn()
  const before = desk.reads.length
  for (let minute = 0; minute < 31 * 12; minute += 1) {
    desk.clock.advance(5_000)
    const { status } = await desk.ask(`/runs/${RUN}`, { headers })
    if (status === 303) break
    expect(status).toBe(200)
  }
  expect(desk.reads.length - before).toBe(1)
  expect((await desk.ask(`/runs/${RUN}`, { headers })).status).toBe(303)
})

it('a look at another page, or at the same one much later, is one of its own', async () => {
  const headers = await desk.signIn()
  const before = desk.reads.length
  await desk.ask(`/runs/${RUN}`, { headers })
  await desk.ask('/held', { headers })
  desk.clock.advance(60_000)
  await desk.ask(`/runs/${RUN}`, { headers })
  expect(desk.reads.length - before).toBe(3)
})
