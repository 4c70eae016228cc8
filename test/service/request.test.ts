// One call over several attempts: what is repeated, what the result says, what is counted and told.
import { describe, expect, it } from 'vitest'
import type { CallResult, SharedWindow } from '../../src/core/ports.ts'
import { DAILY_ALLOWANCE_USED_UP } from '../../src/core/outcome/retry.ts'
import { createRedaction } from '../../src/core/words/secrets/redact.ts'
import type { RequestEvent, ServiceEvent } from '../../src/core/log/events/service-event.ts'
import type { Attempt } from '../../src/service/http.ts'
import type { Call } from '../../src/service/judge.ts'
import { createKeyTrust } from '../../src/service/key-trust.ts'
import { createRateLimiter } from '../../src/service/rate-limiter.ts'
import { perform } from '../../src/service/request.ts'
import type { RequestCounts } from '../../src/service/request.ts'
import { readCreatedId } from '../../src/service/wire.ts'
import { windowWith } from '../support/window.ts'
import { createFakeClock } from './fake-clock.ts'

const MAIL = 'jane.roe@secret.example'
const create: Call<number> = {
  method: 'POST',
  path: '/contact',
  target: 'collection',
  url: new URL('https://acme.s1.example.com/public/api/V1/contact'),
  body: JSON.stringify({ contact: { mail: MAIL } }),
  repeatable: false,
  read: readCreatedId,
}
const repeatable: Call<number> = { ...create, repeatable: true }
const read: Call<number> = {
  ...create,
  method: 'GET',
  path: '/contact/<contact_mail>',
  target: 'object',
  url: new URL(`https://acme.s1.example.com/public/api/V1/contact/${encodeURIComponent(MAIL)}`),
  repeatable: true,
}

const refusedConnection: Attempt = { answered: false, sent: false, code: 'ECONNREFUSED' }
const lost: Attempt = { answered: false, sent: true, code: 'ECONNRESET' }

function answer(status: number, value?: unknown, headers: Record<string, string> = {}): Attempt {
  return {
    answered: true,
    status,
    headers,
    body: value === undefined ? { kind: 'other' } : { kind: 'json', value },
  }
}

const ok = answer(200, { id: 7 })

/** Sends the calls to a service that gives these answers in turn; the last one again and again. */
function rig(attempts: readonly Attempt[], changes: { shared?: SharedWindow; abortAfter?: number } = {}) {
  const clock = createFakeClock()
  const requests: RequestEvent[] = []
  const events: ServiceEvent[] = []
  const counts: RequestCounts = { requests: 0, retries: 0 }
  const run = new AbortController()
  const sentAt: number[] = []
  const context = {
    settings: { retry: { attempts: 4, max_delay: 8_000 } },
    mask: createRedaction(['key-1']),
    transport: {
      send() {
        sentAt.push(clock.monotonic())
        if (sentAt.length === changes.abortAfter) run.abort()
        return Promise.resolve(attempts[Math.min(sentAt.length, attempts.length) - 1]!)
      },
      close: () => undefined,
    },
    trust: createKeyTrust(),
    limiter: createRateLimiter(
      { requests: 100, per: 1_000, concurrency: 4, per_day: 1 },
      { clock, ...(changes.shared === undefined ? {} : { shared: changes.shared }) },
    ),
    lane: () => 'others' as const,
    clock,
    random: () => 0.5,
    onEvent: (event: ServiceEvent) => (event.type === 'request' ? requests : events).push(event),
    signal: run.signal,
    counts,
  }
  async function send<T>(call: Call<T>): Promise<CallResult<T>> {
    const result = perform(call, context)
    await clock.runAll()
    return result
  }
  return { send, sentAt, events, requests, counts, clock, run, context }
}

describe('what is told of each request', () => {
  it('is its route, status, time and how long it waited for its turn; nothing else', async () => {
    const { send, requests } = rig([lost, answer(503, {}), ok])
    await send({ ...read, read: readCreatedId })
    expect(requests.map(({ status, attempt }) => [status, attempt])).toEqual([
      [undefined, 1],
      [503, 2],
      [200, 3],
    ])
    expect(requests[0]).toEqual({
      type: 'request',
      method: 'GET',
      path: '/contact/<contact_mail>',
      status: undefined,
      attempt: 1,
      durationMs: 0,
      waitedMs: 0,
      sentAt: expect.any(Number) as number,
    })
  })

  it('tells the wait for the rate limit, and none for the pause before a retry', async () => {
    const { context, clock, requests } = rig([lost, ok])
    const limiter = createRateLimiter(
      { requests: 1, per: 10_000, concurrency: 1, per_day: undefined },
      { clock },
    )
    const sent = Promise.all([1, 2].map(async () => perform(repeatable, { ...context, limiter })))
    await clock.runAll()
    await sent
    const waits = requests.map(({ waitedMs }) => Math.round(waitedMs / 1000))
    expect(waits[0]).toBe(0)
    expect(Math.max(...waits)).toBeGreaterThanOrEqual(10)
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThanOrEqual(40)
  })
})

