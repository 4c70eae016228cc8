// The sync log by itself: parted, sealed, chained, found again by every filter, checked to the first bad entry.
import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AUDIT_START } from '../../src/core/log/audit-chain.ts'
import { type AuditEntry } from '../../src/core/log/audit.ts'
import { planEntry } from '../../src/core/log/other-entries.ts'
import { recognition } from '../../src/core/erasing.ts'
import type { LogFilter } from '../../src/core/log/sync-log.ts'
import { openState, openStateForReading, type OwnedState } from '../../src/store/state-store.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-log-'))
  path = join(folder, 'state.db')
})
afterEach(async () => rm(folder, { recursive: true }))

const owner = { pid: 1, since: 0, thorough: false }
const START = { seq: 0, hash: AUDIT_START }
const DAY = 86_400_000

function entry(given: Partial<AuditEntry> & { day?: number }): AuditEntry {
  const { day = 0, ...rest } = given
  return {
    at: new Date(day * DAY).toISOString(),
    run_id: 'run-1',
    pipeline: 'shop',
    key: 'K1',
    contact_id: 17,
    action: 'update',
    fields: { phone: { from: '1', to: '2' } },
    terms: { add: [], remove: [] },
    request: { method: 'PUT', path: '/contact/<contact_id>', status: 200, attempts: 1 },
    outcome: 'done',
    reason: null,
    source: { file: 'a.csv', line: 2 },
    config_hash: 'c',
    ...rest,
  }
}

const create = (key: string, mail: string, id: number | null, more: Partial<AuditEntry> = {}): AuditEntry =>
  entry({ action: 'create', key, contact_id: id, fields: { mail: { from: null, to: mail } }, ...more })

async function filled(...entries: readonly AuditEntry[]): Promise<OwnedState> {
  const state = openState(path, owner)
  for (const one of entries) await state.note(one)
  return state
}

async function seqs(state: OwnedState, filter: LogFilter): Promise<number[]> {
  return (await state.logPage(filter, { order: 'oldest', limit: 100 })).map(({ seq }) => seq)
}

describe('what the tables hold', () => {
  it('is nothing of a person in plain, and yet everything can be read', async () => {
    const state = await filled(
      create('ERIKA-1', 'erika@example.com', 17, { reason: 'Erika Mustermann' }),
      entry({ action: 'terms', fields: {}, terms: { add: ['Geheimbund'], remove: [] } }),
    )
    const [first, second] = await state.logPage({}, { order: 'oldest', limit: 10 })
    expect(first).toMatchObject({
      seq: 1,
      key: 'ERIKA-1',
      contact_id: 17,
      reason: 'Erika Mustermann',
      values: 'open',
    })
    expect(second).toMatchObject({ seq: 2, terms: { add: ['Geheimbund'], remove: [] }, prev: first?.hash })
    await state.close()
    const bytes = new Database(path).serialize().toString('latin1')
    for (const secret of ['ERIKA', 'erika', 'Erika', 'Mustermann', 'Geheimbund', 'a.csv'])
      expect(bytes).not.toContain(secret)
  })

  it('can be checked by the recipe of the manual alone', async () => {
    const state = await filled(
      create('K1', 'a@x.de', 1),
      entry({ key: null, contact_id: null, action: 'hold' }),
    )
    let prev = '0'.repeat(64)
    for (const { proof, ...line } of await state.logPage({}, { order: 'oldest', limit: 10 })) {
      expect(line.prev).toBe(prev)
      expect(line.hash).toBe(hash('sha256', `${prev}\n${proof.entry}`, 'hex'))
      const { digest } = JSON.parse(proof.entry) as { digest: string }
      expect(hash('sha256', `${proof.salt!}\n${proof.personal!}`, 'hex')).toBe(digest)
      prev = line.hash
    }
    await state.close()
  })
})

