// Section 4.2: reading, updating and deleting contacts.
import { type Answer, type Api, expected, idOf, isObject, isRefusal, listOf } from './api.ts'
import type { Rule } from './rule.ts'

const isDone = ({ status, body }: Answer): boolean =>
  status === 200 && isObject(body) && ['true', '1'].includes(String(body['success']))

/** Whether a contact is not there: 404, or an empty list. */
const isAbsent = ({ status, body }: Answer): boolean =>
  status === 404 || (Array.isArray(body) && body.length === 0)

async function byMail(api: Api, mail: string, query = ''): Promise<Answer> {
  return api.call('GET', `/contact/${encodeURIComponent(mail)}${query}`)
}

export const CONTACTS: readonly Rule[] = [
  {
    id: 'contact-default-fields',
    section: '4.2, reading, 1 and 2',
    says: 'without `fields` a contact has id, first_name, family_name and mail, and nothing else',
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail, first_name: 'A', family_name: 'B', company: 'C' })
      const answer = await api.call('GET', `/contact/${id}`)
      expected(isObject(answer.body), 'one object', answer)
      expected(
        Object.keys(answer.body).sort().join() === 'family_name,first_name,id,mail',
        'just these four fields',
        answer,
      )
      expected(idOf(answer.body) === id && answer.body['mail'] === mail, 'the contact asked for', answer)
    },
  },
  {
    id: 'contact-fields',
    section: '4.2, reading, 1',
    says: '`fields` chooses the fields; id is always among them',
    async check(api) {
      const id = await api.create({ mail: api.newMail(), first_name: 'A', company: 'C', fax: '1' })
      const contact = await api.read(id, ['company', 'fax'])
      expected(Object.keys(contact).sort().join() === 'company,fax,id', 'id, company and fax alone')
      expected(contact['company'] === 'C' && contact['fax'] === '1', 'their values')
    },
  },
  {
    id: 'contact-unknown-id',
    section: '4.2',
    says: 'a contact that does not exist is not shown',
    async check(api) {
      const answer = await api.call('GET', '/contact/999999999999')
      expected(isAbsent(answer), '404 or an empty list', answer)
      return `status ${answer.status}`
    },
  },
  {
    id: 'contact-by-mail',
    section: '4.2, reading, 3',
    says: 'by mail always gives an array, also for one match',
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail, company: 'C' })
      const answer = await byMail(api, mail, '?fields=company')
      const found = listOf(answer)
      expected(!isObject(answer.body) || !('company' in answer.body), 'a list and not one object', answer)
      expected(found.length === 1 && idOf(found[0] ?? {}) === id, 'the one contact', answer)
      return Array.isArray(answer.body) ? 'an array' : 'an object with numeric keys'
    },
  },
  {
    id: 'contact-shared-mail',
    section: '2.3; 4.2, reading, 3',
    says: 'several contacts may have the same mail, and all are found',
    async check(api) {
      const mail = api.newMail()
      const ids = [await api.create({ mail }), await api.create({ mail })]
      const found = listOf(await byMail(api, mail)).map((one) => idOf(one))
      expected(ids.every((id) => found.includes(id)) && found.length === 2, 'both contacts')
    },
  },
  {
    id: 'contact-unknown-mail',
    section: '4.2',
    says: 'open: how an unknown mail is answered',
    async check(api) {
      const answer = await byMail(api, api.newMail())
      expected(isAbsent(answer), '404 or an empty list', answer)
      return `status ${answer.status}`
    },
  },
  {
    id: 'contact-mail-case',
    section: '4.2',
    says: 'open: whether a look-up by mail regards case',
    async check(api) {
      const mail = api.newMail()
      await api.create({ mail })
      return isAbsent(await byMail(api, mail.toUpperCase())) ? 'it does' : 'it does not'
    },
  },
  {
    id: 'contact-update',
    section: '4.2',
    says: 'an update sets the fields given, directly in the body, and leaves the others',
    async check(api) {
      const id = await api.create({ mail: api.newMail(), company: 'Old', fax: '1' })
      const answer = await api.call('PUT', `/contact/${id}`, { company: 'New', phone: '2' })
      expected(isDone(answer), '{"success": "true"}', answer)
      const contact = await api.read(id, ['company', 'fax', 'phone'])
      expected(contact['company'] === 'New' && contact['phone'] === '2', 'the new values')
      expected(contact['fax'] === '1', 'fax as it was')
      return `success written as ${JSON.stringify((answer.body as { success: unknown }).success)}`
    },
  },
  {
    id: 'contact-update-unknown',
    section: '4.2',
    says: 'a contact that does not exist cannot be updated',
    async check(api) {
      const answer = await api.call('PUT', '/contact/999999999999', { company: 'New' })
      expected(isRefusal(answer) || isAbsent(answer), 'a refusal', answer)
    },
  },
  {
    id: 'contact-delete',
    section: '4.2',
    says: 'a deleted contact is gone, by id and by mail',
    async check(api) {
      const mail = api.newMail()
      const id = await api.create({ mail })
      const answer = await api.call('DELETE', `/contact/${id}`)
      expected(isDone(answer), '{"success": "true"}', answer)
      expected(isAbsent(await api.call('GET', `/contact/${id}`)), 'nothing by id')
      expected(isAbsent(await byMail(api, mail)), 'nothing by mail')
    },
  },
  {
    id: 'contact-clearing',
    section: '4.2',
    says: 'open: what empties a field in an update',
    async check(api) {
      const id = await api.create({ mail: api.newMail(), company: 'A', fax: '1' })
      await api.call('PUT', `/contact/${id}`, { company: '' })
      await api.call('PUT', `/contact/${id}`, { fax: null })
      const contact = await api.read(id, ['company', 'fax'])
      const does = (value: unknown): string =>
        value === null || value === '' || value === undefined ? 'does' : 'does not'
      return `"" ${does(contact['company'])}, null ${does(contact['fax'])}`
    },
  },
  {
    id: 'terms-of-contact',
    section: '4.3',
    says: 'terms of a contact are set as a whole, added to, and taken from, by lists of ids',
    async check(api) {
      const contact = await api.create({ mail: api.newMail() })
      const [a, b, c] = [await api.createTerm(), await api.createTerm(), await api.createTerm()]
      const sorted = (...ids: number[]): string => ids.sort((one, other) => one - other).join()
      const path = `/contact/${contact}/terms`
      expected((await api.termIdsOf(contact)).length === 0, 'none at first')
      expected(isDone(await api.call('PUT', path, [a, b])), 'success for adding')
      expected((await api.termIdsOf(contact)).join() === sorted(a, b), 'both added')
      await api.call('PUT', path, [c])
      expected((await api.termIdsOf(contact)).join() === sorted(a, b, c), 'one more, the others kept')
      expected(isDone(await api.call('DELETE', path, [b])), 'success for removing')
      expected((await api.termIdsOf(contact)).join() === sorted(a, c), 'just the listed one removed')
      expected(isDone(await api.call('POST', path, [b])), 'success for setting')
      expected((await api.termIdsOf(contact)).join() === sorted(b), 'the whole list replaced')
    },
  },
  {
    id: 'terms-of-contact-objects',
    section: '4.3',
    says: 'the terms of a contact are objects with id, name and description',
    async check(api) {
      const contact = await api.create({ mail: api.newMail() })
      const name = api.newName()
      await api.call('PUT', `/contact/${contact}/terms`, [await api.createTerm(name)])
      const answer = await api.call('GET', `/contact/${contact}/terms`)
      const [term] = listOf(answer)
      expected(term?.['name'] === name && 'description' in term, 'name and description', answer)
    },
  },
  {
    id: 'terms-field',
    section: '2.3; 4.3',
    says: 'the same list stands in the field `terms` of the contact',
    async check(api) {
      const contact = await api.create({ mail: api.newMail() })
      const term = await api.createTerm()
      await api.call('PUT', `/contact/${contact}/terms`, [term])
      const { terms } = await api.read(contact, ['terms'])
      expected(Array.isArray(terms) && terms.map(Number).join() === String(term), 'the id of the term')
    },
  },
  {
    id: 'terms-field-update',
    section: '4.3',
    says: 'open: what `terms` in an update does to the list',
    async check(api) {
      const contact = await api.create({ mail: api.newMail() })
      const [a, b] = [await api.createTerm(), await api.createTerm()]
      await api.call('PUT', `/contact/${contact}/terms`, [a])
      await api.call('PUT', `/contact/${contact}`, { terms: [b] })
      const now = await api.termIdsOf(contact)
      return now.length === 2 ? 'adds' : now[0] === b ? 'replaces' : 'nothing'
    },
  },
]
