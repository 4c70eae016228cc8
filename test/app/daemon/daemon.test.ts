// The daemon's life in a time of its own: what is due and missed, what waits, a service that becomes unavailable and comes back.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import type { PipelinePause } from '../../../src/core/decision.ts'
import { type ErrorCode, SyncError } from '../../../src/core/words/errors.ts'
import { HOUR, MINUTE, type Outcome, startTestDaemon, type TestDaemonOptions } from '../../support/daemon.ts'

type TestDaemon = Awaited<ReturnType<typeof startTestDaemon>>
let open: TestDaemon[] = []
async function daemonWith(options: TestDaemonOptions): Promise<TestDaemon> {
  const one = await startTestDaemon(options)
  open.push(one)
  return one
}
afterEach(async () => {
  for (const one of open) await one.end().catch(() => undefined)
  open = []
})

const ready = async ({ daemon }: TestDaemon): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${daemon.port}/readyz`)).json()
const fault = (code: ErrorCode) => ({ error: new SyncError(code, 'the state has a problem') })

it('runs each pipeline when it is due, in its own zone, and enters that it has', async () => {
  const one = await daemonWith({
    start: '2027-03-28T00:10:00Z',
    pipelines: [
      { name: 'night', schedule: '30 2 * * *', timezone: 'Europe/Berlin' },
      { name: 'hourly', schedule: '0 * * * *', timezone: 'Europe/Berlin' },
      { name: 'asked' },
    ],
  })
  await one.pass(2 * HOUR)
  expect(one.began).toEqual(['03-28 01:00:00 night', '03-28 01:00:00 hourly', '03-28 02:00:00 hourly'])
  expect(one.due.get('night')).toMatchObject({ doneUpTo: Date.parse('2027-03-28T01:00:00Z') })
})

it('says that it is started once commands reach it, not before', async () => {
  let said: readonly string[] = ['nothing was opened']
  const one = await daemonWith({
    openDesk: (lines) => Promise.resolve(void (said = [...lines])),
  })
  expect(said).toEqual([])
  expect(one.lines[0]).toMatch(/^daemon started/)
})

it('says that the disk is full, tries again when it is due, and is ready again once that went well', async () => {
  const one = await daemonWith({ outcomes: [fault('STATE_FULL'), {}] })
  await one.pass(HOUR)
  expect(await ready(one)).toEqual({
    status: 'not ready',
    reasons: ['pipeline shop is overdue (STATE_FULL)'],
  })
  await one.pass(HOUR)
  expect(await ready(one)).toEqual({ status: 'ready', reasons: [] })
  expect(one.began).toHaveLength(2)
})

/** After how many minutes the runs of a file that has landed once follow the first one. */
async function retriesOf(outcomes: Outcome[], lasts: number, setMs = 0): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'landed-'))
  await writeFile(join(folder, 'a.csv'), 'no\n1\n')
  const one = await daemonWith({
    start: '2027-02-01T00:00:30Z',
    pipelines: [
      {
        watch: true,
        source: { type: 'csv', null_values: [], folder, files: ['*.csv'], settle: 0, encoding: 'auto' },
        schedule: undefined,
      },
    ],
    outcomes,
  })
  await vi.waitFor(() => {
    expect(one.began).toHaveLength(1)
  })
  await one.clock.advance(0)
  one.clock.set(setMs)
  await one.pass(lasts)
  const [first = '', ...others] = one.began.map((began) => began.replace(/ shop$/, ''))
  await rm(folder, { recursive: true })
  return others.map((at) => (Date.parse(at) - Date.parse(first) - setMs) / MINUTE)
}

it('makes one run for what an operator has released, where the folder is watched', async () => {
  const left = { now: '' }
  const folder = await mkdtemp(join(tmpdir(), 'released-'))
  const source = {
    type: 'csv',
    null_values: [],
    folder,
    files: ['*.csv'],
    settle: 0,
    encoding: 'auto',
  } as const
  const one = await daemonWith({
    pipelines: [
      { name: 'watching', watch: true, source, schedule: undefined },
      { name: 'asked', schedule: undefined },
    ],
    leftByDecisions: () => left.now,
    outcomes: [{}, { lasts: 5 * MINUTE }],
  })
  await one.pass(HOUR)
  expect(one.began).toEqual([])
  left.now = '2 7'
  await one.pass(HOUR)
  // What stays does not ask again.
  expect(one.began).toEqual([expect.stringMatching(/ watching$/)])
  left.now = '1 8'
  await one.pass(2 * MINUTE)
  // The run that is active sends it.
  left.now = '1 9'
  await one.pass(2 * MINUTE)
  left.now = ''
  await one.pass(HOUR)
  expect(one.began).toHaveLength(2)
  await rm(folder, { recursive: true })
})

it('tries the run of a file that has landed again after growing gaps where it was aborted', async () => {
  const broken = fault('STATE_FULL')
  // It is woken at each full minute.
  expect(await retriesOf([broken, broken, {}], HOUR)).toEqual([1.5, 3.5])
})

it('tries it again after the same gaps where the clock is put back meanwhile', async () => {
  const broken = fault('STATE_FULL')
  expect(await retriesOf([broken, broken, {}], HOUR, -24 * HOUR)).toEqual([1.5, 3.5])
})

it.each<[string, Outcome]>([
  ['the file could not be read to its end', { left: 'REMOTE_LOST' }],
  ['the folder could not be read', { unread: 'SOURCE_UNREACHABLE' }],
  ['the service refused everything alike', { trouble: 'REFUSED_ALIKE' }],
  ['a change failed', { failed: 1 }],
])('tries it again after growing gaps where %s', async (_, outcome) => {
  expect(await retriesOf([outcome, outcome, {}], HOUR)).toEqual([1.5, 3.5])
})

it('continues the run of a file that has landed a minute after each end of max_duration', async () => {
  const over: Outcome = { trouble: 'MAX_DURATION' }
  expect(await retriesOf([over, over, over, {}], HOUR)).toEqual([1.5, 2.5, 3.5])
})

it('does not give up a file that has landed while the service only answers probes', async () => {
  const away: Outcome = { trouble: 'SERVICE_UNREACHABLE' }
  const at = await retriesOf([away, away, away, away, away, {}], HOUR)
  expect(at).toHaveLength(5)
})

it.each(['STATE_IO', 'STATE_UNUSABLE'] as const)(
  'ends by itself after %s, so that a new process checks the state',
  async (code) => {
    const one = await daemonWith({ outcomes: [fault(code)] })
    await one.pass(HOUR)
    await expect(one.daemon.ended()).rejects.toMatchObject({ code })
    await one.pass(3 * HOUR)
    expect(one.began).toHaveLength(1)
  },
)

it('makes up once for what was missed while the process was down, and only under the schedule that it was', async () => {
  const doneUpTo = Date.parse('2026-12-31T18:30:00Z')
  const one = await daemonWith({
    start: '2027-01-01T00:00:30Z',
    pipelines: [
      { name: 'same', schedule: '0 * * * *', timezone: 'UTC' },
      { name: 'other', schedule: '0 * * * *', timezone: 'UTC' },
    ],
    due: [
      { pipeline: 'same', schedule: '0 * * * * UTC', doneUpTo },
      { pipeline: 'other', schedule: '*/5 * * * * UTC', doneUpTo },
    ],
  })
  expect(one.began).toEqual(['01-01 00:00:30 same'])
  expect(one.ofType('missed')).toMatchObject([{ pipeline: 'same', times: 6 }])
  await one.pass(HOUR)
  expect(one.began.slice(1)).toEqual(['01-01 01:00:00 same', '01-01 01:00:00 other'])
})

it('makes up once for what was missed while the machine slept', async () => {
  const one = await daemonWith({})
  await one.sleep(5 * HOUR)
  await one.pass(MINUTE)
  expect(one.began).toEqual(['01-01 05:01:00 shop'])
  await one.pass(HOUR)
  expect(one.began).toEqual(['01-01 05:01:00 shop', '01-01 06:00:00 shop'])
})

const YEAR = 365 * 24 * HOUR
it.each([
  ['put forward by a year', '2027-01-01T00:00:30Z', YEAR, '01-01 00:02:00', 1],
  ['put right from 1970', '1970-01-01T00:00:30Z', 57 * YEAR, '12-18 00:02:00', 1],
  ['put back by a year', '2028-01-01T00:00:30Z', -YEAR, '01-01 00:02:00', 0],
  ['put back by half an hour', '2027-01-01T12:00:30Z', -HOUR / 2, '01-01 11:32:00', 0],
  ['put back to 1970', '2027-01-01T00:00:30Z', -57 * YEAR, '01-15 00:02:00', 0],
])(
  'runs what is due within a minute under a clock that is %s, and wakes by itself',
  async (_, start, byMs, first, missed) => {
    const one = await daemonWith({
      start,
      pipelines: [{ schedule: '* * * * *', timezone: 'UTC' }],
      wakesByItself: true,
    })
    await one.clock.advance(MINUTE)
    expect(one.began).toHaveLength(1)
    one.clock.set(byMs)
    await one.clock.advance(3 * MINUTE)
    const began = one.began.slice(1)
    expect(began.length).toBeGreaterThanOrEqual(3)
    expect(began[0]).toBe(`${first} shop`)
    expect(one.ofType('missed')).toHaveLength(missed)
    expect(await (await fetch(`http://127.0.0.1:${one.daemon.port}/healthz`)).json()).toEqual({
      status: 'ok',
    })
  },
)

