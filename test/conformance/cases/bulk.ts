// Section 4.2: creating many contacts in one call.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import type { Answer } from '../client.ts'
import { type Fields, idIn, isRefused, members, type Methods, told, type World } from '../world.ts'
import { BORN, obvious } from './duplicates.ts'

const rule = ruleOf('4.2')
const open = openOf('4.2')

const asArray = (contacts: Fields[]): unknown => contacts
const asObject = (contacts: Fields[]): unknown =>
  Object.fromEntries(contacts.map((one, index) => [`c${index}`, one]))

async function send(
  world: World,
  contacts: unknown,
  { check = 'none', merge }: Methods = {},
): Promise<Answer> {
  return world.call('POST', '/contacts', {
    body: {
      contacts,
      duplicate_check_method: check,
      ...(merge === undefined ? {} : { duplicate_merge_method: merge }),
    },
  })
}

/** In whichever container the service takes: which of them it is, is not a rule. */
async function sendMany(world: World, contacts: Fields[], methods?: Methods): Promise<Fields[]> {
  const answer = await send(world, asArray(contacts), methods)
  const second = isRefused(answer) ? await send(world, asObject(contacts), methods) : answer
  must(!isRefused(second), `the call was answered ${told(second)}`)
  return members(second.json)
}

/** Contacts of one mail, as many as the world has of a thing; in calls that every service takes. */
export async function manyOf(world: World, mail: string): Promise<number[]> {
  const ids: number[] = []
  for (let left = world.many; left > 0; left -= 50) {
    const contacts = Array.from({ length: Math.min(50, left) }, () => ({ mail }))
    ids.push(...(await sendMany(world, contacts)).map(idIn))
  }
  mustEqual(new Set(ids).size, world.many, 'the number of contacts made under none')
  return ids.sort((one, other) => one - other)
}

/** As the interface's defaults have it: neither of the methods is named. */
async function sendPlain(world: World, contact: Fields): Promise<number> {
  const body = { contacts: asArray([contact]) }
  const first = await world.call('POST', '/contacts', { body })
  const answer = isRefused(first)
    ? await world.call('POST', '/contacts', { body: { contacts: asObject([contact]) } })
    : first
  must(!isRefused(answer), `the call was answered ${told(answer)}`)
  return idIn(members(answer.json)[0])
}

/** What a contact with phone 1 and company C has, once a member with phone 2 and fax 9 was merged into it. */
async function mergedBy(world: World, send: (contact: Fields) => Promise<unknown>): Promise<unknown[]> {
  const contact = obvious(world)
  const id = await world.make({ ...contact, phone: '1', company: 'C' })
  await send({ ...contact, phone: '2', fax: '9' })
  const { phone, fax, company } = await world.read(id, ['phone', 'fax', 'company'])
  return [phone, fax, company].map((value) => value || null)
}

const mergedIn = async (world: World, merge: string): Promise<unknown[]> =>
  mergedBy(world, async (contact) => sendMany(world, [contact], { check: 'email', merge }))

const WHOLE = ['first_name', 'family_name', 'title', 'fax', 'ba_city', 'ba_country', 'date_of_birth']

/** Some fields of a contact, in the order of WHOLE; moments as moments. */
async function stored(world: World, id: number): Promise<unknown[]> {
  const contact = await world.read(id, WHOLE)
  return WHOLE.map((name) => {
    const moment = name === 'date_of_birth' ? Date.parse(String(contact[name])) : Number.NaN
    return moment === Date.parse(BORN) ? BORN : contact[name]
  })
}

const idOfMail = (list: readonly Fields[], mail: unknown): number =>
  idIn(list.find(({ email }) => String(email).toLowerCase() === String(mail).toLowerCase()))

const container = (id: string, name: string, contain: (contacts: Fields[]) => unknown) =>
  open(id, `contacts as ${name}: not shown`, async (world) => {
    const answer = await send(world, contain([{ mail: world.newMail() }, { mail: world.newMail() }]))
    if (isRefused(answer)) return `refused with ${answer.status}`
    return members(answer.json).length === 2 ? 'accepted' : `answered ${told(answer)}`
  })

