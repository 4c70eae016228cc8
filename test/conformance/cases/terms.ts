// Sections 2.1, 4.1 and 8: terms, and the pages of their list.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { type Fields, idIn, isObject, isRefused, members, told, type World } from '../world.ts'

const rule = ruleOf('4.1')
const open = openOf('4.1')
const limit = ruleOf('8')

/** No term has it. */
const NO_TERM = 999_999_999

async function listed({ call }: World, query: string): Promise<Fields[]> {
  const answer = await call('GET', `/terms${query}`)
  must(answer.status === 200, `GET /terms${query} was answered ${told(answer)}`)
  return members(answer.json)
}

async function term({ call }: World, place: string | number): Promise<Fields> {
  const answer = await call('GET', `/terms/${encodeURIComponent(place)}`)
  must(answer.status === 200 && isObject(answer.json), `GET /terms/${place} was answered ${told(answer)}`)
  return answer.json
}

const named = (fields: Fields): Fields => ({ name: fields['name'], description: fields['description'] })

const LISTING = [
  rule(
    'terms-list',
    'The list of terms is an array of objects with id, name and description',
    async (world) => {
      await world.makeTerm('listed')
      const { json } = await world.call('GET', '/terms')
      must(Array.isArray(json) && json.length > 0, 'the list is no array, or empty')
      for (const one of members(json)) {
        must(Number.isInteger(one['id']), `an id is ${JSON.stringify(one['id'])}`)
        must(typeof one['name'] === 'string', `a name is ${JSON.stringify(one['name'])}`)
        must('description' in one, 'a description is missing')
      }
      return undefined
    },
  ),
  rule('terms-limit', 'limit is the number of terms to return', async (world) => {
    for (const _ of [1, 2, 3]) await world.makeTerm()
    mustEqual((await listed(world, '?limit=1')).length, 1, 'the number of terms under limit=1')
    mustEqual((await listed(world, '?limit=3')).length, 3, 'the number of terms under limit=3')
    return undefined
  }),
  rule('terms-offset', 'offset is the number of terms to skip', async (world) => {
    for (const _ of [1, 2, 3]) await world.makeTerm()
    const all = (await listed(world, '?limit=3&offset=0')).map(idIn)
    mustEqual((await listed(world, '?limit=2&offset=1')).map(idIn), all.slice(1), 'the page from offset 1')
    return undefined
  }),
  limit('terms-default-offset', 'The default offset is 0', async (world) => {
    await world.makeTerm()
    mustEqual(
      (await listed(world, '?limit=1')).map(idIn),
      (await listed(world, '?limit=1&offset=0')).map(idIn),
      'the page without offset',
    )
    return undefined
  }),
  limit('terms-default-limit', 'The default page size is 500', async (world) => {
    await world.manyTerms()
    const [plain, full] = [await listed(world, ''), await listed(world, '?limit=500')]
    mustEqual(plain.length, full.length, 'the number of terms without limit')
    must(plain.length <= 500, `the list without limit has ${plain.length} terms`)
    return plain.length < 500 ? `only ${plain.length} terms are there to see it by` : undefined
  }),
  limit('terms-largest-limit', 'limit=500 is allowed', async (world) => {
    await listed(world, '?limit=500')
    return undefined
  }),
  limit('terms-limit-501', 'A limit larger than 500 is not allowed', async ({ call }) => {
    const answers = [await call('GET', '/terms?limit=501'), await call('GET', '/terms?limit=100000')]
    for (const answer of answers)
      must(isRefused(answer), `it was answered ${answer.status}, with ${members(answer.json).length} terms`)
    return `refused with ${answers[0]?.status ?? 0}`
  }),
  rule('terms-past-the-end', 'Skipping more terms than there are leaves none', async (world) => {
    mustEqual(await listed(world, '?offset=100000000'), [], 'the page past the end')
    return undefined
  }),
  openOf('8')('terms-odd-pages', 'limit=0, limit=-1 and offset=x: not shown', async ({ call }) => {
    const statuses = []
    for (const query of ['limit=0', 'limit=-1', 'offset=x'])
      statuses.push(`${query}: ${(await call('GET', `/terms?${query}`)).status}`)
    return statuses.join(', ')
  }),
]

