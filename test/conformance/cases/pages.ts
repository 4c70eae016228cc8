// Section 8: requests that return several items answer pages of 500, and `limit` and `offset` lead through them. Makes
// `world.many` terms that stay, the same in every run, and as many contacts, which are deleted: with 60 (the default)
// a smaller page shows, with more than 500 a whole one does.
import { must, mustEqual, ruleOf } from '../case.ts'
import { idIn, isRefused, members, told, type World } from '../world.ts'
import { manyOf } from './bulk.ts'

const rule = ruleOf('8')

const PAGE = 500

async function page({ call }: World, path: string, query: string): Promise<number[] | undefined> {
  const answer = await call('GET', `${path}${query}`)
  return isRefused(answer) ? undefined : members(answer.json).map(idIn)
}

/** The first page as it comes by itself, then on from there; every entry must come once. */
async function readToEnd(world: World, path: string): Promise<{ first: number; ids: number[] }> {
  const plain = await world.call('GET', path)
  must(plain.status === 200, `GET ${path} was answered ${told(plain)}`)
  const ids = members(plain.json).map(idIn)
  const first = ids.length
  for (;;) {
    const more = await page(world, path, `?offset=${ids.length}`)
    if (more === undefined || more.length === 0) break
    const seen = new Set(ids)
    const again = more.find((id) => seen.has(id))
    must(again === undefined, `offset=${ids.length} gives ${again ?? 0} again`)
    ids.push(...more)
  }
  return { first, ids: ids.sort((one, other) => one - other) }
}

const remarkOn = (count: number): string | undefined =>
  count > PAGE ? undefined : `only ${count} entries are there to see it by`

async function mustShowAll(world: World, path: string, all: readonly number[]): Promise<string | undefined> {
  const { first, ids } = await readToEnd(world, path)
  mustEqual(first, Math.min(PAGE, all.length), `the number of entries of the first page of ${all.length}`)
  const missing = all.filter((id) => !ids.includes(id))
  must(missing.length === 0, `${missing.length} of ${all.length} entries are on no page`)
  mustEqual(ids.length, all.length, 'the number of entries on all pages')
  return remarkOn(all.length)
}

/** What limit=2 gives page by page, against the list as it comes; that a list takes them is documented of terms alone. */
async function mustLead(world: World, path: string): Promise<string | undefined> {
  const all = members((await world.call('GET', path)).json).map(idOf)
  must(all.length > 0, `GET ${path} gives nothing`)
  const seen: (number | undefined)[] = []
  for (let offset = 0; offset < Math.min(all.length, 20); offset += 2) {
    const answer = await world.call('GET', `${path}?limit=2&offset=${offset}`)
    if (isRefused(answer)) return `limit and offset are refused with ${answer.status}`
    const ids = members(answer.json).map(idOf)
    if (offset === 0 && ids.length > 2) return 'limit is ignored'
    seen.push(...ids)
  }
  mustEqual(seen, all.slice(0, 20), 'what pages of two give, one after the other')
  return undefined
}

const idOf = (entry: Record<string, unknown>): number => Number(entry['id'] ?? entry['field_id'])

async function withMany(world: World): Promise<{ id: number; terms: number[] }> {
  const terms = await world.manyTerms()
  const id = await world.make()
  for (let from = 0; from < terms.length; from += 100) {
    const answer = await world.call('PUT', `/contact/${id}/terms`, { body: terms.slice(from, from + 100) })
    must(!isRefused(answer), `adding terms was answered ${told(answer)}`)
  }
  return { id, terms }
}

export const PAGES = [
  rule('terms-pages', 'The list of terms has pages of 500, and offset leads to the last', async (world) => {
    const ours = await world.manyTerms()
    const { first, ids } = await readToEnd(world, '/terms')
    mustEqual(first, Math.min(PAGE, ids.length), `the number of terms on the first page of ${ids.length}`)
    const missing = ours.filter((id) => !ids.includes(id))
    must(missing.length === 0, `${missing.length} of ${ours.length} terms made here are on no page`)
    return remarkOn(ids.length)
  }),
  rule('contact-terms-pages', 'The terms of a contact have pages of 500, too', async (world) => {
    const { id, terms } = await withMany(world)
    return mustShowAll(world, `/contact/${id}/terms`, terms)
  }),
  rule('contact-terms-lead', 'limit and offset, where they are taken, lead through them', async (world) => {
    const terms = (await world.manyTerms()).slice(0, 5)
    return mustLead(world, `/contact/${await world.make({ terms })}/terms`)
  }),
  rule('terms-field-whole', 'The terms field of a contact lists all of them', async (world) => {
    const { id, terms } = await withMany(world)
    const { terms: shown } = await world.read(id, ['terms'])
    const ids = (Array.isArray(shown) ? (shown as unknown[]) : []).map(Number)
    const missing = terms.filter((term) => !ids.includes(term))
    must(missing.length === 0, `${missing.length} of ${terms.length} terms are missing`)
    mustEqual(ids.length, terms.length, 'the number of ids')
    return remarkOn(terms.length)
  }),
  rule('by-mail-pages', 'The contacts of a mail have pages of 500, too', async (world) => {
    const mail = world.newMail()
    const ids = await manyOf(world, mail)
    return mustShowAll(world, `/contact/${encodeURIComponent(mail)}`, ids)
  }),
  rule('by-mail-lead', 'limit and offset, where they are taken, lead through them', async (world) => {
    const mail = world.newMail()
    for (const _ of [1, 2, 3, 4, 5]) await world.make({ mail })
    return mustLead(world, `/contact/${encodeURIComponent(mail)}`)
  }),
  rule(
    'custom-fields-lead',
    'limit and offset, where they are taken, lead through the definitions',
    async (world) =>
      members((await world.call('GET', '/custom-fields')).json).length === 0
        ? 'there are none to see it by'
        : mustLead(world, '/custom-fields'),
  ),
]
