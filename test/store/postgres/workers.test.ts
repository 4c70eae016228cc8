// Several processes work with one state at a server: each has its pipelines, and one that has gone writes nothing more.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type FleetStanding, GUEST } from '../../../src/core/fleet.ts'
import { AUDIT_START } from '../../../src/core/log/audit-chain.ts'
import { planEntry } from '../../../src/core/log/other-entries.ts'
import { SyncError } from '../../../src/core/words/errors.ts'
import { readMark } from '../../../src/store/file/mark.ts'
import { fleetStanding } from '../../../src/store/info.ts'
import { openState, type OwnedState } from '../../../src/store/state-store.ts'
import { systemClock } from '../../../src/system.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const LEASE_MS = 1000

describe.skipIf(POSTGRES === undefined)('workers with a state at a server', () => {
  let server: PostgresServer
  let schema: string
  let schemas = 0
  const folder = mkdtempSync(join(tmpdir(), 'workers-'))
  const placeOf = (url: string, name: string) => ({ url, schema: name, path: join(folder, name) })
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    schemas += 1
    schema = `workers_${schemas}`
  })

  const open = (pid: number, more: { alone?: boolean; former?: number; leaseMs?: number } = {}) =>
    openState(placeOf(server.url, schema), { pid, since: 0, thorough: false, leaseMs: LEASE_MS, ...more })

  function fleetOf(state: OwnedState) {
    if (state.fleet === undefined) throw new Error('it has no fleet')
    return state.fleet
  }

  function refusal(work: () => unknown): SyncError {
    try {
      work()
    } catch (error) {
      if (error instanceof SyncError) return error
      throw error
    }
    throw new Error('it was not refused')
  }

  async function startWorker(pipelines: readonly string[]): Promise<ChildProcess> {
    const place = JSON.stringify(placeOf(server.url, schema))
    const worker = fork(new URL('./worker.ts', import.meta.url), [
      place,
      String(LEASE_MS),
      JSON.stringify(pipelines),
    ])
    await once(worker, 'message')
    return worker
  }

  async function untilTaken(state: OwnedState, pipeline: string): Promise<FleetStanding> {
    for (;;) {
      const standing = await fleetOf(state).meet(GUEST)
      const taken = await fleetOf(state).take([pipeline], 1)
      if (taken.length > 0) return standing
      await systemClock.sleep(20)
    }
  }

  const begin = (state: OwnedState, id: string) =>
    state.beginRun({ id, pipeline: 'shop', startedAt: 1, configHash: 'c' })

  it('have each pipeline once, and see each other with what they have', async () => {
    const [first, second] = [open(1), open(2)]
    expect(await fleetOf(first).take(['a', 'b'], 5)).toEqual(['a', 'b'])
    expect(await fleetOf(second).take(['b', 'c'], 6)).toEqual(['c'])
    const report = { ...GUEST, labels: ['berlin'], doing: ['c'] }
    const { workers, leases } = await fleetOf(second).meet(report)
    expect(workers.map(({ pid, machine, labels }) => [pid, machine, labels])).toEqual([
      [1, hostname(), []],
      [2, hostname(), ['berlin']],
    ])
    const [one, other] = workers.map(({ fence }) => fence)
    expect(leases).toEqual([
      { pipeline: 'a', fence: one, since: 5 },
      { pipeline: 'b', fence: one, since: 5 },
      { pipeline: 'c', fence: other, since: 6 },
    ])
    await fleetOf(first).giveUp(['b', 'c'])
    expect(await fleetOf(second).take(['b', 'c'], 7)).toEqual(['b'])
    await first.close()
    expect(fleetStanding(placeOf(server.url, schema)).leases.map(({ pipeline }) => pipeline)).toEqual([
      'b',
      'c',
    ])
    await second.close()
    expect(fleetStanding(placeOf(server.url, schema))).toEqual({ workers: [], leases: [] })
  })

  it('know their number once the state has failed, too', async () => {
    const state = open(1)
    const fleet = fleetOf(state)
    const own = fleet.own()
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    await expect(fleet.standing()).rejects.toThrow('cannot be reached')
    expect(fleet.own()).toBe(own)
    await state.close()
  })

  it('take over in time from one that is gone although the clock of the server was set back', async () => {
    const gone = await startWorker(['a'])
    gone.kill('SIGKILL')
    await once(gone, 'exit')
    const left = open(1)
    // As if the lease had been renewed before the clock went back an hour.
    await server.query(`UPDATE ${schema}.worker SET until = until + interval '1 hour' WHERE pid <> 1`)
    const began = systemClock.monotonic()
    await untilTaken(left, 'a')
    expect(systemClock.monotonic() - began).toBeLessThan(10 * LEASE_MS)
    await left.close()
  })

  it('write one after the other: entries of both make one chain', async () => {
    const [first, second] = [open(1), open(2)]
    const about = { at: 0, runId: 'r', pipeline: 'shop', configHash: '' }
    const note = (state: OwnedState) =>
      state.note(planEntry({ action: 'reload', reason: 'by a word' }, about))
    for (let turn = 0; turn < 20; turn += 1) await Promise.all([note(first), note(second)])
    expect(await first.checkLog({ seq: 0, hash: AUDIT_START }, 100)).toMatchObject({
      done: true,
      to: { seq: 40 },
    })
    expect(await second.logHead()).toMatchObject({ entries: 40 })
    await first.close()
    await second.close()
  })

  it('of one machine keep one mark, which is never older than the state', async () => {
    const place = { ...placeOf(server.url, schema), path: join(folder, `mark-${schema}`) }
    const script = new URL('./runs-worker.ts', import.meta.url)
    const both = [1, 2].map(() => fork(script, [JSON.stringify(place), '60']))
    await Promise.all(both.map(async (one) => once(one, 'message')))
    for (const one of both) one.send('begin')
    expect(await Promise.all(both.map(async (one) => once(one, 'exit')))).toEqual([
      [0, null],
      [0, null],
    ])
    expect(readMark(place.path)).toMatchObject({ runs: 120 })
  })

  it('let one that has to be alone in only when there is no other, and none in beside it', async () => {
    const first = open(1)
    const error = refusal(() => open(2, { alone: true }))
    expect(error.code).toBe('STATE_LOCKED')
    expect(error.message).toBe(
      `another process holds the state ${schema} at localhost (process 1 on ${hostname()}, since 1970-01-01T00:00:00.000Z)`,
    )
    await first.close()
    const alone = open(2, { alone: true })
    expect(refusal(() => open(3)).code).toBe('STATE_LOCKED')
    await alone.close()
    await open(3).close()
  })

  it('keep their lease while they stand still for longer than it lasts', async () => {
    const [first, second] = [open(1), open(2)]
    await fleetOf(first).take(['shop'], 1)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3 * LEASE_MS)
    expect((await fleetOf(second).meet(GUEST)).workers).toHaveLength(2)
    await begin(first, 'r1')
    await first.close()
    await second.close()
  })

  it('take over from one that was killed when its lease has ended, and not before', async () => {
    const worker = await startWorker(['shop'])
    const next = open(2)
    expect(await fleetOf(next).take(['shop'], 1)).toEqual([])
    worker.kill('SIGKILL')
    const killedAt = systemClock.monotonic()
    expect((await untilTaken(next, 'shop')).workers.map(({ pid }) => pid)).toEqual([2])
    const tookMs = systemClock.monotonic() - killedAt
    expect(tookMs).toBeGreaterThan(LEASE_MS / 2)
    await next.close()
  })

  it('are not waited for by one that asks, once the lease of the one that was asked has ended', async () => {
    const worker = await startWorker(['shop'])
    const state = open(2)
    const fleet = fleetOf(state)
    const asked = (await fleet.standing()).workers.find(({ fence }) => fence !== fleet.own())
    const ask = (await fleet.ask(asked?.fence ?? 0, 'run')) ?? 0
    expect(await fleet.answersTo(ask, 0)).toEqual({ isOpen: true, lines: [] })
    worker.kill('SIGKILL')
    await once(worker, 'exit')
    await systemClock.sleep(LEASE_MS + 100)
    expect(await fleet.answersTo(ask, 0)).toEqual({ isOpen: false, lines: [] })
    await state.close()
  })

  it('join again at once where they lost their connection', async () => {
    const former = open(1)
    await fleetOf(former).take(['shop'], 1)
    const again = open(1, { former: fleetOf(former).own() })
    expect(await fleetOf(again).take(['shop'], 2)).toEqual(['shop'])
    await expect(begin(former, 'r1')).rejects.toMatchObject({ code: 'STATE_LOCKED' })
    await former.close()
    await again.close()
  })

  it('take over from one that is stopped, which then writes nothing more', async () => {
    // It is not renewed meanwhile.
    const [first, second] = [open(1, { leaseMs: 600_000 }), open(2)]
    await begin(first, 'r1')
    await server.query(`UPDATE ${schema}.worker SET until = '-infinity' WHERE pid = 1`)
    expect((await fleetOf(second).meet(GUEST)).workers.map(({ pid }) => pid)).toEqual([2])
    for (const id of ['r2', 'r3'])
      await expect(begin(first, id)).rejects.toMatchObject({
        code: 'STATE_LOCKED',
        message: expect.stringContaining('was taken over by another process') as string,
      })
    expect(await server.query(`SELECT id FROM ${schema}.run`)).toEqual([{ id: 'r1' }])
    await first.close()
    await second.close()
  })

  it('reports a server that has gone as STATE_IO, without the password', () => {
    const error = refusal(() =>
      openState(placeOf('postgres://ann:secret@127.0.0.1:1/db', 'contact_sync'), {
        pid: 1,
        since: 0,
        thorough: false,
      }),
    )
    expect(error.code).toBe('STATE_IO')
    expect(error.message).toMatch(/^the state contact_sync at 127\.0\.0\.1:1 cannot be reached/)
    expect(`${error.message}${String(error.stack)}`).not.toContain('secret')
  })

  it('reports a database that is not there as STATE_UNUSABLE, with what to check', () => {
    const error = refusal(() =>
      openState(placeOf(server.url.replace('/postgres?', '/nowhere?'), 'contact_sync'), {
        pid: 1,
        since: 0,
        thorough: false,
      }),
    )
    expect(error).toMatchObject({
      code: 'STATE_UNUSABLE',
      hint: expect.stringContaining('state.url') as string,
    })
  })
})
