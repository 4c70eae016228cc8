// Every body that left stands in the sync log, contact by contact, field by field and term by term, as often as it left:
// over all kinds of changes, and over the ways by which they go (by id, in bulk, by an undo, after a rebuild).
import { expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HEADER, type Line, testLine } from '../support/line.ts'
import type { Call, MemoryService } from '../support/memory-service.ts'

const COLUMNS = [...HEADER, 'status', 'tags']
const row = (number: number, first: string, { phone = '1', status = '', tags = '' } = {}): string[] => [
  `K${number}`,
  `person${number}@example.com`,
  first,
  'B',
  phone,
  status,
  tags,
]

type Entries = Awaited<ReturnType<Line['state']['logPage']>>

const entriesOf = (line: Line): Promise<Entries> => line.state.logPage({}, { order: 'oldest', limit: 1000 })

/** What was sent about whom: a field with its value (a blank is a blank), a term with what was done to it, a delete. */
const said = (key: string, ...what: unknown[]): string => JSON.stringify([key, ...what])

function bodiesOf(call: Call, service: MemoryService, keys: ReadonlyMap<number, string>): string[] {
  const { method, id = 0, contacts, termIds } = call
  const whom = keys.get(id) ?? `contact ${id}`
  if (termIds !== undefined)
    return termIds.map((term) =>
      said(whom, method === 'DELETE' ? 'term taken' : 'term given', service.terms.get(term)?.name),
    )
  if (method === 'DELETE') return [said(whom, 'deleted')]
  return contacts.flatMap((contact) => {
    const key = call.id === undefined ? String(contact['mail']).replace(/^person(\d+)@.*$/, 'K$1') : whom
    // In bulk the mail only says who is meant, unless it makes the contact: then it is a value, too.
    return Object.entries(contact)
      .filter(([field]) => field !== 'mail')
      .map(([field, value]) => said(key, field, (value as unknown) ?? ''))
  })
}

/** In order, each as often as it left. */
function sent({ service }: Line, entries: Entries): string[] {
  const keys = new Map(
    entries.flatMap(({ key, contact_id: id }) => (id === null || key === null ? [] : [[id, key] as const])),
  )
  return service
    .writes()
    .flatMap((call) => bodiesOf(call, service, keys))
    .sort()
}

const logged = (entries: Entries): string[] =>
  entries
    .filter(({ request }) => request !== null)
    .flatMap(({ action, key, fields, terms, reason }) => {
      const whom = key ?? ''
      // A status that went with a create and was not seen to be taken is no value from and to: the reason has it.
      const [, status] = / (\d+) was sent with it/.exec(reason ?? '') ?? []
      return [
        ...(status === undefined ? [] : [said(whom, 'mail_status', Number(status))]),
        ...Object.entries(fields)
          .filter(([field]) => field !== 'mail' && action !== 'delete')
          .map(([field, { to }]) => said(whom, field, to)),
        ...terms.add.map((name) => said(whom, 'term given', name)),
        ...terms.remove.map((name) => said(whom, 'term taken', name)),
        ...(action === 'delete' ? [said(whom, 'deleted')] : []),
      ]
    })

