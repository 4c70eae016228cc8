// Who is who: the key is the identity and the mail only a look-up; merge methods for later updates; updates in bulk;
// and mail_status, which is never raised by accident.
import { describe, expect, it } from 'vitest'
import type { PipelineSettings } from '../../src/core/settings.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'

const one = (...row: string[]): string[][] => [[...HEADER], row]

async function run(line: Line, table: string[][]) {
  line.source.drop('a.csv', table)
  return line.run()
}

const entries = (line: Line) =>
  line.service.writes().map(({ method, path, contacts }) => [method, path, contacts])

describe('two keys, one contact', () => {
  it('holds all of them when the service answers one contact for several mails of a call', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'auto' } })
    await run(line, one('K1', 'a@example.com', 'Ann', 'B', '1'))
    line.service.answer = (members) => members.map((member) => ({ ...member, id: 1 }))
    expect(await run(line, people(2, 2))).toMatchObject({ status: 'held', created: 0, held: 2 })
    // It is the contact of a first key besides: what that one wants would be done to all three.
    expect(await run(line, one('K1', 'a@example.com', 'Anna', 'B', '1'))).toMatchObject({ held: 1 })
  })

  it('holds later changes of the first key, too, until the other is told apart', async () => {
    const line = testLine()
    await run(line, one('K1', 'a@example.com', 'Ann', 'B', '1'))
    // A user gives the contact another mail at the service; a new record has that mail.
    line.service.contacts.set(1, { ...line.service.contacts.get(1), mail: 'b@example.com' })
    expect(await run(line, one('K2', 'b@example.com', 'Bea', 'B', '2'))).toMatchObject({
      status: 'held',
      held: 1,
    })
    expect(await run(line, one('K1', 'a@example.com', 'Ann', 'B', '9'))).toMatchObject({
      status: 'held',
      held: 1,
    })
    expect(line.service.contacts.size).toBe(1)
    // Once the other has a mail of its own, both continue.
    expect(await run(line, one('K2', 'c@example.com', 'Bea', 'B', '2'))).toMatchObject({ created: 1 })
    expect(await run(line, one('K1', 'a@example.com', 'Ann', 'B', '9'))).toMatchObject({ updated: 1 })
  })

  it('never sends a lost create again where several contacts have its mail', async () => {
    const line = testLine()
    line.service.contacts.set(8, { mail: 'a@example.com' })
    line.service.contacts.set(9, { mail: 'a@example.com', first_name: 'Ann', family_name: 'B', phone: '1' })
    line.service.fault = ({ method }) => (method === 'POST' ? { kind: 'unknown' } : undefined)
    expect(await run(line, one('K1', 'a@example.com', 'Ann', 'B', '1'))).toMatchObject({ in_doubt: 1 })
    expect(line.service.writes()).toHaveLength(1)
  })
})

describe('a changed mail', () => {
  it('is an update by id', async () => {
    const line = testLine()
    await run(line, one('K1', 'a@example.com', 'Ann', 'B', '1'))
    expect(await run(line, one('K1', 'new@example.com', 'Ann', 'B', '1'))).toMatchObject({ updated: 1 })
    expect(entries(line).at(-1)).toEqual(['PUT', '/contact/<contact_id>', [{ mail: 'new@example.com' }]])
  })
})

describe('a changed mail under the merge method add, which does not send it', () => {
  const changes: Partial<PipelineSettings> = { duplicate_merge_method: 'add' }

  it('leaves the contact to its record, whoever brings the mail that it still has', async () => {
    const line = testLine({ pipeline: changes })
    await run(line, one('K1', 'a@example.com', 'Ann', 'B', '1'))
    const moved = one('K1', 'new@example.com', 'Ann', 'B', '1')
    expect(await run(line, moved)).toMatchObject({ unchanged: 1 })
    const table = [...moved, ['K2', 'a@example.com', 'Bea', 'C', '2']]
    const before = line.service.writes().length
    expect(await run(line, table)).toMatchObject({ unchanged: 1, held: 1, created: 0 })
    expect(await run(line, table)).toMatchObject({ unchanged: 1, held: 1, created: 0 })
    expect(line.service.writes()).toHaveLength(before)
    expect(line.service.contacts.get(1)).toMatchObject({ mail: 'a@example.com', first_name: 'Ann' })
  })

  it('is no mail by which the contact could be updated in bulk', async () => {
    const line = testLine({ pipeline: { ...changes, update_via: 'bulk' } })
    const table = (host: string, phone: string): string[][] => [
      [...HEADER],
      ['K1', `one@${host}`, 'Ann', 'B', phone],
      ['K2', `two@${host}`, 'Bea', 'C', phone],
    ]
    await run(line, table('old.example', ''))
    await run(line, table('new.example', ''))
    expect(await run(line, table('new.example', '040'))).toMatchObject({ updated: 2 })
    expect([...line.service.contacts.values()]).toMatchObject([{ phone: '040' }, { phone: '040' }])
  })
})

