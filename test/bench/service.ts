// The service that the benchmarks push to, in a separate process: it keeps nothing but the number of each mail, so that
// what is measured is its client; with a latency also what it was sent, which a client looks up after a lost answer.
// `service.ts [LATENCY_MS] [cold]` prints its address; `cold`: every answer closes its connection.
// `GET /requests` lists when each request came and when it was answered; `GET /after/N` is answered when N have come.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const latencyMs = Number(process.argv[2] ?? 0)
const isCold = process.argv[3] === 'cold'
interface Sent {
  readonly mail: string
}

const ids = new Map<string, number>()
const kept = new Map<string, Sent>()
const requests: { at: number; answered: number; isWrite: boolean }[] = []
const awaited: { count: number; response: ServerResponse }[] = []

const idOf = (contact: Sent): number => {
  const { mail } = contact
  const id = ids.get(mail) ?? ids.size + 1
  ids.set(mail, id)
  if (latencyMs > 0) kept.set(mail, contact)
  return id
}

function withMail(url: string): readonly unknown[] {
  const [, name = ''] = /\/contact\/([^?]*)/.exec(url) ?? []
  const mail = decodeURIComponent(name)
  const contact = kept.get(mail)
  return contact === undefined ? [] : [{ id: ids.get(mail), ...contact }]
}

function answer({ method, url = '' }: IncomingMessage, body: string): unknown {
  if (method === 'POST' && url.endsWith('/contacts')) {
    const { contacts } = JSON.parse(body) as { contacts: Sent[] }
    return contacts.map((contact) => ({ id: idOf(contact), email: contact.mail }))
  }
  if (method === 'POST' && url.endsWith('/contact'))
    return { id: idOf((JSON.parse(body) as { contact: Sent }).contact) }
  return method === 'GET' ? withMail(url) : { success: 'true' }
}

function write(response: ServerResponse, value: unknown): void {
  const headers = { 'content-type': 'application/json', ...(isCold ? { connection: 'close' } : {}) }
  response.writeHead(200, headers).end(JSON.stringify(value))
}

function answerAwaited(): void {
  for (const { count, response } of awaited)
    if (requests.length >= count && !response.writableEnded) write(response, count)
}

/** What the bench asks, and the program never: it does not count. */
function tell(url: string, response: ServerResponse): boolean {
  if (url === '/requests') write(response, requests)
  else if (url.startsWith('/after/')) {
    awaited.push({ count: Number(url.slice(7)), response })
    answerAwaited()
  } else return false
  return true
}

function respond(request: IncomingMessage, response: ServerResponse, parts: readonly Buffer[]): void {
  write(response, answer(request, Buffer.concat(parts).toString()))
}

const server = createServer((request, response) => {
  const { method, url = '' } = request
  if (tell(url, response)) return
  const noted = { at: performance.now(), answered: Infinity, isWrite: method !== 'GET' }
  requests.push(noted)
  response.on('finish', () => (noted.answered = performance.now()))
  answerAwaited()
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    if (latencyMs === 0) respond(request, response, parts)
    else setTimeout(() => respond(request, response, parts), latencyMs)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}` })}\n`)
})