describe('one person', () => {
  const tokens = async (state: OwnedState): Promise<(string | null)[]> =>
    (await state.logPage({}, { order: 'oldest', limit: 10 })).map(({ person }) => person)

  it('has one token over pipelines, once a link says that the contact is the same', async () => {
    const state = await filled(
      create('K1', 'a@x.de', 17),
      create('X9', 'a@x.de', null, { pipeline: 'crm', outcome: 'failed' }),
      create('X9', 'a@x.de', 17, { pipeline: 'crm' }),
      entry({ pipeline: 'crm', key: 'X9' }),
    )
    const [first, second, third, fourth] = await tokens(state)
    expect(second).not.toBe(first)
    expect([third, fourth]).toEqual([first, first])
    expect(await seqs(state, { contact: 'id:17' })).toEqual([1, 2, 3, 4])
    expect(await seqs(state, { contact: 'X9' })).toEqual([1, 2, 3, 4])
    expect(await state.people('A@X.de')).toEqual([
      expect.objectContaining({
        contactIds: [17],
        keys: [
          { pipeline: 'shop', key: 'K1' },
          { pipeline: 'crm', key: 'X9' },
        ],
        mails: ['a@x.de'],
      }),
    ])
    await state.close()
  })

  it('is not whoever the service merged into the contact of another key', async () => {
    const state = await filled(create('K1', 'a@x.de', 17), create('K2', 'a@x.de', 17, { outcome: 'held' }))
    expect(await seqs(state, { contact: 'id:17' })).toEqual([1])
    expect(await seqs(state, { contact: 'K2' })).toEqual([2])
    expect(await state.people('a@x.de')).toHaveLength(2)
    await state.close()
  })
})

it('every filter finds what it should, alone and with others, in pages and both ways', async () => {
  const state = await filled(
    create('K1', 'a@x.de', 1, { run_id: 'run-1' }),
    create('K2', 'b@x.de', 2, { run_id: 'run-1', outcome: 'rejected' }),
    entry({ key: 'K1', contact_id: 1, run_id: 'run-2', day: 1 }),
    entry({
      key: 'K3',
      contact_id: 3,
      run_id: 'run-2',
      pipeline: 'crm',
      day: 2,
      action: 'terms',
      fields: {},
      terms: { add: ['VIP'], remove: ['Neu'] },
    }),
    entry({ key: 'K1', contact_id: 1, run_id: 'run-3', day: 3, fields: { fax: { from: '1', to: '' } } }),
  )
  expect(await seqs(state, { run: 'run-1' })).toEqual([1, 2])
  expect(await seqs(state, { pipeline: 'crm' })).toEqual([4])
  expect(await seqs(state, { field: 'fax' })).toEqual([5])
  expect(await seqs(state, { term: 'vip' })).toEqual([4])
  expect(await seqs(state, { term: 'Neu' })).toEqual([4])
  expect(await seqs(state, { outcome: 'rejected' })).toEqual([2])
  expect(await seqs(state, { action: 'create' })).toEqual([1, 2])
  expect(await seqs(state, { contact: 'K1' })).toEqual([1, 3, 5])
  expect(await seqs(state, { contact: 'b@x.de' })).toEqual([2])
  expect(await seqs(state, { contact: 'K1', field: 'phone' })).toEqual([3])
  expect(await seqs(state, { pipeline: 'shop', outcome: 'done', field: 'mail', run: 'run-1' })).toEqual([1])
  expect(await seqs(state, { since: DAY })).toEqual([3, 4, 5])
  expect(await seqs(state, { since: DAY, until: 2 * DAY })).toEqual([3])
  expect(await seqs(state, { since: 1, until: 2 * DAY, pipeline: 'shop' })).toEqual([3])
  expect(await seqs(state, { since: 10 * DAY })).toEqual([])
  expect(await seqs(state, { run: 'run-9' })).toEqual([])
  expect(await seqs(state, { contact: 'nobody' })).toEqual([])
  const newest = await state.logPage({ pipeline: 'shop' }, { order: 'newest', limit: 2 })
  expect(newest.map(({ seq }) => seq)).toEqual([5, 3])
  const next = await state.logPage({ pipeline: 'shop' }, { order: 'newest', limit: 2, from: 3 })
  expect(next.map(({ seq }) => seq)).toEqual([2, 1])
  expect(await state.runTotals('run-1')).toEqual([
    { action: 'create', outcome: 'done', entries: 1 },
    { action: 'create', outcome: 'rejected', entries: 1 },
  ])
  expect(await state.logEntry(4)).toMatchObject({ key: 'K3' })
  expect(await state.logEntry(9)).toBeUndefined()
  await state.close()
})

