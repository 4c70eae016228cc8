// The console over a real state with a past: a line of runs has left contacts, changes, rejects and a held plan; the pages
// are asked over real sockets, with the cookie that they gave.
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { correctableReject } from '../../src/app/people/correctable.ts'
import { explainRecords } from '../../src/app/people/explain.ts'
import { createMemorySessions } from '../../src/store/sessions/memory-sessions.ts'
import { pageRoutes } from '../../src/console/page-routes.ts'
import type { SessionStore } from '../../src/core/console-sessions.ts'
import type { Decision } from '../../src/core/decision.ts'
import type { NotedRead } from '../../src/core/log/reads.ts'
import type { StateLocation } from '../../src/core/state-place.ts'
import type { ConsoleData, LiveView } from '../../src/console/data.ts'
import { startConsole } from '../../src/console/server.ts'
import { createTokenGate, type TokenOwner } from '../../src/console/token.ts'
import { openForReading } from '../../src/store/file/database.ts'
import { createLogViews } from '../../src/store/log/log-views.ts'
import { openState } from '../../src/store/state-store.ts'
import { createStateViews } from '../../src/store/views/views.ts'
import { createExplainViews } from '../../src/store/views/views-explain.ts'
import { testClock } from '../support/clock.ts'
import { people, testLine } from '../support/line.ts'
import { GUARDS, pipelineSettings, serviceSettings } from '../support/pipeline.ts'

export const TOKEN = 'a-long-and-random-token'
export const MARKUP = '<script>alert("x")</script>'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>>
}

/** What a browser says that sends a form of our own page. */
const OWN = { 'sec-fetch-site': 'same-origin' }

/** Three runs of `shop`: 60 people, one changed and two rejected, then half of them gone, which a guard holds. */
export async function pastAt(where: StateLocation): Promise<void> {
  const state = openState(where, { pid: 1, since: 0, thorough: false })
  const terms = { ...testLine().pipeline.terms, policy: 'managed' as const, assign: [{ name: 'Customer' }] }
  const pipeline = { mode: 'full' as const, on_missing: 'delete' as const, guards: GUARDS, terms }
  const line = testLine({ pipeline, state })
  line.source.drop('monday.csv', people(60))
  await line.run()
  const changed = people(60).map(([no = '', mail = '', first = '', last = '', phone = '']) =>
    no === 'K7' ? [no, mail, MARKUP, 'Neumann', phone] : [no, mail, first, last, phone],
  )
  const rejected = ['K61', 'not a mail', MARKUP, 'Kap\u202eutt', '']
  line.source.drop('tuesday.csv', [...changed, rejected, ['K62', 'one', 'two']])
  await line.run()
  line.source.drop('wednesday.csv', [...changed.slice(0, 31), rejected])
  await line.run()
  await state.close()
}

function live(now: number): LiveView {
  const pipeline = { schedule: '*/15 * * * *', timezone: undefined, dueAt: now + 60_000 }
  const rate = { requests: 5, per: 1000, concurrency: 4, per_day: 50_000 }
  const pipelines = [{ ...pipeline, name: 'shop', watches: false, running: false }]
  return {
    version: '1.2.3',
    now,
    startedAt: now - 90_000,
    ready: true,
    reasons: [],
    refusedReload: undefined,
    pipelines,
    rate,
    progress: [],
  }
}

async function send(port: number, path: string, { method, headers, form }: Ask): Promise<Answer> {
  const body = form === undefined ? undefined : new URLSearchParams(form).toString()
  const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  return new Promise((done, fail) => {
    const verb = method ?? (body === undefined ? 'GET' : 'POST')
    const options = { port, host: '127.0.0.1', path, method: verb, headers: { ...type, ...headers } }
    const asked = request(options, (answer) => {
      let text = ''
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()))
      answer.on('end', () => done({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }))
    })
    asked.on('error', fail)
    asked.end(body)
  })
}

