// What the files say together depends on the order in which they were worked on, not on that of their first openings.
import { expect, it } from 'vitest'
import { pipelineSettings } from '../support/pipeline.ts'
import { expectedOf } from './expected.ts'
import { rowOf } from './people.ts'
import { createSimulatedSource } from './simulated-source.ts'

const person = {
  ...{ number: 1, mailOf: 1, mailRevision: 0, phoneRevision: 0, hasPhone: true, tags: [] },
  ...{ status: 3, consented: '' },
}

const listing = { wait: false, signal: new AbortController().signal }

it('a file that ended the process, and is read again before a newer one, is the older one', async () => {
  const source = createSimulatedSource(() => 0)
  const openAll = async () => {
    const { ready } = await source.list(listing)
    for (const input of ready) await source.open(input, { columns: [] })
    return ready
  }
  source.drop('1.csv', [rowOf({ ...person, revision: 0 }, 'A')])
  await openAll()
  source.drop('2.csv', [rowOf({ ...person, revision: 1 }, 'A')])
  const [first] = await openAll()
  if (first === undefined) throw new Error('nothing waits')
  const reason = 'the process ended 3 times while it read this file'
  await source.archive(first, { folder: 'failed', runId: 'r1', reason })
  for (const input of await openAll()) await source.archive(input, { folder: 'processed', runId: 'r2' })
  const { candidates } = expectedOf(source, pipelineSettings({ name: 'A', key: ['no'] }))
  expect(candidates.get('A1')?.map(({ fields }) => fields['first_name'])).toEqual(['Vcanx1x1'])
})
