// Tokens of OAuth over several fetches, with the real file in which they are kept and real sockets.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { TokenVault } from '../../../src/core/token-vault.ts'
import { SyncError } from '../../../src/core/words/errors.ts'
import { httpFetcher } from '../../../src/sources/http/fetcher.ts'
import { httpOptions } from '../../../src/sources/http/options.ts'
import { createTokenVault } from '../../../src/store/tokens.ts'
import { type PeopleServer, peopleServer, type Reply } from '../../support/people-server.ts'

let folder: string
let state: string
let now: number
let tokens: TokenVault
const servers: PeopleServer[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oauth-'))
  state = join(folder, 'state.db')
  now = Date.parse('2026-05-01T12:00:00Z')
  tokens = createTokenVault(state)
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  rmSync(folder, { recursive: true, force: true })
})

type Asked = PeopleServer['asked'][number]

async function serving(reply: (asked: Asked, number: number) => Reply): Promise<PeopleServer> {
  const server = await peopleServer(reply)
  servers.push(server)
  return server
}

/** Takes each refresh token once, and gives another one with each access token. */
async function rotating(first = 'R0'): Promise<PeopleServer> {
  let given = 0
  let newest = first
  return serving(({ body }) => {
    if (new URLSearchParams(body).get('refresh_token') !== newest)
      return { status: 400, body: { error: 'invalid_grant' } }
    given += 1
    newest = `R${given}`
    return { body: { access_token: `T${given}`, refresh_token: newest, expires_in: 3600 } }
  })
}

const withBearer = ({ headers }: Asked): Reply =>
  /^Bearer T\d+$/.test(headers.authorization ?? '') ? { body: [{ id: 1 }] } : { status: 401 }

async function fetched(
  [server, endpoint]: readonly [PeopleServer, PeopleServer],
  oauth2: Record<string, unknown> = { refresh_token: 'R0' },
  {
    signal = new AbortController().signal,
    vault = tokens,
  }: { signal?: AbortSignal; vault?: TokenVault } = {},
): Promise<number | SyncError> {
  const auth = { oauth2: { token_url: `${endpoint.url}/token`, client_id: 'me', ...oauth2 } }
  const fetcher = httpFetcher(httpOptions.parse({ url: server.url, auth, attempts: 3 }))
  const clock = { now: () => now, monotonic: () => now, sleep: () => pause(1) }
  const task = { cursor: undefined, signal, clock, tokens: vault, tell: () => undefined }
  let records = 0
  try {
    for await (const { json } of fetcher.fetch(task)) if (json !== undefined) records += 1
    return records
  } catch (error) {
    if (error instanceof SyncError) return error
    throw error
  }
}

const HOUR = 3_600_000
const asked = ({ asked: all }: PeopleServer, name: string): (string | null)[] =>
  all.map(({ body }) => new URLSearchParams(body).get(name))
const sent = ({ asked: all }: PeopleServer): unknown[] => all.map(({ headers }) => headers.authorization)

it('a token is asked for once, and used by further fetches until shortly before it expires', async () => {
  const endpoint = await serving((_, number) => ({ body: { access_token: `T${number}`, expires_in: 3600 } }))
  const server = await serving(withBearer)
  const client = { client_secret: 'S', scope: 'people' }
  for (const after of [0, HOUR / 2, HOUR / 2 - 29_000]) {
    now += after
    expect(await fetched([server, endpoint], client)).toBe(1)
  }
  expect(sent(server)).toEqual(['Bearer T1', 'Bearer T1', 'Bearer T2'])
  // Another scope is another token, whatever is kept.
  await fetched([server, endpoint], { ...client, scope: 'all' })
  expect(sent(server).at(-1)).toBe('Bearer T3')
})

it('a refresh token that the server replaces is the next one, over any number of fetches', async () => {
  const pair = [await serving(withBearer), await rotating()] as const
  for (let turn = 0; turn < 4; turn += 1) {
    expect(await fetched(pair)).toBe(1)
    now += HOUR
  }
  expect(asked(pair[1], 'refresh_token')).toEqual(['R0', 'R1', 'R2', 'R3'])
})

it('it is kept before the access token is used: a process that dies then loses nothing', async () => {
  const endpoint = await rotating()
  const dying = await serving(() => ({ isLost: true }))
  expect(await fetched([dying, endpoint])).toMatchObject({ code: 'SOURCE_UNREACHABLE' })
  now += HOUR
  expect(await fetched([await serving(withBearer), endpoint])).toBe(1)
  expect(asked(endpoint, 'refresh_token')).toEqual(['R0', 'R1'])
})

