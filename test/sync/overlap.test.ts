// Changes that get into each other's way: a mail that passes from one record to another, rows that name a key twice,
// exports that take each other over, others who edit meanwhile. Each of these was found by simulation first.
import { describe, expect, it } from 'vitest'
import { temporaryState } from '../support/state/temporary-state.ts'
import { type Call, memoryService } from '../support/memory-service.ts'
import { HEADER, type Line, people, testLine } from '../support/line.ts'
import { GUARDS, pipelineSettings } from '../support/pipeline.ts'
import { createMailTurns } from '../../src/sync/send/turns.ts'

const isCreate = ({ method, path }: Call): boolean => method === 'POST' && path.startsWith('/contact')
const isUpdate = ({ method, path }: Call): boolean => method === 'PUT' && path === '/contact/<contact_id>'
const row = (no: string, mail: string, first: string): string[] => [no, mail, first, 'Nachname', '030 1']
const names = (line: Line): unknown[] =>
  [...line.service.contacts.values()].map((contact) => [contact['first_name'], contact['mail']])

describe('a mail that one record gives up and another takes', () => {
  const linked = async (): Promise<Line> => {
    const line = testLine()
    line.source.drop('a.csv', [[...HEADER], row('1', 'one@example.com', 'One')])
    await line.run()
    line.source.drop('b.csv', [
      [...HEADER],
      row('1', 'new@example.com', 'One'),
      row('2', 'one@example.com', 'Two'),
    ])
    return line
  }
  const apart = [
    ['One', 'new@example.com'],
    ['Two', 'one@example.com'],
  ]

  it('is given up before it is taken', async () => {
    const line = await linked()
    const order: string[] = []
    let underway = 0
    const session = line.service.session
    line.service.session = () => {
      const real = session()
      return {
        ...real,
        updateContact: async (id, fields) => {
          underway += 1
          // Long enough for whatever does not wait to overtake it.
          for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
          const result = await real.updateContact(id, fields)
          underway -= 1
          order.push('given up')
          return result
        },
        createContact: async (contact, options) => {
          order.push(`taken with ${underway} updates under way`)
          return real.createContact(contact, options)
        },
      }
    }
    expect(await line.run()).toMatchObject({ created: 1, updated: 1, status: 'ok' })
    expect(order).toEqual(['given up', 'taken with 0 updates under way'])
    expect(names(line)).toEqual(apart)
  })

  it('is free as well where the record that had it is left without one', async () => {
    const line = testLine({ pipeline: { blank: 'clear' } })
    line.source.drop('a.csv', [[...HEADER], row('1', 'one@example.com', 'One')])
    await line.run()
    line.source.drop('b.csv', [[...HEADER], row('1', '', 'One'), row('2', 'one@example.com', 'Two')])
    line.service.fault = (call) => (isUpdate(call) ? { kind: 'unknown' } : undefined)
    expect(await line.run()).toMatchObject({ created: 0, failed: 2, held: 0 })
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ created: 1, updated: 1, status: 'ok' })
    expect(names(line)).toEqual([
      ['One', ''],
      ['Two', 'one@example.com'],
    ])
  })

  it('is not taken while giving it up has failed', async () => {
    const line = await linked()
    line.service.fault = (call) => (isUpdate(call) ? { kind: 'unknown' } : undefined)
    expect(await line.run()).toMatchObject({ created: 0, failed: 2 })
    expect(names(line)).toEqual([['One', 'one@example.com']])
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ created: 1, updated: 1, status: 'ok' })
    expect(names(line)).toEqual(apart)
  })

  it('is held where it is not given up because the contact is gone', async () => {
    const line = await linked()
    line.service.contacts.delete(1)
    expect(await line.run()).toMatchObject({ created: 0, held: 2, failed: 0 })
    expect(await line.run()).toMatchObject({ read: 0, failed: 0 })
  })

  it('is held where giving it up was refused for good', async () => {
    const line = await linked()
    line.service.fault = (call) => (isUpdate(call) ? { kind: 'refused' } : undefined)
    expect(await line.run()).toMatchObject({ created: 0, rejected: 1, held: 1 })
    expect(line.service.writes().filter(isCreate)).toHaveLength(1)
    const reasons: unknown[] = []
    for await (const { reason } of line.state.held(['shop'])) reasons.push(reason)
    expect(reasons).toEqual([expect.stringContaining('the e-mail address belongs to key 1')])
  })
})

