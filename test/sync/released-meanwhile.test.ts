// A person releases what a run holds while that run still goes on: it is sent at its end, and counts as what became of it.
import { describe, expect, it } from 'vitest'
import type { GuardSettings } from '../../src/core/settings.ts'
import { people, testLine } from '../support/line.ts'
import { memorySource } from '../support/memory-source.ts'
import { GUARDS } from '../support/pipeline.ts'

/** What the run holds is released when its file `when` is archived. */
function releasing(guards: Partial<GuardSettings>, when: string) {
  const source = memorySource()
  const line = testLine({
    pipeline: { mode: 'full', on_missing: 'delete', guards: { ...GUARDS, ...guards } },
    source: {
      ...source,
      async archive(input, to) {
        const isArchived = await source.archive(input, to)
        if (input.name === when) await line.state.release(to.runId, line.clock.now())
        return isArchived
      },
    },
  })
  return { line, source }
}

describe('a release that is taken while its run goes on', () => {
  it('counts a record that was held as what became of it, and nothing as held', async () => {
    const { line, source } = releasing({ max_changes: { count: 2 } }, '1.csv')
    source.drop('1.csv', people(3))
    const run = await line.run()
    expect(line.service.contacts.size).toBe(3)
    expect(run).toMatchObject({ status: 'ok', read: 3, created: 3, held: 0 })
    expect(run.files).toEqual([{ file: '1.csv', status: 'done' }])
    expect(run).not.toHaveProperty('error')
  })

  it('counts a delete that was held as a delete', async () => {
    const { line, source } = releasing({ max_deletes: { count: 0 } }, '2.csv')
    source.drop('1.csv', people(4))
    await line.run()
    source.drop('2.csv', people(2))
    const run = await line.run()
    expect(line.service.contacts.size).toBe(2)
    expect(run).toMatchObject({ status: 'ok', read: 2, unchanged: 2, deleted: 2, held_deletes: 0 })
    expect(run.files).toEqual([{ file: '2.csv', status: 'done' }])
  })

  it('leaves what a later file of the run has held', async () => {
    const { line, source } = releasing({ max_changes: { count: 2 } }, '1.csv')
    source.drop('1.csv', people(3))
    source.drop('2.csv', people(6))
    const run = await line.run()
    // The first three of the second file are what was released.
    expect(run).toMatchObject({ status: 'held', read: 9, created: 3, held: 6 })
    expect(run.files.map(({ status }) => status)).toEqual(['held', 'held'])
  })
})
