// Alerts at work, over the real store and a real webhook, with a clock that the test moves.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createServiceVerdict } from '../../../src/app/alerting/alert-facts.ts'
import { createAlerting } from '../../../src/app/alerting/alerting.ts'
import type { ToldDirectly } from '../../../src/app/alerting/alert-parts.ts'
import type { AlertMessage } from '../../../src/core/alerts/alert-message.ts'
import { planEntry } from '../../../src/core/log/other-entries.ts'
import type { PipelineTrouble } from '../../../src/core/fleet.ts'
import type { DaemonCondition } from '../../../src/core/outcome/daemon.ts'
import type { ErrorCode } from '../../../src/core/words/errors.ts'
import type { AlertSettings, Settings } from '../../../src/core/settings.ts'
import { HOUR_MS } from '../../../src/core/words/duration.ts'
import { noCounts, type RunStatus } from '../../../src/core/outcome/summary.ts'
import type { Log } from '../../../src/log/log.ts'
import { openState, type OwnedState } from '../../../src/store/state-store.ts'
import { testClock } from '../../support/clock.ts'
import { pipelineSettings, serviceSettings } from '../../support/pipeline.ts'
import { startWebhook, type Webhook } from '../../support/receivers.ts'

let folder: string
let state: OwnedState
let hook: Webhook
const clock = testClock()

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'contact-sync-alerting-'))
  state = openState(join(folder, 'state.db'), { pid: 1, since: 0, thorough: false })
  hook = await startWebhook()
})
afterEach(async () => {
  await state.close()
  await hook.close()
  rmSync(folder, { recursive: true })
})

const RULES = {
  format: 'json',
  on: ['failed', 'nothing_arrived'],
  rejects_above: { count: 0 },
  nothing_within: 0,
  after: 0,
} as const

const receiver = (id: string, rules: Partial<AlertSettings> = {}): AlertSettings => ({
  id,
  receiver: { kind: 'webhook', url: hook.url, format: 'json', secret: undefined },
  ...RULES,
  ...rules,
})

const HAND_OVER = { to: '/nowhere/handed.jsonl', format: 'jsonl' } as const

const lines: string[] = []
const quiet = {
  info: (event: string) => lines.push(event),
  warn: (event: string) => lines.push(event),
  error: (event: string) => lines.push(event),
} as unknown as Log

function alertingWith(
  alerts: AlertSettings[],
  more: {
    condition?: DaemonCondition
    of?: OwnedState
    signal?: AbortSignal
    told?: Map<string, ToldDirectly>
    isFirst?: () => boolean
  } = {},
) {
  lines.length = 0
  const settings = {
    account: 'default',
    service: serviceSettings(),
    server: {
      host: '127.0.0.1',
      port: 8080,
      hosts: ['sync.example.com'],
      users: [],
      token: 'x',
      metrics_token: undefined,
    },
    pipelines: [pipelineSettings({})],
    audit: { hand_over: HAND_OVER },
    alerts,
  } as unknown as Settings
  const service = createServiceVerdict()
  const outcomes: string[] = []
  const alerting = createAlerting({
    ...more,
    state: more.of ?? state,
    clock,
    log: quiet,
    service,
    signal: more.signal ?? new AbortController().signal,
    settings: () => settings,
    condition: () => more.condition,
    onDelivery: (outcome) => outcomes.push(outcome),
  })
  return { alerting, outcomes, service, settings }
}

let runs = 0
async function ran(
  status: RunStatus,
  code?: ErrorCode,
  refusedFile?: { file: string; code: ErrorCode },
): Promise<void> {
  runs += 1
  const id = `r${runs}`
  await state.beginRun({ id, pipeline: 'shop', startedAt: clock.now(), configHash: '' })
  await state.endRun(id, {
    endedAt: clock.now(),
    status,
    counts: noCounts(),
    error: undefined,
    code,
    drift: 0,
    files: 0,
    refused: refusedFile === undefined ? 0 : 1,
    refusedFile,
  })
  clock.advance(1000)
}

