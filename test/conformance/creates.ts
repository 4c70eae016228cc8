// Section 4.2: creating contacts, one and many, with the duplicate methods.
import { type Answer, type Api, expected, type Fields, idOf, isRefusal, listOf } from './api.ts'
import type { Rule } from './rule.ts'

const ADDRESS = {
  first_name: 'Ann',
  family_name: 'Lee',
  ba_street: 'Hill 1',
  ba_city: 'Ulm',
  ba_postal_code: '01234',
}

const METHODS = { duplicate_check_method: 'email', duplicate_merge_method: 'update_add' }

async function countByMail(api: Api, mail: string): Promise<number> {
  return listOf(await api.call('GET', `/contact/${encodeURIComponent(mail)}`)).length
}

async function createMany(api: Api, contacts: unknown, methods: Fields = METHODS): Promise<Answer> {
  return api.call('POST', '/contacts', { contacts, ...methods })
}

/** The ids of an answer by mail. */
function idsByMail(answer: Answer): ReadonlyMap<string, number> {
  expected(!isRefusal(answer), 'an answer to the call', answer)
  return new Map(listOf(answer).map((one) => [String(one['email']).toLowerCase(), idOf(one)]))
}

function mergeRule(method: string, says: string, wanted: { company: unknown; fax: unknown }): Rule {
  return {
    id: `merge-${method}`,
    section: '4.2, duplicate_merge_method',
    says,
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail, company: 'Old' })
      const again = await api.create({ mail, company: 'New', fax: '1' }, 'email', method)
      expected(again === id, 'the id of the contact that was there')
      const contact = await api.read(id, ['company', 'fax'])
      expected(contact['company'] === wanted.company, `company ${String(wanted.company)}`)
      expected((contact['fax'] ?? '') === wanted.fax, wanted.fax === '' ? 'no fax' : 'fax 1')
    },
  }
}