it('a run is given person by person, what is about nobody first', async () => {
  const state = await filled(
    create('K1', 'a@x.de', 1),
    create('K2', 'b@x.de', 2),
    entry({ key: null, contact_id: null, action: 'hold' }),
    entry({ key: 'K1', contact_id: 1 }),
  )
  const found: number[] = []
  for await (const { seq } of state.entriesOfRun('run-1')) {
    found.push(seq)
    // The caller may write meanwhile.
    await state.note(entry({ run_id: 'run-2' }))
  }
  expect(found).toEqual([3, 1, 4, 2])
  const own: number[] = []
  for await (const { seq } of state.entriesOfRun('run-1', 'K2')) own.push(seq)
  expect(own).toEqual([2])
  await state.close()
})

describe('a check of the indexes', () => {
  async function thinned(sql: string): Promise<{ bad: unknown; rebuilt: unknown }> {
    const state = await filled(
      create('K1', 'a@x.de', 1),
      create('K2', 'b@x.de', 2, { run_id: 'run-2', at: new Date(2 * DAY).toISOString() }),
      entry({ key: 'K1', contact_id: 1, action: 'terms', fields: {}, terms: { add: ['A'], remove: ['B'] } }),
      planEntry({ action: 'reload', reason: 'x' }, { at: 0, runId: 'run-3', pipeline: null, configHash: '' }),
    )
    const [person] = await state.people('K2')
    state.forget({
      subject: { keys: [{ pipeline: 'shop', key: 'K2' }], contactIds: [2], mails: ['b@x.de'], values: [] },
      people: [person!],
      recognition: recognition({ keys: [], mails: [], values: [] }),
      cleared: [],
      records: 0,
      at: DAY,
      runId: 'run-4',
    })
    await state.close()
    const db = new Database(path)
    db.exec(sql)
    db.close()
    const owned = openState(path, { ...owner, thorough: false })
    const bad = await owned.checkIndexes()
    owned.rebuildLogIndexes()
    const rebuilt = await owned.checkIndexes()
    expect((await owned.checkLog(START, 100)).bad).toBeUndefined()
    await owned.close()
    return { bad, rebuilt }
  }

  it('finds nothing where nothing is wrong, with values erased', async () => {
    expect(await thinned('SELECT 1')).toEqual({ bad: undefined, rebuilt: undefined })
  })

  it.each([
    [
      'log_tag',
      "DELETE FROM log_tag WHERE first = 3 AND word IN (SELECT id FROM log_word WHERE word LIKE 'run:%')",
    ],
    [
      'log_tag',
      "DELETE FROM log_tag WHERE first = 3 AND word IN (SELECT id FROM log_word WHERE word LIKE 'term:%')",
    ],
    ['log_tag', "DELETE FROM log_word WHERE word = 'field:mail'"],
    ['log_tag', "UPDATE log_word SET word = 'action:x' WHERE word = 'action:terms'"],
    ['log_tag', "INSERT INTO log_tag SELECT id, 4, 4 FROM log_word WHERE word = 'action:terms'"],
    ['log_hour', 'DELETE FROM log_hour WHERE hour = 0'],
    ['log_hour', 'UPDATE log_hour SET first = first + 1 WHERE hour = 0'],
    ['log_total', "DELETE FROM log_total WHERE run_id = 'run-2'"],
    ['log_total', 'UPDATE log_total SET entries = entries + 1'],
    ['log_total', "INSERT INTO log_total VALUES ('run-9', 'create', 'done', 1)"],
    ['person_alias', 'DELETE FROM person_alias'],
  ])('names %s: %s', async (table, sql) => {
    expect(await thinned(sql)).toMatchObject({ bad: { table }, rebuilt: undefined })
  })
})

