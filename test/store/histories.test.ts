// Random histories of two pipelines, played on the state on disk and on that in memory: both answer the same to everything.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Operation, Settled, Settlement } from '../../src/core/change/operation.ts'
import type { InputEnd } from '../../src/core/run-state.ts'
import type { MissingRules, StagedInput } from '../../src/core/state.ts'
import { openTemporaryState } from '../../src/store/state-store.ts'
import { aboutRun, AT, done, person, type Person, type World, worldOver } from '../contracts/state-world.ts'
import { memoryState } from '../support/state/memory-state.ts'

const PIPELINES = ['shop', 'crm'] as const

const somebody: fc.Arbitrary<Person> = fc
  .record({
    key: fc.integer({ min: 1, max: 5 }),
    mail: fc.integer({ min: 1, max: 4 }),
    phone: fc.constantFrom('1', '2', ''),
    status: fc.constantFrom(undefined, undefined, 1, 2, 4, 7),
    terms: fc.constantFrom(undefined, [], ['A'], ['A', 'B']),
  })
  .map(({ key, mail, phone, status, terms }) =>
    person(
      `K${key}`,
      { mail: `m${mail}@x.example`, phone, ...(status === undefined ? {} : { mail_status: status }) },
      terms,
    ),
  )

type Action =
  | {
      readonly does: 'read'
      readonly people: readonly Person[]
      readonly rejected: readonly string[]
      readonly present: readonly string[]
      readonly mode: 'incremental' | 'full' | 'deletes' | 'terms'
      readonly then: 'commit' | 'hold' | 'hold deletes' | 'hold records' | 'discard'
      readonly shared: boolean
      readonly yields: 'first' | 'last' | undefined
    }
  | { readonly does: 'send'; readonly ends: readonly number[] }
  | { readonly does: 'die' }
  | { readonly does: 'end'; readonly as: InputEnd['as'] }
  | { readonly does: 'take up' | 'release' | 'next run' }

const keys = fc.array(fc.constantFrom('', 'K1', 'K2', 'K5'), { maxLength: 2 })

const action: fc.Arbitrary<{ pipeline: (typeof PIPELINES)[number]; action: Action }> = fc.record({
  pipeline: fc.constantFrom(...PIPELINES),
  action: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        does: fc.constant('read' as const),
        people: fc.array(somebody, { maxLength: 5 }),
        rejected: keys,
        present: keys,
        mode: fc.constantFrom('incremental' as const, 'full' as const, 'deletes' as const, 'terms' as const),
        then: fc.constantFrom('commit' as const, 'commit', 'hold', 'hold deletes', 'hold records', 'discard'),
        shared: fc.boolean(),
        yields: fc.constantFrom(undefined, 'first' as const, 'last' as const),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('send' as const),
        ends: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 6 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('die' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('end' as const),
        as: fc.constantFrom<InputEnd['as']>('processed', 'failed', 'unread', 'vanished'),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ does: fc.constantFrom('take up' as const, 'release', 'next run') }),
    },
  ),
})

/** How a step ends: mostly done, at the contact of its mail, so that two keys may meet in one. */
function endOf(operation: Operation, number: number): Partial<Settled> {
  const mail = Number(operation.mailKey?.replaceAll(/\D/g, '') ?? 9)
  const contactId = operation.contactId ?? mail
  const by: Record<number, Settlement> = {
    1: { kind: 'failed', reason: 'not now' },
    2: { kind: 'failed', reason: 'lost', unknown: true },
    3: { kind: 'in_doubt', reason: 'lost', notBefore: AT + 5 },
    4: { kind: 'rejected', code: 'REFUSED', reason: 'no' },
    5: { kind: 'held', reason: 'gone', ...(operation.kind === 'create' ? {} : { gone: true }) },
  }
  return { ...done(operation), settlement: by[number] ?? { kind: 'done', contactId } }
}

interface Course {
  readonly world: World
  readonly runs: Record<string, number>
  /** Everything that was answered. */
  readonly answers: unknown[]
}

const runOf = ({ runs }: Course, pipeline: string): string => `${pipeline}-${runs[pipeline] ?? 0}`

async function readInput(action: Action & { does: 'read' }, pipeline: string, course: Course): Promise<void> {
  const { world, answers } = course
  const { state } = world
  const run = runOf(course, pipeline)
  const { mode, then } = action
  const at = AT + answers.length
  const missing: MissingRules = {
    onMissing: mode === 'terms' ? 'remove_terms' : 'delete',
    ...{ takesAllTerms: false, missingIn: 2, apartMs: 0, at },
  }
  const rules = {
    yieldRejects: action.yields,
    holdSharedMails: action.shared,
    lowerWithinAddress: action.shared,
    missing: mode === 'deletes' || mode === 'terms' ? missing : undefined,
  }
  const how = { pipeline, run, version: `${run} ${answers.length}`, rules }
  const staged = await world.read(action.people, {
    ...how,
    rejected: action.rejected,
    present: action.present,
  })
  answers.push(await state.inputNumbers(staged, 5))
  if (then === 'discard') return state.discardInput(staged)
  if (then !== 'commit') {
    const holds = ({ hold: 'all', 'hold deletes': 'deletes', 'hold records': 'records' } as const)[then]
    const about = { guard: 'max_changes', number: 1, threshold: '1', reason: 'many' } as const
    const hold = { ...about, holds, keys: action.present }
    answers.push(await state.holdPlan(staged, hold, { at, configHash: 'h' }))
  }
  const full = mode === 'incremental' ? undefined : { apartMs: 0, at, isLast: mode !== 'full' }
  await state.commitPlan(staged, `sum ${answers.length}`, full)
}

