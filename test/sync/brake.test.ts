// A term that may start a mailing: the first contacts, the look at them, and what waits meanwhile, over many runs.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { printOfChange } from '../../src/core/change/waiting/approval.ts'
import { droppedOf } from '../../src/core/change/waiting/dropped.ts'
import type { Operation } from '../../src/core/change/operation.ts'
import { runAccount } from '../../src/core/log/run-account.ts'
import type { BrakeRule } from '../../src/core/change/waiting/brake.ts'
import type { StateStore } from '../../src/core/state-store.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HOUR_MS } from '../../src/core/words/duration.ts'
import { realState } from '../support/state/temporary-state.ts'
import { type Line, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'

const RULE: BrakeRule = {
  ...{ terms: ['Newsletter'], above: 5, first: 2, watch: 24 * HOUR_MS },
  stop_when: { unsubscribed: 0.5, refused: 0.5 },
}

/** Brakes are tried over a real state alone. */
const line = (pipeline: Partial<PipelineSettings> = {}, shared?: Line): Line & { state: StateStore } =>
  testLine({
    ...(shared === undefined
      ? { state: realState() }
      : { state: shared.state, service: shared.service, runs: 50 }),
    pipeline: {
      terms: {
        ...{ policy: 'managed', create_missing: true, assign: [{ column: 'tags', split: ',' }] },
        ...{ descriptions: {}, verify: false },
      },
      guards: { ...GUARDS, brake: RULE },
      ...pipeline,
    },
  }) as Line & { state: StateStore }

const COLUMNS = ['no', 'mail', 'first', 'last', 'phone', 'tags']
/** Records with these numbers and tags. */
const people = (from: number, to: number, tags = 'Newsletter', first = 'A'): string[][] => [
  COLUMNS,
  ...Array.from({ length: to - from + 1 }, (_, index) => {
    const number = from + index
    return [`K${number}`, `person${number}@example.com`, first, 'B', '', tags]
  }),
]

let files = 0
async function drop(one: Line, rows: string[][]) {
  one.source.drop(`${++files}.csv`, rows)
  return one.run()
}

function setStatus(one: Line, id: number, status: number): void {
  const contact = one.service.contacts.get(id)
  if (contact !== undefined) contact['mail_status'] = status
}

/** Contacts that have the term. */
const given = (one: Line, term = 'newsletter'): number[] =>
  [...one.service.contacts.keys()].filter((id) =>
    one.service.termsOf(id).some((name) => name.toLowerCase() === term),
  )

describe('up to the number', () => {
  it('everyone gets the term in the same run, and each record counts once', async () => {
    const one = line()
    expect(await drop(one, people(1, 5, 'Newsletter,Club'))).toMatchObject({
      status: 'ok',
      read: 5,
      created: 5,
      updated: 0,
    })
    expect(given(one)).toHaveLength(5)
    expect(given(one, 'club')).toHaveLength(5)
    expect(await drop(one, people(1, 5, 'Newsletter,Club'))).toMatchObject({
      read: 5,
      unchanged: 5,
      requests: 0,
    })
  })

  it('small files are counted together, and again from zero after the time of the watch', async () => {
    const one = line()
    await drop(one, people(1, 3))
    expect(given(one)).toHaveLength(3)
    one.clock.advance(RULE.watch)
    await drop(one, people(4, 8))
    expect(given(one)).toHaveLength(8)
    expect(await drop(one, people(9, 12))).toMatchObject({ status: 'held' })
    expect(given(one)).toHaveLength(10)
  })
})

describe('above the number', () => {
  it('is planned like this, too, where no contact is there yet, and where nothing is asked', async () => {
    const one = line()
    one.source.drop('a.csv', people(1, 20))
    const { plan, changes } = await one.preview()
    expect(plan.counts).toMatchObject({ read: 20, created: 20, updated: 0 })
    expect(changes).toHaveLength(22)
  })

  it('is planned where nothing is asked of the service', async () => {
    const one = line()
    await drop(one, people(1, 20, 'Club'))
    one.source.drop('a.csv', people(1, 20, 'Club,Newsletter'))
    const { plan, changes } = await one.preview({ isOffline: true })
    expect(plan).toMatchObject({ counts: { read: 20, updated: 2, held: 18 }, held: { brake: 18 } })
    expect(plan.unasked).toContain('contacts')
    expect(changes).toHaveLength(2)
  })

  it('a record whose term is left when the run is ended counts once, as failed; the next run gives it', async () => {
    const one = line()
    one.service.fault = ({ path }) => {
      if (path.includes('/terms')) one.abort.abort()
      return undefined
    }
    const { read, created, failed } = await drop(one, people(1, 4))
    expect({ read, created, failed }).toEqual({ read: 4, created: 1, failed: 3 })
    one.service.fault = () => undefined
    one.abort = new AbortController()
    expect(await one.run()).toMatchObject({ status: 'ok', failed: 0 })
    expect(given(one)).toHaveLength(4)
  })

  it('a record that was created and then not given its term counts once, as what is worse', async () => {
    const one = line()
    one.service.fault = ({ method, path }) =>
      method === 'POST' && path.includes('/terms') ? { kind: 'refused', status: 422 } : undefined
    const result = await drop(one, people(1, 3))
    expect(result.read).toBe(3)
    expect(result.created + result.failed + result.rejected).toBe(3)
    expect(result.created).toBeLessThan(3)
  })

  it('the first get it, the rest waits; newer files join it, and other fields go', async () => {
    const one = line()
    const result = await drop(one, people(1, 20))
    expect(result).toMatchObject({ status: 'held', created: 20 })
    expect(result.files.at(-1)).toMatchObject({
      status: 'held',
      error: expect.stringContaining('18 records wait for the term Newsletter') as string,
    })
    const first = given(one)
    expect(first).toHaveLength(2)
    expect(await drop(one, people(21, 30))).toMatchObject({ status: 'held', created: 10 })
    expect(await drop(one, people(1, 20, 'Newsletter', 'Changed'))).toMatchObject({
      status: 'held',
      updated: 20,
    })
    expect(given(one)).toEqual(first)
    expect(await one.state.heldPlans(['shop'])).toMatchObject([{ guard: 'brake', number: 28, left: 28 }])
    expect((await one.state.backlog('shop')).held).toBe(28)
    // A run without a file, and one just before the time, change nothing.
    one.clock.advance(RULE.watch - 10_000)
    await one.run()
    expect(given(one)).toEqual(first)
  })

  it('the rest gets it by itself when the first are well after the watch', async () => {
    const one = line()
    await drop(one, people(1, 20))
    one.clock.advance(RULE.watch + 1000)
    expect(await one.run()).toMatchObject({ status: 'ok', updated: 18 })
    expect(given(one)).toHaveLength(20)
    expect(await one.state.heldPlans(['shop'])).toEqual([])
    // What comes then is counted anew.
    expect(await drop(one, people(21, 25))).toMatchObject({ status: 'ok' })
    expect(await drop(one, people(26, 29))).toMatchObject({ status: 'held' })
  })

  it.each([
    ['unsubscribed', 2],
    ['blocked', 1],
  ])(
    'the rest is held with the figures when too many of the first are %s, until it is released',
    async (_, status) => {
      const one = line()
      const { run_id: run } = await drop(one, people(1, 20))
      const [victim = 0] = given(one)
      setStatus(one, victim, status)
      one.clock.advance(RULE.watch + 1000)
      expect(await one.run()).toMatchObject({ status: 'held', updated: 0 })
      expect(await one.state.heldPlans(['shop'])).toMatchObject([
        { runId: run, guard: 'brake', number: 18, threshold: expect.stringContaining('50%') as string },
      ])
      one.clock.advance(10 * RULE.watch)
      await drop(one, people(21, 22))
      expect(given(one)).toHaveLength(2)
      await one.state.concludeDecision(0, { at: one.clock.now(), effects: [{ do: 'release', run }] })
      expect(await one.run()).toMatchObject({ status: 'ok', updated: 20 })
      expect(given(one)).toHaveLength(22)
    },
  )

  it('a status from before is not one that the term has caused', async () => {
    const one = line()
    await drop(one, people(1, 6, ''))
    for (const id of one.service.contacts.keys()) setStatus(one, id, 2)
    expect(await drop(one, people(1, 6))).toMatchObject({ status: 'held', held: 4, updated: 2 })
    one.clock.advance(RULE.watch + 1000)
    expect(await one.run()).toMatchObject({ status: 'ok', updated: 4 })
  })

  it('a record that asks for it no longer does not get it', async () => {
    const one = line()
    await drop(one, people(1, 20))
    const first = given(one)
    await drop(one, people(1, 20, ''))
    one.clock.advance(RULE.watch + 1000)
    await one.run()
    expect(given(one)).toEqual([])
    expect(first).toHaveLength(2)
  })

  describe('where a full export lacks a record', () => {
    const guards = { ...GUARDS, max_deletes: { share: 1 }, brake: RULE }
    const full = (onMissing: 'keep' | 'remove_terms' | 'delete') =>
      line({ mode: 'full', on_missing: onMissing, guards })
    const numbers = (from: number, to: number, but: readonly number[]): string[][] =>
      people(from, to).filter(([no = '']) => !but.map((id) => `K${id}`).includes(no))

    it.each(['keep', 'remove_terms'] as const)(
      'it does not get it before it is back (on_missing: %s)',
      async (onMissing) => {
        const one = full(onMissing)
        await drop(one, people(1, 20))
        const [missing = 0] = [...one.service.contacts.keys()].filter((id) => !given(one).includes(id))
        await drop(one, numbers(1, 20, [missing]))
        one.clock.advance(RULE.watch + 1000)
        await one.run()
        expect(given(one)).toHaveLength(19)
        expect(given(one)).not.toContain(missing)
        await drop(one, people(1, 20))
        expect(given(one)).toContain(missing)
      },
    )

    it('nothing waits for it any more once its contact was deleted', async () => {
      const one = full('delete')
      const { run_id: run } = await drop(one, people(1, 20))
      const first = given(one)
      await drop(
        one,
        numbers(
          1,
          20,
          [1, 2, 3, 4].filter((id) => !first.includes(id)),
        ),
      )
      const left = one.service.contacts.size - first.length
      expect(await one.state.heldPlans(['shop'])).toMatchObject([{ runId: run, number: left, left }])
      expect((await one.state.backlog('shop')).held).toBe(left)
    })

    it('others are drawn where the contacts of all of the first were deleted', async () => {
      const one = full('delete')
      await drop(one, people(1, 20))
      one.clock.advance(RULE.watch - 10_000)
      await drop(one, numbers(1, 20, given(one)))
      one.clock.advance(RULE.watch - 10_000)
      expect(await one.run()).toMatchObject({ status: 'held' })
      expect(given(one)).toHaveLength(2)
    })
  })

  it('what is suppressed meanwhile is not given it, and is not tried by every run', async () => {
    const one = line()
    await drop(one, people(1, 20))
    const first = given(one)
    const [id = 0] = [...one.service.contacts.keys()].filter((contact) => !first.includes(contact))
    const mail = one.service.contacts.get(id)?.['mail']
    one.suppression = { now: () => Promise.resolve({ edition: 1, has: (address) => address === mail }) }
    one.clock.advance(RULE.watch + 1000)
    await one.run()
    expect(given(one)).toHaveLength(19)
    expect(one.service.termsOf(id)).toEqual([])
    expect(await one.run()).toMatchObject({ status: 'ok', read: 0 })
  })

  it('what began by a clock that was ahead is watched from the moment on at which that is put back', async () => {
    const one = line()
    one.clock.advance(8760 * HOUR_MS)
    await drop(one, people(1, 20))
    one.clock.advance(-8760 * HOUR_MS)
    await one.run()
    expect(await one.state.brakes()).toMatchObject([{ phase: 'watching', since: one.clock.now() }])
    one.clock.advance(RULE.watch - 10_000)
    await one.run()
    expect(given(one)).toHaveLength(2)
    one.clock.advance(10_000)
    await one.run()
    expect(given(one)).toHaveLength(20)
    // What was given by that clock before the look counts no more, and what is given now does.
    await drop(one, people(101, 104))
    await drop(one, people(201, 204))
    expect(given(one)).toHaveLength(20 + 4 + 2)
  })

  it('what is given after a brake that was opened by a clock that was ahead counts', async () => {
    const one = line()
    one.clock.advance(8760 * HOUR_MS)
    await drop(one, people(1, 20))
    one.clock.advance(RULE.watch + 1000)
    await one.run()
    expect(given(one)).toHaveLength(20)
    one.clock.advance(-8800 * HOUR_MS)
    await drop(one, people(101, 104))
    await drop(one, people(201, 204))
    expect(given(one)).toHaveLength(20 + 4 + 2)
  })

  it('counts over all pipelines of the service', async () => {
    const one = line()
    const crm = line({ name: 'crm' }, one)
    await drop(one, people(1, 3))
    await drop(crm, people(101, 103))
    expect(given(one)).toHaveLength(5)
    expect(await crm.state.heldPlans(['shop', 'crm'])).toMatchObject([{ pipeline: 'crm', number: 1 }])
  })

  it('a record that several files of a run change counts for each of them, and its term not again', async () => {
    const counts = { read: 16, created: 1, updated: 15, unchanged: 0, held: 0 }
    const waiting = async (): Promise<Line> => {
      const one = line()
      await drop(one, people(1, 7))
      for (const first of ['C', 'D']) one.source.drop(`${++files}.csv`, people(1, 8, 'Newsletter', first))
      return one
    }
    expect((await (await waiting()).preview()).plan.counts).toMatchObject(counts)
    expect(await (await waiting()).run()).toMatchObject({ status: 'held', ...counts })
  })

  it.each([
    ['twice', ['Newsletter', 'A'], ['newsletter', 'A'], { updated: 1, unchanged: 1 }],
    ['before other changes', ['Newsletter', 'A'], ['Newsletter', 'B'], { updated: 1, unchanged: 1 }],
    ['after other changes', ['Newsletter', 'B'], ['newsletter', 'B'], { updated: 2, unchanged: 0 }],
    ['and then no longer,', ['Newsletter', 'A'], ['', 'A'], { updated: 0, unchanged: 2 }],
  ])(
    'a record that asks for nothing else, %s in the files of a run, is not held',
    async (_, one, other, counts) => {
      const few = line()
      await drop(few, people(1, 1, ''))
      for (const [tags, first] of [one, other]) few.source.drop(`${++files}.csv`, people(1, 1, tags, first))
      const result = await few.run()
      expect(result).toMatchObject({ status: 'ok', read: 2, held: 0, ...counts })
      expect(given(few)).toHaveLength(other[0] === '' ? 0 : 1)
      const { updated } = await runAccount(few.state.entriesOfRun(result.run_id))
      expect(updated).toBe(counts.updated)
    },
  )

  it.each([
    ['a new contact', ''],
    ['a contact that is there', 'Club'],
    ['a contact that waits for another term', 'Special'],
  ])('gives %s no term that only an earlier row of its file names', async (_, before) => {
    const one = line({
      on_duplicate_key: 'last',
      guards: { ...GUARDS, brake: { ...RULE, terms: ['Newsletter', 'Special'] } },
    })
    if (before !== '') await drop(one, people(1, before === 'Club' ? 1 : 9, before))
    const [, ...later] = people(1, 1, before)
    one.source.drop(`${++files}.csv`, [...people(1, 1, `Newsletter,${before}`), ...later])
    const { skipped, held } = await one.run()
    expect(skipped).toBe(1)
    expect(given(one)).toEqual([])
    expect(held).toBe(0)
    one.clock.advance(RULE.watch + 1000)
    await one.run()
    expect(given(one)).toEqual([])
  })

  it('what is released of a record gives nothing to another pipeline that has the same key', async () => {
    const one = line()
    const { run_id: run } = await drop(one, people(1, 8))
    const crm = line({ name: 'crm' }, one)
    await drop(
      crm,
      people(1, 3).map((row, index) => (index === 0 ? row : row.with(1, `other${index}@example.com`))),
    )
    const before = given(one)
    const effect = { do: 'release', run, keys: ['K3'], pipeline: 'crm' } as const
    await one.state.concludeDecision(0, { at: one.clock.now(), effects: [effect] })
    await one.run()
    await crm.run()
    const added = given(one).filter((id) => !before.includes(id))
    expect(added.map((id) => one.service.contacts.get(id)?.['mail'])).toEqual(['other3@example.com'])
  })

  it('what was released counts once with the released change of its record', async () => {
    const one = line({ guards: { ...GUARDS, brake: RULE, max_changes: { count: 2 } } })
    const { run_id: run } = await drop(one, people(1, 5))
    await one.state.concludeDecision(0, { at: one.clock.now(), effects: [{ do: 'release', run }] })
    const result = await one.run()
    expect(result).toMatchObject({ status: 'ok', read: 5, created: 5 })
    expect(given(one)).toHaveLength(5)
    const account = await runAccount(one.state.entriesOfRun(result.run_id))
    expect(account).toMatchObject({ created: 5, updated: 0, deleted: 0 })
  })

  it('what was released counts once where a newer file has its records, and names the rows of that', async () => {
    const one = line()
    const { run_id: run } = await drop(one, people(1, 7))
    await one.state.concludeDecision(0, { at: one.clock.now(), effects: [{ do: 'release', run }] })
    // Other rows that say the same: of five of them nothing but the term is to be sent.
    const result = await drop(one, people(1, 7, 'newsletter'))
    expect(result).toMatchObject({ status: 'ok', read: 7, updated: 5, unchanged: 2, held: 0 })
    for await (const { source } of one.state.entriesOfRun(result.run_id))
      expect(source?.file).toBe(`${files}.csv`)
  })

  describe('where approvers must release the term', () => {
    const approvals = {
      settings: 's',
      approvers: ['anna', 'bert'],
      rules: [{ when: { terms: ['Newsletter'] }, by: 2 }],
    }
    const held = async (one: Line) => {
      const found: Operation[] = []
      for await (const operation of one.state.held(['shop']))
        if (operation.guard === 'approval') found.push(operation)
      return found
    }

    it('a record that the run has created or changed before counts once, as held', async () => {
      const counts = { read: 20, created: 18, held: 2 }
      const planned = line({ approvals })
      planned.source.drop('a.csv', people(1, 20))
      expect((await planned.preview()).plan.counts).toMatchObject(counts)
      expect(await drop(line({ approvals }), people(1, 20))).toMatchObject({ status: 'held', ...counts })
      const few = line({ approvals })
      await drop(few, people(1, 3, ''))
      const changed = people(1, 3, 'Newsletter', 'Changed')
      expect(await drop(few, changed)).toMatchObject({ read: 3, updated: 0, held: 3 })
    })

    it('what is dropped of it is not planned again', async () => {
      const one = line({ approvals })
      await drop(one, people(1, 3))
      const dropped = (await held(one)).slice(0, 1).map(droppedOf)
      await one.state.concludeDecision(0, { at: 0, effects: [{ do: 'drop', dropped }] })
      await one.run()
      await drop(one, people(1, 3))
      expect(await held(one)).toHaveLength(2)
    })

    it('approvals stay where its record comes again', async () => {
      const one = line({ approvals })
      await drop(one, people(1, 1))
      const [change] = await held(one)
      if (change === undefined) throw new Error('nothing is held')
      const { id: operation, key, pipeline, runId: run } = change
      const approved = [
        { operation, pipeline, key, print: printOfChange(change, 's'), releasedUnder: undefined },
      ]
      await one.state.concludeDecision(0, { at: 0, effects: [{ do: 'approve', run, by: 'anna', approved }] })
      await drop(one, people(1, 1))
      const [again] = await held(one)
      expect(again?.runId).not.toBe(run)
      expect(await one.state.approvals('shop', [key])).toMatchObject([
        { by: 'anna', print: again && printOfChange(again, 's') },
      ])
    })
  })

  it('the plan says what waits, and gives nothing', async () => {
    const one = line()
    one.source.drop('a.csv', people(1, 20))
    const { plan } = await one.preview()
    expect(JSON.stringify(plan)).toContain('18 records wait for the term Newsletter')
    expect(given(one)).toEqual([])
  })

  it.each(['Newsletter', 'News'])('sees a term that was renamed, where it names it %s', async (name) => {
    const first = line()
    const state = { ...first.state, termAliases: () => Promise.resolve(new Map([['newsletter', 'News']])) }
    const rule = { ...RULE, terms: [name] }
    const one = line({ guards: { ...GUARDS, brake: rule } }, { ...first, state })
    expect(await drop(one, people(1, 20))).toMatchObject({ status: 'held', created: 20 })
    expect(given(one, 'news')).toHaveLength(2)
    expect((await drop(one, people(21, 30, 'News'))).files.at(-1)?.error).toContain('28 records wait')
    one.clock.advance(RULE.watch)
    await one.run()
    expect(given(one, 'news')).toHaveLength(30)
  })

  it('never lets more than that many and the first have the term before the look, whatever the files', async () => {
    const step = fc.record({
      pipeline: fc.constantFrom('shop', 'crm'),
      rows: fc.integer({ min: 0, max: 7 }),
      later: fc.integer({ min: 0, max: 60 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
        const one = line()
        const lines = { shop: one, crm: line({ name: 'crm' }, one) }
        let asked = 0
        for (const { pipeline, rows, later } of steps) {
          const it = lines[pipeline]
          it.clock.advance(later * 60_000)
          if (rows > 0) await drop(it, people(asked + 1, asked + rows))
          else await it.run()
          asked += rows
          const now = given(one).length
          expect(now).toBeLessThanOrEqual(RULE.above + RULE.first)
          if (asked <= RULE.above) expect(now).toBe(asked)
        }
      }),
      { numRuns: 40 },
    )
  })
})
