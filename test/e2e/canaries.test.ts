// Canaries in every secret, every field of a record and every part of an answer, in good and bad runs at level debug,
// by the real command line and the real daemon: none of them may come out where it does not belong.
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { findCanaries, type Sink } from '../support/canaries.ts'
import {
  type CanaryService,
  type Mood,
  SERVICE_CANARIES,
  startCanaryService,
} from '../support/canary-service.ts'
import { type Ended, KEY, openWorkshop, type Workshop } from '../support/cli.ts'

const API_KEY = 'zQ9+/="<&%k7Canary~s3cr3t'
const TOKEN = 't0k/+en=Canary&"q7~x%2F'
const HOOK = 'qzHookPath-4f9a27c1'
const SIGNING = 'qzSigning-77e0b2/+='
const SECRETS = [API_KEY, TOKEN, HOOK, SIGNING]
const WORDS = Object.values(SERVICE_CANARIES)

const configuration = (url: string): string => `
service:
  base_url: ${url}
  api_key_file: key
  rate_limit: { requests: 500, per: 1s, concurrency: 4 }
  retry: { attempts: 2, max_delay: 1ms }
  doubt: { quiesce: 50ms, absent_reads: 1 }
state: { path: state/contact-sync.db }
log: { level: debug, folder: logs }
server: { port: 0, token: '${TOKEN}' }
alerts:
  - { webhook: ${url}/hooks/${HOOK}, secret: '${SIGNING}', on: [failed, held, rejects] }
pipelines:
  shop:
    schedule: "* * * * * *"
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map:
      mail: mail
      first_name: first
      family_name: last
      phone: phone
      title: { column: title, lookup: { Herr: m, Frau: f } }
      company: { column: company, on_invalid: truncate }
    where: 'record["first"] != "nobody" && (record["first"] != "fails" || double(record["last"]) > 1.0)'
    terms: { assign: [Customer, { column: tags, split: "," }], descriptions: { Customer: Buys } }
    guards: { max_rejects: 60% }
  crm:
    source: { type: json, folder: inbox/crm, settle: 0s }
    key: no
    map: { mail: mail, first_name: first }
`

const HEADER = 'no,mail,first,last,phone,title,company,tags,note\n'

/** A record whose every value is a canary of its own. */
const person = (tag: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  no: `qzNo${tag}`,
  mail: `qzmail${tag}@example.com`,
  first: `qzFirst${tag}`,
  last: `qzLast${tag}`,
  phone: `0301qz${tag}`,
  title: 'Herr',
  company: `qzCompany${tag}`,
  tags: `qzTag${tag}`,
  note: `qzNote${tag}`,
  ...more,
})

const csv = (...people: Record<string, string>[]): string =>
  HEADER + people.map((one) => `${Object.values(one).join(',')}\n`).join('')

/** Every canary of a file begins so. */
const personal = (text: string): string[] => [
  ...new Set(text.match(/(?:0301)?qz[A-Za-z]+\d+[a-z]*(?:@example\.com)?/g)),
]

// Several processes each, on whatever machine.
vi.setConfig({ testTimeout: 120_000 })

let shop: Workshop
let service: CanaryService
beforeEach(async () => {
  shop = await openWorkshop()
  service = await startCanaryService(API_KEY, { url: shop.sandbox.url, key: KEY })
  await shop.configure(configuration(service.url))
  await mkdir(shop.path('inbox', 'crm'))
  await writeFile(shop.path('key'), `${API_KEY}\n`, { mode: 0o600 })
})
afterEach(async () => {
  await service.close()
  await shop.close()
})

async function filesUnder(...names: string[]): Promise<Sink[]> {
  const folder = shop.path(...names)
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return Promise.all(
    found
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name)
        return { name: path.slice(shop.folder.length), text: await readFile(path, 'latin1') }
      }),
  )
}

const stderrOf = (ended: readonly (Ended & { name: string })[]): Sink[] =>
  ended.map(({ name, stderr }) => ({ name: `${name} (stderr)`, text: stderr }))
const stdoutOf = (ended: readonly (Ended & { name: string })[]): Sink[] =>
  ended.map(({ name, stdout }) => ({ name: `${name} (stdout)`, text: stdout }))

async function cli(...args: string[]): Promise<Ended & { name: string }> {
  return { name: args.join(' '), ...(await shop.cli(...args)) }
}

