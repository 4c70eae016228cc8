// What is asked for, page by page, and when a fetch has come to its end. Real sockets; waiting is only counted.
import { setGlobalProxyFromEnv } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { SyncError } from '../../../src/core/words/errors.ts'
import { httpFetcher } from '../../../src/sources/http/fetcher.ts'
import { httpOptions } from '../../../src/sources/http/options.ts'
import type { Fetched } from '../../../src/sources/pull/fetcher.ts'
import { type PeopleServer, peopleServer, type Reply } from '../../support/people-server.ts'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const servers: PeopleServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

type Asked = PeopleServer['asked'][number]

async function serving(reply: (asked: Asked, number: number) => Reply): Promise<PeopleServer> {
  const server = await peopleServer(reply)
  servers.push(server)
  return server
}

interface End {
  readonly records: readonly unknown[]
  readonly texts: readonly string[]
  readonly cursor: unknown
  readonly error: SyncError | undefined
  readonly slept: readonly number[]
}

async function fetched(options: Record<string, unknown>, cursor?: unknown): Promise<End> {
  const slept: number[] = []
  let time = 0
  const clock = {
    now: () => NOW,
    monotonic: () => time,
    sleep: (ms: number) => {
      slept.push(ms)
      time += ms
      return Promise.resolve()
    },
  }
  const all: Fetched[] = []
  let error: SyncError | undefined
  const { signal } = new AbortController()
  try {
    const fetcher = httpFetcher(httpOptions.parse(options))
    for await (const one of fetcher.fetch({ cursor, signal, clock, tell: () => undefined })) all.push(one)
  } catch (reason) {
    if (!(reason instanceof SyncError)) throw reason
    error = reason
  }
  const texts = all.flatMap(({ json }) => json ?? [])
  return {
    ...{ texts, error, slept },
    records: texts.map((text) => JSON.parse(text) as unknown),
    cursor: all.findLast((one) => 'cursor' in one)?.cursor,
  }
}

const PEOPLE = Array.from({ length: 5 }, (_, index) => ({ id: index + 1 }))
const slice = (from: number, size = 2): typeof PEOPLE => PEOPLE.slice(from, from + size)
const param = ({ url }: Asked, name: string): string | null => url.searchParams.get(name)
const queries = (server: PeopleServer): string[] => server.asked.map(({ url }) => url.search)

