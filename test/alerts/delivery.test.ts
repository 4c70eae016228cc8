// Messages by real sockets: what a webhook and a mail server get, and what is said when they do not take it.
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { setGlobalProxyFromEnv } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { deliver, receiverName } from '../../src/alerts/delivery.ts'
import { testMessage } from '../../src/core/alerts/alert-message.ts'
import type { Receiver } from '../../src/core/alerts/receiver.ts'
import { startMailServer, startWebhook } from '../support/receivers.ts'

const AT = Date.parse('2026-06-10T12:00:00.900Z')
const message = { ...testMessage({ at: AT, service: 'a.b.example.com' }), id: 'abc-7' }
const options = { timeoutMs: 5_000, at: AT, signal: new AbortController().signal }
const open: { close(): Promise<void> }[] = []

async function kept<T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> {
  const started = await starting
  open.push(started)
  return started
}

afterEach(async () => {
  await Promise.all(open.splice(0).map(async (one) => one.close()))
})

describe('a webhook', () => {
  const to = (url: string, more: Partial<Extract<Receiver, { kind: 'webhook' }>> = {}): Receiver => ({
    kind: 'webhook',
    url,
    format: 'json',
    secret: undefined,
    ...more,
  })

  it('gets the message as JSON, with its id', async () => {
    const hook = await kept(startWebhook())
    expect(await deliver(to(hook.url), message, options)).toEqual({ delivered: true })
    const [post] = hook.posts
    expect(post!.path).toBe('/hook/T000/secret-part')
    expect(post!.headers['content-type']).toBe('application/json')
    expect(post!.headers['x-contact-sync-signature']).toBeUndefined()
    expect(JSON.parse(post!.body)).toEqual(message)
  })

  it('that answers with a change of protocol has not taken it', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const delivery = await deliver(to(`http://127.0.0.1:${port}/`), message, {
      ...options,
      timeoutMs: 60_000,
    })
    expect(delivery).toEqual({ delivered: false, reason: 'answered with 101' })
    server.close()
  })

  it('on this machine is reached without a proxy of the environment', async () => {
    const [hook, proxy] = [await kept(startWebhook()), await kept(startWebhook())]
    const restore = setGlobalProxyFromEnv({ http_proxy: new URL(proxy.url).origin })
    try {
      expect(await deliver(to(hook.url), message, options)).toEqual({ delivered: true })
      expect([hook.posts.length, proxy.posts.length]).toEqual([1, 0])
    } finally {
      restore()
    }
  })

  it('can check that the message is ours, and of now', async () => {
    const hook = await kept(startWebhook())
    await deliver(to(hook.url, { secret: 'shared' }), message, options)
    const { headers, body } = hook.posts[0]!
    const timestamp = String(headers['x-contact-sync-timestamp'])
    expect(timestamp).toBe('1781092800')
    const hmac = createHmac('sha256', 'shared').update(`${timestamp}.${body}`).digest('hex')
    expect(headers['x-contact-sync-signature']).toBe(`v1=${hmac}`)
  })

  it('of Slack and its like gets a text', async () => {
    const hook = await kept(startWebhook())
    await deliver(to(hook.url, { format: 'slack' }), message, options)
    const body = JSON.parse(hook.posts[0]!.body) as { text: string }
    expect(Object.keys(body)).toEqual(['text'])
    expect(body.text).toContain('*contact-sync: test message*')
  })

  it.each([500, 404, 302])(
    'that answers %d has not taken it, and is not followed elsewhere',
    async (status) => {
      const hook = await kept(startWebhook())
      hook.answers(status)
      expect(await deliver(to(hook.url), message, options)).toEqual({
        delivered: false,
        reason: `answered with ${status}`,
      })
      expect(hook.posts).toHaveLength(1)
    },
  )

  it('that does not answer is given up after a while', async () => {
    const hook = await kept(startWebhook())
    hook.answers(undefined)
    const result = await deliver(to(hook.url), message, { ...options, timeoutMs: 100 })
    expect(result).toEqual({ delivered: false, reason: 'no answer (ETIMEDOUT)' })
  })

  it('that is not there, or whose address is wrong, is said without its address', async () => {
    const hook = await startWebhook()
    await hook.close()
    const result = await deliver(to(hook.url), message, options)
    expect(result).toEqual({ delivered: false, reason: 'no answer (ECONNREFUSED)' })
  })

  it('is left when the process ends', async () => {
    const hook = await kept(startWebhook())
    hook.answers(undefined)
    const ending = new AbortController()
    const delivering = deliver(to(hook.url), message, { ...options, signal: ending.signal })
    await hook.told(1)
    ending.abort()
    expect(await delivering).toMatchObject({ delivered: false })
  })

  it('is named by its host alone', () => {
    expect(receiverName(to('https://hooks.example.com/T0/secret?x=1'))).toBe('webhook hooks.example.com')
  })
})