describe('a check of the log', () => {
  async function tampered(sql: string): Promise<unknown> {
    const state = await filled(
      create('K1', 'a@x.de', 1),
      create('K2', 'b@x.de', 2),
      entry({ key: 'K1', contact_id: 1 }),
    )
    await state.close()
    const db = new Database(path)
    db.exec('DROP TRIGGER audit_no_update; DROP TRIGGER audit_no_delete')
    db.exec(sql)
    db.close()
    const reader = openStateForReading(path)!
    const { bad } = await reader.checkLog(START, 100)
    await reader.close()
    return bad
  }

  it('finds nothing where nothing is wrong, whole or in pieces', async () => {
    expect(await tampered('SELECT 1')).toBeUndefined()
    const reader = openStateForReading(path)!
    let step = await reader.checkLog(START, 2)
    expect(step).toMatchObject({ to: { seq: 2 }, done: false })
    step = await reader.checkLog(step.to, 2)
    expect(step).toEqual({ to: { seq: 3, hash: (await reader.logHead()).hash }, done: true })
    await reader.close()
  })

  it.each([
    [
      'an altered entry',
      `UPDATE audit SET entry = replace(entry, 'done', 'held') WHERE seq = 2`,
      2,
      'altered',
    ],
    [
      'an altered hash',
      `UPDATE audit SET hash = replace(hash, substr(hash, 1, 1), 'x') WHERE seq = 2`,
      2,
      'altered',
    ],
    ['an entry taken out', 'DELETE FROM audit WHERE seq = 2', 2, 'missing'],
    ['the first taken out', 'DELETE FROM audit WHERE seq = 1', 1, 'missing'],
    [
      'two exchanged',
      'UPDATE audit SET seq = 9 WHERE seq = 1; UPDATE audit SET seq = 1 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 9',
      1,
      'follow',
    ],
    ['altered values', `UPDATE sealed SET box = zeroblob(length(box)) WHERE seq = 3`, 3, 'altered'],
    ['values taken out', 'UPDATE sealed SET box = NULL WHERE seq = 3', 3, 'missing'],
    ['a lost row of values', 'DELETE FROM sealed WHERE seq = 3', 3, 'missing'],
    [
      'values of another entry',
      'UPDATE sealed SET box = (SELECT box FROM sealed WHERE seq = 1) WHERE seq = 3',
      3,
      'altered',
    ],
    ['a key taken away', 'UPDATE person_key SET secret = NULL WHERE id = 1', 1, 'key is missing'],
    ['values under another person', 'UPDATE sealed SET key_id = 2 WHERE seq = 1', 1, 'another person'],
  ])('names the first bad one: %s', async (_, sql, seq, why) => {
    expect(await tampered(sql)).toEqual({ seq, why: expect.stringContaining(why) as string })
  })
})

describe('values that were kept for long enough', () => {
  const about = { at: 100 * DAY, runId: 'keeping' }
  const days = [0, 1, 2, 3].map((day) => entry({ key: `K${day % 2}`, contact_id: day % 2, day }))

  it('are destroyed with keys that open nothing more, and the chain stays whole', async () => {
    const state = await filled(
      ...days,
      entry({ key: 'K0', contact_id: 0, day: 3, terms: { add: ['VIP'], remove: [] } }),
    )
    expect(await state.expireValues(2 * DAY + 1, 100, about)).toBe(2)
    expect(await state.expireValues(2 * DAY + 1, 100, about)).toBe(0)
    const entries = await state.logPage({}, { order: 'oldest', limit: 10 })
    expect(entries.map(({ values }) => values)).toEqual(['erased', 'erased', 'open', 'open', 'open', 'open'])
    expect(entries[0]).toMatchObject({ key: null, fields: {}, field_names: ['phone'] })
    expect(entries[5]).toMatchObject({ action: 'expire', up_to: 2 })
    expect((await state.checkLog(START, 100)).bad).toBeUndefined()
    expect(await state.expireValues(50 * DAY, 100, about)).toBe(3)
    expect(await seqs(state, { term: 'VIP' })).toEqual([])
    expect((await state.checkLog(START, 100)).bad).toBeUndefined()
    // Who is met again is still the same person.
    await state.note(entry({ key: 'K0', contact_id: 0, day: 60 }))
    expect(await seqs(state, { contact: 'K0' })).toEqual([1, 3, 5, 8])
    await state.close()
    const db = new Database(path)
    expect(
      db.prepare('SELECT count(*) FROM person_key WHERE secret IS NOT NULL AND id <> 0').pluck().get(),
    ).toBe(1)
    db.close()
  })

  it('go some at a time', async () => {
    const state = await filled(...days)
    expect(await state.expireValues(50 * DAY, 3, about)).toBe(3)
    expect(await state.expireValues(50 * DAY, 3, about)).toBe(1)
    expect((await state.checkLog(START, 100)).bad).toBeUndefined()
    await state.close()
  })

  it('that are gone without a word are noticed', async () => {
    const state = await filled(...days)
    await state.expireValues(2 * DAY, 100, about)
    await state.close()
    const db = new Database(path)
    db.exec('UPDATE sealed SET box = NULL WHERE seq = 3')
    db.close()
    const reader = openStateForReading(path)!
    expect((await reader.checkLog(START, 100)).bad).toMatchObject({ seq: 3 })
    await reader.close()
  })
})
