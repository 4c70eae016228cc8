// Sections 2.3, 3 and 8: every field of a contact, what it may hold and how much.
import { must, mustEqual, openOf, ruleOf } from '../case.ts'
import { idIn, isRefused, told, type World } from '../world.ts'

const rule = ruleOf('2.3')
const size = ruleOf('8')

const TEXTS: Readonly<Record<string, number>> = {
  first_name: 255,
  family_name: 255,
  company: 255,
  job_title: 255,
  phone: 255,
  phone2: 255,
  fax: 255,
  skype: 255,
  fb: 255,
  twitter: 255,
  ba_street: 255,
  ba_street2: 255,
  ba_city: 255,
  ba_postal_code: 20,
  ba_state: 20,
}

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  title: ['m', 'f'],
  title2: ['dr', 'prof'],
  phone_type: ['work', 'home', 'mobile', 'other'],
  phone2_type: ['work', 'home', 'mobile', 'other'],
  ba_country: ['DE', 'AT', 'US'],
}
/** Nothing that a field of choices may hold. */
const NO_CHOICE: Readonly<Record<string, string>> = { ba_country: 'Germany' }

/** What a new contact holds in the field once this was given for it; undefined where it was refused. */
async function stored({ post, read, newMail }: World, name: string, value: unknown): Promise<unknown> {
  const answer = await post({ mail: newMail(), [name]: value }, { check: 'none' })
  return isRefused(answer) ? undefined : (await read(idIn(answer.json), [name]))[name]
}

/** What a contact holds in the field after an update with this. */
async function updated(world: World, id: number, name: string, value: unknown): Promise<unknown> {
  await world.call('PUT', `/contact/${id}`, { body: { [name]: value } })
  return (await world.read(id, [name]))[name]
}

/** Of exactly so many characters, with both names of the address as long as they may be. */
function longMail(token: string, length: number): string {
  const local = `conformance-${token}-`.padEnd(64, 'm')
  const tail = '.example.com'
  const room = length - local.length - 1 - tail.length
  const labels = 'd'
    .repeat(room)
    .replace(/(.{60})(?=.)/g, '$1.')
    .slice(0, room)
    .replace(/\.$/, 'd')
  return `${local}@${labels}${tail}`
}

async function mustHoldLongest(world: World, name: string, make: (length: number) => string, most: number) {
  const longest = make(most)
  mustEqual(await stored(world, name, longest), longest, `the value of ${most} characters`)
  const kept = await stored(world, name, make(most + 1))
  if (kept === undefined || kept === null) return `${most + 1} characters are refused`
  must(typeof kept === 'string' && kept.length <= most, `${most + 1} characters were stored whole`)
  return `${most + 1} characters are cut`
}

const textCases = Object.entries(TEXTS).flatMap(([name, most]) => [
  rule(`field-${name}`, `${name} holds text`, async (world) => {
    mustEqual(await stored(world, name, 'Grüße, 01'), 'Grüße, 01', 'the value')
    return undefined
  }),
  size(`size-${name}`, `${name} holds ${most} characters, and no more`, async (world) =>
    mustHoldLongest(world, name, (length) => 'x'.repeat(length), most),
  ),
])

const choiceCases = Object.entries(CHOICES).flatMap(([name, values]) => [
  rule(`field-${name}`, `${name} holds ${values.join(', ')}`, async (world) => {
    for (const value of values) mustEqual(await stored(world, name, value), value, 'the value')
    return undefined
  }),
  rule(`allowed-${name}`, `${name} holds nothing else`, async (world) => {
    const kept = await stored(world, name, NO_CHOICE[name] ?? 'x')
    must(!kept, `it holds ${JSON.stringify(kept)}`)
    return kept === undefined ? 'another value is refused' : 'another value is dropped'
  }),
])

const MAILS = ['mail', 'mail2'].flatMap((name) => [
  rule(`field-${name}`, `${name} holds a mail address`, async (world) => {
    const mail = world.newMail()
    mustEqual(await stored(world, name, mail), mail, 'the value')
    return undefined
  }),
  size(`size-${name}`, `${name} holds 255 characters, and no more`, async (world) =>
    mustHoldLongest(world, name, (length) => longMail(world.token, length), 255),
  ),
])

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/

const DATES = [
  rule('field-date_of_birth', 'date_of_birth holds a moment with its offset', async (world) => {
    const kept = await stored(world, 'date_of_birth', '1980-03-04T12:00:00+00:00')
    mustEqual(Date.parse(String(kept)), Date.parse('1980-03-04T12:00:00+00:00'), 'the moment')
    return undefined
  }),
  rule(
    'shape-date_of_birth',
    'date_of_birth is returned as <YYYY-MM-DD>T<hh:mm:ss>+<hh:mm>',
    async (world) => {
      const kept = await stored(world, 'date_of_birth', '1980-03-04T12:00:00+02:00')
      must(MOMENT.test(String(kept)), `it is ${JSON.stringify(kept)}`)
      return undefined
    },
  ),
  rule('allowed-date_of_birth', 'date_of_birth holds nothing that is no date', async (world) => {
    const kept = await stored(world, 'date_of_birth', 'yesterday')
    must(!kept, `it holds ${JSON.stringify(kept)}`)
    return undefined
  }),
  openOf('2.3')('date-only', 'A date without a time: not shown', async (world) => {
    const kept = await stored(world, 'date_of_birth', '1980-03-04')
    return kept === undefined ? 'refused' : `becomes ${JSON.stringify(kept)}`
  }),
]

