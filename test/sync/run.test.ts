// The run as a whole, over the real store, with source and service in memory.
import { describe, expect, it } from 'vitest'
import { SyncError } from '../../src/core/words/errors.ts'
import { HEADER, people, testLine } from '../support/line.ts'

const sum = (result: Record<string, unknown>): number =>
  ['created', 'updated', 'unchanged', 'skipped', 'rejected', 'failed', 'held', 'in_doubt'].reduce(
    (total, name) => total + Number(result[name]),
    0,
  )

describe('a run', () => {
  it('does nothing where nothing waits', async () => {
    const line = testLine()
    expect(await line.run()).toMatchObject({ status: 'ok', read: 0, requests: 0 })
  })

  it('creates 250 contacts with five calls, and none when the same file comes again', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(250))
    expect(await line.run()).toMatchObject({ status: 'ok', read: 250, created: 250, requests: 5 })
    expect(line.service.contacts.size).toBe(250)
    line.source.drop('a.csv', people(250))
    expect(await line.run()).toMatchObject({ status: 'ok', read: 250, unchanged: 250, requests: 0 })
    expect(line.source.archived).toEqual([
      { name: 'a.csv', folder: 'processed' },
      { name: 'a.csv', folder: 'processed' },
    ])
  })

  it('sends three PUTs with the changed fields alone for three changed rows', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(250))
    await line.run()
    const changed = people(250)
    for (const row of [10, 20, 30]) changed[row]![4] = '040 9'
    line.source.drop('b.csv', changed)
    const before = line.service.calls.length
    expect(await line.run()).toMatchObject({ status: 'ok', updated: 3, unchanged: 247, requests: 3 })
    expect(line.service.calls.slice(before).map(({ method, contacts }) => [method, contacts])).toEqual(
      [10, 20, 30].map(() => ['PUT', [{ phone: '040 9' }]]),
    )
  })

  it('plans exactly these, with from and to, and leaves the service alone', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(3))
    await line.run()
    const changed = people(3)
    changed[2]![4] = '040 9'
    line.source.drop('b.csv', changed)
    const writes = line.service.calls.length
    const { changes, totals } = await line.preview()
    expect(changes).toEqual([
      {
        action: 'update',
        key: 'K2',
        contact_id: 2,
        fields: { phone: { from: '030 2', to: '040 9' } },
        terms: { add: [], remove: [] },
        source: { file: 'b.csv', line: 3 },
      },
    ])
    expect(totals).toMatchObject({ read: 3, unchanged: 2, updated: 1, estimate: { requests: 1, seconds: 0 } })
    expect(line.service.calls).toHaveLength(writes)
  })

  it('looks at every record again when the mapping changes, and sends only what differs', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(5))
    await line.run()
    line.pipeline = {
      ...line.pipeline,
      hash: 'mapping-2',
      map: { ...line.pipeline.map, company: { value: 'Muster' } },
    }
    line.source.drop('a.csv', people(5))
    expect(await line.run()).toMatchObject({ updated: 5, unchanged: 0 })
    line.source.drop('a.csv', people(5))
    expect(await line.run()).toMatchObject({ updated: 0, unchanged: 5 })
  })

  it('keeps rejects with reason and line, and clears them when the mended record comes', async () => {
    const line = testLine()
    line.source.drop('a.csv', [[...HEADER], ['K1', 'not a mail', 'A', 'B', '']])
    expect(await line.run()).toMatchObject({ status: 'partial', read: 1, rejected: 1, requests: 0 })
    expect(line.source.rejects.get('a.csv')).toMatchObject([
      { line: 2, values: ['K1', 'not a mail', 'A', 'B', ''] },
    ])
    line.source.drop('a.csv', [[...HEADER], ['K1', 'not a mail', 'A', 'B', '']])
    await line.run()
    expect(await line.state.backlog('shop')).toMatchObject({ rejects: 1 })
    line.source.drop('a.csv', [[...HEADER], ['K1', 'a@example.com', 'A', 'B', '']])
    expect(await line.run()).toMatchObject({ status: 'ok', created: 1 })
    expect(await line.state.backlog('shop')).toMatchObject({ rejects: 0 })
  })

  it('counts every kind of record once', async () => {
    const line = testLine({ pipeline: { where: 'record["last"] != "weg"' } })
    line.source.drop('a.csv', [
      [...HEADER],
      ['K1', 'a@example.com', 'A', 'B', '1'],
      ['K2', 'b@example.com', 'A', 'weg', '1'],
      ['K1', 'c@example.com', 'A', 'B', '1'],
      ['', 'd@example.com', 'A', 'B', '1'],
      ['K5', 'e@example.com', 'A'],
      ['K6', '', 'A', 'B', '1'],
    ])
    const result = await line.run()
    expect(result).toMatchObject({ status: 'partial', read: 6, created: 1, skipped: 1, rejected: 4 })
    expect(sum({ ...result })).toBe(result.read)
    const reasons = line.source.rejects.get('a.csv')?.map(({ line: at, reason }) => [at, reason])
    expect(reasons).toEqual([
      [4, 'key: the record on line 2 has the same key'],
      [5, 'key: "no" is blank; where: \'record["no"] != ""\' skips such records'],
      [6, '3 values, 5 expected'],
      [7, expect.stringContaining('lacks ba_street, ba_city, ba_postal_code')],
    ])
  })

  it.each([
    ['in one batch', 0],
    ['batches apart', 300],
  ])('takes the last record of a key where that is asked for: %s', async (_, between) => {
    const line = testLine({ pipeline: { on_duplicate_key: 'last' } })
    const again = ['K1', 'person1@example.com', 'Neu', 'Nachname1', '030 1']
    line.source.drop('a.csv', [...people(1 + between), again])
    expect(await line.run()).toMatchObject({ created: 1 + between, skipped: 1, rejected: 0 })
    expect(line.service.contacts.size).toBe(1 + between)
    expect([...line.service.contacts.values()].map((contact) => contact['first_name'])).toContain('Neu')
    // The file again: the earlier record still counts as skipped, the later one is what was pushed.
    line.source.drop('a.csv', [...people(1 + between), again])
    expect(await line.run()).toMatchObject({ unchanged: 1 + between, skipped: 1, updated: 0 })
  })

  it('rejects the later of two records of a key even when both are known by their fingerprint', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(3))
    await line.run()
    const table = people(3)
    line.source.drop('a.csv', [...table, table[2]!])
    expect(await line.run()).toMatchObject({ status: 'partial', unchanged: 3, rejected: 1 })
    expect(line.source.rejects.get('a.csv')).toMatchObject([
      { line: 5, reason: 'key: the record on line 3 has the same key' },
    ])
  })

  it('finds settled records in any order', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(700))
    await line.run()
    const [header, ...rows] = people(700)
    line.source.drop('a.csv', [header!, ...rows.reverse()])
    expect(await line.run()).toMatchObject({ unchanged: 700, requests: 0 })
  })

  it('refuses a damaged file whole: nothing is sent, nothing stays staged', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(250), { failAfter: 200 })
    expect(await line.run()).toMatchObject({ status: 'partial', read: 0, requests: 0 })
    expect(line.source.archived).toEqual([
      { name: 'a.csv', folder: 'failed', reason: expect.stringContaining('line 3') as string },
    ])
    line.source.drop('b.csv', people(1))
    expect(await line.run()).toMatchObject({ status: 'ok', read: 1, created: 1 })
  })

  it('goes on when a file cannot be moved away, says so, and moves it next time without sending anything', async () => {
    const line = testLine()
    line.source.stuck = true
    line.source.drop('a.csv', people(1), { failAfter: 0 })
    line.source.drop('b.csv', people(3))
    const result = await line.run()
    expect(result).toMatchObject({ status: 'partial', read: 3, created: 3 })
    expect(result.files).toMatchObject([
      { file: 'a.csv', status: 'left', code: 'ARCHIVE_FAILED' },
      { file: 'b.csv', status: 'left', code: 'ARCHIVE_FAILED' },
    ])
    line.source.stuck = false
    expect(await line.run()).toMatchObject({ status: 'partial', read: 0, requests: 0 })
    expect(line.source.waiting()).toEqual([])
  })

  it('sends nothing more of a file that cannot be moved away: read again, it would set its older values anew', async () => {
    const line = testLine()
    const row = (first: string) => [[...HEADER], ['K1', 'a@example.com', first, 'B', '1'], ['K2']]
    line.source.drop('a.csv', row('Old'))
    line.source.drop('b.csv', row('New'))
    line.source.stuck = true
    expect(await line.run()).toMatchObject({
      status: 'partial',
      read: 4,
      created: 1,
      updated: 1,
      rejected: 2,
    })
    expect((await line.preview()).totals).toMatchObject({ read: 0 })
    line.source.drop('c.csv', row('Newest').slice(0, 2))
    const again = await line.run()
    expect(again).toMatchObject({ status: 'partial', read: 1, updated: 1 })
    expect(again.files).toMatchObject(
      ['a.csv', 'b.csv', 'c.csv'].map((file) => ({ file, status: 'left', code: 'ARCHIVE_FAILED' })),
    )
    // Another version of it is another file.
    line.source.drop('b.csv', row('Last').slice(0, 2))
    line.source.stuck = false
    expect(await line.run()).toMatchObject({ status: 'ok', read: 1, updated: 1 })
    expect([...line.service.contacts.values()]).toMatchObject([{ first_name: 'Last' }])
    expect(line.source.waiting()).toEqual([])
    expect(line.source.archived.map(({ name }) => name)).toEqual(['a.csv', 'c.csv', 'b.csv'])
    expect(await line.run()).toMatchObject({ status: 'ok', files: [] })
  })

  it('writes the rejects of a file that cannot be moved away once, as soon as that is possible', async () => {
    const line = testLine()
    line.source.stuck = true
    let [isFull, written] = [true, 0]
    const { writeRejects } = line.source
    line.source.writeRejects = async (...given) => {
      if (isFull) throw new SyncError('ARCHIVE_FAILED', 'no space left')
      written += 1
      return writeRejects(...given)
    }
    line.source.drop('a.csv', [[...HEADER], ['K1', 'nobody', 'A', 'B', '1']])
    for (const full of [true, false, false]) {
      isFull = full
      expect(await line.run()).toMatchObject({ files: [{ status: 'left', code: 'ARCHIVE_FAILED' }] })
    }
    line.source.stuck = false
    expect(await line.run()).toMatchObject({ files: [{ status: 'done' }] })
    expect(written).toBe(1)
  })

  it('holds an empty file of a full pipeline, and reports a missing folder', async () => {
    const line = testLine({ pipeline: { mode: 'full' } })
    line.source.drop('a.csv', [[...HEADER]])
    expect((await line.preview()).totals).toMatchObject({ status: 'held', read: 0 })
    expect(await line.run()).toMatchObject({ status: 'held', read: 0 })
    line.source.missing = true
    expect(await line.run()).toMatchObject({ status: 'partial', error: 'the folder is not there' })
  })
})

