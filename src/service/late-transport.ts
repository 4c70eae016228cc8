// The HTTP client, loaded by the first request: a run without changes sends none.
import type { ServiceSettings } from '../core/settings.ts'
import type { Transport } from './http.ts'

export function createLateTransport(settings: Pick<ServiceSettings, 'api_key' | 'timeout'>): Transport {
  let loading: Promise<Transport> | undefined
  const load = async (): Promise<Transport> => {
    const { createTransport } = await import('./http.ts')
    return createTransport(settings)
  }
  return {
    async send(request) {
      loading ??= load()
      return (await loading).send(request)
    },
    async handOver(records) {
      await (await loading)?.handOver?.(records)
    },
    close() {
      // Where it could not be loaded, its request has said so.
      loading?.then(
        (transport) => transport.close(),
        () => undefined,
      )
    },
  }
}
