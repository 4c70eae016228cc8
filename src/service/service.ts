// The client of the Contact Management Service: one limiter for everybody, a session for each run.
import type { CallResult, Clock, DailyAllowance, Random, ServiceSession } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { contactOperations, type Sender } from './contacts.ts'
import { createHttp } from './http.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { request, type RequestPorts, type ServiceEvent, type SessionCounts } from './request.ts'
import { readList } from './wire.ts'

export interface Service {
  /** Calls of a session are counted in it; after its signal nothing new is sent. */
  session(options: { signal: AbortSignal }): ServiceSession
  /** One authenticated read that every service has (interface, 4.4). `absent` also means that it answers. */
  probe(options: { signal: AbortSignal }): Promise<CallResult<true>>
  close(): Promise<void>
}

export interface ServiceDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly daily?: DailyAllowance
  onEvent?(event: ServiceEvent): void
}

export function createService(settings: ServiceSettings, dependencies: ServiceDependencies): Service {
  const { clock, random, daily, onEvent } = dependencies
  const http = createHttp(settings)
  const limiter = createRateLimiter(settings.rateLimit, clock)
  const ports: RequestPorts = {
    http,
    limiter,
    clock,
    random,
    settings,
    daily,
    onEvent: onEvent ?? (() => undefined),
  }
  const sender =
    (counts: SessionCounts, signal: AbortSignal): Sender =>
    (call) =>
      request(call, ports, counts, signal)
  return {
    session({ signal }) {
      const counts: SessionCounts = { requests: 0, retries: 0 }
      return { ...contactOperations(sender(counts, signal), settings), counts }
    },
    probe: ({ signal }) =>
      sender(
        { requests: 0, retries: 0 },
        signal,
      )<true>({
        method: 'GET',
        segments: ['custom-fields'],
        query: { limit: '1' },
        route: '/custom-fields',
        target: 'object',
        read: (body) => (readList(body) === undefined ? undefined : true),
        repeatable: true,
      }),
    async close() {
      http.close()
      return Promise.resolve()
    },
  }
}
