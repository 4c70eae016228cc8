// The service that the benchmarks push to, in a process of its own: it keeps nothing but the number of each mail, so that
// what is measured is whoever asks it. `service.ts [LATENCY_MS] [WINDOW_MS]` prints its address; `GET /windows` tells how
// many requests came in all, how many in the fullest window, and how long the whole took.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const latencyMs = Number(process.argv[2] ?? 0)
const windowMs = Number(process.argv[3] ?? 1000)
const ids = new Map<string, number>()
const arrivals: number[] = []

const idOf = (mail: string): number => {
  const id = ids.get(mail) ?? ids.size + 1
  ids.set(mail, id)
  return id
}

/** A window begins with a request: no other one could hold more. */
function fullest(): number {
  let first = 0
  let most = 0
  arrivals.forEach((at, last) => {
    while (at - (arrivals[first] ?? at) >= windowMs) first += 1
    most = Math.max(most, last - first + 1)
  })
  return most
}

function answer({ method, url = '' }: IncomingMessage, body: string): unknown {
  if (url === '/windows')
    return {
      requests: arrivals.length,
      most: fullest(),
      took_ms: (arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0),
    }
  arrivals.push(performance.now())
  if (method === 'POST' && url.endsWith('/contacts')) {
    const { contacts } = JSON.parse(body) as { contacts: { mail: string }[] }
    return contacts.map(({ mail }) => ({ id: idOf(mail), email: mail }))
  }
  if (method === 'POST' && url.endsWith('/contact'))
    return { id: idOf((JSON.parse(body) as { contact: { mail: string } }).contact.mail) }
  return method === 'GET' ? [] : { success: 'true' }
}

function respond(request: IncomingMessage, response: ServerResponse, body: string): void {
  const text = JSON.stringify(answer(request, body))
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const body = Buffer.concat(parts).toString()
    if (latencyMs === 0) respond(request, response, body)
    else setTimeout(() => respond(request, response, body), latencyMs)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}` })}\n`)
})
