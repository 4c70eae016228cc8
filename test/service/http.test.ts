// One attempt against real sockets that misbehave: what was sent, what came back, and what never leaks.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:https'
import { resolve } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { TlsOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTransport } from '../../src/service/http.ts'
import type { Attempt, HttpRequest, Transport } from '../../src/service/http.ts'

const opened: (() => void)[] = []

afterEach(() => {
  for (const close of opened.splice(0)) close()
})

async function listen(server: Server): Promise<URL> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/public/api/V1/contact`)
}

function transport(timeoutMs = 5_000): Transport {
  const made = createTransport({ api_key: 'key-1', timeout: timeoutMs })
  opened.push(() => made.close())
  return made
}

async function ask(server: Server, request: Partial<HttpRequest> = {}, timeoutMs?: number): Promise<Attempt> {
  return transport(timeoutMs).send({ method: 'GET', url: await listen(server), ...request })
}

/** Answers every connection with these bytes, once the request has begun to arrive. */
function raw(answer: (socket: Socket) => void): Server {
  return createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'
const post = { method: 'POST', body: '{"contact":{}}' } as const

describe('an answer that changes the protocol', () => {
  it.each(['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'])(
    'is an answer, and not waited for any longer (%j)',
    async (headers) => {
      for (const request of [{}, post, { method: 'DELETE' } as const]) {
        const server = raw((socket) => socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers}\r\n`))
        expect(await ask(server, request, 60_000)).toMatchObject({ answered: true, status: 101 })
      }
    },
  )
})

