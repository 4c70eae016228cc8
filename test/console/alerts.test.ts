// The page of alerts, and the test message: who may send it, what is said before, and that it is sent once.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ReceiverStanding } from '../../src/core/alerts/alert-store.ts'
import { type Desk, openDesk, TOKEN } from './desk.ts'

const ANNA = { name: 'anna', token: 'anna-has-this-token', role: 'operator' } as const
const HOOK: ReceiverStanding = {
  receiver: 'webhook hooks.example',
  raised: [
    { name: 'held', pipeline: 'shop', since: Date.UTC(2026, 0, 1), told: true },
    { name: 'rejects', pipeline: 'crm', since: Date.UTC(2026, 0, 1), told: false },
  ],
  pending: [{ id: 1, name: 'unreachable', pipeline: '', event: 'raised', attempts: 3 }],
}

let receivers: readonly ReceiverStanding[] = []
let sent = 0
let desk: Desk
beforeAll(async () => {
  desk = await openDesk((data) => ({
    ...data,
    alerts: () => Promise.resolve(receivers),
    testAlerts: () => {
      sent += 1
      return data.testAlerts()
    },
  }))
  desk.users = [ANNA]
})
afterAll(async () => desk.close())
beforeEach(() => {
  receivers = [HOOK]
  sent = 0
})

const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

it('shows what each receiver was told of, and what it has not accepted', async () => {
  const text = textOf((await desk.page('/alerts')).body)
  expect(text).toContain('webhook hooks.example')
  expect(text).toMatch(/held shop 2026-01-01/)
  expect(text).toMatch(/unreachable all ! begins 3/)
  // It does not hold for as long as the receiver wants yet.
  expect(text).not.toContain('crm')
  expect(textOf((await desk.page('/')).body)).toContain('1 receiver, 1 open alert')
})

it('the overview names alerts that nothing else in its line is about, once, and messages not delivered', async () => {
  const overdue = { name: 'overdue', pipeline: 'shop', since: 0, told: true } as const
  receivers = [
    { ...HOOK, raised: [...HOOK.raised, overdue] },
    { receiver: 'mail by smtp.example', raised: [overdue], pending: [] },
  ]
  const text = textOf((await desk.page('/')).body)
  expect(text).toContain('30 changes held in shop')
  expect(text).toContain('· 1 open alert · 1 alert message not delivered')
  receivers = [{ ...HOOK, pending: [] }]
  expect(textOf((await desk.page('/')).body)).not.toMatch(/· \d+ (open )?alert/)
})

it('says so where no alerts are configured, and offers no test', async () => {
  receivers = []
  const { cookie } = await desk.signIn(ANNA.token)
  const { body } = await desk.ask('/alerts', { headers: { cookie } })
  expect(textOf(body)).toContain('No alerts are configured')
  expect(body).not.toContain('action="/confirm"')
})

it('an operator sends one test message, however often the form is sent', async () => {
  const headers = await desk.signIn(ANNA.token)
  expect((await desk.ask('/alerts', { headers })).body).toContain('value="alerts test"')
  const asked = await desk.ask('/confirm', { headers, form: { kind: 'alerts test' } })
  expect(textOf(asked.body)).toContain('marked as a test: webhook hooks.example')
  expect(asked.body).not.toContain('name="reason"')
  expect(sent).toBe(0)
  const token = /name="token" value="([^"]+)"/.exec(asked.body)?.[1] ?? ''
  const answers = [1, 2].map(() => desk.ask('/decide', { headers, form: { token } }))
  const [first] = await Promise.all(answers)
  expect(sent).toBe(1)
  const { body } = await desk.ask(String(first?.headers['location']), { headers })
  expect(textOf(body)).toContain('webhook hooks.example: delivered')
  // It is no decision: the state does not change.
  expect(desk.decisions).toEqual([])
})

it('who only looks is told the command, and sends none', async () => {
  const headers = await desk.signIn(TOKEN)
  const { body } = await desk.ask('/alerts', { headers })
  expect(body).toContain('contact-sync alerts test')
  expect(body).not.toContain('action="/confirm"')
  expect((await desk.ask('/confirm', { headers, form: { kind: 'alerts test' } })).status).toBe(403)
  expect(sent).toBe(0)
})
