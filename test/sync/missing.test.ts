// What has gone from a full export: who it is, what becomes of them, and everything that must keep them where they are.
import { describe, expect, it } from 'vitest'
import type { GuardSettings, PipelineSettings } from '../../src/core/settings.ts'
import type { HeldPlan } from '../../src/core/state.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'

const guards = (changes: Partial<GuardSettings>): GuardSettings => ({ ...GUARDS, ...changes })
const ALL = guards({ max_deletes: { share: 1 } })

const fullLine = (changes: Partial<PipelineSettings> = {}): Line =>
  testLine({ pipeline: { mode: 'full', on_missing: 'delete', guards: ALL, ...changes } })

const without = (table: string[][], ...numbers: number[]): string[][] =>
  table.filter(([key]) => !numbers.some((number) => key === `K${number}`))

const deletes = (line: Line): number[] =>
  line.service.calls.filter(({ method }) => method === 'DELETE').flatMap(({ id }) => id ?? [])

async function imported(line: Line, count: number): Promise<void> {
  line.source.drop('1.csv', people(count))
  expect(await line.run()).toMatchObject({ status: 'ok', created: count })
}

async function runWith(line: Line, table: string[][], name = '2.csv') {
  line.source.drop(name, table)
  return line.run()
}

const holds = (line: Line): Promise<readonly HeldPlan[]> => line.state.heldPlans([line.pipeline.name])

describe('a record that has gone from a full export', () => {
  it('takes its contact along, once', async () => {
    const line = fullLine()
    await imported(line, 10)
    expect(await runWith(line, without(people(10), 3, 7))).toMatchObject({
      status: 'ok',
      read: 8,
      unchanged: 8,
      deleted: 2,
    })
    expect(deletes(line)).toEqual([3, 7])
    expect(await runWith(line, without(people(10), 3, 7))).toMatchObject({ requests: 0, deleted: 0 })
  })

  it('keeps its contact where the pipeline says nothing', async () => {
    const line = fullLine({ on_missing: 'keep' })
    await imported(line, 3)
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0, requests: 0 })
  })

  it('loses the terms that the pipeline gave it, and those alone', async () => {
    const terms = { ...testLine().pipeline.terms, assign: [{ name: 'Customer' }] }
    const line = fullLine({ on_missing: 'remove_terms', terms })
    await imported(line, 3)
    line.service.giveTerm(3, 'By hand')
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 1, status: 'ok' })
    expect(line.service.termsOf(3)).toEqual(['By hand'])
    expect(line.service.contacts.size).toBe(3)
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0, requests: 0 })
    expect(await runWith(line, people(3))).toMatchObject({ updated: 1 })
    expect(line.service.termsOf(3)).toEqual(['By hand', 'Customer'])
  })

  it('keeps a term that another pipeline gives its contact, and the plan says so', async () => {
    const assign = [{ name: 'Customer' }, { name: 'Shop' }]
    const terms = { ...testLine().pipeline.terms, policy: 'managed' as const, assign }
    const line = fullLine({ on_missing: 'remove_terms', terms })
    await imported(line, 2)
    const { state, service } = line
    const pipeline = { ...line.pipeline, name: 'crm', terms: { ...terms, assign: assign.slice(0, 1) } }
    await imported(testLine({ state, service, pipeline }), 2)
    line.source.drop('2.csv', people(1))
    const { changes } = await line.preview()
    expect(changes).toMatchObject([{ key: 'K2', terms: { add: [], remove: ['Shop'] } }])
  })

  it('keeps a term under policy add that it had before, once removal is the rule', async () => {
    const terms = { ...testLine().pipeline.terms, assign: [{ name: 'Customer' }] }
    const line = fullLine({ on_missing: 'remove_terms', terms })
    line.service.contacts.set(7, { mail: 'person1@example.com' })
    line.service.giveTerm(7, 'Customer')
    await imported(line, 2)
    const result = await runWith(line, [[...HEADER], ['K9', 'new@example.com', 'A', 'B', '1']])
    expect(result).toMatchObject({ deleted: 1 })
    expect([line.service.termsOf(7), line.service.termsOf(1)]).toEqual([['Customer'], []])
  })

  it.each([
    ['overwrite', []],
    ['keep', ['Customer']],
  ] as const)(
    'under policy replace and hand_edits: %s has %j left of a term that it had before',
    async (edits, left) => {
      const terms = {
        ...testLine().pipeline.terms,
        policy: 'replace' as const,
        assign: [{ name: 'Customer' }, { name: 'New' }],
      }
      const line = fullLine({ on_missing: 'remove_terms', terms, hand_edits: edits })
      line.service.contacts.set(7, { mail: 'person1@example.com' })
      line.service.giveTerm(7, 'Customer')
      await imported(line, 2)
      expect(line.service.termsOf(7)).toEqual(['Customer', 'New'])
      const result = await runWith(line, [[...HEADER], ['K9', 'new@example.com', 'A', 'B', '1']])
      expect(result).toMatchObject({ deleted: 2 })
      expect(line.service.termsOf(7)).toEqual(left)
    },
  )

  it('comes back as a new contact after its old one was deleted', async () => {
    const line = fullLine()
    await imported(line, 3)
    await runWith(line, people(2))
    expect(await runWith(line, people(3))).toMatchObject({ created: 1, unchanged: 2, deleted: 0 })
    expect([...line.service.contacts.keys()]).toEqual([1, 2, 4])
  })

  it('has gone only when the last of several exports that wait lacks it', async () => {
    const line = fullLine()
    await imported(line, 4)
    line.source.drop('2.csv', people(2))
    line.source.drop('3.csv', people(3))
    expect(await line.run()).toMatchObject({ deleted: 1 })
    expect(deletes(line)).toEqual([4])
  })
})

