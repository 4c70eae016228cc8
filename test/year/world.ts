// The world of the year: the daemon with its real state and real files, the sandbox behind a transport that knows no
// sockets, and a service that is away every Sunday night.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startDaemon } from '../../src/app/daemon/daemon.ts'
import { openRunner } from '../../src/app/run/runner.ts'
import type { DaemonEvent } from '../../src/core/outcome/daemon.ts'
import type { Log } from '../../src/log/log.ts'
import { PLAIN_HABITS } from '../../src/sandbox/habits.ts'
import { createRoutes } from '../../src/sandbox/routes.ts'
import { openTables } from '../../src/sandbox/tables.ts'
import type { Transport } from '../../src/service/http.ts'
import { csvKind } from '../../src/sources/csv/kind.ts'
import { testSettings } from '../support/daemon.ts'
import { serviceSettings } from '../support/pipeline.ts'
import { seeded } from '../support/seeded.ts'
import { createYearClock } from './clock.ts'

const KEY = 'key-of-the-year'
const DAY = 86_400_000
const HOUR = 3_600_000
const PEOPLE = 40
/** Files in memory, where the system has them. */
const MEMORY = '/dev/shm'

/** Away from Sunday 01:20 to 07:50, UTC. */
export const isAway = (at: number): boolean => {
  const since = (at - Date.UTC(2027, 0, 3, 1, 20)) % (7 * DAY)
  return since >= 0 && since < 6.5 * HOUR
}

function countingLog(counts: Map<string, number>): Log {
  const count = (message: string): void => void counts.set(message, (counts.get(message) ?? 0) + 1)
  const log: Log = {
    info: count,
    warn: count,
    error: count,
    debug: () => undefined,
    with: () => log,
    mask: () => undefined,
    close: () => Promise.resolve(),
  }
  return log
}

/** The people of an hour: always the same forty, of whom three have another phone. */
function exportOf(hour: number): string {
  const rows = [0, 1, 2].map((index) => {
    const person = (hour * 3 + index) % PEOPLE
    return `K${person},person${person}@example.com,Vor${person},Nach${person},030 ${hour}`
  })
  return ['no,mail,first,last,phone', ...rows, ''].join('\n')
}

/** The phone that each person must have in the end, after so many hours. */
export function phonesAfter(hours: number): ReadonlyMap<string, string> {
  const phones = new Map<string, string>()
  for (let hour = 0; hour < hours; hour += 1)
    for (const index of [0, 1, 2])
      phones.set(`person${(hour * 3 + index) % PEOPLE}@example.com`, `030 ${hour}`)
  return phones
}

export async function openWorld(start: number) {
  // A year of waiting for a disk to be sure takes an hour; that it is waited for is tested elsewhere.
  const folder = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'year-'))
  const inbox = join(folder, 'inbox')
  await mkdir(inbox)
  const clock = createYearClock(start)
  const db = openTables(undefined)
  const sandbox = createRoutes({ db, apiKey: KEY, habits: PLAIN_HABITS, clock })
  const transport: Transport = {
    async send({ method, url, body }) {
      if (isAway(clock.now())) return { answered: false, sent: false, code: 'ECONNREFUSED' }
      const headers = {
        authorization: `Bearer ${KEY}`,
        'content-type': 'application/json',
        // Without a length hono wraps each body, and keeps what it needs for that for a good while.
        'content-length': String(Buffer.byteLength(body ?? '')),
      }
      const answer = await sandbox.fetch(
        new Request(url, { method, headers, ...(body === undefined ? {} : { body }) }),
      )
      const value: unknown = await answer.json()
      return {
        answered: true,
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: { kind: 'json', value },
      }
    },
    close: () => undefined,
  }
  const sourceIn = (place: string) => ({
    ...(csvKind.schema.parse({ folder: place, settle: '0s' }) as object),
    type: 'csv',
    null_values: [],
  })
  const hourly = { name: 'shop', schedule: '0 * * * *', timezone: 'Europe/Berlin', source: sourceIn(inbox) }
  const night = join(folder, 'night')
  await mkdir(night)
  const settings = testSettings(
    [hourly, { name: 'night', schedule: '30 2 * * *', timezone: 'Europe/Berlin', source: sourceIn(night) }],
    {
      state: { path: join(folder, 'state.db') },
      service: serviceSettings({
        base_url: 'http://127.0.0.1:9',
        api_key: KEY,
        rate_limit: { requests: 5, per: 1000, concurrency: 4, per_day: undefined },
        retry: { attempts: 3, max_delay: 60_000 },
      }),
      keep: {
        processed: 3 * DAY,
        failed: 3 * DAY,
        rejects: 3 * DAY,
        runs: 3 * DAY,
        sync_log: undefined,
        reads: 365 * 86_400_000,
      },
    },
  )
  const logged = new Map<string, number>()
  const log = countingLog(logged)
  const { next: random } = seeded(1)
  const runner = openRunner(settings, {
    log,
    pid: process.pid,
    thorough: false,
    machine: { clock, random, transport },
  })
  const ending = new AbortController()
  const events: DaemonEvent[] = []
  const daemon = await startDaemon(settings, runner, {
    clock,
    random,
    log,
    signal: ending.signal,
    ticks: clock.ticks,
    load: () => Promise.resolve({ ok: true, settings, warnings: [] }),
    listeners: [(event) => void events.push(event)],
  })
  const isBusy = (): boolean =>
    daemon.condition().pipelines.some(({ runningSince }) => runningSince !== undefined)
  const place = async (where: string, name: number, text: string): Promise<void> => {
    const file = join(where, `${String(name).padStart(6, '0')}.csv`)
    await writeFile(file, text)
    await utimes(file, clock.now() / 1000, clock.now() / 1000)
  }
  return {
    clock,
    db,
    /** What the daemon told; a reader may empty it. */
    events,
    logged,
    statePath: settings.state.path,
    drop: (hour: number) => place(inbox, hour, exportOf(hour)),
    /** Something to send for the nightly pipeline: it must meet the service, or find it away. */
    dropForNight: (hour: number) =>
      place(night, hour, `no,mail,first,last,phone\nN1,night@example.com,Nora,Nacht,040 ${hour}\n`),
    passUntil: (end: number) => clock.passUntil(end, isBusy),
    async close() {
      ending.abort()
      await daemon.ended()
      await runner.close()
      db.close()
      await rm(folder, { recursive: true })
    },
  }
}
