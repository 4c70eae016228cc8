// What every service behind the session must do, over HTTP or in memory: each operation of the interface
// (section 4), as a run uses it. Its user says where the service is.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallResult, CreateOptions, ServiceSession } from '../../src/core/ports.ts'

export interface OpenedService {
  readonly session: ServiceSession
  close(): Promise<void>
}

const byMail: CreateOptions = {
  duplicateCheckMethod: 'email',
  duplicateMergeMethod: 'update_add',
  repeatable: true,
}
const unchecked: CreateOptions = {
  duplicateCheckMethod: 'none',
  duplicateMergeMethod: 'update_add',
  repeatable: false,
}

function valueOf<T>(result: CallResult<T>): T {
  if (result.kind !== 'ok') throw new Error(`${result.kind}: ${result.reason}`)
  return result.value
}

/** `open` is called once; the service may hold other contacts, the suite makes mails of its own. */
export function describeServiceContract(name: string, open: () => Promise<OpenedService>): void {
  describe(`service contract: ${name}`, () => {
    let opened: OpenedService
    const newMail = (): string => `contract-${randomUUID()}@mail.example`

    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())

    it('creates a contact and reads it by id and by mail', async () => {
      const { session } = opened
      const mail = newMail()
      const id = valueOf(await session.createContact({ mail, first_name: 'Åsa', title: 'f' }, byMail))
      expect(valueOf(await session.contactById(id, ['first_name', 'mail']))).toEqual({
        id,
        fields: { first_name: 'Åsa', mail },
      })
      expect(valueOf(await session.contactsByMail(mail, ['title']))).toEqual({
        contacts: [{ id, fields: { title: 'f', mail } }],
        others: [],
      })
    })

    it('merges a second create with the same mail when asked to check by mail', async () => {
      const { session } = opened
      const mail = newMail()
      const first = valueOf(await session.createContact({ mail, first_name: 'Jo', fax: '1' }, byMail))
      const second = valueOf(await session.createContact({ mail, first_name: 'Joe' }, byMail))
      expect(second).toBe(first)
      expect(valueOf(await session.contactById(first, ['first_name', 'fax'])).fields).toEqual({
        first_name: 'Joe',
        fax: '1',
      })
    })

    it('keeps several contacts of one mail when asked not to check', async () => {
      const { session } = opened
      const mail = newMail()
      const ids = [
        valueOf(await session.createContact({ mail }, unchecked)),
        valueOf(await session.createContact({ mail }, unchecked)),
      ]
      const { contacts: found } = valueOf(await session.contactsByMail(mail, ['mail']))
      expect(found.map(({ id }) => id).sort((a, b) => a - b)).toEqual(ids.sort((a, b) => a - b))
    })

    it('creates many at once and answers each with its id and mail', async () => {
      const { session } = opened
      const contacts = Array.from({ length: 5 }, (_, index) => ({
        mail: newMail(),
        family_name: `No. ${index}`,
      }))
      const members = valueOf(await session.createContacts(contacts, byMail))
      expect(new Set(members.map(({ email }) => email))).toEqual(new Set(contacts.map(({ mail }) => mail)))
      for (const { id, email } of members) {
        const expected = contacts.find(({ mail }) => mail === email)?.family_name
        expect(valueOf(await session.contactById(id, ['family_name'])).fields).toEqual({
          family_name: expected,
        })
      }
    })

    it('updates the fields given and leaves the others', async () => {
      const { session } = opened
      const id = valueOf(
        await session.createContact({ mail: newMail(), company: 'Old', phone: '+49301' }, byMail),
      )
      expect(valueOf(await session.updateContact(id, { company: 'New' }))).toBe(true)
      expect(valueOf(await session.contactById(id, ['company', 'phone'])).fields).toEqual({
        company: 'New',
        phone: '+49301',
      })
    })

    it('deletes a contact, and deleting it again is no failure', async () => {
      const { session } = opened
      const mail = newMail()
      const id = valueOf(await session.createContact({ mail }, byMail))
      expect(valueOf(await session.deleteContact(id))).toBe(true)
      expect(valueOf(await session.deleteContact(id))).toBe(true)
      expect((await session.contactById(id, ['mail'])).kind).toBe('absent')
      expect(valueOf(await session.contactsByMail(mail, ['mail'])).contacts).toEqual([])
      expect((await session.updateContact(id, { fax: '1' })).kind).toBe('absent')
    })

    it('refuses a contact that has neither a mail nor a full address', async () => {
      const { session } = opened
      expect((await session.createContact({ first_name: 'Nobody' }, byMail)).kind).toBe('refused')
    })

    it('finds mails with characters that mean something in a URL', async () => {
      const { session } = opened
      const mail = `o'hara+a&b=c%41?#!${newMail()}`
      const id = valueOf(await session.createContact({ mail }, byMail))
      expect(valueOf(await session.contactsByMail(mail, ['mail'])).contacts).toEqual([
        { id, fields: { mail } },
      ])
    })

    it('makes a term once, whatever the case of its name, and shows it in the list', async () => {
      const { session } = opened
      const name = `Term ${randomUUID()}`
      const id = valueOf(await session.createTerm(name, 'as described'))
      expect(valueOf(await session.createTerm(name.toUpperCase()))).toBe(id)
      const term = { id, name, description: 'as described' }
      expect(valueOf(await session.terms()).filter((one) => one.id === id)).toEqual([term])
      expect(valueOf(await session.termById(id))).toEqual(term)
      expect(valueOf(await session.termByName(name))).toEqual(term)
      expect((await session.termById(999_999_999)).kind).toBe('absent')
      expect((await session.termByName(randomUUID())).kind).toBe('absent')
    })

    it('renames and describes a term', async () => {
      const { session } = opened
      const [name, other] = [`Term ${randomUUID()}`, `Term ${randomUUID()}`]
      const id = valueOf(await session.createTerm(name))
      expect(valueOf(await session.updateTerm(id, { description: 'new' }))).toBe(true)
      expect(valueOf(await session.termById(id))).toEqual({ id, name, description: 'new' })
      expect(valueOf(await session.updateTerm(id, { name: other }))).toBe(true)
      expect(valueOf(await session.termById(id))).toEqual({ id, name: other, description: 'new' })
      expect((await session.updateTerm(999_999_999, { description: 'x' })).kind).toBe('absent')
    })

    it('adds, sets and removes the terms of a contact', async () => {
      const { session } = opened
      const contact = valueOf(await session.createContact({ mail: newMail() }, byMail))
      const [a = 0, b = 0, c = 0] = await Promise.all(
        ['a', 'b', 'c'].map(async (name) => valueOf(await session.createTerm(`${name} ${randomUUID()}`))),
      )
      const ids = async () =>
        valueOf(await session.contactTerms(contact))
          .map(({ id }) => id)
          .sort((one, other) => one - other)
      const sorted = (...list: number[]) => list.sort((one, other) => one - other)
      expect(await ids()).toEqual([])
      valueOf(await session.addContactTerms(contact, [a]))
      valueOf(await session.addContactTerms(contact, [b, a]))
      expect(await ids()).toEqual(sorted(a, b))
      valueOf(await session.removeContactTerms(contact, [a]))
      expect(await ids()).toEqual([b])
      valueOf(await session.setContactTerms(contact, [a, c]))
      expect(await ids()).toEqual(sorted(a, c))
    })

    it('says of a contact that is not there that it has no terms to change', async () => {
      const { session } = opened
      const term = valueOf(await session.createTerm(`Term ${randomUUID()}`))
      expect((await session.contactTerms(999_999_999)).kind).toBe('absent')
      expect((await session.addContactTerms(999_999_999, [term])).kind).toBe('absent')
    })

    it('shows the definitions of custom fields', async () => {
      const { session } = opened
      const [first] = valueOf(await session.customFields())
      if (first === undefined) throw new Error('the service under test has no custom field')
      expect(valueOf(await session.customFieldById(first.id))).toEqual(first)
      expect(valueOf(await session.customFieldByName(first.name))).toEqual(first)
      expect((await session.customFieldById(999_999_999)).kind).toBe('absent')
    })
  })
}