const told = (): string[] => hook.posts.map(({ body }) => (JSON.parse(body) as AlertMessage).event)

it('tells each receiver once, over restarts', async () => {
  await ran('failed', 'REFUSED_ALIKE')
  await alertingWith([receiver('one'), receiver('two')]).alerting.look()
  expect(told()).toEqual(['raised', 'raised'])
  for (let restart = 0; restart < 3; restart += 1)
    await alertingWith([receiver('one'), receiver('two')]).alerting.look()
  expect(told()).toHaveLength(2)
  await ran('ok')
  await alertingWith([receiver('one')]).alerting.look()
  expect(told().slice(2)).toEqual(['recovered'])
  // The other receiver was not configured any more, and is nobody's business.
  await alertingWith([receiver('two')]).alerting.look()
  expect(told()).toHaveLength(3)
})

it('says how grave it is, with which code and which file, and where to look', async () => {
  await ran('partial', undefined, { file: 'export.csv', code: 'INPUT_BINARY' })
  await ran('ok')
  await ran('ok')
  await alertingWith([receiver('one', { on: ['file_refused'] })]).alerting.look()
  const [message] = hook.posts.map(({ body }) => JSON.parse(body) as AlertMessage)
  expect(message).toMatchObject({
    severity: 'warning',
    condition: 'file_refused',
    code: 'INPUT_BINARY',
    file: 'export.csv',
    command: 'contact-sync status',
    link: expect.stringMatching(/^http:\/\/sync\.example\.com:8080\/runs\/r\d+$/) as unknown,
    runbook: 'state/README.md#file_refused',
  })
  // The same again is told again, though the first still stands.
  clock.advance(1000)
  await ran('partial', undefined, { file: 'other.csv', code: 'INPUT_EMPTY' })
  await alertingWith([receiver('one', { on: ['file_refused'] })]).alerting.look()
  expect(hook.posts.map(({ body }) => (JSON.parse(body) as AlertMessage).file)).toEqual([
    'export.csv',
    'other.csv',
  ])
})

it('tries again after growing gaps, always with the same id, and in order', async () => {
  hook.answers(503)
  await ran('failed', 'REFUSED_ALIKE')
  const { alerting, outcomes } = alertingWith([receiver('one')])
  await alerting.look()
  await alerting.look()
  expect(outcomes).toEqual(['failed'])
  expect((await alerting.nextAt())! - clock.now()).toBe(10_000)
  clock.advance(10_000)
  await alerting.look()
  expect((await alerting.nextAt())! - clock.now()).toBe(30_000)
  hook.answers(200)
  clock.advance(30_000)
  await alerting.look()
  expect(outcomes).toEqual(['failed', 'failed', 'delivered'])
  expect(await alerting.nextAt()).toBeUndefined()
  expect(new Set(hook.posts.map(({ body }) => (JSON.parse(body) as { id: string }).id)).size).toBe(1)
  expect(lines).toEqual(['alert delivery failed', 'alert delivery failed', 'alert delivered'])
  expect(await state.alertFigures()).toEqual({ undelivered: 0, raised: new Map([['failed', 1]]) })
})

it('delivers what was put off under a clock that ran a year ahead', async () => {
  hook.answers(503)
  const year = 365 * 86_400_000
  await ran('failed', 'REFUSED_ALIKE')
  clock.advance(year)
  const { alerting, outcomes } = alertingWith([receiver('one')])
  await alerting.look()
  clock.advance(-year)
  hook.answers(200)
  await alerting.look()
  expect(outcomes).toEqual(['failed', 'delivered'])
})

it('gives up what nobody has taken in three days', async () => {
  hook.answers(503)
  await ran('failed', 'REFUSED_ALIKE')
  const { alerting } = alertingWith([receiver('one')])
  await alerting.look()
  clock.advance(3 * 86_400_000 + 1)
  await alerting.look()
  expect(lines.at(-1)).toBe('alert abandoned')
  expect(await state.alertFigures()).toMatchObject({ undelivered: 0 })
})

