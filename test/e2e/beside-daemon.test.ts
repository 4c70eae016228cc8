// Decisions beside a running daemon, as the program is used: it takes them, and the command prints what it would have printed
// without it.
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import Database from 'better-sqlite3'
import { z } from 'zod'
import { openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
let daemon: Running | undefined
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(async () => {
  daemon?.process.kill('SIGKILL')
  await daemon?.ended
  daemon = undefined
  await shop.close()
})

const FULL = `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s, concurrency: 4 } }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    mode: full
    on_missing: delete
    guards: { max_deletes: 0, max_deletes_per: off }
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
`

/** Three hundred contacts take some seconds. */
const SLOW = FULL.replace('concurrency: 4 }', 'concurrency: 1 }, bulk: { size: 5 }')

async function started(): Promise<Running> {
  daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
  return daemon
}

const runJson = z.looseObject({
  status: z.string(),
  pipelines: z.array(z.looseObject({ run_id: z.string(), status: z.string(), deleted: z.number() })),
})
const auditJson = z.object({
  entries: z.array(
    z.looseObject({ action: z.string(), by: z.string().optional(), note: z.string().optional() }),
  ),
})

it('says that a daemon which stands still has not answered, and goes on with it', async () => {
  await shop.configure(FULL)
  const { process: stopped } = await started()
  await shop.drop('shop', 'a.csv', peopleCsv(2))
  stopped.kill('SIGSTOP')
  const asking = shop.start('run', 'shop', '--json')
  await asking.stderrHas(/no answer for 10 seconds from the process that was asked/)
  stopped.kill('SIGCONT')
  const { code, stdout } = await asking.ended
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ pipelines: [{ status: 'ok' }] })
})

async function run(...args: string[]) {
  const { code: exit, stdout, stderr } = await shop.cli('run', 'shop', '--json', ...args)
  if (stdout === '') throw new Error(stderr)
  const [result] = runJson.parse(JSON.parse(stdout)).pipelines
  return { ...result, exit }
}

const decisionsIn = async (action: string) =>
  auditJson.parse(JSON.parse((await shop.cli('audit', 'list', '--action', action, '--json')).stdout)).entries

/** Nine of ten are there; what the last one's delete was held in. */
async function heldRun(): Promise<string> {
  await shop.drop('shop', '1.csv', peopleCsv(10))
  expect(await run()).toMatchObject({ exit: 0, created: 10 })
  await shop.drop('shop', '2.csv', peopleCsv(8))
  const held = await run()
  expect(held).toMatchObject({ exit: 4, held_deletes: 2 })
  return held.run_id ?? ''
}

const isThere = async (index: number): Promise<boolean> =>
  (await shop.contacts(`person${index}@example.com`, 'id')).length > 0

