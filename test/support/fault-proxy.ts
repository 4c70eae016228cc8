// A proxy on loopback between the program and the sandbox that disturbs what goes through it: by a script that is
// asked about every request, once with the request not yet handed on ("before"), or with the service having applied
// it ("after"). What it did stands in its record.
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'

export type Moment = 'before' | 'after'

export type Fault =
  | { readonly kind: 'pass' }
  /** RST in place of an answer. */
  | { readonly kind: 'reset'; readonly moment: Moment }
  /** No answer and no FIN, as from a machine that lost its power. */
  | { readonly kind: 'silence'; readonly moment: Moment }
  /** The service's own answer, whole, but so much later. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The service's own answer, byte by byte, until past the deadline; cut short by FIN; or by RST. */
  | { readonly kind: 'drip' | 'truncated' | 'torn' }
  /** Another answer than the service's. */
  | { readonly kind: 'failure'; readonly status: 500 | 502 | 503 | 504; readonly moment: Moment }
  | { readonly kind: 'page' | 'redirect'; readonly moment: Moment }
  | { readonly kind: 'garbage'; readonly body: string; readonly moment: Moment }
  /** Never after applying: that a service which says 429 has done nothing is the one thing that must be believed. */
  | { readonly kind: 'throttled'; readonly headers: Readonly<Record<string, string>> }
  /** The client sees a reset, and the service gets the request a little after that. */
  | { readonly kind: 'late'; readonly ms: number }
  /** The program is killed; `dead` and `sent-on`: before the service has the request, which then is lost or still arrives. */
  | { readonly kind: 'kill'; readonly moment: 'dead' | 'sent-on' | 'applied' | 'half-answered' }
  | { readonly kind: 'kill'; readonly moment: 'answered'; readonly ms: number }

export interface Passing {
  /** Counted from 1 over the life of the proxy. */
  readonly number: number
  readonly method: string
  readonly path: string
  readonly isWrite: boolean
  readonly body: string
}

export interface Passed extends Omit<Passing, 'body'> {
  readonly fault: Fault
  /** The status that the service gave; absent where it never saw the request. */
  status?: number
}

export interface FaultProxy {
  readonly url: string
  readonly record: readonly Passed[]
  /** Requests that followed a redirect. */
  followed(): number
  close(): Promise<void>
}

export interface FaultProxyOptions {
  /** The service's address. */
  readonly target: string
  /** `service.timeout` of the program: a drip takes longer than this. */
  readonly deadlineMs: number
  script(passing: Passing): Fault
  /** Ends the program at once; resolves when it is dead. */
  kill?(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

const HOST = '127.0.0.1'
const LOGIN = '/user/login'
const PAGE = '<!doctype html><title>Wartung</title><h1>Wir sind gleich wieder da</h1>'

const html = (status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: Buffer.from(PAGE),
})

/** What the client gets in place of the service's answer; undefined where it gets that. */
function foreignAnswer(fault: Fault): Answer | undefined {
  switch (fault.kind) {
    case 'failure':
      return html(fault.status)
    case 'page':
      return html(200)
    case 'garbage':
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(fault.body),
      }
    case 'redirect':
      return { status: 302, headers: { location: LOGIN }, body: Buffer.alloc(0) }
    case 'throttled':
      return { ...html(429), headers: { ...fault.headers, 'content-type': 'text/html' } }
    default:
      return undefined
  }
}

/** Whether the service gets the request, however the client sees it. */
const reachesService = (fault: Fault): boolean =>
  fault.kind === 'kill'
    ? fault.moment !== 'dead'
    : fault.kind !== 'throttled' && !('moment' in fault && fault.moment === 'before')

function head(response: ServerResponse, { status, headers, body }: Answer): void {
  const { 'content-type': type, location, ...others } = headers
  response.writeHead(status, {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(location === undefined ? {} : { location }),
    ...Object.fromEntries(Object.entries(others).filter(([name]) => /retry-after|rate-?limit/.test(name))),
    'content-length': body.length,
  })
}

function give(response: ServerResponse, answer: Answer): void {
  head(response, answer)
  response.end(answer.body)
}

async function writeHalf(response: ServerResponse, answer: Answer): Promise<void> {
  head(response, answer)
  const half = answer.body.subarray(0, Math.ceil(answer.body.length / 2))
  await new Promise<void>((written) => response.write(half, () => written()))
}

