// PostgreSQL and MariaDB as sources: real servers in temporary folders, where they can be had.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { SyncError } from '../../../src/core/words/errors.ts'
import { createCertificate } from '../../../src/sandbox/certificate.ts'
import type { Fetched } from '../../../src/sources/pull/fetcher.ts'
import { sqlFetcher } from '../../../src/sources/sql/fetcher.ts'
import { sqlOptions } from '../../../src/sources/sql/options.ts'
import { systemClock } from '../../../src/system.ts'
import { type Cut, withCut, withSwapped } from '../../support/cutting-proxy.ts'
import { untilUp } from '../../support/postgres-server.ts'

const POSTGRES = globSync('/usr/lib/postgresql/*/bin').at(-1)
const MARIADB = globSync('/usr/sbin/mariadbd').at(0)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function fetched(url: string, query: string, more: object = {}, cursor?: unknown) {
  const options = sqlOptions.parse({ url, query, ...more })
  const all: Fetched[] = []
  const task = { cursor, signal: new AbortController().signal, clock: systemClock, tell: () => undefined }
  for await (const one of sqlFetcher(options).fetch(task)) all.push(one)
  return {
    records: all.flatMap(({ json }) => (json === undefined ? [] : [JSON.parse(json) as unknown])),
    cursor: all.findLast((one) => 'cursor' in one)?.cursor,
  }
}

const failure = async (...given: Parameters<typeof fetched>): Promise<string> => {
  const error = (await fetched(...given).catch((reason: unknown) => reason)) as SyncError
  return `${error.code}: ${error.message}`
}

/** Behind the first rows; every one of them is longer than 20 bytes. */
const CUT = 20_000

async function cutFailure(url: string, query: string, cut: Cut): Promise<string> {
  let said = ''
  await withCut(Number(new URL(url).port), cut, async (port) => {
    said = await failure(Object.assign(new URL(url), { port }).href, query, { timeout: '1s' })
  })
  return said
}

/** What becomes of a fetch whose run is ended after its first row. */
async function endedFetch(url: string, query: string): Promise<string> {
  const ending = new AbortController()
  const task = { cursor: undefined, signal: ending.signal, clock: systemClock, tell: () => undefined }
  const rows = sqlFetcher(sqlOptions.parse({ url, query })).fetch(task)[Symbol.asyncIterator]()
  await rows.next()
  ending.abort()
  try {
    while ((await rows.next()).done !== true);
    return 'came to its end'
  } catch (error) {
    return (error as SyncError).code
  }
}

/** As another user where this one is root: PostgreSQL does not run as root. */
const asUser = (): readonly string[] =>
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--clear-groups'] : []

