// The places of the rate limit and the requests of a day, shared by every process that asks one service: a small database
// beside the state, which every user who sends requests may write. It is created with the first request.
// Where it cannot be used, each process counts for itself, as if it were alone, and its count ends with it.
import { closeSync, constants, mkdirSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { SharedWindow } from '../../core/ports.ts'
import { type Connection, connect, type FileConnection } from '../file/connection.ts'
import { giveToOwner } from '../file/durable.ts'
import type { FormerWindow } from './former-window.ts'
import { createDay, createOwnDay, durably, type TakeOfDay } from './day.ts'
import { ALL_PLACES, createSlowed } from './slowed.ts'
import { CLOCK_TABLE, createFollowClock, jumpOf, type Offset, type SteadyTime } from './steady-time.ts'
import { DAY_MS } from '../../core/words/duration.ts'

export interface WindowOptions {
  /** Whose requests are counted together. */
  readonly service: string
  readonly perMs: number
  /** No request lasts longer. */
  readonly timeoutMs: number
  /** What tells a jump of the wall clock; without it a jump ahead frees places early, once. */
  readonly steady?: SteadyTime | undefined
  /** What the state's owner has from an older version. */
  readonly former?: FormerWindow | undefined
  /** Told once, where it cannot be shared. */
  onAlone(reason: string): void
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS asker (
    id INTEGER PRIMARY KEY, service TEXT NOT NULL, space TEXT NOT NULL, pid TEXT NOT NULL, started TEXT NOT NULL,
    busy INTEGER NOT NULL, seen_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS cooling (
    service TEXT NOT NULL, free_at INTEGER NOT NULL, places INTEGER NOT NULL, PRIMARY KEY (service, free_at)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS hour (
    service TEXT NOT NULL, hour INTEGER NOT NULL, requests INTEGER NOT NULL, PRIMARY KEY (service, hour)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS slowed (
    service TEXT PRIMARY KEY, at INTEGER NOT NULL, places INTEGER NOT NULL, resume_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`
/** Where others have all places in flight, it is unknown when one becomes free. */
const POLL_MS = 50
/** So many answered requests are written together while others are under way. */
const TOGETHER = 16
/** Times are kept in steps of this share of a window, rounded up: the table stays small at any rate. */
const STEPS = 500

interface Process {
  /** Within which processes can see each other. */
  readonly space: string
  readonly pid: string
  readonly started: string
}

/** The process by its number and the time of its start, as Linux shows it; undefined where there is none, or no such system. */
function processAt(pid: string): Process | undefined {
  try {
    // The name in parentheses may hold anything, blanks and parentheses included.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const started = text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    return { space: readlinkSync('/proc/self/ns/pid'), pid: text.split(' ', 1)[0] ?? '', started }
  } catch {
    return undefined
  }
}

/** Beside what the path resolves to: a link to the state must not have a separate window. */
function windowPath(statePath: string): string {
  try {
    return `${realpathSync(statePath)}.window`
  } catch {
    mkdirSync(dirname(statePath), { recursive: true })
    return join(realpathSync(dirname(statePath)), `${basename(statePath)}.window`)
  }
}

function openWindow(statePath: string): FileConnection {
  const path = windowPath(statePath)
  // Readable by its owner only from the first moment on; and never through a link that another user has made.
  const handle = openSync(path, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600)
  try {
    giveToOwner(handle, path)
  } finally {
    closeSync(handle)
  }
  const db = connect(path)
  db.pragma('busy_timeout = 5000')
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.exec(SCHEMA + CLOCK_TABLE)
  return db
}

interface Asker extends Process {
  readonly id: number
  readonly busy: number
  readonly seen_at: number
}

/** Places of answered requests, by the time at which each is free. */
function createCooling(db: Connection, { service, perMs }: WindowOptions) {
  const windowMs = perMs * 1.001 + 2
  const slackMs = Math.min(perMs, 1000)
  const step = Math.max(1, Math.floor(perMs / STEPS))
  const coolAt = (at: number): number => Math.ceil((at + windowMs) / step) * step
  const add = db.prepare(
    'INSERT INTO cooling VALUES (?, ?, ?) ON CONFLICT (service, free_at) DO UPDATE SET places = cooling.places + excluded.places',
  )
  const drop = db.prepare('DELETE FROM cooling WHERE service = ? AND free_at <= ?')
  const late = db
    .prepare<[string, number], number | null>(
      'SELECT sum(places) FROM cooling WHERE service = ? AND free_at > ?',
    )
    .pluck()
  const dropLate = db.prepare('DELETE FROM cooling WHERE service = ? AND free_at > ?')
  const byTime = db.prepare<[string], { free_at: number; places: number }>(
    'SELECT free_at, places FROM cooling WHERE service = ? ORDER BY free_at',
  )
  const cool = (at: number, places: number): void => void add.run(service, coolAt(at), places)

  return {
    windowMs,
    cool,
    tidy(at: number): void {
      drop.run(service, at)
      // The wall clock was put back: what is as far away as no answer could bring it is a window away from now. The slack
      // is for what others wrote while this process waited for the file.
      const latest = coolAt(at) + slackMs
      const places = late.get(service, latest) ?? 0
      if (places === 0) return
      dropLate.run(service, latest)
      cool(at, places)
    },
    /** How long it is until so many are free, as far as this is known. */
    waitFor(at: number, needed: number): number {
      let freed = 0
      for (const { free_at, places } of byTime.iterate(service)) {
        freed += places
        if (freed >= needed) return free_at - at
      }
      return Math.min(POLL_MS, perMs)
    },
  }
}

/** The work of one asker on the open file, each method within one transaction. */
function createPlaces(
  db: Connection,
  options: WindowOptions,
  { now, follow, slowed }: { now: number; follow(offset: Offset): void; slowed: Opened['slowed'] },
) {
  const { service, timeoutMs } = options
  const cooling = createCooling(db, options)
  const self = processAt('self') ?? { space: '', pid: '', started: '' }
  db.prepare('DELETE FROM asker WHERE busy = 0 AND seen_at < ?').run(now - DAY_MS)
  const add = db
    .prepare<unknown[], number>(
      'INSERT INTO asker (service, space, pid, started, busy, seen_at) VALUES (?, ?, ?, ?, 0, ?) RETURNING id',
    )
    .pluck()
  const id = add.get(service, self.space, self.pid, self.started, now) ?? 0
  const work = db.prepare('UPDATE asker SET busy = busy + ?, seen_at = ? WHERE id = ?')
  const taken = db
    .prepare<[string, string], number>(
      `SELECT (SELECT coalesce(sum(places), 0) FROM cooling WHERE service = ?)
            + (SELECT coalesce(sum(busy), 0) FROM asker WHERE service = ?)`,
    )
    .pluck()
  const others = db.prepare<[string, number], Asker>(
    'SELECT * FROM asker WHERE service = ? AND busy > 0 AND id <> ?',
  )
  const forget = db.prepare('DELETE FROM asker WHERE id = ?')

  function isAlive(asker: Asker, at: number): boolean {
    if (asker.space !== '' && asker.space === self.space)
      return processAt(asker.pid)?.started === asker.started
    return asker.seen_at + timeoutMs + cooling.windowMs > at && asker.seen_at <= at
  }

  /** What a process that has ended had under way is free one window after its end was noticed. */
  function releaseDead(at: number): void {
    for (const asker of others.all(service, id).filter((one) => !isAlive(one, at))) {
      cooling.cool(at, asker.busy)
      forget.run(asker.id)
    }
  }

  function note(at: number, answered: readonly number[]): void {
    for (const one of answered) cooling.cool(one, 1)
    if (answered.length > 0) work.run(-answered.length, at, id)
  }

  return {
    note: (at: number, answered: readonly number[], offset: Offset): void =>
      db.exclusive(() => {
        follow(offset)
        note(at, answered)
      }),
    take: (at: number, places: number, answered: readonly number[], offset: Offset): number =>
      db.exclusive(() => {
        follow(offset)
        note(at, answered)
        cooling.tidy(at)
        const { pausedMs, places: allowed } = slowed.limitOf(at, places)
        if (pausedMs > 0) return pausedMs
        const used = taken.get(service, service) ?? 0
        if (used < allowed) {
          work.run(1, at, id)
          return 0
        }
        releaseDead(at)
        return cooling.waitFor(at, used - allowed + 1)
      }),
    undo: (at: number) => void work.run(-1, at, id),
    leave: () => void forget.run(id),
  }
}

/** Once: what is carried over twice, because the process ended in between, is no more than it was. */
function carryOver(db: Connection, service: string, former: FormerWindow | undefined): void {
  const before = former?.read()
  if (former === undefined || before === undefined) return
  const addHour = db.prepare(
    'INSERT INTO hour VALUES (?, ?, ?) ON CONFLICT (service, hour) DO UPDATE SET requests = max(hour.requests, excluded.requests)',
  )
  const addPlace = db.prepare(
    'INSERT INTO cooling VALUES (?, ?, 1) ON CONFLICT (service, free_at) DO UPDATE SET places = cooling.places + 1',
  )
  durably(db, () => {
    for (const { hour, requests } of before.hours) addHour.run(service, hour, requests)
    for (const at of before.freeAt) addPlace.run(service, Math.ceil(at))
  })
  former.clear()
}

interface Opened {
  readonly slowed: ReturnType<typeof createSlowed>
  readonly db: Connection
  readonly places: ReturnType<typeof createPlaces>
  readonly takeOfDay: TakeOfDay
}

function openShared(statePath: string, options: WindowOptions, now: number): Opened {
  const { service, steady, former } = options
  const db = openWindow(statePath)
  carryOver(db, service, former)
  const moved = steady === undefined ? undefined : createFollowClock(db, steady)
  const follow = (offset: Offset): void => {
    if (offset !== undefined) moved?.(offset)
  }
  const slowed = createSlowed(db, service)
  return {
    db,
    slowed,
    places: createPlaces(db, options, { now, follow, slowed }),
    takeOfDay: createDay(db, service, follow),
  }
}

/** When requests were answered of which the file does not know yet. */
function createAnswered(steady: SteadyTime | undefined) {
  let times: number[] = []
  let known: Offset
  return {
    /** To be asked before anything is done: what is kept is moved with the clock. */
    look(): Offset {
      const offset = steady?.offset()
      const by = jumpOf(offset, known)
      if (by !== 0) times = times.map((at) => at + by)
      if (by !== 0 || known === undefined) known = offset
      return offset
    },
    add: (now: number): number => times.push(now),
    takeAll(): readonly number[] {
      const all = times
      times = []
      return all
    },
  }
}

/** Opens nothing before the first place is taken. Times are those of the wall clock, in milliseconds since the epoch. */
export function createSharedWindow(statePath: string, options: WindowOptions): SharedWindow {
  let opened: Opened | 'alone' | undefined
  let busy = 0
  const answered = createAnswered(options.steady)
  const ownDay = createOwnDay()

  function alone(error: unknown): void {
    if (opened !== 'alone' && opened !== undefined) opened.db.close()
    opened = 'alone'
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code'
    options.onAlone(code)
  }

  /** Does the work on the shared file; what it gives where there is none to be had, is `otherwise`. */
  function shared<T>(now: number, work: (shared: Opened) => T, otherwise: T): T {
    if (opened === 'alone') return otherwise
    try {
      opened ??= openShared(statePath, options, now)
      return work(opened)
    } catch (error) {
      alone(error)
      return otherwise
    }
  }

  function flush(now: number): void {
    const offset = answered.look()
    const done = answered.takeAll()
    if (done.length > 0) shared(now, ({ places }) => places.note(now, done, offset), undefined)
  }

  return {
    take(now, places) {
      const offset = answered.look()
      const done = answered.takeAll()
      const waitMs = shared(now, (at) => at.places.take(now, places, done, offset), 0)
      if (waitMs === 0) busy += 1
      return waitMs
    },
    giveBack(now) {
      busy -= 1
      answered.look()
      const waiting = answered.add(now)
      if (busy === 0 || waiting >= TOGETHER) flush(now)
    },
    undo(now) {
      busy -= 1
      shared(now, ({ places }) => places.undo(now), undefined)
    },
    slowDown: (now, places, resumeAt) =>
      shared(now, ({ slowed }) => slowed.slowDown(now, places, resumeAt), undefined),
    hold: (now, ms) => shared(now, ({ slowed }) => slowed.slowDown(now, ALL_PLACES, now + ms), undefined),
    pausedMs: (now) => shared(now, ({ slowed }) => slowed.limitOf(now, 1).pausedMs, 0),
    takeOfDay(now, perDay) {
      const offset = answered.look()
      const isAlone = ownDay.isLeft(now, perDay)
      const isTaken = shared<boolean | 'alone'>(now, (at) => at.takeOfDay(now, perDay, offset), 'alone')
      const isLeft = isTaken === 'alone' ? isAlone : isTaken
      if (isLeft) ownDay.add(now)
      return isLeft
    },
    close(now) {
      if (opened === undefined || opened === 'alone') return
      flush(now)
      if (busy === 0) shared(now, ({ places }) => places.leave(), undefined)
      // `flush` may have found that the file is gone.
      if (typeof opened === 'object') opened.db.close()
      opened = undefined
    },
  }
}