describe('clearing and merging', () => {
  it('ends the run where the key is refused while a field is cleared', async () => {
    const line = testLine({ pipeline: { blank: 'clear' } })
    line.source.drop('a.csv', people(6))
    await line.run()
    const before = line.service.calls.length
    line.service.fault = ({ method }) => (method === 'GET' ? { kind: 'denied', status: 401 } : undefined)
    line.source.drop('b.csv', [
      [...HEADER],
      ...people(6)
        .slice(1)
        .map((row) => [...row.slice(0, 4), '']),
    ])
    expect(await line.run()).toMatchObject({ status: 'failed', code: 'SERVICE_KEY_REFUSED' })
    expect(line.service.calls.length - before).toBeLessThan(12)
  })

  it('clears a field that the source blanks, and once only', async () => {
    const line = testLine({ pipeline: { blank: 'clear' } })
    line.source.drop('a.csv', [[...HEADER], ['K1', 'a@example.com', 'A', 'B', '1']])
    await line.run()
    const blank = [[...HEADER], ['K1', 'a@example.com', 'A', 'B', '']]
    line.source.drop('a.csv', blank)
    expect(await line.run()).toMatchObject({ updated: 1 })
    expect(line.service.contacts.get(1)).toMatchObject({ phone: '' })
    line.source.drop('a.csv', blank)
    expect(await line.run()).toMatchObject({ updated: 0, unchanged: 1 })
  })

  it.each([
    ['update', { phone: '2' }, { phone: '2', first_name: '' }],
    ['add', { first_name: 'Neu' }, { phone: 'foreign', first_name: 'Neu' }],
  ] as const)('lets merge method %s change only what it may', async (method, sent, after) => {
    const line = testLine({ pipeline: { duplicate_merge_method: method } })
    line.source.drop('a.csv', [[...HEADER], ['K1', 'a@example.com', 'A', 'B', '1']])
    await line.run()
    line.service.contacts.set(1, {
      mail: 'a@example.com',
      phone: 'foreign',
      first_name: '',
      family_name: 'B',
    })
    line.source.drop('a.csv', [[...HEADER], ['K1', 'a@example.com', 'Neu', 'B', '2']])
    await line.run()
    expect(line.service.writes().at(-1)?.contacts).toEqual([sent])
    expect(line.service.contacts.get(1)).toMatchObject(after)
  })
})

