// Addresses of the suppression list in runs: never created, given terms or raised, at planning and just before sending;
// a mail_status of 1 or 2, removed terms and deletes still go.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Suppressed } from '../../../src/core/change/consents/suppression.ts'
import { SyncError } from '../../../src/core/words/errors.ts'
import type { StateStore } from '../../../src/core/state-store.ts'
import { HEADER, type Line, testLine } from '../../support/line.ts'
import { realState } from '../../support/state/temporary-state.ts'

const COLUMNS = [...HEADER, 'status', 'tags']
const row = (number: number, status = '', tags = ''): string[] => [
  `K${number}`,
  `person${number}@example.com`,
  'Ann',
  `Family${number}`,
  '1',
  status,
  tags,
]

function suppressing(line: Line) {
  const mails = new Set<string>()
  let edition = 1
  // How often the list is asked before what `later` says is in it.
  let later: { after: number; mail: string } | undefined
  line.suppression = {
    now(): Promise<Suppressed> {
      if (later !== undefined && (later.after -= 1) < 0) {
        mails.add(later.mail)
        later = undefined
        edition += 1
      }
      return Promise.resolve({ edition, has: (mail) => mails.has(mail) })
    },
  }
  return {
    set(...numbers: number[]): void {
      mails.clear()
      for (const number of numbers) mails.add(`person${number}@example.com`)
      edition += 1
    },
    addAfter(asks: number, number: number): void {
      later = { after: asks, mail: `person${number}@example.com` }
    },
  }
}

function lineOf(policy: 'add' | 'managed' | 'replace' = 'managed', state?: StateStore): Line {
  return testLine({
    ...(state === undefined ? {} : { state }),
    pipeline: {
      map: {
        mail: { column: 'mail' },
        first_name: { column: 'first' },
        family_name: { column: 'last' },
        mail_status: { column: 'status' },
      },
      terms: {
        policy,
        create_missing: true,
        assign: [{ column: 'tags', split: ',' }],
        descriptions: {},
        verify: true,
      },
      allow_consent_raise: true,
      writes: 'all',
    },
  })
}

let files = 0
async function run(line: Line, rows: string[][]) {
  line.source.drop(`${(files += 1)}.csv`, [COLUMNS, ...rows])
  return line.run()
}

const shown = (line: Line) =>
  [...line.service.contacts.values()].map(({ mail, mail_status: status = 3, first_name: first }) => [
    mail,
    status,
    first,
  ])
const termsOf = (line: Line): string[] => [...line.service.terms.values()].map(({ name }) => name)

it('makes no contact of them, and does when the list no longer names them', async () => {
  const line = lineOf()
  const list = suppressing(line)
  list.set(2)
  const rows = [row(1, '4', 'A'), row(2, '4', 'B')]
  expect(await run(line, rows)).toMatchObject({ status: 'ok', created: 1, skipped: 1 })
  expect(shown(line)).toEqual([['person1@example.com', 4, 'Ann']])
  expect(termsOf(line)).toEqual(['A'])
  expect(await run(line, rows)).toMatchObject({ unchanged: 1, skipped: 1 })
  list.set()
  expect(await run(line, rows)).toMatchObject({ created: 1, unchanged: 1 })
})

it.each(['managed', 'replace'] as const)(
  'restricts a linked contact and removes its terms (%s)',
  async (policy) => {
    const line = lineOf(policy)
    const list = suppressing(line)
    await run(line, [row(1, '3', 'A')])
    list.set(1)
    expect(await run(line, [row(1, '7', 'A,B')])).toMatchObject({ status: 'ok', skipped: 1, updated: 0 })
    expect(shown(line)).toEqual([['person1@example.com', 3, 'Ann']])
    expect(await run(line, [row(1, '2', 'B')])).toMatchObject({ status: 'ok', updated: 1 })
    expect(shown(line)).toEqual([['person1@example.com', 2, 'Ann']])
    const [contact] = line.service.contacts.keys()
    expect(line.service.termsOf(contact ?? 0)).toEqual([])
    expect(termsOf(line)).toEqual(['A'])
  },
)

it('hides no record whose address has left the list', async () => {
  const line = lineOf()
  const list = suppressing(line)
  await run(line, [row(1, '3')])
  list.set(1)
  const changed = [row(1, '4', 'A')]
  expect(await run(line, changed)).toMatchObject({ skipped: 1 })
  list.set()
  expect(await run(line, changed)).toMatchObject({ updated: 1 })
  expect(shown(line)).toEqual([['person1@example.com', 4, 'Ann']])
  expect(termsOf(line)).toEqual(['A'])
})

it.each([2, 3, 4, 5, 6])('is asked again when sending (%i)', async (asks) => {
  const line = lineOf()
  const list = suppressing(line)
  await run(line, [row(1, '3')])
  list.addAfter(asks, 1)
  await run(line, [row(1, '4', 'A')])
  // Whatever went before the list named the address is allowed; nothing after that.
  const before = line.service.writes().length
  await run(line, [row(1, '7', 'A,B')])
  expect(line.service.writes()).toHaveLength(before)
})