describe('with a daemon on the state', () => {
  beforeEach(async () => {
    await shop.configure(FULL)
    await started()
  })

  it('runs, releases and drops; what is dropped is not planned again before its absence changes', async () => {
    const held = await heldRun()
    expect(await shop.cli('held', 'drop', held, '--key', 'K9', '--reason', 'still a member')).toMatchObject({
      code: 0,
      stdout: '1 change of shop dropped: not planned again before the record changes\n',
    })
    expect(await shop.cli('held', 'release', held, '--key', 'K8')).toMatchObject({
      code: 0,
      stdout: '1 change of shop released; the next run sends it, unless newer data arrives first\n',
    })
    expect(await run()).toMatchObject({ exit: 0, deleted: 1 })
    expect([await isThere(8), await isThere(9)]).toEqual([false, true])
    await shop.drop('shop', '3.csv', peopleCsv(8))
    expect(await run()).toMatchObject({ exit: 0, deleted: 0, held_deletes: 0 })
    await shop.drop('shop', '4.csv', peopleCsv(10))
    expect(await run()).toMatchObject({ exit: 0, created: 1 })
    await shop.drop('shop', '5.csv', peopleCsv(8))
    expect(await run()).toMatchObject({ exit: 4, held_deletes: 2 })
    expect(await decisionsIn('drop_changes')).toMatchObject([
      {
        by: expect.any(String) as string,
        note: 'still a member',
        key: 'K9',
        reason: '1 change held by max_deletes was dropped',
      },
    ])
  })

  it('has the socket beside the state, for its user alone, as long as it lives', async () => {
    const socket = shop.path('state', 'contact-sync.db.sock')
    await vi.waitFor(() => expect(statSync(socket).mode & 0o777).toBe(0o600))
    daemon?.process.kill('SIGTERM')
    await daemon?.ended
    expect(existsSync(socket)).toBe(false)
  })

  it('goes on when those who ask are gone before they are answered', async () => {
    const socket = shop.path('state', 'contact-sync.db.sock')
    await vi.waitFor(() => expect(existsSync(socket)).toBe(true))
    for (let time = 0; time < 20; time += 1) {
      const client = connect(socket)
      client.on('error', () => undefined)
      await once(client, 'connect')
      await new Promise((resolve) => client.write('{}\n', resolve))
      client.destroy()
    }
    expect((await shop.cli('pause', 'shop')).code).toBe(0)
    expect([daemon?.process.exitCode, daemon?.process.signalCode]).toEqual([null, null])
  })

  it('keeps the state for itself over an erasure', async () => {
    await shop.drop('shop', '1.csv', peopleCsv(3))
    expect(await run()).toMatchObject({ exit: 0, created: 3 })
    expect((await shop.cli('audit', 'forget', 'person1@example.com', '--yes')).code).toBe(0)
    expect((await shop.cli('start')).code).toBe(6)
  })

  it('pauses a pipeline over a restart; a run ends with 4 and the reason; resumes', async () => {
    await shop.drop('shop', '1.csv', peopleCsv(2))
    const paused = await shop.cli('pause', 'shop', '--reason', 'wrong export')
    expect(paused).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/paused since .*: wrong export/) as string,
    })
    daemon?.process.kill('SIGTERM')
    await daemon?.ended
    expect(await shop.cli('run', 'shop')).toMatchObject({ code: 4 })
    const again = await started()
    const result = await run()
    expect(result).toMatchObject({
      exit: 4,
      status: 'held',
      error: expect.stringContaining('wrong export') as string,
    })
    const port = /"port":(\d+)/.exec(await again.stderrHas(/daemon started/))?.[1] ?? ''
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
    const status = JSON.parse((await shop.cli('status', '--json')).stdout) as { pipelines: unknown[] }
    expect(status.pipelines).toMatchObject([{ paused: { reason: 'wrong export' } }])
    expect(shop.writes()).toBe(0)
    expect((await shop.cli('resume', 'shop')).stdout).toBe('resumed: shop\n')
    expect(await run()).toMatchObject({ exit: 0, created: 2 })
    expect((await decisionsIn('pause')).length + (await decisionsIn('resume')).length).toBe(2)
  })

  it('refuses a command of another configuration, which reload brings together again', async () => {
    await shop.configure(FULL.replace('phone: phone', 'fax: phone'))
    const refused = await shop.cli('pause')
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('contact-sync reload') as string,
    })
    expect(await shop.cli('reload')).toMatchObject({
      code: 0,
      stdout: 'the daemon uses this configuration\n',
    })
    expect((await shop.cli('pause')).code).toBe(0)
    expect(await decisionsIn('reload')).toMatchObject([{ by: expect.any(String) as string }])
  })

  it('takes several at once, each once', async () => {
    const all = await Promise.all([shop.cli('pause'), shop.cli('pause', 'shop'), shop.cli('pause')])
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(await decisionsIn('pause')).toHaveLength(1)
  })

  it('forgets a person, retries rejects and undoes a run', async () => {
    await shop.drop('shop', '1.csv', peopleCsv(3))
    const first = await run()
    await shop.drop('shop', '2.csv', peopleCsv(3, [1]))
    const second = await run()
    expect((await shop.cli('rejects', 'retry')).code).toBe(0)
    const undone = await shop.cli('undo', second.run_id ?? '', '--yes', '--pause', '--json')
    expect(undone).toMatchObject({ code: 0 })
    expect(await shop.contacts('person1@example.com', 'phone')).toMatchObject([{ phone: '030 1' }])
    expect(await run()).toMatchObject({ exit: 4 })
    expect((await shop.cli('audit', 'forget', 'person2@example.com')).code).toBe(2)
    const { reads } = JSON.parse((await shop.cli('audit', 'reads', '--json')).stdout) as { reads: unknown[] }
    expect(reads).toMatchObject([{ page: 'audit forget', contact_id: expect.any(Number) as number }])
    const forgotten = await shop.cli('audit', 'forget', 'person2@example.com', '--yes')
    expect(forgotten).toMatchObject({ code: 0, stdout: expect.stringContaining('erased at') as string })
    expect((await shop.cli('audit', 'verify')).code).toBe(0)
    expect((await shop.cli('audit', 'reads')).stdout).not.toContain('contact ')
    expect(first.exit).toBe(0)
  })
})

