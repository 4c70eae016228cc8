// The client as a whole: what sessions share, what they do not, and how it ends.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServiceSettings } from '../../src/core/settings.ts'
import { createService } from '../../src/service/service.ts'
import type { Service, ServiceDeps } from '../../src/service/service.ts'
import { createFakeClock } from './fake-clock.ts'
import type { FakeClock } from './fake-clock.ts'

const never = new AbortController().signal
const opened: Server[] = []

afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

function settingsFor(baseUrl: string, changes: Partial<ServiceSettings> = {}): ServiceSettings {
  return {
    base_url: baseUrl,
    api_key: 'key-1',
    api_key_file: undefined,
    api_version: 'V1',
    timeout: 5_000,
    rate_limit: { requests: 2, per: 60_000, concurrency: 4, per_day: undefined },
    retry: { attempts: 3, max_delay: 1_000 },
    bulk: { size: 50, container: 'array' },
    doubt: { quiesce: 1, absent_reads: 1 },
    marker_field: undefined,
    custom_field_key: '{field_name}',
    ...changes,
  }
}

async function rig(
  listener: RequestListener,
  changes: Partial<ServiceSettings> = {},
  deps: Partial<ServiceDeps> = {},
): Promise<{ service: Service; clock: FakeClock; server: Server }> {
  const server = createServer(listener)
  opened.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = createFakeClock()
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    service: createService(settingsFor(baseUrl, changes), { clock, random: () => 0, ...deps }),
    clock,
    server,
  }
}

describe('sessions', () => {
  it('share the limit, over all calls, and count for themselves', async () => {
    const answered: number[] = []
    const { service, clock } = await rig((_, res) => {
      answered.push(clock.monotonic())
      res.end('{"success":"true"}')
    })
    const [one, two] = [service.session({ signal: never }), service.session({ signal: never })]
    const calls = [one.updateContact(1, {}), two.updateContact(2, {}), two.deleteContact(3)]
    await Promise.all(calls.slice(0, 2))
    await clock.settle()
    expect(answered).toEqual([0, 0])
    await clock.advance(61_000)
    await Promise.all(calls)
    expect(answered[2]).toBeGreaterThanOrEqual(60_000)
    expect([one.counts, two.counts]).toEqual([
      { requests: 1, retries: 0 },
      { requests: 2, retries: 0 },
    ])
    await service.close()
  })

  it('go before the others of all sessions in work that is ahead, whatever it awaits', async () => {
    const { service, clock } = await rig((_, res) => res.end('{"success":"true"}'), {
      rate_limit: { requests: 1, per: 1000, concurrency: 4, per_day: undefined },
    })
    const [one, two] = [service.session({ signal: never }), service.session({ signal: never })]
    const answered: string[] = []
    const call = async (name: string, session: typeof one) => {
      await session.updateContact(1, {})
      answered.push(name)
    }
    const all = ['o0', 'o1', 'o2'].map((name) => call(name, one))
    await clock.settle()
    const ahead = service.ahead(async () => {
      await call('r0', two)
      await call('r1', two)
    })
    while (answered.length < 5) await clock.advance(100)
    await Promise.all([...all, ahead])
    expect(answered.slice(0, 3)).toEqual(['o0', 'r0', 'r1'])
    await service.close()
  })

  it('end alone: the signal of one leaves the other at work', async () => {
    const { service, clock } = await rig((_, res) => res.end('{"success":"true"}'))
    const run = new AbortController()
    const ending = service.session({ signal: run.signal })
    const staying = service.session({ signal: never })
    await Promise.all([ending.updateContact(1, {}), ending.updateContact(2, {})])
    const waiting = ending.updateContact(3, {})
    const later = staying.updateContact(4, {})
    await clock.settle()
    run.abort()
    expect(await waiting).toMatchObject({ kind: 'not_applied', request: { attempts: 0 } })
    await clock.advance(61_000)
    expect(await later).toMatchObject({ kind: 'ok' })
    await service.close()
  })

  it('let finish what was sent when the signal comes', async () => {
    const arrived = Promise.withResolvers<() => void>()
    const { service } = await rig((_, res) => arrived.resolve(() => res.end('{"id":9}')))
    const run = new AbortController()
    const call = service
      .session({ signal: run.signal })
      .createContact(
        { mail: 'a@x.example' },
        { duplicateCheckMethod: 'none', duplicateMergeMethod: 'add', repeatable: false },
      )
    const respond = await arrived.promise
    run.abort()
    respond()
    expect(await call).toMatchObject({ kind: 'ok', value: 9 })
  })
})

describe('closing', () => {
  it('waits for the calls under way and lets go of the connections', async () => {
    const arrived = Promise.withResolvers<() => void>()
    const { service, server } = await rig((_, res) => arrived.resolve(() => res.end('[]')))
    const reading = service.session({ signal: never }).customFields()
    const respond = await arrived.promise
    let closed = false
    const closing = service.close().then(() => (closed = true))
    await Promise.resolve()
    expect(closed).toBe(false)
    respond()
    expect(await reading).toMatchObject({ kind: 'ok' })
    await closing
    const ended = once(server, 'close')
    server.close()
    await ended
  })
})

it('tells of throttling without anything personal', async () => {
  const events: unknown[] = []
  const { service, clock } = await rig(
    (req, res) => {
      const first = events.length === 0
      res.writeHead(first ? 429 : 200, { 'retry-after': '5' })
      res.end(first ? `{"message":"slow down, ${req.url ?? ''}"}` : '[]')
    },
    {},
    { onEvent: (event) => event.type !== 'request' && events.push(event) },
  )
  const read = service.session({ signal: never }).contactsByMail('jane@secret.example', ['mail'])
  while (events.length === 0) await clock.settle()
  await clock.advance(130_000)
  expect(await read).toMatchObject({ kind: 'ok', value: { contacts: [] } })
  expect(events).toEqual([
    { type: 'throttled', delayMs: 5_000, summary: 'GET /contact/<contact_mail> was answered with 429' },
  ])
})

it('refuses to send the key unencrypted to another machine', () => {
  expect(() =>
    createService(settingsFor('http://acme.example.com'), { clock: createFakeClock(), random: () => 0 }),
  ).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})
