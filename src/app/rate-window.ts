// The one rate limit of all processes that ask the service of a configuration: it lies beside their state.
import type { SharedWindow } from '../core/ports.ts'
import type { Settings } from '../core/settings.ts'
import { createSharedWindow } from '../store/shared-window.ts'

/** `onAlone`: told once, where it cannot be shared, with the code of the error. */
export function sharedWindow(
  { service, state }: Settings,
  onAlone: (reason: string) => void = () => undefined,
): { shared: SharedWindow } {
  const { baseUrl, rateLimit, timeoutMs } = service
  const { perMs } = rateLimit
  return {
    shared: createSharedWindow(state.path, {
      service: new URL(baseUrl).href.replace(/\/+$/, ''),
      perMs,
      timeoutMs,
      onAlone,
    }),
  }
}
