// States that earlier versions wrote, taken over by this one with everything that was open in them. The fixtures were
// made by the programs of their time; see make-state.ts.
import { copyFile, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AUDIT_START, type LoggedEntry } from '../../src/core/log/audit-chain.ts'
import { noCounts } from '../../src/core/outcome/summary.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import { MIGRATIONS, newestSchema, OLDEST_SCHEMA } from '../../src/store/file/schema.ts'
import { openState, openStateForReading, type OwnedState } from '../../src/store/state-store.ts'
import { HEADER, testLine } from '../support/line.ts'
import { OLD_SCHEMAS, serviceOf, writeOldState } from './old-state.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  path = join(folder, 'state.db')
})
afterEach(async () => rm(folder, { recursive: true }))

const owner = { pid: 1, since: 0, thorough: true }
const open = (): OwnedState => openState(path, owner)
const NEWEST = newestSchema()

function asking<T>(file: string, ask: (db: Database.Database) => T): T {
  const db = new Database(file)
  try {
    return ask(db)
  } finally {
    db.close()
  }
}

/** Every row of these tables, as JSON of the columns named. */
const rows = (file: string, sql: string): unknown[] => asking(file, (db) => db.prepare(sql).all())

const KEPT: readonly string[] = [
  'SELECT id, pipeline, key, contact_id, mail_key, known, gone FROM link ORDER BY id',
  'SELECT * FROM fingerprint ORDER BY pipeline, link_id',
  'SELECT id, run_id, pipeline, name, version, header, sha256, state FROM input ORDER BY id',
  'SELECT id, pipeline, started_at, ended_at, status, counts, error, config_hash FROM run ORDER BY id',
  'SELECT id, input_id, pipeline, key, code, reason, file, line, header, record FROM reject ORDER BY id',
  `SELECT id, input_id, run_id, pipeline, key, line, file, kind, link_id, contact_id, mail_key, fields, desired, record, fingerprint,
          state, rank, absent_reads, not_before, reason FROM operation ORDER BY id`,
  "SELECT seq FROM sqlite_sequence WHERE name LIKE 'operation%'",
]

const kept = (file: string): unknown[][] => KEPT.map((sql) => rows(file, sql))

/** The row count of what an old state is full of: a fixture that lacks it would prove nothing. */
const fullness = (file: string) =>
  rows(file, 'SELECT DISTINCT state FROM operation ORDER BY state').map(
    (row) => (row as { state: string }).state,
  )

/** What a database is made of, whatever the order in which it was made, and the blanks that ALTER TABLE leaves. */
const structure = (file: string): unknown[] =>
  (
    rows(file, 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name') as {
      sql: string | null
    }[]
  ).map((row) => ({
    ...row,
    sql: row.sql
      ?.replace(/"(\w+)"/g, '$1')
      .replace(/\s+/g, ' ')
      .replaceAll(' ,', ','),
  }))

/** The whole sync log, verified, oldest first. */
async function verifiedLog(file: string): Promise<readonly LoggedEntry[]> {
  const state = openStateForReading(file) as StateStore
  const { done, bad, to } = await state.checkLog({ seq: 0, hash: AUDIT_START }, 10_000)
  expect([done, bad]).toEqual([true, undefined])
  const entries = await state.logPage({}, { order: 'oldest', limit: 10_000 })
  await state.close()
  expect(entries).toHaveLength(to.seq)
  return entries
}

/** The log: what is chained, and what is sealed under whose key. */
const sealedLog = (file: string): unknown[][] =>
  [
    'SELECT * FROM audit',
    'SELECT * FROM sealed',
    'SELECT id, coalesce(person, id) AS person, token, secret FROM person_key',
    'SELECT * FROM person_alias',
  ].map((sql) => rows(file, sql))

