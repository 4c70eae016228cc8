// One rate limit for all workers. How well it is used, and that a service never counts more: `npm run bench:fleet -- --check`.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SharedWindow } from '../../../src/core/ports.ts'
import type { ServerPlace } from '../../../src/core/state-place.ts'
import { openGuestSlots } from '../../../src/store/postgres/guest-slots.ts'
import { readSlotUse } from '../../../src/store/postgres/slots.ts'
import { openToRead } from '../../../src/store/reading.ts'
import { openState, type OwnedState } from '../../../src/store/state-store.ts'
import { systemClock } from '../../../src/system.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

vi.setConfig({ testTimeout: 120_000 })

const SERVICE = 'https://a.example'
const LEASE_MS = 2000

describe.skipIf(POSTGRES === undefined)('the places of a rate limit at a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slots-'))
  let server: PostgresServer
  let place: ServerPlace
  let schemas = 0
  const states: OwnedState[] = []
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  beforeEach(async () => {
    for (const state of states.splice(0)) await state.close()
    schemas += 1
    place = { url: server.url, schema: `slots_${schemas}`, path: join(folder, `s${schemas}`) }
  })

  const time = { now: 0 }
  /** A worker of its own; its monotonic clock is the real one, set forward by `time`. */
  function open({ perMs = 1000, service = SERVICE, timeoutMs = 500 } = {}): SharedWindow {
    const state = openState(place, { pid: states.length, since: 0, thorough: false, leaseMs: LEASE_MS })
    states.push(state)
    if (state.slots === undefined) throw new Error('it has no places')
    const monotonic = () => systemClock.monotonic() + time.now
    return state.slots({ service, perMs, timeoutMs, recoveryMs: 2000, monotonic })
  }
  /** Takes as soon as one is free; how long that was. */
  async function took(window: SharedWindow, places: number): Promise<number> {
    const began = systemClock.monotonic()
    for (;;) {
      const waitMs = window.take(0, places)
      if (waitMs === 0) return systemClock.monotonic() - began
      await systemClock.sleep(waitMs)
    }
  }

  it('are shared by all workers, and free again one window after the answer', async () => {
    const [one, other] = [open(), open()]
    expect([one.take(0, 3), one.take(0, 3), other.take(0, 3)]).toEqual([0, 0, 0])
    expect(other.take(0, 3)).toBeGreaterThan(0)
    one.giveBack(0)
    one.giveBack(0)
    time.now += 100
    const waitMs = other.take(0, 3)
    expect(waitMs).toBeGreaterThan(800)
    expect(waitMs).toBeLessThan(1020)
    time.now += 2000
    expect(await took(other, 3)).toBeGreaterThan(700)
  })

  it('are not taken by two at once where there are fewer than before', async () => {
    const window = open()
    expect(window.take(0, 3)).toBe(0)
    const fence = states[0]?.fleet?.own() ?? 0
    const take = `SELECT take_slot('${SERVICE}', ${fence}, 'others', 2, '[]', 1000, 500, 'infinity', 2000) AS taken`
    const clients = [1, 2].map(() => new pg.Client({ connectionString: server.url }))
    const [first, second] = clients
    for (const client of clients) {
      await client.connect()
      await client.query(`SET search_path = ${place.schema}, pg_catalog; BEGIN`)
    }
    const waits = (answer: pg.QueryResult<{ taken: string }> | undefined) =>
      Number(answer?.rows[0]?.taken.split(' ')[0])
    expect(waits(await first?.query(take))).toBe(0)
    const answer = { isThere: false }
    const asked = second?.query<{ taken: string }>(take).finally(() => (answer.isThere = true))
    const isBlocked = async () =>
      (await server.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'")).length > 0
    while (!answer.isThere && !(await isBlocked())) await systemClock.sleep(10)
    await first?.query('COMMIT')
    expect(waits(await asked)).not.toBe(0)
    await second?.query('COMMIT')
    for (const client of clients) await client.end()
  })

  it('count from the answer, and not from when it was reported', () => {
    const one = open({ perMs: 60_000 })
    one.take(0, 2)
    one.take(0, 2)
    one.giveBack(0)
    time.now += 20_000
    const waitMs = one.take(0, 2)
    expect(waitMs).toBeGreaterThan(40_000 - 1000)
    expect(waitMs).toBeLessThan(41_000)
  })

  it('are free at once where nothing was sent, and of another service they are others', () => {
    const [one, other] = [open(), open({ service: 'https://b.example' })]
    expect([one.take(0, 1), other.take(0, 1)]).toEqual([0, 0])
    one.undo(0)
    expect(one.take(0, 1)).toBe(0)
    expect(one.take(0, 1)).not.toBe(0)
  })

  it('are fewer at once after the service has asked for fewer, with those under way counted', () => {
    const one = open()
    for (let taken = 0; taken < 4; taken += 1) expect(one.take(0, 6)).toBe(0)
    expect(one.take(0, 3)).not.toBe(0)
    expect(one.take(0, 5)).toBe(0)
    one.slowDown(1000, 3, 31_000)
    const db = openToRead(place)
    if (db === undefined) throw new Error('there is no state')
    const use = readSlotUse(db, { service: SERVICE, now: Date.now() })
    expect(use).toMatchObject({ used: 5, ofDay: 0, slowed: { places: 3 } })
    db.close()
  })

  it('are fewer for all workers when one of them is told to slow down, and more and more again after that', async () => {
    const [one, other] = [open(), open()]
    one.slowDown(1000, 2, 1300)
    const waitMs = other.take(0, 4)
    expect(waitMs).toBeGreaterThan(200)
    expect(waitMs).toBeLessThanOrEqual(300)
    await took(other, 4)
    expect(other.take(0, 4)).toBe(0)
    expect(one.take(0, 4)).toBeGreaterThan(0)
    await vi.waitFor(() => expect(one.take(0, 4)).toBe(0), 5000)
    await vi.waitFor(() => expect(one.take(0, 4)).toBe(0), 5000)
    expect(one.take(0, 4)).toBeGreaterThan(0)
  })

  it('are held for all workers when one of them is asked to pause, and all of them are in use after that', async () => {
    const [one, other] = [open(), open()]
    one.hold(0, 300)
    one.hold(0, 100)
    const waitMs = other.take(0, 3)
    expect(waitMs).toBeGreaterThan(200)
    expect(waitMs).toBeLessThanOrEqual(300)
    await took(other, 3)
    expect([other.take(0, 3), one.take(0, 3)]).toEqual([0, 0])
    expect(one.take(0, 3)).not.toBe(0)
  })

  it('tell how long they are held, by what another worker was asked', () => {
    const [one, other] = [open(), open()]
    expect(other.pausedMs(0)).toBe(0)
    one.hold(0, 60_000)
    expect(other.pausedMs(0)).toBeGreaterThan(50_000)
    expect(other.pausedMs(0)).toBeLessThanOrEqual(60_000)
  })

  it('are held for all workers when a command that is no worker is asked to pause', async () => {
    const worker = open()
    const options = { service: SERVICE, perMs: 1000, timeoutMs: 500, recoveryMs: 2000 }
    const { monotonic } = systemClock
    const guest = openGuestSlots(place, { pid: 9, since: 0 }, { ...options, monotonic })
    // It has sent nothing, so nobody has asked it.
    guest.hold(0, 60_000)
    expect(worker.take(0, 3)).toBe(0)
    expect(guest.take(0, 3)).toBe(0)
    guest.hold(0, 300)
    const waitMs = worker.take(0, 3)
    expect(waitMs).toBeGreaterThan(200)
    expect(waitMs).toBeLessThanOrEqual(300)
    guest.close(0)
    await took(worker, 3)
  })

  it('are still fewer after a pause that another worker was asked for', async () => {
    const [one, other] = [open(), open()]
    one.slowDown(1000, 1, 1000)
    other.hold(0, 100)
    await took(one, 40)
    expect(one.take(0, 40)).not.toBe(0)
  })

  it('are taken when a pause cannot be told to the others', async () => {
    const one = open()
    await server.query(`ALTER TABLE ${place.schema}.slot_slowed RENAME COLUMN places TO lost`)
    expect(() => one.hold(0, 100)).not.toThrow()
  })

  it('count the requests of a day over all workers', () => {
    const [one, other] = [open(), open()]
    expect([one.takeOfDay(0, 3), other.takeOfDay(0, 3), one.takeOfDay(0, 3), other.takeOfDay(0, 3)]).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  it('are held for a window when the clock of the server was set forward or back', async () => {
    const one = open()
    one.take(0, 1)
    one.giveBack(0)
    one.take(0, 1)
    // As if the clock had gone ten seconds further than that of this process.
    await server.query(`UPDATE ${place.schema}.slot SET free_at = clock_timestamp() + interval '1 hour'`)
    // What the server said last holds no more.
    time.now += 1500
    const waitMs = one.take(0, 1)
    expect(waitMs).toBeGreaterThan(1000)
    expect(waitMs).toBeLessThan(1100)
  })

  it('are held for a window, too, by a worker that has taken none before the clock was set', () => {
    const one = open()
    // As if the clock of the server had gone three seconds further than that of this process.
    time.now -= 3000
    const waitMs = one.take(0, 1)
    time.now += 3000
    expect(waitMs).toBeGreaterThan(900)
    expect(waitMs).toBeLessThan(1100)
  })

  it('of a worker that was removed are free a time limit and a window after that was noticed, and it takes none', async () => {
    const [gone, left] = [open(), open()]
    expect(gone.take(0, 1)).toBe(0)
    await server.query(`DELETE FROM ${place.schema}.worker WHERE pid = 0`)
    const waitMs = left.take(0, 1)
    expect(waitMs).toBeGreaterThan(1300)
    expect(waitMs).toBeLessThan(1600)
    expect(() => gone.take(0, 1)).toThrow('was taken over by another process')
  })

  it('go to a restriction of any worker before the others of all', async () => {
    const [one, other] = [open(), open()]
    expect(one.take(0, 1)).toBe(0)
    one.giveBack(0)
    const waitMs = other.take(0, 1, 'restrictions')
    expect(waitMs).toBeGreaterThan(800)
    // Of the same worker and of another one: a place is free, and kept for what has asked for it.
    time.now += waitMs + 5
    await systemClock.sleep(waitMs + 5)
    expect([one.take(0, 1) > 0, other.take(0, 1) > 0]).toEqual([true, true])
    expect(other.take(0, 1, 'restrictions')).toBe(0)
    other.undo(0)
    expect(await took(one, 1)).toBeLessThan(500)
  })

  it('are not kept for a restriction that is not asked for again', async () => {
    const [one, other] = [open({ perMs: 100 }), open({ perMs: 100 })]
    expect(one.take(0, 1)).toBe(0)
    expect(other.take(0, 1, 'restrictions')).toBeGreaterThan(0)
    one.giveBack(0)
    const lastedMs = await took(one, 1)
    expect(lastedMs).toBeGreaterThan(500)
    expect(lastedMs).toBeLessThan(3000)
  })

  it('are not kept for a restriction that was noted before the clock of the server was set back', async () => {
    const [one, other] = [open({ perMs: 100 }), open({ perMs: 100 })]
    expect(one.take(0, 1)).toBe(0)
    expect(other.take(0, 1, 'restrictions')).toBeGreaterThan(0)
    one.undo(0)
    await server.query(`UPDATE ${place.schema}.slot_first SET until = clock_timestamp() + interval '1 hour'`)
    expect(await took(one, 1)).toBeLessThan(500)
  })

  it('cannot be taken where the server cannot be reached: nothing is sent uncounted', async () => {
    const one = open()
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    expect(() => one.take(0, 1)).toThrow('cannot be reached')
  })
})
