// The daemon as those see it who watch it: metrics behind the token, and alerts, over real sockets.
import { writeFile, readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AlertMessage } from '../../src/core/alerts/alert-message.ts'
import { KEY, openWorkshop, peopleCsv, type Running, type Workshop } from '../support/cli.ts'
import { startWebhook, type Webhook } from '../support/receivers.ts'

const TOKEN = 'a-long-and-random-token'
let shop: Workshop
let hook: Webhook
let daemon: Running

beforeEach(async () => {
  shop = await openWorkshop()
  hook = await startWebhook()
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await writeFile(
    shop.path('config.yaml'),
    `${yaml.replace('server: { port: 0 }', `server: { port: 0, token: ${TOKEN} }`).replace('  shop:', '  shop:\n    schedule: "* * * * * *"')}
alerts:
  - webhook: ${hook.url}
`,
  )
})
afterEach(async () => {
  daemon.process.kill('SIGKILL')
  await daemon.ended
  await Promise.all([shop.close(), hook.close()])
})

async function started(): Promise<(path: string, headers?: Record<string, string>) => Promise<Response>> {
  daemon = shop.start('start')
  const log = await daemon.stderrHas(/"port":\d+/)
  const port = /"port":(\d+)/.exec(log)![1]!
  return async (path, headers = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
}

const valueIn = (text: string, series: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`contact_sync_${series} `))
      ?.split(' ')
      .at(-1),
  )

const messages = (): AlertMessage[] => hook.posts.map(({ body }) => JSON.parse(body) as AlertMessage)

it('counts what runs do and shows how things stand, to whoever has the token', async () => {
  await shop.drop('shop', 'a.csv', `${peopleCsv(3)}K9,no mail,A,B,1\n`)
  const ask = await started()
  await daemon.stderrHas(/"message":"run ended".*"created":3|"created":3.*"message":"run ended"/)
  expect((await ask('/metrics')).status).toBe(401)
  const answer = await ask('/metrics', { authorization: `Bearer ${TOKEN}` })
  expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  const text = await answer.text()
  const value = (series: string): number => valueIn(text, series)
  expect(value('records_total{pipeline="shop",outcome="created"}')).toBe(3)
  expect(value('records_total{pipeline="shop",outcome="rejected"}')).toBe(1)
  expect(value('runs_total{pipeline="shop",status="partial"}')).toBe(1)
  expect(value('requests_total{endpoint="/contacts",method="POST",status="200"}')).toBe(1)
  expect(value('linked{pipeline="shop"}')).toBe(3)
  expect(value('rejects{pipeline="shop"}')).toBe(1)
  expect(value('state_bytes{file="database"}')).toBeGreaterThan(10_000)
  expect(value('rate_limit')).toBe(500)
  expect(value('ready')).toBe(1)
  expect(value('last_file_timestamp_seconds{pipeline="shop"}')).toBeGreaterThan(1.7e9)
  for (const secretOrPersonal of ['person0', 'Vorname', 'a.csv', 'K9', TOKEN])
    expect(text).not.toContain(secretOrPersonal)
})

it('counts a record whose field was edited and waits for an operator among what is held', async () => {
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await writeFile(shop.path('config.yaml'), yaml.replace('  shop:\n', '  shop:\n    hand_edits: ask\n'))
  await shop.drop('shop', 'a.csv', 'no,mail,first,last,phone\nK1,a@example.com,A,B,1\n')
  expect((await shop.cli('run')).code).toBe(0)
  const [{ id }] = (await shop.contacts('a@example.com', 'id')) as [{ id: number }]
  await fetch(`${shop.sandbox.url}/public/api/V1/contact/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ phone: '9', first_name: 'X' }),
  })
  await shop.drop('shop', 'b.csv', 'no,mail,first,last,phone\nK1,a@example.com,AA,B,2\n')
  expect((await shop.cli('run')).code).toBe(4)
  const ask = await started()
  const text = await (await ask('/metrics', { authorization: `Bearer ${TOKEN}` })).text()
  expect(valueIn(text, 'held{pipeline="shop"}')).toBe(1)
})

it('tells of rejects once, keeps its word over a restart, and tells when they are gone', async () => {
  await shop.drop('shop', 'a.csv', 'no,mail,first,last,phone\nK1,no mail,A,B,1\n')
  await started()
  await hook.told(1)
  expect(messages()).toMatchObject([{ event: 'raised', condition: 'rejects', pipeline: 'shop' }])
  daemon.process.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(143)
  await started()
  await daemon.stderrHas(/run ended/)
  await shop.drop('shop', 'b.csv', 'no,mail,first,last,phone\nK1,erika@example.com,A,B,1\n')
  await hook.told(2)
  expect(messages().map(({ event, condition }) => `${condition} ${event}`)).toEqual([
    'rejects raised',
    'rejects recovered',
  ])
  daemon.process.kill('SIGTERM')
  const { stderr } = await daemon.ended
  expect(stderr).toContain('alert delivered')
  expect(stderr).not.toContain('secret-part')
})
