// Section 4.2: duplicate_check_method says who is a duplicate, duplicate_merge_method what becomes of one.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { type Fields, idIn, isRefused, type Methods, told, type World } from '../world.ts'

const rule = ruleOf('4.2')
const open = openOf('4.2')

async function created(world: World, contact: Fields, methods: Methods): Promise<number> {
  const answer = await world.post(contact, methods)
  must(!isRefused(answer), `the create was answered ${told(answer)}`)
  return idIn(answer.json)
}

export const BORN = '1980-03-04T12:00:00+00:00'

/** All that can tell a person, so that no algorithm can doubt it is the same. */
const person = (world: World): Fields => ({
  ...world.newAddress(),
  title: 'f',
  mail: world.newMail(),
  phone: '+493012345678',
  date_of_birth: BORN,
})
export { person as obvious }

/** Another person, as different as possible. */
const stranger = (world: World): Fields => ({
  ...person(world),
  first_name: 'Zoe',
  title: 'm',
  phone: '+4989876543',
  date_of_birth: '2001-11-23T12:00:00+00:00',
  ba_city: 'Anderswo',
  ba_postal_code: '98765',
})

/** Texts that a merge can change without another mail. */
const MERGED = [
  ...[
    'first_name',
    'family_name',
    'company',
    'job_title',
    'phone',
    'phone2',
    'fax',
    'skype',
    'fb',
    'twitter',
  ],
  ...['ba_street', 'ba_street2', 'ba_city', 'ba_postal_code', 'ba_state'],
]

async function isSame(world: World, first: Fields, second: Fields, methods: Methods): Promise<boolean> {
  const id = await created(world, first, { check: 'none' })
  return (await created(world, second, methods)) === id
}

const CHECKS = [
  rule('check-none', 'Under none, even the same contact again is a new one', async (world) => {
    const contact = person(world)
    must(!(await isSame(world, contact, contact, { check: 'none' })), 'the two became one')
    return undefined
  }),
  rule('check-email', 'Under email, a contact of the same primary mail is a duplicate', async (world) => {
    const contact = person(world)
    const other = { mail: contact['mail'], first_name: 'Another', family_name: world.newName() }
    must(await isSame(world, contact, other, { check: 'email' }), 'the two stayed two')
    return undefined
  }),
  rule(
    'check-email-other',
    'Under email, the same person with another mail is no duplicate',
    async (world) => {
      const contact = person(world)
      must(
        !(await isSame(world, contact, { ...contact, mail: world.newMail() }, { check: 'email' })),
        'the two became one',
      )
      return undefined
    },
  ),
  rule('check-email-primary', 'Under email, the secondary mail makes no duplicate', async (world) => {
    const contact = person(world)
    const other = { mail: world.newMail(), mail2: contact['mail'] }
    must(!(await isSame(world, contact, other, { check: 'email' })), 'the two became one')
    return undefined
  }),
  rule('check-auto', 'Under auto, an obvious duplicate is found', async (world) => {
    const contact = person(world)
    must(await isSame(world, contact, contact, { check: 'auto' }), 'the two stayed two')
    return undefined
  }),
  rule(
    'check-auto-stranger',
    'Under auto, a contact with nothing in common is no duplicate',
    async (world) => {
      const stranger = { mail: world.newMail(), first_name: 'Zoe', family_name: world.newName() }
      must(!(await isSame(world, person(world), stranger, { check: 'auto' })), 'the two became one')
      return undefined
    },
  ),
  rule('check-auto-no-mail', 'Under auto, an obvious duplicate without a mail is found', async (world) => {
    const { mail: _, ...contact } = person(world)
    must(await isSame(world, contact, contact, { check: 'auto' }), 'the two stayed two')
    return undefined
  }),
  rule(
    'check-auto-other-mail',
    'Under auto, an obvious duplicate with another mail is found',
    async (world) => {
      const contact = person(world)
      must(
        await isSame(world, contact, { ...contact, mail: world.newMail() }, { check: 'auto' }),
        'the two stayed two',
      )
      return undefined
    },
  ),
  rule(
    'check-auto-family-name',
    'Under auto, two with one family name and nothing else in common are two',
    async (world) => {
      const contact = person(world)
      const { family_name } = contact as { family_name: unknown }
      const other = { ...stranger(world), family_name }
      must(!(await isSame(world, contact, other, { check: 'auto' })), 'the two became one')
      return undefined
    },
  ),
  rule(
    'check-auto-place',
    'Under auto, two of one city and postal code with nothing else in common are two',
    async (world) => {
      const contact = person(world)
      const { ba_city, ba_postal_code } = contact
      const other = { ...stranger(world), ba_city, ba_postal_code }
      must(!(await isSame(world, contact, other, { check: 'auto' })), 'the two became one')
      return undefined
    },
  ),
  rule(
    'check-email-secondary',
    'Under email, the mail of one that is the secondary mail of another makes no duplicate',
    async (world) => {
      const mail2 = world.newMail()
      must(
        !(await isSame(world, { ...person(world), mail2 }, { mail: mail2 }, { check: 'email' })),
        'the two became one',
      )
      return undefined
    },
  ),
  rule('check-default', 'auto is the default', async (world) => {
    const contact = person(world)
    must(
      await isSame(world, contact, contact, {}),
      'without a method, an obvious duplicate stayed another contact',
    )
    const other = person(world)
    must(
      await isSame(world, other, { ...other, mail: world.newMail() }, {}),
      'without a method, an obvious duplicate with another mail stayed another contact',
    )
    return undefined
  }),
  open('check-email-case', 'Under email, the same mail in other case: not shown', async (world) => {
    const contact = person(world)
    const other = { mail: String(contact['mail']).toUpperCase() }
    return (await isSame(world, contact, other, { check: 'email' })) ? 'a duplicate' : 'no duplicate'
  }),
  open('check-auto-mail', 'Under auto, nothing but the same mail: not shown', async (world) => {
    const mail = world.newMail()
    return (await isSame(world, { mail }, { mail }, { check: 'auto' })) ? 'a duplicate' : 'no duplicate'
  }),
  open('check-auto-name', 'Under auto, the same name with another mail: not shown', async (world) => {
    const name = { first_name: 'Ada', family_name: world.newName() }
    const [one, other] = [
      { ...name, mail: world.newMail() },
      { ...name, mail: world.newMail() },
    ]
    return (await isSame(world, one, other, { check: 'auto' })) ? 'a duplicate' : 'no duplicate'
  }),
]

