// The state database: what is asserted of it at every opening, and what makes it refuse.
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AUDIT_START, auditHash } from '../../src/core/log/audit-chain.ts'
import { openDatabase } from '../../src/store/file/database.ts'
import { openState, openStateForReading } from '../../src/store/state-store.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'state-'))
  path = join(folder, 'deep', 'state.db')
})
afterEach(async () => rm(folder, { recursive: true }))

const owner = { pid: 1, since: 0, thorough: true }

describe('opening', () => {
  it('makes the folder, and sets and asserts full durability every time', async () => {
    for (let round = 0; round < 2; round += 1) {
      const db = openDatabase(path, { thorough: true })
      expect(db.pragma('synchronous', { simple: true })).toBe(2)
      expect(db.pragma('journal_mode', { simple: true })).toBe('wal')
      expect(db.pragma('secure_delete', { simple: true })).toBe(1)
      db.close()
    }
    await openState(path, owner).close()
  })

  it.each<[string, (db: Database.Database) => void, string]>([
    ['of another program', (db) => db.pragma('application_id = 7'), 'another program'],
    ['of a newer version', (db) => db.pragma('user_version = 999'), 'newer contact-sync'],
  ])('refuses a database %s and changes nothing', (_, spoil, message) => {
    openDatabase(path, { thorough: true }).close()
    const db = new Database(path)
    spoil(db)
    db.close()
    expect(() => openState(path, owner)).toThrow(message)
    expect(() => openStateForReading(path)).toThrow(message)
  })

  it('refuses a file that is no database, and never starts afresh over it', async () => {
    path = join(folder, 'state.db')
    await writeFile(path, 'not a database, but long enough to be looked at as one, many bytes of it')
    expect(() => openState(path, owner)).toThrow('is damaged (SQLITE_NOTADB')
    await writeFile(path, Buffer.concat([Buffer.from('SQLite format 3\u0000'), Buffer.alloc(4096, 0xff)]))
    expect(() => openState(path, owner)).toThrow('is damaged (SQLITE_NOTADB')
  })

  it('refuses a second owner, and reads beside the first', async () => {
    const first = openState(path, { pid: 4711, since: Date.UTC(2026, 0, 1), thorough: false })
    expect(() => openState(path, owner)).toThrow('(process 4711, since 2026-01-01T00:00:00.000Z)')
    const reader = openStateForReading(path)
    expect(await reader?.lastRun('shop')).toBeUndefined()
    await reader?.close()
    await first.close()
    await openState(path, owner).close()
  })

  it('makes the state for its owner alone, and takes it back from everybody else', async () => {
    const modes = async () => {
      const state = openState(path, owner)
      const names = ['', '-wal', '-shm']
      const found = await Promise.all(names.map(async (name) => (await stat(`${path}${name}`)).mode & 0o777))
      await state.close()
      return found
    }
    expect(await modes()).toEqual([0o600, 0o600, 0o600])
    await chmod(path, 0o664)
    expect(await modes()).toEqual([0o660, 0o660, 0o660])
  })

  it('has nothing to read where there is no state', () => {
    expect(openStateForReading(join(folder, 'nowhere.db'))).toBeUndefined()
  })
})

it('the sync log is chained, complete, and cannot be changed', async () => {
  path = join(folder, 'state.db')
  const state = openState(path, owner)
  const line = testLine({ state })
  line.source.drop('a.csv', people(3))
  await line.run()
  const changed = people(3)
  changed[1]![4] = '040 1'
  line.source.drop('b.csv', changed)
  await line.run()
  const entries = await state.logPage({}, { order: 'oldest', limit: 10 })
  await state.close()
  const db = new Database(path)
  const rows = db
    .prepare<[], { entry: string; prev: string; hash: string }>(
      'SELECT entry, prev, hash FROM audit ORDER BY seq',
    )
    .all()
  expect(rows).toHaveLength(4)
  let prev = AUDIT_START
  for (const row of rows) {
    expect(row.prev).toBe(prev)
    expect(row.hash).toBe(auditHash(prev, row.entry))
    prev = row.hash
  }
  expect(entries[3]).toMatchObject({
    run_id: 'shop-run-2',
    key: 'K1',
    action: 'update',
    fields: { phone: { from: '030 1', to: '040 1' } },
    request: { method: 'PUT', path: '/contact/<contact_id>', status: 200, attempts: 1 },
    outcome: 'done',
    source: { file: 'b.csv', line: 2, sha256: 'abc' },
  })
  expect(() => db.exec("UPDATE audit SET entry = ''")).toThrow('append-only')
  expect(() => db.exec('DELETE FROM audit')).toThrow('append-only')
  db.close()
})

