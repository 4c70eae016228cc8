// Several workers serve one console: whichever answers knows who is signed in and what was shown, and a decision is taken once.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SessionStore } from '../../src/core/console-sessions.ts'
import { SyncError } from '../../src/core/words/errors.ts'
import { createMemorySessions } from '../../src/store/sessions/memory-sessions.ts'
import { testClock } from '../support/clock.ts'
import { type Desk, openDesk, pastAt, TOKEN } from './desk.ts'

const ANNA = { name: 'anna', token: 'anna-has-this-token', role: 'operator' } as const
const OWN = { 'sec-fetch-site': 'same-origin' }
const PAUSE = { kind: 'pause', pipeline: 'shop' }

/** Where it is away, and which of its methods then fail. */
const away = { methods: [] as readonly string[] }

const passing = (store: SessionStore): SessionStore =>
  new Proxy(store, {
    get(target, name: keyof SessionStore) {
      const fails = async () => Promise.reject(new SyncError('STATE_IO', 'db.internal:5432 is away'))
      return away.methods.includes(name) ? fails : target[name]
    },
  })

/** What a decision waits for. */
let gate = Promise.withResolvers<undefined>()
let here: Desk
let there: Desk
beforeAll(async () => {
  const kept = passing(createMemorySessions(testClock()))
  const waiting: Parameters<typeof openDesk>[0] = (data) => ({
    ...data,
    async decide(decision) {
      await gate.promise
      return data.decide(decision)
    },
  })
  here = await openDesk(waiting, pastAt, kept)
  there = await openDesk(waiting, pastAt, kept)
})
afterAll(async () => {
  await here.close()
  await there.close()
})
beforeEach(() => {
  away.methods = []
  gate = Promise.withResolvers<undefined>()
  for (const desk of [here, there]) desk.users = [ANNA]
})

const tokenIn = (body: string): string => /name="token" value="([^"]+)"/.exec(body)?.[1] ?? ''
const taken = (): number => here.decisions.length + there.decisions.length

it('who signed in at one is signed in at the other, and out at both', async () => {
  const headers = await here.signIn(ANNA.token)
  expect((await there.ask('/', { headers })).body).toContain('anna (operator)')
  await there.ask('/sign-out', { method: 'POST', headers })
  expect((await here.ask('/', { headers })).status).toBe(303)
})

it('what was searched for at one is found under its number at the other', async () => {
  const headers = await here.signIn()
  const { headers: answered } = await here.ask('/search', { form: { q: 'person' }, headers })
  expect(answered['location']).toMatch(/^\/search\/\d+$/)
  expect((await there.ask(String(answered['location']), { headers })).body).toContain('value="person"')
})

it('a decision that one has shown is taken once, however many are asked; all lead to its result', async () => {
  const headers = await here.signIn(ANNA.token)
  const before = taken()
  const form = { token: tokenIn((await here.ask('/confirm', { form: PAUSE, headers })).body) }
  const first = there.ask('/decide', { form, headers })
  const second = await Promise.race([first, here.ask('/decide', { form, headers })])
  // One of them waits for the decision, and the other one does not.
  expect(second.status).toBe(303)
  const open = await here.ask(String(second.headers['location']), { headers })
  expect(open.body).toContain('Being decided')
  expect(open.headers['refresh']).toBe('2')
  gate.resolve(undefined)
  const third = await there.ask('/decide', { form, headers })
  for (const { status, headers: answered } of [await first, third]) {
    expect([status, answered['location']]).toEqual([303, second.headers['location']])
    expect((await here.ask(String(answered['location']), { headers })).body).toContain('Done.')
  }
  expect(taken()).toBe(before + 1)
})

describe('where sessions cannot be reached', () => {
  it('each page says so with 503, names no server, and the log has the reason', async () => {
    const headers = await here.signIn(ANNA.token)
    away.methods = ['find', 'begin', 'end']
    const faults = here.faults.length
    for (const [path, ask] of [
      ['/', { headers }],
      ['/sign-in', { headers }],
      ['/sign-in', { form: { token: ANNA.token }, headers: OWN }],
      ['/decide', { form: { token: 'x' }, headers }],
    ] as const) {
      const { status, body, headers: answered } = await here.ask(path, ask)
      expect([path, status, answered['retry-after']]).toEqual([path, 503, '10'])
      expect(body).toContain('The state cannot be reached')
      expect(body).not.toContain('db.internal')
      expect(answered['set-cookie']).toBeUndefined()
    }
    expect(here.faults.slice(faults)).toMatchObject(Array(4).fill({ code: 'STATE_IO' }))
    away.methods = []
    expect((await here.ask('/', { headers })).status).toBe(200)
  })

  it('a request with the token is answered as ever', async () => {
    away.methods = ['find', 'begin', 'end']
    expect((await here.ask('/', { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200)
  })

  it('what was taken is shown, although it cannot be kept', async () => {
    gate.resolve(undefined)
    const headers = await here.signIn(ANNA.token)
    const form = { token: tokenIn((await here.ask('/confirm', { form: PAUSE, headers })).body) }
    const before = taken()
    away.methods = ['settleForm']
    const { status, body } = await here.ask('/decide', { form, headers })
    expect([status, taken()]).toEqual([200, before + 1])
    expect(body).toContain('Done.')
  })

  it('nothing is taken where its form cannot be claimed', async () => {
    gate.resolve(undefined)
    const headers = await here.signIn(ANNA.token)
    const form = { token: tokenIn((await here.ask('/confirm', { form: PAUSE, headers })).body) }
    const before = taken()
    away.methods = ['claimForm']
    expect((await here.ask('/decide', { form, headers })).status).toBe(503)
    expect(taken()).toBe(before)
  })
})
