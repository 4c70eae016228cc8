// What `/metrics` says, by the text that Prometheus reads.
import { expect, it } from 'vitest'
import type { DaemonCondition } from '../../src/core/outcome/daemon.ts'
import { noCounts } from '../../src/core/outcome/summary.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import type { Standings } from '../../src/metrics/standings.ts'
import { pipelineSettings } from '../support/pipeline.ts'

const shop = {
  name: 'shop',
  dueAt: 60_000,
  runningSince: undefined,
  waitingSince: undefined,
  brokenAt: undefined,
  brokenBy: undefined,
  overlaps: 0,
  missed: 0,
}
const condition: DaemonCondition = {
  running: true,
  stateOpen: true,
  paused: new Map(),
  startedAt: 1_000,
  pause: undefined,
  refusedReload: undefined,
  pipelines: [shop],
}
const STANDINGS: Standings = {
  pipelines: [
    {
      name: 'shop',
      linked: 7,
      rejects: 1,
      held: 2,
      inDoubt: 3,
      onItsWay: 6,
      watchedSince: 4_000,
      retriable: 4,
      lastSuccessAt: 5_000,
      lastFile: undefined,
      braked: { watching: 3, held: 0 },
      drift: {
        share: 0.05,
        round: {
          ...{ pipeline: 'shop', startedAt: 1, endedAt: 9_000, after: '' },
          counts: { checked: 40, differing: 4, gone: 3, kept: 2, unanswered: 1, by_field: { phone: 4 } },
        },
      },
    },
  ],
  condition,
  isReady: true,
  rate: { allowed: 5, used: 2, waiting: 1, pausedMs: 500 },
  limits: { window: 10, day: undefined },
  requestsOfDay: 9,
  state: { bytes: 4096, walBytes: 0 },
  undelivered: 0,
  handOver: { behind: 12, oldestAt: 6_000 },
  raised: new Map([['held', 1]]),
}

function metricsOver(standings: () => Standings = () => STANDINGS) {
  const metrics = createMetrics({ version: '1.2.3' }, async () => Promise.resolve(standings()))
  metrics.begin('shop')
  /** All series with this name and their values. */
  const series = async (name: string): Promise<Record<string, number>> => {
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith(`contact_sync_${name}`))
    return Object.fromEntries(
      lines.map((line) => [
        line.slice('contact_sync_'.length, line.lastIndexOf(' ')),
        Number(line.split(' ').at(-1)),
      ]),
    )
  }
  return { metrics, series }
}

const request = {
  type: 'request',
  method: 'GET',
  path: '/contact/<contact_id>',
  status: 200,
  attempt: 1,
  durationMs: 40,
  waitedMs: 2_000,
  sentAt: 0,
} as const

it('counts requests by endpoint, method and status, their time and their wait', async () => {
  const { metrics, series } = metricsOver()
  metrics.onService(request)
  metrics.onService({ ...request, status: undefined })
  metrics.onService({ type: 'retry', method: 'GET', path: request.path, attempt: 1, delayMs: 1, summary: '' })
  metrics.onService({ type: 'throttled', delayMs: 1, summary: '' })
  metrics.onService({ type: 'daily_limit' })
  metrics.onService({ type: 'waiting', delayMs: 1 })
  const route = 'endpoint="/contact/<contact_id>",method="GET"'
  expect(await series('requests_total')).toEqual({
    [`requests_total{${route},status="200"}`]: 1,
    [`requests_total{${route},status="none"}`]: 1,
  })
  const seconds = await series('request_duration_seconds')
  expect(seconds[`request_duration_seconds_sum{${route}}`]).toBeCloseTo(0.08)
  expect(seconds[`request_duration_seconds_bucket{le="0.025",${route}}`]).toBe(0)
  expect(seconds[`request_duration_seconds_bucket{le="0.05",${route}}`]).toBe(2)
  expect(await series('rate_wait_seconds_sum')).toEqual({ rate_wait_seconds_sum: 4 })
  expect(await series('retries_total')).toEqual({ [`retries_total{${route}}`]: 1 })
  expect(await series('throttled_total')).toEqual({ throttled_total: 1 })
  expect(await series('daily_limit_total')).toEqual({ daily_limit_total: 1 })
})

