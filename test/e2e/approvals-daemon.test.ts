// Approvals and corrections beside a running daemon, which is killed between two of them.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Ended, MAIN, openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000 })

const TOKENS = { anna: 'a'.repeat(32), bert: 'b'.repeat(32) }
const CONFIGURATION = `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s, concurrency: 4 } }
state: { path: state/contact-sync.db }
server:
  port: 0
  users:
    - { name: anna, token: "${TOKENS.anna}", role: approver }
    - { name: bert, token: "${TOKENS.bert}", role: approver }
approvals: [{ when: { deletes: 1 }, by: 2 }]
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    mode: full
    on_missing: delete
    guards: { max_deletes: 100%, max_deletes_per: off }
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
`

let shop: Workshop
let daemon: Running
beforeEach(async () => {
  shop = await openWorkshop()
  await shop.configure(CONFIGURATION)
  daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
})
afterEach(async () => {
  daemon.process.kill('SIGKILL')
  await daemon.ended
  await shop.close()
})

const as = (name: keyof typeof TOKENS, ...args: string[]): Promise<Ended> =>
  shop.startBy(
    ['/usr/bin/env', `CONTACT_SYNC_USER_TOKEN=${TOKENS[name]}`, process.execPath, MAIN],
    ...args,
    '--as',
    name,
  ).ended

async function restarted(): Promise<void> {
  daemon.process.kill('SIGKILL')
  await daemon.ended
  daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
}

const phoneOf = async (index: number): Promise<unknown> =>
  (await shop.contacts(`person${index}@example.com`, 'phone'))[0]?.['phone']

it('an approval is kept when the daemon is killed, and the second one releases', async () => {
  await shop.drop('shop', '1.csv', peopleCsv(4))
  expect((await shop.cli('run', 'shop')).code).toBe(0)
  await shop.drop('shop', '2.csv', peopleCsv(3))
  const run = await shop.cli('run', 'shop', '--json')
  expect(run.code).toBe(4)
  const held = (JSON.parse(run.stdout) as { pipelines: { run_id: string }[] }).pipelines[0]?.run_id ?? ''
  expect((await shop.cli('held', 'release', held)).code).toBe(2)
  expect((await as('anna', 'held', 'release', held)).stdout).toContain('1 more approver must release them')
  await restarted()
  expect((await as('anna', 'held', 'release', held)).stdout).toContain('had your approval already')
  expect((await shop.cli('held', 'list')).stdout).toContain('released so far by anna')
  expect((await as('bert', 'held', 'release', held)).stdout).toContain('1 change of shop released')
  await restarted()
  expect((await shop.cli('run', 'shop')).code).toBe(0)
  expect(await shop.contacts('person3@example.com', 'id')).toEqual([])
})

it('a correction is taken by the daemon, kept when it is killed, and sent by its next run', async () => {
  await shop.drop('shop', '1.csv', peopleCsv(2))
  expect((await shop.cli('run', 'shop')).code).toBe(0)
  expect((await shop.cli('correct', 'shop', 'K1', 'phone=+49 30 99', '--reason', 'asked')).stdout).toContain(
    'the next run of shop sends it',
  )
  await restarted()
  expect((await shop.cli('run', 'shop')).code).toBe(0)
  expect(await phoneOf(1)).toBe('+49 30 99')
  await shop.drop('shop', '2.csv', peopleCsv(2))
  expect((await shop.cli('run', 'shop')).code).toBe(0)
  expect(await phoneOf(1)).toBe('+49 30 99')
  expect((await shop.cli('audit', 'verify')).code).toBe(0)
})