describe('a delete that failed', () => {
  const failing = async (): Promise<Line> => {
    const line = fullLine()
    await imported(line, 4)
    line.service.fault = ({ method }) => (method === 'DELETE' ? { kind: 'refused', status: 409 } : undefined)
    const result = await runWith(line, people(3))
    expect(result).toMatchObject({ status: 'partial', deleted: 0, deletes_failed: 1 })
    expect(await line.state.backlog('shop')).toMatchObject({ retriable: 1 })
    line.service.fault = () => undefined
    return line
  }

  it('is tried again by the next run, without another export', async () => {
    const line = await failing()
    expect(await line.run()).toMatchObject({ status: 'ok', read: 0, deleted: 1 })
    expect(await line.state.backlog('shop')).toMatchObject({ retriable: 0, linked: 3 })
    expect(await line.run()).toMatchObject({ status: 'ok', deleted: 0, requests: 0 })
  })

  it('stays failed where it fails again, once in each run', async () => {
    const line = await failing()
    line.service.fault = ({ method }) => (method === 'DELETE' ? { kind: 'refused', status: 409 } : undefined)
    const sent = deletes(line).length
    expect(await line.run()).toMatchObject({ status: 'partial', deleted: 0, deletes_failed: 1 })
    expect(deletes(line)).toHaveLength(sent + 1)
    expect(await line.state.backlog('shop')).toMatchObject({ retriable: 1 })
  })

  it('is judged again by the next export: the record is back, or still missing', async () => {
    const back = await failing()
    expect(await runWith(back, people(4))).toMatchObject({ status: 'ok', deleted: 0, unchanged: 4 })
    expect(await back.run()).toMatchObject({ deleted: 0, requests: 0 })
    const gone = await failing()
    expect(await runWith(gone, people(3))).toMatchObject({ status: 'ok', deleted: 1, unchanged: 3 })
  })

  it.each(['keep', 'remove_terms'] as const)('is given up under on_missing: %s by now', async (rule) => {
    const line = await failing()
    line.pipeline = { ...line.pipeline, on_missing: rule }
    expect(await line.run()).toMatchObject({ status: 'ok', deleted: 0, requests: 0 })
    expect(await line.state.backlog('shop')).toMatchObject({ retriable: 0 })
  })
})