describe('paging', () => {
  it('by number of the page, until one is empty', async () => {
    const server = await serving((asked) => ({ body: slice((Number(param(asked, 'p')) - 1) * 2) }))
    const { records, error } = await fetched({ url: `${server.url}/?all=1`, next: { page: 'p' } })
    expect([records, error]).toEqual([PEOPLE, undefined])
    expect(queries(server)).toEqual(['?all=1&p=1', '?all=1&p=2', '?all=1&p=3', '?all=1&p=4'])
  })

  it('by offset and limit, with what really came', async () => {
    // Asked for three, it gives two.
    const server = await serving((asked) => ({ body: { list: slice(Number(param(asked, 'from'))) } }))
    const next = { offset: 'from', limit: 'max', size: 3 }
    const { records } = await fetched({ url: server.url, records: 'list', next })
    expect(records).toEqual(PEOPLE)
    expect(queries(server)).toEqual(['?max=3&from=0', '?max=3&from=2', '?max=3&from=4', '?max=3&from=5'])
  })

  it('by a cursor, until there is none', async () => {
    const server = await serving((asked) => {
      const from = Number(param(asked, 'after') ?? '0')
      return {
        body: { results: slice(from), ...(from < 4 ? { paging: { next: { after: from + 2 } } } : {}) },
      }
    })
    const next = { cursor: 'paging.next.after', param: 'after' }
    const { records, error } = await fetched({ url: server.url, records: 'results', next })
    expect([records, error]).toEqual([PEOPLE, undefined])
    expect(queries(server)).toEqual(['', '?after=2', '?after=4'])
  })

  it.each([{ page: 'p' }, { offset: 'o' }, { cursor: 'next', param: 'c' }, { link: true }, undefined])(
    'to an answer without content (204), by %j',
    async (next) => {
      const server = await serving((_, number) => {
        const link = `</?at=${number}>; rel="next"`
        return number < 3 && next !== undefined
          ? { body: { list: slice(number * 2 - 2), next: number }, headers: { link } }
          : { status: 204 }
      })
      const { records, error } = await fetched({ url: server.url, records: 'list', next })
      expect([records, error]).toEqual([next === undefined ? [] : PEOPLE.slice(0, 4), undefined])
    },
  )

  it.each([
    ['next: null', { next: null }, true],
    ['has_more: false', { meta: { has_more: false } }, true],
    ['last: true', { last: true }, true],
    ['nothing', {}, false],
    ['a further page', { next: '/?p=3', last: true }, false],
  ])('to a missing page (404) behind one that says %s', async (_, beside, isEnd) => {
    const server = await serving((asked) =>
      Number(param(asked, 'p')) < 3
        ? { body: { list: slice(Number(param(asked, 'p')) * 2 - 2), ...beside } }
        : { status: 404, body: { detail: 'Invalid page.' } },
    )
    const { records, error } = await fetched({ url: server.url, records: 'list', next: { page: 'p' } })
    expect(records).toEqual(PEOPLE.slice(0, 4))
    expect(error?.code).toBe(isEnd ? undefined : 'SOURCE_ANSWER')
  })

  it('by the header Link', async () => {
    const server = await serving((asked) => {
      const from = Number(param(asked, 'at') ?? '0')
      const link = `</?at=0>; rel="first", </?at=${from + 2}>; rel="next"`
      return { body: slice(from), headers: from < 4 ? { link } : {} }
    })
    expect((await fetched({ url: server.url, next: { link: true } })).records).toEqual(PEOPLE)
    expect(queries(server)).toEqual(['', '?at=2', '?at=4'])
  })

  it.each([
    ['the same cursor', { cursor: 'next', param: 'c' }, { list: [{ id: 1 }], next: 'x' }],
    ['a page that never changes', { page: 'nr' }, { list: [{ id: 1 }] }],
    ['an offset that is not looked at', { offset: 'o' }, { list: [{ id: 1 }] }],
  ])('in a circle is detected: %s', async (_, next, body) => {
    const server = await serving(() => ({ body }))
    const { error } = await fetched({ url: server.url, records: 'list', next })
    expect(error).toMatchObject({
      code: 'SOURCE_ANSWER',
      message: expect.stringContaining('in a circle') as string,
    })
    expect(server.asked.length).toBeLessThan(4)
  })

  it.each<[string, Reply]>([
    ['names a next page', { headers: { link: '</?page=2>; rel="next"' } }],
    ['is a part', { status: 206 }],
  ])('that is not set is missed where an answer %s', async (_, reply) => {
    const server = await serving(() => ({ body: slice(0), ...reply }))
    const { records, error, cursor } = await fetched({ url: server.url, since: { param: 's', field: 'id' } })
    expect([records, cursor, server.asked.length]).toEqual([slice(0), undefined, 1])
    expect(error?.message).toMatch(/, and source\.next is not set$/)
  })

  it.each([
    { has_more: true },
    { meta: { hasNextPage: 'true' } },
    { paging: { next: { after: 'x' } } },
    { '@odata.nextLink': '/?$skip=2' },
    { next_page: 2 },
    { next_cursor: 'x' },
    { nextRecordsUrl: '/query/01g-2000' },
    { info: { more_records: true } },
    { last: false },
    { data: { pageInfo: { hasNextPage: true } } },
  ])('that is not set is missed where the body has more: %j', async (beside) => {
    const body = { ...beside, data: { ...beside.data, list: slice(0) } }
    const server = await serving(() => ({ body }))
    const { records, error } = await fetched({ url: server.url, records: 'data.list' })
    expect([records, error?.code]).toEqual([slice(0), 'SOURCE_ANSWER'])
    expect(error?.message).toMatch(/has a further page \(its ".*" says so\), and source\.next is not set$/)
  })

  it('that is not set is not missed where the body says that it is whole', async () => {
    const beside = {
      has_more: false,
      next: null,
      next_page_url: '',
      nextSyncToken: 'x',
      links: { next: {} },
      last: true,
      last_page: 1,
    }
    const server = await serving(() => ({
      body: { list: [{ id: 1, next: 'step', has_more: true }], ...beside },
    }))
    const { records, error } = await fetched({ url: server.url, records: 'list' })
    expect([records.length, error]).toEqual([1, undefined])
  })

  it.each([
    ['records', { page: 'p' }, { has_more: true }],
    ['records', { offset: 'o' }, { meta: { hasNextPage: true } }],
    ['records', { page: 'p' }, { last: false }],
    ['cursor', { cursor: 'next', param: 'c' }, { has_more: true }],
  ])('without %s is not taken for the last by %j where it says %j', async (lack, next, beside) => {
    const server = await serving((_, number) => ({
      body: number === 1 ? { list: slice(0), next: 'x' } : { list: [], ...beside },
    }))
    const since = { param: 's', field: 'id' }
    const { records, error, cursor } = await fetched({ url: server.url, records: 'list', next, since })
    expect([records, cursor, error?.code]).toEqual([slice(0), undefined, 'SOURCE_ANSWER'])
    expect(error?.message).toContain(`has no ${lack}, and a further page`)
  })

  it('in a circle is detected where the page comes again in another order', async () => {
    const server = await serving((_, number) => ({
      body: number % 2 === 0 ? PEOPLE : PEOPLE.toReversed(),
    }))
    const { error } = await fetched({ url: server.url, next: { page: 'p' } })
    expect(error?.message).toContain('in a circle')
  })

  it('ends with an empty page that gives the cursor back by which it was asked for', async () => {
    const server = await serving((asked) => {
      const from = Number(param(asked, 'c') ?? '0')
      return { body: { list: slice(from), next: String(Math.min(from + 2, PEOPLE.length)) } }
    })
    const next = { cursor: 'next', param: 'c' }
    const { records, error } = await fetched({ url: server.url, records: 'list', next })
    expect([records, error]).toEqual([PEOPLE, undefined])
    expect(queries(server)).toEqual(['', '?c=2', '?c=4', '?c=5'])
  })

  it('takes pages that are called parts', async () => {
    const server = await serving((_, number) => ({ status: 206, body: slice((number - 1) * 2) }))
    const { records, error } = await fetched({ url: server.url, next: { page: 'p' } })
    expect([records, error]).toEqual([PEOPLE, undefined])
  })

  it('is broken off after max_pages', async () => {
    const server = await serving((_, number) => ({ body: [{ id: number }] }))
    const { error, records } = await fetched({ url: server.url, next: { page: 'p' }, max_pages: 3 })
    expect([records.length, error?.message]).toEqual([3, expect.stringContaining('more than 3 pages')])
  })

  it('does not follow a page to another host', async () => {
    const other = await serving(() => ({ body: [] }))
    const server = await serving(() => ({ body: PEOPLE, headers: { link: `<${other.url}/>; rel=next` } }))
    const { error } = await fetched({ url: server.url, next: { link: true }, auth: { bearer: 'T' } })
    expect([error?.code, other.asked]).toEqual(['SOURCE_ANSWER', []])
  })
})

