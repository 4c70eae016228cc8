// Rebuilding a state: what is looked up, what is linked, what is left to a person, and that no contact is created twice.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GUARDS } from '../support/pipeline.ts'
import { HEADER, people, testLine } from '../support/line.ts'
import { memoryService, type MemoryService } from '../support/memory-service.ts'

const CHECKS = ['email', 'none', 'auto'] as const
type Check = (typeof CHECKS)[number]

/** A line with a new state over a service that has contacts already. */
const lost = (service: MemoryService, duplicateCheckMethod: Check) =>
  testLine({
    service,
    pipeline: { duplicate_check_method: duplicateCheckMethod },
    settings: { doubt: { quiesce: 1, absent_reads: 1 } },
  })

const idsByMail = (service: MemoryService): Record<string, number[]> => {
  const byMail: Record<string, number[]> = {}
  for (const [id, { mail }] of service.contacts) (byMail[String(mail)] ??= []).push(id)
  return byMail
}

const row = (key: string, number: number, phone = `030 ${number}`, mail = `person${number}@example.com`) => [
  key,
  mail,
  `Vorname${number}`,
  `Nachname${number}`,
  phone,
]

describe.each(CHECKS)('under check %s', (check) => {
  it('links what is there, makes what is not, sends what differs, and reads only', async () => {
    const service = memoryService()
    const before = lost(service, check)
    before.source.drop('a.csv', people(3))
    await before.run()
    const line = lost(service, check)
    line.source.drop('a.csv', people(5))
    const writes = service.writes().length
    expect(await line.rebuild()).toMatchObject({ status: 'ok', complete: true, read: 5, found: 3, absent: 2 })
    expect(service.writes()).toHaveLength(writes)
    expect(line.source.waiting()).toEqual(['a.csv'])
    expect(await line.run()).toMatchObject({ status: 'ok', created: 2, unchanged: 3, in_doubt: 0 })
    expect(service.contacts.size).toBe(5)
  })

  it('never takes a contact of another mail for the one that it looked for', async () => {
    const service = memoryService({ lastId: 100 })
    const stranger = { mail: 'person1_@example.com', first_name: 'Somebody', family_name: 'Else', phone: '9' }
    service.contacts.set(77, stranger)
    service.alsoFound = () => [77]
    const line = lost(service, check)
    line.source.drop('a.csv', people(1))
    expect(await line.rebuild()).toMatchObject({ status: 'ok', found: 0, absent: 1 })
    expect(await line.run()).toMatchObject({ status: 'ok', created: 1, updated: 0 })
    expect(service.contacts.get(77)).toEqual(stranger)
  })

  it('never makes a contact that may be there under other values', async () => {
    const service = memoryService()
    const before = lost(service, check)
    before.source.drop('a.csv', people(2))
    await before.run()
    const line = lost(service, check)
    line.source.drop('a.csv', [[...HEADER], row('K1', 1, '040 9'), row('K2', 2)])
    const rebuilt = await line.rebuild()
    const result = await line.run()
    expect(service.contacts.size).toBe(2)
    if (check === 'email') {
      expect(rebuilt).toMatchObject({ status: 'ok', found: 2 })
      expect(result).toMatchObject({ updated: 1, unchanged: 1 })
      expect(service.contacts.get(1)).toMatchObject({ phone: '040 9' })
    } else {
      expect(rebuilt).toMatchObject({ status: 'partial', found: 1, in_doubt: 1, complete: true })
      expect(result).toMatchObject({ status: 'partial', in_doubt: 1, unchanged: 1 })
      // Run after run, whatever the look-ups of ordinary doubts would say.
      line.source.drop('b.csv', [[...HEADER], row('K1', 1, '040 9')])
      expect(await line.run()).toMatchObject({ status: 'partial', created: 0 })
      expect(await line.rebuild()).toMatchObject({ complete: false })
      expect(service.contacts.size).toBe(2)
    }
  })
})