/** What left more often than it stands in the log. */
function missing(bodies: readonly string[], log: readonly string[]): string[] {
  const left = [...log]
  return bodies.filter((body) => {
    const at = left.indexOf(body)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

async function expectWhole(line: Line): Promise<string[]> {
  const entries = await entriesOf(line)
  const bodies = sent(line, entries)
  expect(missing(bodies, logged(entries))).toEqual([])
  return bodies
}

const MAPPED = {
  mail: { column: 'mail' },
  first_name: { column: 'first' },
  phone: { column: 'phone' },
  mail_status: { column: 'status' },
}

const everything = (changes: Partial<PipelineSettings> = {}): Partial<PipelineSettings> => ({
  map: MAPPED,
  mode: 'full',
  on_missing: 'delete',
  blank: 'clear',
  guards: { ...testLine().pipeline.guards, max_deletes: { share: 1 } },
  terms: {
    policy: 'managed',
    create_missing: true,
    assign: [{ column: 'tags', split: ',' }],
    descriptions: {},
    verify: true,
  },
  ...changes,
})

const FIRST = [
  row(1, 'Ann', { tags: 'A,B' }),
  row(2, 'Bea', { status: '4' }),
  row(3, 'Cleo', { status: '2' }),
  row(4, 'Dora'),
  row(5, 'Edda', { status: '4' }),
  row(6, 'Fay'),
  row(7, 'Gil', { tags: 'A' }),
]
const SECOND = [
  row(1, 'Anna', { tags: 'B,C' }),
  // mail_status alone, down and up.
  row(2, 'Bea', { status: '2' }),
  row(3, 'Cleo', { status: '2' }),
  row(5, 'Edda', { status: '7', phone: '' }),
  row(6, 'Faye', { phone: '2' }),
  row(7, 'Gila', { tags: 'A', status: '7' }),
  row(8, 'Hedy', { tags: 'C' }),
]

async function drop(line: Line, table: readonly string[][]) {
  line.source.drop('export.csv', [COLUMNS, ...table])
  return line.run()
}

const WAYS = [
  ['email', 'id', false],
  ['email', 'id', true],
  ['email', 'bulk', false],
  ['email', 'bulk', true],
  ['none', 'id', false],
  ['none', 'id', true],
  ['auto', 'id', false],
] as const

it.each(WAYS)(
  'no body is missing from the log (check %s, updates by %s, mail_status ignored: %s)',
  async (duplicateCheckMethod, updateVia, isIgnored) => {
    const line = testLine({
      pipeline: everything({ duplicate_check_method: duplicateCheckMethod, update_via: updateVia }),
    })
    line.service.ignoresStatus = isIgnored
    await drop(line, FIRST)
    const before = line.service.writes().length
    await drop(line, SECOND)
    const inBulk = line.service
      .writes()
      .slice(before)
      .flatMap(({ path, contacts }) => (path === '/contacts' ? contacts : []))
      .filter(({ mail }) => mail !== 'person8@example.com')
    expect(inBulk.length > 1).toBe(updateVia === 'bulk')
    const bodies = await expectWhole(line)
    expect(bodies).toEqual(
      expect.arrayContaining([
        said('K4', 'deleted'),
        // Where the status is not taken, one record tries it: the first.
        said(isIgnored ? 'K3' : 'K2', 'mail_status', 2),
        said('K5', 'phone', ''),
        said('K6', 'first_name', 'Faye'),
      ]),
    )
  },
)

it.each(WAYS)(
  'nor of those of an undo, with what it deletes (check %s, updates by %s, mail_status ignored: %s)',
  async (duplicateCheckMethod, updateVia, isIgnored) => {
    const line = testLine({
      pipeline: everything({
        duplicate_check_method: duplicateCheckMethod,
        update_via: updateVia,
        on_missing: 'keep',
        mode: 'incremental',
      }),
    })
    line.service.ignoresStatus = isIgnored
    await drop(line, FIRST)
    await drop(line, SECOND)
    const before = (await entriesOf(line)).length
    const result = await line.undo('shop-run-2', { deleteCreated: true, addedTerms: true })
    expect(result.updated).toBeGreaterThan(2)
    const bodies = await expectWhole(line)
    expect(bodies).toEqual(
      expect.arrayContaining([
        said('K1', 'first_name', 'Ann'),
        said('K1', 'term given', 'A'),
        said('K1', 'term taken', 'C'),
        said('K8', 'deleted'),
      ]),
    )
    const entries = await entriesOf(line)
    expect(new Set(entries.slice(before).map(({ run_id: run }) => run))).toEqual(new Set(['shop-run-3']))
  },
)

it.each(WAYS)(
  'nor of what is sent after a rebuild (check %s, updates by %s, mail_status ignored: %s)',
  async (duplicateCheckMethod, updateVia, isIgnored) => {
    const pipeline = everything({ duplicate_check_method: duplicateCheckMethod, update_via: updateVia })
    const lost = testLine({ pipeline })
    await drop(lost, FIRST)
    const line = testLine({
      pipeline,
      service: lost.service,
      settings: { doubt: { quiesce: 1, absent_reads: 1 } },
    })
    line.service.ignoresStatus = isIgnored
    // What the lost state had sent stands in its own log.
    line.service.calls.length = 0
    line.source.drop('export.csv', [COLUMNS, ...SECOND])
    expect(await line.rebuild()).toMatchObject({ complete: true, absent: 1 })
    expect(line.service.writes()).toEqual([])
    await line.run()
    const bodies = await expectWhole(line)
    expect(bodies).toContain(said('K8', 'first_name', 'Hedy'))
    // Whom a changed record means is known by its mail alone where no two contacts share one.
    expect(bodies.includes(said('K6', 'first_name', 'Faye'))).toBe(duplicateCheckMethod === 'email')
  },
)

it('a change of mail_status alone stands there with from and to', async () => {
  const line = testLine({ pipeline: { map: MAPPED } })
  for (const status of ['4', '2']) {
    line.source.drop(`${status}.csv`, [COLUMNS, row(1, 'Ann', { status })])
    await line.run()
  }
  const entries = await line.state.logPage({}, { order: 'newest', limit: 1 })
  expect(entries).toMatchObject([
    { action: 'update', outcome: 'done', fields: { mail_status: { from: 4, to: 2 } } },
  ])
})