describe('what is new', () => {
  const of = async (
    times: readonly unknown[],
    options: object,
    cursor?: string,
  ): Promise<End & { query: string }> => {
    const server = await serving(() => ({ body: times.map((at) => ({ meta: { at } })) }))
    const end = await fetched(
      { url: server.url, since: { param: 'since', field: 'meta.at' }, ...options },
      cursor,
    )
    return { ...end, query: param(server.asked[0]!, 'since') ?? '' }
  }

  it.each([
    [['2026-01-02T00:00:00Z', '2026-01-03T00:00:00+02:00', '2026-01-02T23:00:00Z'], '2026-01-02T23:00:00Z'],
    [['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123457Z'], '2026-01-01T00:00:00.123457Z'],
    [[9, 10, 8], '10'],
    [['12345678901234567891', '12345678901234567890'], '12345678901234567891'],
    [[null, '2026-01-01'], '2026-01-01'],
    // Ahead of the clock: whatever changes until then would never be asked for.
    [['2099-01-01T00:00:00Z'], '2026-05-01T12:00:00Z'],
    [['2099-01-01 00:00:00'], '2026-05-01 12:00:00'],
    [[4_102_444_800_000], String(NOW)],
    [[1_767_312_300, 4_102_444_800], String(NOW / 1000)],
    // Numbers of changes: none of them is a second of the past.
    [[4_102_444_799, 4_102_444_800], '4102444800'],
    // What is not of the kind of the others.
    [['n/a', '2026-01-01', 'n/a'], '2026-01-01'],
    [['zero', 0, '2026-01-01', '2026-01-02'], '2026-01-02'],
    [['n/a', 'n/a', 7], '7'],
    [['a1', 'a2', '2026-01-01'], '2026-01-01'],
    [['01', ...Array.from({ length: 12 }, (_, at) => `0${at}a`)], '09a'],
  ])('is kept as the newest of %j', async (times, newest) => {
    expect((await of(times, {})).cursor).toBe(newest)
  })

  it.each([
    ['2026-01-02T00:05:00Z', '2026-01-01T23:55:00Z'],
    ['2026-01-02T00:05:00.500+02:00', '2026-01-01T21:55:00.500Z'],
    ['2026-01-02 00:05:00', '2026-01-01 23:55:00'],
    ['2026-01-02', '2026-01-01'],
    ['1767312300', '1767311700'],
    ['1767312300000', '1767311700000'],
  ])('is asked for from before %s: %s', async (cursor, asked) => {
    expect((await of([cursor], { overlap: '10m' }, cursor)).query).toBe(asked)
  })

  it.each([
    [['n/a'], '2026-01-01'],
    [[5], '2026-01-01'],
    [['n/a', '2026-01-01'], '7'],
  ])('is not %j after %s', async (times, cursor) => {
    expect((await of(times, {}, cursor)).cursor).toBe(cursor)
  })

  it('one value from which no overlap can be taken refuses nothing, and none but such ends without a cursor', async () => {
    const mixed = await of(['2026-01-02T00:05:00Z', 'n/a'], { overlap: '10m' })
    expect([mixed.cursor, mixed.error]).toEqual(['2026-01-02T00:05:00Z', undefined])
    const { texts, cursor, error } = await of(['n/a'], { overlap: '10m' })
    expect([texts.length, cursor, error?.code]).toEqual([1, undefined, 'SOURCE_ANSWER'])
    // A cursor that was kept so asks for everything.
    const again = await of(['2026-01-02'], { overlap: '1d' }, 'n/a')
    expect([again.query, again.cursor]).toEqual(['', '2026-01-02'])
  })

  it('is never later than the begin of the fetch by the clock of the interface, where that is behind', async () => {
    // Its second page comes three minutes later: what has changed on the first one meanwhile did not come.
    const pages = [
      { at: '2026-05-01T11:40:00Z', date: 'Fri, 01 May 2026 11:55:00 GMT' },
      { at: '2026-05-01T11:57:30Z', date: 'Fri, 01 May 2026 11:58:00 GMT' },
    ]
    const server = await serving((_, number) => {
      const page = pages[number - 1]
      return { headers: { date: page?.date ?? pages[1]!.date }, body: page === undefined ? [] : [page] }
    })
    const since = { param: 'since', field: 'at' }
    const { records, cursor } = await fetched({ url: server.url, next: { page: 'p' }, since })
    expect([records.length, cursor]).toEqual([2, '2026-05-01T11:55:00Z'])
  })

  it('moves no cursor where nothing came, and refuses a field that no record has', async () => {
    expect((await of([], {}, '2026-01-01')).cursor).toBe('2026-01-01')
    const { error } = await of([undefined, undefined], {})
    expect(error).toMatchObject({ code: 'SOURCE_ANSWER', message: 'since.field: no record has meta.at' })
  })
})