/** The same without a separate process: what only reads is asked often. */
async function here(...args: string[]): Promise<Ended & { name: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const [out, err] = [text(stdout), text(stderr)]
  const code = await runCommandLine([...args, '--config', shop.path('config.yaml')], {
    stdin: Readable.from([]),
    stdout,
    stderr,
    env: {},
    cwd: shop.folder,
    pid: process.pid,
    isTerminal: false,
    isInteractive: false,
    signal: new AbortController().signal,
    onHangup: () => undefined,
    outlastReader: () => undefined,
  })
  stdout.end()
  stderr.end()
  return { name: args.join(' '), code, signal: null, stdout: await out, stderr: await err }
}

/** Pages that show people are for auditors; what operators and machines look at shows none. */
const OPEN_PAGES = ['/healthz', '/readyz', '/metrics', '/', '/configuration', '/nowhere']
const AUDITORS_PAGES = ['/runs', '/rejects', '/held', '/doubts', '/retries', '/terms', '/log', '/search?q=qz']

/** What the daemon says over HTTP and on standard error while it runs everything once. */
async function daemon(): Promise<{ sinks: Sink[]; audited: Sink[]; code: number | null }> {
  const running = shop.start('start')
  const said = await running.stderrHas(/"run ended"/)
  const port = /"port":(\d+)/.exec(said)?.[1] ?? ''
  const page = async (path: string): Promise<Sink> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    // Without a sign-in every page would be silent.
    expect([path, [401, 403, 303].includes(response.status)]).toEqual([path, false])
    const headers = JSON.stringify([...response.headers])
    return { name: `daemon ${path}`, text: `${headers}\n${await response.text()}` }
  }
  const open = await Promise.all(OPEN_PAGES.map(page))
  const audited = await Promise.all(AUDITORS_PAGES.map(page))
  running.process.kill('SIGTERM')
  const ended = await running.ended
  const sinks = [...open, { name: 'daemon (stderr)', text: ended.stderr + ended.stdout }]
  return { sinks, audited, code: ended.code }
}

/**
 * Runs it all with this file in the inbox. Nobody's values and nothing of the service may be on standard error, in the
 * log, in a page, in `status` and its like; secrets may be nowhere at all.
 */
async function expectSilence(
  { file, name = 'a.csv', inbox = 'shop' }: { file: string; name?: string; inbox?: string },
  { mood = 'plain', purpose = [] }: { mood?: Mood; purpose?: readonly RegExp[] } = {},
): Promise<void> {
  const canaries = [...personal(file), ...WORDS]
  await shop.drop(inbox, name, file)
  service.mood = mood
  const plan = await cli('plan')
  const check = await cli('check')
  service.mood = mood
  const run = await cli('run')
  service.mood = mood
  await shop.drop(inbox, `again-${name}`, file)
  const { sinks, audited, code } = await daemon()
  expect(code).toBe(143)
  const quiet = [
    await here('run', '--json'),
    await here('status'),
    await here('status', '--json'),
    await here('state', 'info'),
    await here('state', 'backup', shop.path('copy.db')),
    await here('support-bundle', shop.path('bundle.tar.gz')),
  ]
  const bundle = {
    name: 'support bundle',
    text: String(execFileSync('tar', ['-xzOf', shop.path('bundle.tar.gz')])),
  }
  expect(bundle.text).toContain('run ended')
  const shown = [
    plan,
    check,
    await here('rejects', 'list'),
    await here('held', 'list', '--json'),
    await here('doubts', 'list', '--json'),
    await here('rejects', 'export', shop.path('rejects.csv')),
    await here('terms'),
    await here('run', 'nobody'),
  ]
  expect((await stat(shop.path('rejects.csv'))).mode & 0o077).toBe(0)
  const logs = await filesUnder('logs')
  expect(logs.map((sink) => sink.text).join('')).toContain('run ended')
  const strict = [
    ...stderrOf([run, ...quiet, ...shown]),
    ...stdoutOf([run, ...quiet]),
    ...sinks,
    ...logs,
    bundle,
  ]
  const found = findCanaries(strict, canaries).filter(
    ({ sink }) => !purpose.some((allowed) => allowed.test(sink)),
  )
  expect(found).toEqual([])
  const everything = [
    ...strict,
    ...stdoutOf(shown),
    ...audited,
    ...(await filesUnder('state')),
    ...(await filesUnder('inbox')),
    { name: 'copy.db', text: await readFile(shop.path('copy.db'), 'latin1') },
    { name: 'rejects.csv', text: await readFile(shop.path('rejects.csv'), 'latin1') },
  ]
  expect(findCanaries(everything, SECRETS)).toEqual([])
}

