// An interface with people, as sources ask it: a test says how it pages, and what becomes of each request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PeopleServer {
  readonly url: string
  readonly asked: { method: string; url: URL; headers: IncomingMessage['headers']; body: string }[]
  close(): Promise<void>
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text as it is; anything else as JSON. */
  readonly body?: unknown
  /** The connection is closed in place of an answer. */
  readonly isLost?: boolean
  /** The answer changes the protocol, and the connection stays open. */
  readonly isUpgrade?: boolean
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, body = '', isLost = false, isUpgrade = false }: Reply,
): void {
  if (isLost) return void response.destroy()
  if (isUpgrade)
    return void response.socket?.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    )
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body))
}

export async function peopleServer(
  reply: (asked: PeopleServer['asked'][number], number: number) => Reply,
): Promise<PeopleServer> {
  const asked: PeopleServer['asked'] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', `http://${request.headers.host ?? ''}`)
      const one = {
        method: request.method ?? '',
        url,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      }
      asked.push(one)
      send(response, reply(one, asked.length))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
