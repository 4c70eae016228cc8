// Creates once in effect: what names an operation, what cannot be certain, and what is never sent again automatically.
import { describe, expect, it } from 'vitest'
import { NOT_DONE_REASON } from '../../src/core/change/lookup/doubt.ts'
import type { CustomFieldDefinition } from '../../src/core/ports.ts'
import { createMailTurns } from '../../src/sync/send/turns.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'
import type { Call } from '../support/memory-service.ts'

const isCreate = ({ method, path }: Call): boolean => method === 'POST' && path.startsWith('/contact')

const MARKER: CustomFieldDefinition = {
  id: 9,
  name: 'sync_marker',
  label: 'Marker',
  description: '',
  type: 'text_textfield',
  required: false,
  multiple: undefined,
}

const markedLine = (): Line => {
  const line = testLine({
    settings: { marker_field: 'sync_marker', custom_field_key: 'field_{field_name}' },
    pipeline: { duplicate_check_method: 'none' },
  })
  line.service.customFields.push(MARKER)
  return line
}

describe('the marker field', () => {
  it('names the operation in every contact that is made, each its own', async () => {
    const line = markedLine()
    line.source.drop('a.csv', people(3))
    expect(await line.run()).toMatchObject({ created: 3, status: 'ok' })
    const instance = await line.state.instance()
    const markers = [...line.service.contacts.values()].map((fields) => String(fields['field_sync_marker']))
    expect(new Set(markers).size).toBe(3)
    for (const marker of markers) expect(marker.startsWith(`${instance}.shop-run-1.`)).toBe(true)
    line.source.drop('b.csv', people(3))
    expect(await line.run()).toMatchObject({ unchanged: 3, requests: 0 })
  })

  it('adopts what came from a lost request though it was changed since', async () => {
    const line = markedLine()
    line.source.drop('a.csv', people(1))
    let lost = 0
    line.service.fault = (call) => {
      if (isCreate(call) && lost++ === 0) return { kind: 'unknown', applied: true }
      for (const contact of line.service.contacts.values()) contact['phone'] = 'changed by hand'
      return undefined
    }
    expect(await line.run()).toMatchObject({ created: 1, in_doubt: 0, status: 'ok' })
    expect(line.service.contacts.size).toBe(1)
  })

  it('is a mistake in the configuration where the service has no such field; then nothing is sent', async () => {
    const line = markedLine()
    line.service.customFields.splice(0)
    line.source.drop('a.csv', people(2))
    expect(await line.run()).toMatchObject({ status: 'failed', code: 'CONFIG_INVALID', failed: 2 })
    expect(line.service.writes()).toEqual([])
    line.service.customFields.push({ ...MARKER, type: 'number' })
    expect(await line.run()).toMatchObject({ code: 'CONFIG_INVALID' })
    line.service.customFields.splice(0, 1, MARKER)
    expect(await line.run()).toMatchObject({ status: 'ok', created: 2 })
  })
})

describe('a create that the service keeps losing', () => {
  it.each(['none', 'email'] as const)('is sent three times under %s, and no more', async (check) => {
    const line = testLine({ pipeline: { duplicate_check_method: check } })
    line.source.drop('a.csv', people(1))
    line.service.fault = (call) => (isCreate(call) ? { kind: 'unknown', status: 200 } : undefined)
    for (let run = 0; run < 5; run += 1) await line.run()
    expect(line.service.calls.filter(isCreate)).toHaveLength(3)
    const [doubt] = await line.state.leftOpen('in_doubt', 'shop')
    expect(doubt).toMatchObject({
      sent: 3,
      swallowed: 3,
      reason: expect.stringContaining('sent 3 times') as string,
    })
  })

  it('goes on to be sent where it is the line that loses it, but not for ever', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', people(1))
    let losses = 0
    line.service.fault = (call) =>
      isCreate(call) && losses++ < 8 ? { kind: 'unknown', status: 502 } : undefined
    for (let run = 0; run < 9; run += 1) await line.run()
    expect(line.service.contacts.size).toBe(1)
    const lost = testLine({ pipeline: { duplicate_check_method: 'none' } })
    lost.source.drop('a.csv', people(1))
    lost.service.fault = (call) => (isCreate(call) ? { kind: 'unknown', status: 502 } : undefined)
    for (let run = 0; run < 30; run += 1) await lost.run()
    expect(lost.service.calls.filter(isCreate)).toHaveLength(20)
  })

  it('is adopted all the same when it appears after all', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', people(1))
    line.service.fault = (call) => (isCreate(call) ? { kind: 'unknown' } : undefined)
    for (let run = 0; run < 4; run += 1) await line.run()
    line.service.fault = () => undefined
    const [, record = []] = people(1)
    line.service.contacts.set(50, {
      mail: record[1],
      first_name: record[2],
      family_name: record[3],
      phone: record[4],
    })
    await line.run()
    expect(await line.state.leftOpen('in_doubt', 'shop')).toEqual([])
    expect(line.service.contacts.size).toBe(1)
  })
})