describe('canaries', () => {
  const good = csv(person('1a'), person('2a'))

  it('of a good run', () => expectSilence({ file: good }))

  it('of records that are rejected, skipped, held or mended', () =>
    expectSilence({
      file:
        csv(
          person('1b'),
          person('1b', { first: 'qzFirst9b' }),
          person('2b', { mail: 'qzbroken2b mail' }),
          person('3b', { title: 'qzTitle3b' }),
          person('4b', { first: 'fails' }),
          person('5b', { first: 'x'.repeat(300) }),
          person('6b', { company: `qzLong6b${'y'.repeat(300)}` }),
          person('7b', { mail: '' }),
          person('8b', { mail: 'qzmail1b@example.com' }),
          person('9b', { no: '' }),
        ) + 'qzRagged10b,qzragged11b@example.com\n',
    }))

  it('of more rejects than a guard allows', () =>
    expectSilence({ file: csv(person('1c', { mail: 'qzbroken1c' }), person('2c', { mail: 'qzbroken2c' })) }))

  it.each([
    [
      'without a header',
      `${csv(person('1d')).slice(HEADER.length)}${csv(person('2d')).slice(HEADER.length)}`,
    ],
    ['with an open quote', `${csv(person('1d'))}"qzOpen1d,qzOpen2d\nqzOpen3d`],
    ['with a NUL', `${csv(person('1d'))}qzNul1d\0,qzNul2d`],
    ['with one column twice', HEADER.replace('note', 'mail') + csv(person('1d')).slice(HEADER.length)],
  ])('of a file %s', (_, file) =>
    // What is taken for the header is quoted to the user who runs it: that is how the fault is seen.
    expectSilence({ file }, { purpose: [/^run( --json)? \(stdout\)/, /^status/] }),
  )

  it.each([
    [
      'cut off',
      '[{"no": "qzNo1e", "mail": "qzmail1e@example.com", "first": "qzFirst1e"}, {"no": "qzNo2e", "mai',
    ],
    ['broken', '[{"no": "qzNo1e" "mail": qzmail1e@example.com}]'],
    ['no list', '"qzText1e"'],
    ['of other things', '["qzText1e", {"no": {"qzDeep1e": "qzDeep2e"}, "mail": ["qzmail1e@example.com"]}]'],
  ])('of JSON that is %s', (_, file) => expectSilence({ file, name: 'a.json', inbox: 'crm' }))

  it.each<[Mood]>([
    ['refuses'],
    ['refuses-in-200'],
    ['page'],
    ['redirects'],
    ['garbage'],
    ['denies'],
    ['throttles-once'],
    ['resets'],
  ])('of a service that %s', (mood) => expectSilence({ file: good }, { mood }))
})

it('of a configuration that is wrong in every place, secrets written into it', async () => {
  const broken = `service: { base_url: "https://u:qzPassw1@x.example.com", api_key: 'Qz7 ${API_KEY}', api_kee: '${API_KEY}' }
server: { token: '${TOKEN} and more', tokn: '${TOKEN}', port: '${TOKEN}' }
pipelines: { shop: { source: { type: csv, password: '${API_KEY}' }, map: { mail: '' } } }
`
  await shop.configure(broken)
  const ended = [await cli('check'), await cli('check', '--json'), await cli('run'), await cli('start')]
  expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 2])
  expect(findCanaries([...stderrOf(ended), ...stdoutOf(ended)], [...SECRETS, 'qzPassw1'])).toEqual([])
})

describe('the search for canaries', () => {
  it.each([
    ['plain', API_KEY],
    ['broken over lines', `${API_KEY.slice(0, 9)}\n  ${API_KEY.slice(9)}`],
    ['URL', `?key=${encodeURIComponent(API_KEY)}&x`],
    ['hex', Buffer.from(API_KEY).toString('hex').toUpperCase()],
    ['JSON in JSON', JSON.stringify({ body: JSON.stringify({ key: API_KEY }) })],
    ['base64 at 0', Buffer.from(`${API_KEY}!`).toString('base64')],
    ['base64 at 1', Buffer.from(`x${API_KEY}!`).toString('base64url')],
    ['base64 at 2', Buffer.from(`xy${API_KEY}!`).toString('base64')],
  ])('finds what is there: %s', (_, text) => {
    expect(findCanaries([{ name: 'sink', text: `before ${text} after` }], [API_KEY]).length).toBeGreaterThan(
      0,
    )
  })
  it('finds nothing where nothing is', () => {
    expect(findCanaries([{ name: 'sink', text: 'run ended' }], [API_KEY, ...WORDS])).toEqual([])
  })
})
