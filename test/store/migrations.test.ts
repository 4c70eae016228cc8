// A state that an earlier version wrote, taken over by this one with everything that was open in it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
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