describe('a call', () => {
  it('leaves its place to the next one before its answer is worked on', async () => {
    const { context, clock, sentAt } = rig([ok])
    const limiter = createRateLimiter(
      { requests: 100, per: 1_000, concurrency: 1, per_day: undefined },
      { clock },
    )
    const turn = Promise.withResolvers<undefined>()
    const transport = { ...context.transport, handOver: async () => turn.promise }
    let ended = 0
    const calls = [1, 2].map(async () => {
      const result = await perform(create, { ...context, limiter, transport })
      ended += 1
      return result.kind
    })
    await clock.runAll()
    expect([sentAt.length, ended]).toEqual([2, 0])
    turn.resolve(undefined)
    expect(await Promise.all(calls)).toEqual(['ok', 'ok'])
  })

  it('that is answered is over', async () => {
    const { send, counts, events } = rig([ok])
    expect(await send(create)).toEqual({
      kind: 'ok',
      value: 7,
      request: { method: 'POST', path: '/contact', status: 200, attempts: 1 },
    })
    expect(counts).toEqual({ requests: 1, retries: 0 })
    expect(events).toEqual([])
  })

  it.each<[string, Call<number>, Attempt[], string, number]>([
    ['a create that never left is sent again', create, [refusedConnection, ok], 'ok', 2],
    ['a lost create is not', create, [lost, ok], 'unknown', 1],
    ['a repeatable one is', repeatable, [lost, ok], 'ok', 2],
    ['a create after a 500 is not', create, [answer(500, {}), ok], 'unknown', 1],
    ['a read after a 500 is', read, [answer(500), answer(502), ok], 'ok', 3],
    ['a refusal is final', repeatable, [answer(422, { message: 'no' }), ok], 'refused', 1],
    ['a refused key is final', repeatable, [answer(401, {}), ok], 'denied', 1],
    ['a 403 page is asked once more', create, [answer(403), answer(403), ok], 'denied', 2],
    ['and may have been throttling', create, [answer(403), ok], 'ok', 2],
    ['a missing contact is final', read, [answer(404, { error: true }), ok], 'absent', 1],
    ['a redirect is final', read, [answer(302, undefined, { location: '/login' }), ok], 'unknown', 1],
    ['attempts come to an end', read, [lost], 'unknown', 4],
    ['without a connection, too', create, [refusedConnection], 'not_applied', 4],
  ])('%s', async (...[, call, attempts, kind, sent]) => {
    const { send, counts } = rig(attempts)
    expect(await send(call)).toMatchObject({ kind, request: { attempts: sent } })
    expect(counts).toEqual({ requests: sent, retries: sent - 1 })
  })

  it.each<[string, Call<number>, Attempt, true | undefined]>([
    ['a lost write may still come', repeatable, lost, true],
    ['one that never left does not', repeatable, refusedConnection, undefined],
    ['a lost read changes nothing', read, lost, undefined],
  ])('that is answered says what may come after it: %s', async (...[, call, first, echo]) => {
    const { send } = rig([first, ok])
    const result = await send(call)
    expect(result.kind === 'ok' && result.echo).toBe(echo)
  })

  it.each<[string, Attempt]>([
    ['a refusal', answer(409, { message: 'exists' })],
    ['a refused key', answer(401, {})],
    ['a refused connection', refusedConnection],
  ])('stays in doubt when %s follows a lost write', async (_, later) => {
    const result = await rig([lost, later]).send(repeatable)
    expect(result).toMatchObject({
      kind: 'unknown',
      summary: expect.stringContaining('An earlier attempt may') as string,
    })
  })

  it.each<[string, Attempt, string]>([
    ['a refusal', answer(422, {}), 'refused'],
    ['a refused key', answer(401, {}), 'denied'],
  ])('that reads takes %s as it is, whatever came before', async (_, later, kind) => {
    expect(await rig([lost, later]).send(read)).toMatchObject({ kind })
  })

  it('is settled when a lost write is followed by a missing contact', async () => {
    const update: Call<number> = { ...read, method: 'PUT' }
    expect(await rig([lost, answer(404, {})]).send(update)).toMatchObject({ kind: 'absent' })
  })
})

