// Terms and custom fields over HTTP (interface, 4.1, 4.3 and 4.4): pages that are capped, repeated or keyed,
// odd shapes of entries, and lists that are is never sent.
import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ServiceSession } from '../../src/core/ports.ts'
import { createService } from '../../src/service/service.ts'
import { systemClock } from '../../src/system.ts'
import { serviceSettings } from '../support/pipeline.ts'

const BASE = 'https://acme.s1.example.com'

beforeAll(() => nock.disableNetConnect())
afterEach(() => {
  const left = nock.pendingMocks()
  nock.cleanAll()
  expect(left).toEqual([])
})
afterAll(() => nock.restore())

function session(): ServiceSession {
  const rateLimit = { requests: 1_000, per: 1_000, concurrency: 4, per_day: undefined }
  const retry = { attempts: 1, max_delay: 1 }
  const settings = serviceSettings({ base_url: BASE, api_key: 'key-1', rate_limit: rateLimit, retry })
  const service = createService(settings, { clock: systemClock, random: () => 0 })
  return service.session({ signal: new AbortController().signal })
}

const api = (): nock.Scope => nock(`${BASE}/public/api/V1`)

/** Terms numbered from `from`, as the service writes them. */
const page = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: from + index,
    name: `T${from + index}`,
    description: '',
  }))

const asked = (offset: number) => api().get('/terms').query({ offset, limit: 500 })

describe('the list of terms', () => {
  it('is read page by page, never more than 500 at a time', async () => {
    asked(0).reply(200, page(1, 500))
    asked(500).reply(200, page(501, 500))
    asked(1000).reply(200, page(1001, 200))
    asked(1200).reply(200, [])
    const result = await session().terms()
    expect(result).toMatchObject({ kind: 'ok' })
    expect(result.kind === 'ok' && result.value).toHaveLength(1200)
  })

  it('goes on behind what came, where the service caps its pages', async () => {
    asked(0).reply(200, page(1, 3))
    asked(3).reply(200, page(4, 2))
    asked(5).reply(200, [])
    expect(await session().terms()).toMatchObject({ value: page(1, 5) })
  })

  it('ends where the service ignores the offset and repeats itself', async () => {
    asked(0).reply(200, page(1, 3))
    asked(3).reply(200, page(1, 3))
    expect(await session().terms()).toMatchObject({ value: page(1, 3) })
  })

  it('reads keyed lists, ids as text, names of digits and missing descriptions', async () => {
    asked(0).reply(200, { '0': { id: '7', name: 2024 }, '2': { id: 8, name: 'B', description: null } })
    asked(2).reply(200, {})
    const value = [
      { id: 7, name: '2024', description: '' },
      { id: 8, name: 'B', description: '' },
    ]
    expect(await session().terms()).toMatchObject({ value })
  })

  it('goes on behind an entry that cannot be read', async () => {
    asked(0).reply(200, [{ id: 0, name: 'odd' }, ...page(1, 1)])
    asked(2).reply(200, page(2, 1))
    asked(3).reply(200, [])
    expect(await session().terms()).toMatchObject({ value: page(1, 2) })
  })

  it('is not had where a page fails', async () => {
    asked(0).reply(200, page(1, 3))
    asked(3).reply(500, 'oops')
    expect(await session().terms()).toMatchObject({ kind: 'unknown' })
  })
})

describe('one term', () => {
  it('is made with its name and description', async () => {
    api().post('/terms', { name: 'VIP', description: 'many' }).reply(200, { id: '9' })
    expect(await session().createTerm('VIP', 'many')).toMatchObject({ value: 9 })
    api().post('/terms', { name: 'VIP' }).reply(200, { id: 9 })
    expect(await session().createTerm('VIP')).toMatchObject({ value: 9 })
  })

  it('is looked up by name only where the name cannot be taken for anything else', async () => {
    api().get('/terms/M%C3%BCller').reply(200, { id: 3, name: 'Müller', description: 'x' })
    expect(await session().termByName('Müller')).toMatchObject({ value: { id: 3, name: 'Müller' } })
    expect(await session().termByName('2024')).toMatchObject({ kind: 'unknown', request: { attempts: 0 } })
    expect(await session().termByName('..')).toMatchObject({ kind: 'unknown', request: { attempts: 0 } })
  })

  it.each([
    [404, { error: true }, 'absent'],
    [200, [], 'absent'],
    [404, '<html>', 'unknown'],
    [200, { id: 4, name: 'another' }, 'unknown'],
  ])('by id: %d %j is %s', async (status, body, kind) => {
    api().get('/terms/3').reply(status, body)
    expect((await session().termById(3)).kind).toBe(kind)
  })
})