const named = (number: number, first: string): string[] => row(number).with(2, first)

it.each(['id', 'bulk'] as const)('sends no update that was planned before (%s)', async (updateVia) => {
  const line = lineOf()
  line.pipeline = { ...line.pipeline, update_via: updateVia }
  const list = suppressing(line)
  await run(line, [row(1), row(2), row(3)])
  const changed = [named(1, 'Bea'), named(2, 'Bea'), named(3, 'Bea')]
  // Asked when the run begins, twice while it is planned, and when it is sent.
  list.addAfter(3, 1)
  expect(await run(line, changed)).toMatchObject({ status: 'ok', updated: 2, unchanged: 1 })
  expect(shown(line).map(([, , first]) => first)).toEqual(['Ann', 'Bea', 'Bea'])
  const entries = await line.state.logPage({}, { order: 'newest', limit: 3 })
  expect(entries.find(({ key }) => key === 'K1')).toMatchObject({
    ...{ action: 'update', outcome: 'unchanged', fields: {} },
    reason: 'not sent: first_name; the address is on the suppression list (consents.suppress)',
  })
  expect(await run(line, changed)).toMatchObject({ skipped: 1, unchanged: 2 })
  list.set()
  expect(await run(line, changed)).toMatchObject({ updated: 1, unchanged: 2 })
  expect(shown(line).map(([, , first]) => first)).toEqual(['Bea', 'Bea', 'Bea'])
})

it('still sends the address that a record has now', async () => {
  const line = lineOf()
  const list = suppressing(line)
  await run(line, [row(1)])
  list.addAfter(3, 1)
  await run(line, [row(1).with(1, 'other@example.com')])
  expect(shown(line)).toEqual([['other@example.com', 3, 'Ann']])
})

it('removes terms with an update that is not sent, and gives none', async () => {
  const line = lineOf()
  const list = suppressing(line)
  await run(line, [row(1, '', 'A')])
  list.addAfter(3, 1)
  await run(line, [named(1, 'Bea').with(6, 'B')])
  const [contact = 0] = line.service.contacts.keys()
  expect([shown(line), line.service.termsOf(contact)]).toEqual([[['person1@example.com', 3, 'Ann']], []])
})

it('sends what an earlier lost answer left unknown once the address has left the list', async () => {
  const line = lineOf()
  const list = suppressing(line)
  await run(line, [row(1)])
  line.service.fault = ({ method }) => (method === 'PUT' ? { kind: 'unknown', applied: true } : undefined)
  await run(line, [named(1, 'Bea')])
  line.service.fault = () => undefined
  list.addAfter(3, 1)
  await run(line, [row(1)])
  expect(shown(line)).toEqual([['person1@example.com', 3, 'Bea']])
  list.set()
  await run(line, [row(1)])
  expect(shown(line)).toEqual([['person1@example.com', 3, 'Ann']])
})

/** Held and released; the list names the first two by then. */
async function released(first: string[][], then: string[][]) {
  const line = lineOf()
  const list = suppressing(line)
  if (first.length > 0) await run(line, first)
  line.pipeline = { ...line.pipeline, guards: { ...line.pipeline.guards, max_changes: { count: 0 } } }
  const { run_id: id } = await run(line, then)
  await line.state.release(id, line.clock.now())
  list.set(1, 2)
  return line
}

it.each<[string, string[][], string[][]]>([
  ['creates', [], [row(1), row(2, '2'), row(3, '4')]],
  ['fields', [row(1), row(2), row(3)], [named(1, 'Bea'), named(2, 'Bea'), named(3, 'Bea')]],
  ['terms', [row(1), row(2, '', 'A'), row(3)], [row(1, '', 'B'), row(2, '', 'B'), row(3, '', 'B')]],
  ['statuses', [row(1), row(2), row(3)], [row(1, '4'), row(2, '2').with(2, 'Bea'), row(3, '4')]],
])('a plan shows what a release sends of %s', async (_, first, then) => {
  const line = await released(first, then)
  const before = shown(line)
  // A plan changes the state that it is given.
  const { changes, totals } = await (await released(first, then)).preview()
  const made = await line.run()
  const { read, created, updated, unchanged, skipped } = made
  expect(totals).toMatchObject({
    read,
    created,
    updated,
    unchanged,
    skipped,
    terms_created: made.terms_created,
  })
  const changed = shown(line).filter((one) => !before.some((was) => String(was) === String(one)))
  const withFields = changes.filter(({ fields }) => Object.keys(fields).length > 0)
  expect(withFields.map(({ key }) => key).sort()).toEqual(
    changed.map(([mail]) => String(mail).replace('person', 'K').replace('@example.com', '')).sort(),
  )
  const given = changes.flatMap(({ key, terms }) => terms.add.map((name) => `${key} ${name}`))
  expect(given).toEqual(line.service.termsOf(3).includes('B') ? ['K3 B'] : [])
})