export const CREATES: readonly Rule[] = [
  {
    id: 'create-mail',
    section: '4.2, create body',
    says: 'a contact with a valid mail can be created',
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail }, 'email')
      expected((await api.read(id, ['mail']))['mail'] === mail, 'the mail as it was given')
    },
  },
  {
    id: 'create-address',
    section: '4.2, create body',
    says: 'without a mail, a full address is enough; leading zeros stay',
    async check(api) {
      const id = await api.create({ ...ADDRESS, family_name: api.newName() })
      expected((await api.read(id, ['ba_postal_code']))['ba_postal_code'] === '01234', 'postal code 01234')
    },
  },
  {
    id: 'create-neither',
    section: '4.2, create body',
    says: 'without a mail and without a full address it is refused',
    async check(api) {
      for (const missing of Object.keys(ADDRESS)) {
        const contact = { ...ADDRESS, [missing]: undefined }
        const answer = await api.call('POST', '/contact', { contact, duplicate_check_method: 'none' })
        expected(isRefusal(answer), `a refusal without ${missing}`, answer)
      }
    },
  },
  {
    id: 'create-methods-allowed',
    section: '4.2, create body',
    says: 'other duplicate methods than those named are refused',
    async check(api) {
      for (const name of ['duplicate_check_method', 'duplicate_merge_method']) {
        const answer = await api.call('POST', '/contact', {
          contact: { mail: api.newMail() },
          [name]: 'maybe',
        })
        expected(isRefusal(answer), `a refusal of ${name}: maybe`, answer)
      }
    },
  },
  {
    id: 'check-email',
    section: '4.2, duplicate_check_method',
    says: 'email: the primary mail finds the duplicate, and no second contact is made',
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail }, 'email')
      expected((await api.create({ mail, fax: '1' }, 'email')) === id, 'the same id again')
      expected((await countByMail(api, mail)) === 1, 'one contact of that mail')
    },
  },
  {
    id: 'check-none',
    section: '4.2, duplicate_check_method',
    says: 'none: a second contact is made',
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail })
      expected((await api.create({ mail })) !== id, 'another id')
      expected((await countByMail(api, mail)) === 2, 'two contacts of that mail')
    },
  },
  {
    id: 'check-auto',
    section: '4.2, duplicate_check_method',
    says: 'auto: an obvious duplicate is found, and a stranger is not',
    async check(api) {
      const mail = api.newMail()
      const person = {
        mail,
        first_name: 'Annegret',
        family_name: 'Quittenbaum',
        date_of_birth: '1961-02-03T12:00:00+00:00',
      }
      const id = await api.create(person, 'auto')
      expected((await api.create({ ...person, phone: '1' }, 'auto')) === id, 'the same person again')
      const other = { mail: api.newMail(), first_name: 'Boris', family_name: 'Zander' }
      expected((await api.create(other, 'auto')) !== id, 'a stranger for himself')
    },
  },
  {
    id: 'check-default',
    section: '4.2, duplicate_check_method',
    says: 'auto is the default: the same contact again is found without a word on it',
    async check(api) {
      const contact = { mail: api.newMail(), first_name: 'Ann', family_name: 'Lee', ba_city: 'Ulm' }
      const first = await api.call('POST', '/contact', { contact })
      const second = await api.call('POST', '/contact', { contact })
      expected(idOf(first.body as Fields) === idOf(second.body as Fields), 'one id for both', second)
    },
  },
  mergeRule('update_add', 'update_add: missing fields are added, existing ones overwritten', {
    company: 'New',
    fax: '1',
  }),
  mergeRule('update', 'update: existing fields are overwritten, missing ones not added', {
    company: 'New',
    fax: '',
  }),
  mergeRule('add', 'add: missing fields only are added', { company: 'Old', fax: '1' }),
  {
    id: 'merge-default',
    section: '4.2, duplicate_merge_method',
    says: 'update_add is the default',
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail, company: 'Old' })
      await api.call('POST', '/contact', {
        contact: { mail, company: 'New', fax: '1' },
        duplicate_check_method: 'email',
      })
      const contact = await api.read(id, ['company', 'fax'])
      expected(contact['company'] === 'New' && contact['fax'] === '1', 'overwritten and added')
    },
  },
  {
    id: 'many-created',
    section: '4.2, create contacts',
    says: 'many are created in one call; each is answered with its id and email',
    async check(api) {
      const mails = [api.newMail(), api.newMail(), api.newMail()]
      const ids = idsByMail(
        await createMany(
          api,
          mails.map((mail) => ({ mail, company: mail })),
        ),
      )
      for (const mail of mails) {
        const id = ids.get(mail) ?? 0
        expected(id > 0, `an id for ${mail}`)
        expected((await api.read(id, ['company']))['company'] === mail, 'that of the right contact')
      }
    },
  },
  {
    id: 'many-methods',
    section: '4.2, create contacts',
    says: 'the duplicate methods hold for many as for one',
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail, company: 'Old' })
      const ids = idsByMail(
        await createMany(api, [{ mail, company: 'New', fax: '1' }], {
          ...METHODS,
          duplicate_merge_method: 'add',
        }),
      )
      expected(ids.get(mail) === id, 'the id of the contact that was there')
      const contact = await api.read(id, ['company', 'fax'])
      expected(contact['company'] === 'Old' && contact['fax'] === '1', 'the missing field alone')
    },
  },
  {
    id: 'many-need-mail',
    section: '4.2, create contacts',
    says: 'each of many needs a valid mail',
    async check(api) {
      const answer = await createMany(api, [{ ...ADDRESS }])
      expected(
        isRefusal(answer) || listOf(answer).length === 0,
        'a refusal of a contact without a mail',
        answer,
      )
    },
  },
  {
    id: 'many-need-one',
    section: '4.2, create contacts',
    says: 'there must be at least one contact',
    async check(api) {
      expected(isRefusal(await createMany(api, [])), 'a refusal of an empty list')
      expected(isRefusal(await api.call('POST', '/contacts', METHODS)), 'a refusal without contacts')
    },
  },
  {
    id: 'many-container',
    section: '4.2, create contacts',
    says: 'open: whether contacts is an array or a keyed object',
    async check(api) {
      const takes = async (contacts: unknown): Promise<boolean> => !isRefusal(await createMany(api, contacts))
      const array = await takes([{ mail: api.newMail() }])
      const keyed = await takes({ 0: { mail: api.newMail() } })
      expected(array || keyed, 'one of the two')
      return array && keyed ? 'either' : array ? 'an array' : 'a keyed object'
    },
  },
  {
    id: 'many-one-bad',
    section: '4.2, create contacts',
    says: 'open: what one contact that is refused does to the call',
    async check(api) {
      const [first, last] = [api.newMail(), api.newMail()]
      const answer = await createMany(api, [{ mail: first }, { mail: 'no mail' }, { mail: last }])
      const done = [await countByMail(api, first), await countByMail(api, last)].join()
      const whole = isRefusal(answer) ? 'the call is refused' : 'the others are answered'
      const effect = {
        '0,0': 'nothing was done',
        '1,0': 'those before it were done',
        '1,1': 'the others were done',
      }[done]
      return `${whole}, ${effect ?? done}`
    },
  },
]
