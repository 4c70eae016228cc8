// Section 4.2: updating a contact.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { type Fields, isRefused, told, type World } from '../world.ts'

const rule = ruleOf('4.2')
const open = openOf('4.2')

async function update({ call }: World, id: number, body: Fields): Promise<void> {
  const answer = await call('PUT', `/contact/${id}`, { body })
  must(!isRefused(answer), `the update was answered ${told(answer)}`)
}

async function cleared(world: World, value: unknown): Promise<string> {
  const id = await world.make({ company: 'C' })
  const answer = await world.call('PUT', `/contact/${id}`, { body: { company: value } })
  if (isRefused(answer)) return `refused with ${answer.status}`
  return (await world.read(id, ['company']))['company'] === 'C' ? 'leaves the field' : 'empties the field'
}

export const UPDATING = [
  rule('update', 'An update changes the fields given', async (world) => {
    const id = await world.make({ company: 'Before' })
    await update(world, id, { company: 'After', fax: '9' })
    const { company, fax } = await world.read(id, ['company', 'fax'])
    mustEqual([company, fax], ['After', '9'], 'company and fax')
    return undefined
  }),
  rule('update-leaves', 'An update leaves the fields that are not given', async (world) => {
    const mail = world.newMail()
    const id = await world.make({ mail, phone: '1', first_name: 'Ada' })
    await update(world, id, { company: 'After' })
    const stored = await world.read(id, ['mail', 'phone', 'first_name'])
    mustEqual(
      [stored['mail'], stored['phone'], stored['first_name']],
      [mail, '1', 'Ada'],
      'mail, phone and first name',
    )
    return undefined
  }),
  rule(
    'update-mail',
    'An update can change the mail, and the contact is found by the new one',
    async (world) => {
      const [before, after] = [world.newMail(), world.newMail()]
      const id = await world.make({ mail: before })
      await update(world, id, { mail: after })
      mustEqual((await world.read(id, ['mail']))['mail'], after, 'the mail')
      must(
        (await world.call('GET', `/contact/${encodeURIComponent(after)}`)).text.includes(after),
        'it is not found by the new mail',
      )
      must(
        !(await world.call('GET', `/contact/${encodeURIComponent(before)}`)).text.includes(after),
        'it is found by the old mail',
      )
      return undefined
    },
  ),
  rule('update-only-one', 'An update changes no other contact of the same mail', async (world) => {
    const mail = world.newMail()
    const [changed, other] = [
      await world.make({ mail, company: 'C' }),
      await world.make({ mail, company: 'C' }),
    ]
    await update(world, changed, { company: 'D' })
    mustEqual((await world.read(other, ['company']))['company'], 'C', 'the company of the other contact')
    return undefined
  }),
  open('update-nested', 'Fields nested in contact, as a create has them: not shown', async (world) => {
    const id = await world.make({ company: 'Before' })
    const answer = await world.call('PUT', `/contact/${id}`, { body: { contact: { company: 'After' } } })
    if (isRefused(answer)) return `refused with ${answer.status}`
    return (await world.read(id, ['company']))['company'] === 'After' ? 'accepted' : 'ignored'
  }),
  open('update-empty-text', 'An empty text in an update: not shown', async (world) => cleared(world, '')),
  open('update-null', 'null in an update: not shown', async (world) => cleared(world, null)),
]
