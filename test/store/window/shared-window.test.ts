// One rate limit for all processes that ask a service: by its file, with clocks that cost no time.
import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SharedWindow } from '../../../src/core/ports.ts'
import { createRateLimiter } from '../../../src/service/rate-limiter.ts'
import { createSharedWindow, type WindowOptions } from '../../../src/store/window/shared-window.ts'
import { openState } from '../../../src/store/state-store.ts'
import { steadyTime } from '../../../src/store/window/steady-time.ts'
import { readWindowUse } from '../../../src/store/window/window-use.ts'
import { createFakeClock } from '../../service/fake-clock.ts'

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
type Others = Partial<WindowOptions> & { readonly state?: string }
const open = (perMs = 1000, { state = path(), ...options }: Others = {}): SharedWindow =>
  createSharedWindow(state, {
    service: 'https://a.example',
    perMs,
    timeoutMs: 30_000,
    onAlone: (code) => alone.push(code),
    ...options,
  })

it.runIf(process.getuid?.() === 0)('belongs to the owner of the folder where root makes it', () => {
  chownSync(folder, 65_534, 65_534)
  expect(open().take(T, 1)).toBe(0)
  expect(statSync(path('state.db.window'))).toMatchObject({ uid: 65_534 })
})

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
        const settings = { requests, per: 1000, concurrency: 4, per_day: undefined }
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

it('places are never more than allowed over the end of a process, whenever the next one begins', async () => {
  const settings = { requests: 5, per: 1000, concurrency: 4, per_day: undefined }
  let round = 0
  await fc.assert(
    fc.asyncProperty(
      fc.nat(1500),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (pauseMs, count, isKilled) => {
        const clock = createFakeClock()
        const state = path(`state-${(round += 1)}.db`)
        const counted: number[] = []
        const serve = async (shared: SharedWindow, calls: number): Promise<void> => {
          const limiter = createRateLimiter(settings, { clock, shared })
          const task = async (): Promise<void> => {
            counted.push(clock.monotonic() + 2)
            await clock.sleep(5)
          }
          const all = Array.from({ length: calls }, () => limiter.run(task, never))
          await clock.runAll()
          await Promise.all(all)
        }
        const first = open(1000, { state })
        await serve(first, count)
        if (!isKilled) first.close(clock.now())
        await Promise.all([clock.sleep(pauseMs), clock.runAll()])
        await serve(open(1000, { state }), 12)
        for (const [at, time] of counted.entries())
          expect(time - (counted[at - 5] ?? -Infinity)).toBeGreaterThan(1000)
      },
    ),
    { numRuns: 20 },
  )
  expect(alone).toEqual([])
}, 30_000)

/** A clock that is set, and the time that passes meanwhile. */
function jumpyTime() {
  let up = 5000
  let ahead = T
  return {
    steady: { id: 'boot', offset: () => ahead },
    now: () => up + ahead,
    pass: (ms: number) => void (up += ms),
    jump: (ms: number) => void (ahead += ms),
  }
}

describe('a clock that is set', () => {
  it.each([
    ['ahead by a year', 31_536_000_000],
    ['ahead by half a second', 500],
    ['back by half a second', -500],
    ['back by a year', -31_536_000_000],
  ])('%s frees no place early, and none late', (_, by) => {
    const { steady, now, pass, jump } = jumpyTime()
    const [one, other] = [open(1000, { steady }), open(1000, { steady })]
    expect([one.take(now(), 2), one.take(now(), 2), other.take(now(), 2)]).toEqual([0, 0, expect.any(Number)])
    one.giveBack(now())
    one.giveBack(now())
    pass(400)
    jump(by)
    const waitMs = other.take(now(), 2)
    expect(waitMs).toBeGreaterThan(590)
    expect(waitMs).toBeLessThan(620)
    pass(waitMs)
    // The others have seen the same jump: it counts once.
    expect([one.take(now(), 2), other.take(now(), 2), one.take(now(), 2) > 0]).toEqual([0, 0, true])
  })

  it('moves what a process has not written yet along', () => {
    const { steady, now, pass, jump } = jumpyTime()
    const one = open(1000, { steady })
    one.take(now(), 2)
    one.take(now(), 2)
    // Kept back, because another is under way.
    one.giveBack(now())
    jump(3_600_000)
    pass(10)
    expect(one.take(now(), 2)).toBeGreaterThan(900)
  })

  it.each([
    ['ahead by two days', 48],
    ['ahead by less than an hour', 0.3],
    ['back by two days', -48],
  ])('%s frees nothing of the day', (_, hours) => {
    const { steady, now, pass, jump } = jumpyTime()
    const one = open(1000, { steady })
    expect([one.takeOfDay(now(), 2), one.takeOfDay(now(), 2)]).toEqual([true, true])
    jump(hours * 3_600_000)
    expect(open(1000, { steady }).takeOfDay(now(), 2)).toBe(false)
    pass(23 * 3_600_000)
    expect(one.takeOfDay(now(), 2)).toBe(false)
    pass(3 * 3_600_000)
    expect(one.takeOfDay(now(), 2)).toBe(true)
  })

  it('is told by the time since the system was started', () => {
    const [one, other] = [steadyTime(Date.now), steadyTime(Date.now)]
    expect(one?.id).toBe(other?.id)
    expect(Math.abs((one?.offset() ?? 0) - (other?.offset() ?? 1000))).toBeLessThan(100)
  })
})

