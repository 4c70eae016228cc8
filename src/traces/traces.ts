// Runs, their stages and their requests as spans of OpenTelemetry, sent to a collector. Loaded only where one is named.
// Attributes are names of the configuration, routes, statuses and counts: never an id of a contact, a file or a person.
// No header of a trace is sent to the service: it is none of its business which runs belong together.
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import type { RunWatcher, WatchedRun } from '../core/log/run-watcher.ts'
import type { RequestEvent, ServiceEvent } from '../core/log/events/service-event.ts'
import { OUTCOMES } from '../core/outcome/summary.ts'

export interface Traces extends Required<Pick<RunWatcher, 'begin'>> {
  /** Sends what is left; resolves in any case, and soon. */
  close(): Promise<void>
}

interface Options {
  readonly version: string
  /** How long the collector may take for one delivery; undefined: as the environment says. */
  readonly timeoutMs: number | undefined
  /** Whether a delivery was taken: told after each. */
  onDelivery(isTaken: boolean): void
}

/** Tells how each delivery went; nothing else says so. */
function telling(exporter: SpanExporter, onDelivery: Options['onDelivery']): SpanExporter {
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        onDelivery(result.error === undefined)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

function requestSpan(tracer: Tracer, parent: Context, event: RequestEvent): void {
  const { method, path, status, attempt, sentAt, durationMs, waitedMs } = event
  const span = tracer.startSpan(
    `${method} ${path}`,
    {
      kind: SpanKind.CLIENT,
      startTime: sentAt,
      attributes: {
        'http.request.method': method,
        'url.template': path,
        'http.request.resend_count': attempt - 1,
        'contact_sync.rate_wait_ms': Math.round(waitedMs),
        ...(status === undefined ? { 'error.type': 'no_answer' } : { 'http.response.status_code': status }),
      },
    },
    parent,
  )
  if (status === undefined || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end(sentAt + durationMs)
}

function endRun(span: Span, result: Parameters<WatchedRun['end']>[0]): void {
  if (result === undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'broken' })
    return span.end()
  }
  for (const outcome of OUTCOMES) span.setAttribute(`contact_sync.${outcome}`, result[outcome])
  span.setAttributes({
    'contact_sync.status': result.status,
    'contact_sync.read': result.read,
    'contact_sync.requests': result.requests,
    'contact_sync.retries': result.retries,
  })
  if (result.status === 'failed')
    span.setStatus({
      code: SpanStatusCode.ERROR,
      ...(result.code === undefined ? {} : { message: result.code }),
    })
  span.end()
}

function watchRun(tracer: Tracer, { pipeline, runId }: { pipeline: string; runId: string }): WatchedRun {
  const attributes = { 'contact_sync.pipeline': pipeline, 'contact_sync.run_id': runId }
  const run = tracer.startSpan('run', { attributes }, ROOT_CONTEXT)
  const ofRun = trace.setSpan(ROOT_CONTEXT, run)
  let stage: { readonly name: string; readonly span: Span } | undefined
  return {
    stage(name) {
      if (stage?.name === name) return
      stage?.span.end()
      stage = { name, span: tracer.startSpan(name, { attributes }, ofRun) }
    },
    onService(event: ServiceEvent) {
      const parent = stage === undefined ? ofRun : trace.setSpan(ofRun, stage.span)
      if (event.type === 'request') requestSpan(tracer, parent, event)
      else if (event.type === 'throttled')
        (stage?.span ?? run).addEvent('throttled', { delay_ms: event.delayMs })
    },
    end(result) {
      stage?.span.end()
      endRun(run, result)
    },
  }
}

/** The collector, its headers and what else belongs to the resource are read from the environment, by the standard names. */
export function createTraces({ version, timeoutMs, onDelivery }: Options): Traces {
  const exporter = new OTLPTraceExporter(timeoutMs === undefined ? {} : { timeoutMillis: timeoutMs })
  const own = resourceFromAttributes({ 'service.name': 'contact-sync', 'service.version': version })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter: telling(exporter, onDelivery) })],
  })
  const tracer = provider.getTracer('contact-sync', version)
  return {
    begin: (run) => watchRun(tracer, run),
    async close() {
      try {
        await provider.shutdown()
      } catch {
        // Said by onDelivery; a trace that is lost must not change how a command ends.
      }
    },
  }
}
