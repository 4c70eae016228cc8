// Rounds of looks for drift against the sandbox, with contacts that are edited there, and a process that ends in the middle.
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openRunner } from '../../../../src/app/run/runner.ts'
import type { DriftRound } from '../../../../src/core/change/others/drift-rounds.ts'
import type { PipelineSettings, Settings } from '../../../../src/core/settings.ts'
import type { Log } from '../../../../src/log/log.ts'
import { type Sandbox, startSandbox } from '../../../../src/sandbox/server.ts'
import { openState } from '../../../../src/store/state-store.ts'
import { systemClock } from '../../../../src/system.ts'
import { testSettings } from '../../../support/daemon.ts'
import { openPlace, type Place } from '../../../support/in-process.ts'
import { serviceSettings } from '../../../support/pipeline.ts'

const KEY = 'drift-key'
const CONTACTS = 12
const rows = Array.from({ length: CONTACTS }, (_, n) => `K${n},p${n}@example.com,Anna,${n}`)

let sandbox: Sandbox
let place: Place
beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  place = await openPlace({ THE_KEY: KEY })
  await place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, phone: phone }
`,
  )
  await place.write('inbox/1.csv', ['no,mail,first,phone', ...rows, ''].join('\n'))
  expect((await place.cli('run')).code).toBe(0)
})
afterEach(async () => {
  await sandbox.close()
  await place.close()
})

const quiet = { info: () => undefined, warn: () => undefined, debug: () => undefined } as object as Log
const statePath = (): string => join(place.folder, 'state/contact-sync.db')

function settings(perDay?: number): { all: Settings; shop: PipelineSettings } {
  const rate = { requests: 500, per: 1000, concurrency: 4, per_day: perDay }
  const all = testSettings([{ drift: { every: 3_600_000, share: 0.05 } }], {
    service: serviceSettings({ base_url: sandbox.url, api_key: KEY, rate_limit: rate }),
    state: { path: statePath() },
  })
  const [shop] = all.pipelines
  if (shop === undefined) throw new Error('no pipeline')
  return { all, shop }
}

/** In a process of its own life: opened, looks at most so often for room, closed. */
async function look(steps: number, perDay?: number): Promise<DriftRound | undefined> {
  const { all, shop } = settings(perDay)
  const runner = openRunner(all, { log: quiet, pid: process.pid, thorough: false })
  let left = steps
  const { ended } = await runner.continueDrift(shop, {
    signal: new AbortController().signal,
    mayLook: () => (left -= 1) >= 0,
  })
  await runner.close()
  return ended
}

const edit = (id: number, first: string) =>
  fetch(`${sandbox.url}/public/api/V1/contact/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ first_name: first }),
  })
const reads = (since: number): string[] =>
  sandbox
    .requests()
    .slice(since)
    .map(({ method, path }) => `${method} ${path}`)

it('looks at each contact once in a round, across processes that end in the middle', async () => {
  await edit(1, 'Berta')
  await edit(2, 'Berta')
  const since = sandbox.requests().length
  expect(await look(1)).toBeUndefined()
  expect(reads(since)).toHaveLength(4)
  expect(await look(1)).toBeUndefined()
  const ended = await look(100)
  expect(ended?.counts).toEqual({
    checked: CONTACTS,
    differing: 2,
    gone: 0,
    kept: 0,
    unanswered: 0,
    by_field: { first_name: 2 },
  })
  expect(new Set(reads(since)).size).toBe(CONTACTS)
  expect(reads(since)).toHaveLength(CONTACTS)
  // The next round is not due yet.
  expect(await look(100)).toBeUndefined()
  expect(reads(since)).toHaveLength(CONTACTS)
})

it('keeps what rounds have found, for status and pages', async () => {
  await edit(1, 'Berta')
  await look(100)
  const state = openState(statePath(), { pid: process.pid, since: Date.now(), thorough: false })
  const [round, ...others] = await state.driftRounds('shop', 10)
  expect(others).toEqual([])
  expect(round).toMatchObject({ after: '', counts: { differing: 1, by_field: { first_name: 1 } } })
  const ended = round?.endedAt ?? 0
  for (let n = 1; n <= 405; n += 1)
    if (round !== undefined) await state.noteDriftRound({ ...round, endedAt: ended + n })
  const kept = await state.driftRounds('shop', 1000)
  expect([kept.length, kept[0]?.endedAt, kept.at(-1)?.endedAt]).toEqual([400, ended + 405, ended + 6])
  await state.close()
  await place.write(
    'config.yaml',
    `
service: { base_url: "${sandbox.url}", api_key: "\${THE_KEY}" }
state: { path: state/contact-sync.db }
pipelines:
  shop:
    drift: { every: 24h }
    source: { type: csv, folder: inbox, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, phone: phone }
`,
  )
  expect((await place.cli('status')).stdout).toMatch(/drift: 1 of 12 contacts differ \(8\.3%\)/)
  expect(await place.json('status')).toMatchObject({
    pipelines: [
      { drift: { checked: 12, differing: 1, by_field: { first_name: 1 }, unread: 0, share: 1 / 12 } },
    ],
  })
})

it('leaves the rest of a day to runs', async () => {
  const since = sandbox.requests().length
  expect(await look(100, 1)).toBeUndefined()
  expect(reads(since)).toEqual([])
})

it('keeps no key of a person who was erased', async () => {
  const erased: DriftRound = {
    ...{ pipeline: 'shop', startedAt: 1, endedAt: undefined, after: 'erased' },
    counts: { checked: 0, differing: 0, gone: 0, kept: 0, unanswered: 0, by_field: {} },
  }
  await look(1)
  const roundNow = async () => {
    const state = openState(statePath(), { pid: process.pid, since: Date.now(), thorough: false })
    const round = await state.driftRound('shop')
    await state.noteDriftRound(erased)
    const after = await state.driftRound('shop')
    await state.close()
    return { round, after }
  }
  const { round, after } = await roundNow()
  expect(after).toEqual(round)
  const key = round?.after ?? ''
  expect(key).toMatch(/^K\d+$/)
  const forgotten = await place.cli('audit', 'forget', `p${key.slice(1)}@example.com`, '--yes')
  expect(forgotten.code).toBe(0)
  expect((await roundNow()).round).toBeUndefined()
})
