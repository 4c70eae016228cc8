// The page of a contact that more pipelines share than a page has room for.
import { expect, it } from 'vitest'
import { openState } from '../../src/store/state-store.ts'
import { HEADER, testLine } from '../support/line.ts'
import { memoryService } from '../support/memory-service.ts'
import { openDesk } from './desk.ts'

const PIPELINES = 103

/** Each pipeline sends a first name, which is then edited at the service. */
async function sharedPast(path: string): Promise<void> {
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  const service = memoryService()
  const lines = Array.from({ length: PIPELINES }, (_, index) =>
    testLine({
      state,
      service,
      pipeline: { name: `p${index}`, hand_edits: 'keep', update_method: 'update_add' },
    }),
  )
  const runAll = async (first: string): Promise<void> => {
    for (const line of lines) {
      line.source.drop(`${first}.csv`, [[...HEADER], ['K1', 'p@example.com', first, 'B', '']])
      await line.run()
    }
  }
  await runAll('Ann')
  for (const [id, contact] of service.contacts) service.contacts.set(id, { ...contact, first_name: 'Edited' })
  await runAll('Bea')
  await state.close()
}

it('says how many records and edits it leaves out', async () => {
  const desk = await openDesk((data) => data, sharedPast)
  try {
    const { body } = await desk.page('/contacts/1')
    expect(body).toContain('Only 100 of 103 linked records are shown.')
    expect(body).toContain('Only 100 of 103 edited values are shown.')
    expect(body.match(/<h3>/g)).toHaveLength(100)
  } finally {
    await desk.close()
  }
})
