// Another configuration, and another key, while the daemon runs.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { AccountConfiguration } from '../../../src/app/run/configuration.ts'
import type { PipelineSettings, Settings } from '../../../src/core/settings.ts'
import { HOUR, MINUTE, startTestDaemon, type TestDaemonOptions, testSettings } from '../../support/daemon.ts'
import { serviceSettings } from '../../support/pipeline.ts'

type TestDaemon = Awaited<ReturnType<typeof startTestDaemon>>
let open: TestDaemon[] = []
afterEach(async () => {
  for (const one of open) await one.end()
  open = []
})

const HOURLY: Partial<PipelineSettings> = { schedule: '0 * * * *', timezone: 'UTC' }

/** A daemon of one hourly pipeline; the reload finds what `next` says by then. */
async function daemonWith(options: TestDaemonOptions = {}) {
  const next: { given: AccountConfiguration } = { given: { ok: false, problems: ['nothing given'] } }
  const one = await startTestDaemon({
    pipelines: [HOURLY],
    load: () => Promise.resolve(next.given),
    ...options,
  })
  open.push(one)
  const reload = async (given: Settings | readonly string[]): Promise<void> => {
    next.given =
      'pipelines' in given ? { ok: true, settings: given, warnings: [] } : { ok: false, problems: given }
    one.daemon.reload()
    await one.clock.settle()
  }
  return { ...one, reload }
}

it('keeps the configuration in use where the new one is not valid, and says what is wrong', async () => {
  const one = await daemonWith()
  await one.reload(['sync.yaml:3:1: pipelines.shop.mood: is not a known key'])
  expect(one.daemon.condition().refusedReload).toEqual([
    'sync.yaml:3:1: pipelines.shop.mood: is not a known key',
  ])
  expect(one.lines).toContain('configuration invalid sync.yaml:3:1: pipelines.shop.mood: is not a known key')
  await one.pass(HOUR)
  expect(one.began).toHaveLength(1)
  expect(one.notes).toEqual([])
  await one.reload(testSettings([HOURLY]))
  expect(one.daemon.condition().refusedReload).toBeUndefined()
})

it('keeps the configuration in use where the change cannot be entered into the sync log', async () => {
  let isFull = true
  const one = await daemonWith({ isFull: () => isFull })
  const weekly = testSettings([{ schedule: '0 0 * * 0', timezone: 'UTC' }])
  const newKey = { ...weekly, service: { ...serviceSettings(), api_key: 'another' } }
  await one.reload(weekly)
  await one.reload(newKey)
  expect(one.ofType('reloaded')).toEqual([])
  expect(one.inUse).toEqual([])
  await one.pass(HOUR)
  expect(one.began).toHaveLength(1)
  isFull = false
  await one.reload(newKey)
  expect(one.notes).toEqual([
    'reload shop: configuration reloaded: the pipeline was changed, the settings of the service were changed',
  ])
  await one.pass(HOUR)
  expect(one.began).toHaveLength(1)
})

it('keeps with a run in flight that its pipeline has another schedule now, so that a restart makes up for that one', async () => {
  const one = await daemonWith({ outcomes: [{ lasts: 30 * MINUTE }] })
  await one.pass(HOUR + MINUTE)
  await one.reload(testSettings([{ schedule: '0 5 * * *', timezone: 'UTC' }]))
  await one.pass(HOUR)
  expect(one.due.get('shop')).toMatchObject({ schedule: '0 5 * * * UTC' })
})

it('lets a run in flight keep the mapping that it began with', async () => {
  const one = await daemonWith({ outcomes: [{ lasts: 30 * MINUTE }] })
  await one.pass(HOUR + MINUTE)
  await one.reload(testSettings([{ ...HOURLY, hash: 'mapping-2' }]))
  expect(one.ofType('reloaded')).toHaveLength(1)
  expect(one.inUse).toEqual([])
  await one.pass(HOUR)
  expect(one.used.map(({ pipeline }) => pipeline.hash)).toEqual(['mapping-1', 'mapping-2'])
  expect(one.notes).toEqual(['reload shop: configuration reloaded: the pipeline was changed'])
})

it('changes the key or the address of the service between runs: those in flight end, and none begins', async () => {
  const one = await daemonWith({
    pipelines: [HOURLY, { ...HOURLY, name: 'crm', schedule: '10 * * * *' }],
    outcomes: [{}, { lasts: 30 * MINUTE }],
  })
  await one.pass(HOUR + MINUTE)
  const service = serviceSettings({ base_url: 'https://other.example.com', api_key: 'other-key' })
  await one.reload(testSettings([HOURLY, { ...HOURLY, name: 'crm', schedule: '10 * * * *' }], { service }))
  expect(one.lines).toContain('configuration change waiting for active runs 1')
  await one.pass(25 * MINUTE)
  expect([one.began.length, one.inUse.length]).toEqual([2, 0])
  await one.pass(5 * MINUTE)
  expect(one.inUse.map(({ service: { api_key: apiKey } }) => apiKey)).toEqual(['other-key'])
  expect(one.began).toEqual(['01-01 00:10:00 crm', '01-01 01:00:00 shop', '01-01 01:30:00 crm'])
  expect(one.notes.map((text) => text.slice(0, 10))).toEqual(['reload sho', 'reload crm'])
})

it('takes pipelines in and out, and says what only a restart changes', async () => {
  const one = await daemonWith({ outcomes: [{ lasts: 90 * MINUTE }] })
  await one.pass(HOUR)
  const settings = testSettings([{ ...HOURLY, name: 'crm' }])
  await one.reload({
    ...settings,
    state: { path: 'elsewhere' },
    server: { ...settings.server, port: 9, token: 'another' },
  })
  expect(one.lines).toContain('configuration change requires a restart state.path, server.port')
  expect(one.ofType('reloaded')[0]?.settings).toMatchObject({
    state: { path: 'unused' },
    server: { port: 0, token: 'another' },
  })
  await one.pass(3 * HOUR)
  expect(one.began).toEqual([
    '01-01 01:00:00 shop',
    '01-01 02:00:00 crm',
    '01-01 03:00:00 crm',
    '01-01 04:00:00 crm',
  ])
  expect(one.notes).toEqual([
    'reload shop: configuration reloaded: the pipeline was removed',
    'reload crm: configuration reloaded: the pipeline was added',
  ])
})

it('wakes every second where a schedule has seconds', async () => {
  const one = await daemonWith()
  expect(one.rhythm()).toBe('minute')
  await one.reload(testSettings([{ ...HOURLY, schedule: '*/10 * * * * *' }]))
  expect(one.rhythm()).toBe('second')
})

it('takes another key from its file as soon as it is there, and goes on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'key-'))
  const apiKeyFile = join(folder, 'key')
  await writeFile(apiKeyFile, 'test-key\n')
  const one = await daemonWith({
    settings: { service: serviceSettings({ api_key_file: apiKeyFile }) },
    outcomes: [{ trouble: 'SERVICE_KEY_REFUSED' }],
    probes: [{ code: 'SERVICE_KEY_REFUSED', reason: 'answered with 401' }],
  })
  try {
    await one.pass(2 * HOUR)
    expect([one.began.length, one.probedAt.length]).toEqual([1, 1])
    await writeFile(apiKeyFile, 'next-key\n')
    // The file is read by the real disk, in no time of the fake clock.
    while (one.ofType('resumed').length === 0) await one.pass(MINUTE)
    expect(one.inUse.map(({ service: { api_key: apiKey } }) => apiKey)).toEqual(['next-key'])
    expect(one.began).toHaveLength(2)
  } finally {
    await rm(folder, { recursive: true })
  }
})