/** Whom each text names, with all that the log says of them. */
async function everybody(state: StateStore): Promise<unknown[]> {
  const texts = Array.from({ length: 40 }, (_, index) => [
    `K${index}`,
    `person${index}@example.com`,
    `id:${index}`,
  ])
  return Promise.all(texts.flat().map(async (text) => state.people(text)))
}

it('every schema that is not the newest has a fixture', () => {
  const older = Array.from({ length: NEWEST - OLDEST_SCHEMA }, (_, index) => OLDEST_SCHEMA + index)
  expect(OLD_SCHEMAS.slice(0, older.length)).toEqual(older)
})

describe.each(OLD_SCHEMAS)('a state of schema %i', (schema) => {
  beforeEach(() => writeOldState(path, schema))

  it('is full of what can be open', () => {
    expect(fullness(path)).toEqual(
      expect.arrayContaining(['failed', 'held', 'in_doubt', 'planned', 'sending', 'waiting']),
    )
    expect(rows(path, 'SELECT 1 FROM reject')).toHaveLength(2)
    expect(rows(path, 'SELECT 1 FROM run WHERE ended_at IS NULL')).toHaveLength(1)
  })

  it('keeps everything, and has the tables of a new one', async () => {
    const before = kept(path)
    await open().close()
    expect(kept(path)).toEqual(before)
    expect(asking(path, (db) => db.pragma('integrity_check', { simple: true }))).toBe('ok')
    const fresh = join(folder, 'fresh.db')
    await openState(fresh, owner).close()
    expect(structure(path)).toEqual(structure(fresh))
  })

  it('keeps its sealed sync log, byte for byte, and verified', async () => {
    const before = sealedLog(path)
    expect(before[0]?.length).toBeGreaterThan(10)
    await open().close()
    expect(sealedLog(path)).toEqual(before)
    await verifiedLog(path)
  })

  it('finds everybody in its sync log before and after links refer to them', async () => {
    const state = open()
    const before = await everybody(state)
    expect(before.filter((people) => (people as unknown[]).length === 1).length).toBeGreaterThan(20)
    state.rebuildLogIndexes()
    expect(asking(path, (db) => db.prepare('SELECT count(person) FROM link').pluck().get())).toBeGreaterThan(
      5,
    )
    expect(await everybody(state)).toEqual(before)
    expect(await state.checkIndexes()).toBeUndefined()
    await state.close()
  })

  it.skipIf(schema === NEWEST)(
    'leaves a copy of itself, for its owner only, which that version can go on with',
    async () => {
      const [before, tables] = [kept(path), structure(path)]
      await open().close()
      const copy = `${path}.before-schema-${NEWEST}`
      expect([kept(copy), structure(copy)]).toEqual([before, tables])
      expect(asking(copy, (db) => db.pragma('user_version', { simple: true }))).toBe(schema)
      expect((await stat(copy)).mode & 0o777).toBe(0o600)
      await open().close()
      expect((await readdir(folder)).filter((name) => name.includes('before'))).toHaveLength(1)
    },
  )

  it.skipIf(schema === NEWEST)('is not read before a run brings it up to date, which is what is said', () => {
    const read = () => openStateForReading(path)
    expect(read).toThrow(`older contact-sync (schema ${schema}, this one has ${NEWEST})`)
    expect(read).toThrow(
      expect.objectContaining({
        code: 'STATE_UNUSABLE',
        hint: 'Start or run contact-sync of this version once: it keeps a copy of the state, and brings it up to date.',
      }),
    )
    expect(asking(path, (db) => db.pragma('user_version', { simple: true }))).toBe(schema)
  })

  it('shows lists and totals as before', async () => {
    await open().close()
    const state = openStateForReading(path) as StateStore
    const rejects: unknown[] = []
    for await (const { key, code, line } of state.rejects(undefined)) rejects.push([key, code, line])
    expect(rejects).toEqual([
      ['K3', 'KEY_DUPLICATE', 10],
      ['K10', 'MAIL_INVALID', 11],
    ])
    expect(await state.lastRun('shop')).toMatchObject({ status: undefined, endedAt: undefined })
    expect(await state.backlog('shop')).toMatchObject({ rejects: 2, held: 1, inDoubt: 1, onItsWay: 1 })
    await state.close()
  })

  it('goes on: settles what was open, sends what is new, and then nothing', async () => {
    const state = open()
    const terms = {
      policy: 'managed',
      create_missing: true,
      assign: [{ name: 'Customer' }],
      descriptions: {},
      verify: true,
    } as const
    const service = serviceOf(schema)
    const line = testLine({
      state,
      service,
      runs: 9,
      pipeline: { duplicate_check_method: 'none', terms, hash: 'mapping-1' },
    })
    const person = (number: number, phone: string) => [
      `K${number}`,
      `person${number}@example.com`,
      `Vorname${number}`,
      `Nachname${number}`,
      phone,
    ]
    const all = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11].map((number) => person(number, `050 ${number}`))
    line.source.drop('after-a.csv', [[...HEADER], ...all])
    const first = await line.run()
    expect(first).toMatchObject({ rejected: 0, failed: 0, in_doubt: 0, held: 1 })
    const mails = [...service.contacts.values()].map(({ mail }) => String(mail)).sort()
    expect(new Set(mails).size).toBe(mails.length)
    for (const [, mail, , , phone] of all) {
      const found = [...service.contacts].filter(([, fields]) => fields['mail'] === mail)
      // The fifth was deleted at the service by a user: it is held, and never created again.
      if (mail === 'person5@example.com') expect(found).toEqual([])
      else expect(found).toMatchObject([[expect.any(Number), { phone }]])
    }
    for (const [id, { mail }] of service.contacts)
      if (Number(/\d+/.exec(String(mail))) < 20) expect(service.termsOf(id)).toContain('Customer')
    const settled = all.filter(([key]) => key !== 'K5')
    line.source.drop('after-b.csv', [[...HEADER], ...settled])
    expect(await line.run()).toMatchObject({ status: 'ok', unchanged: 9, requests: 0 })
    await state.close()
    await verifiedLog(path)
  })
})

