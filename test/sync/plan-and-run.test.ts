// A plan says what the run does: the same counts, status, files and guards, and the fields and terms that are sent.
import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { OUTCOMES } from '../../src/core/outcome/summary.ts'
import { type Line, testLine } from '../support/line.ts'
import { GUARDS, pipelineSettings } from '../support/pipeline.ts'

/** Of two keys. */
const SHARED = 'shared@example.com'

const HEADER = ['no', 'mail', 'first', 'last', 'phone', 'tags']

// Each case is two states with a past.
vi.setConfig({ testTimeout: 600_000 })

/** More of them by hand: RUNS=1000. */
const numRuns = Number(process.env['RUNS'] ?? 20)

const row = fc
  .record({
    key: fc.integer({ min: 1, max: 8 }),
    mail: fc.constantFrom('own', 'own', 'own', 'broken', ''),
    phone: fc.constantFrom('', '1', '2'),
    tags: fc.constantFrom('', 'a', 'b', 'a,b', 'c'),
  })
  .map(({ key, mail, phone, tags }) => {
    // Two keys share a mail. Whoever takes over another's is told apart by the service alone, and is not among these.
    const own = key > 6 ? SHARED : `p${key}@example.com`
    const address = { own, broken: 'broken', '': '' }[mail]
    return [`K${key}`, address, 'Vorname', `Nachname${key}`, phone, tags]
  })
const table = fc.array(row, { maxLength: 10 }).map((rows) => [HEADER, ...rows])

const settings: fc.Arbitrary<Partial<PipelineSettings>> = fc.record({
  mode: fc.constantFrom('full', 'incremental'),
  on_missing: fc.constantFrom('keep', 'delete', 'remove_terms'),
  on_duplicate_key: fc.constantFrom('reject', 'last'),
  duplicate_check_method: fc.constantFrom('email', 'none'),
  update_method: fc.constantFrom('update_add', 'update', 'add'),
  update_via: fc.constantFrom('id', 'bulk'),
  writes: fc.constantFrom('all', 'create', 'update'),
  blank: fc.constantFrom('keep', 'clear'),
  owners: fc.constantFrom(undefined, {
    phone: ['shop', 'crm'].map((pipeline) => ({ pipeline, missingIn: 1 })),
  }),
  terms: fc.constantFrom('add', 'managed', 'replace').map((policy) => ({
    ...pipelineSettings().terms,
    policy,
    assign: [{ column: 'tags', split: ',' }],
  })),
  guards: fc.constantFrom(
    GUARDS,
    { ...GUARDS, max_deletes: { share: 1 } },
    { ...GUARDS, max_changes: { count: 2 } },
    { ...GUARDS, max_rejects: { count: 1 } },
    { ...GUARDS, max_new_terms: 1 },
    { ...GUARDS, hold_first_deletes: true, deletes_missing_in: 2 },
  ),
})

const history = fc.record({
  settings,
  earlier: fc.array(table, { maxLength: 3 }),
  files: fc.array(table, { minLength: 1, maxLength: 2 }),
})
type History = typeof history extends fc.Arbitrary<infer Of> ? Of : never

/** One of which a guard holds everything; by chance a few have none. */
const HELD: History = {
  settings: { guards: { ...GUARDS, max_changes: { count: 2 } } },
  earlier: [],
  files: [
    [HEADER, ...[1, 2, 3].map((key) => [`K${key}`, `p${key}@example.com`, 'Vorname', 'Nachname', '', ''])],
  ],
}

/** One of which single records are held, and of one of them the later row counts. */
const ALONE: History = {
  settings: { duplicate_check_method: 'email', on_duplicate_key: 'last' },
  earlier: [],
  files: [[HEADER, ...['K6', 'K7', 'K8', 'K8'].map((key) => [key, SHARED, 'Vorname', key, '', ''])]],
}

/** A line with this past, and the files in its inbox that come next. */
async function after({ settings, earlier, files }: History): Promise<Line> {
  // Of two new records of one mail the run passes over the second, which is there by then; a plan creates none, and sees both missing.
  const isSeenLate = settings.writes === 'create' && settings.duplicate_check_method === 'none'
  const line = testLine({ pipeline: isSeenLate ? { ...settings, writes: 'all' } : settings })
  const apart = (rows: History['files'][number]) =>
    settings.writes !== 'create'
      ? rows
      : rows.map((cells) => cells.map((cell) => (cell === SHARED ? `${cells[0] ?? ''}@example.com` : cell)))
  for (const [index, rows] of earlier.entries()) {
    line.source.drop(`${index}.csv`, apart(rows))
    await line.run()
  }
  for (const [index, rows] of files.entries()) line.source.drop(`next-${index}.csv`, apart(rows))
  return line
}

const COUNTS = [
  'read',
  ...OUTCOMES,
  'deleted',
  'held_deletes',
  'terms_created',
  'status',
  'withheld',
  'files',
]

/** A plan has nothing that could be released yet, and names no command for it. */
const withoutRelease = (name: string, value: unknown): unknown =>
  name === 'hint' && String(value).includes('held release') ? undefined : value