it('what an older version kept in the state is carried over, once', async () => {
  const hour = Math.floor(T / 3_600_000)
  await openState(path(), { pid: 1, since: 0, thorough: false }).close()
  const db = new Database(path())
  db.prepare("INSERT INTO meta VALUES ('rate_window', ?)").run(JSON.stringify([T + 700.5, T + 800]))
  db.prepare('INSERT INTO daily_request VALUES (?, 3)').run(hour)
  db.close()
  const state = openState(path(), { pid: 1, since: 0, thorough: false })
  const former = state.formerWindow
  const window = open(1000, { former })
  const waitMs = window.take(T, 2)
  expect(waitMs).toBeGreaterThanOrEqual(700.5)
  expect(waitMs).toBeLessThan(710)
  expect([window.takeOfDay(T, 4), window.takeOfDay(T, 4)]).toEqual([true, false])
  expect(former.read()).toBeUndefined()
  expect(open(1000, { former }).take(T + 900, 2)).toBe(0)
  await state.close()
})

it('the allowance of a day is one for all, and comes back by the hour', () => {
  const [one, other] = [open(), open()]
  expect([one.takeOfDay(T, 2), other.takeOfDay(T, 2), one.takeOfDay(T, 2)]).toEqual([true, true, false])
  expect(other.takeOfDay(T + 24 * 3_600_000, 2)).toBe(false)
  expect(other.takeOfDay(T + 25 * 3_600_000, 2)).toBe(true)
})

describe('what the service has asked for', () => {
  it('holds for all who ask, and for those who come later', () => {
    const one = open()
    one.slowDown(T, 2, T + 5000)
    one.close(T)
    const [next, other] = [open(), open()]
    expect([next.take(T + 1000, 9), other.pausedMs(T + 1000)]).toEqual([4000, 4000])
    expect([next.pausedMs(T + 5000), next.take(T + 5000, 9), other.take(T + 5000, 9)]).toEqual([0, 0, 0])
    expect(other.take(T + 5000, 9)).toBeGreaterThan(0)
    expect(other.take(T + 65_000, 3)).toBe(0)
  })

  it('a pause leaves all places, and ends neither a longer one nor a lower rate', () => {
    const window = open()
    window.hold(T, 5000)
    window.hold(T, 1000)
    expect(window.take(T, 2)).toBe(5000)
    expect([window.take(T + 5000, 2), window.take(T + 5000, 2)]).toEqual([0, 0])
    window.slowDown(T + 10_000, 2, T + 20_000)
    window.hold(T + 11_000, 1000)
    expect(window.pausedMs(T + 12_000)).toBe(8000)
    expect(window.take(T + 20_000, 3)).toBeGreaterThan(0)
    expect(window.take(T + 80_000, 3)).toBe(0)
  })

  it('does not last because the clock was put back', () => {
    const window = open()
    window.slowDown(T, 1, T + 5000)
    expect([window.take(T - 3_600_000, 2), window.take(T - 3_600_000, 2)]).toEqual([0, 0])
  })
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
    const settings = { requests: 8, per: 1000, concurrency: 4, per_day: undefined }
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
    expect([1, 2, 3].map(() => window.takeOfDay(T, 2))).toEqual([true, true, false])
    expect(window.takeOfDay(T + 25 * 3_600_000, 2)).toBe(true)
    window.giveBack(T)
    window.close(T)
    expect(alone).toHaveLength(1)
    expect(readdirSync(folder).filter((name) => name === 'elsewhere')).toEqual([])
  })
})
