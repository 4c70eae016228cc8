// One daemon over several services: each has its runs, its decisions, its pages and its figures, and what stops one of them
// stops no other.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { KEY, openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000 })

const TOKEN = 'token-of-the-console'
const ANNA = 'token-of-anna-1234567'

const account = (name: string, url: string, key: string, users = ''): string =>
  `  ${name}: { service: { base_url: "${url}", api_key: "${key}", rate_limit: { requests: 500, per: 1s } }${users} }\n`
const pipeline = (name: string, of: string): string => `
  ${name}:
    account: ${of}
    watch: true
    source: { type: csv, folder: inbox/${name}, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
`

let shop: Workshop
let other: Sandbox
let daemon: Running | undefined
beforeEach(async () => {
  shop = await openWorkshop()
  for (const inbox of ['fjord', 'oasis', 'dawn']) await mkdir(shop.path('inbox', inbox), { recursive: true })
  other = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
})
afterEach(async () => {
  daemon?.process.kill('SIGKILL')
  await daemon?.ended
  await other.close()
  await shop.close()
})

const configuration = (accounts: string, pipelines: string): string => `
accounts:
${accounts}
state: { path: state/contact-sync.db }
server:
  port: 0
  token: ${TOKEN}
  users: [{ name: anna, token: ${ANNA}, role: operator }]
pipelines:
${pipelines}
`

const both = (southKey = KEY): string =>
  account('north', shop.sandbox.url, KEY, ', users: [anna]') +
  account('south', other.url, southKey, ', users: []')

async function started(): Promise<string> {
  daemon = shop.start('start')
  const log = await daemon.stderrHas(/"account":"south"[^\n]*daemon started/)
  return `http://127.0.0.1:${/"port":(\d+)/.exec(log)?.[1] ?? ''}`
}

const get = async (url: string, token = TOKEN): Promise<string> =>
  (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).text()

it('runs both, each by its own state, and shows each to those who may see it', async () => {
  await shop.configure(configuration(both(), pipeline('fjord', 'north') + pipeline('oasis', 'south')))
  await shop.drop('fjord', '1.csv', peopleCsv(3))
  await shop.drop('oasis', '1.csv', peopleCsv(2))
  const url = await started()
  await daemon?.stderrHas(/"account":"north"[^\n]*run ended/)
  await daemon?.stderrHas(/"account":"south"[^\n]*run ended/)
  const status = JSON.parse((await shop.cli('status', '--json')).stdout) as { pipelines: object[] }
  expect(status.pipelines).toMatchObject([
    { account: 'north', pipeline: 'fjord', linked: 3 },
    { account: 'south', pipeline: 'oasis', linked: 2 },
  ])
  const metrics = await get(`${url}/metrics`)
  expect(metrics).toContain(
    'contact_sync_records_total{pipeline="fjord",outcome="created",account="north"} 3',
  )
  expect(metrics).toContain(
    'contact_sync_records_total{pipeline="oasis",outcome="created",account="south"} 2',
  )
  expect(metrics.match(/^contact_sync_build_info/gm)).toHaveLength(1)
  // Anna may see the north alone, whatever she asks for; the token of the console sees both.
  expect(await get(`${url}/?account=south`)).toMatch(/<strong>south<\/strong>[^]*oasis/)
  const annas = await get(`${url}/?account=south`, ANNA)
  expect(annas).toContain('fjord')
  expect(annas).not.toMatch(/oasis|south/)
  // A decision reaches the account of its pipeline.
  expect((await shop.cli('pause', 'oasis')).stdout).toContain('oasis: paused')
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
    status: 'ready',
    reasons: [],
    paused: ['oasis'],
  })
  daemon?.process.kill('SIGTERM')
  expect(await daemon?.ended).toMatchObject({ code: 143 })
})

it('goes on with the others where one is refused, and takes accounts from a reload', async () => {
  const pipelines = pipeline('fjord', 'north') + pipeline('oasis', 'south')
  await shop.configure(configuration(both('a-key-that-is-wrong'), pipelines))
  await shop.drop('oasis', '1.csv', peopleCsv(2))
  await shop.drop('fjord', '1.csv', peopleCsv(3))
  const url = await started()
  await daemon?.stderrHas(/"account":"north"[^\n]*run ended/)
  await daemon?.stderrHas(/"account":"south"[^\n]*API key refused/)
  const ready = await fetch(`${url}/readyz`)
  expect(ready.status).toBe(200)
  expect(((await ready.json()) as { reasons: string[] }).reasons).toEqual([
    expect.stringMatching(/^account south: runs paused since .* \(SERVICE_KEY_REFUSED\)$/),
  ])
  // One more, and one less.
  await shop.configure(
    configuration(
      account('north', shop.sandbox.url, KEY) + account('east', other.url, KEY),
      pipeline('fjord', 'north') + pipeline('dawn', 'east'),
    ),
  )
  await shop.drop('dawn', '1.csv', peopleCsv(4))
  expect((await shop.cli('reload')).code).toBe(0)
  await daemon?.stderrHas(/"account":"south"[^\n]*account removed/)
  const log = await daemon?.stderrHas(/"account":"south"[^\n]*daemon stopped/)
  // That it was removed is no refusal.
  expect(log).not.toMatch(/configuration not reloaded/)
  await daemon?.stderrHas(/"account":"east"[^\n]*run ended/)
  const status = JSON.parse((await shop.cli('status', '--json')).stdout) as { pipelines: object[] }
  expect(status.pipelines).toMatchObject([
    { pipeline: 'fjord', linked: 3 },
    { pipeline: 'dawn', linked: 4 },
  ])
})