describe('updates in bulk', () => {
  const bulk: Partial<PipelineSettings> = { update_via: 'bulk' }
  const changed = (count: number) =>
    people(count).map((row, index) => (index === 0 ? row : row.with(4, '040')))

  it('go together where the mail says surely who is meant', async () => {
    const line = testLine({ pipeline: bulk })
    await run(line, people(120))
    const before = line.service.calls.length
    expect(await run(line, changed(120))).toMatchObject({ status: 'ok', updated: 120, requests: 3 })
    const calls = line.service.calls.slice(before)
    expect(calls.map(({ method, path, contacts }) => [method, path, contacts.length])).toEqual([
      ['POST', '/contacts', 50],
      ['POST', '/contacts', 50],
      ['POST', '/contacts', 20],
    ])
    expect(calls[0]?.contacts[0]).toEqual({ mail: 'person1@example.com', phone: '040' })
    expect(line.service.contacts.get(1)).toMatchObject({ phone: '040', first_name: 'Vorname1' })
    expect(line.service.contacts.size).toBe(120)
  })

  it('go by id where the mail changes, is shared, or a field is cleared', async () => {
    const line = testLine({ pipeline: { ...bulk, blank: 'clear' } })
    await run(line, people(4))
    const other = testLine({
      state: line.state,
      service: line.service,
      pipeline: { ...line.pipeline, name: 'crm', duplicate_check_method: 'none' },
    })
    await run(other, one('X1', 'person1@example.com', 'Another', 'Person', ''))
    const table = changed(4)
    table[2]![1] = 'moved@example.com'
    table[3]![4] = ''
    const before = line.service.calls.length
    expect(await run(line, table)).toMatchObject({ status: 'ok', updated: 4 })
    const writes = line.service.calls.slice(before).filter(({ method }) => method !== 'GET')
    expect(writes.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT', 'PUT'])
  })

  it('go by id, from then on, where the service carried one out at another contact of that mail', async () => {
    const line = testLine({ pipeline: bulk })
    await run(line, people(3))
    // A user made a second contact of the first mail, and the service finds that one.
    line.service.answer = (members) =>
      members.map((member) => (member.id === 2 ? { ...member, id: 70 } : member))
    expect(await run(line, changed(3))).toMatchObject({ status: 'ok', updated: 3, requests: 2 })
    expect(line.service.writes().at(-1)).toMatchObject({ method: 'PUT', id: 2, contacts: [{ phone: '040' }] })
    expect(line.log).toContainEqual(expect.objectContaining({ fields: { contact_id: 2, reached: 70 } }))
    const again = people(3).map((row, index) => (index === 0 ? row : row.with(4, '050')))
    const before = line.service.calls.length
    expect(await run(line, again)).toMatchObject({ status: 'ok', updated: 3 })
    expect(line.service.calls.slice(before).map(({ method }) => method)).toEqual(['PUT', 'POST'])
  })

  it('hold what has gone, and leave the contact alone that such a call made in its place', async () => {
    const line = testLine({ pipeline: bulk })
    await run(line, people(3))
    line.service.contacts.delete(2)
    expect(await run(line, changed(3))).toMatchObject({ status: 'held', held: 1, updated: 2 })
    expect(line.service.contacts.get(4)).toEqual({ mail: 'person2@example.com', phone: '040' })
    const before = line.service.writes().length
    expect(await run(line, changed(3))).toMatchObject({ status: 'held', held: 1, unchanged: 2 })
    expect(line.service.writes()).toHaveLength(before)
  })

  it('go by id where the call is refused', async () => {
    const line = testLine({ pipeline: bulk })
    await run(line, people(2))
    line.service.fault = ({ path }) => (path === '/contacts' ? { kind: 'refused', status: 422 } : undefined)
    expect(await run(line, changed(2))).toMatchObject({ status: 'ok', updated: 2, requests: 3 })
  })
})

describe('mail_status', () => {
  const withStatus = (changes: Partial<PipelineSettings> = {}): Partial<PipelineSettings> => ({
    map: { mail: { column: 'mail' }, mail_status: { column: 'phone' } },
    ...changes,
  })
  const person = (status: string): string[][] => one('K1', 'a@example.com', 'A', 'B', status)

  it('goes by itself, after a look, where a create may be merged into somebody', async () => {
    const line = testLine({ pipeline: withStatus() })
    line.service.contacts.set(5, { mail: 'a@example.com', mail_status: 2 })
    expect(await run(line, person('4'))).toMatchObject({ status: 'held', held: 1, created: 0 })
    expect(line.service.contacts.get(5)).toMatchObject({ mail_status: 2 })
    // The same again: still held, still untouched.
    expect(await run(line, person('4'))).toMatchObject({ status: 'held', held: 1 })
    expect(line.service.contacts.get(5)).toMatchObject({ mail_status: 2 })
  })

  it('held back, it does not hide that the other fields went: a record that goes back is a change', async () => {
    const line = testLine({
      pipeline: {
        map: { mail: { column: 'mail' }, first_name: { column: 'first' }, mail_status: { column: 'phone' } },
      },
    })
    const v1 = one('K1', 'a@example.com', 'Ann', 'B', '2')
    await run(line, v1)
    expect(await run(line, one('K1', 'a@example.com', 'Anna', 'B', '4'))).toMatchObject({ held: 1 })
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Anna', mail_status: 2 })
    expect(await run(line, v1)).toMatchObject({ updated: 1, held: 0 })
    expect(line.service.contacts.get(1)).toMatchObject({ first_name: 'Ann', mail_status: 2 })
    expect(await run(line, v1)).toMatchObject({ unchanged: 1, requests: 0 })
  })

  it('is raised where the pipeline says so in words', async () => {
    const line = testLine({ pipeline: withStatus({ allow_consent_raise: true }) })
    line.service.contacts.set(5, { mail: 'a@example.com', mail_status: 1 })
    expect(await run(line, person('7'))).toMatchObject({ status: 'ok', created: 1 })
    expect(line.service.contacts.get(5)).toMatchObject({ mail_status: 7 })
  })

  it('is lowered, and set where nobody has withdrawn, without further words', async () => {
    const line = testLine({ pipeline: withStatus() })
    expect(await run(line, person('4'))).toMatchObject({ status: 'ok', created: 1 })
    expect(await run(line, person('2'))).toMatchObject({ status: 'ok', updated: 1 })
    expect(line.service.contacts.get(1)).toMatchObject({ mail_status: 2 })
    expect(await run(line, person('2'))).toMatchObject({ unchanged: 1, requests: 0 })
  })

  it('goes along with a contact that is surely new', async () => {
    const line = testLine({ pipeline: withStatus({ duplicate_check_method: 'none' }) })
    expect(await run(line, person('4'))).toMatchObject({ status: 'ok', created: 1 })
    expect(line.service.writes()).toMatchObject([{ contacts: [{ mail: 'a@example.com', mail_status: 4 }] }])
  })

  it('says once a run that the service ignores it', async () => {
    const line = testLine({ pipeline: withStatus() })
    const session = line.service.session()
    line.service.session = () => ({
      ...session,
      updateContact: async (id, { mail_status: _, ...fields }) => session.updateContact(id, fields),
    })
    const rows = people(3).map((row, index) => (index === 0 ? row : row.with(4, '4')))
    expect(await run(line, rows)).toMatchObject({ status: 'ok', created: 3 })
    const warnings = line.log.filter(({ message }) => message.includes('mail_status ignored'))
    expect(warnings).toMatchObject([{ fields: { wanted: 4, found: 3 } }])
  })

  it('is shown in the plan with the other fields', async () => {
    const line = testLine({ pipeline: withStatus() })
    await run(line, person('4'))
    line.source.drop('a.csv', person('2'))
    expect((await line.preview()).changes).toMatchObject([
      { action: 'update', fields: { mail_status: { from: 4, to: 2 } } },
    ])
  })
})
