// The rate limit of all workers, for a process that sends requests and does not work with the state: plan, check, probe.
import { hostname } from 'node:os'
import type { SharedWindow } from '../../core/ports.ts'
import type { ServerPlace } from '../../core/state-place.ts'
import { connectToServer } from './connection.ts'
import { createSlots, type SlotOptions } from './slots.ts'
import { LEASE_MS } from './workers.ts'

/** It is one of the workers until the window is closed, and opens nothing before the first place is taken. */
export function openGuestSlots(
  server: ServerPlace,
  { pid, since }: { readonly pid: number; readonly since: number },
  options: SlotOptions,
): SharedWindow {
  let opened: { slots: SharedWindow; close(): void } | undefined
  const slots = (): SharedWindow => {
    if (opened !== undefined) return opened.slots
    const machine = hostname()
    const db = connectToServer(server, {
      name: machine,
      machine,
      pid,
      since,
      leaseMs: LEASE_MS,
      alone: false,
    })
    opened = { slots: createSlots(db, db.fence ?? 0, options), close: () => db.close() }
    return opened.slots
  }
  return {
    take: (now, places, lane) => slots().take(now, places, lane),
    giveBack: (now) => slots().giveBack(now),
    undo: (now) => slots().undo(now),
    takeOfDay: (now, perDay) => slots().takeOfDay(now, perDay),
    slowDown: (now, places, resumeAt) => slots().slowDown(now, places, resumeAt),
    hold: (now, ms) => opened?.slots.hold(now, ms),
    pausedMs: (now) => opened?.slots.pausedMs(now) ?? 0,
    close(now) {
      opened?.slots.close(now)
      opened?.close()
      opened = undefined
    },
  }
}
