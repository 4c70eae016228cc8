// When something is removed after a run, how much of it, and what is said about it.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKeeping } from '../../../src/app/run/keeping.ts'
import { SyncError } from '../../../src/core/words/errors.ts'
import { openWorkshop, peopleCsv } from '../../support/cli.ts'
import { testClock } from '../../support/clock.ts'
import { pipelineSettings } from '../../support/pipeline.ts'

const DAY = 86_400_000
const KEEP = {
  processed: 90 * DAY,
  failed: undefined,
  rejects: undefined,
  runs: 365 * DAY,
  sync_log: undefined,
  reads: 365 * 86_400_000,
}

describe('after a run', () => {
  let folder = ''
  const lines: [string, unknown][] = []
  const clock = testClock()
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keeping-'))
    for (const name of ['processed', 'failed']) await mkdir(join(folder, name))
    lines.length = 0
  })
  afterEach(async () => rm(folder, { recursive: true }))

  const note = (message: string, fields?: unknown) => void lines.push([message, fields])
  const log = { info: note, warn: note } as unknown as Parameters<ReturnType<typeof createKeeping>>[1]['log']
  const { signal } = new AbortController()
  const nothing = {
    lastBegun: async (): Promise<number | undefined> => Promise.resolve(undefined),
    removeOld: async () => Promise.resolve({ rejects: 0, runs: 0 }),
    expireValues: async () => Promise.resolve(7),
    removeReads: async () => Promise.resolve(0),
  }
  const pipeline = () => pipelineSettings({ source: { type: 'csv', null_values: [], folder } })
  const put = (which: string, number: number) =>
    writeFile(join(folder, which, `${number}.20200101-000000-k3f9.csv`), '')

  it('what is old is removed from the folders that have a time, and told once', async () => {
    const keeping = createKeeping(KEEP, { state: nothing, clock })
    await put('processed', 1)
    await put('failed', 1)
    await keeping(pipeline(), { log, signal })
    expect([
      await readdir(join(folder, 'processed')),
      (await readdir(join(folder, 'failed'))).length,
    ]).toEqual([[], 1])
    expect(lines).toEqual([
      ['old data removed', { rejects: 0, runs: 0, processed: 1, failed: 0, sync_log: 0, reads: 0 }],
    ])
  })

  const left = async () => (await readdir(join(folder, 'processed'))).length

  it('not again within the hour, but for what was left', async () => {
    const keeping = createKeeping(KEEP, { state: nothing, clock, most: 2 })
    for (let number = 0; number < 3; number += 1) await put('processed', number)
    await keeping(pipeline(), { log, signal })
    expect(await left()).toBe(1)
    await keeping(pipeline(), { log, signal })
    expect(await left()).toBe(0)
    await put('processed', 9)
    await keeping(pipeline(), { log, signal })
    expect(await left()).toBe(1)
    clock.advance(3_600_000)
    await keeping(pipeline(), { log, signal })
    expect(await left()).toBe(0)
  })

  it('nothing by a clock that is years ahead, before a run has known such a time for an hour', async () => {
    const begun = [clock.now()]
    const state = {
      ...nothing,
      lastBegun: async (_: string, notAfter: number) =>
        Promise.resolve(begun.findLast((at) => at <= notAfter)),
    }
    const keeping = createKeeping({ ...KEEP, sync_log: DAY }, { state, clock })
    const archived = new Date(clock.now() - DAY).toISOString().slice(0, 10).replaceAll('-', '')
    await writeFile(join(folder, 'processed', `a.${archived}-000000-k3f9.csv`), '')
    clock.advance(1000 * DAY)
    begun.push(clock.now())
    await keeping(pipeline(), { log, signal })
    expect(await left()).toBe(1)
    clock.advance(3_600_000)
    await keeping(pipeline(), { log, signal })
    expect(await left()).toBe(0)
  })

  it('at once, of a pipeline that runs once a month', async () => {
    const state = { ...nothing, lastBegun: async () => Promise.resolve(clock.now() - 31 * DAY) }
    const archived = new Date(clock.now() - 91 * DAY).toISOString().slice(0, 10).replaceAll('-', '')
    await writeFile(join(folder, 'processed', `a.${archived}-000000-k3f9.csv`), '')
    await createKeeping(KEEP, { state, clock })(pipeline(), { log, signal })
    expect(await readdir(join(folder, 'processed'))).toEqual([])
  })

  it('not while the process ends, and never so that a run would fail', async () => {
    await put('processed', 1)
    await createKeeping(KEEP, { state: nothing, clock })(pipeline(), { log, signal: AbortSignal.abort() })
    expect(lines).toEqual([])
    const broken = {
      ...nothing,
      removeOld: async () => Promise.reject(new SyncError('STATE_FULL', 'the disk is full')),
    }
    await createKeeping(KEEP, { state: broken, clock })(pipeline(), { log, signal })
    expect(lines).toMatchObject([['old data not removed', { code: 'STATE_FULL' }]])
  })
})

it('a single run removes what `keep` says', async () => {
  const shop = await openWorkshop()
  try {
    await shop.configure(
      `keep: { processed: 90d }\n` +
        `service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}" }\nstate: { path: state/contact-sync.db }\n` +
        `pipelines: { shop: { source: { type: csv, folder: inbox/shop, settle: 0s }, key: no, map: { mail: mail } } }\n`,
    )
    await mkdir(shop.path('inbox', 'shop', 'processed'))
    const old = shop.path('inbox', 'shop', 'processed', 'a.20200101-000000-k3f9.csv')
    await writeFile(old, 'mail\n')
    await shop.drop('shop', 'b.csv', peopleCsv(1))
    const run = await shop.cli('run')
    expect(run.code).toBe(0)
    const names = await readdir(shop.path('inbox', 'shop', 'processed'))
    expect(names).toEqual([expect.stringMatching(/^b\./)])
  } finally {
    await shop.close()
  }
})
