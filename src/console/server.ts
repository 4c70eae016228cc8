// The HTTP side of the daemon: for now health alone. Says nothing about contacts, so it asks for no token.
import { serve, type ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { SyncError } from '../core/errors.ts'
import type { ServerSettings } from '../core/settings.ts'
import { type DaemonState, readiness } from './health.ts'

export interface ConsoleServer {
  readonly port: number
  close(): Promise<void>
}

function routes(daemon: () => DaemonState): Hono {
  const app = new Hono()
  app.get('/healthz', (context) => context.json({ status: 'ok' }))
  app.get('/readyz', (context) => {
    const { ready, reasons } = readiness(daemon())
    return context.json({ status: ready ? 'ready' : 'not ready', reasons }, ready ? 200 : 503)
  })
  app.notFound((context) => context.json({ error: 'not found' }, 404))
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
export async function startConsole(
  settings: ServerSettings,
  daemon: () => DaemonState,
): Promise<ConsoleServer> {
  const server = serve({ fetch: routes(daemon).fetch, hostname: settings.host, port: settings.port })
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
