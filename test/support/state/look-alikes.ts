// New records of an input, and who is linked already that may be one of them, over the state in memory.
import { type Contact, mailKey } from '../../../src/core/mapping/contact.ts'
import type { LookAlikeStore, NewRecord } from '../../../src/core/linkage/look-alikes.ts'
import { byOrder, linksWhere, type Row, rowsWhere, type Tables } from './tables.ts'

/** What so many share distinguishes none. */
const MOST_LIKE = 50

const newRecord = ({ id, key, record, desired }: Row): NewRecord => ({
  ...{ id, key, line: record.source.line, contact: desired },
})

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const beginning = (contact: Contact, field: string): string =>
  textOf(contact[field]).slice(0, 4).toLowerCase()

/** The name before the at of its mail. */
const mailboxOf = (contact: Contact): string => {
  const mail = mailKey(textOf(contact['mail']))
  return mail.slice(0, Math.max(0, mail.lastIndexOf('@')))
}

function isLike(one: Contact, other: Contact): readonly boolean[] {
  const [family, first] = [beginning(one, 'family_name'), beginning(one, 'first_name')]
  const named = (as: string, to: string): boolean =>
    family !== '' && first !== '' && beginning(other, as) === family && beginning(other, to) === first
  const mailbox = mailboxOf(one)
  return [
    named('family_name', 'first_name'),
    named('first_name', 'family_name'),
    mailbox !== '' && mailboxOf(other) === mailbox,
  ]
}

export function memoryLookAlikes(tables: Tables): LookAlikeStore {
  const isNew = ({ state, kind, contactId }: Row): boolean =>
    state === 'planned' && kind === 'create' && contactId === undefined
  return {
    async *newRecords({ id, runId }) {
      const rows = rowsWhere(tables, (row) => row.inputId === id && row.runId === runId && isNew(row))
      if (rows.length > 0) yield rows.sort(byOrder).map(newRecord)
    },
    newRecordsById: async (ids) => rowsWhere(tables, ({ id }) => ids.includes(id)).map(newRecord),
    linkedLike: async (pipeline, records) =>
      records.map(({ key, contact }) => {
        const links = linksWhere(tables, (link) => link.pipeline === pipeline && !link.gone)
        const likeness = links.map((link) => isLike(contact, link.known))
        const tells = [0, 1, 2].filter((by) => likeness.filter((like) => like[by]).length <= MOST_LIKE)
        return links
          .filter((link, index) => link.key !== key && tells.some((by) => likeness[index]?.[by] === true))
          .map(({ key: other, contactId, known }) => ({ key: other, contactId, known }))
      }),
  }
}
