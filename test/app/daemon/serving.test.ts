// What the daemon serves, by real sockets and with the gates that belong to it: which token opens what.
import { Agent, get, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openServing, serveDaemon } from '../../../src/app/daemon/serving.ts'
import { SERVER_LIMITS } from '../../../src/console/connections.ts'
import type { ConsoleServer } from '../../../src/console/server.ts'
import type { Log } from '../../../src/log/log.ts'
import { testClock } from '../../support/clock.ts'
import { testSettings } from '../../support/daemon.ts'

const TOKEN = 'the-token-of-the-console'
const METRICS_TOKEN = 'the-token-of-prometheus'
const servers: ConsoleServer[] = []

afterEach(async () => {
  await Promise.all(servers.splice(0).map(async (server) => server.close()))
})

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly form?: string
}

interface Answered {
  readonly status: number
  readonly cookie: string
  readonly location: string
  readonly body: string
}

const asking =
  ({ port }: ConsoleServer) =>
  async (path: string, { method = 'GET', headers = {}, form }: Asked = {}) =>
    new Promise<Answered>((done, fail) => {
      const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
      const asked = request(
        { port, host: '127.0.0.1', path, method, headers: { ...headers, ...type } },
        (answer) => {
          let body = ''
          answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
          const [cookie = ''] = String(answer.headers['set-cookie'] ?? '').split(';')
          const { statusCode: status = 0, headers: answered } = answer
          answer.on('end', () => done({ status, cookie, location: answered.location ?? '', body }))
        },
      )
      asked.on('error', fail)
      asked.end(form)
    })

const settingsWith = (tokens: { token?: string; metricsToken?: string }) =>
  testSettings([], {
    server: {
      host: '127.0.0.1',
      port: 0,
      hosts: [],
      users: [],
      token: tokens.token,
      metrics_token: tokens.metricsToken,
    },
  })

const served = (tokens: { token?: string; metricsToken?: string }, counts: number, faults: string[]) => ({
  log: { error: (message: string) => faults.push(message) } as unknown as Log,
  settings: () => settingsWith(tokens),
  condition: () => ({
    running: true,
    stateOpen: true,
    paused: new Map(),
    startedAt: 0,
    pause: undefined,
    refusedReload: undefined,
    pipelines: [],
  }),
  progress: () => [],
  state: { noteReads: () => Promise.resolve() },
  decide: () => Promise.resolve(),
  metrics: { contentType: 'text/plain', text: () => Promise.resolve(`counts ${counts}\n`) },
})