it('does not run a pipeline twice at once; says so, and counts it', async () => {
  const one = await daemonWith({ outcomes: [{ lasts: 2.5 * HOUR }] })
  await one.pass(4 * HOUR)
  expect(one.began).toEqual(['01-01 01:00:00 shop', '01-01 04:00:00 shop'])
  expect(one.ofType('overlapped')).toHaveLength(2)
  expect(one.lines).toContain('run skipped: previous run still active shop 1')
  expect(one.daemon.condition().pipelines[0]).toMatchObject({ overlaps: 2, missed: 0 })
})

it('lets no more run at the same time than may be, and who waits longest goes first', async () => {
  const names = ['a', 'b', 'c', 'd', 'e']
  const one = await daemonWith({
    pipelines: names.map((name) => ({ name, schedule: '0 * * * *', timezone: 'UTC' })),
    settings: { max_parallel: 2 },
    outcomes: names.map(() => ({ lasts: 25 * MINUTE })),
  })
  await one.pass(2 * HOUR - MINUTE)
  expect(one.most()).toBe(2)
  expect(one.began.map((text) => text.slice(6))).toEqual([
    '01:00:00 a',
    '01:00:00 b',
    '01:25:00 c',
    '01:25:00 d',
    '01:50:00 e',
  ])
})

