// One rate limit for all processes that ask a service: by its file, with clocks that cost no time.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SharedWindow } from '../../src/core/ports.ts'
import { createRateLimiter } from '../../src/service/rate-limiter.ts'
import { createSharedWindow } from '../../src/store/shared-window.ts'
import { readWindowUse } from '../../src/store/window-use.ts'
import { createFakeClock } from '../service/fake-clock.ts'

const T = Date.UTC(2026, 5, 1)
const never = new AbortController().signal

let folder = ''
let alone: string[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shared-window-'))
  alone = []
})
afterEach(async () => rm(folder, { recursive: true }))

const path = (name = 'state.db'): string => join(folder, name)
const open = (perMs = 1000, { state = path(), service = 'https://a.example' } = {}): SharedWindow =>
  createSharedWindow(state, { service, perMs, timeoutMs: 30_000, onAlone: (code) => alone.push(code) })

describe('places', () => {
  it('are shared by all who ask, under way or cooling, and free again one window after the answer', () => {
    const [one, other] = [open(), open()]
    expect([one.take(T, 3), one.take(T, 3), other.take(T, 3)]).toEqual([0, 0, 0])
    expect(other.take(T, 3)).toBeGreaterThan(0)
    one.giveBack(T + 100)
    one.giveBack(T + 200)
    const waitMs = other.take(T + 300, 3)
    expect(waitMs).toBeGreaterThan(800)
    expect(waitMs).toBeLessThan(815)
    expect(other.take(T + 300 + waitMs, 3)).toBe(0)
    expect(alone).toEqual([])
  })

  it('go on being counted after the process that took them, and of another service they are others', () => {
    const one = open()
    one.take(T, 1)
    one.giveBack(T)
    one.close(T)
    expect(open(1000, { service: 'https://b.example' }).take(T + 1, 1)).toBe(0)
    expect(open().take(T + 1, 1)).toBeGreaterThan(900)
  })

  it('of a request that was not sent are free at once', () => {
    const [one, other] = [open(), open()]
    one.take(T, 1)
    one.undo(T)
    expect(other.take(T, 1)).toBe(0)
  })

  it('of a process that was killed are free one window after that is noticed', () => {
    const one = open()
    one.take(T, 1)
    const dead = String(spawnSync(process.execPath, ['-e', '']).pid)
    const db = new Database(`${path()}.window`)
    db.prepare('UPDATE asker SET pid = ?').run(dead)
    db.close()
    const other = open()
    expect(other.take(T, 1)).toBeGreaterThan(0)
    expect(other.take(T + 999, 1)).toBeGreaterThan(0)
    expect(other.take(T + 1100, 1)).toBe(0)
  })

  it('of a process that cannot be seen are free when no request lasts so long', () => {
    open().take(T, 1)
    const db = new Database(`${path()}.window`)
    db.prepare("UPDATE asker SET space = 'pid:[elsewhere]'").run()
    db.close()
    const other = open()
    expect(other.take(T + 30_000, 1)).toBeGreaterThan(0)
    expect(other.take(T + 32_000, 1)).toBeGreaterThan(0)
    expect(other.take(T + 33_100, 1)).toBe(0)
  })

  it('are waited for no longer than a window where the clock was put back, and not freed early', () => {
    const one = open()
    one.take(T, 1)
    one.giveBack(T)
    const back = T - 3_600_000
    const waitMs = open().take(back, 1)
    expect(waitMs).toBeGreaterThan(990)
    expect(waitMs).toBeLessThan(1020)
    expect(open().take(back + waitMs, 1)).toBe(0)
  })

  it('are never more than allowed in any window of the service, over several processes', async () => {
    const traffic = fc.array(fc.tuple(fc.nat(2), fc.nat(400)), { minLength: 1, maxLength: 40 })
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), traffic, async (requests, calls) => {
        const clock = createFakeClock()
        const settings = { requests, perMs: 1000, concurrency: 4, perDay: undefined }
        const state = path(`state-${(round += 1)}.db`)
        const limiters = Array.from({ length: 3 }, () =>
          createRateLimiter(settings, { clock, shared: open(1000, { state }) }),
        )
        const counted: number[] = []
        const all = calls.map(([who, lastsMs]) =>
          limiters[who]!.run(async () => {
            counted.push(clock.monotonic() + lastsMs)
            await clock.sleep(lastsMs)
          }, never),
        )
        await clock.runAll()
        await Promise.all(all)
        counted.sort((a, b) => a - b)
        for (const [at, time] of counted.entries())
          expect(time - (counted[at - requests] ?? -Infinity)).toBeGreaterThan(1000)
        expect(counted).toHaveLength(calls.length)
      }),
      { numRuns: 12 },
    )
    expect(alone).toEqual([])
  }, 30_000)
})

