// The state at a PostgreSQL server, by the program itself: one process, then several that share the work.
import { execFileSync } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/system.ts'
import { openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'
import { startWebhook, type Webhook } from '../support/receivers.ts'
import { POSTGRES, type PostgresServer, startPostgres, startReplicated } from '../support/postgres-server.ts'

// Each command is a separate process, and a machine may be slow.
vi.setConfig({ testTimeout: 180_000 })

/** The server asks for none, so this one is only to be looked for. */
const PASSWORD = 'canary-pass-81c2'

const METRICS_TOKEN = 'metrics-'.repeat(4)

const NAMES = ['shop', 'crm', 'fair', 'club'] as const

describe.skipIf(POSTGRES === undefined)('the state at a server', () => {
  let server: PostgresServer
  let shop: Workshop
  let hook: Webhook
  const daemons: Running[] = []
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => server.stop())
  beforeEach(async () => {
    shop = await openWorkshop()
    hook = await startWebhook()
    await configure()
  })
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) {
      daemon.process.kill('SIGKILL')
      await daemon.ended
    }
    for (const { name } of await server.query(
      "SELECT nspname AS name FROM pg_namespace WHERE nspname LIKE 'contact_sync%'",
    ))
      await server.query(`DROP SCHEMA "${String(name)}" CASCADE`)
    await shop.close()
    await hook.close()
  })

  async function configure({ more = '', at = server.url, bulk = 50 } = {}): Promise<void> {
    const url = at.replace('sync@', `sync:${PASSWORD}@`)
    await shop.configure()
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    for (const name of NAMES) await mkdir(shop.path('inbox', name), { recursive: true })
    const pipelines = NAMES.map(
      (name) => `  ${name}:
    source: { type: csv, folder: inbox/${name}, settle: 0s }
    key: no
    watch: true
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
`,
    )
    await shop.configure(
      yaml
        .replace(/^( +)base_url:/m, `$1bulk: { size: ${bulk} }\n$1base_url:`)
        .replace(/state: \{.*\}/, `state: { path: state/s.db, url: "${url}" }`)
        .replace(/pipelines:[^]*/, `${more}pipelines:\n${pipelines.join('')}`),
    )
  }

  async function json(...args: string[]): Promise<{ code: number | null; said: Record<string, unknown> }> {
    const { code, stdout, stderr } = await shop.cli(...args, '--json')
    expect(stderr).not.toContain(PASSWORD)
    try {
      return { code, said: JSON.parse(stdout) as Record<string, unknown> }
    } catch {
      throw new Error(`${args.join(' ')}: ${code}\n${stdout}\n${stderr}`)
    }
  }

  async function start(): Promise<Running> {
    const daemon = shop.start('start')
    daemons.push(daemon)
    await daemon.stderrHas(/daemon started/)
    return daemon
  }

  /** So many runs of the daemon have ended by a fault, as its metrics say. */
  async function broken(daemon: Running): Promise<number> {
    const [, port] =
      /"daemon started".*"port":(\d+)/.exec(await daemon.stderrHas(/"daemon started".*\n/)) ?? []
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text()
    const counts = text.matchAll(/^contact_sync_runs_total\{[^}]*status="broken"[^}]*\} (\d+)$/gm)
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
  }

  interface Worker {
    readonly pid: number
    readonly pipelines: readonly string[]
  }

  /** Rows of a query at the server; none while it is away, or has no state yet. */
  const rowsAt = async (at: Pick<PostgresServer, 'query'>, text: string) => at.query(text).catch(() => [])

  /** Asked of the server: a process for each look would leave little of the machine to the daemons. */
  const workers = async (at: Pick<PostgresServer, 'query'> = server): Promise<readonly Worker[]> =>
    (await rowsAt(
      at,
      `SELECT pid::int, coalesce(json_agg(pipeline ORDER BY pipeline) FILTER (WHERE pipeline IS NOT NULL), '[]') AS pipelines
       FROM contact_sync.worker LEFT JOIN contact_sync.pipeline_lease USING (fence)
       WHERE until >= clock_timestamp() AND runs <> '{}' GROUP BY fence, pid ORDER BY fence`,
    )) as unknown as readonly Worker[]

  /** What the daemons have said. */
  const said = async (): Promise<string> =>
    (await Promise.all(daemons.map((daemon) => daemon.stderrHas(/^/)))).join('\n---\n')

  /** Resolves with what it says once that is as it should be. */
  async function until<T>(ask: () => Promise<T>, isReached: (now: T) => boolean): Promise<T> {
    const latest = systemClock.monotonic() + 90_000
    for (;;) {
      const now = await ask()
      if (isReached(now)) return now
      if (systemClock.monotonic() > latest)
        throw new Error(`it stays ${JSON.stringify(now)}\n${await said()}`)
      await systemClock.sleep(100)
    }
  }

  const isShared = (all: readonly Worker[]): boolean =>
    all.length === 2 && all.every(({ pipelines }) => pipelines.length === 2)

  /** Of one pipeline each; different persons. */
  const csvFor = (name: string, count: number): string => peopleCsv(count).replaceAll('person', `${name}-`)

  const linked = async (at: Pick<PostgresServer, 'query'> = server): Promise<Record<string, number>> => {
    const counts = await rowsAt(
      at,
      'SELECT pipeline, count(*)::int AS linked FROM contact_sync.link WHERE contact_id IS NOT NULL GROUP BY pipeline',
    )
    const none = Object.fromEntries(NAMES.map((name) => [name, 0]))
    const found = counts.map((row): [string, number] => [String(row['pipeline']), Number(row['linked'])])
    return { ...none, ...Object.fromEntries(found) }
  }

  it('has what a file has: runs, a plan, the sync log, undo, an erasure', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(5))
    expect((await json('plan', 'shop')).said).toMatchObject({ pipelines: [{ created: 5 }] })
    const first = await json('run', 'shop')
    expect(first.said).toMatchObject({ status: 'ok', pipelines: [{ created: 5 }] })
    const writes = shop.writes()
    await shop.drop('shop', 'b.csv', peopleCsv(5))
    expect((await json('run', 'shop')).said).toMatchObject({ pipelines: [{ unchanged: 5, requests: 0 }] })
    expect(shop.writes()).toBe(writes)
    await shop.drop('shop', 'c.csv', peopleCsv(5, [2]))
    const changed = await json('run', 'shop')
    expect(changed.said).toMatchObject({ pipelines: [{ updated: 1, unchanged: 4 }] })
    const [{ run_id: runId }] = (changed.said as { pipelines: [{ run_id: string }] }).pipelines
    expect((await shop.cli('undo', runId, '--yes')).code).toBe(0)
    expect(await shop.contacts('person2@example.com', 'phone')).toMatchObject([{ phone: '030 2' }])
    expect((await shop.cli('audit', 'forget', 'person1@example.com', '--yes')).code).toBe(0)
    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
    expect(await json('state', 'info')).toMatchObject({
      code: 0,
      said: { path: 'contact_sync at localhost', exists: true, integrity: 'ok', doubt: null },
    })
    const backup = await shop.cli('state', 'backup', 'copy.db')
    expect([backup.code, backup.stderr]).toEqual([
      2,
      expect.stringContaining("pg_dump -Fc -n 'contact_sync'"),
    ])
  })

  it('is put back from a dump of the server, refused as older, and rebuilt: nothing is doubled', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(5))
    expect((await json('run', 'shop')).said).toMatchObject({ pipelines: [{ created: 5 }] })
    const dump = shop.path('contact-sync.dump')
    const byServer = (program: string, ...args: string[]): Buffer =>
      execFileSync(join(POSTGRES ?? '', program), args)
    byServer('pg_dump', '-Fc', '-n', 'contact_sync', '-f', dump, server.url)
    await shop.drop('shop', 'b.csv', peopleCsv(8, [2]))
    expect((await json('run', 'shop')).said).toMatchObject({ pipelines: [{ created: 3, updated: 1 }] })
    const writes = shop.writes()
    await server.query('DROP SCHEMA contact_sync CASCADE')
    byServer('pg_restore', '-d', server.url, dump)
    expect((await json('state', 'info')).said).toMatchObject({
      exists: true,
      integrity: 'ok',
      doubt: expect.stringContaining('1 run and 4 entries of the sync log are missing') as string,
    })
    expect((await shop.cli('run', 'shop')).stderr).toContain('STATE_OLDER')
    await shop.drop('shop', 'c.csv', peopleCsv(8, [2]))
    expect(await json('state', 'rebuild', 'shop')).toMatchObject({ said: { left: ['crm', 'fair', 'club'] } })
    expect((await json('state', 'accept', 'crm', 'fair', 'club')).code).toBe(0)
    expect(shop.writes()).toBe(writes)
    expect((await json('run', 'shop')).said).toMatchObject({ pipelines: [{ created: 0 }] })
    for (const number of [2, 7])
      expect(await shop.contacts(`person${number}@example.com`, 'phone')).toHaveLength(1)
    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
  })

  it('warns of a password in the configuration, and shows it nowhere', async () => {
    await shop.drop('shop', 'a.csv', peopleCsv(1))
    for (const args of [
      ['check'],
      ['run'],
      ['status'],
      ['state', 'info'],
      ['audit', 'verify'],
      ['support-bundle', 'b.tar'],
    ]) {
      const { stdout, stderr } = await shop.cli(...args)
      const all = `${stdout}${stderr}`
      expect(all).not.toContain(PASSWORD)
      if (args[0] !== 'support-bundle') expect(all).toContain('state.url: holds a password in plain text')
    }
    expect(await readFile(shop.path('b.tar'), 'latin1')).not.toContain(PASSWORD)
    const schema = String(execFileSync('tar', ['-xzOf', shop.path('b.tar'), '--wildcards', '*/schema.sql']))
    expect(schema).toMatch(/^-- PostgreSQL \d/)
    expect(schema).toContain('CREATE TABLE link (')
  })

  it('is shared by two daemons: each pipeline runs once, and decisions reach the one that has it', async () => {
    const [one, other] = [await start(), await start()]
    const all = await until(workers, isShared)
    expect(new Set(all.map(({ pid }) => pid))).toEqual(new Set([one.process.pid, other.process.pid]))
    expect((await json('status')).said['workers']).toMatchObject(all)
    for (const name of NAMES) await shop.drop(name, 'a.csv', csvFor(name, 20))
    await until(linked, (now) => Object.values(now).every((count) => count === 20))
    for (const name of NAMES) {
      await shop.drop(name, 'b.csv', csvFor(name, 21))
      const { code, said } = await json('run', name)
      expect([code, said]).toMatchObject([0, { status: 'ok', pipelines: [{ pipeline: name }] }])
      expect(await shop.contacts(`${name}-20@example.com`, 'id')).toHaveLength(1)
    }
    expect((await shop.cli('pause', 'shop')).code).toBe(0)
    expect((await json('run', 'shop')).code).toBe(4)
    expect((await shop.cli('resume', 'shop')).code).toBe(0)
    expect((await json('run', 'shop')).code).toBe(0)
    expect((await shop.cli('audit', 'forget', 'shop-1@example.com', '--yes')).code).toBe(0)
    const reloaded = await shop.cli('reload')
    expect([reloaded.code, reloaded.stderr.match(/asking worker/g)]).toEqual([
      0,
      ['asking worker', 'asking worker'],
    ])
    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
  })

  it('hands over at once what a daemon has that ends, and within the lease what one has that was killed', async () => {
    const [one, other] = [await start(), await start()]
    await until(workers, isShared)
    one.process.kill('SIGTERM')
    await one.ended
    const left = await workers()
    expect(left.map(({ pid }) => pid)).toEqual([other.process.pid])
    await until(workers, ([only]) => only?.pipelines.length === 4)
    const third = await start()
    await until(workers, isShared)
    for (const name of NAMES) await shop.drop(name, 'a.csv', csvFor(name, 400))
    await until(linked, (now) => Object.values(now).some((count) => count > 0))
    other.process.kill('SIGKILL')
    const killedAt = systemClock.monotonic()
    await until(workers, (all) => all.length === 1 && all[0]?.pipelines.length === 4)
    // A lease and five seconds; the rest is for commands on a busy machine.
    expect(systemClock.monotonic() - killedAt).toBeLessThan(20_000 + 15_000)
    expect((await workers())[0]?.pid).toBe(third.process.pid)
    await until(linked, (now) => Object.values(now).every((count) => count === 400))
    for (const name of NAMES)
      for (const index of [0, 199, 399])
        expect(await shop.contacts(`${name}-${index}@example.com`, 'id')).toHaveLength(1)
    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
  })

  it('takes what another worker was killed over, once and by the newest configuration, while all go on', async () => {
    const older = await start()
    await start()
    await until(workers, isShared)
    // Its lease had ended before any of them saw it.
    const [other] = await server.query(
      `INSERT INTO contact_sync.worker (name, machine, pid, since, alone, labels, runs, configured, doing, rest, lease_ms, until)
       VALUES ('other', 'elsewhere', 1, 0, false, '[]', '{}', 0, '[]', 'none', 5000, clock_timestamp() - interval '1 s')
       RETURNING fence::int`,
    )
    // The second one is taken when no run is active; the last two are of another version.
    const decisions = [
      ['pause', '{"pipelines":["shop"]}'],
      ['audit rebuild-index', '{}'],
      ['to be', '{}'],
      ['resume', '{"since":1}'],
    ].map(
      ([kind, args]) => `('${kind ?? ''}', '${args ?? ''}', '{"by":"anna"}', 0, ${String(other?.['fence'])})`,
    )
    await server.query(
      `INSERT INTO contact_sync.decision (kind, args, decided, asked_at, fence) VALUES ${decisions.join(', ')}`,
    )
    await until(said, (all) => /(decision resumed[^]*){4}/.test(all))
    const open = await until(
      () => rowsAt(server, 'SELECT kind FROM contact_sync.decision ORDER BY id'),
      (rows) => rows.length === 2,
    )
    expect(open).toEqual([{ kind: 'to be' }, { kind: 'resume' }])
    const { said: log } = await json('audit', 'list')
    const { entries } = log as { entries: readonly Record<string, unknown>[] }
    expect(entries.filter(({ by }) => by === 'anna').map(({ action }) => action)).toEqual([
      'rebuild',
      'pause',
    ])
    expect((await json('status')).said).toMatchObject({ pipelines: [{ paused: { by: 'anna' } }, {}, {}, {}] })
    expect(await older.stderrHas(/^/)).not.toContain('decision resumed')
  })

  it('says of a worker that it has not answered, and that it ended', async () => {
    expect((await shop.cli('run', 'shop')).code).toBe(0)
    await server.query(
      `WITH other AS (
         INSERT INTO contact_sync.worker (name, machine, pid, since, alone, labels, runs, configured, doing, rest, lease_ms, until)
         VALUES ('other', 'elsewhere', 1, 0, false, '[]', '{"shop":""}', 0, '[]', 'none', 300000, clock_timestamp() + interval '300 s')
         RETURNING fence)
       INSERT INTO contact_sync.pipeline_lease SELECT 'shop', fence, 0 FROM other`,
    )
    const asking = shop.start('run', 'shop')
    await asking.stderrHas(/no answer for 10 seconds from the process that was asked/)
    await server.query("DELETE FROM contact_sync.worker WHERE name = 'other'")
    const { code, stderr } = await asking.ended
    expect([code, stderr]).toEqual([6, expect.stringMatching(/the worker that was asked ended/)])
  })

  it('joins again when the connections were cut, and says meanwhile that it is not ready', async () => {
    const daemon = await start()
    const { port } = JSON.parse(
      /\{.*"daemon started".*\}/.exec(await daemon.stderrHas(/"daemon started".*\n/))?.[0] ?? '{}',
    ) as { port: number }
    const ready = async () => fetch(`http://127.0.0.1:${port}/readyz`)
    expect((await ready()).status).toBe(200)
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'contact-sync'",
    )
    await daemon.stderrHas(/state unavailable: waiting/)
    await daemon.stderrHas(/state available again/)
    await until(
      async () => (await ready()).status,
      (status) => status === 200,
    )
    await until(workers, ([only]) => only?.pipelines.length === 4)
    await shop.drop('shop', 'a.csv', peopleCsv(3))
    await until(linked, ({ shop: count }) => count === 3)
    daemon.process.kill('SIGTERM')
    expect((await daemon.ended).code).toBe(143)
  })

  it('joins again under the configuration that a reload brought, where the file is broken by then', async () => {
    const daemon = await start()
    const first = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(first.replace(/  crm:\n[^]*?(?=  fair:)/, ''))
    expect((await shop.cli('reload')).code).toBe(0)
    await shop.configure(first.replace('watch:', 'wotch:'))
    await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()')
    await daemon.stderrHas(/state available again[^]*configuration not reloaded/)
    await shop.drop('crm', '1.csv', peopleCsv(2))
    await shop.drop('shop', '1.csv', peopleCsv(3))
    const log = await daemon.stderrHas(/"pipeline":"shop"[^\n]*run ended|run ended[^\n]*"pipeline":"shop"/)
    expect(log).not.toContain('"pipeline":"crm"')
  })

  it('loses and doubles nothing where the server crashes in the middle of runs', async () => {
    // Each contact that was under way is looked up.
    await configure({ bulk: 10, more: `alerts: [{ webhook: "${hook.url}" }]\n` })
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(yaml.replace('server: {', `server: { metrics_token: "${METRICS_TOKEN}",`))
    const daemon = await start()
    await until(workers, ([only]) => only?.pipelines.length === 4)
    for (const name of NAMES) await shop.drop(name, 'a.csv', csvFor(name, 240))
    await until(linked, (now) => Object.values(now).some((count) => count > 0))
    await server.crash(2000)
    await daemon.stderrHas(/run aborted by an internal error/)
    await daemon.stderrHas(/state available again/)
    await until(linked, (now) => Object.values(now).every((count) => count === 240))
    for (const name of NAMES)
      for (const index of [0, 99, 100, 239])
        expect(await shop.contacts(`${name}-${index}@example.com`, 'id')).toHaveLength(1)
    const { pipelines } = (await json('status')).said as { pipelines: { in_doubt: number }[] }
    expect(pipelines.map(({ in_doubt: doubts }) => doubts)).toEqual([0, 0, 0, 0])
    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
    // What was reported is over, once, and what was counted stays counted.
    const stops = (await daemon.stderrHas(/^/)).match(/run aborted by an internal error/g)?.length ?? 0
    const reported = await hook.told(2 * stops)
    const about = reported.map(({ body }) => JSON.parse(body) as { event: string; pipeline: string })
    const whole = about.map(({ event, pipeline }) => `${event} ${pipeline}`).toSorted()
    expect(whole).toEqual([...new Set(whole)])
    expect(about.filter(({ event }) => event === 'recovered')).toHaveLength(stops)
    expect(await broken(daemon)).toBe(stops)
  })

  it('loses and doubles nothing where a replica takes the place of the server in the middle of runs', async () => {
    const replicated = await startReplicated(POSTGRES ?? '')
    try {
      await configure({ at: replicated.url, bulk: 10 })
      const daemon = await start()
      await until(
        async () => workers(replicated),
        ([only]) => only?.pipelines.length === 4,
      )
      for (const name of NAMES) await shop.drop(name, 'a.csv', csvFor(name, 240))
      await until(
        async () => linked(replicated),
        (now) => Object.values(now).some((count) => count > 0),
      )
      await replicated.failOver()
      await daemon.stderrHas(/state available again/)
      await until(
        async () => linked(replicated),
        (now) => Object.values(now).every((count) => count === 240),
      )
      for (const name of NAMES)
        for (const index of [0, 99, 100, 239])
          expect(await shop.contacts(`${name}-${index}@example.com`, 'id')).toHaveLength(1)
      const { pipelines } = (await json('status')).said as { pipelines: { in_doubt: number }[] }
      expect(pipelines.map(({ in_doubt: doubts }) => doubts)).toEqual([0, 0, 0, 0])
      expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
      for (const one of daemons.splice(0)) {
        one.process.kill('SIGKILL')
        await one.ended
      }
    } finally {
      await replicated.stop()
    }
  })

  it('joins again once with each of its accounts', async () => {
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    const [, service = ''] = /^service:(.*(?:\n +.*)*)/m.exec(yaml) ?? []
    await configure({
      more: `accounts:\n  north:\n    service:${service.replaceAll('\n', '\n    ')}\n`,
    })
    const inNorth = (await readFile(shop.path('config.yaml'), 'utf8')).replace(
      '  crm:\n',
      '  crm:\n    account: north\n',
    )
    await shop.configure(inNorth)
    const daemon = await start()
    await daemon.stderrHas(/"daemon started"[^]*"daemon started"/)
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'contact-sync'",
    )
    await daemon.stderrHas(/state available again[^]*state available again/)
    for (const schema of ['contact_sync', 'contact_sync_north'])
      await until(
        async () => server.query(`SELECT fence FROM "${schema}".worker`),
        (rows) => rows.length === 1,
      )
    daemon.process.kill('SIGTERM')
    expect((await daemon.ended).code).toBe(143)
  })

  it('is carried over from a file, and back: the next run sends nothing, and earlier runs can be undone', async () => {
    const atServer = await readFile(shop.path('config.yaml'), 'utf8')
    const inFile = atServer.replace(/, url: "[^"]*"/, '')
    await shop.configure(inFile)
    await shop.drop('shop', 'a.csv', peopleCsv(30))
    await json('run', 'shop')
    await shop.drop('shop', 'b.csv', peopleCsv(30, [3]))
    const changed = (await json('run', 'shop')).said as { pipelines: [{ run_id: string }] }
    const before = (await json('state', 'info')).said
    const daemon = await start()
    expect((await shop.cli('state', 'move', '--to', server.url, '--yes')).code).toBe(6)
    daemon.process.kill('SIGTERM')
    await daemon.ended
    const moved = await json('state', 'move', '--to', server.url, '--yes')
    expect(moved).toMatchObject({ code: 0, said: { to: 'contact_sync at localhost', tables: { link: 30 } } })
    expect((await shop.cli('run', 'shop')).stderr).toContain('STATE_OLDER')
    await shop.configure(atServer)
    const after = (await json('state', 'info')).said
    for (const key of ['instance', 'sync_log', 'runs', 'pipelines', 'doubt'])
      expect([key, after[key]]).toEqual([key, before[key]])
    const again = await shop.cli('state', 'move', '--to', server.url, '--yes')
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is not empty')])
    // Numbers go on where they were: none is passed over.
    await shop.cli('correct', 'shop', 'K7', 'phone=030 7')
    expect((await json('corrections', 'list')).said).toMatchObject({ corrections: [{ key: 'K7', id: 1 }] })
    await shop.cli('corrections', 'drop', '1')
    const writes = shop.writes()
    await shop.drop('shop', 'c.csv', peopleCsv(30, [3]))
    expect((await json('run', 'shop')).said).toMatchObject({ pipelines: [{ unchanged: 30, requests: 0 }] })
    expect(shop.writes()).toBe(writes)
    const back = await json('state', 'move', '--to', 'state/back.db', '--yes')
    expect(back).toMatchObject({ code: 0, said: { tables: { link: 30 } } })
    const former = await shop.cli('run', 'shop')
    expect([former.code, former.stderr]).toEqual([1, expect.stringContaining('was moved to another place')])
    expect((await shop.cli('status')).stderr).toContain('was moved to another place')
    await shop.configure(inFile.replace('state/s.db', 'state/back.db'))
    expect((await shop.cli('undo', changed.pipelines[0].run_id, '--yes')).code).toBe(0)
    expect(await shop.contacts('person3@example.com', 'phone')).toMatchObject([{ phone: '030 3' }])
    expect((await json('audit', 'verify')).said).toMatchObject({ ok: true })
    expect((await shop.cli('audit', 'forget', 'person4@example.com', '--yes')).code).toBe(0)
  })

  it('of one of several accounts is carried back to the path that the command then asks to configure', async () => {
    const atServer = await readFile(shop.path('config.yaml'), 'utf8')
    const named = atServer
      .replace(/^service:\n((?: {2}.*\n)+)/m, (_, lines: string) => {
        const deeper = lines.replaceAll(/^/gm, '    ').trimEnd()
        return `accounts:\n  north:\n    service:\n${deeper}\n`
      })
      .replaceAll(/^( +)source:/gm, '$1account: north\n$1source:')
    await shop.configure(named)
    await shop.drop('shop', 'a.csv', peopleCsv(3))
    await json('run', 'shop')
    const { code, stdout } = await shop.cli('state', 'move', '--to', 'state/back.db', '--yes')
    const [, path = ''] = /state: \{ path: (\S+) \}, without url/.exec(stdout) ?? []
    expect(code).toBe(0)
    await shop.configure(named.replace(/path: state\/s\.db, url: "[^"]*"/, `path: ${path}`))
    await shop.drop('shop', 'b.csv', peopleCsv(3))
    expect((await json('run', 'shop')).said).toMatchObject({ pipelines: [{ unchanged: 3, requests: 0 }] })
  })

  it('runs a pipeline with labels on workers that have one of them, and says what none may run', async () => {
    await configure({ more: 'workers: { labels: [north] }\n' })
    const yaml = await readFile(shop.path('config.yaml'), 'utf8')
    await shop.configure(
      yaml
        .replace('  crm:\n', '  crm:\n    on: [south, west]\n')
        .replace('  fair:\n', '  fair:\n    on: [north]\n'),
    )
    await start()
    const [only] = await until(workers, ([one]) => (one?.pipelines.length ?? 0) > 0)
    expect(only?.pipelines).toEqual(['club', 'fair', 'shop'])
    const { said } = await json('status')
    expect(said['unassigned']).toEqual(['crm'])
    expect((await shop.cli('status')).stdout).toContain('! No worker may run crm')
  })
})
