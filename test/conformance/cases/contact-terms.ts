// Section 4.3: the terms of a contact.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { idIn, isObject, isRefused, members, told, type World } from '../world.ts'

const rule = ruleOf('4.3')
const open = openOf('4.3')

/** No term has it. */
const NO_TERM = 999_999_999

async function change({ call }: World, method: string, id: number, terms: readonly number[]): Promise<void> {
  const answer = await call(method, `/contact/${id}/terms`, { body: terms })
  must(!isRefused(answer), `${method} was answered ${told(answer)}`)
}

/** A contact with the first two of three terms. */
async function withTwo(world: World): Promise<{ id: number; one: number; two: number; three: number }> {
  const [one, two, three] = [await world.makeTerm('one'), await world.makeTerm(), await world.makeTerm()]
  const id = await world.make()
  await change(world, 'POST', id, [one.id, two.id])
  return { id, one: one.id, two: two.id, three: three.id }
}

const ENDPOINTS = [
  rule('contact-terms-none', 'A new contact has no terms: the array is empty', async ({ make, call }) => {
    mustEqual((await call('GET', `/contact/${await make()}/terms`)).json, [], 'the list')
    return undefined
  }),
  rule(
    'contact-terms-get',
    'The terms of a contact are an array of objects with id, name and description',
    async (world) => {
      const { id: term, name } = await world.makeTerm('told')
      const id = await world.make()
      await change(world, 'POST', id, [term])
      const { json } = await world.call('GET', `/contact/${id}/terms`)
      must(Array.isArray(json), 'the answer is no array')
      const [only] = members(json)
      mustEqual(
        [json.length, only?.['id'], only?.['name'], only?.['description']],
        [1, term, name, 'told'],
        'the list',
      )
      return undefined
    },
  ),
  rule('contact-terms-set', 'Setting replaces the whole list', async (world) => {
    const { id, two, three } = await withTwo(world)
    await change(world, 'POST', id, [two, three])
    mustEqual(await world.termIds(id), [two, three], 'the terms')
    return undefined
  }),
  rule('contact-terms-add', 'Adding keeps the others', async (world) => {
    const { id, one, two, three } = await withTwo(world)
    await change(world, 'PUT', id, [three])
    mustEqual(await world.termIds(id), [one, two, three], 'the terms')
    return undefined
  }),
  rule('contact-terms-add-again', 'Adding a term that is there leaves it there once', async (world) => {
    const { id, one, two } = await withTwo(world)
    await change(world, 'PUT', id, [two])
    mustEqual(await world.termIds(id), [one, two], 'the terms')
    return undefined
  }),
  rule('contact-terms-delete', 'Deleting removes the terms listed, and keeps the others', async (world) => {
    const { id, one, two } = await withTwo(world)
    await change(world, 'DELETE', id, [one])
    mustEqual(await world.termIds(id), [two], 'the terms')
    return undefined
  }),
  rule('contact-terms-own', "The terms of one contact are no other's", async (world) => {
    await withTwo(world)
    mustEqual(await world.termIds(await world.make()), [], 'the terms of another contact')
    return undefined
  }),
  open('contact-terms-set-empty', 'Setting an empty array: not shown', async (world) => {
    const { id } = await withTwo(world)
    const answer = await world.call('POST', `/contact/${id}/terms`, { body: [] })
    return `answered ${answer.status}; ${(await world.termIds(id)).length === 0 ? 'clears the list' : 'leaves the list'}`
  }),
  open('contact-terms-delete-empty', 'Deleting an empty array: not shown', async (world) => {
    const { id } = await withTwo(world)
    const answer = await world.call('DELETE', `/contact/${id}/terms`, { body: [] })
    return `answered ${answer.status}; ${(await world.termIds(id)).length} of 2 terms are left`
  }),
  open('contact-terms-unknown', 'A term that does not exist: not shown', async (world) =>
    told(await world.call('PUT', `/contact/${await world.make()}/terms`, { body: [NO_TERM] })),
  ),
  rule('contact-terms-phantom', 'No contact carries a term that does not exist', async (world) => {
    const { id, one, two } = await withTwo(world)
    const remarks = []
    for (const [method, path, body] of [
      ['PUT', `/contact/${id}/terms`, [NO_TERM]],
      ['DELETE', `/contact/${id}/terms`, [NO_TERM]],
      ['PUT', `/contact/${id}/terms`, [one, NO_TERM]],
      ['PUT', `/contact/${id}`, { terms: [one, two, NO_TERM] }],
      ['POST', `/contact/${id}/terms`, [one, two, NO_TERM]],
    ] as const) {
      remarks.push((await world.call(method, path, { body })).status)
      const known = [one, two]
      mustEqual(
        await world.termIds(id),
        known,
        `the list after ${method} ${path.replace(String(id), '<id>')}`,
      )
      mustEqual((await world.read(id, ['terms']))['terms'], known, 'the field terms')
    }
    const created = await world.post({ mail: world.newMail(), terms: [NO_TERM] }, { check: 'none' })
    if (!isRefused(created)) mustEqual(await world.termIds(idIn(created.json)), [], 'the terms of a new one')
    return `answered ${remarks.join(', ')}`
  }),
]

const FIELD = [
  rule('terms-field-read', 'The terms field of the contact lists the ids', async (world) => {
    const { id, one, two } = await withTwo(world)
    mustEqual((await world.read(id, ['terms']))['terms'], [one, two], 'the field')
    return undefined
  }),
  rule('terms-field-create', 'A new contact can bring its terms', async (world) => {
    const { id: term } = await world.makeTerm()
    mustEqual(await world.termIds(await world.make({ terms: [term] })), [term], 'the terms')
    return undefined
  }),
  rule('terms-field-update', 'A term can be given through the field in an update', async (world) => {
    const { id, three } = await withTwo(world)
    must(
      !isRefused(await world.call('PUT', `/contact/${id}`, { body: { terms: [three] } })),
      'the update was refused',
    )
    const ids = await world.termIds(id)
    must(ids.includes(three), `the terms are ${ids.join(', ')}, without ${three}`)
    return undefined
  }),
  open(
    'terms-field-update-others',
    "Terms that an update's field does not name: not shown",
    async (world) => {
      const { id, three } = await withTwo(world)
      await world.call('PUT', `/contact/${id}`, { body: { terms: [three] } })
      return (await world.termIds(id)).length === 1 ? 'are removed' : 'are kept'
    },
  ),
  open('terms-field-update-empty', "An empty array in an update's field: not shown", async (world) => {
    const { id } = await withTwo(world)
    const answer = await world.call('PUT', `/contact/${id}`, { body: { terms: [] } })
    return `answered ${answer.status}; ${(await world.termIds(id)).length === 0 ? 'clears the list' : 'leaves the list'}`
  }),
  rule('term-survives', 'Deleting a contact leaves its terms', async ({ makeTerm, make, call }) => {
    const { id: term } = await makeTerm()
    await call('DELETE', `/contact/${await make({ terms: [term] })}`)
    const { json } = await call('GET', `/terms/${term}`)
    must(isObject(json) && idIn(json) === term, 'the term is gone')
    return undefined
  }),
]

export const CONTACT_TERMS = [...ENDPOINTS, ...FIELD]
