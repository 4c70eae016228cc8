// Who gets into the console, how they stay in, and what other sites can make a browser do: nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Desk, openDesk, TOKEN } from './desk.ts'

let desk: Desk
beforeAll(async () => (desk = await openDesk()))
afterAll(async () => desk.close())

const OWN = { 'sec-fetch-site': 'same-origin' }

/** Of each address by itself: the limit of guesses is shared. */
async function afterGuesses(): Promise<void> {
  desk.clock.advance(61_000)
  return Promise.resolve()
}

describe('without a session', () => {
  it.each(['/', '/runs', '/runs/x', '/contacts/1', '/log/1', '/configuration', '/nowhere', '/search/1'])(
    '%s shows nothing and leads to the form',
    async (path) => {
      const { status, headers, body } = await desk.ask(path)
      expect([status, body]).toEqual([303, ''])
      expect(headers['location']).toBe(
        path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`,
      )
    },
  )

  it('a made-up cookie is none', async () => {
    const { status } = await desk.ask('/', { headers: { cookie: 'contact_sync_session=made-up' } })
    expect(status).toBe(303)
  })

  it('the token itself is enough, for scripts', async () => {
    const authorization = `Bearer ${TOKEN}`
    expect((await desk.ask('/runs', { headers: { authorization } })).status).toBe(200)
    expect((await desk.ask('/runs', { headers: { authorization: 'Bearer another' } })).status).toBe(303)
    await afterGuesses()
  })
})

describe('signing in', () => {
  it('sets a cookie that no script reads and no other site sends, of 256 bits of chance', async () => {
    const form = { token: TOKEN, next: '/runs?pipeline=shop' }
    const first = await desk.ask('/sign-in', { form, headers: OWN })
    const again = await desk.ask('/sign-in', { form, headers: OWN })
    expect([first.status, first.headers['location']]).toEqual([303, '/runs?pipeline=shop'])
    const [cookie] = first.headers['set-cookie'] ?? []
    expect(cookie).toMatch(/^contact_sync_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    expect(again.headers['set-cookie']).not.toEqual(first.headers['set-cookie'])
  })

  it('behind a proxy that speaks https, the cookie never goes without', async () => {
    const headers = { ...OWN, 'x-forwarded-proto': 'https' }
    const { headers: answered } = await desk.ask('/sign-in', { form: { token: TOKEN }, headers })
    expect(String(answered['set-cookie'])).toContain('; Secure')
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    'javascript:alert(1)',
    '/\n/x',
    '',
  ])('never leads on to another site: %j', async (next) => {
    const { headers } = await desk.ask('/sign-in', { form: { token: TOKEN, next }, headers: OWN })
    expect(headers['location']).toBe('/')
  })

  it('refuses another token in words, says it to screen readers, and repeats nothing of it', async () => {
    const { status, body, headers } = await desk.ask('/sign-in', {
      form: { token: 'wrong-guess-1' },
      headers: OWN,
    })
    expect(status).toBe(401)
    expect(body).toContain('role="alert"')
    expect(body).toContain('Wrong token.')
    expect(body).not.toContain('wrong-guess-1')
    expect(headers['set-cookie']).toBeUndefined()
    await afterGuesses()
  })

  it('makes who guesses wait, even with the right one', async () => {
    for (let guess = 0; guess < 10; guess += 1)
      await desk.ask('/sign-in', { form: { token: `guess ${guess}` }, headers: OWN })
    const { status, headers, body } = await desk.ask('/sign-in', { form: { token: TOKEN }, headers: OWN })
    expect([status, headers['retry-after']]).toEqual([429, '60'])
    expect(body).toContain('Wait a minute')
    await afterGuesses()
    expect((await desk.ask('/sign-in', { form: { token: TOKEN }, headers: OWN })).status).toBe(303)
  })

  it('takes no form of any size', async () => {
    const { status } = await desk.ask('/sign-in', { form: { token: 'x'.repeat(20_000) }, headers: OWN })
    expect(status).toBe(413)
  })
})

describe('a session', () => {
  it('ends by signing out, for whoever kept its cookie, too', async () => {
    const headers = await desk.signIn()
    expect((await desk.ask('/', { headers })).status).toBe(200)
    const out = await desk.ask('/sign-out', { method: 'POST', headers })
    expect([out.status, out.headers['location']]).toEqual([303, '/sign-in'])
    expect(String(out.headers['set-cookie'])).toContain('Max-Age=0')
    expect((await desk.ask('/', { headers })).status).toBe(303)
  })

  it('is not ended by a link', async () => {
    const headers = await desk.signIn()
    expect((await desk.ask('/sign-out', { headers })).status).toBe(404)
    expect((await desk.ask('/', { headers })).status).toBe(200)
  })

  it('ends after half an hour without a request, and after twelve in any case', async () => {
    const idle = await desk.signIn()
    desk.clock.advance(29 * 60_000)
    expect((await desk.ask('/', { headers: idle })).status).toBe(200)
    desk.clock.advance(31 * 60_000)
    expect((await desk.ask('/', { headers: idle })).status).toBe(303)
    const busy = await desk.signIn()
    for (let spent = 0; spent < 12 * 60; spent += 20) {
      expect((await desk.ask('/', { headers: busy })).status).toBe(200)
      desk.clock.advance(20 * 60_000)
    }
    desk.clock.advance(1)
    expect((await desk.ask('/', { headers: busy })).status).toBe(303)
  })

  it('ends with its token: when another one is configured, and when there is none', async () => {
    const headers = await desk.signIn()
    desk.token = 'another-token'
    expect((await desk.ask('/', { headers })).status).toBe(303)
    desk.token = undefined
    const { status, body } = await desk.ask('/', { headers })
    expect(status).toBe(403)
    expect(body).toContain('server: { token: &quot;${CONTACT_SYNC_TOKEN}&quot; }')
    expect((await desk.ask('/sign-in', { form: { token: '' }, headers: OWN })).status).toBe(403)
    desk.token = TOKEN
  })
})

describe('a page of another site', () => {
  it.each([
    ['says so', { 'sec-fetch-site': 'cross-site' }],
    ['is a sister of ours', { 'sec-fetch-site': 'same-site' }],
    ['is of another name', { origin: 'https://evil.example' }],
    ['has no name', { origin: 'null' }],
    ['is of another port', { origin: 'http://127.0.0.1:1' }],
    ['hides where it is', {}],
  ])('cannot sign anybody in, out, or search, where it %s', async (_, from) => {
    const { cookie } = await desk.signIn()
    for (const [path, form] of [
      ['/sign-in', { token: TOKEN }],
      ['/search', { q: 'K1' }],
      ['/sign-out', {}],
    ] as const)
      expect((await desk.ask(path, { form, headers: { ...from, cookie } })).status).toBe(403)
    expect((await desk.ask('/', { headers: { cookie } })).status).toBe(200)
  })

  it('is told from our own where the browser says only its origin', async () => {
    const { cookie } = await desk.signIn()
    const headers = { cookie, host: 'localhost:8080', origin: 'http://localhost:8080' }
    expect((await desk.ask('/search', { form: { q: 'K1' }, headers })).status).toBe(303)
  })

  it('is not let in under a name of its own that points here', async () => {
    const headers = { ...(await desk.signIn()), host: 'rebound.evil.example' }
    expect((await desk.ask('/', { headers })).status).toBe(421)
  })

  it('may read nothing: no answer allows another origin', async () => {
    const headers = { ...(await desk.signIn()), origin: 'https://evil.example' }
    const answer = await desk.ask('/', { headers })
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect((await desk.ask('/', { method: 'OPTIONS', headers: { cookie: headers.cookie } })).status).toBe(403)
  })
})