it('delivers what has waited for a receiver under a clock that was put forward by years', async () => {
  hook.answers(503)
  await ran('failed', 'REFUSED_ALIKE')
  const { alerting, outcomes } = alertingWith([receiver('one')])
  await alerting.look()
  clock.advance(3 * 365 * 86_400_000)
  hook.answers(200)
  await alerting.look()
  expect(outcomes).toEqual(['failed', 'delivered'])
  expect(await state.alertFigures()).toMatchObject({ undelivered: 0 })
})

it('never floods: what comes and goes while nobody listens is one message at most', async () => {
  hook.answers(503)
  const { alerting } = alertingWith([receiver('one')])
  for (let turn = 0; turn < 20; turn += 1) {
    await ran(turn % 2 === 0 ? 'failed' : 'ok', turn % 2 === 0 ? 'REFUSED_ALIKE' : undefined)
    await alerting.look()
    expect((await state.alertFigures()).undelivered).toBeLessThanOrEqual(1)
  }
})

it('waits until something has lasted', async () => {
  const { alerting } = alertingWith([receiver('one', { after: 60_000 })])
  await ran('failed', 'REFUSED_ALIKE')
  await alerting.look()
  clock.advance(59_000)
  await alerting.look()
  expect(told()).toEqual([])
  clock.advance(1000)
  await alerting.look()
  expect(told()).toEqual(['raised'])
})

it('looks once more where it is asked while it looks, and not as often as it is asked', async () => {
  const { alerting } = alertingWith([receiver('one')])
  const first = alerting.look()
  await ran('failed', 'REFUSED_ALIKE')
  await Promise.all([first, alerting.look(), alerting.look(), alerting.look()])
  expect(told()).toEqual(['raised'])
})

it('knows of the service what runs and pauses have shown, and nothing before', () => {
  const { service } = alertingWith([])
  const well = { code: undefined, error: undefined }
  service.ran({ ...well, requests: 0 } as never)
  expect(service.current()).toBe('unknown')
  service.ran({ code: 'SERVICE_KEY_REFUSED', error: 'no', requests: 1 })
  expect(service.current()).toEqual({ code: 'SERVICE_KEY_REFUSED', reason: 'no' })
  service.ran({ ...well, requests: 0 } as never)
  expect(service.current()).toMatchObject({ code: 'SERVICE_KEY_REFUSED' })
  service.ran({ ...well, requests: 2 } as never)
  expect(service.current()).toBe('good')
  service.listen({
    type: 'paused',
    pause: { since: 0, code: 'SERVICE_UNREACHABLE', reason: 'away', nextProbeAt: 1 },
  })
  expect(service.current()).toMatchObject({ code: 'SERVICE_UNREACHABLE' })
  service.listen({ type: 'resumed', at: 0, ms: 1 })
  expect(service.current()).toBe('good')
})

it('does not report a service as well again while runs are paused for it', async () => {
  const pause = { since: 0, code: 'SERVICE_KEY_REFUSED', reason: 'no', nextProbeAt: undefined } as const
  let condition: DaemonCondition = {
    ...{ running: true, stateOpen: true, startedAt: 0, pause, refusedReload: undefined },
    ...{ pipelines: [], paused: new Map() },
  }
  const more = {
    get condition() {
      return condition
    },
  }
  const { alerting, service } = alertingWith([receiver('one', { on: ['key_refused'] })], more)
  service.listen({ type: 'paused', pause })
  await alerting.look()
  service.ran({ code: undefined, error: undefined, requests: 2 } as never)
  await alerting.look()
  expect(told()).toEqual(['raised'])
  condition = { ...condition, pause: undefined }
  service.listen({ type: 'resumed', at: 0, ms: 1 })
  await alerting.look()
  expect(told()).toEqual(['raised', 'recovered'])
})

