// Plans of which approvers must release a part, over both states: what waits, what goes, and what a later plan makes of it.
import { describe, expect, it } from 'vitest'
import type { ApprovalRule } from '../../src/core/change/waiting/approval-settings.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { people, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'
import { memoryState } from '../support/state/memory-state.ts'
import { temporaryState } from '../support/state/temporary-state.ts'

const STATES = [
  ['on disk', temporaryState],
  ['in memory', memoryState],
] as const

const under = (settings: string, ...rules: ApprovalRule[]): Partial<PipelineSettings> => ({
  ...{ mode: 'full', on_missing: 'delete', approvals: { rules, settings, approvers: ['anna', 'bert'] } },
  guards: { ...GUARDS, max_deletes: { share: 1 }, max_deletes_per: 'off' },
})

describe.each(STATES)('approvals (%s)', (_, state) => {
  it('hold the deletes of a plan, and let the rest go', async () => {
    const line = testLine({
      state: state(),
      pipeline: under('s', { when: { deletes: { count: 2 } }, by: 2 }),
    })
    line.source.drop('1.csv', people(10))
    await line.run()
    line.source.drop('2.csv', people(9, 2))
    expect(await line.run()).toMatchObject({ deleted: 1, held: 0 })
    line.source.drop('3.csv', people(9, 4))
    expect(await line.run()).toMatchObject({ created: 2, held: 0, held_deletes: 2, deleted: 0 })
    const counting = { approvers: ['anna'], settings: { shop: 's' } }
    expect(await line.state.heldPlans(['shop'], counting)).toMatchObject([
      { guard: 'approval', number: 2, needed: 2, approvedBy: [], threshold: 'deletes 2, by 2' },
    ])
  })

  it('are needed by what a guard holds as well, and no operator alone releases it', async () => {
    const rules = under('s', { when: { changes: { count: 5 } }, by: 1 })
    const line = testLine({
      state: state(),
      pipeline: { ...rules, guards: { ...GUARDS, max_changes: { count: 3 } } },
    })
    line.source.drop('1.csv', people(6))
    const { run_id: run } = await line.run()
    expect(await line.state.heldPlans(['shop'])).toMatchObject([{ guard: 'max_changes', needed: 1 }])
    await line.state.release(run, line.clock.now())
    expect(await line.state.released('shop')).toBe(0)
    expect(await line.run()).toMatchObject({ created: 0 })
    expect(await line.state.heldPlans(['shop'])).toMatchObject([{ number: 6, releasedAt: undefined }])
  })

  it.each(['Newsletter', 'News'])('hold a term that was renamed, where a rule names it %s', async (name) => {
    const rules = under('s', { when: { terms: [name] }, by: 1 })
    const terms = { assign: [{ name: 'Newsletter' }], policy: 'add', descriptions: {} } as const
    const line = testLine({
      state: { ...state(), termAliases: () => Promise.resolve(new Map([['newsletter', 'News']])) },
      pipeline: { ...rules, terms: { ...terms, create_missing: true, verify: false } },
    })
    line.source.drop('1.csv', people(2))
    expect(await line.run()).toMatchObject({ held: 2, created: 0 })
  })

  it('of the most that any rule asks for are needed by each change', async () => {
    const rules: ApprovalRule[] = [
      { when: { changes: { count: 1 } }, by: 1 },
      { when: { deletes: { count: 1 } }, by: 3 },
    ]
    const line = testLine({ state: state(), pipeline: under('s', ...rules) })
    line.source.drop('1.csv', people(3))
    expect(await line.run()).toMatchObject({ held: 3 })
    const needed: number[] = []
    for await (const operation of line.state.held(['shop'])) needed.push(operation.needed)
    expect(needed).toEqual([1, 1, 1])
  })
})
