// A state that an earlier version wrote, taken over by this one with everything that was open in it.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { APPLICATION_ID, MIGRATIONS } from '../../src/store/schema.ts'
import { openState } from '../../src/store/state-store.ts'
import { HEADER, testLine } from '../support/line.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'migrations-'))
})
afterEach(async () => rm(folder, { recursive: true }))

const contact = (number: number) =>
  JSON.stringify({ mail: `person${number}@example.com`, first_name: 'A', family_name: 'B', phone: '1' })

/** As version 1 leaves it: one contact linked, one create in doubt, one update that failed. */
function writeFirstVersion(path: string): void {
  const db = new Database(path)
  db.pragma('journal_mode = WAL')
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.exec(MIGRATIONS[0] ?? '')
  db.pragma('user_version = 1')
  db.exec(`INSERT INTO input VALUES (1, 'old-run', 'shop', 'old.csv', 'v', 1, '[]', NULL, 'processed')`)
  db.prepare(`INSERT INTO link VALUES (1, 'shop', 'K1', 1, 'person1@example.com', ?, 0)`).run(contact(1))
  const operation = db.prepare(`
    INSERT INTO operation (input_id, run_id, pipeline, key, line, file, kind, link_id, contact_id, mail_key, fields, desired,
                           record, fingerprint, state, rank)
    VALUES (1, 'old-run', 'shop', ?, 2, 'old.csv', ?, ?, ?, ?, ?, ?, '[[]]', 'f', ?, ?)`)
  operation.run('K2', 'create', null, null, 'person2@example.com', contact(2), contact(2), 'in_doubt', 1)
  const changed = JSON.stringify({ ...(JSON.parse(contact(1)) as object), phone: '2' })
  operation.run('K1', 'update', 1, 1, null, '{"phone":"2"}', changed, 'failed', 0)
  db.close()
}

it('settles what version 1 left open, and goes on with its links', async () => {
  const path = join(folder, 'state.db')
  writeFirstVersion(path)
  const state = openState(path, { pid: 1, since: 0, thorough: true })
  const assign = [{ name: 'Customer' }]
  const terms = { policy: 'managed', createMissing: true, assign, descriptions: {}, verify: true } as const
  const line = testLine({ state, pipeline: { terms } })
  line.service.contacts.set(1, { mail: 'person1@example.com', phone: '1' })
  line.service.contacts.set(2, JSON.parse(contact(2)) as Record<string, unknown>)
  const record = (number: number, phone: string) => [
    `K${number}`,
    `person${number}@example.com`,
    'A',
    'B',
    phone,
  ]
  line.source.drop('a.csv', [[...HEADER], record(1, '2'), record(2, '1')])
  expect(await line.run()).toMatchObject({ status: 'ok', created: 0, in_doubt: 0, failed: 0 })
  expect(line.service.contacts.size).toBe(2)
  expect(line.service.contacts.get(1)).toMatchObject({ phone: '2' })
  expect([line.service.termsOf(1), line.service.termsOf(2)]).toEqual([['Customer'], ['Customer']])
  line.source.drop('a.csv', [[...HEADER], record(1, '2'), record(2, '1')])
  expect(await line.run()).toMatchObject({ status: 'ok', unchanged: 2, requests: 0 })
  await state.close()
})

/** What a database is made of, and what is in it, whatever the order. */
function contents(path: string): unknown {
  const db = new Database(path)
  const schema = db.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all()
  const links = db.prepare('SELECT pipeline, key, contact_id, known FROM link').all()
  const operations = db.prepare('SELECT id, key, kind, state, fields FROM operation ORDER BY id').all()
  const found = [db.pragma('user_version', { simple: true }), schema, links, operations]
  db.close()
  return found
}

it('keeps a copy of the state as it was, for its owner only', async () => {
  const path = join(folder, 'state.db')
  writeFirstVersion(path)
  const before = contents(path)
  await openState(path, { pid: 1, since: 0, thorough: true }).close()
  const copy = `${path}.before-schema-${MIGRATIONS.length}`
  expect(contents(copy)).toEqual(before)
  expect((await stat(copy)).mode & 0o777).toBe(0o600)
  await openState(path, { pid: 1, since: 0, thorough: true }).close()
  expect((await readdir(folder)).filter((name) => name.includes('before'))).toHaveLength(1)
})

/** The statements of a migration one by one; a trigger's own semicolons end none. */
function statementsOf(migration: string): string[] {
  const statements: string[] = []
  let open = ''
  for (const piece of migration.split(/(?<=;)/)) {
    open += piece
    if (/BEGIN\b/.test(open) && !/END;\s*$/.test(open)) continue
    if (open.trim() !== '') statements.push(open)
    open = ''
  }
  return statements
}

describe('a migration that fails', () => {
  const migrations = MIGRATIONS as string[]
  const whole = [...MIGRATIONS]
  afterEach(() => migrations.splice(0, migrations.length, ...whole))

  const places = whole
    .slice(1)
    .flatMap((migration, index) =>
      statementsOf(migration).map((_, statement) => ({ schema: index + 2, statement: statement + 1 })),
    )

  it('is asked about at every statement', () => expect(places.length).toBeGreaterThan(25))

  it.each(places)(
    'at statement $statement of schema $schema leaves an old schema, and goes on',
    async (place) => {
      const path = join(folder, 'state.db')
      writeFirstVersion(path)
      const upTo = statementsOf(whole[place.schema - 1] ?? '').slice(0, place.statement)
      migrations[place.schema - 1] = `${upTo.join('')} SELECT a_fault_of_this_statement();`
      expect(() => openState(path, { pid: 1, since: 0, thorough: true })).toThrow('a_fault_of_this_statement')
      migrations.splice(0, migrations.length, ...whole)
      const db = new Database(path)
      expect(db.pragma('user_version', { simple: true })).toBe(place.schema - 1)
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
      db.close()
      await openState(path, { pid: 1, since: 0, thorough: true }).close()
      const after = contents(path)
      // As it would be had nothing happened.
      const other = join(folder, 'other.db')
      writeFirstVersion(other)
      await openState(other, { pid: 1, since: 0, thorough: true }).close()
      expect(after).toEqual(contents(other))
    },
  )
})
