// Alerts by the command line, as cron uses it: a process for each run, one memory for all of them.
import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AlertMessage } from '../../src/core/alerts/alert-message.ts'
import { openWorkshop, type Workshop } from '../support/cli.ts'
import { type MailServer, startMailServer, startWebhook, type Webhook } from '../support/receivers.ts'

const HEADER = 'no,mail,first,last,phone'
const GOOD = [HEADER, 'K1,erika@example.com,Erika,Mustermann,1', ''].join('\n')
const BAD = [HEADER, 'K1,no mail at all,Erika,Mustermann,1', ''].join('\n')

let shop: Workshop
let hook: Webhook
let mail: MailServer

const messages = (): AlertMessage[] => hook.posts.map(({ body }) => JSON.parse(body) as AlertMessage)
const told = (): string[] =>
  messages().map(({ event, condition, pipeline }) => `${pipeline} ${condition} ${event}`)
const configure = async (change: (yaml: string) => string): Promise<void> =>
  writeFile(shop.path('config.yaml'), change(await readFile(shop.path('config.yaml'), 'utf8')))

beforeEach(async () => {
  shop = await openWorkshop()
  hook = await startWebhook()
  mail = await startMailServer()
  await configure(
    (yaml) => `${yaml}
alerts:
  - webhook: ${hook.url}
    secret: signing-secret
    on: [failed, held, rejects]
  - mail: { smtp: "smtp://127.0.0.1:${mail.port}", from: sync@example.com, to: ops@example.com }
    on: [rejects]
`,
  )
})
afterEach(async () => {
  await Promise.all([shop.close(), hook.close(), mail.close()])
})

it('tells once that records are rejected, and once that none is any more', async () => {
  await shop.drop('shop', 'a.csv', BAD)
  expect((await shop.cli('run')).code).toBe(3)
  expect(told()).toEqual(['shop rejects raised'])
  expect(mail.mails).toHaveLength(1)
  await shop.cli('run')
  await shop.drop('shop', 'b.csv', BAD.replace('no mail', 'still no mail'))
  await shop.cli('run')
  expect(told()).toEqual(['shop rejects raised'])
  const list = await shop.cli('alerts', 'list')
  expect(list.stdout).toMatch(
    /^webhook 127\.0\.0\.1:\d+\n {2}shop: rejects, since .*\nmail by 127\.0\.0\.1\n {2}shop: rejects/,
  )
  await shop.drop('shop', 'c.csv', GOOD)
  expect((await shop.cli('run')).code).toBe(0)
  expect(told()).toEqual(['shop rejects raised', 'shop rejects recovered'])
  expect(mail.mails).toHaveLength(2)
  const all = JSON.stringify([hook.posts, mail.mails])
  for (const personal of ['erika', 'Mustermann', 'no mail']) expect(all).not.toContain(personal)
})

it('tells once, and not for each pipeline, that the service is away, and that it is back', async () => {
  const url = shop.sandbox.url
  await configure((yaml) => yaml.replace('${BASE_URL}', 'http://127.0.0.1:9'))
  await shop.drop('shop', 'a.csv', GOOD)
  expect((await shop.cli('run')).code).toBe(5)
  expect((await shop.cli('run')).code).toBe(5)
  expect(messages()).toMatchObject([
    {
      event: 'raised',
      condition: 'unreachable',
      pipeline: null,
      command: 'contact-sync check',
      service: '127.0.0.1:9',
    },
  ])
  await configure((yaml) => yaml.replace('http://127.0.0.1:9', url))
  expect((await shop.cli('run')).code).toBe(0)
  expect(messages().map(({ event }) => event)).toEqual(['raised', 'recovered'])
})

it('sends later what a receiver does not take, and never makes a run fail', async () => {
  hook.answers(500)
  await shop.drop('shop', 'a.csv', BAD)
  const run = await shop.cli('run')
  expect(run.code).toBe(3)
  const waiting = await shop.cli('alerts', 'list', '--json')
  expect(JSON.parse(waiting.stdout)).toMatchObject({
    receivers: [
      { undelivered: [{ condition: 'rejects', pipeline: 'shop', event: 'raised', attempts: 1 }] },
      { undelivered: [] },
    ],
  })
  // Over before the receiver took it: it may have got it nevertheless, so it hears of the end.
  hook.answers(200)
  await shop.drop('shop', 'b.csv', GOOD)
  await shop.cli('run')
  expect(told()).toEqual(['shop rejects raised', 'shop rejects recovered'])
})

it('sends a test to every receiver, and says who did not take it', async () => {
  const good = await shop.cli('alerts', 'test')
  expect(good.code).toBe(0)
  expect(good.stdout).toMatch(/^webhook 127\.0\.0\.1:\d+: delivered\nmail by 127\.0\.0\.1: delivered\n$/)
  expect(messages()).toMatchObject([{ event: 'test', title: 'contact-sync: test message' }])
  hook.answers(403)
  const bad = await shop.cli('alerts', 'test', '--json')
  expect(bad.code).toBe(3)
  expect(JSON.parse(bad.stdout)).toMatchObject({
    receivers: [{ delivered: false, reason: 'answered with 403' }, { delivered: true }],
  })
  for (const { stdout, stderr } of [good, bad]) {
    expect(stdout + stderr.replace(/warning: .*/g, '')).not.toContain('secret')
    expect(stderr).not.toContain('signing-secret')
  }
})

it('says that nobody is configured', async () => {
  await configure((yaml) => yaml.replace(/alerts:[^]*/, ''))
  for (const command of ['list', 'test']) {
    const { code, stderr } = await shop.cli('alerts', command)
    expect(code).toBe(2)
    expect(stderr).toContain('no alerts are configured')
  }
})