describe('under none', () => {
  it('does not take the contact of another record for its own', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    const twin = (key: string) => [key, 'twins@example.com', 'A', 'B', '1']
    let creates = 0
    line.service.fault = (call) =>
      isCreate(call) && ++creates === 2 ? { kind: 'unknown', applied: true } : undefined
    line.source.drop('a.csv', [[...HEADER], twin('K1'), twin('K2')])
    expect(await line.run()).toMatchObject({ created: 2, in_doubt: 0, held: 0 })
    expect(line.service.contacts.size).toBe(2)
  })
})

describe('under none, where others have the mails of a call that is refused', () => {
  it('lets a create go alone once a person has said that it was not done', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    const table = people(3)
    for (const [index, [, mail, first]] of table.slice(1).entries())
      line.service.contacts.set(900 + index, { mail, first_name: first, phone: 'of others' })
    line.service.fault = ({ contacts }) =>
      contacts.some(({ mail }) => mail === table[2]?.[1]) ? { kind: 'refused', status: 409 } : undefined
    line.source.drop('a.csv', table)
    expect(await line.run()).toMatchObject({ in_doubt: 3 })
    for (const operation of await line.state.leftOpen('in_doubt', 'shop'))
      await line.state.settleBatch(
        [{ operation, settlement: { kind: 'failed', reason: NOT_DONE_REASON }, request: undefined }],
        { at: 0, runId: 'a-person', configHash: '' },
      )
    expect(await line.run()).toMatchObject({ created: 2, rejected: 1, in_doubt: 0 })
  })
})

describe('under email', () => {
  it('holds a create while another with its mail is in doubt', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(1))
    line.service.fault = ({ method }) => (method === 'GET' ? { kind: 'unknown' } : { kind: 'unknown' })
    await line.run()
    line.service.fault = (call) => (isCreate(call) ? { kind: 'unknown' } : undefined)
    line.source.drop('b.csv', [[...HEADER], ['K2', 'person1@example.com', 'A', 'B', '1']])
    for (let run = 0; run < 3; run += 1) await line.run()
    const held = []
    for await (const operation of line.state.held(['shop'])) held.push(operation)
    expect(held).toMatchObject([{ key: 'K2', reason: expect.stringContaining('in doubt') as string }])
    expect(line.service.contacts.size).toBe(0)
  })

  it('never has two creates with one mail on their way, over all pipelines', async () => {
    const mails = createMailTurns()
    const first = testLine({ mails })
    const { state, service } = first
    const second = testLine({ mails, state, service, pipeline: { name: 'crm' } })
    const underway = new Set<string>()
    const { session } = service
    service.session = () => {
      const real = session()
      return {
        ...real,
        async createContacts(contacts, options) {
          const sent = contacts.map(({ mail }) => String(mail))
          expect(sent.filter((mail) => underway.has(mail))).toEqual([])
          for (const mail of sent) underway.add(mail)
          await new Promise((resolve) => setImmediate(resolve))
          const result = await real.createContacts(contacts, options)
          for (const mail of sent) underway.delete(mail)
          return result
        },
      }
    }
    first.source.drop('a.csv', people(120))
    second.source.drop('a.csv', people(120, 60))
    await Promise.all([first.run(), second.run()])
    expect(service.contacts.size).toBe(179)
  })
})

