// Sections 4.1, 4.4 and 8: terms, their list in pages, and the definitions of custom fields.
import { type Answer, type Api, expected, idOf, isObject, isRefusal, listOf } from './api.ts'
import type { Rule } from './rule.ts'

async function page(api: Api, query: string): Promise<number[]> {
  return listOf(await api.call('GET', `/terms${query}`)).map((term) => idOf(term))
}

/** Every term, however the service cuts its pages. */
async function allIds(api: Api): Promise<Set<number>> {
  const ids = new Set<number>()
  for (;;) {
    const before = ids.size
    for (const id of await page(api, `?offset=${before}&limit=500`)) ids.add(id)
    if (ids.size === before) return ids
  }
}

const shownTerm = (answer: Answer, wanted: { id: number; name: string; description: string }): void =>
  expected(
    isObject(answer.body) &&
      idOf(answer.body) === wanted.id &&
      answer.body['name'] === wanted.name &&
      (answer.body['description'] ?? '') === wanted.description,
    'the term with id, name and description',
    answer,
  )

export const TERMS: readonly Rule[] = [
  {
    id: 'term-create',
    section: '4.1; 2.1',
    says: 'a term is made by name, with a description or without, and read by id and by name',
    async check(api) {
      const name = api.newName()
      const answer = await api.call('POST', '/terms', { name, description: 'D' })
      expected(isObject(answer.body) && Object.keys(answer.body).join() === 'id', '{"id": ...}', answer)
      const wanted = { id: idOf(answer.body), name, description: 'D' }
      shownTerm(await api.call('GET', `/terms/${wanted.id}`), wanted)
      shownTerm(await api.call('GET', `/terms/${encodeURIComponent(name)}`), wanted)
    },
  },
  {
    id: 'term-name-required',
    section: '4.1',
    says: 'a name is required',
    async check(api) {
      expected(isRefusal(await api.call('POST', '/terms', { description: 'D' })), 'a refusal without a name')
    },
  },
  {
    id: 'term-same-name',
    section: '4.1, rule 1; 2.1',
    says: 'a name that is there already, in whatever case, gives the id of that term and makes none',
    async check(api) {
      const name = api.newName()
      const id = await api.createTerm(name)
      expected((await api.createTerm(name)) === id, 'the same id again')
      expected((await api.createTerm(name.toUpperCase())) === id, 'the same id for capital letters')
      shownTerm(await api.call('GET', `/terms/${id}`), { id, name, description: '' })
    },
  },
  {
    id: 'term-update',
    section: '4.1',
    says: 'name and description can be changed, each by itself',
    async check(api) {
      const [name, other] = [api.newName(), api.newName()]
      const id = await api.createTerm(name)
      const answer = await api.call('PUT', `/terms/${id}`, { description: 'D' })
      expected(
        isObject(answer.body) && ['true', '1'].includes(String(answer.body['success'])),
        'success',
        answer,
      )
      shownTerm(await api.call('GET', `/terms/${id}`), { id, name, description: 'D' })
      await api.call('PUT', `/terms/${id}`, { name: other })
      shownTerm(await api.call('GET', `/terms/${id}`), { id, name: other, description: 'D' })
    },
  },
  {
    id: 'term-unknown',
    section: '4.1',
    says: 'a term that does not exist is not shown',
    async check(api) {
      const answer = await api.call('GET', '/terms/999999999999')
      expected(
        isRefusal(answer) || (Array.isArray(answer.body) && answer.body.length === 0),
        'no term',
        answer,
      )
      return `status ${answer.status}`
    },
  },
  {
    id: 'term-folding',
    section: '2.1',
    says: 'open: whether names that differ by an accent alone are one term',
    async check(api) {
      const name = api.newName()
      const same = (await api.createTerm(`Café ${name}`)) === (await api.createTerm(`Cafe ${name}`))
      return same ? 'they are' : 'they are not'
    },
  },
  {
    id: 'list-limit',
    section: '4.1; 8',
    says: 'limit and offset give pages that do not overlap and together hold every term',
    async check(api) {
      const made = [await api.createTerm(), await api.createTerm(), await api.createTerm()]
      const first = await page(api, '?limit=2&offset=0')
      const second = await page(api, '?limit=2&offset=2')
      expected(first.length <= 2 && second.length <= 2, 'two terms a page at most')
      expected(!second.some((id) => first.includes(id)), 'no term on both pages')
      const all = await allIds(api)
      expected(
        made.every((id) => all.has(id)),
        'every term that was made',
      )
    },
  },
  {
    id: 'list-default',
    section: '4.1; 8',
    says: 'without limit and offset the list begins at the first and has 500 at most',
    async check(api) {
      const plain = await page(api, '')
      expected(plain.length <= 500, '500 terms at most')
      expected(plain[0] === (await page(api, '?limit=1&offset=0'))[0], 'the first one first')
    },
  },
  {
    id: 'list-largest-limit',
    section: '8',
    says: 'a limit of 500 is taken, a larger one is not allowed',
    async check(api) {
      expected(!isRefusal(await api.call('GET', '/terms?limit=500')), 'a page of 500')
      const answer = await api.call('GET', '/terms?limit=501')
      expected(isRefusal(answer), 'a refusal of 501', answer)
    },
  },
  {
    id: 'list-past-the-end',
    section: '8',
    says: 'past the end there is nothing',
    async check(api) {
      expected((await page(api, '?offset=1000000&limit=10')).length === 0, 'an empty list')
    },
  },
  {
    id: 'fields-list',
    section: '4.4; 2.2',
    says: 'definitions have field_id, field_name, label, description, type and required',
    async check(api) {
      const definitions = listOf(await api.call('GET', '/custom-fields'))
      for (const one of definitions)
        for (const name of ['field_id', 'field_name', 'label', 'description', 'type', 'required'])
          expected(name in one, `${name} in ${JSON.stringify(one)}`)
      return `${definitions.length} definitions of the types ${[...new Set(definitions.map((one) => String(one['type'])))].join(', ') || 'none'}`
    },
  },
  {
    id: 'fields-one',
    section: '4.4',
    says: 'a definition is read by id and by name',
    async check(api) {
      const [one] = listOf(await api.call('GET', '/custom-fields'))
      if (one === undefined) return 'this service has none'
      for (const place of [one['field_id'], one['field_name']]) {
        const answer = await api.call('GET', `/custom-fields/${encodeURIComponent(String(place))}`)
        expected(
          isObject(answer.body) && idOf(answer.body, 'field_id') === idOf(one, 'field_id'),
          'the definition',
          answer,
        )
      }
      return undefined
    },
  },
  {
    id: 'fields-read-only',
    section: '4.4',
    says: 'definitions cannot be written',
    async check(api) {
      const answer = await api.call('POST', '/custom-fields', { field_name: 'conformance', type: 'text' })
      expected(answer.status >= 400, 'a refusal', answer)
    },
  },
]