describe('mail', () => {
  const by = (port: number, more: Partial<Extract<Receiver, { kind: 'mail' }>> = {}): Receiver => ({
    kind: 'mail',
    host: '127.0.0.1',
    port,
    security: 'plain',
    user: undefined,
    password: undefined,
    from: 'sync@example.com',
    to: ['ops@example.com', 'other@example.com'],
    ...more,
  })

  it('comes as plain text, to everybody, with a name that stays the same', async () => {
    const server = await kept(startMailServer())
    expect(await deliver(by(server.port), message, options)).toEqual({ delivered: true })
    const [mail] = server.mails
    expect(mail!.to).toEqual(['ops@example.com', 'other@example.com'])
    expect(mail!.text).toMatch(/^Subject: contact-sync: test message\r$/m)
    expect(mail!.text).toMatch(/^Message-ID: <abc-7@contact-sync>\r$/m)
    expect(mail!.text).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(mail!.text).toMatch(/^Content-Type: text\/plain/m)
    expect(mail!.text).toContain('Nothing is wrong.')
  })

  it('signs in where a user is given', async () => {
    const server = await kept(
      startMailServer({
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: ({ username, password }, _, done) =>
          username === 'ops' && password === 'right'
            ? done(null, { user: 'ops' })
            : done(new Error('no, erika@example.com')),
      }),
    )
    expect(await deliver(by(server.port, { user: 'ops', password: 'right' }), message, options)).toEqual({
      delivered: true,
    })
    const wrong = await deliver(by(server.port, { user: 'ops', password: 'wrong' }), message, options)
    expect(wrong).toEqual({ delivered: false, reason: 'not accepted (EAUTH 535)' })
  })

  it('is not sent to another machine that does not encrypt', async () => {
    const server = await kept(startMailServer())
    const result = await deliver(by(server.port, { security: 'starttls' }), message, options)
    expect(result).toMatchObject({
      delivered: false,
      reason: expect.stringMatching(/^not accepted \(E/) as string,
    })
    expect(server.mails).toEqual([])
  })

  it('is left when the process ends, however silent the server is', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const ending = new AbortController()
    const { port } = server.address() as AddressInfo
    const connected = once(server, 'connection')
    const patient = { ...options, timeoutMs: 10_000, signal: ending.signal }
    const delivering = deliver(by(port), message, patient)
    const [socket] = (await connected) as [Socket]
    ending.abort()
    expect(await delivering).toEqual({ delivered: false, reason: 'not accepted (EABORT)' })
    socket.destroy()
    server.close()
  })

  it('that nobody takes is said by a code', async () => {
    const server = await startMailServer()
    await server.close()
    expect(await deliver(by(server.port), message, options)).toEqual({
      delivered: false,
      reason: 'not accepted (ESOCKET)',
    })
    expect(receiverName(by(25))).toBe('mail by 127.0.0.1')
  })
})
