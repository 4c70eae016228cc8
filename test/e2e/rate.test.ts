// One rate limit and one day for all processes that ask a service: at the same time, and one after the other.
import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readWindowUse } from '../../src/store/window/window-use.ts'
import { openWorkshop, peopleCsv, type Workshop } from '../support/cli.ts'

let shop: Workshop
beforeEach(async () => (shop = await openWorkshop({ rateLimit: { requests: 3, perMs: 1000 } })))
afterEach(async () => shop.close())

async function limited(limit: string): Promise<void> {
  const yaml = await readFile(shop.path('config.yaml'), 'utf8')
  await shop.configure(
    yaml
      .replace('{ requests: 500, per: 1s, concurrency: 4 }', limit)
      .replace('settle: 0s }', 'settle: 0s }\n    terms: { assign: [Customer] }'),
  )
}

const throttled = (): number => shop.sandbox.requests().filter(({ status }) => status === 429).length

it('commands beside a run and one after the other never go over the limit', async () => {
  await limited('{ requests: 3, per: 1s, concurrency: 3 }')
  await shop.drop('shop', 'a.csv', peopleCsv(6))
  const beside = [
    shop.start('run', '--json'),
    ...['terms', 'fields', 'plan', 'check', 'terms'].map((name) => shop.start(name)),
  ]
  const ended = await Promise.all(beside.map(async (one) => one.ended))
  // What a run has on its way just then is in doubt for a plan, which says so.
  const codes = ended.map(({ code }, at) => (at === 3 && code === 3 ? 0 : code))
  expect(codes, ended.map(({ stderr }) => stderr).join('')).toEqual([0, 0, 0, 0, 0, 0])
  for (let again = 0; again < 3; again += 1) expect((await shop.cli('terms')).code).toBe(0)
  expect(throttled()).toBe(0)
}, 120_000)

it('the requests of a day are those of all commands', async () => {
  await limited('{ requests: 3, per: 1s, concurrency: 3, per_day: 4 }')
  for (let asked = 0; asked < 4; asked += 1) await shop.cli('fields')
  const used = shop.sandbox.requests().length
  expect(used).toBe(4)
  expect((await shop.cli('terms')).code).toBe(5)
  await shop.drop('shop', 'a.csv', peopleCsv(1))
  expect(JSON.parse((await shop.cli('run', '--json')).stdout)).toMatchObject({
    pipelines: [{ created: 0, requests: 0 }],
  })
  expect(shop.sandbox.requests()).toHaveLength(used)
}, 120_000)

it('what the service has asked of a process that was killed holds for the next one', async () => {
  await shop.close()
  shop = await openWorkshop({ rateLimit: { requests: 1, perMs: 4000 } })
  await limited('{ requests: 500, per: 1s, concurrency: 1 }')
  await shop.drop('shop', 'a.csv', peopleCsv(3))
  const killed = shop.start('run')
  const told = { service: shop.sandbox.url, now: Date.now() + 60_000, timeoutMs: 30_000 }
  const isTold = () => expect(readWindowUse(shop.path('state/contact-sync.db'), told)?.slowed).toBeDefined()
  await vi.waitFor(isTold, { timeout: 20_000, interval: 10 })
  killed.process.kill('SIGKILL')
  await killed.ended
  const before = shop.sandbox.requests().length
  expect((await shop.cli('status')).stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /; nothing is sent for [\d.]+ s, because the service asked to wait; /,
  )
  const fields = await shop.cli('fields')
  expect([fields.code, fields.stderr]).toEqual([
    0,
    expect.stringMatching(/the service has asked to wait: nothing is sent for [\d.]+ s, then this continues/),
  ])
  expect(shop.sandbox.requests()[before]).toMatchObject({ status: 200 })
}, 120_000)