describe('a mail that one record takes and another has from the beginning', () => {
  it('is held in the plan already where both are in one file', async () => {
    const line = testLine()
    line.source.drop('a.csv', [[...HEADER], row('1', 'one@example.com', 'One')])
    await line.run()
    line.source.drop('b.csv', [
      [...HEADER],
      row('1', 'shared@example.com', 'One'),
      row('2', 'shared@example.com', 'Two'),
    ])
    expect(await line.run()).toMatchObject({ created: 0, updated: 1, held: 1 })
    expect(line.service.writes().filter(isCreate)).toHaveLength(1)
    const reasons: unknown[] = []
    for await (const { reason } of line.state.held(['shop'])) reasons.push(reason)
    expect(reasons).toEqual([expect.stringContaining('the same e-mail address as on line 2')])
  })

  it('does not make one contact of two people when the answer to the first is lost', async () => {
    const line = testLine()
    line.source.drop('a.csv', [[...HEADER], row('1', 'one@example.com', 'One')])
    await line.run()
    line.source.drop('b.csv', [[...HEADER], row('1', 'shared@example.com', 'One')])
    line.service.fault = (call) => (isUpdate(call) ? { kind: 'unknown', applied: true } : undefined)
    await line.run()
    line.source.drop('c.csv', [[...HEADER], row('2', 'shared@example.com', 'Two')])
    expect(await line.run()).toMatchObject({ created: 0, failed: 2 })
    line.service.fault = () => undefined
    expect(await line.run()).toMatchObject({ created: 0, updated: 1, held: 1 })
    expect(names(line)).toEqual([['One', 'shared@example.com']])
  })
})

describe('a key that is named twice', () => {
  it('does not bring an older value back', async () => {
    const line = testLine()
    line.source.drop('a.csv', [[...HEADER], row('1', 'one@example.com', 'First')])
    await line.run()
    line.source.drop('b.csv', [[...HEADER], row('1', 'one@example.com', 'Second')])
    line.service.fault = (call) => (isUpdate(call) ? { kind: 'unknown' } : undefined)
    expect(await line.run()).toMatchObject({ failed: 1 })
    line.source.drop('c.csv', [
      [...HEADER],
      row('1', 'one@example.com', 'Third'),
      row('1', 'one@example.com', 'Mistake'),
    ])
    // The old change fails once more before the new export is read.
    let failures = 1
    line.service.fault = (call) => (isUpdate(call) && failures-- > 0 ? { kind: 'unknown' } : undefined)
    await line.run()
    line.service.fault = () => undefined
    await line.run()
    expect(names(line)).toEqual([['Third', 'one@example.com']])
  })
})

describe('a held plan of two exports in one run', () => {
  it('is released as what is left of both', async () => {
    const line = testLine({ pipeline: { guards: { ...GUARDS, max_changes: { count: 1 } } } })
    line.source.drop('a.csv', people(3))
    line.source.drop('b.csv', people(3, 2))
    const { run_id: run } = await line.run()
    expect(await line.state.heldPlans(['shop'])).toMatchObject([{ number: 4, left: 4 }])
    await line.state.release(run, 5)
    expect(await line.run()).toMatchObject({ created: 4 })
  })
})

describe('a create whose answer was lost', () => {
  it('is not doubled under none when somebody edits the contact before it is looked for', async () => {
    const line = testLine({ pipeline: { duplicate_check_method: 'none' } })
    line.source.drop('a.csv', people(1))
    line.service.fault = (call) => {
      if (isCreate(call)) return { kind: 'unknown', applied: true }
      for (const contact of line.service.contacts.values()) contact['phone'] = 'changed by hand'
      return undefined
    }
    expect(await line.run()).toMatchObject({ in_doubt: 1 })
    await line.run()
    expect(line.service.contacts.size).toBe(1)
    expect(await line.state.leftOpen('in_doubt', 'shop')).toMatchObject([{ sent: 1 }])
  })
})

describe('a released delete whose contact another pipeline names by then', () => {
  it('is no longer asked for', async () => {
    const state = temporaryState()
    const service = memoryService()
    const guards = { ...GUARDS, max_deletes: { count: 0 } }
    const full = testLine({ state, service, pipeline: { mode: 'full', on_missing: 'delete', guards } })
    const other = testLine({ state, service, pipeline: { name: 'other' } })
    full.source.drop('a.csv', people(3))
    await full.run()
    full.source.drop('b.csv', people(1))
    const { run_id: run } = await full.run()
    other.source.drop('c.csv', people(1, 2))
    await other.run()
    await state.release(run, 5)
    expect(await full.run()).toMatchObject({ deleted: 1, status: 'ok' })
    expect(await full.run()).toMatchObject({ deleted: 0, status: 'ok' })
    expect(service.contacts.size).toBe(2)
  })
})

