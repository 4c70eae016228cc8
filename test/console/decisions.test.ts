// Decisions in the console: who may, what is said before, and that a form counts once.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { proposalOf } from '../../src/console/decisions.ts'
import type { HeldPlan } from '../../src/core/state.ts'
import { type Desk, openDesk, TOKEN } from './desk.ts'

const ANNA = { name: 'anna', token: 'anna-has-this-token', role: 'operator' } as const
const BEN = { name: 'ben', token: 'ben-has-another-token', role: 'viewer' } as const
const OWN = { 'sec-fetch-site': 'same-origin' }

let desk: Desk
beforeAll(async () => (desk = await openDesk()))
afterAll(async () => desk.close())
beforeEach(() => {
  desk.token = TOKEN
  desk.users = [ANNA, BEN]
  desk.accounts = ['default']
})

async function signedIn(token: string) {
  const own = await desk.signIn(token)
  return {
    get: (path: string) => desk.ask(path, { headers: own }),
    post: (path: string, form: Record<string, string>, headers: Record<string, string> = own) =>
      desk.ask(path, { form, headers }),
    own,
  }
}

const tokenIn = (body: string): string => /name="token" value="([^"]+)"/.exec(body)?.[1] ?? ''
const PAUSE = { kind: 'pause', pipeline: 'shop' }

it('an operator confirms what a page has said, with a reason; a second click finds the same result', async () => {
  const anna = await signedIn(ANNA.token)
  const before = desk.decisions.length
  const asked = await anna.post('/confirm', PAUSE)
  expect(asked.body).toContain('The pipeline sends nothing until it is resumed')
  expect(desk.decisions.length).toBe(before)
  const form = { token: tokenIn(asked.body), reason: 'wrong export' }
  const [first, second] = [await anna.post('/decide', form), await anna.post('/decide', form)]
  expect([first.status, second.status]).toEqual([303, 303])
  expect((await anna.get(String(first.headers['location']))).body).toContain('Done.')
  expect(desk.decisions.slice(before)).toEqual([
    {
      kind: 'pause',
      args: { pipelines: ['shop'] },
      decided: { by: 'anna', role: 'operator', note: 'wrong export' },
    },
  ])
})

it('a viewer, the token without a name and a request without a session decide nothing, and are offered nothing', async () => {
  const before = desk.decisions.length
  const [ben, nameless] = [await signedIn(BEN.token), await signedIn(TOKEN)]
  for (const one of [ben, nameless]) {
    expect((await one.post('/confirm', PAUSE)).status).toBe(403)
    expect((await one.post('/decide', { token: 'x' })).status).toBe(403)
    expect((await one.get('/')).body).not.toContain('action="/confirm"')
  }
  const bearer = { authorization: `Bearer ${ANNA.token}`, ...OWN }
  expect((await desk.ask('/confirm', { form: PAUSE, headers: bearer })).status).toBe(403)
  expect(desk.decisions.length).toBe(before)
  expect((await (await signedIn(ANNA.token)).get('/')).body).toContain('action="/confirm"')
})

/** What a screen reader lists as the buttons of a page, and its links that decide something. */
const buttonsOf = (body: string): string[] =>
  [...body.matchAll(/<(button class="small"|a href="\/rejects\/\d+")>([^]*?)<\/(?:button|a)>/g)]
    .filter(([, kind, text = '']) => kind?.startsWith('button') || text.includes('Correct'))
    .map(([, , text = '']) => text.replace(/<[^>]*>/g, '').trim())

it('each button is named by what it is about, not by its row alone', async () => {
  const anna = await signedIn(ANNA.token)
  const held = await anna.get('/held')
  const plan = /href="(\/held\/[^"]+)"/.exec(held.body)?.[1]?.replaceAll('&amp;', '&') ?? ''
  for (const [path, name] of [
    ['/', 'Pause … shop'],
    [plan, 'Drop … K31'],
    ['/rejects', 'Correct … K61'],
  ] as const) {
    const buttons = buttonsOf((await anna.get(path)).body)
    expect([path, buttons]).toEqual([path, [...new Set(buttons)]])
    expect(buttons).toContain(name)
  }
})

