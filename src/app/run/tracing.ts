// Whether there are traces, and what the log says of them. Where no collector is named, nothing is loaded.
import type { Clock } from '../../core/ports.ts'
import type { RunWatcher } from '../../core/log/run-watcher.ts'
import type { Log } from '../../log/log.ts'

export interface Tracing {
  readonly watcher: RunWatcher
  /** Sends what is left, for a moment. */
  close(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

const NONE: Tracing = { watcher: {}, close: () => Promise.resolve() }

/** For one delivery, where the environment does not say otherwise: a process that ends must not hang on a collector. */
const DELIVERY_MS = 1_000
/** How long a process that ends waits for the last one. */
const LAST_DELIVERY_MS = 1_500

const isSet = (value: string | undefined): boolean => value !== undefined && value.trim() !== ''

/** By the standard names of OpenTelemetry. */
function isTraced(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true') return false
  if (env['OTEL_TRACES_EXPORTER'] === 'none') return false
  return isSet(env['OTEL_EXPORTER_OTLP_ENDPOINT']) || isSet(env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
}

const hasTimeout = (env: Environment): boolean =>
  isSet(env['OTEL_EXPORTER_OTLP_TIMEOUT']) || isSet(env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'])

/** Says once that traces are lost, and once that they are not any more. */
function tellDeliveries(log: Log, isOver: () => boolean): (isTaken: boolean) => void {
  let isLost = false
  return (isTaken) => {
    // The log is closed by then.
    if (isOver()) return
    if (isTaken && isLost) log.info('trace export restored')
    if (!isTaken && !isLost) log.warn('trace export failed')
    isLost = !isTaken
  }
}

export async function openTracing(
  env: Environment,
  { clock, log, version }: { clock: Clock; log: Log; version: string },
): Promise<Tracing> {
  if (!isTraced(env)) return NONE
  const { createTraces } = await import('../../traces/traces.ts')
  const timeoutMs = hasTimeout(env) ? undefined : DELIVERY_MS
  let isOver = false
  const onDelivery = tellDeliveries(log, () => isOver)
  const traces = createTraces({ version, timeoutMs, onDelivery })
  return {
    watcher: { begin: traces.begin },
    async close() {
      const waiting = new AbortController()
      await Promise.race([traces.close(), clock.sleep(LAST_DELIVERY_MS, waiting.signal)])
      waiting.abort()
      isOver = true
    },
  }
}
