// Sessions of the console at a server: the contract of all of them, what the database shows of them, and what happens to its
// connections.
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { SessionStore } from '../../../src/core/console-sessions.ts'
import { openServerSessions } from '../../../src/store/sessions/sessions.ts'
import { openState } from '../../../src/store/state-store.ts'
import { sessionsContract } from '../../contracts/sessions.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

const TABLES = ['console_session', 'console_search', 'console_form'] as const

/** As if they had been made so much earlier. */
const aged = (
  ms: number,
): string => `UPDATE contact_sync.console_session SET began = began - ${ms}, seen = seen - ${ms},
  refreshing = (SELECT coalesce(jsonb_object_agg(key, value::text::bigint - ${ms}), '{}') FROM jsonb_each(refreshing))`

describe.skipIf(POSTGRES === undefined)('at a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'))
  const opened: SessionStore[] = []
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close()
    await server.query('DROP SCHEMA IF EXISTS contact_sync CASCADE')
  })

  function open(account = 'default', url = server.url): SessionStore {
    const store = openServerSessions({ path: join(folder, 's.db'), url, schema: `contact_sync_${account}` })
    if (store === undefined) throw new Error('no server')
    opened.push(store)
    return store
  }

  sessionsContract('at a server', () =>
    Promise.resolve({
      one: open(),
      other: open('north'),
      async pass(ms) {
        await server.query(aged(ms))
      },
      close: () => Promise.resolve(),
    }),
  )

  it('a file has none of them', () => {
    expect(openServerSessions(join(folder, 's.db'))).toBeUndefined()
  })

  it('the database shows neither who is signed in, nor what was looked for or decided, nor an id', async () => {
    const store = open()
    await store.begin('the-id-of-the-cookie', 'the-holder')
    await store.addSearch('the-id-of-the-cookie', 'erika@example.com')
    await store.addForm('the-id-of-the-cookie', 'the-token', 'Correct Erika')
    await store.addForm('the-id-of-the-cookie', 'another-token', 'Correct Erika')
    const claim = await store.claimForm('the-id-of-the-cookie', 'the-token')
    await store.settleForm('the-id-of-the-cookie', claim?.number ?? 0, 'Erika is corrected')
    const rows = await Promise.all(TABLES.map((table) => server.query(`SELECT * FROM contact_sync.${table}`)))
    expect(rows.map(({ length }) => length)).toEqual([1, 1, 2])
    expect(JSON.stringify(rows)).not.toMatch(/the-id|the-holder|erika|the-token|another-token|corrected/i)
  })

  it('a row that was put under another id opens nothing', async () => {
    const store = open()
    await store.begin('id-1', 'anna')
    await store.begin('id-2', 'ben')
    await server.query(`UPDATE contact_sync.console_session one SET holder = other.holder
      FROM contact_sync.console_session other WHERE other.digest <> one.digest`)
    expect([await store.find('id-1', '/'), await store.find('id-2', '/')]).toEqual([undefined, undefined])
  })

  it('tables are added to a state that has none, by several at once, and where there is no state', async () => {
    const at = { path: join(folder, 'made.db'), url: server.url, schema: 'contact_sync' }
    await openState(at, { pid: 1, since: 0, thorough: false }).close()
    const found = await server.query("SELECT to_regclass('contact_sync.console_session')::text AS found")
    expect(found).toEqual([{ found: null }])
    const stores = Array.from({ length: 6 }, () => open())
    await Promise.all(stores.map((store, index) => store.begin(`id-${index}`, 'anna')))
    for (const [index, store] of stores.entries())
      expect(await store.find(`id-${5 - index}`, '/')).toMatchObject({ holder: 'anna' })
    await openState(at, { pid: 1, since: 0, thorough: false }).close()
    await server.query('DROP SCHEMA contact_sync CASCADE')
    await expect(stores[0]?.find('id-0', '/')).rejects.toThrow('does not exist')
    expect(await stores[0]?.find('id-0', '/')).toBeUndefined()
    await stores[0]?.begin('id-9', 'ben')
    await openState({ ...at, path: join(folder, 'later.db') }, { pid: 1, since: 0, thorough: false }).close()
    expect(await stores[1]?.find('id-9', '/')).toMatchObject({ holder: 'ben' })
  })

  it('an erasure where no one has signed in makes no table', async () => {
    await open().forgetTexts()
    expect(await server.query("SELECT 1 FROM pg_namespace WHERE nspname = 'contact_sync'")).toEqual([])
  })

  it('what is over is removed with everything that belongs to it', async () => {
    const store = open()
    await store.begin('idle', 'anna')
    await store.addSearch('idle', 'erika@example.com')
    await store.addForm('idle', 'token', 'Correct Erika')
    await server.query(aged(32 * 60_000))
    await store.begin('new', 'ben')
    const counts = await server.query(
      `SELECT ${TABLES.map((table) => `(SELECT count(*)::int FROM contact_sync.${table}) AS ${table}`).join(', ')}`,
    )
    expect(counts).toEqual([{ console_session: 1, console_search: 0, console_form: 0 }])
  })

  it('a use is noted once a minute, not with each request', async () => {
    const store = open()
    await store.begin('id', 'anna')
    const seen = async () => server.query('SELECT seen, xmin::text FROM contact_sync.console_session')
    const before = await seen()
    for (let turn = 0; turn < 5; turn += 1) await store.find('id', '/')
    expect(await seen()).toEqual(before)
    await server.query(aged(61_000))
    const [old] = await seen()
    await store.find('id', '/')
    const [now] = await seen()
    expect(Number(now?.['seen']) - Number(old?.['seen'])).toBeGreaterThanOrEqual(61_000)
  })

  it('connections that were cut are made again, and no request fails for it', async () => {
    const store = open()
    await store.begin('id', 'anna')
    for (let turn = 0; turn < 3; turn += 1) {
      const asked = Array.from({ length: 4 }, () => store.find('id', '/'))
      await server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'contact-sync'",
      )
      for (const found of await Promise.all(asked)) expect(found).toMatchObject({ holder: 'anna' })
    }
  })

  it('a request goes through although every connection that it is given is cut, as long as the next one is not', async () => {
    const store = open()
    await store.begin('id', 'anna')
    const place = new URL(server.url).searchParams.get('host') ?? ''
    const relayed = join(folder, '.s.PGSQL.5432')
    let cuts = 0
    const relay = createServer((client) => {
      const own = connect(join(place, '.s.PGSQL.5432'))
      own.on('error', () => client.destroy()).pipe(client)
      client.on('error', () => own.destroy()).on('close', () => own.destroy())
      client.on('data', (said) => {
        if (cuts > 0 && said.includes('WITH found')) {
          cuts -= 1
          client.destroy()
        } else own.write(said)
      })
    }).listen(relayed)
    try {
      const through = open('default', `postgres://sync@localhost/postgres?host=${encodeURIComponent(folder)}`)
      for (const times of [1, 2]) {
        cuts = times
        expect(await through.find('id', '/')).toMatchObject({ holder: 'anna' })
        expect(cuts).toBe(0)
      }
      cuts = 3
      await expect(through.find('id', '/')).rejects.toMatchObject({ code: 'STATE_IO' })
    } finally {
      relay.close()
    }
  })

  it('where the server is away this is said without its password, and it is used again once it is there', async () => {
    const away = open('default', 'postgres://ann:secret@127.0.0.1:1/db')
    const error: unknown = await away.find('id', '/').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'STATE_IO' })
    expect(String(error)).not.toContain('secret')
    const store = open()
    await store.begin('id', 'anna')
    await server.crash(300)
    expect(await store.find('id', '/')).toMatchObject({ holder: 'anna' })
  })
})
