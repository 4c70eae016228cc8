// Several states of one process over few connections: each finds its own, and none is late for another one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { AUDIT_START } from '../../../src/core/log/audit-chain.ts'
import { planEntry } from '../../../src/core/log/other-entries.ts'
import type { OpenChannel } from '../../../src/store/postgres/channel.ts'
import { createSharedChannels, type SharedChannels } from '../../../src/store/postgres/shared-channels.ts'
import { openState, type OwnedState } from '../../../src/store/state-store.ts'
import { people, testLine } from '../../support/line.ts'
import { POSTGRES, type PostgresServer, startPostgres, untilUp } from '../../support/postgres-server.ts'

const LEASE_MS = 1200
const ABOUT = { at: 0, runId: 'r', pipeline: 'shop', configHash: '' }

describe.skipIf(POSTGRES === undefined)('states that share connections', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shared-'))
  let server: PostgresServer
  let open: OwnedState[] = []
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  const shared: SharedChannels[] = []
  function share(most: number): OpenChannel {
    const channels = createSharedChannels(most)
    shared.push(channels)
    return channels.open
  }
  afterEach(async () => {
    for (const state of open) await state.close().catch(() => undefined)
    open = []
    for (const channels of shared.splice(0)) channels.close()
  })

  function stateOf(name: string, channel: OpenChannel): OwnedState {
    const place = { url: server.url, schema: name, path: join(folder, name) }
    const state = openState(place, { pid: 1, since: 0, thorough: false, leaseMs: LEASE_MS, channel })
    open.push(state)
    return state
  }

  async function numberOf(text: string): Promise<number> {
    const [row] = await server.query(`SELECT (${text})::int AS number`)
    return Number(row?.['number'])
  }

  const connections = async (): Promise<number> =>
    numberOf("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'contact-sync'")

  /** That the lease of a state is renewed from now on. */
  async function isRenewed(name: string): Promise<void> {
    const until = async () => String((await server.query(`SELECT until FROM ${name}.worker`))[0]?.['until'])
    const before = await until()
    await untilUp(async () => expect(await until()).not.toBe(before))
  }

  const word = async (state: OwnedState): Promise<void> =>
    state.note(planEntry({ action: 'reload', reason: 'by a word' }, ABOUT))

  it('run at the same time, and each ends as it does alone', async () => {
    const channel = share(2)
    const names = ['ann', 'bob', 'cleo', 'dan', 'eve']
    const lines = names.map((name) => testLine({ state: stateOf(name, channel) }))
    for (const [index, { source }] of lines.entries()) source.drop('1.csv', people(20 + index))
    const first = await Promise.all(lines.map(async (line) => line.run()))
    expect(first.map(({ created }) => created)).toEqual([20, 21, 22, 23, 24])
    // The same keys and numbers of links for all; each knows which of its own are missing and new.
    for (const [index, { source }] of lines.entries()) source.drop('2.csv', people(30 - index))
    const second = await Promise.all(lines.map(async (line) => line.run()))
    expect(second.map(({ created, unchanged }) => [created, unchanged])).toEqual([
      [10, 20],
      [8, 21],
      [6, 22],
      [4, 23],
      [2, 24],
    ])
    for (const { state } of lines) {
      const { done, bad } = await (state as OwnedState).checkLog({ seq: 0, hash: AUDIT_START }, 10_000)
      expect([done, bad]).toEqual([true, undefined])
    }
    // Each of the two has one that renews.
    expect(await connections()).toBeLessThanOrEqual(4)
  })

  it('have leases of their own, and one that is closed takes nothing from the others', async () => {
    const channel = share(1)
    const [gone, stays] = [stateOf('fay', channel), stateOf('gus', channel)]
    await Promise.all([isRenewed('fay'), isRenewed('gus')])
    await gone.close()
    expect(await numberOf('SELECT count(*) FROM fay.worker')).toBe(0)
    await word(stays)
    await isRenewed('gus')
    expect(await stays.logHead()).toMatchObject({ entries: 1 })
    const temporary =
      "SELECT count(*) FROM pg_class WHERE relpersistence = 't' AND relname LIKE 'claim_key__'"
    expect(await numberOf(temporary)).toBe(1)
    // What was closed is told nothing more, although the connection is there.
    await expect(word(gone)).rejects.toMatchObject({ code: 'STATE_IO' })
    await stays.close()
    shared[0]?.close()
    await untilUp(async () => expect(await connections()).toBe(0))
  })

  it('are renewed while the row of one of them is locked', async () => {
    const channel = share(1)
    stateOf('hal', channel)
    stateOf('ida', channel)
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query('BEGIN; SELECT 1 FROM hal.worker FOR UPDATE')
    for (const _ of Array(4)) await isRenewed('ida')
    await client.end()
    await isRenewed('hal')
  })

  it('lose their connection together, join over another one, and those of other connections go on', async () => {
    const channel = share(2)
    const [jon, kim, leo] = [stateOf('jon', channel), stateOf('kim', channel), stateOf('leo', channel)]
    await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'contact-sync' ORDER BY backend_start LIMIT 1`)
    // The first and the third, by whom has the fewest.
    for (const state of [jon, leo]) await expect(word(state)).rejects.toMatchObject({ code: 'STATE_IO' })
    await word(kim)
    for (const state of [jon, leo]) await state.close()
    for (const name of ['jon', 'leo']) await word(stateOf(name, channel))
    await word(kim)
    expect(await connections()).toBeLessThanOrEqual(4)
  })

  it('leave the server no more compiled statements than it can keep', () => {
    const channel = share(1)(server.url, 'the state')
    for (let from = 0; from < 2500; from += 500) {
      const queries = Array.from({ length: 500 }, (_, index) => ({
        text: `SELECT $1::bigint + ${from + index}`,
        values: [1],
      }))
      const answers = channel.ask([...queries, ...queries])
      expect(answers.map(({ rows }) => rows[0]?.[0])).toEqual(
        [...queries, ...queries].map((_, index) => from + (index % 500) + 1),
      )
    }
    const [kept] = channel.ask([{ text: 'SELECT count(*) FROM pg_prepared_statements', values: [] }])
    expect(kept?.rows[0]?.[0]).toBe(500)
    channel.close()
  })

  it('give no other state a connection that compiled statements for tables that have changed since', async () => {
    const open = share(1)
    const statement = { text: 'SELECT * FROM changing WHERE number > $1::bigint', values: [0] }
    const backendOf = (channel: ReturnType<typeof open>): unknown =>
      channel.ask([{ text: 'SELECT pg_backend_pid()', values: [] }])[0]?.rows[0]?.[0]
    await server.query('CREATE TABLE changing (number bigint)')
    const before = open(server.url, 'the state')
    before.ask([statement])
    const also = open(server.url, 'another state')
    expect(backendOf(also)).toBe(backendOf(before))
    await server.query('ALTER TABLE changing ADD COLUMN more bigint')
    expect(() => before.ask([statement])).toThrow()
    const after = open(server.url, 'a third state')
    expect(backendOf(after)).not.toBe(backendOf(also))
    expect(after.ask([statement])[0]?.columns).toEqual(['number', 'more'])
    for (const channel of [before, also, after]) channel.close()
  })
})