describe('nobody is deleted', () => {
  it.each<[string, (table: string[][]) => string[][]]>([
    ['by a file with its header alone', ([header = []]) => [header]],
    [
      'because a row is rejected',
      (table) => table.map((row) => (row[0] === 'K2' ? ['K2', 'no mail', 'A', 'B', '1'] : row)),
    ],
  ])('%s', async (_, change) => {
    const line = fullLine()
    await imported(line, 3)
    const result = await runWith(line, change(people(3)))
    expect(result).toMatchObject({ deleted: 0, held_deletes: 0 })
    expect(deletes(line)).toEqual([])
  })

  it('by a file with its header alone, and that is told like a file that was refused', async () => {
    const line = fullLine()
    await imported(line, 3)
    const { files, run_id: run } = await runWith(line, [[...HEADER]])
    expect(files).toMatchObject([
      { status: 'held', code: 'INPUT_EMPTY', hint: expect.stringContaining('drop it again') as string },
    ])
    expect(await line.state.milestones('shop')).toMatchObject({
      lastRefused: { runId: run, files: 1, code: 'INPUT_EMPTY' },
    })
  })

  it('by a file that breaks off', async () => {
    const line = fullLine()
    await imported(line, 3)
    line.source.drop('2.csv', people(2), { failAfter: 1 })
    expect(await line.run()).toMatchObject({ status: 'partial', deleted: 0 })
    expect(deletes(line)).toEqual([])
  })

  it('whose row `where` passes over', async () => {
    const line = fullLine({ where: 'record["last"] != "out"' })
    await imported(line, 3)
    const table = people(3).map((row) =>
      row[0] === 'K2' ? ['K2', 'person2@example.com', 'A', 'out', '1'] : row,
    )
    expect(await runWith(line, table)).toMatchObject({ skipped: 1, deleted: 0 })
    line.pipeline = { ...line.pipeline, where: 'contact.family_name != "out"', hash: 'other' }
    expect(await runWith(line, table)).toMatchObject({ skipped: 1, deleted: 0 })
  })

  it('while a rejected row may be anybody', async () => {
    const line = fullLine()
    await imported(line, 4)
    const result = await runWith(line, [...people(2), ['K3', 'too few values']])
    expect(result).toMatchObject({ status: 'held', rejected: 1, deleted: 0, held_deletes: 2 })
    expect(await holds(line)).toMatchObject([{ guard: 'unreadable_keys', number: 2 }])
  })

  it('whom another pipeline still names; it goes with the last that does', async () => {
    const line = fullLine()
    await imported(line, 2)
    const other = testLine({
      state: line.state,
      service: line.service,
      pipeline: { ...line.pipeline, name: 'crm' },
    })
    other.source.drop('a.csv', people(2))
    expect(await other.run()).toMatchObject({ created: 2 })
    expect(line.service.contacts.size).toBe(2)
    expect(await runWith(line, people(1))).toMatchObject({ deleted: 0, status: 'ok' })
    expect(await runWith(other, people(1))).toMatchObject({ deleted: 1 })
    expect([...line.service.contacts.keys()]).toEqual([1])
    expect(await runWith(line, people(1))).toMatchObject({ deleted: 0, requests: 0 })
  })

  it('makes a new contact when it comes back after another pipeline was the last to give it up', async () => {
    const line = fullLine()
    await imported(line, 2)
    const other = testLine({
      state: line.state,
      service: line.service,
      pipeline: { ...line.pipeline, name: 'crm' },
    })
    await runWith(other, people(2))
    await runWith(line, people(1))
    expect(await runWith(other, people(1), '3.csv')).toMatchObject({ deleted: 1 })
    expect(await runWith(line, people(2))).toMatchObject({ read: 2, created: 1, unchanged: 1, held: 0 })
    expect([...line.service.contacts.keys()]).toEqual([1, 3])
    expect(await runWith(other, people(2), '4.csv')).toMatchObject({ read: 2, created: 1, unchanged: 1 })
    expect(line.service.contacts.size).toBe(2)
  })

  it('whom another pipeline may still name in a row whose key cannot be read', async () => {
    const line = fullLine()
    await imported(line, 2)
    const other = testLine({
      state: line.state,
      service: line.service,
      pipeline: { ...line.pipeline, name: 'crm', on_missing: 'keep' },
    })
    await runWith(other, people(2))
    expect(await runWith(other, [...people(1), ['K2', 'too few values']], '3.csv')).toMatchObject({
      rejected: 1,
    })
    expect(await runWith(line, people(1))).toMatchObject({ deleted: 0, status: 'ok' })
    expect(await runWith(other, people(1), '4.csv')).toMatchObject({ status: 'ok' })
    expect(await runWith(line, people(1))).toMatchObject({ deleted: 1, status: 'ok' })
  })

  it('whom an export of another pipeline lacks that is about to be read again', async () => {
    const line = fullLine()
    await imported(line, 2)
    const { state, service } = line
    const other = testLine({
      state,
      service,
      pipeline: { ...line.pipeline, name: 'crm', on_missing: 'keep' },
    })
    await runWith(other, people(2))
    service.fault = () => ({ kind: 'denied' })
    const table = [...people(1), ['K2', 'too few values'], ['K3', 'person3@example.com', 'A', 'B', '1']]
    await runWith(other, table, '3.csv')
    service.fault = () => undefined
    const open = await state.unfinishedInputs('crm')
    expect(open).toHaveLength(1)
    for (const input of open) await state.endInput(input, { as: 'unread' })
    expect(await runWith(line, people(1))).toMatchObject({ deleted: 0, status: 'ok' })
  })

  it('into whose contact the service has merged a record that is still there', async () => {
    const line = fullLine({ duplicate_check_method: 'auto' })
    await imported(line, 2)
    const { session } = line.service
    line.service.session = () => ({
      ...session(),
      createContact: () =>
        Promise.resolve({
          kind: 'ok',
          value: 2,
          request: { method: 'POST', path: '/contact', status: 200, attempts: 1 },
        }),
    })
    const table = [...people(1), ['K3', 'merged@example.com', 'A', 'B', '1']]
    expect(await runWith(line, table)).toMatchObject({ held: 1, deleted: 0 })
    expect(deletes(line)).toEqual([])
  })

  it('a record that the service has merged is sent once, until it changes or nothing is merged any more', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'auto', guards: guards({}) } })
    await runWith(line, people(2))
    let sent = 0
    const { session } = line.service
    line.service.session = () => ({
      ...session(),
      createContact: () => {
        sent += 1
        const request = { method: 'POST', path: '/contact', status: 200, attempts: 1 } as const
        return Promise.resolve({ kind: 'ok', value: 2, request })
      },
    })
    const merged = (phone: string, method = 'auto') => {
      line.pipeline = { ...line.pipeline, duplicate_check_method: method as 'auto' }
      return runWith(line, [[...HEADER], ['K3', 'merged@example.com', 'A', 'B', phone]])
    }
    for (let round = 0; round < 3; round += 1) expect(await merged('1')).toMatchObject({ held: 1 })
    expect(sent).toBe(1)
    expect(await line.state.backlog('shop')).toMatchObject({ held: 1 })
    line.source.drop('plan.csv', [[...HEADER], ['K3', 'merged@example.com', 'A', 'B', '1']])
    expect((await line.preview()).totals).toMatchObject({ held: 1, held_reasons: { shared_contact: 1 } })
    expect(await line.run()).toMatchObject({ held: 1 })
    expect(sent).toBe(1)
    expect(await merged('2')).toMatchObject({ held: 1 })
    expect(await merged('2', 'none')).toMatchObject({ held: 1 })
    expect(sent).toBe(3)
  })

  it('who only has another key now', async () => {
    const line = fullLine()
    await imported(line, 2)
    const table = people(2).map((row) => (row[0] === 'K2' ? ['X2', ...row.slice(1)] : row))
    expect(await runWith(line, table)).toMatchObject({ held: 1, deleted: 0, held_deletes: 0 })
    expect(deletes(line)).toEqual([])
  })
})