describe.skipIf(POSTGRES === undefined)('PostgreSQL', () => {
  let folder: string
  let url: string
  let server: ReturnType<typeof spawn>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'postgres-'))
    mkdirSync(join(folder, 'run'))
    chmodSync(folder, 0o777)
    chmodSync(join(folder, 'run'), 0o777)
    const port = await freePort()
    const run = (name: string, ...args: string[]): readonly string[] => [
      ...asUser(),
      join(POSTGRES ?? '', name),
      ...args,
    ]
    const [init = '', ...initArgs] = run(
      'initdb',
      '-D',
      join(folder, 'data'),
      '-U',
      'me',
      '-E',
      'UTF8',
      '--no-sync',
    )
    execFileSync(init, initArgs, { stdio: 'ignore' })
    const [command = '', ...args] = run(
      'postgres',
      '-D',
      join(folder, 'data'),
      '-p',
      String(port),
      '-k',
      join(folder, 'run'),
      '-h',
      '127.0.0.1',
    )
    server = spawn(command, args, { stdio: 'ignore' })
    url = `postgres://me@127.0.0.1:${port}/postgres`
    await untilUp(async () => {
      const client = new pg.Client(url)
      await client.connect()
      await client.query(
        `create table people (id bigint, born date, at timestamptz, sum numeric, ok boolean, tags text[], doc jsonb, picture bytea)`,
      )
      await client.query(
        `insert into people values (9007199254740993, '1980-12-31', '2026-01-02 00:05:00.123456+00', 1.50, true, '{a,"b,c"}', '{"city": "Köln", "n": 12345678901234567890}', null)`,
      )
      await client.query(
        `insert into people select i, null, '2026-01-01', null, false, null, null, null from generate_series(1, 1200) as i`,
      )
      await client.end()
    })
  }, 60_000)
  afterAll(() => {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  const COLUMNS = 'id, born, at, sum, ok, tags, doc'

  it('gives every value as it is written', async () => {
    expect((await fetched(url, `select ${COLUMNS} from people where sum = 1.50`)).records).toEqual([
      {
        ...{ id: '9007199254740993', born: '1980-12-31', at: '2026-01-02 00:05:00.123456+00', sum: '1.50' },
        ...{ ok: 'true', tags: ['a', 'b,c'], doc: { city: 'Köln', n: 12345678901234567890 } },
      },
    ])
  })

  it('gives lists of every type as lists', async () => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`create type mood as enum ('hot', 'cold'); create domain word as text;
      create domain answer as boolean`)
    await client.end()
    const query = `select array['hot', 'cold']::mood[] as moods, array['a,b', null]::word[] as words,
      array[1.50, 2]::numeric[] as sums, '1 2'::int2vector as numbers, '{}'::mood[] as none,
      array[[true, false], [null, true]] as flags, array[false]::answer[] as answers`
    expect((await fetched(url, query)).records).toEqual([
      {
        ...{ moods: ['hot', 'cold'], words: ['a,b', null], sums: ['1.50', '2'], numbers: '1 2', none: [] },
        flags: [
          ['true', 'false'],
          [null, 'true'],
        ],
        answers: ['false'],
      },
    ])
  })

  it('streams, keeps the cursor as typed, and asks from before it', async () => {
    const query = `select ${COLUMNS} from people where :cursor is null or at >= :cursor`
    const { records, cursor } = await fetched(url, query, { cursor: 'at' })
    expect(records).toHaveLength(1201)
    expect(cursor).toEqual({ type: 'text', text: '2026-01-02 00:05:00.123456+00' })
    expect((await fetched(url, query, { cursor: 'at' }, cursor)).records).toHaveLength(1)
    expect((await fetched(url, query, { cursor: 'at', overlap: '1d' }, cursor)).records).toHaveLength(1)
    expect((await fetched(url, query, { cursor: 'at', overlap: '2d' }, cursor)).records).toHaveLength(1201)
    const ids = 'select id from people where :cursor is null or id >= :cursor'
    const last = await fetched(url, ids, { cursor: 'id' })
    expect(last.cursor).toEqual({ type: 'integer', text: '9007199254740993' })
    expect((await fetched(url, ids, { cursor: 'id' }, last.cursor)).records).toHaveLength(1)
  })

  it('can only read, and says what is wrong without a value', async () => {
    expect(await failure(url, 'delete from people returning id')).toMatch(/^SOURCE_FAILED: .*25006/)
    expect(await failure(url, 'select * from people')).toBe(
      'SOURCE_ANSWER: column "picture" of the query is binary',
    )
    expect(await failure(url, 'select nowhere from people')).toContain(
      'SOURCE_ANSWER: the query is refused: column "nowhere" does not exist',
    )
    expect(await failure(url, "select 'Anna'::int as a")).not.toContain('Anna')
    expect(await failure(url, 'select pg_sleep(30) as a', { timeout: '1s' })).toContain(
      'longer than source.timeout',
    )
    expect(
      await failure(url.replace('/postgres', '/nowhere').replace('postgres:', 'postgres:'), 'select 1 as a'),
    ).toMatch(/^SOURCE_/)
    expect(await failure('postgres://me@127.0.0.1:1/a', 'select 1 as a')).toContain('SOURCE_UNREACHABLE')
    expect(await failure(url, 'select 1 as a', { tls: 'on' })).toMatch(
      /^SOURCE_UNREACHABLE: .* refuses to be encrypted$/,
    )
  })

  it.each(['commit', '-- a remark', 'copy (select 1) to stdout', 'copy people from stdin'])(
    'takes no answer without a list for an empty one: %s',
    async (query) => {
      expect(await failure(url, query)).toMatch(/^SOURCE_(ANSWER: the query gives no rows|FAILED: .*25006)/)
    },
  )

  it('tells a server that is away from a query that failed', async () => {
    const ends = 'select pg_terminate_backend(pg_backend_pid()) as a'
    expect(await failure(url, ends)).toMatch(/^SOURCE_UNREACHABLE: .*57P01/)
    const client = new pg.Client(url)
    await client.connect()
    await client.query('create role limited login connection limit 0')
    await client.end()
    const limited = Object.assign(new URL(url), { username: 'limited' }).href
    expect(await failure(limited, 'select 1 as a')).toMatch(/^SOURCE_UNREACHABLE: .*53300/)
  })

  it('fails where the connection ends behind the last row', async () => {
    const query = 'select id from generate_series(1, 1200) as id'
    for (const isSilent of [false, true])
      expect(await cutFailure(url, query, { behind: 'SELECT 200\0', isSilent })).toMatch(
        /^SOURCE_UNREACHABLE: /,
      )
  }, 15_000)

  it('fails over an answer that is not of the protocol', async () => {
    const swap = { of: /C([^C]{4}SELECT 200)/, by: 'R$1' }
    await withSwapped(Number(new URL(url).port), swap, async (port) => {
      const to = Object.assign(new URL(url), { port }).href
      expect(await failure(to, 'select id from generate_series(1, 1200) as id')).toBe(
        'SOURCE_ANSWER: the database answers what its driver does not understand',
      )
    })
  })
  it.each([[false], [true]])(
    'fails where the connection ends in the middle; silent: %s',
    async (isSilent) => {
      const query = "select id, repeat('x', 400) as pad from generate_series(1, 100000) as id"
      expect(await cutFailure(url, query, { after: CUT, isSilent })).toMatch(/^SOURCE_UNREACHABLE: /)
    },
  )

  it('ends with its run', async () => {
    expect(
      await endedFetch(url, "select id, repeat('x', 400) as pad from generate_series(1, 100000) as id"),
    ).toBe('SOURCE_UNREACHABLE')
  })
})

