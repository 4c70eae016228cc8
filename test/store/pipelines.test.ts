// A pipeline under a new name, and one that is given up: everything that is kept under its name goes along, or goes.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { connect } from '../../src/store/file/connection.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { planEntry } from '../../src/core/log/other-entries.ts'
import { AUDIT_START } from '../../src/core/log/audit-chain.ts'
import { openState, type OwnedState } from '../../src/store/state-store.ts'
import { people, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'
import { writeOldState } from './old-state.ts'

let folder = ''
let path = ''
let state: OwnedState
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipelines-'))
  path = join(folder, 'state.db')
})
afterEach(async () => {
  await state.close()
  await rm(folder, { recursive: true })
})

const open = (): OwnedState => (state = openState(path, { pid: 1, since: 0, thorough: false }))
const entry = (action: 'rename' | 'drop', pipeline = 'webshop') =>
  planEntry({ action, reason: 'by a word' }, { at: 0, runId: 'r', pipeline, configHash: '' })

const asking = <T>(ask: (db: Database.Database) => T): T => {
  const db = new Database(path, { readonly: true })
  try {
    return ask(db)
  } finally {
    db.close()
  }
}

/** How many rows each table has under the name. */
const rowsOf = (name: string): Record<string, number> =>
  asking((db) => {
    const tables = db
      .prepare<[], string>(
        "SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = 'pipeline'",
      )
      .pluck()
      .all()
    const count = (table: string): number =>
      db.prepare<[string], number>(`SELECT count(*) FROM "${table}" WHERE pipeline = ?`).pluck().get(name) ??
      0
    return Object.fromEntries(
      tables.map((table) => [table, count(table)] as const).filter(([, rows]) => rows !== 0),
    )
  })

const factsOf = (name: string): string[] =>
  asking((db) =>
    db.prepare<[string], string>("SELECT name FROM meta WHERE name LIKE '%:' || ?").pluck().all(name),
  )

/** Something in every table that has a pipeline, beside what the state of the fixture holds. */
async function fill(): Promise<void> {
  await state.rememberDue({ pipeline: 'shop', schedule: '* * * * *', doneUpTo: 1 })
  await state.changeAlerts(
    'receiver',
    {
      set: [{ name: 'rejects', pipeline: 'shop', since: 1, told: true }],
      remove: [],
      drop: [],
      messages: [],
    },
    1,
  )
}

const verified = async (): Promise<void> => {
  const { done, bad } = await state.checkLog({ seq: 0, hash: AUDIT_START }, 10_000)
  expect([done, bad]).toEqual([true, undefined])
}

