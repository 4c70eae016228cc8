// Sessions of the console over two workers, by the program itself and as behind a load balancer that sends each request to
// whichever.
import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/system.ts'
import { openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../support/postgres-server.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 180_000 })

const ANNA = 'anna-has-this-token-81c2'

interface Worker {
  readonly running: Running
  readonly url: string
}

interface Page {
  readonly status: number
  readonly location: string
  readonly cookie: string
  readonly body: string
}

/** As a browser sends it from a page of the console. */
async function ask({ url }: Worker, path: string, cookie = '', form?: Record<string, string>): Promise<Page> {
  const answer = await fetch(`${url}${path}`, {
    redirect: 'manual',
    headers: { cookie, origin: url },
    ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
  })
  const [set = ''] = (answer.headers.get('set-cookie') ?? '').split(';')
  const location = answer.headers.get('location') ?? ''
  return { status: answer.status, location, cookie: set, body: await answer.text() }
}

const tokenIn = (body: string): string => /name="token" value="([^"]+)"/.exec(body)?.[1] ?? ''

describe.skipIf(POSTGRES === undefined)('the console of several workers', () => {
  let server: PostgresServer
  let shop: Workshop
  let workers: Worker[] = []
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => server.stop())
  beforeEach(async () => {
    shop = await openWorkshop()
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    const users = `users: [{ name: anna, token: ${ANNA}, role: operator }]`
    await shop.configure(
      yaml
        .replace(
          'state: { path: state/contact-sync.db }',
          `state: { path: state/s.db, url: "${server.url}" }`,
        )
        .replace('server: { port: 0 }', `server: { port: 0, ${users} }`),
    )
  })
  afterEach(async () => {
    for (const { running } of workers) {
      running.process.kill('SIGKILL')
      await running.ended
    }
    workers = []
    await server.query('DROP SCHEMA IF EXISTS contact_sync CASCADE')
    await shop.close()
  })

  async function start(): Promise<Worker> {
    const running = shop.start('start')
    const said = await running.stderrHas(/"daemon started".*"port":\d+|"port":\d+.*"daemon started"/)
    const worker = { running, url: `http://127.0.0.1:${/"port":(\d+)/.exec(said)?.[1] ?? ''}` }
    workers.push(worker)
    return worker
  }

  async function signIn(worker: Worker): Promise<string> {
    const { status, cookie } = await ask(worker, '/sign-in', '', { token: ANNA })
    expect(status).toBe(303)
    return cookie
  }

  /** Resolves with the page once it has this text. */
  async function untilHas(worker: Worker, path: string, cookie: string, text: string): Promise<Page> {
    const latest = systemClock.monotonic() + 60_000
    for (;;) {
      const page = await ask(worker, path, cookie)
      if (page.body.includes(text)) return page
      if (systemClock.monotonic() > latest) throw new Error(`it stays ${page.status}: ${page.body}`)
      await systemClock.sleep(100)
    }
  }

  const pauses = async (): Promise<unknown> =>
    JSON.parse((await shop.cli('audit', 'list', '--action', 'pause', '--json')).stdout)

  it('who signed in at one is signed in at the other, and what one has shown is confirmed at both, once', async () => {
    const [one, other] = [await start(), await start()]
    const cookie = await signIn(one)
    expect((await ask(other, '/', cookie)).body).toContain('anna (operator)')
    const shown = await ask(one, '/confirm', cookie, { kind: 'pause', pipeline: 'shop' })
    const form = { token: tokenIn(shown.body), reason: 'wrong export' }
    const clicks = await Promise.all(
      [one, other, one, other].map((worker) => ask(worker, '/decide', cookie, form)),
    )
    expect(clicks.map(({ status, location }) => [status, location])).toEqual(
      Array(4).fill([303, '/decided/1']),
    )
    for (const worker of [one, other]) await untilHas(worker, '/decided/1', cookie, 'Done.')
    expect(await pauses()).toMatchObject({
      entries: [{ action: 'pause', by: 'anna', note: 'wrong export' }],
      next: null,
    })
    const found = await ask(other, '/search', cookie, { q: 'nobody@example.com' })
    expect((await ask(one, found.location, cookie)).body).toContain('value="nobody@example.com"')
    expect((await ask(one, '/sign-out', cookie, {})).status).toBe(303)
    for (const worker of [one, other]) expect((await ask(worker, '/', cookie)).location).toBe('/sign-in')
  })

  it('a worker that was killed and started again knows who is signed in', async () => {
    const one = await start()
    const cookie = await signIn(one)
    one.running.process.kill('SIGKILL')
    await one.running.ended
    const again = await start()
    expect((await ask(again, '/', cookie)).body).toContain('anna (operator)')
  })

  it.each(['at a server', 'in a file'])(
    'a person who is erased is forgotten by sessions: %s',
    async (place) => {
      const yaml = await readFile(shop.path('config.yaml'), 'utf8')
      if (place === 'in a file') await shop.configure(yaml.replace(/, url: "[^"]*"/, ''))
      await shop.drop('shop', 'a.csv', peopleCsv(2))
      expect((await shop.cli('run')).code).toBe(0)
      const one = await start()
      const cookie = await signIn(one)
      const { location } = await ask(one, '/search', cookie, { q: 'person' })
      expect((await ask(one, location, cookie)).body).toContain('value="person"')
      expect((await shop.cli('audit', 'forget', 'person1@example.com', '--yes')).code).toBe(0)
      expect((await ask(one, location, cookie)).location).toBe('/search')
      expect((await ask(one, '/', cookie)).status).toBe(200)
    },
  )

  it('a server that is away is named by each page, and no one has to sign in again', async () => {
    const one = await start()
    const cookie = await signIn(one)
    const crash = server.crash(3000)
    const away = await untilHas(one, '/', cookie, 'The state cannot be reached')
    expect(away.status).toBe(503)
    expect((await ask(one, '/sign-in', '', { token: ANNA })).status).toBe(503)
    expect((await ask(one, '/healthz')).status).toBe(200)
    await crash
    await untilHas(one, '/', cookie, 'anna (operator)')
  })
})
