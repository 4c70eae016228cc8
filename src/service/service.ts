// The client of the Contact Management Service: one limiter and one set of connections for all sessions,
// because the service counts the requests of all pipelines together. Counts are the session's own.
import type { CallResult, Clock, DailyAllowance, Random, ServiceSession } from '../core/ports.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { createContactCalls } from './contacts.ts'
import { createCustomFieldCalls } from './custom-fields.ts'
import { createTransport } from './http.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { perform } from './request.ts'
import type { CallContext, Counts, Perform, ServiceEvent } from './request.ts'
import { createTermCalls } from './terms.ts'
import { assertEncrypted } from './url.ts'

export interface ServiceDeps {
  readonly clock: Clock
  readonly random: Random
  /** Asked before every request; without it no day has a limit. */
  readonly daily?: DailyAllowance
  readonly onEvent?: (event: ServiceEvent) => void
}

export interface Service {
  /** The service for one run. The signal ends the waiting of its calls; requests already sent are let finish. */
  session(options: { readonly signal: AbortSignal }): ServiceSession
  /**
   * A cheap read that needs the key (GET /custom-fields; interface, 4.4): ok when the address, the network
   * and the key are right. `attempts` other than `service.retry.attempts`, for a person who waits.
   */
  probe(options?: { readonly signal?: AbortSignal; readonly attempts?: number }): Promise<CallResult<true>>
  /** Waits for the calls under way, then closes the connections. */
  close(): Promise<void>
}

/** Makes the client. Throws CONFIG_INVALID where the key would travel unencrypted. */
export function createService(settings: ServiceSettings, deps: ServiceDeps): Service {
  assertEncrypted(settings.baseUrl)
  const transport = createTransport(settings)
  const limiter = createRateLimiter(settings.rateLimit, deps)

  function context(signal: AbortSignal, counts: Counts): CallContext {
    const { clock, random } = deps
    return { settings, transport, limiter, clock, random, onEvent: deps.onEvent ?? ignore, signal, counts }
  }

  return {
    session({ signal }) {
      const counts: Counts = { requests: 0, retries: 0 }
      const bound = context(signal, counts)
      const send: Perform = (call) => perform(call, bound)
      return {
        counts,
        ...createContactCalls(settings, send),
        ...createTermCalls(settings, send),
        ...createCustomFieldCalls(settings, send),
      }
    },
    async probe({ signal = new AbortController().signal, attempts = settings.retry.attempts } = {}) {
      const bound = context(signal, { requests: 0, retries: 0 })
      const retry = { ...settings.retry, attempts }
      const send: Perform = (call) => perform(call, { ...bound, settings: { ...settings, retry } })
      const result = await createCustomFieldCalls(settings, send).customFields()
      return result.kind === 'ok' ? { ...result, value: true } : result
    },
    async close() {
      await limiter.idle()
      transport.close()
    },
  }
}

function ignore(): void {
  // Nobody listens.
}
