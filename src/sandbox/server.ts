// Serves the sandbox: on loopback unless another host is named, with faults and control where they are asked for.
import { createServer as createTlsServer } from 'node:https'
import { type HttpBindings, serve } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { SyncError } from '../core/words/errors.ts'
import type { Clock } from '../core/ports.ts'
import { createCertificate, type ServerCertificate } from './certificate.ts'
import { CONTROL, type Controlled, controlRoutes } from './control/control.ts'
import { createFaults, type Fault } from './control/faults.ts'
import { createSeen, type SandboxRequest, shownBody } from './control/seen.ts'
import { type Habits, PLAIN_HABITS } from './habits.ts'
import { createRoutes, PREFIX } from './routes.ts'
import { definitionsOf, plant, type Seed } from './seed.ts'
import { clearTables, openTables } from './tables.ts'

export interface SandboxOptions {
  /** 0 takes a free one. */
  readonly port: number
  /** Where it listens; loopback alone where it is unset. */
  readonly host?: string
  readonly apiKey: string
  /** Keeps the data in this file; in memory otherwise. */
  readonly db?: string
  readonly habits?: Partial<Habits>
  /** What it holds at the beginning, and after a reset; a file that has contacts or terms is left as it is. */
  readonly seed?: Seed
  /** Opens `/_sandbox/`. */
  readonly control?: boolean
  /** Answers over TLS, with a certificate made for loopback, `host` and these names. */
  readonly tls?: { readonly names: readonly string[] }
  readonly clock: Clock
}

export interface Sandbox {
  /** What a configuration has as `base_url`. */
  readonly url: string
  readonly port: number
  /** What clients must trust, where it answers over TLS. */
  readonly tls: Omit<ServerCertificate, 'privateKey'> | undefined
  /** The last requests, oldest first; their bodies only under `control`. */
  requests(): readonly SandboxRequest[]
  /** What `/_sandbox/` does, without a request. */
  readonly control: Pick<Controlled, 'faults' | 'changeHabits' | 'reset'>
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

/** Carried out, and the connection closed: after half of the answer, or without any. */
async function cutOff(response: Response, { do: what }: Fault, { outgoing }: HttpBindings): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer())
  if (what === 'truncated') {
    const headers = { ...Object.fromEntries(response.headers), 'content-length': String(body.length) }
    outgoing.writeHead(response.status, headers)
    const half = body.subarray(0, Math.floor(body.length / 2))
    await new Promise<void>((done) => void outgoing.write(half, () => done()))
  }
  outgoing.destroy()
}

/** What it is made of while it runs: habits may change, the rest stays. */
function createWorld({ db: file, seed, apiKey, clock, ...options }: SandboxOptions) {
  const db = openTables(file)
  const seen = createSeen()
  const faults = createFaults()
  const first = { ...PLAIN_HABITS, ...options.habits }
  const definitions = definitionsOf(seed)
  let habits: Habits = first
  const routes = () => createRoutes({ db, apiKey, habits, clock, definitions })
  let app = routes()
  const changeHabits = (changed: Partial<Habits>): void => {
    habits = { ...habits, ...changed }
    app = routes()
  }
  const isEmpty = db.prepare('SELECT 1 FROM contact UNION ALL SELECT 1 FROM term LIMIT 1').get() === undefined
  if (seed !== undefined && isEmpty) plant(db, seed, first)
  const controlled = {
    db,
    faults,
    habits: () => habits,
    changeHabits,
    requests: () => seen.all,
    reset(): void {
      clearTables(db)
      seen.clear()
      faults.clear()
      changeHabits(first)
      if (seed !== undefined) plant(db, seed, first)
    },
  }
  const isControlled = options.control === true
  return {
    db,
    seen,
    faults,
    clock,
    controlled,
    isControlled,
    answer: (request: Request) => app.fetch(request),
  }
}

type World = ReturnType<typeof createWorld>

/** A request with what may happen to it. */
async function handle(
  { seen, faults, clock, isControlled, answer }: World,
  request: Request,
  bindings: HttpBindings,
): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const path = pathname.startsWith(PREFIX) ? pathname.slice(PREFIX.length) : pathname
  const fault = faults.take({ method: request.method, path })
  const body = isControlled ? await request.clone().text() : ''
  const note = (status: number): void => {
    const { method } = request
    seen.note({ method, path: pathname, query: search, body: shownBody(body), status })
  }
  if (fault?.do === 'reset') {
    note(0)
    bindings.outgoing.destroy()
    return RESPONSE_ALREADY_SENT
  }
  if (fault?.do === '503') {
    note(503)
    return Response.json({ error: true, message: 'the service is not available' }, { status: 503 })
  }
  const response = await answer(request)
  if (fault === undefined || fault.do === 'delay') {
    if (fault !== undefined) await clock.sleep(fault.ms)
    note(response.status)
    return response
  }
  note(0)
  await cutOff(response, fault, bindings)
  return RESPONSE_ALREADY_SENT
}

const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::'

function certificateFor({ tls, host = LOOPBACK, clock }: SandboxOptions): ServerCertificate | undefined {
  if (tls === undefined) return undefined
  const names = ['localhost', LOOPBACK, '::1', ...(isAny(host) ? [] : [host]), ...tls.names]
  return createCertificate([...new Set(names)], clock.now())
}

/** How the server is made, where it is to answer over TLS. */
const overTls = ({ certificate, privateKey }: ServerCertificate) => ({
  createServer: createTlsServer,
  serverOptions: { cert: certificate, key: privateKey },
})

/** Throws USAGE when the port is taken, or the seed cannot be planted. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host = LOOPBACK, port: wanted, control = false } = options
  const world = createWorld(options)
  const controlApp = control ? controlRoutes(world.controlled) : undefined
  const fetch = (request: Request, bindings: HttpBindings): Promise<Response> | Response => {
    const { pathname } = new URL(request.url)
    const isControl = pathname === CONTROL || pathname.startsWith(`${CONTROL}/`)
    if (controlApp !== undefined && isControl) return controlApp.fetch(request)
    return handle(world, request, bindings)
  }
  const certificate = certificateFor(options)
  const server = serve({
    ...{ fetch: fetch as never, hostname: host, port: wanted },
    ...(certificate === undefined ? {} : overTls(certificate)),
  })
  const listening = Promise.withResolvers<undefined>()
  server.once('listening', () => listening.resolve(undefined))
  server.once('error', listening.reject)
  try {
    await listening.promise
  } catch (error) {
    world.db.close()
    throw new SyncError('USAGE', `port ${wanted} cannot be used on ${host}`, {
      hint: 'Name another with --port; 0 takes a free one.',
      cause: error,
    })
  }
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : wanted
  const shown = isAny(host) ? LOOPBACK : host
  const scheme = certificate === undefined ? 'http' : 'https'
  return {
    url: `${scheme}://${shown.includes(':') ? `[${shown}]` : shown}:${port}`,
    port,
    tls: certificate && { certificate: certificate.certificate, fingerprint: certificate.fingerprint },
    control: world.controlled,
    requests: () => world.seen.all,
    async close() {
      const closed = Promise.withResolvers<undefined>()
      server.close(() => closed.resolve(undefined))
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed.promise
      world.db.close()
    },
  }
}