describe('creates that the state still has open', () => {
  // A backup from the midst of a run: what it takes for unsent may have been sent since.
  async function withOpenCreate(kind: 'denied' | 'unknown') {
    const line = lost(memoryService(), 'none')
    line.service.fault = ({ method }) => (method === 'GET' ? { kind: 'unknown' } : { kind, status: 403 })
    line.source.drop('a.csv', people(1))
    await line.run()
    line.service.fault = () => undefined
    line.source.drop('b.csv', [[...HEADER], row('K2', 2)])
    return line
  }

  it.each(['denied', 'unknown'] as const)(
    '(%s) are looked up, and not sent where they may have arrived',
    async (kind) => {
      const line = await withOpenCreate(kind)
      line.service.contacts.set(900, { mail: 'person1@example.com', phone: 'changed since' })
      expect(await line.rebuild()).toMatchObject({ status: 'partial', in_doubt: 1, absent: 1 })
      expect(await line.run()).toMatchObject({ created: 1 })
      expect(idsByMail(line.service)).toMatchObject({ 'person1@example.com': [900] })
      expect(await line.state.openDoubts('shop')).toMatchObject([{ key: 'K1', guard: 'rebuild' }])
    },
  )

  it.each(['denied', 'unknown'] as const)(
    '(%s) are linked where they have arrived, and go on',
    async (kind) => {
      const line = await withOpenCreate(kind)
      const [, [, , first, last, phone] = []] = people(1)
      line.service.contacts.set(900, {
        mail: 'person1@example.com',
        first_name: first,
        family_name: last,
        phone,
      })
      expect(await line.rebuild()).toMatchObject({ status: 'ok', found: 1, absent: 1 })
      expect(await line.run()).toMatchObject({ status: 'ok', created: 1, in_doubt: 0 })
      expect(await line.state.openDoubts('shop')).toEqual([])
      line.source.drop('c.csv', [[...HEADER], row('K1', 1, '040 1')])
      expect(await line.run()).toMatchObject({ updated: 1 })
      expect(line.service.contacts.get(900)).toMatchObject({ phone: '040 1' })
    },
  )

  it.each(['denied', 'unknown'] as const)(
    '(%s) are sent by the next run where they have not',
    async (kind) => {
      const line = await withOpenCreate(kind)
      expect(await line.rebuild()).toMatchObject({ status: 'ok', absent: 2 })
      await line.run()
      expect(idsByMail(line.service)).toMatchObject({ 'person1@example.com': [expect.any(Number)] })
      expect(line.service.contacts.size).toBe(2)
    },
  )
})

describe('a record that the files give another address than a create that is still open', () => {
  const file = (...rows: readonly (readonly string[])[]) => [[...HEADER], ...rows]
  const OTHER = 'b@example.com'

  async function withOpenCreateOfFormer(check: Check) {
    const line = lost(memoryService(), check)
    line.service.fault = ({ method }) => (method === 'GET' ? undefined : { kind: 'denied', status: 403 })
    line.source.drop('a.csv', people(1))
    await line.run()
    line.service.fault = () => undefined
    return line
  }

  it.each(CHECKS)('is not linked to the contact that has its former address now (%s)', async (check) => {
    const line = await withOpenCreateOfFormer(check)
    const [, , first, last, phone] = row('K1', 1)
    line.service.contacts.set(900, { mail: OTHER, first_name: first, family_name: last, phone })
    const other = { first_name: 'Vorname2', family_name: 'Nachname2', phone: '030 2' }
    line.service.contacts.set(901, { mail: 'person1@example.com', ...other })
    const before = new Map(line.service.contacts)
    line.source.drop('b.csv', file(row('K1', 1, phone, OTHER), row('K2', 2, '030 2', 'person1@example.com')))
    expect(await line.rebuild()).toMatchObject({ status: 'ok', complete: true, read: 3, known: 1, found: 2 })
    expect(await line.run()).toMatchObject({ status: 'ok', created: 0 })
    expect(line.service.contacts).toEqual(before)
  })

  it.each(CHECKS)(
    'is found by its former address where it shows what that create gives (%s)',
    async (check) => {
      const line = await withOpenCreateOfFormer(check)
      const [, mail, first, last, phone] = row('K1', 1)
      line.service.contacts.set(900, { mail, first_name: first, family_name: last, phone })
      // In place of the file of that create.
      line.source.drop('a.csv', file(row('K1', 1, phone, OTHER)))
      expect(await line.rebuild()).toMatchObject({ status: 'ok', complete: true, read: 1, found: 1 })
      expect(await line.run()).toMatchObject({ status: 'ok', created: 0 })
      expect(idsByMail(line.service)).toEqual({ [OTHER]: [900] })
    },
  )

  it.each(CHECKS)('is left to a person where another contact has its former address (%s)', async (check) => {
    const line = await withOpenCreateOfFormer(check)
    line.service.contacts.set(900, { mail: 'person1@example.com', first_name: 'Somebody', phone: '9' })
    line.source.drop('a.csv', file(row('K1', 1, '030 1', OTHER)))
    expect(await line.rebuild()).toMatchObject({ status: 'partial', complete: true, in_doubt: 1 })
    expect(await line.run()).toMatchObject({ status: 'partial', created: 0, updated: 0 })
    expect(line.service.contacts.get(900)).toMatchObject({ first_name: 'Somebody', phone: '9' })
  })
})