describe('a lost create whose contact another pipeline merged itself into, and whose answer was lost, too', () => {
  it('waits for that one, and is not sent again', async () => {
    const state = temporaryState()
    const service = memoryService()
    const map = { ...pipelineSettings().map, skype: { column: 'no' } }
    const one = testLine({ state, service, pipeline: { duplicate_check_method: 'none', map } })
    const other = testLine({ state, service, pipeline: { name: 'other' } })
    const named = (first: string): string[][] => [[...HEADER], row('1', 'one@example.com', first)]
    one.source.drop('a.csv', named('One'))
    other.source.drop('b.csv', named('Uno'))
    service.fault = (call) => (isCreate(call) ? { kind: 'unknown', applied: true } : { kind: 'unknown' })
    await one.run()
    await other.run()
    expect(names(one)).toEqual([['Uno', 'one@example.com']])
    service.fault = () => undefined
    await one.run()
    await other.run()
    await one.run()
    expect(service.contacts.size).toBe(1)
  })
})

describe('a lost create whose contact another pipeline without a mail was merged into by its name', () => {
  it('is not sent again, although the marker is that of the other', async () => {
    const state = temporaryState()
    const service = memoryService()
    const settings = { marker_field: 'sync_marker' }
    const about = { label: '', description: '', required: false, multiple: false }
    service.customFields.push({ id: 5, name: 'sync_marker', type: 'text_textfield', ...about })
    const one = testLine({ state, service, settings, pipeline: { duplicate_check_method: 'none' } })
    const map = { ...pipelineSettings().map, mail: { column: 'mail' }, ba_street: { value: 'S' } }
    const address = { ba_city: { value: 'C' }, ba_postal_code: { value: 'P' } }
    const other = testLine({
      state,
      service,
      settings,
      pipeline: { name: 'other', duplicate_check_method: 'auto', map: { ...map, ...address } },
    })
    const isLookUp = ({ path }: Call): boolean => path === '/contact/<contact_mail>'
    service.fault = (call) => {
      if (isLookUp(call)) return { kind: 'unknown' }
      return isCreate(call) ? { kind: 'unknown', applied: true } : undefined
    }
    one.source.drop('a.csv', [[...HEADER], row('1', 'one@example.com', 'One')])
    await one.run()
    // As a service does it that judges by name: what is sent goes into the contact that is there.
    other.source.drop('b.csv', [[...HEADER], row('1', '', 'One')])
    service.fault = (call) => {
      if (!isCreate(call)) return undefined
      Object.assign(service.contacts.get(1) ?? {}, call.contacts[0])
      return { kind: 'unknown' }
    }
    await other.run()
    expect(service.contacts.get(1)).toMatchObject({ mail: 'one@example.com', ba_street: 'S' })
    service.fault = () => undefined
    expect(await one.run()).toMatchObject({ in_doubt: 0 })
    expect(service.contacts.size).toBe(1)
  })
})

