// Two accounts in one daemon that is killed while both are in the middle of a run: each continues from its own state, also while
// that of the other cannot be used, and no contact is doubled or lost.
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts'
import { systemClock } from '../../src/system.ts'
import { KEY, openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000 })

const CONTACTS = 40

const account = (name: string, url: string): string => `
  ${name}:
    service:
      base_url: "${url}"
      api_key: "${KEY}"
      rate_limit: { requests: 10, per: 1s, concurrency: 2 }
      bulk: { size: 2 }
      doubt: { quiesce: 200ms, absent_reads: 1 }`

const pipeline = (name: string, of: string, check: string): string => `
  ${name}:
    account: ${of}
    watch: true
    source: { type: csv, folder: inbox/${name}, settle: 0s }
    key: no
    duplicate_check_method: ${check}
    map: { mail: mail, first_name: first, family_name: last, phone: phone }`

let shop: Workshop
let south: Sandbox
let daemon: Running | undefined
beforeEach(async () => {
  shop = await openWorkshop()
  south = await startSandbox({ port: 0, apiKey: KEY, habits: {}, clock: systemClock })
  for (const inbox of ['fjord', 'oasis']) await mkdir(shop.path('inbox', inbox), { recursive: true })
  await shop.configure(
    [
      `accounts:${account('north', shop.sandbox.url)}${account('south', south.url)}`,
      'state: { path: state/contact-sync.db }',
      'server: { port: 0 }',
      `pipelines:${pipeline('fjord', 'north', 'none')}${pipeline('oasis', 'south', 'email')}`,
      '',
    ].join('\n'),
  )
})
afterEach(async () => {
  daemon?.process.kill('SIGKILL')
  await daemon?.ended
  await south.close()
  await shop.close()
})

const writes = ({ requests }: Sandbox): number => requests().filter(({ method }) => method !== 'GET').length

/** How many contacts have the mail of each record. */
async function copies({ url }: Sandbox): Promise<number[]> {
  const headers = { authorization: `Bearer ${KEY}` }
  const found = Array.from({ length: CONTACTS }, async (_, index) => {
    const answer = await fetch(`${url}/public/api/V1/contact/person${index}@example.com?fields=id`, {
      headers,
    })
    return answer.ok ? ((await answer.json()) as unknown[]).length : 0
  })
  return Promise.all(found)
}

const ONCE = Array.from({ length: CONTACTS }, () => 1)

/** The files of the state of north go to another folder, or come back. */
async function move(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(from))
    if (name.includes('.north.')) await rename(`${from}/${name}`, `${to}/${name}`)
}

async function killInBothRuns(): Promise<void> {
  const { sandbox: north } = shop
  const before = [writes(north), writes(south)]
  daemon = shop.start('start')
  await vi.waitFor(
    () => {
      expect(writes(north)).toBeGreaterThan((before[0] ?? 0) + 2)
      expect(writes(south)).toBeGreaterThan((before[1] ?? 0) + 2)
    },
    { timeout: 30_000, interval: 5 },
  )
  daemon.process.kill('SIGKILL')
  const { stderr, signal } = await daemon.ended
  expect([signal, stderr.includes('run ended')]).toEqual(['SIGKILL', false])
}

it('each continues by itself, and the trouble of one state stops that account alone', async () => {
  const { sandbox: north } = shop
  for (const inbox of ['fjord', 'oasis']) await shop.drop(inbox, '1.csv', peopleCsv(CONTACTS))
  await killInBothRuns()
  await killInBothRuns()

  await move(shop.path('state'), shop.path('kept'))
  await writeFile(shop.path('state/contact-sync.north.db'), 'no database, and longer than a header of one is')
  const sent = writes(north)
  daemon = shop.start('start')
  await daemon.stderrHas(/"account":"south"[^\n]*run ended/)
  expect(await daemon.stderrHas(/account not started/)).toMatch(/"account":"north"[^\n]*STATE_/)
  expect(await copies(south)).toEqual(ONCE)
  expect(writes(north)).toBe(sent)
  daemon.process.kill('SIGTERM')
  await daemon.ended

  await move(shop.path('kept'), shop.path('state'))
  daemon = shop.start('start')
  await daemon.stderrHas(/"account":"north"[^\n]*run ended/)
  expect(await copies(north)).toEqual(ONCE)
  expect(await copies(south)).toEqual(ONCE)
  const status = JSON.parse((await shop.cli('status', '--json')).stdout) as { pipelines: object[] }
  expect(status.pipelines).toMatchObject([
    { account: 'north', pipeline: 'fjord', linked: CONTACTS, in_doubt: 0 },
    { account: 'south', pipeline: 'oasis', linked: CONTACTS, in_doubt: 0 },
  ])
})