describe('waiting', () => {
  it('grows, and obeys a Retry-After beyond its own cap', async () => {
    const { send, sentAt, events } = rig([lost, lost, answer(503, {}, { 'retry-after': '60' }), ok])
    await send(read)
    expect(sentAt).toEqual([0, 250, 750, 60_750])
    expect(events.map(({ type }) => type)).toEqual(['retry', 'retry', 'waiting', 'retry'])
  })

  it('for a throttling service costs no attempt', async () => {
    const throttled = answer(429, {}, { 'retry-after': '120' })
    const { send, sentAt, counts } = rig([...Array<Attempt>(9).fill(throttled), ok])
    expect(await send(create)).toMatchObject({ kind: 'ok', request: { attempts: 10 } })
    expect(sentAt.map((at, index) => at - (sentAt[index - 1] ?? 0)).slice(1)).toEqual(Array(9).fill(120_000))
    expect(counts).toEqual({ requests: 10, retries: 9 })
  })

  it('takes the reset of a limit where a 429 has no Retry-After, else its own backoff', async () => {
    const attempts = [
      answer(429, {}, { 'x-rate-limit-reset': '20' }),
      answer(429),
      answer(429),
      answer(429),
      ok,
    ]
    const { send, sentAt } = rig(attempts)
    await send(create)
    expect(sentAt).toEqual([0, 20_000, 21_000, 22_000, 24_000])
  })

  it('of a throttled call is what Retry-After says, whatever the limit headers add', async () => {
    const headers = { 'retry-after': '5', 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '20' }
    const { send, sentAt, events } = rig([answer(429, {}, headers), ok])
    await send(create)
    expect(sentAt).toEqual([0, 5_000])
    expect(events.map(({ type }) => type)).toEqual(['throttled'])
  })

  it('ends when a service does nothing but throttle for an hour', async () => {
    const { send, clock, events } = rig([answer(429, {}, { 'retry-after': '900' })])
    expect(await send(create)).toMatchObject({ kind: 'not_applied', request: { status: 429, attempts: 5 } })
    expect(clock.monotonic()).toBe(3_600_000)
    expect(events.map(({ type }) => type)).toEqual(Array(4).fill('throttled'))
  })

  it('of one throttled call holds back the others', async () => {
    const { context, clock, sentAt } = rig([answer(429, {}, { 'retry-after': '30' }), ok])
    const first = perform(create, context)
    await clock.settle()
    const second = perform(read, context)
    await clock.runAll()
    expect(await Promise.all([first, second])).toMatchObject([{ kind: 'ok' }, { kind: 'ok' }])
    expect(sentAt).toEqual([0, 30_000, 30_000])
  })

  it('comes before the limit where the service says that nothing is left', async () => {
    const spent = answer(200, { id: 7 }, { 'ratelimit-remaining': '0', 'ratelimit-reset': '15' })
    const { send, sentAt, events } = rig([spent, ok])
    await send(create)
    await send(create)
    expect(sentAt).toEqual([0, 15_000])
    expect(events).toEqual([{ type: 'waiting', delayMs: 15_000 }])
  })
})

describe('the end of a run', () => {
  it('keeps a call from being sent', async () => {
    const { send, run, counts } = rig([ok])
    run.abort()
    expect(await send(create)).toEqual({
      kind: 'not_applied',
      summary: 'POST /contact was not sent: the run is ending',
      reason: 'POST /contact was not sent: the run is ending',
      request: { method: 'POST', path: '/contact', status: undefined, attempts: 0 },
    })
    expect(counts.requests).toBe(0)
  })

  it.each<[string, Attempt, string]>([
    ['lost', lost, 'unknown'],
    ['throttled', answer(429, {}, { 'retry-after': '600' }), 'not_applied'],
    ['answered', ok, 'ok'],
  ])('keeps a call that was %s from being sent again, without time passing', async (_, attempt, kind) => {
    const { send, clock } = rig([attempt, ok], { abortAfter: 1 })
    expect(await send(repeatable)).toMatchObject({ kind, request: { attempts: 1 } })
    expect(clock.monotonic()).toBe(0)
  })

  it('ends the waiting between two attempts', async () => {
    const { context, clock, run } = rig([lost, ok])
    const result = perform(read, context)
    await clock.settle()
    run.abort()
    expect(await result).toMatchObject({ kind: 'unknown', request: { attempts: 1 } })
    expect(clock.monotonic()).toBe(0)
  })
})