it('a form of another session, of another site, or of no session does nothing', async () => {
  const before = desk.decisions.length
  const [anna, other] = [await signedIn(ANNA.token), await signedIn(ANNA.token)]
  const token = tokenIn((await anna.post('/confirm', PAUSE)).body)
  expect((await other.post('/decide', { token })).body).toContain('Nothing was done')
  expect((await anna.post('/decide', { token: 'guessed' })).body).toContain('Nothing was done')
  const foreign = { ...anna.own, 'sec-fetch-site': 'cross-site' }
  expect((await anna.post('/decide', { token }, foreign)).status).toBe(403)
  desk.users = [BEN]
  expect((await anna.post('/decide', { token })).status).toBe(303)
  expect(desk.decisions.length).toBe(before)
})

it('a form is good for the account that it was shown for alone', async () => {
  desk.accounts = ['north', 'south']
  const anna = await signedIn(ANNA.token)
  const before = desk.decisions.length
  await anna.post('/account', { account: 'north' })
  const token = tokenIn((await anna.post('/confirm', PAUSE)).body)
  await anna.post('/account', { account: 'south' })
  expect((await anna.post('/decide', { token })).body).toContain('Nothing was done')
  expect(desk.decisions.length).toBe(before)
  await anna.post('/account', { account: 'north' })
  expect((await anna.post('/decide', { token })).status).toBe(303)
  expect(desk.decisions.length).toBe(before + 1)
})

describe('what is said before', () => {
  const plan: HeldPlan = {
    runId: 'r1',
    pipeline: 'shop',
    guard: 'max_deletes',
    number: 61,
    left: 60,
    ready: 0,
    threshold: '5% (6)',
    reason: '61 of 120 contacts are missing',
    configHash: '',
    heldAt: 0,
    needed: 0,
    toApprove: 0,
    approvedBy: [],
    releasedAt: undefined,
  }
  const known = { pipelines: ['shop'], plans: [plan], receivers: [] }

  it('names the number of changes, and whether some have been overtaken', () => {
    expect(proposalOf('held release', { run: 'r1' }, known)).toMatchObject({
      args: { run: 'r1', remaining: true },
      title: 'Release 60 changes of run r1',
      button: 'Release 60 changes',
    })
    expect(proposalOf('held drop', { run: 'r1', key: 'K1', pipeline: 'shop' }, known)).toMatchObject({
      args: { run: 'r1', key: 'K1', pipeline: 'shop' },
      button: 'Drop these changes',
    })
  })

  it('is about the record of one pipeline, where a brake holds those of several in one run', () => {
    const [shop, crm] = [plan, { ...plan, pipeline: 'crm', needed: 2 }]
    const both = { ...known, pipelines: ['shop', 'crm'], plans: [shop, crm] }
    const proposed = proposalOf('held release', { run: 'r1', key: 'K1', pipeline: 'shop' }, both)
    expect(proposed).toMatchObject({ args: { run: 'r1', key: 'K1', pipeline: 'shop' } })
    expect(proposed?.title).toBe('Release the changes of record K1 of shop of run r1')
    expect(proposed?.says.join(' ')).not.toContain('approver')
    expect(proposalOf('held drop', { run: 'r1', key: 'K1', pipeline: 'north' }, both)).toBeUndefined()
  })

  it.each([
    ['another run', 'held release', { run: 'r2' }],
    ['alerts without a receiver', 'alerts test', {}],
    ['an unknown pipeline', 'pause', { pipeline: 'crm' }],
    ['no correction', 'corrections drop', { id: '7' }],
    ['no verdict', 'doubts resolve', { id: '7' }],
    ['no number', 'doubts resolve', { id: 'x', verdict: 'done' }],
    ['an unknown kind', 'audit forget', { contact: 'x' }],
    ['a name of every object', 'constructor', {}],
  ])('is nothing for %s', (_, kind, fields) => {
    expect(proposalOf(kind, fields, known)).toBeUndefined()
  })

  it('warns before something is sent again', () => {
    expect(proposalOf('doubts resolve', { id: '7', verdict: 'not-done' }, known)?.says[0]).toContain(
      'look it up in the service first',
    )
    expect(proposalOf('doubts resolve', { id: '7', verdict: 'done', contact: '12' }, known)?.args).toEqual({
      id: 7,
      verdict: { done: true, contactId: 12 },
    })
  })
})