describe('the write-ahead log', () => {
  const walBytes = async (): Promise<number> => (await stat(`${path}-wal`)).size

  it('is empty at the end of each run, while the state stays open', async () => {
    const state = openState(path, owner)
    const line = testLine({ state })
    line.source.drop('a.csv', people(50))
    await line.run()
    expect(await walBytes()).toBe(0)
    await state.close()
  })

  it('waits for a reader without holding up the run, and is emptied by the next one', async () => {
    const state = openState(path, owner)
    const line = testLine({ state })
    line.source.drop('a.csv', people(5))
    await line.run()
    const reader = new Database(path)
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM link').get()
    line.source.drop('b.csv', people(5, 6))
    const started = performance.now()
    await line.run()
    // Less than the time for which a writer waits.
    expect(performance.now() - started).toBeLessThan(4000)
    expect(await walBytes()).toBeGreaterThan(0)
    reader.close()
    line.source.drop('c.csv', people(5, 11))
    await line.run()
    expect(await walBytes()).toBe(0)
    await state.close()
  })
})

describe('the sync log names what was on its way when the process died', () => {
  const TERMS = { create_missing: true, descriptions: {}, verify: true } as const

  async function entries(): Promise<unknown[]> {
    const state = openStateForReading(path)
    const found = await state?.logPage({}, { order: 'oldest', limit: 100 })
    await state?.close()
    return [...(found ?? [])]
  }

  /** The call is carried out, and its answer never arrives. */
  function killAfter(line: Line, call: 'addContactTerms' | 'removeContactTerms'): void {
    const session = line.service.session
    line.service.session = () => {
      const real = session()
      line.service.session = session
      return {
        ...real,
        async [call](id: number, ids: readonly number[]) {
          await real[call](id, ids)
          throw new Error('killed')
        },
      }
    }
  }

  it('even if nothing is left to do about it', async () => {
    const state = openState(path, owner)
    const terms = { ...TERMS, policy: 'managed', assign: [{ name: 'Customer' }] } as const
    const line = testLine({ state, pipeline: { terms } })
    line.source.drop('a.csv', people(1))
    killAfter(line, 'addContactTerms')
    await expect(line.run()).rejects.toThrow('killed')
    await line.run()
    await state.close()
    expect(await entries()).toContainEqual(
      expect.objectContaining({
        run_id: 'shop-run-1',
        action: 'terms',
        terms: { add: ['Customer'], remove: [] },
        outcome: 'failed',
        config_hash: 'mapping-1',
      }),
    )
  })

  it.each(['killed', 'unanswered'])('also of what `replace` takes away from others: %s', async (how) => {
    const state = openState(path, owner)
    const terms = { ...TERMS, policy: 'replace', assign: [{ column: 'tags', split: ',' }] } as const
    const line = testLine({ state, pipeline: { terms } })
    line.service.contacts.set(1, { mail: 'person1@example.com' })
    line.service.giveTerm(1, 'By hand')
    line.source.drop('a.csv', [
      [...HEADER, 'tags'],
      ['K1', 'person1@example.com', 'A', 'B', '1', ''],
    ])
    if (how === 'killed') {
      killAfter(line, 'removeContactTerms')
      await expect(line.run()).rejects.toThrow('killed')
    } else {
      line.service.fault = ({ method }) =>
        method === 'DELETE' ? { kind: 'unknown', applied: true } : undefined
      await line.run()
    }
    line.service.fault = () => undefined
    await line.run()
    await state.close()
    expect(line.service.termsOf(1)).toEqual([])
    expect(await entries()).toContainEqual(
      expect.objectContaining({
        action: 'terms',
        terms: { add: [], remove: ['By hand'] },
        outcome: 'failed',
      }),
    )
  })
})
