// A contact whose mail was to change, and whose answer was lost, may have that mail although its record says another by now: under
// duplicate_check_method: email a create with it would be merged into the contact of someone else.
import { describe, expect, it } from 'vitest'
import { HEADER, type Line, testLine } from '../support/line.ts'

const ANN = (mail: string): string[] => ['K1', mail, 'Ann', 'A', '']
const BEA = ['K2', 'b@example.com', 'Bea', 'B', '2']

const lose =
  (applied: boolean): Line['service']['fault'] =>
  ({ method }) =>
    method === 'PUT' ? { kind: 'unknown', applied } : undefined

async function drop(line: Line, ...rows: string[][]) {
  line.source.drop('a.csv', [[...HEADER], ...rows])
  return line.run()
}

/** K1 is at the service with b@example.com, and the state does not know it; its record says c@example.com. */
async function movedWithoutAnswer(pipeline: Line['pipeline'] | object): Promise<Line> {
  const line = testLine({ pipeline })
  await drop(line, ANN('a@example.com'))
  line.service.fault = lose(true)
  expect(await drop(line, ANN('b@example.com'))).toMatchObject({ failed: 1 })
  line.service.fault = lose(false)
  return line
}

describe.each([
  ['overwrite', {}],
  ['keep', { hand_edits: 'keep', duplicate_merge_method: 'add', update_method: 'update_add' }],
] as const)('a mail that a lost update brought, hand_edits: %s', (_, pipeline) => {
  it('is not created for another record before the contact has given it up', async () => {
    const line = await movedWithoutAnswer(pipeline)
    expect(await drop(line, ANN('c@example.com'), BEA)).toMatchObject({ created: 0, held: 0 })
    expect(line.service.contacts.get(1)).toMatchObject({ mail: 'b@example.com', first_name: 'Ann' })
    line.service.fault = () => undefined
    await line.run()
    await line.run()
    expect([...line.service.contacts.values()]).toMatchObject([
      { mail: 'c@example.com', first_name: 'Ann', family_name: 'A' },
      { mail: 'b@example.com', first_name: 'Bea', family_name: 'B' },
    ])
    expect(line.service.contacts.get(1)).not.toMatchObject({ phone: '2' })
  })

  it('is held for another record where nothing waits that gives it up', async () => {
    const line = await movedWithoutAnswer({ ...pipeline, mode: 'full' })
    expect(await drop(line, BEA)).toMatchObject({ held: 1, created: 0 })
    expect(line.service.contacts.size).toBe(1)
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Ann' })
  })

  it('is free once the contact is known to have another', async () => {
    const line = await movedWithoutAnswer(pipeline)
    line.service.fault = () => undefined
    expect(await drop(line, ANN('c@example.com'))).toMatchObject({ failed: 0 })
    expect(await drop(line, BEA)).toMatchObject({ created: 1 })
  })
})