it('sends nothing without its list, and says so as held', async () => {
  const line = lineOf()
  line.suppression = { now: () => Promise.reject(new SyncError('SUPPRESSION_LIST', 'it is missing')) }
  const ended = { status: 'held', code: 'SUPPRESSION_LIST', error: 'it is missing', read: 0 }
  expect(await run(line, [row(1)])).toMatchObject(ended)
  expect(line.service.writes()).toEqual([])
  expect((await line.preview()).plan).toMatchObject({ status: 'held', code: 'SUPPRESSION_LIST' })
  line.suppression = undefined
  expect(await line.run()).toMatchObject({ status: 'ok', created: 1 })
})

it('an undo gives nobody on the list a term back', async () => {
  const line = lineOf()
  const list = suppressing(line)
  await run(line, [row(1, '', 'A'), row(2, '', 'A')])
  const { run_id: id } = await run(line, [row(1), row(2)])
  list.set(1)
  const undone = await line.undo(id)
  expect(undone).toMatchObject({ status: 'ok', read: 1, updated: 1 })
  const [first = 0, second = 0] = line.service.contacts.keys()
  expect([line.service.termsOf(first), line.service.termsOf(second)]).toEqual([[], ['A']])
})

it('a term that is kept back just before sending has its reason in the sync log', async () => {
  const line = lineOf()
  const list = suppressing(line)
  await run(line, [row(1)])
  // Asked when the run begins, twice while it is planned, and when it is sent.
  list.addAfter(3, 1)
  await run(line, [row(1, '', 'A')])
  const entries = await line.state.logPage({}, { order: 'newest', limit: 1 })
  expect(entries[0]).toMatchObject({
    action: 'terms',
    reason: 'not given: A; the address is on the suppression list (consents.suppress)',
  })
})

it.each([
  ['a field', 'first_name', 'Bea', { skipped: 1, updated: 0 }],
  ['a withdrawal', 'mail_status', '2', { skipped: 0, updated: 1 }],
] as const)('a correction without a file is treated as its record: %s', async (_, field, value, counts) => {
  const state = realState()
  const line = lineOf('managed', state)
  const list = suppressing(line)
  await run(line, [row(1, '3')])
  list.set(1)
  const nothing = { raw: undefined, was: undefined, file: undefined, line: undefined }
  const correction = { pipeline: 'shop', key: 'K1', field, value, by: 'ops', ...nothing }
  await state.concludeDecision(0, { at: 0, effects: [{ do: 'correct', corrections: [correction] }] })
  expect(await line.run()).toMatchObject({ status: 'ok', read: 1, ...counts })
  expect(shown(line)).toEqual([['person1@example.com', field === 'mail_status' ? 2 : 3, 'Ann']])
})

const NUMBERS = [1, 2, 3]
const step = fc.record({
  suppressed: fc.subarray(NUMBERS),
  rows: fc.tuple(
    ...NUMBERS.map((number) =>
      fc
        .tuple(fc.constantFrom('', '1', '2', '3', '4', '7'), fc.subarray(['A', 'B']))
        .map(([status, tags]) => row(number, status, tags.join(','))),
    ),
  ),
})

/** What the service has of a person. */
function contactOf(line: Line, number: number) {
  const found = [...line.service.contacts].filter(([, { mail }]) => mail === `person${number}@example.com`)
  const [id = 0, contact] = found[0] ?? []
  return {
    count: found.length,
    status: Number(contact?.['mail_status'] ?? 3),
    terms: line.service.termsOf(id),
  }
}

it('whatever the course: nothing is given to those on the list, and all arrives once they have left it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      const line = lineOf()
      const list = suppressing(line)
      for (const { suppressed, rows } of steps) {
        list.set(...suppressed)
        const before = suppressed.map((number) => contactOf(line, number))
        expect((await run(line, rows)).status).toBe('ok')
        suppressed.forEach((number, index) => {
          const [was, is] = [before[index], contactOf(line, number)]
          expect(is.count).toBe(was?.count)
          expect([was?.status, 1, 2]).toContain(is.status)
          expect(was?.terms).toEqual(expect.arrayContaining(is.terms))
        })
      }
      list.set()
      const last = steps.at(-1)?.rows ?? []
      await run(line, last)
      for (const [index, [, , , , , status = '', tags = '']] of last.entries()) {
        const { count, ...shown } = contactOf(line, index + 1)
        expect(count).toBe(1)
        if (status !== '') expect(shown.status).toBe(Number(status))
        expect([...shown.terms].sort()).toEqual(tags === '' ? [] : tags.split(','))
      }
      await line.state.close()
    }),
    { numRuns: 40 },
  )
})