describe('a contact into which the create of another pipeline may have been merged', () => {
  it('is not deleted before that is known', async () => {
    const state = temporaryState()
    const service = memoryService()
    const guards = { ...GUARDS, max_deletes: { share: 1 } }
    const full = testLine({ state, service, pipeline: { mode: 'full', on_missing: 'delete', guards } })
    const other = testLine({ state, service, pipeline: { name: 'other' } })
    full.source.drop('a.csv', people(2))
    await full.run()
    other.source.drop('b.csv', people(1, 2))
    service.fault = (call) => (isCreate(call) ? { kind: 'unknown', applied: true } : undefined)
    await other.run()
    service.fault = () => undefined
    full.source.drop('c.csv', people(1))
    expect(await full.run()).toMatchObject({ deleted: 0, status: 'ok' })
    expect(service.contacts.size).toBe(2)
  })

  it('is not deleted while one of the same family name, without a mail, is in doubt', async () => {
    const state = temporaryState()
    const service = memoryService()
    const guards = { ...GUARDS, max_deletes: { share: 1 } }
    const full = testLine({ state, service, pipeline: { mode: 'full', on_missing: 'delete', guards } })
    const map = { ...pipelineSettings().map, mail: { column: 'mail' }, ba_street: { value: 'S' } }
    const address = { ba_city: { value: 'C' }, ba_postal_code: { value: 'P' } }
    const other = testLine({ state, service, pipeline: { name: 'other', map: { ...map, ...address } } })
    full.source.drop('a.csv', people(3))
    await full.run()
    const family = people(3)[3]?.[3] ?? ''
    other.source.drop('b.csv', [[...HEADER], ['9', '', 'Another', family, '']])
    service.fault = (call) => (isCreate(call) ? { kind: 'unknown' } : undefined)
    expect(await other.run()).toMatchObject({ in_doubt: 1 })
    service.fault = () => undefined
    full.source.drop('c.csv', people(1))
    expect(await full.run()).toMatchObject({ deleted: 1, status: 'ok' })
    expect([...service.contacts.values()].map((one) => one['family_name'])).toContain(family)
  })

  it('is not deleted while it has no mail, and one of its family name that has one is in doubt', async () => {
    const shared = { state: temporaryState(), service: memoryService() }
    const { service } = shared
    const guards = { ...GUARDS, max_deletes: { share: 1 } }
    const address = { ba_street: { value: 'S' }, ba_city: { value: 'C' }, ba_postal_code: { value: 'P' } }
    const map = { ...pipelineSettings().map, ...address }
    const full = testLine({ ...shared, pipeline: { mode: 'full', on_missing: 'delete', guards, map } })
    const other = testLine({ ...shared, pipeline: { name: 'other', duplicate_check_method: 'auto' } })
    full.source.drop('a.csv', [[...HEADER], ['8', '', 'Ben', 'Roth', ''], ['9', '', 'Ann', 'Weber', '']])
    await full.run()
    other.source.drop('b.csv', [[...HEADER], ['1', 'ann@example.com', 'Ann', 'Weber', '']])
    service.fault = (call) => (isCreate(call) ? { kind: 'unknown' } : undefined)
    expect(await other.run()).toMatchObject({ in_doubt: 1 })
    service.fault = ({ path }) => (path === '/contact/<contact_mail>' ? { kind: 'unknown' } : undefined)
    full.source.drop('c.csv', people(1))
    expect(await full.run()).toMatchObject({ deleted: 1 })
    const names = () => [...service.contacts.values()].map((one) => one['family_name'])
    expect(names()).toContain('Weber')
    expect(names()).not.toContain('Roth')
  })

  it('is deleted where that create was never sent, because a guard holds it', async () => {
    const state = temporaryState()
    const service = memoryService()
    const guards = { ...GUARDS, max_deletes: { share: 1 } }
    const full = testLine({ state, service, pipeline: { mode: 'full', on_missing: 'delete', guards } })
    const held = { ...GUARDS, max_changes: { count: 1 } }
    const other = testLine({ state, service, pipeline: { name: 'other', guards: held } })
    full.source.drop('a.csv', people(3))
    await full.run()
    other.source.drop('b.csv', people(2, 2))
    expect(await other.run()).toMatchObject({ held: 2 })
    full.source.drop('c.csv', people(1))
    expect(await full.run()).toMatchObject({ deleted: 2 })
  })
  it.each([
    ['sent', 1],
    ['sent again after a lost answer', 2],
  ])('is not deleted by a request that is %s while that create is on its way', async (_, nth) => {
    const shared = { state: temporaryState(), service: memoryService(), mails: createMailTurns() }
    const { service } = shared
    const guards = { ...GUARDS, max_deletes: { share: 1 } }
    const full = testLine({ ...shared, pipeline: { mode: 'full', on_missing: 'delete', guards } })
    const other = testLine({ ...shared, pipeline: { name: 'other' } })
    full.source.drop('a.csv', people(2))
    await full.run()
    other.source.drop('b.csv', people(1, 2))
    let [deletes, theirs]: [number, Promise<unknown>] = [0, Promise.resolve()]
    const { session } = service
    service.session = () => {
      const real = session()
      return {
        ...real,
        async deleteContact(id) {
          deletes += 1
          if (deletes === nth) theirs = other.run()
          for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
          return real.deleteContact(id)
        },
      }
    }
    service.fault = ({ method }) => (method === 'DELETE' && deletes < nth ? { kind: 'unknown' } : undefined)
    full.source.drop('c.csv', people(1))
    expect(await full.run()).toMatchObject({ deleted: 1, in_doubt: 0 })
    await theirs
    expect([...service.contacts.values()].map(({ mail }) => mail)).toEqual([
      'person1@example.com',
      'person2@example.com',
    ])
  })
})

describe('a contact that has the new mail of its record already, where edits are kept', () => {
  it('is not merged with another record that has this mail', async () => {
    const line = testLine({ pipeline: { hand_edits: 'keep', duplicate_check_method: 'email' } })
    line.source.drop('a.csv', [[...HEADER], ['1', 'old@example.com', 'Ann', 'Weber', '1']])
    await line.run()
    line.service.contacts.set(1, { ...line.service.contacts.get(1), mail: 'new@example.com' })
    const ann = ['1', 'new@example.com', 'Ann', 'Weber', '1']
    line.source.drop('b.csv', [[...HEADER], ann])
    await line.run()
    line.source.drop('c.csv', [[...HEADER], ann, ['2', 'new@example.com', 'Ben', 'Roth', '2']])
    expect(await line.run()).toMatchObject({ held: 1, created: 0 })
    expect([...line.service.contacts.values()]).toMatchObject([{ first_name: 'Ann', phone: '1' }])
  })
})