it('runs an account again that is put back while it still ends', async () => {
  const pipelines = pipeline('fjord', 'north') + pipeline('oasis', 'south')
  await shop.configure(configuration(both(), pipelines))
  const url = await started()
  other.control.faults.add({ match: 'POST *', next: 1, do: 'delay', ms: 2000 })
  await shop.drop('oasis', '1.csv', peopleCsv(2))
  await daemon?.stderrHas(/"account":"south"[^\n]*file read and planned/)
  await shop.configure(configuration(account('north', shop.sandbox.url, KEY), pipeline('fjord', 'north')))
  daemon?.process.kill('SIGHUP')
  await daemon?.stderrHas(/"account":"south"[^\n]*daemon stopping/)
  await shop.configure(configuration(both(), pipelines))
  daemon?.process.kill('SIGHUP')
  await daemon?.stderrHas(/"account":"south"[^\n]*daemon stopped[^]*"account":"south"[^\n]*daemon started/)
  await shop.drop('oasis', '2.csv', peopleCsv(3))
  await daemon?.stderrHas(/daemon stopped[^]*"account":"south"[^\n]*run ended/)
  await vi.waitFor(async () =>
    expect((await shop.cli('status', '--json')).stdout).toMatch(/"pipeline":"oasis"[^]*"linked":3/),
  )
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready', reasons: [] })
})

it('starts the others where the state of one cannot be used', async () => {
  await shop.configure(configuration(both(), pipeline('fjord', 'north') + pipeline('oasis', 'south')))
  await shop.drop('oasis', '1.csv', peopleCsv(2))
  await shop.cli('run', 'fjord')
  await writeFile(
    shop.path('state/contact-sync.north.db'),
    'no database at all, and longer than a header of one',
  )
  const url = await started()
  expect(await daemon?.stderrHas(/account not started/)).toMatch(/"account":"north"[^\n]*STATE_/)
  await daemon?.stderrHas(/"account":"south"[^\n]*run ended/)
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
    status: 'ready',
    reasons: [expect.stringMatching(/^account north: not running \(STATE_\w+\)$/)],
  })
})

it('runs a folder of files, and names one that is broken until it is mended', async () => {
  const folder = 'config.yaml'
  const write = async (name: string, text: string) => writeFile(shop.path(folder, name), text)
  const piece = (name: string, url: string) =>
    `accounts:\n${account(name, url, KEY)}pipelines:\n${pipeline(`of-${name}`, name).replace('inbox/', '../inbox/')}`
  await rm(shop.path(folder))
  await mkdir(shop.path(folder))
  for (const name of ['of-north', 'of-south']) await mkdir(shop.path('inbox', name))
  await shop.drop('of-north', '1.csv', peopleCsv(3))
  await shop.drop('of-south', '1.csv', peopleCsv(2))
  await write('contact-sync.yaml', `server: { port: 0, token: ${TOKEN} }\nallow: [outside_paths]\n`)
  await write('north.yaml', piece('north', shop.sandbox.url))
  await write('south.yaml', piece('south', other.url).replace('watch:', 'wotch:'))
  daemon = shop.start('start')
  const log = await daemon.stderrHas(/"account":"north"[^\n]*run ended/)
  expect(log).toMatch(/"file of the configuration refused"/)
  const url = `http://127.0.0.1:${/"port":(\d+)/.exec(log)?.[1] ?? ''}`
  expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
    status: 'ready',
    reasons: ['south.yaml: broken, and not in use'],
  })
  expect(await get(`${url}/metrics`)).toContain('contact_sync_configuration_file_broken{file="south.yaml"} 1')
  // Mended; and the other one is broken now: what runs by it continues.
  await write('south.yaml', piece('south', other.url))
  await write('north.yaml', 'accounts: {')
  expect(daemon.process.kill('SIGHUP')).toBe(true)
  await daemon.stderrHas(/"account":"south"[^\n]*run ended/)
  await daemon.stderrHas(/"account":"north"[^\n]*configuration invalid[^\n]*north\.yaml:1:\d+/)
  await shop.drop('of-north', '2.csv', peopleCsv(5))
  await daemon.stderrHas(/"account":"north"[^\n]*run ended[^]*"account":"north"[^\n]*run ended/)
  expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({
    status: 'ready',
    reasons: [expect.stringMatching(/north\.yaml: broken/)],
  })
})