describe('records that share a mail', () => {
  it('under email all of them are held, each with the lines of the others', async () => {
    const line = testLine()
    line.source.drop('a.csv', [
      [...HEADER],
      ['K1', 'a@example.com', 'A', 'B', ''],
      ['K2', 'A@Example.com', 'C', 'B', ''],
    ])
    expect(await line.run()).toMatchObject({ status: 'held', created: 0, held: 2, requests: 0 })
    expect(await line.state.backlog('shop')).toMatchObject({ held: 2 })
    // Corrected at the source, both go.
    line.source.drop('b.csv', [
      [...HEADER],
      ['K1', 'a@example.com', 'A', 'B', ''],
      ['K2', 'c@example.com', 'C', 'B', ''],
    ])
    expect(await line.run()).toMatchObject({ status: 'ok', created: 2, held: 0 })
    expect(await line.state.backlog('shop')).toMatchObject({ held: 0, linked: 2 })
    // A third with the mail of a link: that one alone is held.
    line.source.drop('c.csv', [[...HEADER], ['K3', 'A@Example.com', 'X', 'Y', '']])
    expect(await line.run()).toMatchObject({ status: 'held', held: 1, requests: 0 })
  })

  it('under none they stay apart, in separate calls', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', [
      [...HEADER],
      ['K1', 'a@example.com', 'A', 'B', ''],
      ['K2', 'a@example.com', 'C', 'B', ''],
    ])
    expect(await line.run()).toMatchObject({ status: 'ok', created: 2, requests: 2 })
    expect(line.service.contacts.size).toBe(2)
  })

  it('a mail that one record gives up may be taken by another in the same file', async () => {
    const line = testLine()
    line.source.drop('a.csv', [[...HEADER], ['K1', 'a@example.com', 'A', 'B', '']])
    await line.run()
    line.source.drop('b.csv', [
      [...HEADER],
      ['K2', 'a@example.com', 'C', 'D', ''],
      ['K1', 'new@example.com', 'A', 'B', ''],
    ])
    expect(await line.run()).toMatchObject({ status: 'ok', created: 1, updated: 1 })
    expect(line.service.contacts.get(1)).toMatchObject({ mail: 'new@example.com', first_name: 'A' })
    expect(line.service.contacts.get(2)).toMatchObject({ mail: 'a@example.com', first_name: 'C' })
  })
})

