// The HTTP side of the daemon: one server over sets of routes. What they share (names, headers, the end of a connection)
// is here; what they say is in their own files.
import { createServer, type Server } from 'node:http'
import { createAdaptorServer, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { SyncError } from '../core/words/errors.ts'
import type { ServerSettings } from '../core/settings.ts'
import { boundConnections, SERVER_LIMITS } from './connections.ts'
import { isBrokenOff, ownHostOnly, safeHeaders } from './guarded.ts'
import type { TokenGate } from './token.ts'

export interface ConsoleServer {
  readonly port: number
  close(): Promise<void>
}

/** Adds its routes: health, metrics, pages. */
export type Mount = (app: Hono) => void

interface Parts {
  readonly mounts: readonly Mount[]
  /** Whose token lets a request for the path pass under any name. */
  gateOf(path: string): TokenGate
  /** The names of the configuration, asked each time: a reload may have changed them. */
  readonly names: () => readonly string[]
  /** A bug within a route; the client gets no details. */
  onFault(error: unknown): void
}

function routes({ mounts, gateOf, names, onFault }: Parts): Hono {
  const app = new Hono()
  app.use(safeHeaders, ownHostOnly(names, gateOf))
  for (const mount of mounts) mount(app)
  app.notFound((context) => context.json({ error: 'not found' }, 404))
  app.onError((error, context) => {
    if (!isBrokenOff(context)) onFault(error)
    return context.json({ error: 'internal error; see the log' }, 500)
  })
  return app
}

async function listening(server: ServerType, settings: ServerSettings): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  server.once('listening', () => resolve(undefined))
  server.once('error', reject)
  try {
    await promise
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const hint = 'Set server.port to a free port.'
    throw new SyncError('USAGE', `cannot listen on ${settings.host}:${settings.port} (${code})`, {
      hint,
      cause: error,
    })
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : settings.port
}

/** Throws USAGE when the port is taken. */
export async function startConsole(settings: ServerSettings, parts: Parts): Promise<ConsoleServer> {
  const server = createAdaptorServer({
    fetch: routes(parts).fetch,
    createServer,
    serverOptions: SERVER_LIMITS,
  }) as Server
  boundConnections(server)
  server.listen(settings.port, settings.host)
  const port = await listening(server, settings)
  return {
    port,
    async close() {
      const closed = Promise.withResolvers<undefined>()
      server.close(() => closed.resolve(undefined))
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed.promise
    },
  }
}
