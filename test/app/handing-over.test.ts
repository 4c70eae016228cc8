// The sync log, handed over to a collector: nothing left out, whatever is killed; and no value of a person.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, truncate, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHandingOver, handOver } from '../../src/app/handing-over.ts'
import type { LoggedEntry } from '../../src/core/log/audit-chain.ts'
import { framed, type HandedOver, handOverText, handOverWait } from '../../src/core/log/hand-over.ts'
import { handOverProblem } from '../../src/core/words/network/address.ts'
import { MINUTE_MS } from '../../src/core/words/duration.ts'
import { createLog } from '../../src/log/log.ts'
import { createCertificate } from '../../src/sandbox/certificate.ts'
import { startSandbox, type Sandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { type Collector, octetCounted, startCollector } from '../support/collector.ts'
import { openPlace, type Place } from '../support/in-process.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const CONFIGURATION = (to: string, format = 'jsonl'): string => `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
audit: { hand_over: { to: "${to}", format: ${format} } }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }
    terms: { policy: managed, assign: [{ column: tags }] }
`
/** What must not be handed over: values, keys, names of terms, names of files. */
const CANARIES = ['canary-7731', 'canaria', 'Kanaria', 'Canary-Term', 'canary-file']
const RECORD = (first: string, no = 'canary-7731', mail = 'canaria@example.com'): string =>
  `no,mail,first,tags\n${no},${mail},${first},Canary-Term\n`

interface Line {
  readonly seq: number
  readonly prev: string
  readonly hash: string
  readonly instance: string
}

let sandbox: Sandbox
let place: Place
let collector: Collector | undefined

async function run(name: string, text: string): Promise<void> {
  await place.write(`inbox/shop/${name}`, text)
  expect((await place.cli('run')).code).toBe(0)
}
const configured = (to: string, format?: string): Promise<void> =>
  place.write('config.yaml', CONFIGURATION(to, format))
const linesOf = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Line)
const seqsOf = (text: string): readonly number[] => linesOf(text).map(({ seq }) => seq)
const handed = (): Promise<string> => readFile(place.path('handed.jsonl'), 'utf8')
const verified = () =>
  spawnSync('python3', [resolve(ROOT, 'state/verify_log.py'), place.path('handed.jsonl')], {
    encoding: 'utf8',
  })
function putBack(seq: number): void {
  const db = new Database(place.path('state/contact-sync.db'))
  const to = place.path('handed.jsonl')
  db.prepare("UPDATE meta SET value = ? WHERE name = 'handed_over'").run(JSON.stringify({ to, seq }))
  db.close()
}

beforeEach(async () => {
  sandbox = await startSandbox({ port: 0, apiKey: 'key', habits: {}, clock: systemClock })
  place = await openPlace({ BASE_URL: sandbox.url, API_KEY: 'key' })
  await configured('handed.jsonl')
})
afterEach(async () => {
  await collector?.close()
  collector = undefined
  await sandbox.close()
  await place.close()
})

describe('a file', () => {
  it('gets each entry once, in order, without values; a machine without Node can check it', async () => {
    await run('canary-file-a.csv', RECORD('Kanaria'))
    const first = await place.json('audit', 'hand-over')
    expect(first).toMatchObject({ to: place.path('handed.jsonl') })
    expect(await place.json('audit', 'hand-over')).toMatchObject({ entries: 0 })
    await run('canary-file-b.csv', RECORD('Kanaria-Eva'))
    await place.cli('audit', 'hand-over')

    const { entries } = (await place.json('audit', 'verify')) as { entries: number }
    expect(seqsOf(await handed())).toEqual(Array.from({ length: entries }, (_, index) => index + 1))
    expect(verified().stdout).toMatch(new RegExp(`^whole, ${entries} entries`))
    for (const canary of CANARIES) expect((await handed()).toLowerCase()).not.toContain(canary.toLowerCase())
  })

  it('holds nothing that an erasure would have to reach', async () => {
    await run('canary-file-a.csv', RECORD('Kanaria'))
    expect((await place.cli('audit', 'forget', 'canaria@example.com', '--yes')).code).toBe(0)
    await place.cli('audit', 'hand-over')
    for (const canary of CANARIES) expect((await handed()).toLowerCase()).not.toContain(canary.toLowerCase())
    expect(verified().stdout).toMatch(/^whole/)
  })

  it('shows what was changed in it, or is missing', async () => {
    await run('a.csv', RECORD('Kanaria'))
    await place.cli('audit', 'hand-over')
    const text = await handed()
    await writeFile(place.path('handed.jsonl'), text.replace('"outcome":"done"', '"outcome":"failed"'))
    expect(verified()).toMatchObject({ status: 1, stderr: 'NOT WHOLE: entry 1 shows what is not chained\n' })
    await writeFile(place.path('handed.jsonl'), text.split('\n').slice(1).join('\n'))
    expect(verified()).toMatchObject({ status: 1, stderr: 'NOT WHOLE: entry 1: the chain is broken\n' })
  })

  it('has nothing twice after a kill between writing and moving the position', async () => {
    await run('a.csv', RECORD('Kanaria'))
    await place.cli('audit', 'hand-over')
    const whole = await handed()
    putBack(0)
    expect(await place.json('audit', 'hand-over')).toMatchObject({ up_to: seqsOf(whole).length })
    expect(await handed()).toBe(whole)
  })

  it.each([1, 40])('is completed where a kill left a line torn (%i bytes)', async (missing) => {
    await run('a.csv', RECORD('Kanaria'))
    await place.cli('audit', 'hand-over')
    const whole = await handed()
    await truncate(place.path('handed.jsonl'), Buffer.byteLength(whole) - missing)
    putBack(0)
    await place.cli('audit', 'hand-over')
    expect(await handed()).toBe(whole)
  })

  it('goes on behind something else, and gets entries again where asked', async () => {
    await run('a.csv', RECORD('Kanaria'))
    await place.write('handed.jsonl', 'torn by another')
    await place.cli('audit', 'hand-over')
    const [other, ...rest] = (await handed()).split('\n')
    expect(other).toBe('torn by another')
    const all = seqsOf(rest.join('\n'))
    await place.write('handed.jsonl', '')
    await place.cli('audit', 'hand-over', '--from', '2')
    expect(seqsOf(await handed())).toEqual(all.slice(1))
  })

  it('is one for each account, named after it', async () => {
    await place.write(
      'config.yaml',
      CONFIGURATION('handed.jsonl').replace(
        'pipelines:',
        `accounts: { north: { service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}" } } }
pipelines:
  members:
    account: north
    source: { type: csv, folder: inbox/members, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }`,
      ),
    )
    await place.write('inbox/members/b.csv', 'no,mail,first\n2,berta@example.com,Berta\n')
    await run('a.csv', RECORD('Kanaria'))
    expect((await place.cli('audit', 'hand-over')).code).toBe(0)
    const north = linesOf(await readFile(place.path('handed.north.jsonl'), 'utf8'))
    const own = linesOf(await handed())
    expect([own[0]?.seq, north[0]?.seq]).toEqual([1, 1])
    expect(new Set([...own, ...north].map(({ instance }) => instance)).size).toBe(2)
  })

  it('says where it cannot be written', async () => {
    await run('a.csv', RECORD('Kanaria'))
    await configured('nowhere/handed.jsonl')
    const told = await place.cli('audit', 'hand-over')
    expect([told.code, told.stderr]).toEqual([
      2,
      expect.stringMatching(/cannot be handed over to .*nowhere\/handed\.jsonl \(ENOENT\)/),
    ])
  })
})

describe('a receiver', () => {
  it('gets syslog by octet counting', async () => {
    collector = await startCollector()
    await configured(collector.to, 'syslog')
    await run('canary-file-a.csv', RECORD('Kanaria'))
    expect((await place.cli('audit', 'hand-over')).stdout).toMatch(/^\d+ entries handed over to tcp:/)
    const messages = octetCounted(collector.text())
    messages.forEach((message, index) =>
      expect(message).toMatch(
        new RegExp(
          `^<110>1 \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z [!-~]+ contact-sync - [a-z_]+ \\[meta sequenceId="${index + 1}"\\] \\{`,
        ),
      ),
    )
    expect(messages.length).toBeGreaterThan(1)
    for (const canary of CANARIES) expect(collector.text()).not.toContain(canary)
  })

  it('that is killed in the middle gets everything the next time', async () => {
    await run('a.csv', RECORD('Kanaria'))
    const failing = await startCollector({ onData: (socket) => socket.resetAndDestroy() })
    await configured(failing.to)
    const told = await place.cli('audit', 'hand-over')
    await failing.close()
    expect(told.code).toBe(3)
    expect(told.stderr).toMatch(/was not accepted by 127\.0\.0\.1:\d+ \(.+\)/)

    await configured('handed.jsonl')
    await place.cli('audit', 'hand-over')
    expect(verified().stdout).toMatch(/^whole/)
  })

  it('that is away is named', async () => {
    await run('a.csv', RECORD('Kanaria'))
    const away = await startCollector()
    await away.close()
    await configured(away.to)
    const told = await place.cli('audit', 'hand-over')
    expect([told.code, told.stderr]).toEqual([
      3,
      expect.stringMatching(/not accepted by .* \(ECONNREFUSED\)/),
    ])
    expect((await place.cli('status')).stdout).toMatch(
      /^Sync log: \d+ entries not handed over to tcp:.* yet, the oldest since 2\d{3}-.* \(now\)$/m,
    )
    const oldest = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string
    expect(await place.json('status')).toMatchObject({ hand_over: { to: away.to, oldest } })
    await configured('handed.jsonl')
    await place.cli('audit', 'hand-over')
    expect((await place.cli('status')).stdout).not.toContain('handed over')
  })

  it('over TLS is trusted by its certificate only', async () => {
    const { certificate, privateKey } = createCertificate(['localhost'], Date.now())
    collector = await startCollector({ tls: { cert: certificate, key: privateKey } })
    await configured(collector.to, 'syslog')
    await run('a.csv', RECORD('Kanaria'))
    const refused = await place.cli('audit', 'hand-over')
    expect(refused.stderr).toMatch(/was not accepted by localhost:\d+ \(DEPTH_ZERO_SELF_SIGNED_CERT\)/)
    expect(collector.text()).toBe('')
    const before = getCACertificates('default')
    setDefaultCACertificates([...before, certificate])
    try {
      expect((await place.cli('audit', 'hand-over')).code).toBe(0)
    } finally {
      setDefaultCACertificates(before)
    }
    expect(octetCounted(collector.text()).length).toBeGreaterThan(1)
  })

  it('gets everything again from a process that was killed before it had confirmed', async () => {
    await run('a.csv', RECORD('Kanaria'))
    const got = Promise.withResolvers<undefined>()
    // It reads everything, and never closes its side.
    collector = await startCollector({ onData: () => got.resolve(undefined), stays: true })
    await configured(collector.to)
    const child = spawn(
      process.execPath,
      ['src/main.ts', 'audit', 'hand-over', '--config', place.path('config.yaml')],
      { cwd: ROOT, env: { ...process.env, BASE_URL: sandbox.url, API_KEY: 'key' }, stdio: 'ignore' },
    )
    await got.promise
    child.kill('SIGKILL')
    await once(child, 'exit')
    const db = new Database(place.path('state/contact-sync.db'), { readonly: true })
    expect(db.prepare("SELECT value FROM meta WHERE name = 'handed_over'").get()).toBeUndefined()
    db.close()
    await configured('handed.jsonl')
    await place.cli('audit', 'hand-over')
    expect(verified().stdout).toMatch(/^whole/)
  })
})

const entryAt = (seq: number): LoggedEntry => ({
  ...{ seq, at: '2026-11-01T00:00:00.000Z', run_id: 'r', pipeline: 'shöp', key: null, contact_id: null },
  ...{ action: 'update', fields: {}, terms: { add: [], remove: [] }, request: null, outcome: 'done' },
  ...{ reason: null, source: null, config_hash: 'c', person: null, values: 'erased', field_names: [] },
  ...{ prev: 'p', hash: `h${seq}`, proof: { entry: 'e'.repeat(400) } },
})

function longLog(entries: number) {
  let done: HandedOver | undefined
  let most = 0
  return {
    most: () => most,
    add: () => (entries += 1),
    state: {
      logHead: () => Promise.resolve({ entries, hash: '' }),
      logEntry: () => Promise.resolve(undefined),
      logPage(_: object, { from = 0, limit }: { from?: number; limit: number }) {
        most = Math.max(most, limit)
        const page = Array.from({ length: Math.min(limit, entries - from) }, (__, index) =>
          entryAt(from + index + 1),
        )
        return Promise.resolve(page)
      },
      instance: () => Promise.resolve('one'),
      handedOver: () => Promise.resolve(done),
      noteHandedOver: (now: HandedOver) => Promise.resolve(void (done = now)),
    },
  }
}

describe('a long backlog', () => {
  it('goes by pages, each connection confirmed by itself', async () => {
    collector = await startCollector()
    const { state, most } = longLog(23_456)
    const wanted = { to: collector.to, format: 'jsonl' as const }
    const done = await handOver(state, wanted, { signal: new AbortController().signal })
    expect([done, most(), collector.connections]).toEqual([{ entries: 23_456, up_to: 23_456 }, 500, 5])
    expect(seqsOf(collector.text())).toEqual(Array.from({ length: 23_456 }, (_, index) => index + 1))
  })

  it.each(['destroy', 'resetAndDestroy'] as const)(
    'continues at what was confirmed where the receiver ends in the middle (%s)',
    async (how) => {
      let isFailing = true
      collector = await startCollector({
        onData: (socket) => {
          if (isFailing && (collector?.connections ?? 0) > 1) socket[how]()
        },
      })
      const { state } = longLog(12_000)
      const wanted = { to: collector.to, format: 'jsonl' as const }
      const { signal } = new AbortController()
      await expect(handOver(state, wanted, { signal })).rejects.toThrow(/was not accepted/)
      expect(await state.handedOver()).toEqual({ to: wanted.to, seq: 5000 })
      isFailing = false
      expect(await handOver(state, wanted, { signal })).toEqual({ entries: 7000, up_to: 12_000 })
      expect(new Set(seqsOf(collector.text())).size).toBe(12_000)
    },
  )
})

describe('the daemon', () => {
  it('reports a receiver that is away once, waits longer each time, and goes on by itself', async () => {
    const away = await startCollector()
    await away.close()
    let to = away.to
    let now = 0
    const written = new PassThrough()
    const log = createLog(
      { level: 'info', console_level: undefined, format: 'json', folder: undefined, keep: 1 },
      { secrets: [], stream: written },
    )
    const long = longLog(3)
    let tries = 0
    const handing = createHandingOver({
      clock: { monotonic: () => now },
      log,
      signal: new AbortController().signal,
      state: { ...long.state, logHead: () => ((tries += 1), long.state.logHead()) },
      settings: () => ({ audit: { hand_over: { to, format: 'jsonl' } } }),
    })
    const after = async (minutes: number): Promise<number> => {
      now += minutes * MINUTE_MS
      await handing.look()
      return tries
    }
    expect([await after(0), await after(0.5), await after(0.5), await after(1), await after(1)]).toEqual([
      1, 1, 2, 2, 3,
    ])
    collector = await startCollector()
    ;({ to } = collector)
    expect(await after(4)).toBe(4)
    long.add()
    await Promise.all([handing.look(), handing.now(), handing.idle()])
    await log.close()
    const told = [...(written.read() as Buffer).toString().matchAll(/sync log (?:not )?handed over/g)].map(
      String,
    )
    expect(told).toEqual(['sync log not handed over', 'sync log handed over', 'sync log handed over'])
    expect(seqsOf(collector.text())).toEqual([1, 2, 3, 4])
  })

  it('hands nothing over where nothing is configured', async () => {
    const none = createHandingOver({
      clock: systemClock,
      log: createLog(
        { level: 'error', console_level: undefined, format: 'json', folder: undefined, keep: 1 },
        { secrets: [], stream: new PassThrough() },
      ),
      signal: new AbortController().signal,
      state: longLog(3).state,
      settings: () => ({ audit: {} }),
    })
    expect(await none.now()).toEqual({ entries: 0, up_to: 0 })
    await place.write('config.yaml', CONFIGURATION('x').replace(/^audit:.*$/m, ''))
    expect(await place.cli('audit', 'hand-over')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('CONFIG_INVALID: audit.hand_over is not configured') as string,
    })
  })
})

describe('words', () => {
  it.each([
    ['log/handed.jsonl', undefined],
    ['tls://siem.example.com:6514', undefined],
    ['tls://siem.example.com:6514/', undefined],
    ['tcp://127.0.0.1:514', undefined],
    ['tcp://[::1]:514', undefined],
    ['tcp://siem.example.com:514', /unprotected/],
    ['tls://siem.example.com', /has no port/],
    ['tls://user:secret@siem.example.com:6514', /contains a user/],
    ['tls://siem.example.com:6514/path', /is not a receiver/],
    ['udp://127.0.0.1:514', /is not a receiver/],
    ['https://siem.example.com:6514', /is not a receiver/],
  ])('a place %s', (to, problem) => {
    const told = handOverProblem(to)
    if (problem === undefined) expect(told).toBeUndefined()
    else expect(told).toMatch(problem)
  })

  it('counts octets, not letters; a name of a machine cannot break a message', () => {
    const sender = { format: 'syslog', instance: 'one', host: 'a b\n"ü' } as const
    const text = handOverText({ ...entryAt(2_147_483_648), outcome: 'failed' }, sender)
    expect(text).toMatch(
      /^<108>1 2026-11-01T00:00:00\.000Z ab" contact-sync - update \[meta sequenceId="1"\] \{/,
    )
    expect(octetCounted(framed(text, 'syslog').repeat(2))).toEqual([text, text])
  })

  it('waits', () => {
    expect([0, 1, 2, 3, 5, 6, 99].map(handOverWait)).toEqual(
      [0, 1, 2, 4, 16, 30, 30].map((minutes) => minutes * MINUTE_MS),
    )
  })
})
