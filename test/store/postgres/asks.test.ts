// How often a server is asked: what takes a file no time takes one over a network as many times as it asks.
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenChannel } from '../../../src/store/postgres/channel.ts'
import { createSharedChannels } from '../../../src/store/postgres/shared-channels.ts'
import { openState } from '../../../src/store/state-store.ts'
import { openWorkshop } from '../../support/cli.ts'
import { done, person, worldOver } from '../../contracts/state-world.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

describe.skipIf(POSTGRES === undefined)('a server is asked', () => {
  let server: PostgresServer
  const folder = mkdtempSync(join(tmpdir(), 'asks-'))
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  function counted() {
    const count = { asks: 0 }
    const open = createSharedChannels(1).open
    const channel: OpenChannel = (...given) => {
      const opened = open(...given)
      return {
        ...opened,
        ask(queries) {
          count.asks += 1
          return opened.ask(queries)
        },
      }
    }
    const place = { url: server.url, schema: 'asked', path: join(folder, 'asked') }
    const state = openState(place, { pid: 1, since: 0, thorough: false, channel })
    return { count, state }
  }

  it('once for the names of many entries, when the sync log is verified or its indexes are rebuilt', async () => {
    const { count, state } = counted()
    const world = worldOver(state)
    const people = Array.from({ length: 300 }, (_, number) => person(`K${number + 1}`))
    await state.endInput(await world.plan(people), { as: 'processed' })
    await world.send(done)
    expect((await state.logHead()).entries).toBe(300)
    count.asks = 0
    expect(await state.checkIndexes()).toBeUndefined()
    expect(count.asks).toBeLessThan(40)
    count.asks = 0
    state.rebuildLogIndexes()
    expect(count.asks).toBeLessThan(40)
    await state.close()
  })

  it('over one connection, however many accounts a command looks at, and makes no table for them', async () => {
    const shop = await openWorkshop()
    const names = ['north', 'south', 'west', 'east']
    const account = (name: string) =>
      `  ${name}: { service: { base_url: "\${BASE_URL}/", api_key: "\${API_KEY}", rate_limit: { requests: 500, per: 1s } } }\n`
    const pipeline = (name: string) =>
      `  ${name}: { account: ${name}, source: { type: csv, folder: inbox/${name} }, key: no, map: { mail: mail } }\n`
    await shop.configure(`accounts:
${names.map(account).join('')}state: { path: state/s.db, url: "${server.url}" }
pipelines:
${names.map(pipeline).join('')}`)
    const numbers = async () =>
      (
        await server.query(`SELECT sessions::int AS sessions, (SELECT n_tup_ins::int FROM pg_stat_sys_tables WHERE relname = 'pg_class') AS tables
          FROM pg_stat_database WHERE datname = current_database()`)
      )[0] as { sessions: number; tables: number }
    for (const name of names) await mkdir(shop.path('inbox', name))
    try {
      expect(await shop.cli('run')).toMatchObject({ code: 0, stderr: '' })
      const before = await numbers()
      const { code, stdout } = await shop.cli('status')
      expect(code).toBe(0)
      for (const name of names) expect(stdout).toContain(`${name}: last run`)
      const after = await numbers()
      // One of the command, and those of this test.
      expect(after.sessions - before.sessions).toBeLessThanOrEqual(2)
      expect(after.tables).toBe(before.tables)
    } finally {
      await shop.close()
    }
  })
})