describe('credentials', () => {
  it.each([
    [{ bearer: 'T0' }, 'authorization', 'Bearer T0'],
    [
      { basic: { user: 'u', password: 'pä' } },
      'authorization',
      `Basic ${Buffer.from('u:pä').toString('base64')}`,
    ],
    [{ header: { name: 'X-Api-Token', value: 'T1' } }, 'x-api-token', 'T1'],
  ])('%j', async (auth, name, value) => {
    const server = await serving(() => ({ body: PEOPLE }))
    await fetched({ url: server.url, auth })
    expect(server.asked[0]?.headers[name]).toBe(value)
  })

  it('of OAuth are fetched, and renewed when they expire or are refused', async () => {
    let given = 0
    const tokens = await serving(() => ({ body: { access_token: `T${(given += 1)}`, expires_in: 3600 } }))
    const server = await serving(({ headers }, number) =>
      headers.authorization === 'Bearer T1' && number > 1
        ? { status: 401 }
        : { body: slice((number > 2 ? number - 2 : number - 1) * 2) },
    )
    const oauth2 = {
      token_url: `${tokens.url}/token`,
      client_id: 'me',
      client_secret: 'S',
      scope: 'contacts',
    }
    const { records, error } = await fetched({ url: server.url, auth: { oauth2 }, next: { page: 'p' } })
    expect([records, error]).toEqual([PEOPLE, undefined])
    expect(tokens.asked.map(({ body }) => body)).toEqual(
      Array(2).fill('grant_type=client_credentials&client_id=me&client_secret=S&scope=contacts'),
    )
    const authorizations = server.asked.map(({ headers }) => headers.authorization)
    expect(authorizations.slice(0, 3)).toEqual(['Bearer T1', 'Bearer T1', 'Bearer T2'])
  })

  it('of OAuth are renewed where a page is asked for only once, too', async () => {
    let given = 0
    const tokens = await serving(() => ({ body: { access_token: `T${(given += 1)}`, expires_in: 3600 } }))
    const server = await serving(({ headers }) =>
      headers.authorization === 'Bearer T1' ? { status: 401 } : { body: PEOPLE },
    )
    const oauth2 = { token_url: `${tokens.url}/token`, client_id: 'me', client_secret: 'S' }
    const { records, error } = await fetched({ url: server.url, auth: { oauth2 }, attempts: 1 })
    expect([records, error]).toEqual([PEOPLE, undefined])
  })

  it('that are refused end the fetch at once', async () => {
    const server = await serving(() => ({ status: 403, body: { secret: 'in the answer' } }))
    const { error } = await fetched({ url: server.url, auth: { bearer: 'T' } })
    expect([error?.code, server.asked.length]).toEqual(['SOURCE_DENIED', 1])
    expect(error?.message).not.toContain('secret')
    const tokens = await serving(() => ({ status: 400 }))
    const oauth2 = { token_url: tokens.url, client_id: 'me', refresh_token: 'R' }
    expect((await fetched({ url: server.url, auth: { oauth2 } })).error?.code).toBe('SOURCE_DENIED')
    expect(tokens.asked[0]?.body).toBe('grant_type=refresh_token&refresh_token=R&client_id=me')
  })

  it('do not leave this machine unencrypted by a proxy of the environment', async () => {
    const proxy = await serving(() => ({ body: [] }))
    const server = await serving(() => ({ body: PEOPLE }))
    const restore = setGlobalProxyFromEnv({ http_proxy: proxy.url })
    try {
      const { records } = await fetched({ url: server.url, auth: { bearer: 'token' } })
      expect([records, proxy.asked]).toEqual([PEOPLE, []])
    } finally {
      restore()
    }
  })

  it('stay on their host: redirects within it are followed, others refused', async () => {
    const other = await serving(() => ({ body: PEOPLE }))
    const within = await serving(({ url }) =>
      url.pathname === '/new' ? { body: PEOPLE } : { status: 302, headers: { location: '/new' } },
    )
    expect((await fetched({ url: within.url, auth: { bearer: 'T' } })).records).toEqual(PEOPLE)
    const away = await serving(() => ({ status: 301, headers: { location: `${other.url}/?x=1` } }))
    const { error } = await fetched({ url: away.url, auth: { header: { name: 'X-Key', value: 'T' } } })
    expect([error?.code, other.asked]).toEqual(['SOURCE_ANSWER', []])
    const round = await serving(() => ({ status: 302, headers: { location: '/' } }))
    expect((await fetched({ url: round.url })).error?.message).toContain('redirects in a circle')
  })
})

