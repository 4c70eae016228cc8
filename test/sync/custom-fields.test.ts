// Definitions of custom fields at the start of a run.
import { describe, expect, it } from 'vitest'
import type { CustomFieldDefinition } from '../../src/core/ports.ts'
import { HEADER, testLine } from '../support/line.ts'

const shoes = (changes: Partial<CustomFieldDefinition> = {}): CustomFieldDefinition => ({
  id: 8,
  name: 'shoe_size',
  label: 'Shoe size',
  description: '',
  type: 'integer',
  required: false,
  multiple: undefined,
  ...changes,
})

const record = (phone: string): string[][] => [[...HEADER], ['K1', 'a@example.com', 'A', 'B', phone]]
const pipeline = {
  map: { mail: { column: 'mail' } },
  custom_fields: { shoe_size: { column: 'phone', number: {} } },
}

it('values go under their key, as numbers, and an unchanged file needs one read', async () => {
  const line = testLine({ pipeline, settings: { custom_field_key: 'field_{field_id}' } })
  line.service.customFields.push(shoes())
  line.source.drop('a.csv', record('42'))
  expect(await line.run()).toMatchObject({ status: 'ok', created: 1 })
  expect(line.service.contacts.get(1)).toEqual({ mail: 'a@example.com', field_8: 42 })
  line.source.drop('a.csv', record('42'))
  expect(await line.run()).toMatchObject({ unchanged: 1, requests: 1 })
})

it('a pipeline without custom fields does not ask for them', async () => {
  const line = testLine()
  line.source.drop('a.csv', record('42'))
  expect(await line.run()).toMatchObject({ created: 1, requests: 1 })
})

it('a type that changed is said, and every record is looked at again', async () => {
  const line = testLine({ pipeline })
  line.service.customFields.push(shoes())
  line.source.drop('a.csv', record('42'))
  await line.run()
  line.service.customFields[0] = shoes({ type: 'text_textfield' })
  line.source.drop('a.csv', record('42'))
  expect(await line.run()).toMatchObject({ status: 'ok', updated: 1 })
  expect(await line.state.lastRun('shop')).toMatchObject({ drift: 1 })
  expect(line.log).toContainEqual({
    message: 'custom field changed at the service',
    fields: { field: 'shoe_size', change: 'type from integer to text_textfield' },
  })
  expect(line.service.contacts.get(1)).toMatchObject({ shoe_size: '42' })
  const said = () => line.log.filter(({ message }) => message === 'custom field changed at the service')
  expect(said()).toHaveLength(1)
  line.source.drop('a.csv', record('42'))
  expect(await line.run()).toMatchObject({ unchanged: 1 })
  expect(said()).toHaveLength(1)
})

describe('a field that was deleted at the service and created again', () => {
  const changed = {
    message: 'custom field changed at the service',
    fields: { field: 'shoe_size', change: 'id from 8 to 9' },
  }
  const lineAfter = async () => {
    const line = testLine({ pipeline })
    line.service.customFields.push(shoes())
    line.source.drop('a.csv', record('42'))
    await line.run()
    line.service.customFields[0] = shoes({ id: 9 })
    line.service.contacts.set(1, { mail: 'a@example.com' })
    line.source.drop('a.csv', record('42'))
    return line
  }

  it('gets its values again', async () => {
    const line = await lineAfter()
    expect(await line.run()).toMatchObject({ status: 'ok', updated: 1 })
    expect(line.log).toContainEqual(changed)
    expect(line.service.contacts.get(1)).toEqual({ mail: 'a@example.com', shoe_size: 42 })
    line.source.drop('a.csv', record('42'))
    expect(await line.run()).toMatchObject({ unchanged: 1 })
  })

  it('is planned so', async () => {
    const line = await lineAfter()
    const { changes } = await line.preview()
    expect(changes).toMatchObject([{ action: 'update', key: 'K1', fields: { shoe_size: { to: 42 } } }])
    expect(line.log).toContainEqual(changed)
  })
})