async function serving(tokens: { token?: string; metricsToken?: string }) {
  const faults: string[] = []
  const server = await serveDaemon({ ...served(tokens, 1, faults), clock: testClock() })
  servers.push(server)
  return { ask: asking(server), port: server.port, faults }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const PAGES = ['/', '/runs', '/contacts/1', '/log', '/rejects', '/configuration', '/search/1', '/nowhere']

describe('the token for metrics', () => {
  it('opens metrics, under any name', async () => {
    const { ask } = await serving({ token: TOKEN, metricsToken: METRICS_TOKEN })
    expect((await ask('/metrics', { headers: bearer(METRICS_TOKEN) })).status).toBe(200)
    const headers = { ...bearer(METRICS_TOKEN), host: 'contact-sync:8080' }
    expect((await ask('/metrics', { headers })).status).toBe(200)
  })

  it('opens nothing else: no page, no page under a foreign name, no session', async () => {
    const { ask } = await serving({ token: TOKEN, metricsToken: METRICS_TOKEN })
    for (const path of PAGES) {
      const { status, location } = await ask(path, { headers: bearer(METRICS_TOKEN) })
      expect([path, status, location.split('?')[0]]).toEqual([path, 303, '/sign-in'])
    }
    const foreign = { ...bearer(METRICS_TOKEN), host: 'elsewhere.example' }
    expect((await ask('/runs', { headers: foreign })).status).toBe(421)
  })

  it('is no token to sign in with', async () => {
    const { ask } = await serving({ token: TOKEN, metricsToken: METRICS_TOKEN })
    const headers = { 'sec-fetch-site': 'same-origin' }
    const refused = await ask('/sign-in', { method: 'POST', headers, form: `token=${METRICS_TOKEN}` })
    expect([refused.status, refused.cookie]).toEqual([401, ''])
    const taken = await ask('/sign-in', { method: 'POST', headers, form: `token=${TOKEN}` })
    expect(taken.cookie).not.toBe('')
  })

  it('opens metrics where no token of the console is configured, and the console stays closed', async () => {
    const { ask } = await serving({ metricsToken: METRICS_TOKEN })
    expect((await ask('/metrics', { headers: bearer(METRICS_TOKEN) })).status).toBe(200)
    expect((await ask('/', { headers: bearer(METRICS_TOKEN) })).status).toBe(403)
    expect((await ask('/metrics', { headers: bearer('another') })).status).toBe(401)
  })
})

it('the token of the console opens metrics as before', async () => {
  for (const tokens of [{ token: TOKEN }, { token: TOKEN, metricsToken: METRICS_TOKEN }]) {
    const { ask } = await serving(tokens)
    expect((await ask('/metrics', { headers: bearer(TOKEN) })).status).toBe(200)
    expect((await ask('/', { headers: bearer('another') })).status).toBe(303)
    expect((await ask('/metrics')).status).toBe(401)
  }
})

it('metrics are closed where neither token is configured', async () => {
  const { ask } = await serving({})
  expect((await ask('/metrics', { headers: bearer('undefined') })).status).toBe(403)
})

describe('connections that say nothing, or a request by halves', () => {
  const HALVES = [
    ['nothing', ''],
    ['half a header', 'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: aaaa'],
    [
      'half a body',
      'POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 500\r\n\r\ntoken=',
    ],
  ] as const

  it.each(HALVES)(
    'by the hundred with %s leave health answering, and are closed beyond the limit',
    async (_, text) => {
      const { ask, port, faults } = await serving({ token: TOKEN })
      const sockets: Socket[] = []
      let closed = 0
      try {
        for (let opened = 0; opened < 200; opened += 1) {
          const socket = connect(port, '127.0.0.1')
          sockets.push(socket)
          socket.on('error', () => undefined).once('close', () => (closed += 1))
          await new Promise((done) => socket.once('connect', done))
          socket.write(text)
        }
        const asked = performance.now()
        expect((await ask('/healthz')).status).toBe(200)
        expect((await ask('/metrics', { headers: bearer(TOKEN) })).status).toBe(200)
        expect(performance.now() - asked).toBeLessThan(2000)
        await expect.poll(() => closed).toBeGreaterThanOrEqual(100)
        expect(sockets.filter(({ destroyed }) => !destroyed).length).toBeLessThanOrEqual(100)
        expect(faults).toEqual([])
      } finally {
        for (const socket of sockets) socket.destroy()
      }
    },
  )

  it('are not kept for longer than anybody in earnest needs, and headers are bounded', async () => {
    expect(SERVER_LIMITS.headersTimeout).toBeLessThanOrEqual(10_000)
    const { port } = await serving({ token: TOKEN })
    const socket = connect(port, '127.0.0.1')
    const answer = new Promise<string>((done) => {
      let text = ''
      socket.on('data', (chunk) => (text += chunk.toString())).on('close', () => done(text))
    })
    socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`)
    expect(await answer).toMatch(/^HTTP\/1\.1 431 /)
  })
})

it('one address that keeps its connection open is served again and again', async () => {
  const { port } = await serving({ token: TOKEN })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    for (let time = 0; time < 3; time += 1) {
      const status = await new Promise<number | undefined>((done, fail) => {
        get({ port, host: '127.0.0.1', path: '/healthz', agent }, (answer) => {
          answer.resume().on('end', () => done(answer.statusCode))
        }).on('error', fail)
      })
      expect(status).toBe(200)
    }
  } finally {
    agent.destroy()
  }
})

describe('while the only account is away, as when its state at a server is', () => {
  const TOKENS = { token: TOKEN, metricsToken: METRICS_TOKEN }
  async function away() {
    const serving = openServing({
      clock: testClock(),
      log: served(TOKENS, 0, []).log,
      outlives: true,
    })
    const join = async (counts: number) => serving.join(served(TOKENS, counts, []))
    const first = await join(1)
    servers.push({ port: first.port, close: () => serving.close() })
    const ask = asking(first)
    const headers = { 'sec-fetch-site': 'same-origin' }
    const signIn = async () => ask('/sign-in', { method: 'POST', headers, form: `token=${TOKEN}` })
    return { ask, join, first, signIn }
  }
  /** Answered before any data is asked for. */
  const SEARCH = '/search'

  it('the console says so, and no session ends by it', async () => {
    const { ask, join, first, signIn } = await away()
    const { cookie } = await signIn()
    expect((await ask(SEARCH, { headers: { cookie } })).status).toBe(200)
    await first.close()
    for (const { status, body } of [await ask(SEARCH, { headers: { cookie } }), await signIn()]) {
      expect(status).toBe(503)
      expect(body).toContain('The state cannot be reached')
    }
    expect((await ask('/healthz')).status).toBe(200)
    await join(2)
    expect((await ask(SEARCH, { headers: { cookie } })).status).toBe(200)
  })

  it('metrics are refused with 503, and are those of now once it is back', async () => {
    const { ask, join, first } = await away()
    const headers = bearer(METRICS_TOKEN)
    expect(await ask('/metrics', { headers })).toMatchObject({ status: 200, body: 'counts 1\n' })
    await first.close()
    expect((await ask('/metrics', { headers })).status).toBe(503)
    expect((await ask('/metrics', { headers: bearer('another') })).status).toBe(401)
    await join(2)
    expect(await ask('/metrics', { headers })).toMatchObject({ status: 200, body: 'counts 2\n' })
  })
})