it('waits while the service is away, asks it after growing gaps, and then runs once what was due', async () => {
  const trouble = { code: 'SERVICE_UNREACHABLE', reason: 'no answer' } as const
  const one = await daemonWith({
    pipelines: [
      { name: 'shop', schedule: '*/10 * * * *', timezone: 'UTC' },
      { name: 'crm', schedule: '*/10 * * * *', timezone: 'UTC' },
    ],
    outcomes: [{ trouble: 'SERVICE_UNREACHABLE' }, { trouble: 'SERVICE_UNREACHABLE' }],
    probes: Array.from({ length: 12 }, () => trouble),
  })
  await one.pass(9.5 * MINUTE + 20_000)
  expect(one.probedAt).toEqual(['01-01 00:10:05', '01-01 00:10:15'])
  expect(await ready(one)).toMatchObject({
    status: 'not ready',
    reasons: ['runs paused since 2027-01-01T00:10:00.000Z (SERVICE_UNREACHABLE)'],
  })
  await one.pass(HOUR)
  expect(one.began).toEqual([
    '01-01 00:10:00 shop',
    '01-01 00:10:00 crm',
    '01-01 00:50:15 shop',
    '01-01 00:50:15 crm',
    '01-01 01:00:00 shop',
    '01-01 01:00:00 crm',
    '01-01 01:10:00 shop',
    '01-01 01:10:00 crm',
  ])
  const gaps = one.probedAt.map((text) => Date.parse(`2027-${text.replace(' ', 'T')}Z`))
  expect(gaps.slice(1).map((at, index) => (at - (gaps[index] ?? 0)) / 1000)).toEqual([
    10, 20, 40, 80, 160, 300, 300, 300, 300, 300, 300, 300,
  ])
  expect(one.ofType('paused')).toHaveLength(1)
  expect(one.pauses).toEqual(['SERVICE_UNREACHABLE', undefined])
  expect(one.ofType('resumed')).toMatchObject([{ ms: 2_415_000 }])
  expect(one.ofType('missed')).toMatchObject([{ times: 5 }, { times: 5 }])
})

it('lets the gaps go on growing where the service answers the question and then fails the run again', async () => {
  const one = await daemonWith({
    outcomes: Array.from({ length: 3 }, () => ({ trouble: 'SERVICE_UNREACHABLE' as const })),
  })
  await one.pass(HOUR + 3 * MINUTE)
  expect(one.probedAt.map((text) => text.slice(6))).toEqual(['01:00:05', '01:00:15', '01:00:35'])
  expect(one.began).toHaveLength(4)
})

