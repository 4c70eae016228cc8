// A service that is reached only through a proxy of the environment.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MAIN, openWorkshop, peopleCsv, type Program, type Running, type Workshop } from '../support/cli.ts'

interface Proxy {
  readonly url: string
  readonly asked: string[]
  close(): void
}

/** It refuses every connection after so many. */
async function openProxy(most = Infinity): Promise<Proxy> {
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const proxy: Server = createServer((_, response) => response.writeHead(405).end())
  proxy.on('connection', (socket: Socket) => sockets.add(socket))
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    const { hostname, port } = new URL(`http://${request.url ?? ''}`)
    asked.push(`${hostname}:${port}`)
    if (asked.length > most) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const there = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(there).pipe(socket)
    })
    socket.on('error', () => there.destroy())
    there.on('error', () => socket.destroy())
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
    },
  }
}

let place: Workshop
let sandbox: Running
let service: URL
const proxies: Proxy[] = []

/** The program with these in its environment. */
const within = (...env: string[]): Program => [
  'env',
  `NODE_EXTRA_CA_CERTS=${place.path('ca.pem')}`,
  ...env,
  process.execPath,
  MAIN,
]

async function proxied(most?: number): Promise<Proxy> {
  const proxy = await openProxy(most)
  proxies.push(proxy)
  return proxy
}

beforeEach(async () => {
  place = await openWorkshop()
  sandbox = place.start('sandbox', '--port', '0', '--json', '--tls', '--ca-file', place.path('ca.pem'))
  const [line] = (await once(sandbox.process.stdout!, 'data')) as [Buffer]
  service = new URL((JSON.parse(line.toString()) as { base_url: string }).base_url)
  await place.configure(
    `service: { base_url: "${service.href}", api_key: sandbox-key, retry: { attempts: 1 } }
state: { path: state/contact-sync.db }
pipelines:
  shop: { source: { type: csv, folder: inbox/shop, settle: 0s }, key: no, map: { mail: mail } }
`,
  )
  await place.drop('shop', 'a.csv', peopleCsv(3))
})
afterEach(async () => {
  sandbox.process.kill('SIGTERM')
  await sandbox.ended
  for (const proxy of proxies.splice(0)) proxy.close()
  await place.close()
})

it('is asked through it, over an encrypted connection, where Node is told to use it', async () => {
  const proxy = await proxied()
  const env = within('NODE_USE_ENV_PROXY=1', `HTTPS_PROXY=${proxy.url}`)
  const { code, stdout, stderr } = await place.startBy(env, 'run', '--json').ended
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ pipelines: [{ created: 3 }] })
  expect(new Set(proxy.asked)).toEqual(new Set([service.host]))
})

it('is asked directly where Node is not, and where NO_PROXY names its host', async () => {
  const proxy = await proxied()
  const proxyEnv = `HTTPS_PROXY=${proxy.url}`
  expect(await place.startBy(within(proxyEnv), 'check').ended).toMatchObject({ code: 0 })
  const except = within('NODE_USE_ENV_PROXY=1', proxyEnv, `NO_PROXY=${service.hostname}`)
  expect(await place.startBy(except, 'check').ended).toMatchObject({ code: 0 })
  expect(proxy.asked).toEqual([])
})

it('what the proxy refuses was not sent, and the next run sends it', async () => {
  const refusing = await proxied(0)
  const refused = within('NODE_USE_ENV_PROXY=1', `HTTPS_PROXY=${refusing.url}`)
  const { code, stdout } = await place.startBy(refused, 'run', '--json').ended
  expect(code).toBe(5)
  expect(JSON.parse(stdout)).toMatchObject({
    pipelines: [
      {
        created: 0,
        in_doubt: 0,
        code: 'SERVICE_UNREACHABLE',
        error: expect.stringMatching(/ERR_PROXY_TUNNEL/) as string,
      },
    ],
  })
  expect(JSON.parse((await place.startBy(within(), 'run', '--json').ended).stdout)).toMatchObject({
    pipelines: [{ created: 3, in_doubt: 0 }],
  })
})