it('sends nothing for what the last version had settled, without a look at anybody', async () => {
  writeOldState(path, OLD_SCHEMAS.at(-1) ?? 0)
  const state = open()
  const service = serviceOf(OLD_SCHEMAS.at(-1) ?? 0)
  const full = { name: 'crm', mode: 'full', on_missing: 'delete', hash: 'mapping-2' } as const
  const line = testLine({ state, service, runs: 9, pipeline: full })
  const numbers = [20, 21, 22, 23, 24, 25, 26, 27, 28, 29]
  const records = numbers.map((n) => [
    `K${n}`,
    `person${n}@example.com`,
    `Vorname${n}`,
    `Nachname${n}`,
    `030 ${n}`,
  ])
  line.source.drop('after.csv', [[...HEADER], ...records])
  // All ten are back: the deletes that were held have no reason any more.
  expect(await line.run()).toMatchObject({ status: 'ok', read: 10, unchanged: 10, requests: 0, deleted: 0 })
  expect(await state.backlog('crm')).toMatchObject({ linked: 10, held: 0 })
  await state.close()
})

/** The statements of a migration one by one; a trigger's own semicolons end none. */
function statementsOf(migration: string): string[] {
  const statements: string[] = []
  let unfinished = ''
  for (const piece of migration.split(/(?<=;)/)) {
    unfinished += piece
    if (/BEGIN\b/.test(unfinished) && !/END;\s*$/.test(unfinished)) continue
    if (unfinished.trim() !== '') statements.push(unfinished)
    unfinished = ''
  }
  return statements
}