it('the end of a run does not cut off the answer that brings a new one', async () => {
  const endpoint = await rotating()
  const ending = new AbortController()
  const aborting: TokenVault = {
    exclusive: (name, turn, work) =>
      tokens.exclusive(name, turn, (token) => {
        ending.abort()
        return work(token)
      }),
  }
  const server = await serving(withBearer)
  await fetched([server, endpoint], undefined, { signal: ending.signal, vault: aborting })
  now += HOUR
  expect(await fetched([server, endpoint])).toBe(1)
  expect(asked(endpoint, 'refresh_token')).toEqual(['R0', 'R1'])
})

it('several fetches at once renew it once', async () => {
  const pair = [await serving(withBearer), await rotating()] as const
  const all = Array.from({ length: 5 }, () => fetched(pair, undefined, { vault: createTokenVault(state) }))
  expect(await Promise.all(all)).toEqual([1, 1, 1, 1, 1])
  expect(pair[1].asked).toHaveLength(1)
})

it('a token that is withdrawn again and again within one fetch is renewed each time', async () => {
  const endpoint = await serving((_, number) => ({ body: { access_token: `T${number}`, expires_in: 3600 } }))
  // Each token is good for one page.
  const used = new Set<unknown>()
  const server = await serving(({ url, headers }) => {
    if (used.has(headers.authorization)) return { status: 401 }
    used.add(headers.authorization)
    const next = Number(url.searchParams.get('p') ?? '0') + 1
    return { body: [{ id: next }], headers: next < 4 ? { link: `</?p=${next}>; rel="next"` } : {} }
  })
  const auth = { oauth2: { token_url: endpoint.url, client_id: 'me', client_secret: 'S' } }
  const fetcher = httpFetcher(httpOptions.parse({ url: server.url, auth, next: { link: true } }))
  const clock = { now: () => now, monotonic: () => now, sleep: () => pause(1) }
  const { signal } = new AbortController()
  const all = []
  const task = { cursor: undefined, signal, clock, tokens, tell: () => undefined }
  for await (const one of fetcher.fetch(task)) all.push(one.json)
  expect(all).toEqual(['{"id":1}', '{"id":2}', '{"id":3}', '{"id":4}'])
})

it('what is kept is for its owner alone, and holds neither token nor refresh token', async () => {
  const pair = [await serving(withBearer), await rotating('R0')] as const
  await fetched(pair)
  const file = `${state}.tokens`
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const bytes = readFileSync(file, 'latin1')
  // As they are, and as JSON and base64 would show them.
  for (const secret of ['T1', 'R1'])
    expect(bytes.includes(`"${secret}"`) || bytes.includes(Buffer.from(secret).toString('base64'))).toBe(
      false,
    )
})

it('a new refresh token in the configuration begins anew; another client secret does not', async () => {
  const server = await serving(withBearer)
  const endpoint = await rotating()
  await fetched([server, endpoint])
  now += HOUR
  expect(await fetched([server, endpoint], { refresh_token: 'R0', client_secret: 'changed' })).toBe(1)
  expect(asked(endpoint, 'refresh_token')).toEqual(['R0', 'R1'])
  const other = await serving(() => ({ body: { access_token: 'T9' } }))
  await fetched([server, other], { refresh_token: 'OTHER' })
  expect(asked(other, 'refresh_token')).toEqual(['OTHER'])
})

it('one that is refused ends the fetch, and says what to do', async () => {
  const pair = [await serving(withBearer), await rotating('something else')] as const
  const error = await fetched(pair)
  expect(error).toMatchObject({ code: 'SOURCE_DENIED', message: expect.stringContaining('(400)') as string })
  expect((error as SyncError).hint).toContain('source.auth.oauth2.refresh_token')
})

it('where it cannot be kept, it is not used', async () => {
  const pair = [await serving(withBearer), await rotating()] as const
  await fetched(pair)
  now += HOUR
  // A folder stands in its place.
  mkdirSync(join(folder, 'other.db.tokens'))
  const nowhere = createTokenVault(join(folder, 'other.db'))
  expect(await fetched(pair, undefined, { vault: nowhere })).toMatchObject({ code: 'SOURCE_TOKENS' })
  expect(pair[1].asked).toHaveLength(1)
})
