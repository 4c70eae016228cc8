// The client of the Contact Management Service: one limiter and one set of connections for all sessions,
// because the service counts the requests of all pipelines together. Counts are the session's own.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock, Lane, Random, ServiceSession, SharedWindow } from '../core/ports.ts'
import { createRedaction } from '../core/words/secrets/redact.ts'
import type { RateUse, ServiceListener } from '../core/log/events/service-event.ts'
import type { ServiceSettings } from '../core/settings.ts'
import { createContactCalls } from './contacts.ts'
import { createCustomFieldCalls } from './custom-fields.ts'
import type { Transport } from './http.ts'
import { createLateTransport } from './late-transport.ts'
import { createKeyTrust } from './key-trust.ts'
import { createLists } from './pages.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { perform } from './request.ts'
import type { CallContext, RequestCounts, Perform } from './request.ts'
import { createTermCalls } from './terms.ts'
import { assertEncrypted } from './url.ts'

export interface ServiceDeps {
  readonly clock: Clock
  readonly random: Random
  /** The rate limit of all processes that ask this service, one after the other, too; without it no day has a limit. */
  readonly shared?: SharedWindow
  readonly onEvent?: ServiceListener | undefined
  /** In place of HTTP: how a simulated service is reached. */
  readonly transport?: Transport
}

export interface Service {
  /**
   * The service for one run. The signal ends the waiting of its calls; requests already sent are let finish.
   * `onEvent`: told of this session's calls alone. `attempts` in place of the configured number.
   */
  session(options: {
    readonly signal: AbortSignal
    readonly attempts?: number
    readonly onEvent?: ServiceListener
  }): ServiceSession
  /** Does the work; every call of any session that it makes goes before those of others. */
  ahead<T>(work: () => Promise<T>): Promise<T>
  /** How the rate limit stands, over all sessions. */
  rate(): RateUse
  /** Gives up on the requests under way: their outcome is unknown from then on. */
  cut(): void
  /** Waits for the calls under way, then closes the connections. */
  close(): Promise<void>
}

/** Makes the client. Throws CONFIG_INVALID where the key would travel unencrypted. */
export function createService(settings: ServiceSettings, deps: ServiceDeps): Service {
  assertEncrypted(settings.base_url)
  const transport = deps.transport ?? createLateTransport(settings)
  const mask = createRedaction([settings.api_key])
  const onPaused = (delayMs: number): void => deps.onEvent?.({ type: 'paused', delayMs })
  const limiter = createRateLimiter(settings.rate_limit, { ...deps, onPaused })
  const lanes = new AsyncLocalStorage<Lane>()

  function context(
    { signal, attempts, onEvent: own }: Parameters<Service['session']>[0],
    counts: RequestCounts,
  ): CallContext {
    const { clock, random } = deps
    const trust = createKeyTrust()
    const onEvent: ServiceListener = (event) => {
      deps.onEvent?.(event)
      own?.(event)
    }
    const retry = { ...settings.retry, ...(attempts === undefined ? {} : { attempts }) }
    return {
      settings: { ...settings, retry },
      mask,
      transport,
      limiter,
      lane: () => lanes.getStore() ?? 'others',
      trust,
      clock,
      random,
      onEvent,
      signal,
      counts,
    }
  }

  return {
    ahead: (work) => lanes.run('restrictions', work),
    rate: () => limiter.use(),
    session(options) {
      const counts: RequestCounts = { requests: 0, retries: 0 }
      const bound = context(options, counts)
      const send: Perform = (call) => perform(call, bound)
      const lists = createLists()
      return {
        counts,
        ...createContactCalls(settings, send, lists),
        ...createTermCalls(settings, send, lists),
        ...createCustomFieldCalls(settings, send, lists),
      }
    },
    cut: () => transport.close(),
    async close() {
      await limiter.idle()
      deps.shared?.close(deps.clock.now())
      transport.close()
    },
  }
}