describe('rename', () => {
  it('carries everything over: each row of each table, and each fact', async () => {
    writeOldState(path, 4)
    open()
    await fill()
    const [rows, facts] = [rowsOf('shop'), factsOf('shop')]
    expect(Object.keys(rows)).toEqual(
      expect.arrayContaining(['alert', 'due', 'fingerprint', 'input', 'link', 'operation', 'reject', 'run']),
    )
    state.pipelines.rename({ from: 'shop', to: 'webshop' }, entry('rename'))
    expect([rowsOf('shop'), factsOf('shop')]).toEqual([{}, []])
    expect(rowsOf('webshop')).toEqual(rows)
    expect(factsOf('webshop')).toEqual([
      ...facts.map((name) => name.replace(/shop$/, 'webshop')),
      'former:webshop',
    ])
    expect(state.pipelines.known()).toEqual(['crm', 'webshop'])
    await verified()
  })

  it('sends nothing for what was settled, and finds everybody in the sync log by key, mail and id', async () => {
    open()
    const shop = testLine({ state })
    shop.source.drop('a.csv', people(3))
    await shop.run()
    const before = await state.logPage({ contact: 'K1' }, { order: 'oldest', limit: 10 })
    expect(before).toHaveLength(1)
    state.pipelines.rename({ from: 'shop', to: 'webshop' }, entry('rename'))
    const web = testLine({ state, service: shop.service, runs: 5, pipeline: { name: 'webshop' } })
    web.source.drop('b.csv', people(3))
    expect(await web.run()).toMatchObject({ status: 'ok', unchanged: 3, requests: 0 })
    web.source.drop('c.csv', [...people(0), ['K1', 'person1@example.com', 'Neu', 'Nachname1', '030 1']])
    expect(await web.run()).toMatchObject({ status: 'ok', updated: 1, created: 0 })
    for (const contact of ['K1', 'person1@example.com', String(before[0]?.contact_id)])
      expect(await state.logPage({ contact }, { order: 'oldest', limit: 10 })).toHaveLength(2)
    const [one, ...others] = await state.people('K1')
    expect([one?.keys.map(({ pipeline }) => pipeline), others]).toEqual([['shop', 'webshop'], []])
    await verified()
  })

  it('only moves an input that was done with under the old name', async () => {
    open()
    const shop = testLine({ state })
    shop.source.stuck = true
    shop.source.drop('a.csv', people(1))
    await shop.run()
    state.pipelines.rename({ from: 'shop', to: 'webshop' }, entry('rename'))
    const web = testLine({ state, service: shop.service, runs: 5, pipeline: { name: 'webshop' } })
    web.source.drop('a.csv', people(1))
    expect(await web.run()).toMatchObject({
      status: 'ok',
      read: 0,
      files: [{ file: 'a.csv', status: 'done' }],
    })
    expect([web.source.waiting(), await state.unmovedInputs('webshop')]).toEqual([[], []])
  })

  it('keeps erased people away, also under a second new name, until they are readmitted', async () => {
    open()
    const gone = { keys: [{ pipeline: 'shop', key: 'K1' }], mails: [] }
    const isErased = async (pipeline: string): Promise<boolean | undefined> =>
      (await state.areErased(pipeline, [{ key: 'K1', mail: undefined, values: [] }]))[0]
    const db = connect(path)
    const { setTombstones } = await import('../../src/store/log/tombstones.ts')
    setTombstones(db, gone, 1)
    db.close()
    state.pipelines.rename({ from: 'shop', to: 'webshop' }, entry('rename'))
    state.pipelines.rename({ from: 'webshop', to: 'store' }, entry('rename'))
    expect([await isErased('store'), await isErased('other')]).toEqual([true, false])
    const named = { keys: [{ pipeline: 'store', key: 'K1' }], mails: [] }
    expect(state.tombstones(named)).toBe(1)
    await state.concludeDecision(0, { at: 2, effects: [{ do: 'readmit', named }] })
    expect(state.tombstones(named)).toBe(0)
    expect(await isErased('store')).toBe(false)
  })

  it('leaves what the state has of a person reachable for erasing', async () => {
    open()
    const shop = testLine({ state })
    shop.source.drop('a.csv', people(2))
    await shop.run()
    state.pipelines.rename({ from: 'shop', to: 'webshop' }, entry('rename'))
    const subject = state.subjectOf(await state.people('K1'))
    expect(subject.keys).toEqual(
      expect.arrayContaining([
        { pipeline: 'shop', key: 'K1' },
        { pipeline: 'webshop', key: 'K1' },
      ]),
    )
  })
})

describe('drop', () => {
  it('removes everything but the sync log and what was told of alerts', async () => {
    writeOldState(path, 4)
    open()
    await fill()
    const { entries } = await state.logHead()
    const others = rowsOf('crm')
    state.pipelines.drop('shop', entry('drop', 'shop'))
    expect([rowsOf('shop'), factsOf('shop')]).toEqual([{ alert: 1 }, []])
    expect(rowsOf('crm')).toEqual(others)
    expect(state.pipelines.known()).toEqual(['crm'])
    expect((await state.logHead()).entries).toBe(entries + 1)
    await verified()
  })

  it('no longer keeps contacts alive: another pipeline may delete them', async () => {
    open()
    const shop = testLine({ state })
    shop.source.drop('a.csv', people(2))
    await shop.run()
    const guards = { ...GUARDS, max_deletes: { share: 1 } }
    const full = { name: 'crm', mode: 'full', on_missing: 'delete', guards } as const
    const crm = testLine({ state, service: shop.service, runs: 5, pipeline: full })
    crm.source.drop('a.csv', people(2))
    await crm.run()
    crm.source.drop('b.csv', people(1))
    expect(await crm.run()).toMatchObject({ deleted: 0 })
    expect(shop.service.contacts.size).toBe(2)
    state.pipelines.drop('shop', entry('drop', 'shop'))
    crm.source.drop('c.csv', people(1))
    expect(await crm.run()).toMatchObject({ deleted: 1 })
    expect(shop.service.contacts.size).toBe(1)
  })

  it('forgets no number of a contact: who was there before is still known', async () => {
    open()
    const shop = testLine({ state })
    shop.source.drop('a.csv', people(3))
    await shop.run()
    const highest = Math.max(...shop.service.contacts.keys())
    state.pipelines.drop('shop', entry('drop', 'shop'))
    await state.beginRun({ id: 'next', pipeline: 'crm', startedAt: 1, configHash: '' })
    expect(await state.highestContactBefore('next')).toBe(highest)
  })
})