describe('an interface in trouble', () => {
  it.each<[string, Reply, readonly number[]]>([
    ['that throttles and says for how long', { status: 429, headers: { 'retry-after': '7' } }, [7000, 7000]],
    [
      'that says until when',
      { status: 503, headers: { 'retry-after': 'Fri, 01 May 2026 12:00:30 GMT' } },
      [30_000, 30_000],
    ],
    ['that asks for too long', { status: 429, headers: { 'retry-after': '86400' } }, [900_000, 900_000]],
    ['that fails', { status: 500 }, [1000, 2000]],
    ['that closes the connection', { isLost: true }, [1000, 2000]],
  ])('%s is asked again', async (_, trouble, slept) => {
    const server = await serving((__, number) => (number < 3 ? trouble : { body: PEOPLE }))
    const end = await fetched({ url: server.url })
    expect([end.records, end.error, end.slept]).toEqual([PEOPLE, undefined, slept])
  })

  it('that changes the protocol (101) is not waited for', async () => {
    const server = await serving(() => ({ isUpgrade: true }))
    const { error } = await fetched({ url: server.url, attempts: 2 })
    expect(error?.message).toMatch(/does not answer \(PROTOCOL_CHANGED\), after 2 attempts$/)
  })

  it('is given up after so many attempts, with what came before', async () => {
    const server = await serving((_, number) => (number === 1 ? { body: slice(0) } : { status: 502 }))
    const { records, error } = await fetched({ url: server.url, next: { page: 'p' }, attempts: 3 })
    expect([records.length, server.asked.length]).toEqual([2, 4])
    expect(error).toMatchObject({ code: 'SOURCE_UNREACHABLE' })
    expect(error?.message).toMatch(/^127\.0\.0\.1:\d+ answers 502, after 3 attempts$/)
  })

  it.each<[string, Reply, RegExp]>([
    ['refuses the page', { status: 400, body: 'about Anna' }, /refuses the request \(400\)$/],
    ['answers with a page for people', { body: '<html>' }, /is no JSON in UTF-8$/],
    ['answers in another encoding', { body: Buffer.from('["M\xfcller"]', 'latin1') }, /is no JSON in UTF-8$/],
    [
      'nests a record without end',
      { body: `{"data":{"items":[${'['.repeat(20_000)}${']'.repeat(20_000)}]}}` },
      /^a record is nested too deeply$/,
    ],
    ['has no list there', { body: { data: {} } }, /has no list at data\.items$/],
  ])('that %s ends the fetch', async (_, reply, message) => {
    const server = await serving(() => reply)
    const { error } = await fetched({ url: server.url, records: 'data.items' })
    expect(error?.message).toMatch(message)
    expect(error?.message).not.toContain('Anna')
  })

  it.each<[string, Record<string, unknown>]>([
    ['error', { error: 'about Anna', data: null }],
    ['error', { error: true, data: [] }],
    ['error', { error: { code: 17 } }],
    ['errors', { errors: [{ message: 'about Anna' }], data: [] }],
    ['success', { success: false, data: [] }],
    ['success', { success: 'false', data: [] }],
    ['success', { success: 0, data: [] }],
    ['ok', { ok: false, data: [] }],
    ['status', { status: 503, message: 'about Anna', data: [] }],
    ['status', { status: 'error', message: 'about Anna', data: null }],
    ['code', { code: 500, message: 'about Anna', data: [] }],
    ['statusCode', { statusCode: '429', data: [] }],
  ])('that reports an error with status 200, in %s, has not told all: %j', async (member, body) => {
    const server = await serving((_, number) => ({ body: number === 1 ? { data: slice(0) } : body }))
    const { records, error } = await fetched({ url: server.url, records: 'data', next: { page: 'p' } })
    expect(records).toEqual(slice(0))
    expect(error?.code).toBe('SOURCE_ANSWER')
    expect(error?.message).toMatch(new RegExp(`reports an error \\(in its ${member}\\)$`))
  })

  it('that reports an error beside records is not asked further, and they are kept', async () => {
    const server = await serving(() => ({ body: { data: slice(0), errors: [{ message: 'half' }] } }))
    const { records, error, cursor } = await fetched({
      url: server.url,
      records: 'data',
      since: { param: 's', field: 'id' },
    })
    expect([records, error?.code, cursor]).toEqual([slice(0), 'SOURCE_ANSWER', undefined])
  })

  it('that reports no error may say so', async () => {
    const fine = { error: null, errors: [], success: true, ok: 1, status: 'ok' }
    for (const body of [
      fine,
      { ...fine, error: { code: 0, message: '' }, errors: {} },
      { ...fine, error: false },
      { ...fine, success: 'true', status: 200 },
      { ...fine, success: null },
      { ...fine, code: 200 },
      { ...fine, code: 'OK-4' },
    ]) {
      const server = await serving(() => ({ body: { ...body, data: PEOPLE } }))
      expect(await fetched({ url: server.url, records: 'data' })).toMatchObject({
        ...{ records: PEOPLE, error: undefined },
      })
    }
  })

  it('is not asked faster than its rate limit', async () => {
    const server = await serving((_, number) => ({ body: number < 6 ? [{ id: number }] : [] }))
    const { slept } = await fetched({
      url: server.url,
      next: { page: 'p' },
      rate_limit: { requests: 2, per: '1s' },
    })
    expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(2000)
  })
})

