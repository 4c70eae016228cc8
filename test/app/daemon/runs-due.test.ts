import { describe, expect, it } from 'vitest'
import { pipelinesDue } from '../../../src/app/daemon/runs-due.ts'
import type { BrakeStanding } from '../../../src/core/change/waiting/brake.ts'
import { GUARDS, pipelineSettings } from '../../support/pipeline.ts'

const BRAKE = { above: 1, first: 1, watch: 1000, stop_when: {} }
const braked = (name: string, term = 'Newsletter') =>
  pipelineSettings({ name, guards: { ...GUARDS, brake: { ...BRAKE, terms: [term] } } })
const settings = {
  pipelines: [
    braked('shop'),
    braked('crm'),
    pipelineSettings({ name: 'other' }),
    braked('former', 'Mailing'),
  ],
}
const standing = (more: Partial<BrakeStanding> = {}): BrakeStanding => ({
  ...{ term: 'newsletter', name: 'Newsletter', phase: 'watching', runId: 'r', since: 0, figures: undefined },
  ...{ waiting: [{ pipeline: 'shop', asks: 3 }] },
  ...more,
})
const ALIASES = new Map([['mailing', 'Newsletter']])
const due = (now: number, ...brakes: BrakeStanding[]): Promise<readonly string[]> =>
  pipelinesDue(
    { brakes: () => Promise.resolve(brakes), termAliases: () => Promise.resolve(ALIASES) },
    settings,
    now,
  )

describe('a run for a brake is due', () => {
  it('of the pipelines that wait, after the time of the watch', async () => {
    expect(await due(999, standing())).toEqual([])
    expect(await due(1000, standing())).toEqual(['shop'])
    expect(await due(1000, standing({ waiting: [] }))).toEqual(['shop', 'crm', 'former'])
  })

  it('at once where the watch began by a clock that was ahead', async () => {
    expect(await due(9000, standing({ since: 9001 }))).toEqual(['shop'])
  })

  it('of none where the rest is held, or the term is another', async () => {
    expect(await due(9000, standing({ phase: 'held' }))).toEqual([])
    expect(await due(9000, standing({ term: 'club' }))).toEqual([])
    expect(await due(9000)).toEqual([])
  })
})
