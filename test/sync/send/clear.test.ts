// Emptying fields: in the form that the interface allows, read back, and named where the service empties nothing.
import { describe, expect, it } from 'vitest'
import type { FieldMapping } from '../../../src/core/mapping/mapping-schema.ts'
import { type Line, testLine } from '../../support/line.ts'

const HEADER = ['no', 'mail', 'title', 'type', 'country', 'born', 'first', 'phone']
const FULL = ['K1', 'a@example.com', 'm', 'work', 'DE', '1980-12-31', 'Ann', '1']
const map: Record<string, FieldMapping> = {
  mail: { column: 'mail' },
  title: { column: 'title' },
  phone_type: { column: 'type' },
  ba_country: { column: 'country' },
  date_of_birth: { column: 'born' },
  first_name: { column: 'first' },
  phone: { column: 'phone' },
}

async function linked(): Promise<Line> {
  const line = testLine({ pipeline: { blank: 'clear', map } })
  line.source.drop('1.csv', [HEADER, FULL])
  expect(await line.run()).toMatchObject({ created: 1 })
  return line
}

const bodies = (line: Line) =>
  line.service.writes().flatMap(({ method, contacts }) => (method === 'PUT' ? contacts : []))

const refusing = (line: Line, ...values: unknown[]): void => {
  line.service.fault = ({ method, contacts }) => {
    const isRefused =
      method === 'PUT' && Object.values(contacts[0] ?? {}).some((value) => values.includes(value))
    return isRefused ? { kind: 'refused' } : undefined
  }
}

describe('a blank that empties', () => {
  it('sends null for values of a list or a form, and an empty text for texts', async () => {
    const line = await linked()
    line.source.drop('2.csv', [HEADER, ['K1', 'a@example.com', '', '', '', '', '', '1']])
    expect(await line.run()).toMatchObject({ updated: 1 })
    expect(bodies(line)).toEqual([
      { title: null, phone_type: null, ba_country: null, date_of_birth: null, first_name: '' },
    ])
    line.source.drop('3.csv', [HEADER, ['K1', 'a@example.com', '', '', '', '', '', '1']])
    expect(await line.run()).toMatchObject({ unchanged: 1, requests: 0 })
  })

  it('tries an empty text where null is refused', async () => {
    const line = await linked()
    refusing(line, null)
    line.source.drop('2.csv', [HEADER, FULL.with(2, '')])
    expect(await line.run()).toMatchObject({ updated: 1, rejected: 0 })
    expect(bodies(line)).toEqual([{ title: null }, { title: '' }])
  })

  it('sends the other fields where the service takes neither, and says so', async () => {
    const line = await linked()
    refusing(line, null, '')
    line.source.drop('2.csv', [HEADER, FULL.with(2, '').with(7, '2')])
    const result = await line.run()
    expect(result).toMatchObject({ updated: 1, rejected: 0 })
    expect(line.service.contacts.get(1)).toMatchObject({ title: 'm', phone: '2' })
    expect(line.log).toContainEqual({
      message: 'field not cleared by the service',
      fields: { contact_id: 1, fields: 'title' },
    })
    const logged: unknown[] = []
    for await (const { reason, fields } of line.state.entriesOfRun(result.run_id))
      logged.push([reason, fields])
    expect(logged).toEqual([['the service does not clear title', { phone: { from: '1', to: '2' } }]])
    // With the next change it is tried again.
    line.service.fault = () => undefined
    line.source.drop('3.csv', [HEADER, FULL.with(2, '').with(7, '3')])
    await line.run()
    expect(bodies(line).at(-1)).toEqual({ title: null, phone: '3' })
  })

  it('rejects a record whose other fields are refused as well, with the first reason', async () => {
    const line = await linked()
    refusing(line, null, '', '2')
    line.source.drop('2.csv', [HEADER, FULL.with(2, '').with(7, '2')])
    expect(await line.run()).toMatchObject({ rejected: 1 })
  })

  it('never empties mail_status', async () => {
    const line = testLine({
      pipeline: {
        blank: 'clear',
        map: { mail: { column: 'mail' }, phone: { column: 'phone' }, mail_status: { column: 'type' } },
      },
    })
    line.source.drop('1.csv', [HEADER, FULL.with(3, '4')])
    await line.run()
    const before = bodies(line).length
    line.source.drop('2.csv', [HEADER, FULL.with(3, '').with(7, '2')])
    expect(await line.run()).toMatchObject({ updated: 1 })
    expect(bodies(line).slice(before)).toEqual([{ phone: '2' }])
  })
})