/** What a contact with phone 1 and company C has, once a duplicate with phone 2 and fax 9 came. */
async function merged(
  world: World,
  methods: Methods,
  given: Fields = { phone: '2', fax: '9' },
): Promise<unknown[]> {
  const contact = { ...person(world), phone: '1', company: 'C' }
  const id = await created(world, contact, { check: 'none' })
  const { first_name, family_name, mail } = contact as Fields
  const duplicate = { first_name, family_name, mail, ...given }
  mustEqual(await created(world, duplicate, { check: 'email', ...methods }), id, 'the id of the duplicate')
  const stored = await world.read(id, ['phone', 'fax', 'company'])
  return [stored['phone'], stored['fax'], stored['company']].map((value) => value || null)
}

const MERGES = [
  rule('merge-update-add', 'update_add adds missing fields and overwrites existing ones', async (world) => {
    mustEqual(await merged(world, { merge: 'update_add' }), ['2', '9', 'C'], 'phone, fax and company')
    return undefined
  }),
  rule('merge-update', 'update overwrites existing fields and adds none', async (world) => {
    mustEqual(await merged(world, { merge: 'update' }), ['2', null, 'C'], 'phone, fax and company')
    return undefined
  }),
  rule('merge-update-blank', 'update overwrites with a value only', async (world) => {
    mustEqual(
      await merged(world, { merge: 'update' }, { phone: '' }),
      ['1', null, 'C'],
      'phone, fax and company',
    )
    return undefined
  }),
  rule('merge-add', 'add adds missing fields only', async (world) => {
    mustEqual(await merged(world, { merge: 'add' }), ['1', '9', 'C'], 'phone, fax and company')
    return undefined
  }),
  rule('merge-default', 'update_add is the default', async (world) => {
    mustEqual(await merged(world, {}), ['2', '9', 'C'], 'phone, fax and company')
    return undefined
  }),
  rule(
    'merge-new',
    'A merge method applies to a duplicate alone: a new contact has all that was sent',
    async (world) => {
      for (const merge of ['update_add', 'update', 'add'])
        for (const check of ['none', 'email']) {
          const contact = { ...person(world), phone: '1', fax: '9' }
          const { family_name, fax } = await world.read(await created(world, contact, { check, merge }), [
            'family_name',
            'fax',
          ])
          mustEqual(
            [family_name, fax],
            [(contact as Fields)['family_name'], '9'],
            `family name and fax of a new contact under ${check} and ${merge}`,
          )
        }
      return undefined
    },
  ),
  rule('merge-every-field', 'A merge is of every field', async (world) => {
    for (const [merge, expected] of [
      ['update_add', 'after'],
      ['update', 'after'],
      ['add', 'before'],
    ] as const) {
      const all = (value: string): Fields => Object.fromEntries(MERGED.map((name) => [name, value]))
      const mail = world.newMail()
      const id = await world.make({ mail, ...all('before') })
      mustEqual(
        await created(world, { mail, ...all('after') }, { check: 'email', merge }),
        id,
        'the id of the duplicate',
      )
      const kept = await world.read(id, MERGED)
      for (const name of MERGED) mustEqual(kept[name], expected, `${name} under ${merge}`)
    }
    return undefined
  }),
  open(
    'merge-mail-status',
    'mail_status 3 of a contact under add, with 2 given: not shown',
    async (world) => {
      const mail = world.newMail()
      const id = await world.make({ mail })
      await created(world, { mail, mail_status: 2 }, { check: 'email', merge: 'add' })
      return `then it is ${JSON.stringify((await world.read(id, ['mail_status']))['mail_status'])}`
    },
  ),
  open('merge-update-add-blank', 'A blank value under update_add: not shown', async (world) => {
    const [phone] = await merged(world, { merge: 'update_add' }, { phone: '' })
    return phone === null ? 'empties the field' : 'leaves the field'
  }),
  open('merge-terms', 'Terms of a duplicate: not shown', async (world) => {
    const [one, other] = [await world.makeTerm(), await world.makeTerm()]
    const mail = world.newMail()
    const id = await world.make({ mail, terms: [one.id] })
    await created(world, { mail, terms: [other.id] }, { check: 'email', merge: 'update_add' })
    const ids = await world.termIds(id)
    if (ids.length === 2) return 'are added'
    return ids[0] === other.id ? 'replace those there' : 'are ignored'
  }),
]

export const DUPLICATES = [...CHECKS, ...MERGES]
