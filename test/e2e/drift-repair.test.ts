// A repair beside a running daemon: the daemon holds the plan, signed by who asked, and its next run sends what was released.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KEY, openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'

vi.setConfig({ testTimeout: 120_000 })

const CONFIGURATION = `
service: { base_url: "\${BASE_URL}", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s } }
state: { path: state/contact-sync.db }
server: { port: 0 }
pipelines:
  shop:
    source: { type: csv, folder: inbox/shop, settle: 0s }
    key: no
    map: { mail: mail, first_name: first, family_name: last, phone: phone }
`

let shop: Workshop
let daemon: Running | undefined
beforeEach(async () => {
  shop = await openWorkshop()
})
afterEach(async () => {
  daemon?.process.kill('SIGKILL')
  await daemon?.ended
  await shop.close()
})

it('is held by the daemon, and sent by its next run once it is released', async () => {
  await shop.configure(CONFIGURATION)
  await shop.drop('shop', '1.csv', peopleCsv(3))
  expect((await shop.cli('run')).code).toBe(0)
  const nameOf = async () => (await shop.contacts('person1@example.com', 'id,first_name'))[0] ?? {}
  const before = await nameOf()
  const edited = await fetch(`${shop.sandbox.url}/public/api/V1/contact/${String(before['id'])}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ first_name: 'Zoe' }),
  })
  expect(edited.status).toBe(200)
  daemon = shop.start('start')
  await daemon.stderrHas(/daemon started/)
  const { code, stdout } = await shop.cli('drift', '--repair', '--reason', 'by mistake')
  expect(code).toBe(0)
  const run = /contact-sync held release (\S+)/.exec(stdout)?.[1] ?? ''
  expect(await nameOf()).toMatchObject({ first_name: 'Zoe' })
  expect((await shop.cli('held', 'release', run)).code).toBe(0)
  expect((await shop.cli('run', 'shop')).code).toBe(0)
  expect(await nameOf()).toEqual(before)
  const log = await shop.cli('audit', 'list')
  expect(log.stdout).toMatch(/hold held; drift: 1 change to put back what was last sent.*note: by mistake/)
  expect(log.stdout).toMatch(/first_name "Zoe" -> ".+"; drift repair/)
})
