// Every body that left stands in the sync log, field by field and term by term, over all kinds of changes.
import { expect, it } from 'vitest'
import { HEADER, type Line, testLine } from '../support/line.ts'

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

/** What left about contacts: each field with its value (a blank is a blank), each term with what was done to it. */
function sent(line: Line): string[] {
  const bodies = line.service
    .writes()
    .flatMap(({ method, contacts, termIds = [] }) => [
      ...contacts.flatMap((contact) =>
        Object.entries(contact).map(([field, value]) => JSON.stringify([field, (value as unknown) ?? ''])),
      ),
      ...termIds.map((id) =>
        JSON.stringify([method === 'DELETE' ? 'term taken' : 'term given', line.service.terms.get(id)?.name]),
      ),
    ])
  const deletes = line.service
    .writes()
    .filter(({ method, termIds }) => method === 'DELETE' && termIds === undefined)
  return [...bodies, ...deletes.map(({ id }) => JSON.stringify(['deleted', id]))]
}

async function logged(line: Line): Promise<string[]> {
  const entries = await line.state.logPage({}, { order: 'oldest', limit: 1000 })
  return entries
    .filter(({ request }) => request !== null)
    .flatMap(({ action, contact_id: id, fields, terms }) => [
      ...Object.entries(fields).map(([field, { to }]) => JSON.stringify([field, to])),
      ...terms.add.map((name) => JSON.stringify(['term given', name])),
      ...terms.remove.map((name) => JSON.stringify(['term taken', name])),
      ...(action === 'delete' ? [JSON.stringify(['deleted', id])] : []),
    ])
}

const MAPPED = {
  mail: { column: 'mail' },
  first_name: { column: 'first' },
  phone: { column: 'phone' },
  mail_status: { column: 'status' },
}

it.each([
  ['email', false],
  ['email', true],
  ['none', false],
  ['none', true],
] as const)(
  'no body is missing from the log (check %s, mail_status ignored: %s)',
  async (check, isIgnored) => {
    const line = testLine({
      pipeline: {
        map: MAPPED,
        mode: 'full',
        onMissing: 'delete',
        blank: 'clear',
        duplicateCheckMethod: check,
        guards: { ...testLine().pipeline.guards, maxDeletes: { share: 1 } },
        terms: {
          policy: 'managed',
          createMissing: true,
          assign: [{ column: 'tags', split: ',' }],
          descriptions: {},
          verify: true,
        },
      },
    })
    line.service.ignoresStatus = isIgnored
    const first = [
      row(1, 'Ann', { tags: 'A,B' }),
      row(2, 'Bea', { status: '4' }),
      row(3, 'Cleo', { status: '2' }),
      row(4, 'Dora'),
      row(5, 'Edda', { status: '4' }),
    ]
    const second = [
      row(1, 'Anna', { tags: 'B,C' }),
      // mail_status alone, down and up.
      row(2, 'Bea', { status: '2' }),
      row(3, 'Cleo', { status: '2' }),
      row(5, 'Edda', { status: '7', phone: '' }),
    ]
    for (const table of [first, second]) {
      line.source.drop(`${table.length}.csv`, [COLUMNS, ...table])
      await line.run()
    }
    const bodies = sent(line)
    expect(bodies.some((body) => body.startsWith('["deleted"'))).toBe(true)
    expect(bodies).toContain('["mail_status",2]')
    expect(bodies).toContain('["phone",""]')
    const log = await logged(line)
    expect(bodies.filter((body) => !log.includes(body))).toEqual([])
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