it('does not let a pipeline that the service always fails keep the others waiting', async () => {
  const one = await daemonWith({
    pipelines: [
      { name: 'ill', schedule: '0 * * * *', timezone: 'UTC' },
      { name: 'well', schedule: '*/10 * * * *', timezone: 'UTC' },
    ],
    trouble: { ill: 'SERVICE_CONTRACT' },
  })
  await one.pass(4 * HOUR)
  expect(one.began.filter((text) => text.endsWith('well'))).toHaveLength(24)
  expect(one.began.filter((text) => text.endsWith('ill')).map((text) => text.slice(6, 14))).toEqual([
    '01:00:00',
    '01:00:05',
    '01:00:15',
    '01:00:35',
    '02:00:00',
    '03:00:00',
    '04:00:00',
  ])
})

it('does not ask again where the key is refused and says so once; SIGHUP lets it try', async () => {
  const refused = { code: 'SERVICE_KEY_REFUSED', reason: 'answered with 401' } as const
  const one = await daemonWith({ outcomes: [{ trouble: 'SERVICE_KEY_REFUSED' }], probes: [refused] })
  await one.pass(10 * HOUR)
  expect(one.began).toHaveLength(1)
  // Only whether it is this run's affair alone.
  expect(one.probedAt).toHaveLength(1)
  expect(one.lines.filter((line) => line.includes('API key refused'))).toHaveLength(1)
  one.daemon.reload()
  await one.pass(MINUTE)
  expect(one.began).toHaveLength(2)
  expect(one.ofType('missed')).toMatchObject([{ times: 10 }])
})

it('goes on where a run that a person asked for shows that the key is accepted again', async () => {
  const one = await daemonWith({
    outcomes: [{ trouble: 'SERVICE_KEY_REFUSED' }, { requests: 0 }, { requests: 3 }],
    probes: [{ code: 'SERVICE_KEY_REFUSED', reason: 'answered with 401' }],
  })
  await one.pass(2 * HOUR)
  const listener = { decided: { by: 'anna' }, report: () => undefined, left: () => undefined }
  const ask = async (): Promise<void> => {
    const asked = one.daemon.decisions.daemon.run({ kind: 'run', pipeline: 'shop' }, listener)
    await one.pass(MINUTE)
    await asked
  }
  // One that had nothing to ask of the service shows nothing.
  await ask()
  expect([one.ofType('resumed').length, one.began.length]).toEqual([0, 2])
  await ask()
  expect(one.ofType('resumed')).toHaveLength(1)
  await one.pass(HOUR)
  expect(one.began).toHaveLength(4)
})

it('makes no run that is asked for when it has ended, and leaves nobody waiting for it', async () => {
  const one = await daemonWith({ outcomes: [{}] })
  await one.end()
  const listener = { decided: { by: 'anna' }, report: () => undefined, left: () => undefined }
  const asked = one.daemon.decisions.daemon.run({ kind: 'run', pipeline: 'shop' }, listener)
  await expect(asked).rejects.toThrow('the daemon is ending; the run was not made')
  expect(one.began).toEqual([])
})

it('goes on with the others where the key lacks a right that only one pipeline needs', async () => {
  const one = await daemonWith({
    pipelines: [
      { name: 'ill', schedule: '0 * * * *', timezone: 'UTC' },
      { name: 'well', schedule: '0 * * * *', timezone: 'UTC' },
    ],
    trouble: { ill: 'SERVICE_KEY_REFUSED' },
  })
  await one.pass(3 * HOUR)
  expect(one.began.map((text) => text.slice(12))).toEqual([
    '00 ill',
    '00 well',
    '00 ill',
    '00 well',
    '00 ill',
    '00 well',
  ])
  expect(one.ofType('paused')).toEqual([])
})

it('runs what was cut off by its end again at the next start', async () => {
  const one = await startTestDaemon({ outcomes: [{ lasts: HOUR }] })
  await one.pass(HOUR + MINUTE)
  await one.end()
  const next = await daemonWith({ start: '2027-01-01T01:01:40Z', due: [...one.due.values()] })
  expect(next.began).toEqual(['01-01 01:01:40 shop'])
})

it('ends without waiting where it is paused', async () => {
  const one = await startTestDaemon({ outcomes: [{ trouble: 'SERVICE_UNREACHABLE' }] })
  await one.pass(HOUR + 1000)
  await one.end()
  expect(one.lines.at(-1)).toBe('daemon stopped')
})

it('lets a pipeline wait that another worker has paused, from the run on that finds it paused', async () => {
  const paused: PipelinePause[] = []
  const found: Outcome = { trouble: 'PAUSED' }
  const one = await daemonWith({ paused, outcomes: [found, found, found, {}] })
  paused.push({ pipeline: 'shop', since: one.clock.now(), by: 'anna', reason: undefined })
  await one.pass(3 * HOUR)
  expect(one.began).toEqual(['01-01 01:00:00 shop'])
})