describe('a 401 after the key was taken', () => {
  const refused = answer(401, {})

  it('is looked at once more, also with a create: it was not applied', async () => {
    const { send, counts } = rig([ok, refused, ok])
    await send(create)
    expect(await send(create)).toMatchObject({ kind: 'ok', request: { attempts: 2 } })
    expect(counts).toEqual({ requests: 3, retries: 1 })
  })

  it('counts when it comes twice in a row', async () => {
    const { send } = rig([ok, refused, refused, ok])
    await send(create)
    expect(await send(create)).toMatchObject({ kind: 'denied', request: { attempts: 2, status: 401 } })
  })

  it('is forgiven again once the key was taken again', async () => {
    const { send } = rig([ok, refused, ok, refused, ok])
    await send(create)
    expect(await send(create)).toMatchObject({ kind: 'ok' })
    expect(await send(create)).toMatchObject({ kind: 'ok', request: { attempts: 2 } })
  })

  it('is not forgiven for the sake of what left before it', () => {
    const trust = createKeyTrust()
    trust.taken(trust.begin())
    const [early] = [trust.begin(), trust.begin()]
    expect(trust.refused()).toBe(true)
    trust.taken(early)
    expect(trust.refused()).toBe(false)
  })

  it('lets through no more calls than there are under way', async () => {
    let sent = 0
    const { context, clock } = rig([ok])
    const send = () => Promise.resolve((sent += 1) <= 10 ? ok : refused)
    const calls = { ...context, transport: { ...context.transport, send } }
    const lane = async () => {
      while ((await perform(create, calls)).kind === 'ok');
    }
    const lanes = Promise.all(Array.from({ length: 4 }, lane))
    await clock.runAll()
    await lanes
    expect(sent - 11).toBeLessThanOrEqual(4)
  })
})

describe('the allowance of the day', () => {
  const allow = (times: number): SharedWindow => windowWith({ takeOfDay: () => times-- > 0 })

  it('is said distinctly when it is used up', async () => {
    const { send, events, counts } = rig([ok], { shared: allow(0) })
    const result = await send(create)
    expect(result).toMatchObject({ kind: 'not_applied', request: { attempts: 0 } })
    expect(result.kind !== 'ok' && result.summary.startsWith(DAILY_ALLOWANCE_USED_UP)).toBe(true)
    expect(events).toEqual([{ type: 'daily_limit' }])
    expect(counts.requests).toBe(0)
  })

  it('leaves a lost write in doubt', async () => {
    const result = await rig([lost, ok], { shared: allow(1) }).send(repeatable)
    expect(result).toMatchObject({ kind: 'unknown', request: { attempts: 1 } })
  })
})

describe('words', () => {
  const told = `no such field for ${MAIL}, key-1`

  it.each<[Attempt, string, string]>([
    [lost, 'received an incomplete answer (ECONNRESET)', ''],
    [refusedConnection, 'was not sent: no connection to the service (ECONNREFUSED)', ''],
    [answer(422, { message: told }), 'was answered with 422', `: no such field for ${MAIL}, [secret]`],
    [answer(200, { error: 'full' }), 'was answered with 200, but the answer reports an error', ': full'],
    [answer(200, { mail: MAIL }), 'was answered with 200, but the answer does not match the interface', ''],
    [answer(200), 'was answered with 200, but without JSON', ''],
    [
      answer(302, undefined, { location: `//login.example.org:81/next?for=${MAIL}` }),
      'was answered with 302, a redirect, which is never followed',
      ': it leads to login.example.org:81',
    ],
    [answer(404), 'was answered with 404; check that service.base_url names the service itself', ''],
  ])('%j', async (attempt, fact, message) => {
    const { send, events, requests } = rig([attempt])
    const summary = `GET /contact/<contact_mail> ${fact}`
    const result = await send(read)
    expect(result).toMatchObject({ summary, reason: summary + message })
    const public_ = JSON.stringify([events, requests, result.kind !== 'ok' && result.summary])
    expect(public_).not.toMatch(/secret|jane|key-1/)
  })
})