export interface Desk {
  readonly clock: ReturnType<typeof testClock>
  readonly faults: unknown[]
  /** What was decided. */
  readonly decisions: readonly Decision[]
  /** Looks at data of persons, as they were noted. */
  readonly reads: readonly NotedRead[]
  readonly data: ConsoleData
  token: string | undefined
  /** Of `server.users`. */
  users: readonly TokenOwner[]
  /** Their names; all have the same data. */
  accounts: readonly string[]
  ask(path: string, options?: Ask): Promise<Answer>
  /** Signs in with the token, or that of the desk; gives the headers of a browser that is signed in. */
  signIn(token?: string): Promise<{ cookie: string; 'sec-fetch-site': string }>
  /** A page, signed in. */
  page(path: string): Promise<Answer>
  close(): Promise<void>
}

/** `past` makes the state that the pages are about; `kept` are sessions that other desks share. */
export async function openDesk(
  change: (data: ConsoleData) => ConsoleData = (data) => data,
  past: (path: string) => Promise<void> = pastAt,
  kept?: SessionStore,
): Promise<Desk> {
  const folder = await mkdtemp(join(tmpdir(), 'desk-'))
  const path = join(folder, 'state.db')
  await past(path)
  const db = openForReading(path)
  if (db === undefined) throw new Error('no state')
  const clock = testClock(Date.UTC(2026, 0, 1, 0, 1))
  const now = (): number => clock.now()
  const reads: NotedRead[] = []
  const decisions: Decision[] = []
  const data = change({
    views: createStateViews(db, now),
    log: createLogViews(db, path, now),
    live: () => live(now()),
    counting: () => ({ approvers: [], settings: {} }),
    requestsOfDay: () => undefined,
    explain: async (contactId, name) => {
      const pipeline = pipelineSettings({ source: { type: 'csv', null_values: [], folder } })
      const { records } = await createStateViews(db, now).person(contactId)
      const key = records.find((record) => record.pipeline === name)?.key ?? ''
      const state = { ...createExplainViews(db), ...createLogViews(db, path, now) }
      return (await explainRecords(key, { settings: { service: serviceSettings() }, pipeline, state }))[0]
    },
    correctable: async (id, typed) => {
      const shop = pipelineSettings({ source: { type: 'csv', null_values: [], folder } })
      const state = { ...createStateViews(db, now), ...createExplainViews(db) }
      const settings = { service: serviceSettings(), pipelines: [shop] }
      return correctableReject({ id, typed }, { settings, state, clock })
    },
    brakes: () => [],
    drift: () => [],
    configuration: () => [{ path: 'pipelines.shop.key', value: 'no' }],
    alerts: () => Promise.resolve([]),
    testAlerts: () => Promise.resolve({ isDone: true, text: 'webhook hooks.example: delivered' }),
    noteRead: (read) => void reads.push(read),
    decide: async (decision) => {
      decisions.push(decision)
      return Promise.resolve({ isDone: true, text: 'Done.' })
    },
  })
  const sessions = kept ?? createMemorySessions(clock)
  const gate = createTokenGate(() => [{ token: desk.token }, ...desk.users], clock)
  const accounts = () => desk.accounts.map((name) => ({ name, data, isOpenTo: () => true }))
  const faults: unknown[] = []
  const onFault = (error: unknown): void => void faults.push(error)
  const server = await startConsole(
    { host: '127.0.0.1', port: 0, hosts: [], users: [], token: TOKEN, metrics_token: undefined },
    {
      mounts: [pageRoutes({ accounts, gate, clock, sessions, onFault })],
      gateOf: () => gate,
      names: () => [],
      onFault,
    },
  )
  const desk: Desk = {
    clock,
    faults,
    reads,
    decisions,
    data,
    token: TOKEN,
    users: [],
    accounts: ['default'],
    ask: async (asked, options = {}) => send(server.port, asked, options),
    async signIn(token = TOKEN) {
      const { headers } = await desk.ask('/sign-in', { form: { token }, headers: OWN })
      const [cookie = ''] = String(headers['set-cookie']).split(';')
      return { cookie, ...OWN }
    },
    page: async (asked) => desk.ask(asked, { headers: await desk.signIn() }),
    async close() {
      await server.close()
      db.close()
      await rm(folder, { recursive: true })
    },
  }
  return desk
}
