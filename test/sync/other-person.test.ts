// A key that was given to another person: that one record waits, everything else goes.
import { describe, expect, it } from 'vitest'
import { type Line, testLine } from '../support/line.ts'
import { GUARDS } from '../support/pipeline.ts'
import type { PipelineSettings } from '../../src/core/settings.ts'

const HEADER = ['no', 'mail', 'first', 'last', 'born', 'phone']
const ANNA = ['K1', 'anna@example.com', 'Anna', 'Weber', '1980-02-03', '1']
const BEN = ['K1', 'ben@example.com', 'Ben', 'Roth', '1991-07-08', '1']
const CARLA = ['K2', 'carla@example.com', 'Carla', 'Brandt', '1975-05-06', '1']

const bornLine = (pipeline: Partial<PipelineSettings> = {}): Line => {
  const line = testLine()
  line.pipeline = {
    ...line.pipeline,
    map: { ...line.pipeline.map, date_of_birth: { column: 'born' } },
    ...pipeline,
  }
  return line
}

async function runWith(line: Line, ...rows: readonly (readonly string[])[]) {
  line.source.drop('people.csv', [HEADER, ...rows])
  return line.run()
}

const mailsOf = (line: Line) => [...line.service.contacts.values()].map(({ mail }) => mail)
const with_ = (row: readonly string[], phone: string) => [...row.slice(0, -1), phone]

describe('a key that is given to another person', () => {
  it('is held, and the rest of the file goes', async () => {
    const line = bornLine()
    await runWith(line, ANNA, CARLA)
    const held = await runWith(line, BEN, with_(CARLA, '2'))
    expect(held).toMatchObject({ status: 'held', updated: 1, held: 1 })
    expect(mailsOf(line)).toEqual(['anna@example.com', 'carla@example.com'])
    expect(await line.state.heldPlans(['shop'])).toMatchObject([
      { guard: 'other_person', number: 1, left: 1, threshold: '0' },
    ])
    const { totals } = await bornPreview(line)
    expect(totals.held_by).toMatchObject([{ guard: 'other_person', holds: 'records', number: 1 }])
  })

  it('goes once it is released, also where the file comes again before', async () => {
    const line = bornLine()
    await runWith(line, ANNA, CARLA)
    const { run_id: run } = await runWith(line, BEN, CARLA)
    await line.state.release(run, 1)
    expect(await runWith(line, BEN, CARLA)).toMatchObject({ status: 'ok', updated: 1, held: 0 })
    expect(mailsOf(line)).toEqual(['ben@example.com', 'carla@example.com'])
    expect(await runWith(line, BEN, CARLA)).toMatchObject({ unchanged: 2, requests: 0 })
  })

  it('is no longer held once the file has the first person again', async () => {
    const line = bornLine()
    await runWith(line, ANNA, CARLA)
    await runWith(line, BEN, CARLA)
    expect(await runWith(line, ANNA, CARLA)).toMatchObject({ status: 'ok', unchanged: 2, requests: 0 })
    expect(await line.state.heldPlans(['shop'])).toEqual([])
  })

  it('is held beside what another guard holds, each by its own', async () => {
    const line = bornLine({
      mode: 'full',
      on_missing: 'delete',
      guards: { ...GUARDS, hold_first_deletes: true },
    })
    await runWith(line, ANNA, CARLA)
    const held = await runWith(line, BEN)
    expect(held).toMatchObject({ held: 1, held_deletes: 1 })
    expect(held.files[0]?.error).toMatch(/at once: .*; in addition, 1 contact would be the first/)
    const guards = (await line.state.heldPlans(['shop'])).map(({ guard }) => guard)
    expect(guards.sort()).toEqual(['hold_first_deletes', 'other_person'])
  })

  it('is judged by the last of several records where that one counts', async () => {
    const line = bornLine({ on_duplicate_key: 'last' })
    await runWith(line, ANNA)
    expect(await runWith(line, BEN, with_(ANNA, '2'))).toMatchObject({ updated: 1, held: 0 })
    expect(await runWith(line, with_(ANNA, '3'), BEN)).toMatchObject({ updated: 0, held: 1 })
  })

  it('goes where the pipeline says so', async () => {
    const line = bornLine({ guards: { ...GUARDS, hold_other_person: false } })
    await runWith(line, ANNA)
    expect(await runWith(line, BEN)).toMatchObject({ status: 'ok', updated: 1 })
  })
})

async function bornPreview(line: Line) {
  line.source.drop('people.csv', [HEADER, BEN, CARLA])
  return line.preview()
}