it('the allowance of a day is one for all, and comes back by the hour', () => {
  const [one, other] = [open(), open()]
  expect([one.takeOfDay(T, 2), other.takeOfDay(T, 2), one.takeOfDay(T, 2)]).toEqual([true, true, false])
  expect(other.takeOfDay(T + 24 * 3_600_000, 2)).toBe(false)
  expect(other.takeOfDay(T + 25 * 3_600_000, 2)).toBe(true)
})

describe('whoever looks', () => {
  const look = (now: number, service = 'https://a.example') =>
    readWindowUse(path(), { service, now, timeoutMs: 30_000 })

  it('sees nothing before anybody has asked, and makes no file', () => {
    expect(look(T)).toBeUndefined()
    expect(readdirSync(folder)).toEqual([])
  })

  it('sees what all have taken of the window and of the day, for one service', () => {
    const [one, other] = [open(), open()]
    one.take(T, 9)
    one.takeOfDay(T, 100)
    other.take(T, 9)
    other.giveBack(T)
    expect(look(T + 1)).toEqual({ used: 2, ofDay: 1, slowed: undefined })
    expect(look(T + 1100)).toMatchObject({ used: 1 })
    expect(look(T + 31_000)).toMatchObject({ used: 0 })
    expect(look(T + 1, 'https://b.example')).toEqual({ used: 0, ofDay: 0, slowed: undefined })
  })

  it('sees that the limiter was slowed down, and not what a clock that was put back says of tomorrow', async () => {
    const clock = createFakeClock(T)
    const settings = { requests: 8, perMs: 1000, concurrency: 4, perDay: undefined }
    const limiter = createRateLimiter(settings, { clock, shared: open() })
    await limiter.run(() => Promise.resolve(), never)
    limiter.slowDown(2_000, clock.monotonic())
    expect(look(clock.now())?.slowed).toEqual({
      places: limiter.use().allowed,
      resumeAt: clock.now() + 2_000,
    })
    expect(look(clock.now() - 1)?.slowed).toBeUndefined()
  })
})

describe('the file', () => {
  it("is made with the first place and is its owner's alone", () => {
    const window = open(1000, { state: path('new/state.db') })
    window.close(T)
    expect(readdirSync(folder)).toEqual([])
    window.take(T, 1)
    expect(statSync(path('new/state.db.window')).mode & 0o777).toBe(0o600)
  })

  it('is one for all links to the state', () => {
    writeFileSync(path(), '')
    symlinkSync(path(), path('alias.db'))
    open().take(T, 1)
    expect(open(1000, { state: path('alias.db') }).take(T, 1)).toBeGreaterThan(0)
  })

  it.each([
    ['is a folder', () => mkdirSync(`${path()}.window`)],
    ['is no database', () => writeFileSync(`${path()}.window`, 'x'.repeat(5000))],
    ['is a link', () => symlinkSync(path('elsewhere'), `${path()}.window`)],
  ])('that %s leaves each process to count for itself, and that is told once', (_, spoil) => {
    spoil()
    const window = open()
    expect([window.take(T, 1), window.take(T, 1)]).toEqual([0, 0])
    expect(window.takeOfDay(T, 0)).toBe(true)
    window.giveBack(T)
    window.close(T)
    expect(alone).toHaveLength(1)
    expect(readdirSync(folder).filter((name) => name === 'elsewhere')).toEqual([])
  })
})