const STATUS = [
  ruleOf('3')('mail-status-default', 'mail_status is 3 for a new contact', async ({ make, read }) => {
    mustEqual((await read(await make(), ['mail_status']))['mail_status'], 3, 'the status')
    return undefined
  }),
  ruleOf('3')('mail-status-values', 'mail_status holds 1, 2, 3, 4 or 7 and nothing else', async (world) => {
    const id = await world.make()
    for (const value of [0, 5, 6, 8, -1]) {
      must((await stored(world, 'mail_status', value)) !== value, `it holds ${value}`)
      must((await updated(world, id, 'mail_status', value)) !== value, `it holds ${value} after an update`)
    }
    return undefined
  }),
  ruleOf('3')(
    'mail-status-each',
    'mail_status holds each of 1, 2, 3, 4 and 7, where the key may set it',
    async (world) => {
      const given = [1, 2, 4, 7, 3]
      const [created, changed]: unknown[][] = [[], []]
      const id = await world.make()
      for (const value of given) {
        created?.push(await stored(world, 'mail_status', value))
        changed?.push(await updated(world, id, 'mail_status', value))
      }
      const isIgnored = [created, changed].flat().every((value) => value === 3 || value === undefined)
      if (isIgnored) return 'this key may not set it'
      mustEqual(created, given, 'what new contacts hold')
      mustEqual(changed, given, 'what a contact holds after each update')
      return undefined
    },
  ),
  openOf('3')(
    'mail-status-after-delete',
    'The mail_status of an address whose contact was deleted: not shown',
    async (world) => {
      const mail = world.newMail()
      const id = await world.make({ mail, mail_status: 2 })
      if ((await world.read(id, ['mail_status']))['mail_status'] !== 2) return 'this key may not set one'
      await world.call('DELETE', `/contact/${id}`)
      const again = await world.make({ mail })
      return (await world.read(again, ['mail_status']))['mail_status'] === 2 ? 'remembered' : 'forgotten'
    },
  ),
  openOf('2.3')(
    'mail-status-set',
    'Setting mail_status takes effect only with special permissions',
    async (world) => {
      const kept = await stored(world, 'mail_status', 7)
      if (kept === undefined) return 'this key may not: it is refused'
      return kept === 7 ? 'this key may' : `this key may not: it stays ${JSON.stringify(kept)}`
    },
  ),
]

const UPDATES = [
  rule('update-every-field', 'Each standard field can be changed by an update', async (world) => {
    const given = {
      ...Object.fromEntries(Object.keys(TEXTS).map((name) => [name, `${name.slice(0, 9)} 2`])),
      ...Object.fromEntries(Object.entries(CHOICES).map(([name, values]) => [name, values.at(-1)])),
      mail: world.newMail(),
      mail2: world.newMail(),
    }
    const before = {
      ...Object.fromEntries(Object.keys(TEXTS).map((name) => [name, '1'])),
      ...Object.fromEntries(Object.entries(CHOICES).map(([name, values]) => [name, values[0]])),
    }
    const id = await world.make(before)
    const answer = await world.call('PUT', `/contact/${id}`, { body: given })
    must(!isRefused(answer), `the update was answered ${told(answer)}`)
    const kept = await world.read(id, Object.keys(given))
    for (const [name, value] of Object.entries(given)) mustEqual(kept[name], value, name)
    const born = await updated(world, id, 'date_of_birth', '1980-03-04T12:00:00+00:00')
    mustEqual(Date.parse(String(born)), Date.parse('1980-03-04T12:00:00+00:00'), 'date_of_birth')
    return undefined
  }),
  size('size-in-update', 'In an update, too, a text holds as many characters, and no more', async (world) => {
    const id = await world.make()
    for (const [name, most] of Object.entries(TEXTS)) {
      mustEqual(await updated(world, id, name, 'y'.repeat(most)), 'y'.repeat(most), `${most} in ${name}`)
      const kept = await updated(world, id, name, 'x'.repeat(most + 1))
      must(kept !== 'x'.repeat(most + 1), `${most + 1} characters were stored whole in ${name}`)
    }
    return undefined
  }),
  rule('allowed-in-update', 'In an update, too, a field of choices holds nothing else', async (world) => {
    const id = await world.make()
    for (const name of Object.keys(CHOICES)) {
      const value = NO_CHOICE[name] ?? 'x'
      must((await updated(world, id, name, value)) !== value, `${name} holds ${value}`)
    }
    must(
      (await updated(world, id, 'date_of_birth', 'yesterday')) !== 'yesterday',
      'date_of_birth holds yesterday',
    )
    return undefined
  }),
]

const ALL = [
  rule('field-all', 'All standard fields can be read together', async ({ make, read }) => {
    const names = [
      ...Object.keys(TEXTS),
      ...Object.keys(CHOICES),
      'mail',
      'mail2',
      'mail_status',
      'date_of_birth',
      'terms',
    ]
    const contact = await read(await make(), names)
    for (const name of names) must(name in contact, `${name} is not in the answer`)
    return undefined
  }),
  openOf('8')('size-unit', 'In what the size of a text is counted: not shown', async (world) => {
    const kept = await stored(world, 'ba_state', '😀'.repeat(20))
    if (kept === '😀'.repeat(20)) return 'characters: 20 that take two UTF-16 units each fit into CHAR(20)'
    return kept === undefined
      ? 'less than characters: 20 emoji are refused by CHAR(20)'
      : 'less than characters: they are cut'
  }),
  openOf('2.3')('spaces', 'Blanks around a value: not shown', async (world) =>
    (await stored(world, 'company', ' X ')) === ' X ' ? 'kept' : 'trimmed',
  ),
]

export const FIELDS = [...textCases, ...choiceCases, ...MAILS, ...DATES, ...STATUS, ...UPDATES, ...ALL]