describe('an answer', () => {
  it.each<[string, RequestListener, unknown]>([
    ['json', (_, res) => res.end('{"id":1}'), { kind: 'json', value: { id: 1 } }],
    ['json after a byte order mark', (_, res) => res.end('\uFEFF[1]'), { kind: 'json', value: [1] }],
    ['an empty body', (_, res) => res.writeHead(204).end(), { kind: 'other' }],
    [
      'a page',
      (_, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi</p>'),
      { kind: 'other' },
    ],
    ['a bare number, as in "404 page not found"', (_, res) => res.end('404'), { kind: 'other' }],
    ['null', (_, res) => res.end('null'), { kind: 'other' }],
    [
      'packed json',
      (_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"id":2}')),
      { kind: 'json', value: { id: 2 } },
    ],
    [
      'a broken package',
      (_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip at all'),
      { kind: 'broken' },
    ],
  ])('of %s', async (_, listener, body) => {
    expect(await ask(createServer(listener))).toMatchObject({ answered: true, body })
  })

  it('keeps its status and headers', async () => {
    const server = createServer((_, res) => res.writeHead(429, { 'Retry-After': '3' }).end())
    expect(await ask(server)).toMatchObject({ answered: true, status: 429, headers: { 'retry-after': '3' } })
  })

  it('of more than 8 MB is not fetched to its end, packed or not', async () => {
    const packed = gzipSync(Buffer.alloc(32 * 1024 * 1024, ' '))
    const bomb = createServer((_, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))
    expect(await ask(bomb)).toMatchObject({ status: 200, body: { kind: 'oversized' } })

    const closed = Promise.withResolvers<undefined>()
    const endless = createServer((_, res) => {
      res.once('close', () => closed.resolve(undefined))
      const more = (): void => void res.write(Buffer.alloc(65_536, ' '), (error) => error ?? more())
      more()
    })
    expect(await ask(endless)).toMatchObject({ status: 200, body: { kind: 'oversized' } })
    await closed.promise
  })

  it('with a redirect is handed back, not followed', async () => {
    let requests = 0
    const server = createServer((_, res) => {
      requests += 1
      res.writeHead(307, { location: '/elsewhere' }).end()
    })
    expect(await ask(server, post)).toMatchObject({ status: 307 })
    expect(requests).toBe(1)
  })
})

describe('a request', () => {
  it('carries the key, the types and nothing else that matters', async () => {
    const seen: Record<string, unknown>[] = []
    const server = createServer((req, res) => {
      let body = ''
      req.on('data', (chunk: Buffer) => (body += chunk.toString()))
      req.on('end', () => {
        seen.push({ method: req.method, url: req.url, body, headers: req.headers })
        res.end('{}')
      })
    })
    const url = await listen(server)
    const made = transport()
    await made.send({ url, ...post })
    await made.send({ url, method: 'DELETE' })
    await made.send({ url, method: 'GET' })
    const common = { authorization: 'Bearer key-1', accept: 'application/json', 'user-agent': 'contact-sync' }
    expect(seen).toMatchObject([
      { method: 'POST', body: '{"contact":{}}', headers: { ...common, 'content-type': 'application/json' } },
      { method: 'DELETE', body: '', headers: common },
      { method: 'GET', body: '', headers: common },
    ])
    expect(Object.keys(seen[2]!['headers'] as object)).not.toContain('content-type')
  })

  it('uses a connection again', async () => {
    const server = createServer((_, res) => res.end('{}'))
    let connections = 0
    server.on('connection', () => (connections += 1))
    const url = await listen(server)
    const made = transport()
    for (let call = 0; call < 3; call += 1) await made.send({ method: 'GET', url })
    expect(connections).toBe(1)
  })
})

describe('a failure before anything was sent', () => {
  it('is a refused connection', async () => {
    const server = createTcpServer()
    const url = await listen(server)
    server.close()
    await once(server, 'close')
    expect(await transport().send({ url, ...post })).toEqual({
      answered: false,
      sent: false,
      code: 'ECONNREFUSED',
    })
  })

  it('is a name that does not exist', async () => {
    const url = new URL('http://nowhere.invalid/public/api/V1/contact')
    const attempt = await transport().send({ url, ...post })
    expect(attempt).toMatchObject({ answered: false, sent: false })
  })

  it('is a peer with which no encryption can be agreed on', async () => {
    let requests = 0
    const withoutCertificate = createTlsServer({}, () => (requests += 1))
    const url = await listen(withoutCertificate)
    url.protocol = 'https:'
    const attempt = await transport().send({ url, ...post })
    expect(attempt).toEqual({ answered: false, sent: false, code: 'EPROTO' })
    expect(requests).toBe(0)
  })

  describe('is a peer whose certificate', () => {
    const trusted = getCACertificates()
    const pem = (name: string) =>
      readFileSync(resolve(import.meta.dirname, `../fixtures/tls/${name}.pem`), 'utf8')
    beforeAll(() => setDefaultCACertificates([...trusted, pem('authority')]))
    afterAll(() => setDefaultCACertificates(trusted))

    /** The attempt, and how many requests the peer has seen. */
    async function askPeer(options: TlsOptions) {
      let requests = 0
      const server = createTlsServer({ key: pem('key'), ...options }, (_, res) => {
        requests += 1
        res.end('{}')
      })
      const url = await listen(server)
      url.protocol = 'https:'
      return { attempt: await transport().send({ url, ...post }), requests: () => requests }
    }

    it('is good: that one alone gets the request', async () => {
      const { attempt, requests } = await askPeer({ cert: pem('good') })
      expect(attempt).toMatchObject({ answered: true, status: 200 })
      expect(requests()).toBe(1)
    })

    it.each([
      ['has expired', 'expired', 'CERT_HAS_EXPIRED'],
      ['is of another host, as after a name was led astray', 'other-host', 'ERR_TLS_CERT_ALTNAME_INVALID'],
      ['vouches for itself', 'self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ])('%s', async (_, name, code) => {
      const { attempt, requests } = await askPeer({ cert: pem(name) })
      expect(attempt).toEqual({ answered: false, sent: false, code })
      expect(requests()).toBe(0)
    })

    it('comes with an encryption of old', async () => {
      const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const
      const { attempt, requests } = await askPeer({ cert: pem('good'), ...old })
      expect(attempt).toMatchObject({ answered: false, sent: false })
      expect(requests()).toBe(0)
    })
  })

  it('is a peer that never ends the handshake', async () => {
    const url = await listen(createTcpServer(() => undefined))
    url.protocol = 'https:'
    expect(await transport(150).send({ url, ...post })).toEqual({
      answered: false,
      sent: false,
      code: 'ETIMEDOUT',
    })
  })
})

describe('a failure after that', () => {
  it.each<[string, (socket: Socket) => void, string]>([
    ['a reset', (socket) => socket.resetAndDestroy(), 'ECONNRESET'],
    ['an end without an answer', (socket) => socket.end(), 'ECONNRESET'],
    ['silence', () => undefined, 'ETIMEDOUT'],
    ['half a head', (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-'), 'ETIMEDOUT'],
    ['no HTTP', (socket) => socket.end('SSH-2.0-hello\r\n'), 'HPE_INVALID_CONSTANT'],
  ])('is %s', async (_, answer, code) => {
    expect(await ask(raw(answer), post, 200)).toEqual({ answered: false, sent: true, code })
  })

  it.each<[string, (socket: Socket) => void]>([
    [
      'is reset',
      (socket) => socket.write(`${HEAD}Content-Length: 20\r\n\r\n{"id"`, () => socket.resetAndDestroy()),
    ],
    ['ends early', (socket) => socket.end(`${HEAD}Content-Length: 20\r\n\r\n{"id":1}`)],
    ['never ends', (socket) => socket.write(`${HEAD}Content-Length: 20\r\n\r\n{"id":1}`)],
    [
      'loses its last chunk',
      (socket) => socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n8\r\n{"id":1}\r\n`),
    ],
  ])('is an answer that %s', async (_, answer) => {
    expect(await ask(raw(answer), post, 300)).toMatchObject({
      answered: true,
      status: 200,
      body: { kind: 'broken' },
    })
  })

  it('is a slow drip: the time-out is for the whole call', async () => {
    const drip = raw((socket) => {
      socket.write(`${HEAD}Content-Length: 1000\r\n\r\n`)
      const timer = setInterval(() => socket.write(' '), 20)
      socket.once('close', () => clearInterval(timer))
    })
    expect(await ask(drip, {}, 250)).toMatchObject({ status: 200, body: { kind: 'broken' } })
  })

  it('is a kept connection that the server closes as we write', async () => {
    let requests = 0
    const server = createServer((req, res) => {
      requests += 1
      if (requests === 1) res.end('{}')
      else req.socket.resetAndDestroy()
    })
    const url = await listen(server)
    const made = transport()
    await made.send({ method: 'GET', url })
    expect(await made.send({ url, ...post })).toMatchObject({ answered: false, sent: true })
    expect(requests).toBe(2)
  })
})