async function sendSome(ends: readonly number[], run: string, { world, answers }: Course): Promise<void> {
  const { state } = world
  for (const number of ends) {
    const [operation] = await state.takeToSend(run, undefined, 1)
    if (operation === undefined) return
    answers.push(operation, await state.isNamedElsewhere(operation), await state.termsOfOthers(operation))
    answers.push(await state.contactsOfOthers(operation, [1, 2]), [...(await state.mailOwners([operation]))])
    answers.push([...(await state.mailDoubts([operation]))], await state.isCreatedElsewhere(operation), [
      ...(await state.withMailOfTheirOwn([operation])),
    ])
    const { kind, contactId = 0, fields } = operation
    await state.markSending([operation], {
      terms: kind === 'terms' ? [{ name: 'A', ours: true }] : undefined,
      attempt: kind === 'update' ? { contactId, fields } : undefined,
    })
    // The process may be killed here.
    if (number === 9) return
    const settled = { operation, request: undefined, ...endOf(operation, number) } as Settled
    answers.push(await state.settleBatch([settled], aboutRun(run)))
  }
}

async function takeUp(pipeline: string, run: string, { world, answers }: Course): Promise<void> {
  const { state } = world
  for (const which of ['failed', 'released'] as const) {
    const left = await state.leftOpen(which, pipeline)
    answers.push(left)
    const known = await state.known(
      pipeline,
      left.map(({ key }) => key),
    )
    const replanned = left.map((operation, index) => {
      const link = known[index]?.link
      const { fields, id } = operation
      if (id % 4 === 0) return { operation, next: { state: 'settled' } as const }
      if (link === undefined)
        return { operation, next: { state: 'planned', kind: 'create', fields } as const }
      const linked = { linkId: link.id, contactId: link.contactId, fields }
      return { operation, next: { state: 'planned', kind: 'update', ...linked } as const }
    })
    await state.replan(run, replanned)
    if (answers.length % 2 === 0) await state.lowerWithinAddress(pipeline, run)
  }
  answers.push(
    await state.takeReleasedDeletes(pipeline, run, { missing: true, deletes: answers.length % 2 === 0 }),
  )
}

async function play(course: Course, pipeline: string, given: Action): Promise<void> {
  const { world, answers, runs } = course
  const { state } = world
  const run = runOf(course, pipeline)
  switch (given.does) {
    case 'read':
      return readInput(given, pipeline, course)
    case 'send':
      return sendSome(given.ends, run, course)
    case 'die':
      return void answers.push(await state.reopen(pipeline, AT + answers.length))
    case 'end': {
      const [staged]: (StagedInput | undefined)[] = [...(await state.unfinishedInputs(pipeline))]
      return staged === undefined ? undefined : state.endInput(staged, { as: given.as })
    }
    case 'take up':
      return takeUp(pipeline, run, course)
    case 'release': {
      const [plan] = await state.heldPlans([pipeline])
      return plan === undefined ? undefined : state.release(plan.runId, AT + answers.length)
    }
    case 'next run':
      runs[pipeline] = (runs[pipeline] ?? 0) + 1
      answers.push(await state.countRemaining(run))
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** Everything that can be seen of a state. */
async function sightOf({ world: { state }, runs }: Course): Promise<unknown> {
  const ofPipelines = PIPELINES.map(async (pipeline) => ({
    known: await state.known(pipeline, ['K1', 'K2', 'K3', 'K4', 'K5']),
    backlog: await state.backlog(pipeline),
    unfinished: await state.unfinishedInputs(pipeline),
    doubts: await state.openDoubts(pipeline),
    released: await state.released(pipeline),
    totals: await state.planTotals(`${pipeline}-${runs[pipeline] ?? 0}`, 9),
    planned: await state.takeToSend(`${pipeline}-${runs[pipeline] ?? 0}`, undefined, 99),
  }))
  return {
    pipelines: await Promise.all(ofPipelines),
    held: await all(state.held(PIPELINES)),
    plans: await state.heldPlans(PIPELINES),
    rejects: await all(state.rejects(undefined)),
  }
}

it('two states that are asked the same answer the same', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 25 }), async (history) => {
      const courses = [openTemporaryState(), memoryState()].map((state): Course => ({
        world: worldOver(state),
        runs: {},
        answers: [],
      }))
      const [disk, memory] = courses as [Course, Course]
      for (const { pipeline, action: given } of history) {
        for (const course of courses) await play(course, pipeline, given)
        expect(await sightOf(memory)).toEqual(await sightOf(disk))
      }
      expect(memory.answers).toEqual(disk.answers)
      await disk.world.state.close()
    }),
    { numRuns: Number(process.env['HISTORIES'] ?? 40) },
  )
})