export const BULK = [
  rule('bulk', 'Each contact is made, and answered with its id and email', async (world) => {
    const mails = [world.newMail(), world.newMail(), world.newMail()]
    const answered = await sendMany(
      world,
      mails.map((mail) => ({ mail })),
    )
    mustEqual(answered.length, 3, 'the number of objects in the answer')
    for (const mail of mails)
      mustEqual((await world.read(idOfMail(answered, mail), ['mail']))['mail'], mail, 'the mail')
    return undefined
  }),
  rule('bulk-shape', 'In the answer, id is an integer and email a string', async (world) => {
    const [one] = await sendMany(world, [{ mail: world.newMail() }])
    must(Number.isInteger(one?.['id']) && typeof one?.['email'] === 'string', `it is ${JSON.stringify(one)}`)
    return undefined
  }),
  rule('bulk-one', 'One contact is enough', async (world) => {
    mustEqual((await sendMany(world, [{ mail: world.newMail() }])).length, 1, 'the number answered')
    return undefined
  }),
  rule('bulk-none', 'At least one contact is needed', async (world) => {
    for (const empty of [[], {}]) {
      const answer = await send(world, empty)
      must(isRefused(answer), `${JSON.stringify(empty)} was answered ${told(answer)}`)
    }
    return undefined
  }),
  rule('bulk-required', 'contacts is required', async ({ call }) => {
    const answer = await call('POST', '/contacts', { body: { duplicate_check_method: 'none' } })
    must(isRefused(answer), `it was answered ${told(answer)}`)
    return `refused with ${answer.status}`
  }),
  rule('bulk-mail', 'Each contact needs a valid mail: a full address is not enough', async (world) => {
    const answer = await send(world, [world.newAddress()])
    must(
      isRefused(answer) || members(answer.json).every((one) => !(idIn(one) > 0)),
      `it was answered ${told(answer)}`,
    )
    return `answered ${answer.status}`
  }),
  rule('bulk-check-email', 'Under email, a member of a known mail is that contact', async (world) => {
    const [mail, other] = [world.newMail(), world.newMail()]
    const id = await world.make({ mail })
    const answered = await sendMany(world, [{ mail }, { mail: other }], { check: 'email' })
    mustEqual(idOfMail(answered, mail), id, 'the id of the known mail')
    must(idOfMail(answered, other) !== id, 'the new mail has the same id')
    return undefined
  }),
  rule('bulk-check-none', 'Under none, a member of a known mail is a new contact', async (world) => {
    const mail = world.newMail()
    const id = await world.make({ mail })
    must(
      idOfMail(await sendMany(world, [{ mail }], { check: 'none' }), mail) !== id,
      'the id is that of the known contact',
    )
    return undefined
  }),
  rule('bulk-merge-add', 'Under add, a member that is a duplicate only adds', async (world) => {
    const mail = world.newMail()
    const id = await world.make({ mail, phone: '1' })
    await sendMany(world, [{ mail, phone: '2', fax: '9' }], { check: 'email', merge: 'add' })
    const { phone, fax } = await world.read(id, ['phone', 'fax'])
    mustEqual([phone, fax], ['1', '9'], 'phone and fax')
    return undefined
  }),
  rule('bulk-merge-update', 'Under update, a member that is a duplicate adds nothing', async (world) => {
    mustEqual(await mergedIn(world, 'update'), ['2', null, 'C'], 'phone, fax and company')
    return undefined
  }),
  rule(
    'bulk-merge-update-add',
    'Under update_add, a member that is a duplicate adds and overwrites',
    async (world) => {
      mustEqual(await mergedIn(world, 'update_add'), ['2', '9', 'C'], 'phone, fax and company')
      return undefined
    },
  ),
  rule('bulk-merge-default', 'update_add is the default of a call, too', async (world) => {
    mustEqual(
      await mergedBy(world, async (contact) => sendPlain(world, contact)),
      ['2', '9', 'C'],
      'phone, fax and company',
    )
    return undefined
  }),
  rule('bulk-check-default', 'auto is the default of a call, too', async (world) => {
    const contact = obvious(world)
    const id = await world.make(contact)
    mustEqual(
      await sendPlain(world, { ...contact, mail: world.newMail() }),
      id,
      'the id of the same person with another mail',
    )
    return undefined
  }),
  rule('bulk-merge-new', 'Whatever the merge method, a new member has all that was sent', async (world) => {
    for (const merge of ['update_add', 'update', 'add'])
      for (const check of ['none', 'email']) {
        const contact = { ...obvious(world), fax: '9', ba_country: 'DE' } as Fields
        const id = idOfMail(await sendMany(world, [contact], { check, merge }), contact['mail'])
        mustEqual(
          await stored(world, id),
          WHOLE.map((name) => contact[name]),
          `what ${merge} leaves`,
        )
      }
    return undefined
  }),
  rule('bulk-terms', 'A member can bring its terms', async (world) => {
    const [{ id: term }, mail] = [await world.makeTerm(), world.newMail()]
    const id = idOfMail(await sendMany(world, [{ mail, terms: [term] }]), mail)
    mustEqual(await world.termIds(id), [term], 'the terms')
    return undefined
  }),
  rule('bulk-invalid-mail', 'A member whose mail is not valid is not made', async (world) => {
    const mail = `conformance-${world.token}-invalid`
    const answer = await send(world, asArray([{ mail }]))
    must(
      isRefused(answer) || members(answer.json).every((one) => !(idIn(one) > 0)),
      `it was answered ${told(answer)}`,
    )
    return `answered ${answer.status}`
  }),
  container('bulk-array', 'an array', asArray),
  container('bulk-object', 'an object', asObject),
  open('bulk-answer', 'The collection in the answer: not shown', async (world) => {
    const mails = [1, 2, 3, 4].map(() => world.newMail())
    const answer = await send(
      world,
      mails.map((mail) => ({ mail })),
    )
    const order = members(answer.json).map(({ email }) => mails.indexOf(String(email)))
    const isInOrder = order.every((place, index) => place === index)
    return `${Array.isArray(answer.json) ? 'an array' : 'no array'}, ${isInOrder ? 'in the order sent' : `in the order ${order.join(', ')}`}`
  }),
  open('bulk-refused-member', 'One refused contact among good ones: not shown', async (world) => {
    const mail = world.newMail()
    const answer = await send(world, [{ mail }, { mail: 'no mail' }])
    const good = await world.call('GET', `/contact/${encodeURIComponent(mail)}`)
    const isThere = !isRefused(good) && members(good.json).length > 0
    return `answered ${answer.status}; the good one ${isThere ? 'was made' : 'was not made'}`
  }),
  open('bulk-same-mail', 'One mail twice in a call under email: not shown', async (world) => {
    const mail = world.newMail()
    const ids = members((await send(world, [{ mail }, { mail }], { check: 'email' })).json).map(idIn)
    return `${new Set(ids).size} contact(s), ${ids.length} answer(s)`
  }),
]