it('counts what the daemon asks of the service for a decision among its requests', async () => {
  await shop.configure(FULL.replace('{ port: 0 }', '{ port: 0, metrics_token: for-metrics-alone-1 }'))
  const owner = await started()
  const port = /"port":(\d+)/.exec(await owner.stderrHas(/daemon started/))?.[1] ?? ''
  const counted = async (): Promise<number> => {
    const headers = { authorization: 'Bearer for-metrics-alone-1' }
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text()
    const values = [...text.matchAll(/^contact_sync_requests_total\S+ (\d+)$/gm)].map(([, value]) =>
      Number(value),
    )
    return values.reduce((sum, value) => sum + value, 0)
  }
  await shop.drop('shop', '1.csv', peopleCsv(3))
  await run()
  const before = shop.sandbox.requests().length
  expect(await counted()).toBe(before)
  const forget = ['audit', 'forget', 'person2@example.com', '--yes', '--at-service', 'delete']
  expect((await shop.cli(...forget)).code).toBe(0)
  const forgotten = shop.sandbox.requests().length
  expect(forgotten).toBeGreaterThan(before)
  expect(await counted()).toBe(forgotten)
  await shop.drop('shop', '2.csv', peopleCsv(5))
  await shop.cli('state', 'rebuild')
  const rebuilt = shop.sandbox.requests().length
  expect(rebuilt).toBeGreaterThan(forgotten)
  expect(await counted()).toBe(rebuilt)
})

it.each([
  ['the daemon', 143, 'the process that has the state was stopped during the run of shop'],
  ['the command', 130, 'the run of shop continues in the process that has the state'],
] as const)(
  'a run that is followed says why it was not followed to its end: %s was stopped',
  async (who, code, why) => {
    await shop.configure(SLOW)
    const owner = await started()
    await shop.drop('shop', 'a.csv', peopleCsv(300))
    const asking = shop.start('run', 'shop', '--json')
    await vi.waitUntil(() => shop.writes() > 2, { timeout: 30_000 })
    if (who === 'the daemon') owner.process.kill('SIGTERM')
    else asking.process.kill('SIGINT')
    const ended = await asking.ended
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(why) as string })
    expect(JSON.parse(ended.stdout)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(why) as string,
    })
  },
)

it('a run that was asked for goes on without the command that asked', async () => {
  await shop.close()
  shop = await openWorkshop({ latencyMs: 50 })
  await shop.configure(SLOW)
  await started()
  await shop.drop('shop', '1.csv', peopleCsv(300))
  const asking = shop.start('run', 'shop')
  await daemon?.stderrHas(/"run started"/)
  asking.process.kill('SIGINT')
  expect(await asking.ended).toMatchObject({
    code: 130,
    stderr: expect.stringContaining('continues in the process that has the state') as string,
  })
  await daemon?.stderrHas(/"run ended"/)
  expect(await isThere(299)).toBe(true)
})

it('a state whose path is too long for a socket has it elsewhere, named in the lock', async () => {
  const long = `${'f'.repeat(120)}/state.db`
  await mkdir(shop.path('f'.repeat(120)))
  await shop.configure(FULL.replace('state/contact-sync.db', long))
  await started()
  expect(existsSync(shop.path(`${long}.sock`))).toBe(false)
  expect((await shop.cli('pause')).code).toBe(0)
  const lock = (await readFile(shop.path(`${long}.lock`))).toString('latin1')
  const elsewhere = /<(\/[^>]+)>/.exec(lock)?.[1] ?? ''
  expect(statSync(elsewhere).mode & 0o777).toBe(0o600)
  daemon?.process.kill('SIGTERM')
  await daemon?.ended
  expect(existsSync(elsewhere)).toBe(false)
})

it('a pause ends a run that another command makes, in good order', async () => {
  await shop.close()
  shop = await openWorkshop({ latencyMs: 50 })
  await shop.configure(SLOW)
  await shop.drop('shop', '1.csv', peopleCsv(300))
  const active = shop.start('run', 'shop', '--json')
  await vi.waitFor(() => expect(shop.writes()).toBeGreaterThan(0), { timeout: 20_000 })
  expect((await shop.cli('pause', '--reason', 'stop')).code).toBe(0)
  const writes = shop.writes()
  const { code, stdout } = await active.ended
  expect({ code, run: JSON.parse(stdout) as unknown }).toMatchObject({
    code: 4,
    run: { pipelines: [{ status: 'held', code: 'PAUSED' }] },
  })
  expect(shop.writes()).toBe(writes)
  expect((await shop.cli('resume')).code).toBe(0)
  expect(await run()).toMatchObject({ exit: 0 })
  expect(await isThere(299)).toBe(true)
})