describe('a migration that fails', () => {
  const migrations = MIGRATIONS as string[]
  const whole = [...MIGRATIONS]
  afterEach(() => migrations.splice(0, migrations.length, ...whole))

  const places = whole.slice(1).flatMap((migration, index) =>
    statementsOf(migration).map((_, statement) => ({
      schema: OLDEST_SCHEMA + 1 + index,
      statement: statement + 1,
    })),
  )

  it('is asked about at every statement', () => expect(places.length).toBeGreaterThan(10))

  it.each(places)(
    'after statement $statement of schema $schema leaves the old state, and goes on',
    async (place) => {
      writeOldState(path, place.schema - 1)
      const before = [structure(path), kept(path)]
      const upTo = statementsOf(whole[place.schema - OLDEST_SCHEMA] ?? '').slice(0, place.statement)
      migrations[place.schema - OLDEST_SCHEMA] = `${upTo.join('')} SELECT a_fault_of_this_statement();`
      expect(() => open()).toThrow('a_fault_of_this_statement')
      migrations.splice(0, migrations.length, ...whole)
      expect([structure(path), kept(path)]).toEqual(before)
      expect(asking(path, (db) => db.pragma('user_version', { simple: true }))).toBe(place.schema - 1)
      expect(asking(path, (db) => db.pragma('integrity_check', { simple: true }))).toBe('ok')
      await open().close()
      await verifiedLog(path)
    },
  )
})

describe('an upgrade over several schemas', () => {
  const migrations = MIGRATIONS as string[]
  const whole = [...MIGRATIONS]
  afterEach(() => migrations.splice(0, migrations.length, ...whole))

  it.each(whole.slice(1).map((_, index) => OLDEST_SCHEMA + 1 + index))(
    'that ends at schema %i leaves the oldest, and the copy that the next start makes is of that one',
    async (schema) => {
      writeOldState(path, OLDEST_SCHEMA)
      const before = [structure(path), kept(path)]
      migrations[schema - OLDEST_SCHEMA] = 'SELECT a_fault_of_this_statement();'
      expect(() => open()).toThrow('a_fault_of_this_statement')
      migrations.splice(0, migrations.length, ...whole)
      expect([structure(path), kept(path)]).toEqual(before)
      await open().close()
      const copy = `${path}.before-schema-${NEWEST}`
      expect([structure(copy), kept(copy)]).toEqual(before)
      expect(asking(copy, (db) => db.pragma('user_version', { simple: true }))).toBe(OLDEST_SCHEMA)
    },
  )

  it('leaves no part of a copy that could not be made', async () => {
    writeOldState(path, OLDEST_SCHEMA)
    // In the place of the copy, so that it cannot get its name.
    await mkdir(join(`${path}.before-schema-${NEWEST}`, 'in the way'), { recursive: true })
    expect(() => open()).toThrow()
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
    expect(asking(path, (db) => db.pragma('user_version', { simple: true }))).toBe(OLDEST_SCHEMA)
  })
})

it('a state from before the first release is refused, and left alone', () => {
  writeOldState(path, OLDEST_SCHEMA)
  asking(path, (db) => db.pragma(`user_version = ${OLDEST_SCHEMA - 1}`))
  const before = [structure(path), kept(path)]
  expect(() => open()).toThrow('from before the first release')
  expect([structure(path), kept(path)]).toEqual(before)
})

it('a state that was put back from its copy is the old one again, and refused once the new one has worked', async () => {
  writeOldState(path, OLDEST_SCHEMA)
  const before = kept(path)
  const state = open()
  await state.beginRun({ id: 'later', pipeline: 'shop', startedAt: 1, configHash: '' })
  const [code, error] = [undefined, undefined]
  await state.endRun('later', {
    ...{ endedAt: 2, status: 'ok', counts: noCounts(), error, code, drift: 0, files: 0, refused: 0 },
  })
  await state.close()
  await copyFile(`${path}.before-schema-${NEWEST}`, path)
  expect(kept(path)).toEqual(before)
  expect(() => open()).toThrow('is older than its mark')
})