describe('the delete guard', () => {
  it.each([
    ['5% of 100 are five', 100, 5, guards({}), 5, 0],
    ['six of 100 are too many', 100, 6, guards({}), 0, 6],
    ['a share allows at least one', 3, 1, guards({}), 1, 0],
    ['two of three are more than that', 3, 2, guards({}), 0, 2],
    ['0% is none', 3, 1, guards({ max_deletes: { share: 0 } }), 0, 1],
    ['a count', 10, 4, guards({ max_deletes: { count: 4 } }), 4, 0],
    ['a count exceeded', 10, 5, guards({ max_deletes: { count: 4 } }), 0, 5],
  ])('%s', async (_, linked, gone, settings, deleted, held) => {
    const line = fullLine({ guards: settings })
    await imported(line, linked)
    const table = [...people(linked - gone), ['NEW', 'new@example.com', 'A', 'B', '1']]
    const status = held > 0 ? 'held' : 'ok'
    const result = await runWith(line, table)
    expect(result).toMatchObject({ status, created: 1, deleted, held_deletes: held, held: 0 })
    expect(deletes(line)).toHaveLength(deleted)
  })

  it('asks for two exports, of which one read twice is one', async () => {
    const line = fullLine({ guards: guards({ deletes_missing_in: 2 }) })
    await imported(line, 3)
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0, held_deletes: 0 })
    expect(await runWith(line, people(3))).toMatchObject({ deleted: 0 })
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0 })
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 1 })
  })

  it('lets exports count only that are far enough apart', async () => {
    const line = fullLine({ guards: guards({ deletes_missing_in: 2, deletes_apart: 3_600_000 }) })
    await imported(line, 3)
    await runWith(line, people(2))
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0 })
    line.clock.advance(3_600_000)
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 1 })
  })

  it('after a clock that was ahead by a year has come back: as soon as two exports are apart', async () => {
    const line = fullLine({ guards: guards({ deletes_missing_in: 2, deletes_apart: 3_600_000 }) })
    await imported(line, 3)
    line.clock.advance(365 * 86_400_000)
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0 })
    line.clock.advance(-365 * 86_400_000)
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0 })
    line.clock.advance(3_600_000)
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 1 })
  })

  it('holds the first deletes where it is asked to', async () => {
    const line = fullLine({ guards: { ...ALL, hold_first_deletes: true } })
    await imported(line, 4)
    const first = await runWith(line, people(3))
    expect(first).toMatchObject({ status: 'held', held_deletes: 1 })
    await line.state.release(first.run_id, 0)
    expect(await line.run()).toMatchObject({ deleted: 1, status: 'ok' })
    expect(await runWith(line, people(2))).toMatchObject({ status: 'ok', deleted: 1 })
  })
})