it('the console decides: an operator runs a pipeline, and releases what is held, with a name and a reason', async () => {
  const token = 'anna-has-this-long-token'
  const users = `server: { port: 0, users: [{ name: anna, token: ${token}, role: operator }] }`
  await shop.configure(FULL.replace('server: { port: 0 }', users))
  const port = /"port":(\d+)/.exec(await (await started()).stderrHas(/daemon started/))?.[1] ?? ''
  const url = `http://127.0.0.1:${port}`
  const own = { 'sec-fetch-site': 'same-origin', cookie: '' }
  const post = (path: string, form: Record<string, string>) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: own,
      body: new URLSearchParams(form),
      redirect: 'manual',
    })
  const signedIn = await post('/sign-in', { token })
  own.cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const decide = async (asked: Record<string, string>) => {
    const confirm = await (await post('/confirm', asked)).text()
    const form = /name="token" value="([^"]+)"/.exec(confirm)?.[1] ?? ''
    const done = await post('/decide', { token: form, reason: 'asked by phone' })
    return {
      confirm,
      page: await (await fetch(`${url}${done.headers.get('location')}`, { headers: own })).text(),
    }
  }
  const held = await heldRun()
  const released = await decide({ kind: 'held release', run: held })
  expect(released.confirm).toContain('Release 2 changes of run')
  expect(released.page).toContain('Done. It is in the sync log.')
  expect((await decide({ kind: 'run', pipeline: 'shop' })).page).toContain('The run was asked for')
  await vi.waitFor(async () => expect(await isThere(9)).toBe(false), { timeout: 20_000 })
  expect(await decisionsIn('release')).toMatchObject([
    { by: 'anna', role: 'operator', note: 'asked by phone' },
  ])
  const again = await post('/confirm', { kind: 'held release', run: held })
  expect(await again.text()).toContain('Nothing was done')
})

describe('a daemon that is killed', () => {
  beforeEach(() => shop.configure(FULL))

  it('leaves a socket that the next one replaces, and that keeps no command from the state', async () => {
    const first = await started()
    await vi.waitFor(() => expect(existsSync(shop.path('state', 'contact-sync.db.sock'))).toBe(true))
    first.process.kill('SIGKILL')
    await first.ended
    expect((await shop.cli('pause')).code).toBe(0)
    await started()
    expect((await shop.cli('resume')).code).toBe(0)
  })

  it.each<[string, (socket: Socket) => unknown]>([
    ['before it has read the question', (socket) => setTimeout(() => socket.destroy(), 300)],
    ['within its answer', (socket) => socket.end('{"result": {"paus')],
  ])('%s leaves a command that says so', async (_, die) => {
    await started()
    // In its place: what a process leaves of a connection when it is killed.
    const path = shop.path('state', 'contact-sync.db.sock')
    await vi.waitFor(() => rm(path))
    const server = createServer({ pauseOnConnect: true }, (socket) => void die(socket)).listen(path)
    const { code, stderr } = await shop.cli('pause')
    server.close()
    expect(stderr).toContain('the process that has the state ended before it answered')
    expect(code).toBe(6)
  })

  it('over a decision has taken it whole or not at all, and the next one takes it once', async () => {
    await started()
    const held = await heldRun()
    daemon?.process.kill('SIGKILL')
    await daemon?.ended
    // As it stands after the first step: written down, and nothing done.
    const db = new Database(shop.path('state', 'contact-sync.db'))
    db.prepare('INSERT INTO decision (kind, args, decided, asked_at) VALUES (?, ?, ?, ?)').run(
      'held release',
      JSON.stringify({ run: held, remaining: false }),
      JSON.stringify({ by: 'anna', role: 'operator', note: 'a known move' }),
      0,
    )
    db.close()
    const second = await started()
    await second.stderrHas(/"decision resumed"/)
    expect(await decisionsIn('release')).toMatchObject([
      { by: 'anna', role: 'operator', note: 'a known move' },
    ])
    expect(await run()).toMatchObject({ exit: 0, deleted: 2 })
  })

  it.each([0, 5, 10, 20, 40, 80])('%i ms after it was asked: whole or not at all', async (ms) => {
    await started()
    const held = await heldRun()
    const asking = shop.cli('held', 'release', held, '--reason', 'now')
    const found = daemon?.stderrHas(/decision taken/).catch(() => undefined)
    await Promise.race([asking, found, new Promise((go) => setTimeout(go, 400 + ms))])
    daemon?.process.kill('SIGKILL')
    await daemon?.ended
    await asking
    await started()
    const entries = await decisionsIn('release')
    const result = await run()
    expect(entries.length).toBeLessThanOrEqual(1)
    expect(result.deleted).toBe(entries.length === 1 ? 2 : 0)
  })
})
