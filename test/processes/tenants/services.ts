// The services of all tenants, in a process of their own that prints its address: each has an address (`/NAME`), a key (`key-of-NAME`)
// and contacts of its own. It keeps only what is checked in the end, so that it is never slower than the daemon. `GET /seen` lists what
// each was asked; the service of `refused` refuses every key.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fullestWindow } from '../../bench/cost/rate-use.ts'

interface Service {
  readonly name: string
  readonly ids: Map<string, number>
  /** When requests came, in milliseconds. */
  readonly times: number[]
  /** Contacts that were created more than once. */
  twice: number
  /** Requests with the key of another tenant, and contacts of another one. */
  foreign: number
}

/** What a service was asked. */
export interface Seen {
  readonly requests: number
  readonly contacts: number
  readonly twice: number
  readonly foreign: number
  /** Requests in the fullest second. */
  readonly fullest: number
}

const services = new Map<string, Service>()

function serviceOf(name: string): Service {
  const service = services.get(name) ?? { name, ids: new Map(), times: [], twice: 0, foreign: 0 }
  services.set(name, service)
  return service
}

function create(service: Service, mail: string): number {
  if (!mail.endsWith(`@${service.name}.example.com`)) service.foreign += 1
  if (service.ids.has(mail)) service.twice += 1
  const id = service.ids.size + 1
  service.ids.set(mail, id)
  return id
}

function answer(service: Service, { method, url = '' }: IncomingMessage, body: string): unknown {
  if (method === 'POST' && url.endsWith('/contacts')) {
    const { contacts } = JSON.parse(body) as { contacts: { mail: string }[] }
    return contacts.map(({ mail }) => ({ id: create(service, mail), email: mail }))
  }
  if (method === 'POST' && url.endsWith('/contact'))
    return { id: create(service, (JSON.parse(body) as { contact: { mail: string } }).contact.mail) }
  return method === 'GET' ? [] : { success: 'true' }
}

function write(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const seen = (): Record<string, Seen> =>
  Object.fromEntries(
    [...services.values()].map(({ name, ids, times, twice, foreign }) => [
      name,
      { requests: times.length, contacts: ids.size, twice, foreign, fullest: fullestWindow(times, 1000) },
    ]),
  )

const server = createServer((request, response) => {
  if (request.url === '/seen') return write(response, 200, seen())
  const service = serviceOf(request.url?.split('/')[1] ?? '')
  service.times.push(performance.now())
  const key = request.headers.authorization ?? ''
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    if (key !== `Bearer key-of-${service.name}`) {
      service.foreign += 1
      return write(response, 401, { error: true, message: 'another key' })
    }
    if (service.name === 'refused') return write(response, 401, { error: true, message: 'no such key' })
    write(response, 200, answer(service, request, Buffer.concat(parts).toString()))
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
