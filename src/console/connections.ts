// Bounds what the server holds open. A client that opens connections and sends nothing, or incomplete requests, must not
// keep health, metrics and pages from answering, nor fill the memory: beyond the limit the connection that has been
// silent for longest is closed, and only where all are at work the new one is.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Far more than probes, Prometheus, a proxy and some browsers keep open. */
const MOST_CONNECTIONS = 100

/** Passed to Node's server. A regular client has sent everything long before. */
export const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16_384,
} as const

const MOST_HEADERS = 100
/** Without a byte in either direction: a client that does not read the answer. */
const SILENT_MS = 120_000

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** To be called before the server listens. */
export function boundConnections(server: Server, most = MOST_CONNECTIONS): void {
  /** Those that nothing is done for: no whole request has come, or its answer is out. The longest silent comes first. */
  const silent = new Set<Socket>()
  let open = 0
  server.maxHeadersCount = MOST_HEADERS
  server.timeout = SILENT_MS
  server.on('connection', (socket) => {
    open += 1
    socket.once('close', () => {
      open -= 1
      silent.delete(socket)
    })
    if (open > most) {
      const [longest = socket] = silent
      silent.delete(longest)
      longest.destroy()
      if (longest === socket) return
    }
    silent.add(socket)
  })
  server.on('request', (request, response) => {
    const { socket } = request
    if (hasBody(request)) request.once('end', () => silent.delete(socket))
    else silent.delete(socket)
    response.once('close', () => {
      if (!socket.destroyed) silent.add(socket)
    })
  })
}