const ONE = [
  rule('term-create', 'Creating a term answers {"id": <integer>}', async ({ call, token }) => {
    const { json, ...answer } = await call('POST', '/terms', {
      body: { name: `conformance-${token}-created` },
    })
    must(isObject(json) && Number.isInteger(json['id']), `it was answered ${told({ json, ...answer })}`)
    return undefined
  }),
  rule('term-by-id', 'A term is read by its id, as one object', async (world) => {
    const { id, name } = await world.makeTerm('by id')
    mustEqual(named(await term(world, id)), { name, description: 'by id' }, 'the term')
    mustEqual(idIn(await term(world, id)), id, 'its id')
    return undefined
  }),
  rule('term-by-name', 'A term is read by its name, as one object', async (world) => {
    const { id, name } = await world.makeTerm('by name')
    mustEqual(idIn(await term(world, name)), id, 'the id of the term of that name')
    return undefined
  }),
  rule(
    'term-same-name',
    'Creating a term of an existing name makes none and answers the id of the existing one',
    async ({ makeTerm, call }) => {
      const { id, name } = await makeTerm()
      mustEqual(idIn((await call('POST', '/terms', { body: { name } })).json), id, 'the id answered')
      return undefined
    },
  ),
  rule(
    'term-same-name-case',
    'Names of terms are compared case-insensitively',
    async ({ makeTerm, call }) => {
      const { id, name } = await makeTerm()
      mustEqual(
        idIn((await call('POST', '/terms', { body: { name: name.toUpperCase() } })).json),
        id,
        'the id answered to the name in capitals',
      )
      return undefined
    },
  ),
  rule(
    'term-same-name-keeps',
    'Creating a term of an existing name leaves the name as it is',
    async (world) => {
      const { id, name } = await world.makeTerm('kept')
      await world.call('POST', '/terms', { body: { name: name.toUpperCase() } })
      mustEqual((await term(world, id))['name'], name, 'the name afterwards')
      return undefined
    },
  ),
  rule('term-unknown-id', 'An id that no term has gives no term', async (world) => {
    const { status, json } = await world.call('GET', `/terms/${NO_TERM}`)
    must(status >= 400 || !isObject(json) || !('name' in json), `it was answered ${JSON.stringify(json)}`)
    await world.call('PUT', `/terms/${NO_TERM}`, { body: { name: `conformance-${world.token}-nothing` } })
    const after = await world.call('GET', `/terms/${NO_TERM}`)
    must(
      after.status >= 400 || !isObject(after.json) || !('name' in after.json),
      `after an update there is ${JSON.stringify(after.json)}`,
    )
    return `answered ${status}`
  }),
  rule('term-name-odd', 'A name of blanks, umlauts and signs is read by its name', async (world) => {
    const name = `conformance-${world.token} Grüße & Co`
    const id = idIn((await world.call('POST', '/terms', { body: { name } })).json)
    mustEqual(named(await term(world, id))['name'], name, 'the name')
    mustEqual(idIn(await term(world, name)), id, 'the id of the term of that name')
    return undefined
  }),
  open('term-name-digits', 'A term named by digits, read by its name: not shown', async (world) => {
    const name = `9${Date.now()}`
    const id = idIn((await world.call('POST', '/terms', { body: { name } })).json)
    const { json } = await world.call('GET', `/terms/${name}`)
    // The term stays: under a name that says whose it is.
    await world.call('PUT', `/terms/${id}`, { body: { name: `conformance-${world.token}-${name}` } })
    return idIn(json) === id ? 'it is found' : 'it is not found: digits are an id'
  }),
  open(
    'term-same-name-description',
    'The description in a create of an existing name: not shown',
    async (world) => {
      const { id, name } = await world.makeTerm('first')
      await world.call('POST', '/terms', { body: { name, description: 'second' } })
      return `the description is then "${String((await term(world, id))['description'])}"`
    },
  ),
  rule('term-name-required', 'Creating a term without a name is refused', async ({ call }) => {
    const answer = await call('POST', '/terms', { body: { description: 'no name' } })
    must(isRefused(answer), `it was answered ${told(answer)}`)
    return `refused with ${answer.status}`
  }),
  ruleOf('2.1')(
    'term-description-empty',
    'The description is optional, and may be an empty string',
    async (world) => {
      const { id } = await world.makeTerm('')
      mustEqual((await term(world, id))['description'], '', 'the description')
      return undefined
    },
  ),
  openOf('2.1')(
    'term-description-absent',
    'The description of a term made without one: not shown',
    async (world) => {
      const { id } = await world.makeTerm()
      return JSON.stringify((await term(world, id))['description'])
    },
  ),
  open('term-unknown', 'A term that does not exist: not shown', async ({ call, token }) =>
    told(await call('GET', `/terms/conformance-${token}-nobody`)),
  ),
  open('term-by-name-case', 'Reading by name in other case: not shown', async ({ makeTerm, call }) => {
    const { name } = await makeTerm()
    return `answered ${(await call('GET', `/terms/${name.toUpperCase()}`)).status}`
  }),
]

async function updated(world: World, changes: Fields): Promise<{ term: Fields; name: string }> {
  const { id, name } = await world.makeTerm('before')
  const answer = await world.call('PUT', `/terms/${id}`, { body: changes })
  must(!isRefused(answer), `the update was answered ${told(answer)}`)
  return { term: named(await term(world, id)), name }
}

const UPDATING_TERMS = [
  rule('term-update-name', 'Updating the name leaves the description', async (world) => {
    const name = `conformance-${world.token}-renamed`
    mustEqual((await updated(world, { name })).term, { name, description: 'before' }, 'the term')
    return undefined
  }),
  rule('term-update-description', 'Updating the description leaves the name', async (world) => {
    const { term: after, name } = await updated(world, { description: 'after' })
    mustEqual(after, { name, description: 'after' }, 'the term')
    return undefined
  }),
  ruleOf('2.1')('term-unique', 'Names are unique: no term can take the name of another', async (world) => {
    const [one, other] = [await world.makeTerm(), await world.makeTerm()]
    const answer = await world.call('PUT', `/terms/${other.id}`, { body: { name: one.name.toUpperCase() } })
    mustEqual((await term(world, other.id))['name'], other.name, 'the name of the second term')
    return `answered ${answer.status}`
  }),
]

const FOLDING = [
  openOf('2.1')(
    'term-folding',
    'Names that differ in an accent or a blank alone: not shown',
    async (world) => {
      const { id, name } = await world.makeTerm()
      const idOf = async (other: string): Promise<number> =>
        idIn((await world.call('POST', '/terms', { body: { name: other } })).json)
      const verdict = (other: number): string => (other === id ? 'one term' : 'two terms')
      const accented = await idOf(name.replace('conformance', 'cónformance'))
      const inside = await idOf(name.replace('conformance', 'con formance'))
      const atEnd = await idOf(`${name} `)
      return `accent: ${verdict(accented)}; blank within: ${verdict(inside)}, at the end: ${verdict(atEnd)}`
    },
  ),
]

export const TERMS = [...LISTING, ...ONE, ...UPDATING_TERMS, ...FOLDING]
