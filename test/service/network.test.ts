// The client against real sockets that misbehave: what can be known of a request whose answer never came.
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createService, type Service } from '../../src/service/service.ts'
import { systemClock } from '../../src/system.ts'
import { serviceSettings } from '../support/pipeline.ts'

let server: Server | undefined
let service: Service | undefined
const sockets = new Set<Socket>()

async function sessionAgainst(behave: (socket: Socket) => void, timeoutMs = 300) {
  server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    behave(socket)
  })
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  service = createService(serviceSettings({ baseUrl: `http://127.0.0.1:${port}`, timeoutMs }), {
    clock: systemClock,
    random: () => 0,
  })
  return service.session({ signal: new AbortController().signal })
}

afterEach(async () => {
  await service?.close()
  for (const socket of sockets) socket.destroy()
  sockets.clear()
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)))
  server = undefined
})

const create = {
  duplicateCheckMethod: 'none',
  duplicateMergeMethod: 'update_add',
  repeatable: false,
} as const
const head = (length: number): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

describe('a request', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['is never answered', (socket) => socket.resume()],
    ['meets a reset', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['meets a closed connection', (socket) => socket.once('data', () => socket.end())],
    ['gets half an answer', (socket) => socket.once('data', () => socket.write(`${head(100)}{"id":`))],
    ['gets an answer that is cut', (socket) => socket.once('data', () => socket.end(`${head(100)}{"id":`))],
    ['gets a body that is no JSON', (socket) => socket.once('data', () => socket.end(`${head(3)}{"i`))],
    [
      'gets an endless body',
      (socket) =>
        socket.once('data', () => {
          const chunk = Buffer.alloc(1024 * 1024, 0x20)
          socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n')
          const more = (): void => {
            if (socket.writable) socket.write(chunk, more)
          }
          more()
        }),
    ],
  ])('that %s may have been applied', async (_, behave) => {
    const session = await sessionAgainst(behave, 2000)
    expect(await session.createContact({ mail: 'a@x.de' }, create)).toMatchObject({
      kind: 'unknown',
      request: { attempts: 1 },
    })
  })

  it('that finds nobody listening was not applied', async () => {
    const session = await sessionAgainst((socket) => socket.end())
    await new Promise((resolve) => server?.close(resolve))
    expect(await session.createContact({ mail: 'a@x.de' }, create)).toMatchObject({
      kind: 'not_applied',
      summary: 'no connection (ECONNREFUSED)',
    })
  })

  it('to a name that is nobody was not applied', async () => {
    service = createService(serviceSettings({ baseUrl: 'https://nobody.invalid' }), {
      clock: systemClock,
      random: () => 0,
    })
    const session = service.session({ signal: new AbortController().signal })
    expect(await session.createContact({ mail: 'a@x.de' }, create)).toMatchObject({ kind: 'not_applied' })
  })
})
