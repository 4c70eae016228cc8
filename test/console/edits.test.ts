// The page of values that were edited at the service, and the same on the page of a contact.
import { expect, it } from 'vitest'
import { openState } from '../../src/store/state-store.ts'
import { HEADER, testLine } from '../support/line.ts'
import { MARKUP, openDesk } from './desk.ts'

async function editedPast(path: string): Promise<void> {
  const state = openState(path, { pid: 1, since: 0, thorough: false })
  const line = testLine({ state, pipeline: { hand_edits: 'keep', update_method: 'update_add' } })
  const rows = (phone: string) =>
    Array.from({ length: 60 }, (_, index) => [
      `K${index}`,
      `p${index}@example.com`,
      'Ann',
      'B',
      `${phone} ${index}`,
    ])
  line.source.drop('1.csv', [[...HEADER], ...rows('1')])
  await line.run()
  for (const [id, contact] of line.service.contacts)
    line.service.contacts.set(id, { ...contact, phone: MARKUP })
  line.source.drop('2.csv', [[...HEADER], ...rows('2')])
  await line.run()
  await state.close()
}

it('lists every edit with all three values, by pages without a key in the address', async () => {
  const desk = await openDesk((data) => data, editedPast)
  try {
    const first = await desk.page('/edits?pipeline=shop')
    expect(first.body).toContain('&lt;script&gt;')
    expect(first.body).not.toContain(MARKUP)
    expect(first.body).toContain('<bdi class="said">1 0</bdi>')
    expect(first.body).toContain('<bdi class="said">2 0</bdi>')
    // A long key leaves the name of the field its room.
    expect(first.body).toMatch(/data-title="Field"\s+class="name"><div><bdi class="said">phone</)
    expect(first.body).toContain('contact-sync edits release PIPELINE KEY')
    const [, next = ''] = /href="(\/edits\?[^"]*from=\d+)"/.exec(first.body) ?? []
    expect(next).not.toBe('')
    const second = await desk.page(next.replaceAll('&amp;', '&'))
    expect(second.body).toContain('<bdi class="said">K59</bdi>')
    expect((await desk.page('/edits?pipeline=nothing')).status).toBe(200)
    const { records } = await desk.data.views.search('K7', 1)
    const contact = await desk.page(`/contacts/${records[0]?.contactId ?? 0}`)
    expect(contact.body).toContain('Edited at the service')
    expect(contact.body).toContain('<bdi class="said">2 7</bdi>')
  } finally {
    await desk.close()
  }
})
