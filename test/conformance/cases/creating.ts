// Section 4.2: what a new contact must have.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { idIn, isObject, isRefused, told, type World } from '../world.ts'

const rule = ruleOf('4.2')
const open = openOf('4.2')

const NEEDED = ['first_name', 'family_name', 'ba_street', 'ba_city', 'ba_postal_code'] as const

async function mustRefuse({ call }: World, body: unknown): Promise<string> {
  const answer = await call('POST', '/contact', { body })
  must(isRefused(answer), `it was answered ${told(answer)}`)
  return `refused with ${answer.status}`
}

export const CREATING = [
  rule('create', 'Creating a contact answers {"id": <integer>}', async ({ post, newMail }) => {
    const { json, ...answer } = await post({ mail: newMail() }, { check: 'none' })
    must(isObject(json) && Number.isInteger(json['id']), `it was answered ${told({ json, ...answer })}`)
    return undefined
  }),
  rule('create-by-mail', 'A valid mail is enough', async ({ make, read, newMail }) => {
    const mail = newMail()
    mustEqual((await read(await make({ mail }), ['mail']))['mail'], mail, 'the mail')
    return undefined
  }),
  rule('create-by-address', 'A full address is enough', async ({ post, newAddress, read }) => {
    const address = newAddress()
    const answer = await post(address, { check: 'none' })
    must(!isRefused(answer), `it was answered ${told(answer)}`)
    const stored = await read(idIn(answer.json), NEEDED)
    mustEqual(
      NEEDED.map((name) => stored[name]),
      NEEDED.map((name) => address[name]),
      'the address',
    )
    return undefined
  }),
  ...NEEDED.map((name) =>
    rule(`create-without-${name}`, `Without a mail, an address without ${name} is refused`, async (world) => {
      const { [name]: _, ...contact } = world.newAddress()
      return mustRefuse(world, { contact, duplicate_check_method: 'none' })
    }),
  ),
  rule('create-invalid-mail', 'A mail that is not valid is refused', async (world) =>
    mustRefuse(world, { contact: { mail: `conformance-${world.token}` }, duplicate_check_method: 'none' }),
  ),
  rule('create-empty', 'A contact without anything is refused', async (world) =>
    mustRefuse(world, { contact: {}, duplicate_check_method: 'none' }),
  ),
  rule('create-no-contact', 'contact is required', async (world) =>
    mustRefuse(world, { duplicate_check_method: 'none' }),
  ),
  open('create-refused-status', 'How a refused contact is answered: not shown', async ({ post }) =>
    told(await post({ first_name: 'Conformance' }, { check: 'none' })),
  ),
  open('create-unknown-field', 'A field that does not exist: not shown', async ({ post, newMail }) =>
    told(await post({ mail: newMail(), no_such_field: 'x' }, { check: 'none' })),
  ),
  open('create-wrong-type', 'A number where a text belongs: not shown', async ({ post, newMail }) =>
    told(await post({ mail: newMail(), phone: 30 }, { check: 'none' })),
  ),
  open('create-given-id', 'An id in a new contact: not shown', async ({ post, newMail }) =>
    told(await post({ mail: newMail(), id: 999_999_999 }, { check: 'none' })),
  ),
  open(
    'create-method-unknown',
    'A duplicate method that does not exist: not shown',
    async ({ post, newMail }) => told(await post({ mail: newMail() }, { check: 'conformance' })),
  ),
]
