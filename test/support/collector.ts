// A collector of logs for tests: a socket on loopback that keeps what it is sent, and can fail in the ways that one does.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface Collector {
  readonly to: string
  /** What it got over all connections that ended. */
  text(): string
  readonly connections: number
  close(): Promise<void>
}

/** `onData`: may end the connection instead of the collector. `stays`: it never closes its side. */
export async function startCollector({
  onData,
  stays = false,
  tls,
}: {
  onData?: (socket: Socket) => void
  stays?: boolean
  tls?: { key: string; cert: string }
} = {}): Promise<Collector> {
  const parts: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const take = (socket: Socket): void => {
    const own: Buffer[] = []
    connections += 1
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      own.push(chunk)
      onData?.(socket)
    })
    socket.on('end', () => {
      parts.push(Buffer.concat(own).toString())
      if (!stays) socket.end()
    })
  }
  const server =
    tls === undefined
      ? createServer({ allowHalfOpen: true }, take)
      : createTlsServer({ ...tls, allowHalfOpen: true }, take)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.on('tlsClientError', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    to: tls === undefined ? `tcp://127.0.0.1:${port}` : `tls://localhost:${port}`,
    text: () => parts.join(''),
    get connections() {
      return connections
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The messages of octet counting (RFC 6587); throws where the counts do not fit. */
export function octetCounted(text: string): readonly string[] {
  const messages: string[] = []
  for (let rest = Buffer.from(text); rest.length > 0;) {
    const [head, digits] = /^([1-9]\d*) /.exec(rest.subarray(0, 12).toString()) ?? []
    if (head === undefined) throw new Error('no count')
    const end = head.length + Number(digits)
    if (rest.length < end) throw new Error('cut off')
    messages.push(rest.subarray(head.length, end).toString())
    rest = rest.subarray(end)
  }
  return messages
}
