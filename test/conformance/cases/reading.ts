// Section 4.2: reading contacts, by id and by mail.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { idIn, isObject, isRefused, members, told, type World } from '../world.ts'

const rule = ruleOf('4.2')
const open = openOf('4.2')

const names = (json: unknown): string[] => (isObject(json) ? Object.keys(json).sort() : [])
const DEFAULTS = ['family_name', 'first_name', 'id', 'mail']

async function byMail({ call }: World, mail: string, query = ''): Promise<unknown> {
  const answer = await call('GET', `/contact/${encodeURIComponent(mail)}${query}`)
  must(answer.status === 200, `reading by mail was answered ${told(answer)}`)
  return answer.json
}

const BY_ID = [
  rule('read-one', 'A contact is read by its id, as one object', async (world) => {
    const mail = world.newMail()
    const id = await world.make({ mail, first_name: 'Ada' })
    const { json } = await world.call('GET', `/contact/${id}`)
    must(isObject(json), 'the answer is no object')
    mustEqual([json['mail'], json['first_name']], [mail, 'Ada'], 'mail and first name')
    return undefined
  }),
  rule('read-id-integer', 'The id of a contact is an integer', async ({ call, make }) => {
    const id = await make()
    const { json } = await call('GET', `/contact/${id}`)
    mustEqual(isObject(json) ? json['id'] : undefined, id, 'the id')
    return undefined
  }),
  rule('read-id-always', 'id is always in the response', async ({ make, read }) => {
    const id = await make({ company: 'X' })
    mustEqual(idIn(await read(id, ['company'])), id, 'the id, where fields does not name it')
    return undefined
  }),
  rule(
    'read-default-fields',
    'Without fields, id, first_name, family_name and mail are returned',
    async ({ call, make }) => {
      const id = await make({ first_name: 'A', family_name: 'B', company: 'C' })
      mustEqual(names((await call('GET', `/contact/${id}`)).json), DEFAULTS, 'the fields returned')
      return undefined
    },
  ),
  rule(
    'read-chosen-fields',
    'With fields, the fields named are returned, and no others',
    async ({ make, read }) => {
      const id = await make({ first_name: 'A', company: 'C', phone: '+4930123456' })
      const contact = await read(id, ['company', 'phone'])
      mustEqual(names(contact), ['company', 'id', 'phone'], 'the fields returned')
      mustEqual([contact['company'], contact['phone']], ['C', '+4930123456'], 'their values')
      return undefined
    },
  ),
  open('read-empty-field', 'How a field without a value is returned: not shown', async ({ call, make }) => {
    const id = await make()
    return told(await call('GET', `/contact/${id}?fields=company,date_of_birth`))
  }),
  open('read-unknown-field', 'A field that does not exist in fields: not shown', async ({ call, make }) => {
    const id = await make()
    return told(await call('GET', `/contact/${id}?fields=mail,no_such_field`))
  }),
]

const BY_MAIL = [
  rule('by-mail-array', 'Reading by mail gives an array, even for one match', async (world) => {
    const mail = world.newMail()
    const id = await world.make({ mail })
    const json = await byMail(world, mail)
    must(Array.isArray(json), 'the answer is no array')
    mustEqual(
      members(json).map((one) => one['id']),
      [id],
      'the ids found',
    )
    return undefined
  }),
  rule('by-mail-exact', 'A mail finds the contacts that have it, and no others', async (world) => {
    const [local, domain] = ['conformance_', `${world.token}.example.com`] as const
    const mail = `${local}a@${domain}`
    const id = await world.make({ mail })
    await world.make({ mail: `conformanceXa@${domain}` })
    await world.make({ mail: `${mail}.example` })
    await world.make({ mail: `x${mail}` })
    await world.make({ mail2: mail })
    mustEqual(members(await byMail(world, mail)).map(idIn), [id], 'the ids found')
    return undefined
  }),
  rule('by-mail-shared', 'Several contacts may share a mail, and all are found by it', async (world) => {
    const mail = world.newMail()
    const ids = [await world.make({ mail }), await world.make({ mail }), await world.make({ mail })]
    const found = members(await byMail(world, mail))
      .map(idIn)
      .sort((one, other) => one - other)
    mustEqual(
      found,
      ids.sort((one, other) => one - other),
      'the ids found',
    )
    return undefined
  }),
  rule(
    'by-mail-default-fields',
    'By mail, too, the fields returned without fields are the four',
    async (world) => {
      const mail = world.newMail()
      await world.make({ mail, company: 'C' })
      mustEqual(members(await byMail(world, mail)).map(names), [DEFAULTS], 'the fields returned')
      return undefined
    },
  ),
  rule('by-mail-chosen-fields', 'By mail, too, fields chooses', async (world) => {
    const mail = world.newMail()
    await world.make({ mail, company: 'C' })
    const [contact] = members(await byMail(world, mail, '?fields=company'))
    mustEqual([names(contact), contact?.['company']], [['company', 'id'], 'C'], 'the contact')
    return undefined
  }),
  open('by-mail-unknown', 'A mail that nobody has: not shown', async ({ call, newMail }) =>
    told(await call('GET', `/contact/${encodeURIComponent(newMail())}`)),
  ),
  open('by-mail-case', 'A mail in other case: not shown', async ({ make, call, newMail }) => {
    const mail = newMail()
    await make({ mail })
    const answer = await call('GET', `/contact/${encodeURIComponent(mail.toUpperCase())}`)
    return members(answer.json).length === 1 ? 'found' : 'not found'
  }),
]

const DELETING = [
  rule('delete', 'A deleted contact is read no more, by id or by mail', async (world) => {
    const mail = world.newMail()
    const id = await world.make({ mail })
    must(!isRefused(await world.call('DELETE', `/contact/${id}`)), 'the delete was refused')
    const gone = await world.call('GET', `/contact/${id}`)
    must(isRefused(gone) || !isObject(gone.json), `reading by id was answered ${told(gone)}`)
    const byItsMail = await world.call('GET', `/contact/${encodeURIComponent(mail)}`)
    must(
      isRefused(byItsMail) || members(byItsMail.json).length === 0,
      `reading by mail was answered ${told(byItsMail)}`,
    )
    return `then answered ${gone.status}`
  }),
  rule('delete-one', 'Deleting a contact leaves another of the same mail', async (world) => {
    const mail = world.newMail()
    const [gone, stays] = [await world.make({ mail }), await world.make({ mail })]
    await world.call('DELETE', `/contact/${gone}`)
    mustEqual(members(await byMail(world, mail)).map(idIn), [stays], 'the ids found')
    return undefined
  }),
]

export const READING = [...BY_ID, ...BY_MAIL, ...DELETING]