const picked = (of: object): unknown => {
  const some = Object.fromEntries(Object.entries(of).filter(([name]) => COUNTS.includes(name)))
  return JSON.parse(JSON.stringify(some, withoutRelease))
}

/** How often each field was sent since so many calls. */
function sentFields(line: Line, calls: number): Readonly<Record<string, number>> {
  const writes = line.service.calls.slice(calls).filter(({ method }) => method !== 'GET')
  const fields = writes.flatMap(({ contacts }) => contacts.flatMap(Object.keys))
  return Object.fromEntries([...Map.groupBy(fields, (name) => name)].map(([name, of]) => [name, of.length]))
}

it('a plan has the counts, status, guards and fields of the run that follows', async () => {
  let held = 0
  let alone = 0
  await fc.assert(
    fc.asyncProperty(history, async (past) => {
      const [planned, run] = [await after(past), await after(past)]
      const calls = run.service.calls.length
      const { totals, changes, plan } = await planned.preview()
      const result = await run.run()
      expect(picked(totals)).toEqual(picked(result))
      // In a bulk call the mail says who is meant, changed or not.
      if (past.settings.update_via === 'id') expect(totals.by_field).toEqual(sentFields(run, calls))
      const holds = await run.state.heldPlans(['shop'])
      const guards = holds.filter(({ runId }) => runId === result.run_id).map(({ guard }) => guard)
      const byPlan = totals.held_by.map(({ guard }) => guard)
      // A hold of which a later file of the same run leaves nothing is forgotten.
      expect(byPlan).toEqual(expect.arrayContaining(guards))
      held += guards.length
      const reasons = Object.values(totals.held_reasons).reduce((sum, count) => sum + count, 0)
      expect(reasons).toBe(totals.held + totals.held_deletes)
      alone += totals.held_reasons.shared_mail ?? 0
      expect(plan.groups.reduce((sum, { count }) => sum + count, plan.ungrouped)).toBe(changes.length)
      await planned.state.close()
      await run.state.close()
    }),
    { numRuns, examples: [[HELD], [ALONE]] },
  )
  expect(held).toBeGreaterThan(0)
  expect(alone).toBeGreaterThan(0)
})

it('a full export that follows a larger one in the same plan is compared with that one', async () => {
  const person = (no: number): readonly string[] => [`K${no}`, `p${no}@example.com`, 'V', 'N', '', '']
  const files = [
    [HEADER, ...Array.from({ length: 10 }, () => [...person(1)])],
    [HEADER, [...person(2)]],
  ]
  const guards = { ...GUARDS, max_deletes: { share: 1 } }
  const past: History = { settings: { mode: 'full', on_missing: 'delete', guards }, earlier: [], files }
  const [planned, run] = [await after(past), await after(past)]
  const { totals } = await planned.preview()
  expect(totals.held_by).toMatchObject([{ guard: 'shrunken_export' }])
  expect(picked(totals)).toEqual(picked(await run.run()))
})

it.each([
  ['an empty file of a full pipeline is held', 'full', 'INPUT_EMPTY', 'held', 'held'],
  ['an empty file of an incremental one is refused', 'incremental', 'INPUT_EMPTY', 'partial', 'refused'],
  ['a file that changes while it is read is left', 'full', 'INPUT_CHANGED', 'partial', 'left'],
] as const)('%s in the plan as in the run', async (_, mode, code, status, fileStatus) => {
  const past = { settings: { mode }, earlier: [], files: [] }
  const [planned, run] = [await after(past), await after(past)]
  for (const line of [planned, run]) line.source.drop('a.csv', [HEADER], { failAfter: 0, code })
  const { totals } = await planned.preview()
  expect(totals).toMatchObject({ status, files: [{ file: 'a.csv', status: fileStatus }] })
  expect(picked(totals)).toEqual(picked(await run.run()))
})

it.each(['INPUT_IO', 'REMOTE_LOST', 'SPOOL_FAILED'] as const)(
  '%s: newer files wait for the one that could not be read, in the plan as in the run',
  async (code) => {
    const newer = [HEADER, ['K1', 'new@example.com', 'V', 'N', '', '']]
    const past: History = { settings: {}, earlier: [], files: [] }
    const [planned, run] = [await after(past), await after(past)]
    for (const { source } of [planned, run]) {
      source.drop('a.csv', [HEADER], { failAfter: 0, code })
      source.drop('b.csv', newer)
    }
    const { totals } = await planned.preview()
    expect(totals).toMatchObject({ read: 0, files: [{ file: 'a.csv', status: 'left', code }] })
    expect(picked(totals)).toEqual(picked(await run.run()))
    const { lastRefused } = await run.state.milestones('shop')
    expect(lastRefused).toMatchObject({ files: 1, file: 'a.csv', code })
    run.source.drop('a.csv', [HEADER, ['K1', 'old@example.com', 'V', 'N', '', '']])
    expect(await run.run()).toMatchObject({
      created: 1,
      updated: 1,
      files: [{ file: 'a.csv' }, { file: 'b.csv' }],
    })
  },
)