describe('requests of a run', () => {
  it('are as many as may be under way, and one that is ready', async () => {
    const line = testLine({ settings: { bulk: { size: 1, container: 'array' } } })
    const underway = new Set<symbol>()
    let most = 0
    const session = line.service.session
    line.service.session = () => {
      const real = session()
      return {
        ...real,
        createContact: async (contact, options) => {
          const own = Symbol()
          underway.add(own)
          most = Math.max(most, underway.size)
          // Long enough for all others to get here.
          for (let turn = 0; turn < 200; turn += 1) await Promise.resolve()
          underway.delete(own)
          return real.createContact(contact, options)
        },
      }
    }
    line.source.drop('a.csv', people(20))
    expect(await line.run()).toMatchObject({ status: 'ok', created: 20 })
    expect(most).toBe(line.settings.rate_limit.concurrency + 1)
  })
})

describe('bulk calls that are too large', () => {
  const tooLarge = (most: number) => (call: { path: string; contacts: readonly unknown[] }) =>
    call.path === '/contacts' && call.contacts.length > most
      ? ({ kind: 'refused', status: 413 } as const)
      : undefined

  it.each(['email', 'none'] as const)('are halved once and stay small, under %s', async (check) => {
    const line = testLine({ pipeline: { duplicate_check_method: check } })
    line.service.fault = tooLarge(25)
    line.source.drop('a.csv', people(500))
    expect(await line.run()).toMatchObject({ status: 'ok', created: 500, rejected: 0 })
    const refused = line.service.calls.filter(({ contacts }) => contacts.length > 25)
    // Those that were under way together when the first was refused.
    expect(refused.length).toBeLessThanOrEqual(line.settings.rate_limit.concurrency)
    // None of them was carried out, so there is nothing to be looked up.
    expect(line.service.calls.filter(({ method }) => method === 'GET')).toEqual([])
    expect(line.log.filter(({ message }) => message.includes('bulk size reduced'))).toMatchObject([
      { fields: { contacts: 25 } },
    ])
  })

  it('are made smaller after a time-out, too', async () => {
    const line = testLine()
    line.service.fault = (call) =>
      call.path === '/contacts' && call.contacts.length > 30 ? { kind: 'unknown', applied: true } : undefined
    line.source.drop('a.csv', people(60))
    expect(await line.run()).toMatchObject({ status: 'ok', created: 60 })
    expect(line.service.contacts.size).toBe(60)
  })
})