it('a field that the service does not have ends the run before any file is touched', async () => {
  const line = testLine({ pipeline })
  line.source.drop('a.csv', record('42'))
  expect(await line.run()).toMatchObject({
    status: 'failed',
    code: 'CONFIG_INVALID',
    read: 0,
    error: 'map.custom_fields.shoe_size: the service has no such field; it has none',
  })
  expect(line.source.waiting()).toEqual(['a.csv'])
  expect((await line.preview()).totals).toMatchObject({ status: 'failed', code: 'CONFIG_INVALID' })
})

it('definitions that cannot be read end the run, and leave the file', async () => {
  const line = testLine({ pipeline })
  line.source.drop('a.csv', record('42'))
  line.service.fault = ({ path }) => (path === '/custom-fields' ? { kind: 'not_applied' } : undefined)
  expect(await line.run()).toMatchObject({ status: 'failed', code: 'SERVICE_UNREACHABLE', read: 0 })
  expect(line.source.waiting()).toEqual(['a.csv'])
})

it('a look-up by name that fails is no fault of the mapping', async () => {
  const line = testLine({ pipeline })
  line.source.drop('a.csv', record('42'))
  line.service.fault = ({ path }) =>
    path.startsWith('/custom-fields/') ? { kind: 'not_applied', status: 503 } : undefined
  expect(await line.run()).toMatchObject({ status: 'failed', code: 'SERVICE_UNREACHABLE', read: 0 })
  expect(line.source.waiting()).toEqual(['a.csv'])
})

describe('a required field', () => {
  const lineWith = (onInvalid: 'reject' | 'drop') => {
    const line = testLine({ pipeline: { ...pipeline, on_invalid: onInvalid } })
    line.service.customFields.push(shoes({ required: true }))
    return line
  }

  it.each([
    ['reject', ''],
    ['drop', ''],
    ['drop', 'no number'],
  ] as const)('is asked of a new contact (on_invalid: %s, %j)', async (onInvalid, value) => {
    const line = lineWith(onInvalid)
    line.source.drop('a.csv', record(value))
    expect(await line.run()).toMatchObject({ rejected: 1, created: 0 })
    expect(line.service.writes()).toEqual([])
  })

  it.each(['reject', 'drop'] as const)(
    'may be blank for a contact that has it (on_invalid: %s)',
    async (onInvalid) => {
      const line = lineWith(onInvalid)
      line.source.drop('a.csv', record('42'))
      await line.run()
      line.source.drop('a.csv', [[...HEADER], ['K1', 'new@example.com', 'A', 'B', '']])
      expect(await line.run()).toMatchObject({ updated: 1, rejected: 0 })
      expect(line.service.contacts.get(1)).toEqual({ mail: 'new@example.com', shoe_size: 42 })
    },
  )
})

it('every pipeline that maps a changed field is told of it, once', async () => {
  const first = testLine({ pipeline })
  first.service.customFields.push(shoes())
  const { state, service } = first
  const second = testLine({ state, service, pipeline: { ...pipeline, name: 'crm' } })
  await first.run()
  await second.run()
  service.customFields[0] = shoes({ type: 'text_textfield' })
  for (const line of [first, second]) {
    for (let run = 0; run < 2; run += 1) await line.run()
    expect(line.log.map(({ message }) => message)).toEqual(['custom field changed at the service'])
  }
})

it('several choices are sent when they change, and kept where a user has chosen otherwise', async () => {
  const line = testLine({
    pipeline: {
      hand_edits: 'keep',
      map: { mail: { column: 'mail' } },
      custom_fields: { shoe_size: { column: 'phone', split: '/' } },
    },
  })
  line.service.customFields.push(shoes({ type: 'options_buttons', multiple: true }))
  const choices = () => line.service.contacts.get(1)?.['shoe_size']
  for (const [text, chosen] of [
    ['36/37', ['36', '37']],
    ['37/38', ['37', '38']],
    ['39', ['39']],
  ] as const) {
    line.source.drop(`${text.replace('/', '-')}.csv`, record(text))
    expect(await line.run()).toMatchObject({ status: 'ok', kept_edits: 0 })
    expect(choices()).toEqual(chosen)
  }
  line.service.contacts.set(1, { ...line.service.contacts.get(1), shoe_size: ['39', '40'] })
  line.source.drop('last.csv', record('41/42'))
  expect(await line.run()).toMatchObject({ kept_edits: 1 })
  expect(choices()).toEqual(['39', '40'])
})
