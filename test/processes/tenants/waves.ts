// Files that land for every tenant, and how long each waits until it is archived.
import { existsSync } from 'node:fs'
import { systemClock as clock } from '../../../src/system.ts'
import { dropFile, type Place, ROWS } from './place.ts'
import type { TenantDaemon } from './daemon.ts'

/** Milliseconds from landing to archived, by tenant; Infinity: not within the time. */
export type Waits = ReadonlyMap<string, number>

interface Wave {
  readonly name: string
  readonly tenants: readonly string[]
  /** Milliseconds from one landing to the next; 0: all at once. */
  readonly apartMs: number
  readonly withinMs: number
}

const LOOK_MS = 20

export async function wave(place: Place, { name, tenants, apartMs, withinMs }: Wave): Promise<Waits> {
  const began = clock.monotonic()
  const waits = new Map<string, number>()
  const landed = new Map<string, { path: string; at: number }>()
  let next = 0
  while (next < tenants.length || landed.size > 0) {
    const now = clock.monotonic()
    for (; next < tenants.length && now - began >= next * apartMs; next += 1) {
      const tenant = tenants[next] ?? ''
      const path = dropFile(place, tenant, { name, rows: ROWS })
      landed.set(tenant, { path, at: clock.monotonic() })
    }
    for (const [tenant, { path, at }] of landed) {
      const ms = clock.monotonic() - at
      if (existsSync(path) && ms < withinMs) continue
      waits.set(tenant, existsSync(path) ? Infinity : ms)
      landed.delete(tenant)
    }
    await clock.sleep(LOOK_MS)
  }
  return waits
}

export const share = (values: readonly number[], part: number): number =>
  [...values].sort((one, other) => one - other)[
    Math.min(values.length - 1, Math.floor(values.length * part))
  ] ?? 0

/** Asks the daemon whether it is alive, again and again: an event loop that stands still answers late. */
export function watchLoop({ get }: TenantDaemon) {
  const ending = new AbortController()
  let delays: number[] = []
  const ended = (async () => {
    while (!ending.signal.aborted) {
      delays.push(
        await get('/healthz').then(
          ({ ms }) => ms,
          () => Infinity,
        ),
      )
      await clock.sleep(50, ending.signal)
    }
  })()
  return {
    /** Since the last time. */
    take(): readonly number[] {
      const taken = delays
      delays = []
      return taken
    },
    async end(): Promise<void> {
      ending.abort()
      await ended
    },
  }
}
