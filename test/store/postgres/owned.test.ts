// What only the owner of a state does, where the state is at a server: whole runs, an erasure, renames, and the mark.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { recognition } from '../../../src/core/erasing.ts'
import { AUDIT_START } from '../../../src/core/log/audit-chain.ts'
import { planEntry } from '../../../src/core/log/other-entries.ts'
import type { ServerPlace } from '../../../src/core/state-place.ts'
import { openState, type OwnedState } from '../../../src/store/state-store.ts'
import { people, testLine } from '../../support/line.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

describe.skipIf(POSTGRES === undefined)('the owner of a state at a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'owned-'))
  let server: PostgresServer
  let place: ServerPlace
  let state: OwnedState
  let schemas = 0
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
  }, 60_000)
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    schemas += 1
    const schema = `owned_${schemas}`
    place = { url: server.url, schema, path: join(folder, schema) }
    state = open()
  })
  afterEach(async () => state.close())

  const open = (evenOlder = false): OwnedState =>
    openState(place, { pid: 1, since: 0, thorough: false, evenOlder })

  const linked = async (count: number) => {
    const line = testLine({ state })
    line.source.drop('1.csv', people(count))
    expect(await line.run()).toMatchObject({ status: 'ok', created: count })
    return line
  }

  const verified = async (): Promise<void> => {
    const { done, bad } = await state.checkLog({ seq: 0, hash: AUDIT_START }, 10_000)
    expect([done, bad]).toEqual([true, undefined])
  }

  it('runs: the same file again sends nothing, another one what has changed, and the sync log verifies', async () => {
    const line = await linked(30)
    line.source.drop('2.csv', people(30))
    expect(await line.run()).toMatchObject({ unchanged: 30, requests: 0 })
    line.source.drop('3.csv', people(31))
    expect(await line.run()).toMatchObject({ unchanged: 30, created: 1 })
    await state.close()
    state = open()
    expect(await state.lastRun('shop')).toMatchObject({ counts: { unchanged: 30, created: 1 } })
    await verified()
    state.rebuildLogIndexes()
    expect(await state.logPage({}, { order: 'oldest', limit: 100 })).toHaveLength(31)
  })

  it('rejects a record whose key it cannot hold, and takes the others', async () => {
    const line = testLine({ state })
    const rows = people(4)
    for (const [index, no] of [randomBytes(3000).toString('hex'), 'a\0b'].entries())
      rows[index + 1] = [no, ...(rows[index + 1] ?? []).slice(1)]
    // As long as a key may be, in characters of three bytes that cannot be compressed.
    const wide = Array.from({ length: 600 }, (_, index) =>
      String.fromCharCode(0x4e00 + ((index * 7919) % 20_000)),
    )
    rows[3] = [wide.join(''), ...(rows[3] ?? []).slice(1)]
    line.source.drop('1.csv', rows)
    expect(await line.run()).toMatchObject({ created: 2, rejected: 2 })
    line.source.drop('2.csv', rows)
    expect(await line.run()).toMatchObject({ unchanged: 2, rejected: 2 })
  })

  it('erases a person, and writes the tables anew without what was deleted', async () => {
    const line = await linked(2)
    const mail = 'person1@example.com'
    const persons = await state.people(`mail:${mail}`)
    const subject = state.subjectOf(persons)
    expect(subject).toMatchObject({ keys: [{ pipeline: 'shop', key: 'K1' }], mails: [mail] })
    const at = line.clock.now()
    const told = { cleared: [], records: 0, at, runId: 'erasure', recognition: recognition(subject) }
    expect(state.forget({ subject, people: persons, ...told })).toMatchObject({ links: 1, logEntries: 1 })
    expect(state.isSweepDue()).toBe(true)
    state.sweep()
    state.endSweep()
    expect(state.isSweepDue()).toBe(false)
    await verified()
    line.source.drop('2.csv', people(2))
    expect(await line.run()).toMatchObject({ unchanged: 1, skipped: 1, created: 0 })
    const left = await server.query(
      `SELECT count(*)::int AS links FROM ${place.schema}.link WHERE mail_key = '${mail}'`,
    )
    expect(left).toEqual([{ links: 0 }])
  })

  it('renames a pipeline and gives one up, and is bound to one service', async () => {
    await linked(3)
    const entry = (action: 'rename' | 'drop') =>
      planEntry({ action, reason: 'by a word' }, { at: 0, runId: 'r', pipeline: 'shop', configHash: '' })
    state.pipelines.rename({ from: 'shop', to: 'webshop' }, entry('rename'))
    expect((await state.lastRun('webshop'))?.counts?.created).toBe(3)
    state.pipelines.drop('webshop', entry('drop'))
    expect(await state.lastRun('webshop')).toBeUndefined()
    state.binding.bind('https://service.example')
    expect(state.binding.tie()).toMatchObject({ address: 'https://service.example', hasLinks: false })
    await verified()
  })

  it('is noticed where the server has an older state than this machine has seen, and goes on once accepted', async () => {
    await linked(3)
    await state.close()
    await server.query(`DROP SCHEMA ${place.schema} CASCADE`)
    expect(() => open()).toThrow(`the state ${place.schema} at localhost`)
    state = open(true)
    expect(state.doubt()).toBeDefined()
    state.accept()
    expect(state.doubt()).toBeUndefined()
    await state.close()
    state = open()
    const line = testLine({ state, pipeline: { duplicate_check_method: 'none' } })
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'unknown' } : undefined)
    line.source.drop('1.csv', people(1))
    await line.run()
    const [doubt] = await state.openDoubts('shop')
    expect(doubt?.id).toBeGreaterThan(1_000_000)
  })
})