describe('the terms of a contact', () => {
  it('are changed by lists of ids', async () => {
    api().put('/contact/5/terms', '[1,2]').reply(200, { success: 'true' })
    api().post('/contact/5/terms', '[3]').reply(200, { success: true })
    api().delete('/contact/5/terms', '[1]').reply(200, { success: 1 })
    const service = session()
    expect(await service.addContactTerms(5, [1, 2])).toMatchObject({ kind: 'ok' })
    expect(await service.setContactTerms(5, [3])).toMatchObject({ kind: 'ok' })
    expect(await service.removeContactTerms(5, [1])).toMatchObject({
      kind: 'ok',
      request: { method: 'DELETE', path: '/contact/<contact_id>/terms' },
    })
  })

  it('are never changed by an empty list: some services take it for all', () => {
    const service = session()
    expect(() => service.addContactTerms(5, [])).toThrow('is never sent')
    expect(() => service.setContactTerms(5, [])).toThrow('is never sent')
    expect(() => service.removeContactTerms(5, [])).toThrow('is never sent')
  })

  it('are read to the end, however many there are', async () => {
    api().get('/contact/5/terms').reply(200, page(1, 500))
    api().get('/contact/5/terms?offset=500&limit=500').reply(200, page(501, 200))
    api().get('/contact/5/terms?offset=700&limit=500').reply(200, [])
    const result = await session().contactTerms(5)
    expect(result.kind === 'ok' && result.value).toEqual(page(1, 700))
  })

  it('are not known where one page of them fails', async () => {
    api().get('/contact/5/terms').reply(200, page(1, 3))
    api().get('/contact/5/terms?offset=3&limit=500').reply(500, 'oops')
    expect(await session().contactTerms(5)).toMatchObject({ kind: 'unknown' })
  })

  it('are not known where one of them cannot be read', async () => {
    api()
      .get('/contact/5/terms')
      .reply(200, [{ id: 1, name: 'A' }, { name: 'no id' }])
    expect(await session().contactTerms(5)).toMatchObject({ kind: 'unknown' })
    api().get('/contact/5/terms').reply(200, {})
    expect(await session().contactTerms(5)).toMatchObject({ kind: 'ok', value: [] })
  })
})

describe('custom fields', () => {
  const nickname = {
    field_id: 1,
    field_name: 'nickname',
    label: 'N',
    description: '',
    type: 'text',
    required: false,
  }

  it('are listed, and read tolerantly', async () => {
    api()
      .get('/custom-fields')
      .reply(200, {
        '0': { ...nickname, field_id: '1', required: '0' },
        '1': { field_id: 2, field_name: 'tags', type: 'selection', required: 1, multiple_selection: true },
        '2': { label: 'no id' },
      })
    api().get('/custom-fields?offset=3&limit=500').reply(200, [])
    const value = [
      {
        id: 1,
        name: 'nickname',
        label: 'N',
        description: '',
        type: 'text',
        required: false,
        multiple: undefined,
      },
      { id: 2, name: 'tags', label: '', description: '', type: 'selection', required: true, multiple: true },
    ]
    expect(await session().customFields()).toMatchObject({ value })
  })

  it('are listed to the end', async () => {
    const fields = (from: number, count: number) =>
      page(from, count).map(({ id, name }) => ({ ...nickname, field_id: id, field_name: name }))
    api().get('/custom-fields').reply(200, fields(1, 500))
    api().get('/custom-fields?offset=500&limit=500').reply(200, fields(501, 100))
    api().get('/custom-fields?offset=600&limit=500').reply(200, [])
    const result = await session().customFields()
    expect(result.kind === 'ok' && result.value.map(({ id }) => id)).toEqual(page(1, 600).map(({ id }) => id))
  })

  it('are read by id and by a name that can stand in a path', async () => {
    api().get('/custom-fields/1').reply(200, nickname)
    api().get('/custom-fields/nickname').reply(200, nickname)
    expect(await session().customFieldById(1)).toMatchObject({ value: { id: 1, name: 'nickname' } })
    expect(await session().customFieldByName('nickname')).toMatchObject({ value: { id: 1 } })
    expect(await session().customFieldByName('a/b')).toMatchObject({ kind: 'unknown' })
    api().get('/custom-fields/2').reply(404, { error: true })
    expect(await session().customFieldById(2)).toMatchObject({ kind: 'absent' })
  })
})