it('reports a service that refuses the key to another worker, until a run of that one went well', async () => {
  const condition: DaemonCondition = {
    ...{ running: true, stateOpen: true, startedAt: 0, pause: undefined, refusedReload: undefined },
    pipelines: [],
    paused: new Map(),
    fleet: { workers: [], unassigned: [] },
  }
  const { alerting } = alertingWith([receiver('one', { on: ['key_refused'] })], { condition })
  await alerting.look()
  expect(told()).toEqual([])
  await ran('failed', 'SERVICE_KEY_REFUSED')
  await alerting.look()
  expect(told()).toEqual(['raised'])
  // It tries again: nothing is known before the end of that.
  await state.beginRun({ id: 'again', pipeline: 'shop', startedAt: clock.now(), configHash: '' })
  await alerting.look()
  expect(told()).toEqual(['raised'])
  await ran('ok')
  await alerting.look()
  expect(told()).toEqual(['raised', 'recovered'])
})

it('reports what another worker says of its pipeline: that it is overdue, and that a fault ended its run', async () => {
  let troubles = new Map<string, PipelineTrouble>()
  const condition: DaemonCondition = {
    ...{ running: true, stateOpen: true, startedAt: 0, pause: undefined, refusedReload: undefined },
    pipelines: [],
    paused: new Map(),
    get fleet() {
      return { workers: [], unassigned: [], troubles }
    },
  }
  const { alerting } = alertingWith([receiver('one', { on: ['overdue', 'failed'] })], { condition })
  troubles = new Map([['shop', { waitingSince: clock.now() - 3_600_000 }]])
  await alerting.look()
  troubles = new Map([['shop', { broken: {} }]])
  await alerting.look()
  troubles = new Map([['shop', {}]])
  await alerting.look()
  const messages = hook.posts.map(({ body }) => JSON.parse(body) as AlertMessage)
  expect(messages.map(({ event, condition: name }) => `${event} ${name}`).toSorted()).toEqual([
    'raised failed',
    'raised overdue',
    'recovered failed',
    'recovered overdue',
  ])
})

function brokenBy(code: 'STATE_FULL' | 'STATE_IO' | 'STATE_LOCKED') {
  const shop = {
    name: 'shop',
    dueAt: 0,
    runningSince: undefined,
    waitingSince: undefined,
    brokenAt: 5 as number | undefined,
    brokenBy: code,
    overlaps: 0,
    missed: 0,
  }
  const condition: DaemonCondition = {
    running: true,
    stateOpen: true,
    paused: new Map(),
    startedAt: 0,
    pause: undefined,
    refusedReload: undefined,
    pipelines: [shop],
  }
  return { shop, condition }
}

it('tells directly, and once, of a state that cannot be written', async () => {
  const { shop, condition } = brokenBy('STATE_FULL')
  let isFull = true
  const fail = async () => Promise.reject(new Error('disk full'))
  const full: OwnedState = {
    ...state,
    keepReceivers: (ids) => (isFull ? fail() : state.keepReceivers(ids)),
  }
  const { alerting } = alertingWith([receiver('one'), receiver('two', { on: ['held'] })], {
    condition,
    of: full,
  })
  await alerting.look()
  await alerting.look()
  expect(hook.posts.map(({ body }) => JSON.parse(body) as AlertMessage)).toMatchObject([
    { event: 'raised', condition: 'failed', pipeline: 'shop', numbers: { code: 'STATE_FULL' } },
  ])
  // The run that follows goes well: what was told directly ends so, too.
  shop.brokenAt = undefined
  isFull = false
  await alerting.look()
  await alerting.look()
  expect(told()).toEqual(['raised', 'recovered'])
})

it.each([0, 60_000])(
  'tells once of a failure that outlasts the full disk, and of its end once (after %i ms)',
  async (after) => {
    const { shop, condition } = brokenBy('STATE_FULL')
    let isFull = true
    const full: OwnedState = {
      ...state,
      keepReceivers: async (ids) =>
        isFull ? Promise.reject(new Error('disk full')) : state.keepReceivers(ids),
    }
    const { alerting } = alertingWith([receiver('one', { after })], { condition, of: full })
    await alerting.look()
    // There is space again, and the pipeline has not run since.
    isFull = false
    await alerting.look()
    clock.advance(after)
    await alerting.look()
    // Full once more: what the state has told of is known, and is not told again.
    isFull = true
    await alerting.look()
    expect(told()).toEqual(['raised'])
    isFull = false
    shop.brokenAt = undefined
    await alerting.look()
    await alerting.look()
    expect(told()).toEqual(['raised', 'recovered'])
  },
)