it('a held create that may have been released and sent is left to a person', async () => {
  const line = testLine({
    pipeline: { duplicate_check_method: 'none', guards: { ...GUARDS, max_changes: { count: 0 } } },
    settings: { doubt: { quiesce: 1, absent_reads: 1 } },
  })
  line.source.drop('a.csv', people(2))
  const { run_id: run } = await line.run()
  await line.state.release(run, line.clock.now())
  const { service } = line
  service.contacts.set(900, { mail: 'person1@example.com', phone: 'changed since' })
  line.source.drop('b.csv', people(2))
  expect(await line.rebuild()).toMatchObject({ status: 'partial', read: 2, in_doubt: 1, absent: 1 })
  await line.run()
  expect(idsByMail(service)).toMatchObject({ 'person1@example.com': [900] })
  expect(await line.state.openDoubts('shop')).toMatchObject([{ key: 'K1', guard: 'rebuild' }])
})

describe('what has no answer', () => {
  it('is not settled: the rebuild is not complete, and goes on when it is called again', async () => {
    const service = memoryService()
    const before = lost(service, 'none')
    before.source.drop('a.csv', people(6))
    await before.run()
    const line = lost(service, 'none')
    line.source.drop('a.csv', people(6))
    let reads = 0
    service.fault = () => ((reads += 1) === 3 ? { kind: 'unknown', status: 502 } : undefined)
    expect(await line.rebuild()).toMatchObject({
      status: 'partial',
      complete: false,
      found: 5,
      unanswered: 1,
    })
    service.fault = () => undefined
    expect(await line.rebuild()).toMatchObject({ status: 'ok', complete: true, known: 5, found: 1 })
  })

  it('ends the rebuild where the key is refused', async () => {
    const service = memoryService()
    service.fault = () => ({ kind: 'denied', status: 401 })
    const line = lost(service, 'none')
    line.source.drop('a.csv', people(60))
    expect(await line.rebuild()).toMatchObject({
      status: 'failed',
      complete: false,
      code: 'SERVICE_KEY_REFUSED',
    })
    expect(service.calls.length).toBeLessThanOrEqual(4)
  })

  it('is a mail that cannot stand in a path: a person decides', async () => {
    const service = memoryService()
    const line = lost(service, 'none')
    service.fault = () => ({ kind: 'refused', status: 400 })
    line.source.drop('a.csv', people(1))
    expect(await line.rebuild()).toMatchObject({ status: 'partial', complete: true, in_doubt: 1 })
  })

  it('is a file that cannot be read, or none at all', async () => {
    const line = lost(memoryService(), 'email')
    expect(await line.rebuild()).toMatchObject({ status: 'partial', complete: false })
    line.source.drop('a.csv', [
      ['no', 'mail'],
      ['K1', 'a@example.com'],
    ])
    expect(await line.rebuild()).toMatchObject({
      status: 'partial',
      complete: false,
      files: [{ code: 'INPUT_COLUMN_MISSING' }],
    })
  })
})

it('rejected, skipped and repeated records are left to the next run', async () => {
  const service = memoryService()
  const line = lost(service, 'email')
  line.source.drop('a.csv', [
    [...HEADER],
    row('K1', 1),
    row('K1', 2),
    row('K3', 3, '', 'no mail at all'),
    ['K4'],
  ])
  expect(await line.rebuild()).toMatchObject({ read: 4, absent: 1, unmapped: 3, status: 'ok' })
  expect(await line.run()).toMatchObject({ created: 1, rejected: 3 })
})

