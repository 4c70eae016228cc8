// Sections 2.3, 3 and 8: what each field of a contact may hold.
import { type Api, expected, isRefusal } from './api.ts'
import type { Rule } from './rule.ts'

const text = (size: number): { good: readonly unknown[]; bad: readonly unknown[] } => ({
  good: ['Müller', 'x'.repeat(size)],
  bad: ['x'.repeat(size + 1)],
})
const phoneType = { good: ['work', 'home', 'mobile', 'other'], bad: ['fax'] }

/** Values that a field takes, and that it refuses. */
const VALUES: Readonly<Record<string, { good: readonly unknown[]; bad: readonly unknown[] }>> = {
  title: { good: ['m', 'f'], bad: ['x', 'mr'] },
  title2: { good: ['dr', 'prof'], bad: ['phd'] },
  first_name: text(255),
  family_name: text(255),
  company: text(255),
  job_title: text(255),
  mail2: { good: ['second@example.com'], bad: ['no mail'] },
  phone_type: phoneType,
  phone: text(255),
  phone2_type: phoneType,
  phone2: text(255),
  fax: text(255),
  skype: text(255),
  fb: text(255),
  twitter: text(255),
  ba_street: text(255),
  ba_street2: text(255),
  ba_city: text(255),
  ba_postal_code: text(20),
  ba_state: text(20),
  ba_country: { good: ['DE', 'CH'], bad: ['XX', 'Germany', 'DEU'] },
  date_of_birth: { good: ['1980-12-31T12:00:00+00:00'], bad: ['31.12.1980', '1980-13-01T12:00:00+00:00'] },
}

async function takes(api: Api, field: string, value: unknown): Promise<void> {
  const id = await api.create({ mail: api.newMail() })
  const answer = await api.call('PUT', `/contact/${id}`, { [field]: value })
  expected(!isRefusal(answer), `${field} takes ${JSON.stringify(value).slice(0, 40)}`, answer)
  const shown = (await api.read(id, [field]))[field]
  const isSame =
    field === 'date_of_birth' ? Date.parse(String(shown)) === Date.parse(String(value)) : shown === value
  expected(isSame, `${field} shows what was put there`)
}

const fieldRules = Object.entries(VALUES).flatMap(([field, { good, bad }]): Rule[] => [
  {
    id: `field-${field}`,
    section: '2.3',
    says: `${field} keeps its allowed values`,
    async check(api) {
      for (const value of good) await takes(api, field, value)
    },
  },
  {
    id: `field-${field}-refused`,
    section: '2.3; 8',
    says: `${field} refuses others`,
    async check(api) {
      const id = await api.create({ mail: api.newMail() })
      for (const value of bad) {
        const answer = await api.call('PUT', `/contact/${id}`, { [field]: value })
        expected(isRefusal(answer), `a refusal of ${JSON.stringify(value).slice(0, 40)}`, answer)
      }
    },
  },
])

export const FIELDS: readonly Rule[] = [
  ...fieldRules,
  {
    id: 'field-mail-refused',
    section: '2.3; 4.2',
    says: 'mail must be a valid address of up to 255 characters',
    async check(api) {
      for (const mail of ['no mail', 'a@', '@example.com', `${'a'.repeat(250)}@example.com`]) {
        const answer = await api.call('POST', '/contact', {
          contact: { mail },
          duplicate_check_method: 'none',
        })
        expected(isRefusal(answer), `a refusal of ${mail.slice(0, 20)}`, answer)
      }
    },
  },
  {
    id: 'mail-status-default',
    section: '2.3; 3',
    says: 'mail_status is 3 where nothing was said',
    async check(api) {
      const id = await api.create({ mail: api.newMail() })
      expected(Number((await api.read(id, ['mail_status']))['mail_status']) === 3, 'mail_status 3')
    },
  },
  {
    id: 'mail-status-refused',
    section: '3',
    says: 'mail_status has the values 1, 2, 3, 4 and 7',
    async check(api) {
      const id = await api.create({ mail: api.newMail() })
      for (const value of [0, 5, 6, 8]) {
        const answer = await api.call('PUT', `/contact/${id}`, { mail_status: value })
        expected(isRefusal(answer), `a refusal of ${value}`, answer)
      }
    },
  },
  {
    id: 'mail-status-permission',
    section: '2.3',
    says: 'open: whether this key may set mail_status',
    async check(api) {
      const id = await api.create({ mail: api.newMail() })
      await api.call('PUT', `/contact/${id}`, { mail_status: 4 })
      return Number((await api.read(id, ['mail_status']))['mail_status']) === 4 ? 'it may' : 'it is ignored'
    },
  },
  {
    id: 'field-unknown',
    section: '2.3',
    says: 'open: what becomes of a field that does not exist',
    async check(api) {
      const id = await api.create({ mail: api.newMail() })
      const answer = await api.call('PUT', `/contact/${id}`, { no_such_field: 'x' })
      return isRefusal(answer) ? `refused with ${answer.status}` : 'ignored'
    },
  },
  {
    id: 'size-unit',
    section: '2.3',
    says: 'open: in what the size of a text is counted',
    async check(api) {
      const id = await api.create({ mail: api.newMail() })
      // Characters outside the basic plane: 20 code points are 40 UTF-16 units.
      const answer = await api.call('PUT', `/contact/${id}`, { ba_state: '😀'.repeat(20) })
      return isRefusal(answer) ? 'units smaller than a code point' : 'code points, or larger'
    },
  },
]
