// Traces by real processes: what a collector gets, and that its absence affects nothing.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createRawServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAIN, openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

interface Attribute {
  readonly key: string
  readonly value: Record<string, unknown>
}
interface Span {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  readonly status: { readonly code?: number }
}
interface Delivery {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[]
  }[]
}

let shop: Workshop
let collector: Server
let deliveries: Delivery[]
let headers: unknown[]
/** Undefined: the collector never answers. */
let status: number | undefined

beforeEach(async () => {
  shop = await openWorkshop()
  deliveries = []
  headers = []
  status = 200
  collector = createServer((request, answer) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      deliveries.push(JSON.parse(body) as Delivery)
      headers.push([request.url, request.headers['x-team']])
      if (status !== undefined) answer.writeHead(status, { 'content-type': 'application/json' }).end('{}')
    })
  })
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
})
afterEach(async () => {
  collector.close()
  collector.closeAllConnections()
  await shop.close()
})

function traced(variables: Record<string, string>, ...args: string[]): Running {
  const port = (collector.address() as AddressInfo).port
  const all = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ...variables }
  const assigned = Object.entries(all).map(([name, value]) => `${name}=${value}`)
  return shop.startBy(['/usr/bin/env', ...assigned, process.execPath, MAIN], ...args)
}

const spans = (): Span[] =>
  deliveries.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  )
const valueOf = (attributes: readonly Attribute[], key: string): unknown =>
  Object.values(attributes.find((attribute) => attribute.key === key)?.value ?? {})[0]

it('a run is a trace of stages and requests, without anything personal', async () => {
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  const ended = await traced(
    { OTEL_EXPORTER_OTLP_HEADERS: 'x-team=sync', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test' },
    'run',
  ).ended
  expect(ended.code).toBe(0)
  expect(headers[0]).toEqual(['/v1/traces', 'sync'])
  const all = spans()
  const run = all.find(({ name }) => name === 'run')!
  expect(run.parentSpanId ?? '').toBe('')
  expect(valueOf(run.attributes, 'contact_sync.pipeline')).toBe('shop')
  expect(valueOf(run.attributes, 'contact_sync.created')).toBe(3)
  expect(valueOf(run.attributes, 'contact_sync.status')).toBe('ok')
  const stages = all.filter(({ parentSpanId }) => parentSpanId === run.spanId)
  expect(stages.map(({ name }) => name)).toEqual(expect.arrayContaining(['read', 'apply']))
  const request = all.find(({ name }) => name.startsWith('POST /contact'))!
  expect(stages.map(({ spanId }) => spanId)).toContain(request.parentSpanId)
  expect(valueOf(request.attributes, 'http.response.status_code')).toBe(200)
  expect(BigInt(request.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano))
  const resource = deliveries[0]!.resourceSpans[0]!.resource.attributes
  expect(valueOf(resource, 'service.name')).toBe('contact-sync')
  expect(valueOf(resource, 'deployment.environment')).toBe('test')
  const text = JSON.stringify(deliveries)
  for (const personal of ['person0', 'Vorname', 'K0', 'a.csv', 'canary-key'])
    expect(text).not.toContain(personal)
})

it('a run that fails says so', async () => {
  await shop.drop('shop', 'a.csv', peopleCsv(1))
  const ended = await traced({ BASE_URL: 'http://127.0.0.1:9' }, 'run').ended
  expect(ended.code).toBe(5)
  expect(spans().find(({ name }) => name === 'run')!.status.code).toBe(2)
  const request = spans().find(({ name }) => name.startsWith('POST /contact'))!
  expect(valueOf(request.attributes, 'error.type')).toBe('no_answer')
})

it.each([
  ['refuses', 500],
  ['never answers', undefined],
])('a collector that %s harms no run and delays its end by a moment at most', async (_, answer) => {
  status = answer
  await shop.drop('shop', 'a.csv', peopleCsv(2))
  const began = performance.now()
  const ended = await traced({}, 'run', '--json').ended
  expect(ended.code).toBe(0)
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'ok', pipelines: [{ created: 2 }] })
  expect(performance.now() - began).toBeLessThan(15_000)
  expect(deliveries.length).toBeGreaterThan(0)
})

it('a collector that answers with a change of protocol harms no run and delays its end by a moment at most', async () => {
  const sockets: Socket[] = []
  const raw = createRawServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
    socket.once('data', () => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'))
  }).listen(0, '127.0.0.1')
  await once(raw, 'listening')
  const endpoint = `http://127.0.0.1:${(raw.address() as AddressInfo).port}`
  await shop.drop('shop', 'a.csv', peopleCsv(2))
  const ended = await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, 'run', '--json').ended
  expect(ended.code).toBe(0)
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'ok', pipelines: [{ created: 2 }] })
  expect(sockets.length).toBeGreaterThan(0)
  for (const socket of sockets) socket.destroy()
  raw.close()
})

it.each([
  ['OTEL_SDK_DISABLED', { OTEL_SDK_DISABLED: 'true' }],
  ['OTEL_TRACES_EXPORTER', { OTEL_TRACES_EXPORTER: 'none' }],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
])('%s turns them off', async (_, variables: Record<string, string>) => {
  await shop.drop('shop', 'a.csv', peopleCsv(1))
  expect((await traced(variables, 'run').ended).code).toBe(0)
  expect(deliveries).toEqual([])
})

it('a daemon that ends sends what it has', async () => {
  await shop.configure(
    `service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}" }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
    schedule: "* * * * * *"
    source: { type: csv, folder: inbox/shop, settle: 0s }
    map: { mail: mail }
`,
  )
  await shop.drop('shop', 'a.csv', peopleCsv(1))
  const daemon = traced({}, 'start')
  await daemon.stderrHas(/"created":1/)
  daemon.process.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(143)
  expect(spans().map(({ name }) => name)).toEqual(expect.arrayContaining(['run', 'POST /contact']))
})