it('a mail that two records share: one has the contact, the other is held by the next run', async () => {
  const service = memoryService()
  service.contacts.set(900, {
    mail: 'person1@example.com',
    first_name: 'Vorname1',
    family_name: 'Nachname1',
    phone: '030 1',
  })
  const line = lost(service, 'email')
  line.source.drop('a.csv', [[...HEADER], row('K1', 1), row('K2', 1)])
  expect(await line.rebuild()).toMatchObject({ found: 1, shared: 1 })
  expect(await line.run()).toMatchObject({ unchanged: 1, held: 1, created: 0 })
  expect(service.contacts.size).toBe(1)
})

it('whatever was lost, and whatever changed meanwhile, nobody is at the service twice', async () => {
  const edit = fc.record({ who: fc.integer({ min: 1, max: 8 }), phone: fc.integer({ min: 1, max: 3 }) })
  const life = fc.record({
    check: fc.constantFrom(...CHECKS),
    first: fc.integer({ min: 0, max: 8 }),
    edits: fc.array(edit, { maxLength: 4 }),
    foreign: fc.array(edit, { maxLength: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(life, async ({ check, first, edits, foreign }) => {
      const service = memoryService()
      const before = lost(service, check)
      before.source.drop('a.csv', people(first))
      await before.run()
      for (const { who, phone } of foreign) {
        const contact = service.contacts.get(who)
        if (contact !== undefined) service.contacts.set(who, { ...contact, phone: `foreign ${phone}` })
      }
      const now = people(8)
      for (const { who, phone } of edits) now[who] = row(`K${who}`, who, `edited ${phone}`)
      const line = lost(service, check)
      line.source.drop('b.csv', now)
      const rebuilt = await line.rebuild()
      expect(rebuilt.found + rebuilt.absent + rebuilt.in_doubt).toBe(8)
      const result = await line.run()
      expect(result.in_doubt).toBe(rebuilt.in_doubt)
      expect(Object.values(idsByMail(service)).filter((ids) => ids.length > 1)).toEqual([])
      expect(service.contacts.size).toBe(8)
      line.source.drop('b.csv', now)
      const writes = service.writes().length
      await line.run()
      expect(service.writes()).toHaveLength(writes)
    }),
    { numRuns: 60 },
  )
})

describe('dates whose order the files prove', () => {
  const AUTO = {
    duplicate_check_method: 'none',
    map: { mail: { column: 'mail' }, date_of_birth: { column: 'born', date: ['auto'] } },
  } as const
  const born = (...dates: readonly string[]) => [
    ['no', 'mail', 'born'],
    ...dates.map((date, index) => [`K${index}`, `p${index}@example.com`, date]),
  ]

  it.each([
    ['in the same file', ['a.csv']],
    ['in an older one', ['a.csv', 'b.csv']],
  ])('are read as a run reads them, with the proof %s: no contact is created twice', async (_, files) => {
    const proof = born('03.04.1980', '31.12.1980')
    const export2 = files.length === 1 ? proof : born('03.04.1980', '05.06.1980')
    const before = testLine({ pipeline: AUTO })
    before.source.drop('a.csv', proof)
    await before.run()
    before.source.drop('b.csv', export2)
    await before.run()
    const line = testLine({ service: before.service, pipeline: AUTO })
    for (const file of files) line.source.drop(file, file === 'a.csv' ? proof : export2)
    expect(await line.rebuild()).toMatchObject({ complete: true, found: 2 })
    expect(await line.run()).toMatchObject({ created: 0, rejected: 0 })
    expect(line.service.contacts.size).toBe(2)
  })

  it('are refused where a file contradicts an older one', async () => {
    const line = testLine({ pipeline: AUTO })
    line.source.drop('a.csv', born('31.12.1980'))
    line.source.drop('b.csv', born('12.31.1980'))
    const files = [
      { file: 'b.csv', code: 'INPUT_DATE_ORDER' },
      { file: 'a.csv', status: 'done' },
    ]
    expect(await line.rebuild()).toMatchObject({ complete: false, files })
  })
})