it('takes gzip, numbers of many digits, odd names, and null for an empty list', async () => {
  const text = '{"data":[{"id":12345678901234567890,"n":1.50,"__proto__":{"a":1},"constructor":"c"}]}'
  const server = await serving((_, number) =>
    number === 1
      ? { body: gzipSync(text), headers: { 'content-encoding': 'gzip' } }
      : { body: { data: null } },
  )
  const { texts, error } = await fetched({ url: server.url, records: 'data', next: { page: 'p' } })
  expect([texts, error]).toEqual([
    ['{"id":12345678901234567890,"n":1.50,"__proto__":{"a":1},"constructor":"c"}'],
    undefined,
  ])
})

describe('what a cursor belongs to', () => {
  const identity = (url: string, more = {}): string =>
    httpFetcher(httpOptions.parse({ url: `https://crm.example/${url}`, ...more })).identity
  const own = identity('people?list=a&api_token=x', { headers: { 'X-Tenant': '1', 'X-Api-Key': 'x' } })

  it.each([
    ['another value of a parameter', 'people?list=b&api_token=x', '1'],
    ['a parameter more', 'people?list=a&api_token=x&all=1', '1'],
    ['another path', 'persons?list=a&api_token=x', '1'],
    ['another header', 'people?list=a&api_token=x', '2'],
  ])('%s begins from the start', (_what, url, tenant) => {
    expect(identity(url, { headers: { 'X-Tenant': tenant, 'X-Api-Key': 'x' } })).not.toBe(own)
  })

  it.each(['author', 'passive', 'keyword'])('a parameter %s is no secret: its value decides', (name) => {
    expect(identity(`people?${name}=1`)).not.toBe(identity(`people?${name}=2`))
  })

  it.each(['access_token', 'sig', 'password', 'authorization', 'apikey'])('a renewed %s does not', (name) => {
    expect(identity(`people?${name}=1`)).toBe(identity(`people?${name}=2`))
  })

  it('a renewed secret, another order and another way of paging do not', () => {
    const headers = { 'X-Api-Key': 'y', 'X-Tenant': '1' }
    expect(identity('people?api_token=y&list=a', { headers, next: { page: 'p' } })).toBe(own)
  })
})

describe('options', () => {
  it.each([
    ['http://crm.example/', {}],
    ['ftp://crm.example/', {}],
    ['https://crm.example/', { auth: { bearer: 'a', basic: { user: 'u', password: 'p' } } }],
    ['https://crm.example/', { auth: {} }],
    ['https://crm.example/', { next: { cursor: 'a' } }],
    ['https://crm.example/', { next: { page: 'a', link: true } }],
    ['https://crm.example/', { headers: { 'X-A': 'a\nb' } }],
  ])('%s %j is refused', (url, more) => {
    expect(httpOptions.safeParse({ url, ...more }).success).toBe(false)
  })
})