async function drip(response: ServerResponse, answer: Answer, deadlineMs: number): Promise<void> {
  head(response, answer)
  const everyMs = (deadlineMs * 2) / answer.body.length
  for (const byte of answer.body) {
    if (response.destroyed) return
    response.write(Buffer.of(byte))
    await pause(everyMs)
  }
  response.end()
}

/** Gives the client the service's answer, or as much of it as the fault leaves. */
async function deliver(
  response: ServerResponse,
  { answer, fault, deadlineMs }: { answer: Answer; fault: Fault; deadlineMs: number },
): Promise<void> {
  switch (fault.kind) {
    case 'drip':
      return drip(response, answer, deadlineMs)
    case 'slow':
      await pause(fault.ms)
      return give(response, answer)
    case 'truncated':
      await writeHalf(response, answer)
      response.socket?.end()
      return
    case 'torn':
      await writeHalf(response, answer)
      response.socket?.resetAndDestroy()
      return
    default:
      return give(response, foreignAnswer(fault) ?? answer)
  }
}

function forwarder(target: string) {
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(target)
  const forward = async (incoming: IncomingMessage, body: Buffer): Promise<Answer> => {
    const { method, url: path, headers } = incoming
    const outgoing = request({ agent, hostname, port, method, path, headers: { ...headers, host: hostname } })
    outgoing.end(body)
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) }
  }
  return { forward, close: () => agent.destroy() }
}

type Forward = ReturnType<typeof forwarder>['forward']

interface Exchange {
  readonly incoming: IncomingMessage
  readonly body: Buffer
  readonly response: ServerResponse
  readonly passed: Passed
  readonly forward: Forward
}

async function kill(exchange: Exchange, options: FaultProxyOptions): Promise<void> {
  const { incoming, body, response, passed, forward } = exchange
  const { fault } = passed
  const end = options.kill ?? (async () => Promise.reject(new Error('nobody said how to kill')))
  if (fault.kind !== 'kill') return
  if (fault.moment === 'dead') return end()
  if (fault.moment === 'sent-on') await end()
  const answer = await forward(incoming, body)
  passed.status = answer.status
  if (fault.moment === 'half-answered') await writeHalf(response, answer)
  if (fault.moment === 'answered') {
    await deliver(response, { answer, fault, deadlineMs: options.deadlineMs })
    await pause(fault.ms)
  }
  await end()
}

async function late({ incoming, body, response, passed, forward }: Exchange, ms: number): Promise<void> {
  response.socket?.resetAndDestroy()
  await pause(ms)
  passed.status = (await forward(incoming, body)).status
}

async function exchange(given: Exchange, options: FaultProxyOptions): Promise<void> {
  const { incoming, body, response, passed, forward } = given
  const { fault } = passed
  if (fault.kind === 'kill') return kill(given, options)
  if (fault.kind === 'late') return late(given, fault.ms)
  const answer = reachesService(fault) ? await forward(incoming, body) : html(500)
  if (reachesService(fault)) passed.status = answer.status
  if (fault.kind === 'silence') return
  if (fault.kind === 'reset') response.socket?.resetAndDestroy()
  else await deliver(response, { answer, fault, deadlineMs: options.deadlineMs })
}

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const record: Passed[] = []
  let followed = 0
  const { forward, close } = forwarder(options.target)
  const pass = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url: path = '/' } = incoming
    const body = await buffer(incoming)
    if (path.startsWith(LOGIN)) followed += 1
    const passing = { number: record.length + 1, method, path, isWrite: method !== 'GET' }
    const fault = options.script({ ...passing, body: body.toString() })
    const passed: Passed = { ...passing, fault }
    record.push(passed)
    await exchange({ incoming, body, response, passed, forward }, options)
  }
  const server = createServer((incoming, response) => {
    // A client that has gone in the middle of it is what most of the faults are about.
    pass(incoming, response).catch(() => incoming.socket.destroy())
  })
  // Whoever answers nothing must not be cut off by a time-out of this server.
  server.requestTimeout = 0
  server.keepAliveTimeout = 60_000
  server.listen(0, HOST)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${HOST}:${port}`,
    record,
    followed: () => followed,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      close()
      await closed
    },
  }
}
