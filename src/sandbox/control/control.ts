// The sandbox under a test's hand, below `/_sandbox/`: put back to its beginning, its requests looked at, habits and faults
// changed while it runs. Without a key: it is opened on purpose (`--control`), for tests alone.
import { Hono } from 'hono'
import { z } from 'zod'
import { SyncError } from '../../core/words/errors.ts'
import { controlPage } from './control-page.ts'
import { type Faults, parseFault } from './faults.ts'
import { habitsOf, typedName } from '../habit-text.ts'
import type { Habits } from '../habits.ts'
import type { SandboxRequest } from './seen.ts'
import type { Db } from '../tables.ts'

export const CONTROL = '/_sandbox'

export interface Controlled {
  readonly db: Db
  readonly faults: Faults
  habits(): Habits
  changeHabits(habits: Partial<Habits>): void
  requests(): readonly SandboxRequest[]
  /** Back to the beginning: data of the seed, habits of the start, no faults, no requests. */
  reset(): void
}

const habitValues = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** As they are typed: `{"page-cap": 3}`. */
const typedHabits = (habits: Habits): Record<string, unknown> =>
  Object.fromEntries(Object.entries(habits).map(([name, value]) => [typedName(name), value]))

export function controlRoutes(controlled: Controlled): Hono {
  const app = new Hono()
  const refused = (error: Error): Response => {
    const message = error instanceof z.ZodError ? z.prettifyError(error) : error.message
    const hint = error instanceof SyncError ? { hint: error.hint } : {}
    return Response.json({ error: true, message, ...hint }, { status: 422 })
  }
  app.get(`${CONTROL}/`, (context) => context.html(controlPage(controlled)))
  app.get(`${CONTROL}/requests`, (context) => context.json({ requests: controlled.requests() }))
  app.get(`${CONTROL}/habits`, (context) => context.json(typedHabits(controlled.habits())))
  app.get(`${CONTROL}/faults`, (context) => context.json({ faults: controlled.faults.waiting }))
  app.post(`${CONTROL}/reset`, (context) => {
    controlled.reset()
    return context.json({ ok: true })
  })
  app.put(`${CONTROL}/habits`, async (context) => {
    const given = habitValues.parse(await context.req.json())
    controlled.changeHabits(habitsOf(Object.entries(given).map(([name, value]) => `${name}=${value}`)))
    return context.json(typedHabits(controlled.habits()))
  })
  app.post(`${CONTROL}/faults`, async (context) => {
    const given: unknown = await context.req.json()
    const faults = (Array.isArray(given) ? given : [given]).map(parseFault)
    for (const fault of faults) controlled.faults.add(fault)
    return context.json({ faults: controlled.faults.waiting })
  })
  app.delete(`${CONTROL}/faults`, (context) => {
    controlled.faults.clear()
    return context.json({ ok: true })
  })
  app.onError((error) => refused(error))
  app.notFound((context) => context.json({ error: true, message: 'there is nothing at this address' }, 404))
  return app
}