describe('a held plan', () => {
  const tenPercent = guards({ max_deletes: { share: 0.1 } })

  it('goes in the next run once it is released, and no further', async () => {
    const line = fullLine({ guards: tenPercent })
    await imported(line, 10)
    const { run_id: run } = await runWith(line, people(6))
    expect(await holds(line)).toMatchObject([
      { runId: run, guard: 'max_deletes', number: 4, left: 4, threshold: '10% (1)', releasedAt: undefined },
    ])
    expect(await line.run()).toMatchObject({ deleted: 0 })
    await line.state.release(run, 5)
    expect(await line.run()).toMatchObject({ status: 'ok', deleted: 4, read: 0 })
    expect(deletes(line)).toEqual([7, 8, 9, 10])
    expect(await holds(line)).toEqual([])
  })

  it('stays released while the service is away', async () => {
    const line = fullLine({ guards: tenPercent })
    await imported(line, 10)
    const { run_id: run } = await runWith(line, people(6))
    await line.state.release(run, 5)
    line.service.fault = () => ({ kind: 'not_applied' })
    expect(await line.run()).toMatchObject({ status: 'failed', deleted: 0 })
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ status: 'ok', deleted: 4 })
    expect(await holds(line)).toEqual([])
  })

  it('is judged anew with the next export; what was released goes if it is still the same', async () => {
    const line = fullLine({ guards: tenPercent })
    await imported(line, 10)
    const { run_id: run } = await runWith(line, people(6))
    await line.state.release(run, 5)
    // K7 is back; K6 has gone now, too, and is within the limit by itself.
    expect(await runWith(line, without(people(7), 6))).toMatchObject({ deleted: 4, status: 'ok' })
    expect(deletes(line).sort((a, b) => a - b)).toEqual([6, 8, 9, 10])
  })

  it('lets nobody go who is back, even with a row that is rejected', async () => {
    const line = fullLine({ guards: tenPercent })
    await imported(line, 4)
    const { run_id: run } = await runWith(line, people(1))
    await line.state.release(run, 5)
    await runWith(line, [...people(3), ['K4', 'no mail', 'A', 'B', '1']])
    expect(deletes(line)).toEqual([])
  })

  it('holds a mapping edit that would rewrite everybody', async () => {
    const line = testLine({ pipeline: { guards: guards({ max_changes: { share: 0.3 } }) } })
    await imported(line, 10)
    line.pipeline = {
      ...line.pipeline,
      hash: 'mapping-2',
      map: { ...line.pipeline.map, first_name: { value: 'Everybody' } },
    }
    const edited = await runWith(line, people(10))
    expect(edited).toMatchObject({ status: 'held', held: 10, updated: 0 })
    expect(line.service.writes()).toHaveLength(1)
    await line.state.release(edited.run_id, 5)
    expect(await line.run()).toMatchObject({ status: 'ok', read: 10, updated: 10 })
    expect(await runWith(line, people(10))).toMatchObject({ unchanged: 10, requests: 0 })
  })

  it('lets changes under the limit go, and the first import whole', async () => {
    const line = testLine({ pipeline: { guards: guards({ max_changes: { share: 0.3 } }) } })
    await imported(line, 10)
    expect(await runWith(line, people(13))).toMatchObject({ created: 3, status: 'ok' })
    const counted = testLine({ pipeline: { guards: guards({ max_changes: { count: 2 } }) } })
    counted.source.drop('1.csv', people(3))
    expect(await counted.run()).toMatchObject({ status: 'held', held: 3, created: 0 })
  })

  it('holds a file with too many rejects as a whole', async () => {
    const line = testLine({ pipeline: { guards: guards({ max_rejects: { share: 0.2 } }) } })
    const bad = (number: number) => [`B${number}`, 'no mail', 'A', 'B', '1']
    line.source.drop('1.csv', [...people(8), bad(1), bad(2)])
    expect(await line.run()).toMatchObject({ created: 8, rejected: 2 })
    line.source.drop('2.csv', [...people(3, 20), bad(1), bad(2)])
    expect(await line.run()).toMatchObject({ status: 'held', held: 3, rejected: 2 })
  })

  it('holds a plan that would make too many terms', async () => {
    const terms = { ...testLine().pipeline.terms, assign: [{ column: 'phone' }] }
    const line = testLine({ pipeline: { terms, guards: guards({ max_new_terms: 2 }) } })
    line.service.giveTerm(99, '030 1')
    line.source.drop('1.csv', people(3))
    expect(await line.run()).toMatchObject({ created: 3, status: 'ok', terms_created: 2 })
    line.source.drop('2.csv', people(6))
    expect(await line.run()).toMatchObject({ status: 'held', held: 3, terms_created: 0 })
  })
})

describe('a delete whose answer is lost', () => {
  it('is sent again, before a record that came back is taken for unchanged', async () => {
    const line = fullLine()
    await imported(line, 3)
    line.service.fault = ({ method }) =>
      method === 'DELETE' ? { kind: 'unknown', applied: true } : undefined
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0, status: 'failed' })
    line.service.fault = () => undefined
    expect(await runWith(line, people(3))).toMatchObject({ deleted: 1, created: 1, status: 'ok' })
    expect([...line.service.contacts.values()].map(({ mail }) => mail)).toEqual([
      'person1@example.com',
      'person2@example.com',
      'person3@example.com',
    ])
  })

  it('is no loss where it was refused: the contact and its link stay', async () => {
    const line = fullLine()
    await imported(line, 3)
    line.service.fault = ({ method }) => (method === 'DELETE' ? { kind: 'refused' } : undefined)
    expect(await runWith(line, people(2))).toMatchObject({ deleted: 0, status: 'partial' })
    line.service.fault = () => undefined
    expect(await runWith(line, people(3))).toMatchObject({ unchanged: 3, requests: 0, status: 'ok' })
  })
})