describe.skipIf(MARIADB === undefined)('MariaDB', () => {
  let folder: string
  let url: string
  let server: ReturnType<typeof spawn>
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mariadb-'))
    const port = await freePort()
    const data = `--datadir=${join(folder, 'data')}`
    const asRoot = process.getuid?.() === 0 ? ['--user=root'] : []
    execFileSync(
      'mariadb-install-db',
      ['--no-defaults', data, '--auth-root-authentication-method=normal', ...asRoot],
      { stdio: 'ignore' },
    )
    const { certificate, privateKey } = createCertificate(['localhost'], Date.now())
    writeFileSync(join(folder, 'certificate.pem'), certificate)
    writeFileSync(join(folder, 'key.pem'), privateKey)
    server = spawn(
      MARIADB ?? '',
      [
        '--no-defaults',
        data,
        `--port=${port}`,
        `--socket=${join(folder, 's')}`,
        '--bind-address=127.0.0.1',
        `--ssl-cert=${join(folder, 'certificate.pem')}`,
        `--ssl-key=${join(folder, 'key.pem')}`,
        ...asRoot,
      ],
      { stdio: 'ignore' },
    )
    url = `mysql://root@127.0.0.1:${port}/test`
    const connect = () => mysql.createConnection({ host: '127.0.0.1', port, user: 'root' })
    await untilUp(async () => (await connect()).end())
    const client = await connect()
    await client.query('create database if not exists test character set utf8mb4')
    await client.query(
      'create table test.people (id bigint, born date, at datetime(6), sum decimal(10,2), ok boolean, name text, picture blob) character set utf8mb4',
    )
    await client.query(
      "insert into test.people values (9007199254740993, '1980-12-31', '2026-01-02 00:05:00.123456', 1.50, true, 'Köln 😀', null)",
    )
    await client.query(
      "insert into test.people select seq, null, '2026-01-01', null, false, null, null from test.seq_1_to_1200",
    )
    await client.query('create table test.dropped (id int)')
    await client.query('create view test.broken as select id from test.dropped')
    await client.query('drop table test.dropped')
    await client.query(
      "create procedure test.signals() signal sqlstate '42000' set message_text = 'Anna is not here'",
    )
    await client.query('create procedure test.gives() select 1 as a, 2 as b')
    await client.query('create procedure test.gives_twice() begin select 1 as a; select 2 as b; end')
    await client.query(
      'create procedure test.adds() begin commit; insert into people (id) values (0); select 1 as a; end',
    )
    await client.end()
  }, 60_000)
  afterAll(() => {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  })

  const COLUMNS = 'id, born, at, sum, ok, name'

  it('takes the one list that a query gives, and all of it', async () => {
    expect((await fetched(url, 'call gives()')).records).toEqual([{ a: '1', b: '2' }])
    expect(await failure(url, 'call gives_twice()')).toContain('more than one list')
    for (const query of ['commit', 'set @a = 1', '-- a remark'])
      expect(await failure(url, query)).toBe('SOURCE_ANSWER: the query gives no rows; write a select')
    const client = await mysql.createConnection(url)
    await client.query('set global sql_select_limit = 5')
    expect((await fetched(url, 'select seq from seq_1_to_100')).records).toHaveLength(100)
    await client.query('set global sql_select_limit = default')
    await client.end()
  })

  it('gives texts whole, in UTF-8, whatever is usual at the server', async () => {
    const client = await mysql.createConnection({ uri: url, charset: 'utf8mb4' })
    await client.query("create user reader@'%' identified by 'word'")
    await client.query("grant select on test.* to reader@'%'")
    await client.query("delete from mysql.global_priv where user = ''")
    await client.query('flush privileges')
    // Not done for `root`.
    await client.query("set global init_connect = 'set names latin1'")
    await client.query('set global group_concat_max_len = 10')
    const reader = Object.assign(new URL(url), { username: 'reader', password: 'word' }).href
    const query =
      "select name, 'Łódź' as town, (select group_concat(seq) from seq_1_to_9) as tags from people"
    expect((await fetched(reader, `${query} where sum = 1.50`)).records).toEqual([
      { name: 'Köln 😀', town: 'Łódź', tags: '1,2,3,4,5,6,7,8,9' },
    ])
    await client.query('set global init_connect = default, group_concat_max_len = default')
    await client.end()
  })

  it('gives JSON as MySQL describes it, a type of its own without a character set', async () => {
    const warnings = vi.spyOn(console, 'warn')
    const swap = { of: /\x0c[\x2d\xe0]\0(.{4})\xfd/s, by: '\x0c\x3f\0$1\xf5' }
    await withSwapped(Number(new URL(url).port), swap, async (port) => {
      const to = Object.assign(new URL(url), { port }).href
      const query = `select '{"city": "Köln", "mood": "😀", "n": 1.5}' as doc`
      expect((await fetched(to, query)).records).toEqual([{ doc: { city: 'Köln', mood: '😀', n: 1.5 } }])
    })
    expect(warnings).not.toHaveBeenCalled()
    warnings.mockRestore()
  })

  it('fails where an answer lacks a piece', async () => {
    // The packet of one row, from its length on.
    const swap = { of: /\x05\0\0.\x04\d{4}(?=\x05\0\0.\x04)/s, by: '' }
    await withSwapped(Number(new URL(url).port), swap, async (port) => {
      const to = Object.assign(new URL(url), { port }).href
      expect(await failure(to, 'select seq from seq_1000_to_1700')).toBe(
        'SOURCE_ANSWER: the database answers what its driver does not understand',
      )
    })
  })

  it('gives every value as it is written', async () => {
    expect((await fetched(url, `select ${COLUMNS} from people where sum = 1.50`)).records).toEqual([
      {
        ...{ id: '9007199254740993', born: '1980-12-31', at: '2026-01-02 00:05:00.123456', sum: '1.50' },
        ...{ ok: '1', name: 'Köln 😀' },
      },
    ])
  })

  it('gives a date of zeros as a blank, and a text that begins like one whole', async () => {
    const query = `select date('0000-00-00') as born, cast('0000-00-00' as datetime(6)) as at,
      '0000-00-0017' as customer, '0000-00-00 or so' as note`
    expect((await fetched(url, query)).records).toEqual([
      { born: null, at: null, customer: '0000-00-0017', note: '0000-00-00 or so' },
    ])
  })

  it('streams, keeps the cursor as typed, and asks from before it', async () => {
    const query = `select ${COLUMNS} from people where :cursor is null or at >= :cursor`
    const { records, cursor } = await fetched(url, query, { cursor: 'at' })
    expect(records).toHaveLength(1201)
    expect(cursor).toEqual({ type: 'text', text: '2026-01-02 00:05:00.123456' })
    expect((await fetched(url, query, { cursor: 'at' }, cursor)).records).toHaveLength(1)
    expect((await fetched(url, query, { cursor: 'at', overlap: '2d' }, cursor)).records).toHaveLength(1201)
    const ids = 'select id from people where :cursor is null or id >= :cursor'
    const last = await fetched(url, ids, { cursor: 'id' })
    expect((await fetched(url, ids, { cursor: 'id' }, last.cursor)).records).toHaveLength(1)
  })

  it('finds a cursor behind texts and comments of its own, and keeps a text as it is in every mode', async () => {
    const client = await mysql.createConnection(url)
    const [query, text] = [
      `select 'it\\'s' as it, "a\\"b" as ab # that's all
      , :cursor as at`,
      "O'Brien \\' or 1=1 -- Köln",
    ]
    const cursor = { type: 'text', text }
    expect((await fetched(url, query, { cursor: 'at' }, cursor)).records).toEqual([
      { it: "it's", ab: 'a"b', at: text },
    ])
    await client.query("set global sql_mode = 'NO_BACKSLASH_ESCAPES'")
    expect((await fetched(url, 'select :cursor as at', { cursor: 'at' }, cursor)).records).toEqual([
      { at: text },
    ])
    await client.query('set global sql_mode = default')
    await client.end()
  })

  it('is not reached by an address that no certificate is checked against', () => {
    const read = (of: string, tls?: string) =>
      sqlOptions.safeParse({ url: of, tls, query: 'select 1' }).success
    for (const of of ['mysql://u@10.0.0.5/d', 'mariadb://u@[fd00::1]:3306/d']) {
      expect(read(of)).toBe(false)
      expect(read(of, 'off')).toBe(true)
    }
    for (const of of ['mysql://u@db.example/d', 'mysql://u@127.0.0.1/d', 'postgres://u@10.0.0.5/d'])
      expect(read(of)).toBe(true)
  })

  it('can only read, and says what is wrong without a value', async () => {
    expect(await failure(url, 'delete from people')).toMatch(/^SOURCE_FAILED: .*READ_ONLY/)
    // These end the transaction that they are asked in.
    expect(await failure(url, 'create table made (id int)')).toMatch(/^SOURCE_FAILED: .*READ_ONLY/)
    expect(await failure(url, 'call adds()')).toMatch(/^SOURCE_FAILED: .*READ_ONLY/)
    expect((await fetched(url, 'show tables')).records).toHaveLength(2)
    expect(await failure(url, 'select sleep(3) as a', { timeout: '1s' })).toContain(
      'longer than source.timeout',
    )
    expect(await failure(url, 'select * from people')).toBe(
      'SOURCE_ANSWER: column "picture" of the query is binary',
    )
    expect(await failure(url, 'select point(1, 2) as place')).toContain('"place" of the query is binary')
    expect(await failure(url, 'select nowhere from people')).toContain(
      "SOURCE_ANSWER: the query is refused: Unknown column 'nowhere'",
    )
    expect(await failure(url, 'select nothing(1) as a')).toContain(
      'SOURCE_ANSWER: the query is refused: FUNCTION test.nothing does not exist',
    )
    expect(await failure(url, 'select 1 as a union select 1, 2')).toContain('different number of columns')
    expect(await failure(url, 'select id from broken')).toContain(
      "View 'test.broken' references invalid table",
    )
    expect(await failure(url, 'call signals()')).toMatch(
      /^SOURCE_FAILED: .*it failed \(ER_SIGNAL_EXCEPTION\)$/,
    )
    expect(await failure(url.replace('root@', 'nobody:x@'), 'select 1 as a')).toContain('SOURCE_DENIED')
    expect(await failure('mysql://me@127.0.0.1:1/a', 'select 1 as a')).toContain('SOURCE_UNREACHABLE')
  })
  it.each([[false], [true]])(
    'fails where the connection ends in the middle; silent: %s',
    async (isSilent) => {
      const query = "select seq as id, repeat('x', 400) as pad from seq_1_to_100000"
      expect(await cutFailure(url, query, { after: CUT, isSilent })).toMatch(/^SOURCE_UNREACHABLE: /)
    },
  )

  it('tells refused access, and a server without a place, from a query that failed', async () => {
    const client = await mysql.createConnection(url)
    await client.query("create user narrow@'%' identified by 'word' with max_user_connections 1")
    // Everyone may read `test`.
    await client.query('create database closed')
    await client.query('create table closed.people (id int, name text)')
    await client.query('create procedure closed.gives() select 1 as a')
    await client.query('grant select (id) on closed.people to narrow')
    const to = { username: 'narrow', password: 'word', pathname: '/closed' }
    const narrow = Object.assign(new URL(url), to).href
    const other = await mysql.createConnection(narrow)
    expect(await failure(narrow, 'select 1 as a')).toMatch(/^SOURCE_UNREACHABLE: .*ER_USER_LIMIT_REACHED/)
    await client.query("alter user narrow@'%' with max_user_connections 9")
    expect(await failure(narrow, 'select name from people')).toMatch(/^SOURCE_DENIED: .*COLUMNACCESS/)
    expect(await failure(narrow, 'call gives()')).toMatch(/^SOURCE_DENIED: .*PROCACCESS/)
    await client.query("alter user narrow@'%' password expire")
    expect(await failure(narrow, 'select 1 as a')).toMatch(/^SOURCE_DENIED: .*ER_MUST_CHANGE_PASSWORD/)
    await client.query("alter user narrow@'%' account lock")
    expect(await failure(narrow, 'select 1 as a')).toMatch(/^SOURCE_DENIED: .*4151/)
    // The number of an account that is locked, as one answer of the handshake: MySQL's of a host that no account is for.
    const swap = { of: /\xff[^]{2}#[^]{5}/, by: '\xff\x6a\x04#HY000' }
    await withSwapped(Number(new URL(url).port), swap, async (port) => {
      const to = Object.assign(new URL(narrow), { port: String(port) }).href
      expect(await failure(to, 'select 1 as a')).toMatch(/^SOURCE_DENIED: .*ER_HOST_NOT_PRIVILEGED/)
    })
    await other.end()
    await client.end()
  })

  it('ends with its run', async () => {
    expect(await endedFetch(url, "select seq as id, repeat('x', 400) as pad from seq_1_to_100000")).toBe(
      'SOURCE_UNREACHABLE',
    )
  })

  it('is given a certificate for its own name', async () => {
    const to = url.replace('127.0.0.1', 'localhost')
    const trusted = { tls: 'on', ca_file: join(folder, 'certificate.pem') }
    const client = await mysql.createConnection(url)
    const show = async (name: string): Promise<void> => {
      const { certificate, privateKey } = createCertificate([name], Date.now())
      writeFileSync(join(folder, 'key.pem'), privateKey)
      writeFileSync(trusted.ca_file, certificate)
      await client.query('flush ssl')
    }
    await show('localhost')
    expect((await fetched(to, 'select 1 as a', trusted)).records).toEqual([{ a: '1' }])
    await show('elsewhere.example')
    expect(await failure(to, 'select 1 as a', trusted)).toMatch(
      /^SOURCE_UNREACHABLE: .*\(HANDSHAKE_SSL_ERROR: .*certificate's altnames.*elsewhere\.example/,
    )
    expect(await failure(to, 'select 1 as a', { tls: 'on' })).toContain('self-signed certificate')
    await client.end()
  })
})
