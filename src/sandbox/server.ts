// Serves the sandbox on loopback, and nowhere else.
import { serve } from '@hono/node-server'
import { SyncError } from '../core/words/errors.ts'
import type { Clock } from '../core/ports.ts'
import { type Habits, PLAIN_HABITS } from './habits.ts'
import { createRoutes } from './routes.ts'
import { openTables } from './tables.ts'

export interface SandboxOptions {
  /** 0 takes a free one. */
  readonly port: number
  readonly apiKey: string
  /** Keeps the data in this file; in memory otherwise. */
  readonly db?: string
  readonly habits?: Partial<Habits>
  readonly clock: Clock
}

/** A request as a test or a demo looks back at it. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly status: number
}

export interface Sandbox {
  /** What a configuration has as `base_url`. */
  readonly url: string
  readonly port: number
  /** The last requests, oldest first. */
  requests(): readonly SeenRequest[]
  close(): Promise<void>
}

const HOST = '127.0.0.1'
const REMEMBERED = 10_000

/** Throws USAGE when the port is taken. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const db = openTables(options.db)
  const habits = { ...PLAIN_HABITS, ...options.habits }
  const seen: SeenRequest[] = []
  const app = createRoutes({ db, apiKey: options.apiKey, habits, clock: options.clock })
  const answer = async (request: Request): Promise<Response> => {
    const response = await app.fetch(request)
    if (seen.length >= REMEMBERED) seen.shift()
    seen.push({ method: request.method, path: new URL(request.url).pathname, status: response.status })
    return response
  }
  const server = serve({ fetch: answer, hostname: HOST, port: options.port })
  const listening = Promise.withResolvers<undefined>()
  server.once('listening', () => listening.resolve(undefined))
  server.once('error', listening.reject)
  try {
    await listening.promise
  } catch (error) {
    db.close()
    throw new SyncError('USAGE', `port ${options.port} cannot be used`, {
      hint: 'Name another with --port; 0 takes a free one.',
      cause: error,
    })
  }
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  return {
    url: `http://${HOST}:${port}`,
    port,
    requests: () => seen,
    async close() {
      const closed = Promise.withResolvers<undefined>()
      server.close(() => closed.resolve(undefined))
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed.promise
      db.close()
    },
  }
}