describe('a record that goes back to its old values after a lost answer', () => {
  const withPhone = (phone: string): string[][] =>
    people(1).map((row, index) => (index === 0 ? row : [...row.slice(0, 4), phone]))

  it.each([true, false])('is sent again, whether the update was applied or not (%s)', async (applied) => {
    const line = testLine()
    line.source.drop('a.csv', withPhone('1'))
    await line.run()
    // Also when the next run tries it again, before it reads the new file.
    line.service.fault = ({ method, contacts }) =>
      method === 'PUT' && contacts[0]?.['phone'] === '2' ? { kind: 'unknown', applied } : undefined
    line.source.drop('b.csv', withPhone('2'))
    expect(await line.run()).toMatchObject({ failed: 1 })
    line.source.drop('c.csv', withPhone('1'))
    await line.run()
    expect(line.service.contacts.get(1)).toMatchObject({ phone: '1' })
    line.source.drop('d.csv', withPhone('1'))
    expect(await line.run()).toMatchObject({ unchanged: 1, requests: 0 })
  })

  it('is no update where the first one was refused', async () => {
    const line = testLine()
    line.source.drop('a.csv', withPhone('1'))
    await line.run()
    line.service.fault = ({ method }) => (method === 'PUT' ? { kind: 'refused' } : undefined)
    line.source.drop('b.csv', withPhone('2'))
    expect(await line.run()).toMatchObject({ rejected: 1 })
    line.service.fault = () => undefined
    line.source.drop('c.csv', withPhone('1'))
    expect(await line.run()).toMatchObject({ unchanged: 1, requests: 0 })
  })

  it.each([true, false])('loses a managed term again that a lost request gave it (%s)', async (applied) => {
    const terms = { ...testLine().pipeline.terms, policy: 'managed', assign: [{ column: 'phone' }] } as const
    const line = testLine({ pipeline: { terms } })
    line.source.drop('a.csv', withPhone(''))
    await line.run()
    line.service.giveTerm(1, 'By hand')
    const isGiving = ({ method, path }: Call): boolean => method === 'PUT' && path.endsWith('/terms')
    line.service.fault = (call) => (isGiving(call) ? { kind: 'unknown', applied } : undefined)
    line.source.drop('b.csv', withPhone('VIP'))
    // The look after the lost answer finds it where it was applied; so it is made to fail, too.
    const { fault } = line.service
    let looks = 0
    line.service.fault = (call) =>
      call.method === 'GET' && call.path.endsWith('/terms') && looks++ > 1 ? { kind: 'unknown' } : fault(call)
    await line.run()
    line.service.fault = () => undefined
    line.source.drop('c.csv', withPhone(''))
    await line.run()
    expect(line.service.termsOf(1)).toEqual(['By hand'])
    line.source.drop('d.csv', withPhone(''))
    expect(await line.run()).toMatchObject({ unchanged: 1, requests: 0 })
  })
})

describe('a storm of equal refusals', () => {
  const refuse = (line: Line, reasonOf: (call: Call) => boolean): void => {
    line.service.fault = (call) =>
      isCreate(call) && reasonOf(call) ? { kind: 'refused', status: 422 } : undefined
  }

  it('stops the run instead of rejecting everybody; the next one reads the file again', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(200))
    refuse(line, () => true)
    const result = await line.run()
    expect(result).toMatchObject({ status: 'failed', code: 'REFUSED_ALIKE' })
    expect(result.rejected).toBeLessThan(60)
    expect(line.source.waiting()).toEqual(['a.csv'])
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ status: 'ok', created: 200, rejected: 0 })
  })

  it('is none while others go through', async () => {
    const line = testLine()
    line.source.drop('a.csv', people(200))
    refuse(line, ({ contacts }) => contacts.some(({ mail }) => String(mail).endsWith('5@example.com')))
    expect(await line.run()).toMatchObject({ status: 'partial', rejected: 20, created: 180 })
  })

  it('can be let through', async () => {
    const line = testLine({ pipeline: { guards: { ...testLine().pipeline.guards, max_equal_refusals: 0 } } })
    line.source.drop('a.csv', people(60))
    refuse(line, () => true)
    expect(await line.run()).toMatchObject({ status: 'partial', rejected: 60 })
  })
})

describe('a newer record behind a create that was given up', () => {
  it.each(['none', 'email'] as const)('goes alone, and the old one never after it (%s)', async (check) => {
    const line = testLine({ pipeline: { duplicate_check_method: check } })
    line.source.drop('a.csv', people(1))
    line.service.fault = () => ({ kind: 'unknown' })
    await line.run()
    // The newer record waits behind the doubt, whose create is sent again and is not even received.
    const [header = [], record = []] = people(1)
    line.source.drop('b.csv', [header, [...record.slice(0, 4), 'newer']])
    line.service.fault = (call) => (isCreate(call) ? { kind: 'not_applied' } : undefined)
    for (let run = 0; run < 3; run += 1) await line.run()
    line.service.fault = () => undefined
    await line.run()
    await line.run()
    expect([...line.service.contacts.values()]).toMatchObject([{ phone: 'newer' }])
  })
})