it('shows what waits for a brake and for the hand-over; nothing of a hand-over that is not configured', async () => {
  let standings = STANDINGS
  const { series } = metricsOver(() => standings)
  expect(await series('brake_waiting')).toEqual({
    'brake_waiting{pipeline="shop",phase="watching"}': 3,
    'brake_waiting{pipeline="shop",phase="held"}': 0,
  })
  expect(await series('hand_over')).toEqual({
    hand_over_waiting: 12,
    hand_over_oldest_timestamp_seconds: 6,
  })
  standings = { ...STANDINGS, handOver: { behind: 0, oldestAt: undefined } }
  expect(await series('hand_over')).toEqual({ hand_over_waiting: 0 })
  standings = { ...STANDINGS, handOver: undefined }
  expect(await series('hand_over')).toEqual({})
})

const ended = {
  ...noCounts(),
  pipeline: 'shop',
  run_id: 'r1',
  status: 'partial',
  requests: 1,
  retries: 0,
  duration_ms: 2_000,
  drift: 2,
  files: [],
  warnings: [],
} as const

it('counts runs and records by what became of them; all series are there from the start', async () => {
  const { metrics, series } = metricsOver()
  const none = await series('records_total')
  expect(Object.keys(none)).toHaveLength(8)
  expect(new Set(Object.values(none))).toEqual(new Set([0]))
  metrics.onDaemon({
    type: 'run_ended',
    at: 0,
    run: { ...ended, read: 5, created: 3, rejected: 2, deleted: 1, terms_created: 4 },
  })
  metrics.onDaemon({ type: 'run_broken', pipeline: 'shop', at: 0, code: 'STATE_FULL' })
  metrics.onDaemon({ type: 'overlapped', pipeline: 'shop', at: 0, times: 2 })
  metrics.onDaemon({ type: 'missed', pipeline: 'shop', at: 0, times: 3 })
  expect(await series('runs_total')).toMatchObject({
    'runs_total{pipeline="shop",status="partial"}': 1,
    'runs_total{pipeline="shop",status="broken"}': 1,
    'runs_total{pipeline="shop",status="ok"}': 0,
  })
  expect(await series('records_total')).toMatchObject({
    'records_total{pipeline="shop",outcome="created"}': 3,
    'records_total{pipeline="shop",outcome="rejected"}': 2,
  })
  expect(await series('deleted_total')).toEqual({ 'deleted_total{pipeline="shop"}': 1 })
  expect(await series('terms_created_total')).toEqual({ 'terms_created_total{pipeline="shop"}': 4 })
  expect(await series('drift_total')).toEqual({ 'drift_total{pipeline="shop"}': 2 })
  expect(await series('overlaps_total')).toEqual({ 'overlaps_total{pipeline="shop"}': 2 })
  expect(await series('missed_total')).toEqual({ 'missed_total{pipeline="shop"}': 3 })
  expect(await series('run_duration_seconds_sum')).toEqual({ 'run_duration_seconds_sum{pipeline="shop"}': 2 })
})

it('counts a file that could not be read, which newer ones wait for, as refused', async () => {
  const { metrics, series } = metricsOver()
  const files = [
    { file: 'a.csv', status: 'done' },
    { file: 'b.csv', status: 'left' },
    { file: 'c.csv', status: 'left', code: 'INPUT_IO' },
  ] as const
  metrics.onDaemon({ type: 'run_ended', at: 0, run: { ...ended, files } })
  expect(await series('files_total')).toEqual({
    'files_total{pipeline="shop",status="done"}': 1,
    'files_total{pipeline="shop",status="held"}': 0,
    'files_total{pipeline="shop",status="left"}': 1,
    'files_total{pipeline="shop",status="refused"}': 1,
  })
})