it('gives each message that it sends directly an id of its own', async () => {
  const { shop, condition } = brokenBy('STATE_FULL')
  const failed: OwnedState = { ...state, keepReceivers: async () => Promise.reject(new Error('it failed')) }
  const both = { ...condition, pipelines: [shop, { ...shop, name: 'crm' }] }
  await alertingWith([receiver('one')], { condition: both, of: failed }).alerting.look()
  expect(new Set(hook.posts.map(({ body }) => (JSON.parse(body) as { id: string }).id)).size).toBe(2)
})

it('tells directly of a state that failed for good, although the process is ending for it', async () => {
  const failed: OwnedState = { ...state, keepReceivers: async () => Promise.reject(new Error('it failed')) }
  const { alerting } = alertingWith([receiver('one')], {
    condition: brokenBy('STATE_IO').condition,
    of: failed,
    signal: AbortSignal.abort(),
  })
  await alerting.look()
  expect(hook.posts.map(({ body }) => JSON.parse(body) as AlertMessage)).toMatchObject([
    { event: 'raised', condition: 'failed', pipeline: 'shop', numbers: { code: 'STATE_IO' } },
  ])
})

/** A state that cannot be written any more. */
const lost = (): OwnedState => ({
  ...state,
  keepReceivers: () => Promise.reject(new Error('the connection broke off')),
})

it.each([true, false])(
  'reports the end of what was told directly once the state is joined again (the first of the workers: %s)',
  async (isFirst) => {
    const directly = new Map<string, ToldDirectly>()
    const { condition } = brokenBy('STATE_IO')
    const fleet = { workers: [], unassigned: [] }
    const before = alertingWith([receiver('one')], {
      condition: { ...condition, fleet },
      of: lost(),
      told: directly,
    })
    await before.alerting.look()
    await before.alerting.look()
    const again = { ...condition, fleet, pipelines: [] }
    const after = alertingWith([receiver('one')], {
      condition: again,
      told: directly,
      isFirst: () => isFirst,
    })
    await after.alerting.look()
    await after.alerting.look()
    expect(told()).toEqual(['raised', 'recovered'])
  },
)

it('reports no run that another worker has taken over', async () => {
  const { condition } = brokenBy('STATE_LOCKED')
  const fleet = { workers: [], unassigned: [] }
  const { alerting } = alertingWith([receiver('one')], { condition: { ...condition, fleet }, of: lost() })
  await alerting.look()
  expect(told()).toEqual([])
})

it('leaves what its state cannot be told to the first of the workers', async () => {
  const { condition } = brokenBy('STATE_IO')
  const { alerting } = alertingWith([receiver('one')], { condition, of: lost(), isFirst: () => false })
  await alerting.look()
  expect(told()).toEqual([])
})

it('reports a sync log that is not handed over, until it is', async () => {
  const { alerting } = alertingWith([receiver('one', { on: ['hand_over'] })])
  const about = { at: clock.now(), runId: 'r', pipeline: 'shop', configHash: '' }
  for (const reason of ['one', 'two']) await state.note(planEntry({ action: 'pause', reason }, about))
  clock.advance(2 * HOUR_MS)
  await alerting.look()
  expect(told()).toEqual([])
  clock.advance(1000)
  await alerting.look()
  expect(hook.posts.map(({ body }) => JSON.parse(body) as AlertMessage)).toMatchObject([
    {
      event: 'raised',
      condition: 'hand_over',
      numbers: { entries: 2 },
      command: 'contact-sync audit hand-over',
    },
  ])
  await state.noteHandedOver({ to: HAND_OVER.to, seq: 2 })
  await alerting.look()
  expect(told()).toEqual(['raised', 'recovered'])
})
