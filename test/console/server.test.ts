// The server by real sockets: who gets in, under which names, and what browsers are told.
import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { metricsRoute } from '../../src/console/metrics-route.ts'
import { type ConsoleServer, type Mount, startConsole } from '../../src/console/server.ts'
import { createTokenGate } from '../../src/console/token.ts'
import { testClock } from '../support/clock.ts'

const TOKEN = 'a-long-and-random-token'
const servers: ConsoleServer[] = []

async function serving(options: { token?: string | undefined; hosts?: string[]; mount?: Mount } = {}) {
  const clock = testClock()
  const token = 'token' in options ? options.token : TOKEN
  const gate = createTokenGate(() => [{ token }], clock)
  const faults: unknown[] = []
  const metrics = metricsRoute(
    () => ({ contentType: 'text/plain', text: async () => Promise.resolve('counts 1\n') }),
    gate,
  )
  const server = await startConsole(
    { host: '127.0.0.1', port: 0, hosts: [], users: [], token, metrics_token: undefined },
    {
      mounts: [metrics, ...(options.mount === undefined ? [] : [options.mount])],
      gateOf: () => gate,
      names: () => options.hosts ?? [],
      onFault: (error) => faults.push(error),
    },
  )
  servers.push(server)
  const ask = async (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((done, fail) => {
      request({ port: server.port, host: '127.0.0.1', path, headers }, (answer) => {
        let body = ''
        answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
        answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
      })
        .on('error', fail)
        .end()
    })
  return { ask, clock, faults }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.close()))
})

describe('the token', () => {
  it('lets in whoever shows it', async () => {
    const { ask } = await serving()
    expect(await ask('/metrics', bearer(TOKEN))).toMatchObject({ status: 200, body: 'counts 1\n' })
  })

  it.each([
    ['none', {}],
    ['another', bearer('another')],
    ['a part of it', bearer(TOKEN.slice(0, -1))],
    ['it as a password', { authorization: `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}` }],
  ])('refuses who shows %s, and says what to show', async (_, headers) => {
    const { ask } = await serving()
    const { status, headers: answered, body } = await ask('/metrics', headers)
    expect(status).toBe(401)
    expect(answered['www-authenticate']).toBe('Bearer realm="contact-sync"')
    expect(body).not.toContain(TOKEN)
  })

  it('is not to be had by leaving it out of the configuration', async () => {
    const { ask } = await serving({ token: undefined })
    expect(await ask('/metrics')).toMatchObject({ status: 403 })
    expect(await ask('/metrics', bearer('undefined'))).toMatchObject({ status: 403 })
  })

  it('cannot be guessed at leisure: after ten wrong ones even the right one waits for a minute', async () => {
    const { ask, clock } = await serving()
    for (let guess = 0; guess < 10; guess++)
      expect(await ask('/metrics', bearer(`guess-${guess}`))).toMatchObject({ status: 401 })
    const late = await ask('/metrics', bearer(TOKEN))
    expect(late.status).toBe(429)
    expect(late.headers['retry-after']).toBe('60')
    await clock.sleep(60_000)
    expect(await ask('/metrics', bearer(TOKEN))).toMatchObject({ status: 200 })
  })
})

it('waits out each address by itself, and forgets the oldest of very many', () => {
  const gate = createTokenGate(() => [{ token: TOKEN }], testClock())
  for (let guess = 0; guess < 10; guess++) gate.judge('wrong', '192.0.2.1')
  expect(gate.judge(TOKEN, '192.0.2.1')).toBe('throttled')
  expect(gate.judge(TOKEN, '192.0.2.2')).toBe('right')
  for (let address = 0; address < 10_000; address++) gate.judge('wrong', `198.51.100.${address}`)
  expect(gate.judge(TOKEN, '192.0.2.1')).toBe('right')
})

describe('the name it is asked under', () => {
  it.each([
    '127.0.0.1:1',
    'localhost',
    'LOCALHOST:8080',
    '[::1]:8080',
    '10.1.2.3',
    'sync.example.com',
    'sync.example.com.:443',
  ])('%s is its own', async (host) => {
    const { ask } = await serving({ hosts: ['sync.example.com'] })
    expect((await ask('/none', { host })).status).toBe(404)
  })

  it.each([
    'evil.example',
    'sync.example.com.evil.example',
    'localhost.evil.example:8080',
    '127.0.0.1.evil.example',
  ])('%s is not', async (host) => {
    const { ask } = await serving({ hosts: ['sync.example.com'] })
    expect((await ask('/metrics', { host })).status).toBe(421)
    expect((await ask('/healthz', { host })).status).toBe(421)
  })

  it('does not matter to whoever shows the token', async () => {
    const { ask } = await serving()
    expect((await ask('/metrics', { host: 'contact-sync:8080', ...bearer(TOKEN) })).status).toBe(200)
  })
})

it('tells browsers to keep everything to themselves, whatever the answer', async () => {
  const mount: Mount = (app) =>
    app.get('/style', (context) => context.text('', 200, { 'cache-control': 'max-age=9' }))
  const { ask } = await serving({ mount })
  const { headers } = await ask('/none', { origin: 'https://evil.example' })
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'content-security-policy': expect.stringContaining("default-src 'none'") as unknown,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  })
  expect(headers).not.toHaveProperty('access-control-allow-origin')
  expect((await ask('/style')).headers['cache-control']).toBe('max-age=9')
})

it('says nothing of a fault but that there was one', async () => {
  const mount: Mount = (app) =>
    app.get('/broken', () => {
      throw new Error('erika@example.com')
    })
  const { ask, faults } = await serving({ mount })
  const { status, body } = await ask('/broken')
  expect(status).toBe(500)
  expect(body).not.toContain('erika')
  expect(faults).toHaveLength(1)
})
