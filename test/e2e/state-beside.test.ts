// What is done to the state itself, beside the daemon that has it: its address, what is found again at the service, and the
// indexes of the sync log.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000 })

const configuration = (url: string): string => `
service: { base_url: "${url}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s, concurrency: 4 } }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
`

let shop: Workshop
let daemon: Running
beforeEach(async () => {
  shop = await openWorkshop()
  await shop.configure(configuration(shop.sandbox.url))
  await shop.drop('shop', '1.csv', peopleCsv(6))
  expect((await shop.cli('run')).code).toBe(0)
  daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
})
afterEach(async () => {
  daemon.process.kill('SIGKILL')
  await daemon.ended
  await shop.close()
})

const reasons = async (action: string): Promise<unknown[]> => {
  const { stdout } = await shop.cli('audit', 'list', '--action', action, '--json')
  const { entries } = JSON.parse(stdout) as { entries: { reason: string; note?: string }[] }
  return entries.map(({ reason, note }) => [reason, note])
}

it('gets another address of the same service, and the daemon uses it', async () => {
  const moved = shop.sandbox.url.replace('127.0.0.1', 'localhost')
  await shop.configure(configuration(moved))
  expect((await shop.cli('reload')).code).toBe(2)
  const bound = await shop.cli('state', 'rebind', '--yes', '--reason', 'the service has moved')
  expect([bound.code, bound.stdout, bound.stderr]).toEqual([
    0,
    `The state belongs to ${moved} from now on.\n`,
    '',
  ])
  expect(await reasons('rebind')).toEqual([
    [
      `the state belongs to the service ${moved} from now on, and belonged to ${shop.sandbox.url}`,
      'the service has moved',
    ],
  ])
  await shop.drop('shop', '2.csv', peopleCsv(6, [2]))
  expect((await shop.cli('run', 'shop')).stdout).toMatch(/1 updated/)
})

it('is not bound to another service, whatever the command says', async () => {
  const other = await openWorkshop()
  try {
    await shop.configure(configuration(other.sandbox.url))
    const refused = await shop.cli('state', 'rebind', '--yes')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('OTHER_SERVICE')])
    await shop.configure(configuration(shop.sandbox.url))
    await shop.drop('shop', '2.csv', peopleCsv(6, [2]))
    expect((await shop.cli('run', 'shop')).code).toBe(0)
  } finally {
    await other.close()
  }
})

it('is looked up again at the service, is the latest, and has its indexes rebuilt', async () => {
  await shop.drop('shop', '2.csv', peopleCsv(8))
  await shop.cli('pause')
  const rebuilt = await shop.cli('state', 'rebuild', '--json')
  expect(rebuilt.code).toBe(0)
  expect(JSON.parse(rebuilt.stdout)).toMatchObject({
    status: 'ok',
    doubt: null,
    pipelines: [{ pipeline: 'shop', known: 6, absent: 2 }],
  })
  const accepted = await shop.cli('state', 'accept')
  expect([accepted.code, accepted.stdout]).toEqual([
    0,
    'The state is the latest already; nothing was changed.\n',
  ])
  const verified = await shop.cli('audit', 'verify', '--rebuild-index')
  expect([verified.code, verified.stderr]).toEqual([0, ''])
  expect((await reasons('rebuild')).length).toBe(2)
})
