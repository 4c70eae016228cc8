// Users of the console: each signs in with a separate token, and a session ends with its user.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
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
})

async function signedIn(token: string) {
  const headers = await desk.signIn(token)
  return async () => desk.ask('/runs', { headers })
}

it('pages show who is signed in, and the role', async () => {
  const [anna, ben, nameless] = [await signedIn(ANNA.token), await signedIn(BEN.token), await signedIn(TOKEN)]
  expect((await anna()).body).toContain('anna (operator)')
  expect((await ben()).body).toContain('ben (viewer)')
  expect((await nameless()).body).not.toContain('(viewer)')
})

it('a name is shown as text', async () => {
  desk.users = [{ ...ANNA, name: '<b>anna</b>' }]
  const { body } = await (await signedIn(ANNA.token))()
  expect(body).toContain('&lt;b&gt;anna')
  expect(body).not.toContain('<b>anna')
})

it.each([
  ['the user was removed', [BEN]],
  ['the token changed', [{ ...ANNA, token: 'anna-has-a-new-token' }, BEN]],
  ['the token went to another name', [{ ...ANNA, name: 'carl' }, BEN]],
])('a session ends when %s, and that of others stays', async (_, users) => {
  const [anna, ben] = [await signedIn(ANNA.token), await signedIn(BEN.token)]
  desk.users = users
  expect((await anna()).status).toBe(303)
  expect((await ben()).status).toBe(200)
  desk.users = [ANNA, BEN]
  expect((await anna()).status).toBe(303)
})

it('a session of a user outlives a change of the nameless token, and a new role counts at once', async () => {
  const anna = await signedIn(ANNA.token)
  desk.token = undefined
  desk.users = [{ ...ANNA, role: 'approver' }, BEN]
  expect((await anna()).body).toContain('anna (approver)')
})

it('the token of no user opens nothing', async () => {
  desk.token = undefined
  for (const token of [TOKEN, `${ANNA.token}x`, ''])
    expect((await desk.ask('/sign-in', { form: { token }, headers: OWN })).status).toBe(401)
})

it('looks at data of persons are noted with the user, and not what was searched for', async () => {
  const ask = async (token: string, path: string, form?: Record<string, string>) =>
    desk.ask(path, {
      headers: { authorization: `Bearer ${token}`, ...OWN },
      ...(form === undefined ? {} : { form }),
    })
  const before = desk.reads.length
  const noted = () => desk.reads.slice(before)
  for (const path of ['/', '/runs', '/terms', '/configuration', '/search', '/contacts/999999'])
    await ask(ANNA.token, path)
  expect(noted()).toEqual([])
  const { records } = await desk.data.views.search('person1@example.com', 5)
  const id = records[0]?.contactId ?? 0
  expect((await ask(ANNA.token, `/contacts/${id}`)).status).toBe(200)
  await ask(BEN.token, '/held')
  await ask(TOKEN, '/search', { q: 'person1@example.com' })
  expect(noted()).toMatchObject([
    { by: 'anna', role: 'operator', page: 'contacts', contactId: id },
    { by: 'ben', role: 'viewer', page: 'held', contactId: undefined },
    { by: undefined, role: undefined, page: 'search', contactId: undefined },
  ])
  expect(JSON.stringify(noted())).not.toContain('example.com')
})