it('says how things stand, and nothing of what is not known', async () => {
  const { series } = metricsOver()
  expect(await series('held')).toEqual({ 'held{pipeline="shop"}': 2 })
  expect(await series('in_doubt')).toEqual({ 'in_doubt{pipeline="shop"}': 3 })
  expect(await series('last_success_timestamp_seconds')).toEqual({
    'last_success_timestamp_seconds{pipeline="shop"}': 5,
  })
  expect(await series('last_file_timestamp_seconds')).toEqual({})
  expect(await series('next_run_timestamp_seconds')).toEqual({
    'next_run_timestamp_seconds{pipeline="shop"}': 60,
  })
  expect(await series('rate_paused_seconds')).toEqual({ rate_paused_seconds: 0.5 })
  expect(await series('daily_requests')).toEqual({})
  expect(await series('state_bytes')).toEqual({
    'state_bytes{file="database"}': 4096,
    'state_bytes{file="wal"}': 0,
  })
  expect(await series('alerts_raised')).toEqual({ 'alerts_raised{condition="held"}': 1 })
  expect(Object.values(await series('paused'))).toEqual([0, 0, 0, 0])
  expect(await series('ready')).toEqual({ ready: 1 })
  expect(await series('build_info')).toEqual({ 'build_info{version="1.2.3"}': 1 })
})

it('shows what is configured now, and pauses and overdue runs by their reason', async () => {
  let now = STANDINGS
  const { metrics, series } = metricsOver(() => now)
  await series('held')
  const pause = { since: 0, code: 'SERVICE_KEY_REFUSED', reason: '', nextProbeAt: undefined } as const
  now = {
    ...STANDINGS,
    limits: { window: 10, day: 500 },
    pipelines: [{ ...STANDINGS.pipelines[0]!, name: 'crm' }],
    condition: {
      ...condition,
      pause,
      refusedReload: ['x'],
      pipelines: [{ ...shop, name: 'crm', waitingSince: 1 }],
    },
  }
  metrics.onDaemon({
    type: 'reloaded',
    at: 0,
    settings: { pipelines: [pipelineSettings({ name: 'crm' })] } as never,
  })
  expect(await series('held')).toEqual({ 'held{pipeline="crm"}': 2 })
  expect(await series('overdue')).toEqual({ 'overdue{pipeline="crm"}': 1 })
  expect(await series('runs_total')).toMatchObject({ 'runs_total{pipeline="crm",status="ok"}': 0 })
  expect(await series('paused')).toMatchObject({
    'paused{code="SERVICE_KEY_REFUSED"}': 1,
    'paused{code="SERVICE_UNREACHABLE"}': 0,
  })
  expect(await series('reload_refused')).toEqual({ reload_refused: 1 })
  expect(await series('daily_requests')).toEqual({ daily_requests: 9 })
  expect(await series('daily_limit')).toMatchObject({ daily_limit: 500 })
})

it('has what the latest round of looks for drift found', async () => {
  const { series } = metricsOver()
  expect(await series('drift_contacts')).toEqual({
    'drift_contacts{pipeline="shop",outcome="as_sent"}': 31,
    'drift_contacts{pipeline="shop",outcome="differing"}': 4,
    'drift_contacts{pipeline="shop",outcome="gone"}': 3,
    'drift_contacts{pipeline="shop",outcome="kept"}': 2,
    'drift_contacts{pipeline="shop",outcome="unread"}': 1,
  })
  expect(await series('drift_share')).toEqual({ 'drift_share{pipeline="shop"}': 0.1 })
  expect(await series('drift_allowed_share')).toEqual({ 'drift_allowed_share{pipeline="shop"}': 0.05 })
  expect(await series('drift_round_timestamp_seconds')).toEqual({
    'drift_round_timestamp_seconds{pipeline="shop"}': 9,
  })
})

it('has the process and the event loop, under their usual names behind the prefix, and text that Prometheus can read', async () => {
  const { metrics } = metricsOver()
  const text = await metrics.text()
  expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/)
  for (const name of [
    'contact_sync_process_resident_memory_bytes',
    'contact_sync_process_open_fds',
    'contact_sync_nodejs_eventloop_lag_p99_seconds',
  ])
    expect(text).toContain(`\n${name} `)
  for (const line of text.split('\n').filter((one) => one !== '')) {
    expect(line).toMatch(
      /^(# (HELP|TYPE) contact_sync_|contact_sync_[a-z0-9_]+(\{.*\})? (-?[0-9.e+-]+|Na[Nn]|[+-]Inf)$)/,
    )
  }
})
