// New records of an input, and linked ones that may be the same person under another key. Names are compared by an
// index over their first letters as they were pushed, mails by the name before the at; the rest is decided outside.
import type { LinkedRecord, LookAlikeStore, NewRecord } from '../../../core/linkage/look-alikes.ts'
import { SENDING_ORDER } from '../../../core/change/steps.ts'
import { mailKey } from '../../../core/mapping/contact.ts'
import type { Connection } from '../../file/database.ts'
import { DESIRED } from '../../file/desired.ts'
import { parseContact } from '../rows.ts'

const PAGE = 500
/** Names, or local parts of a mail, shared by so many records distinguish none of them. */
const MOST_LIKE = 50

interface Row {
  readonly id: number
  readonly key: string
  readonly line: number
  readonly contact: string
}

interface LinkRow {
  readonly key: string
  readonly contact_id: number
  readonly known: string
}

const SELECT_NEW = `SELECT id, key, line, ${DESIRED} AS contact FROM operation`

/** One that was found at the service is no new contact. */
const OF_INPUT = `run_id = ? AND state = 'planned' AND rank = ? AND id > ? AND input_id = ? AND kind = 'create' AND contact_id IS NULL`

/** As the index link_by_name has it. */
const name = (field: string, known: string): string =>
  `lower(substr(json_extract(${known}, '$.${field}'), 1, 4))`

/** A plus sign keeps the pipeline from being what is searched by: most links may be of one. */
const BY_NAMES = `
SELECT key, contact_id, known FROM link
WHERE pipeline = @pipeline AND ${name('family_name', 'known')} = lower(substr(@family, 1, 4))
  AND ${name('first_name', 'known')} = lower(substr(@first, 1, 4)) AND gone = 0 LIMIT ${MOST_LIKE + 1}`

const BY_MAIL = `
SELECT key, contact_id, known FROM link
WHERE mail_key >= @from AND mail_key < @to AND +pipeline = @pipeline AND gone = 0 LIMIT ${MOST_LIKE + 1}`

/** So that a test can ask how each of them is carried out. */
export const LINKED_LIKE_SEARCHES = { byNames: BY_NAMES, byMail: BY_MAIL } as const

const newRecord = ({ contact, ...row }: Row): NewRecord => ({ ...row, contact: parseContact(contact) })

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Asks for one; its answer is waited for when all have been asked for. */
function createLinkedLike(
  db: Connection,
): (pipeline: string, record: NewRecord) => () => readonly LinkedRecord[] {
  const byNames = db.prepare<[Record<'pipeline' | 'family' | 'first', string>], LinkRow>(BY_NAMES)
  const byMail = db.prepare<[Record<'pipeline' | 'from' | 'to', string>], LinkRow>(BY_MAIL)
  const namesakes = (pipeline: string, family: string, first: string): (() => LinkRow[]) =>
    family === '' || first === '' ? () => [] : byNames.laterAll({ pipeline, family, first })
  const sameBeforeAt = (pipeline: string, mail: string): (() => LinkRow[]) => {
    const at = mail.lastIndexOf('@')
    if (at <= 0) return () => []
    // "A" follows the at sign.
    return byMail.laterAll({ pipeline, from: mail.slice(0, at + 1), to: `${mail.slice(0, at)}A` })
  }
  return (pipeline, { key, contact }) => {
    const [family, first] = [textOf(contact['family_name']), textOf(contact['first_name'])]
    const asked = [
      namesakes(pipeline, family, first),
      namesakes(pipeline, first, family),
      sameBeforeAt(pipeline, mailKey(textOf(contact['mail']))),
    ]
    return () => {
      const found = new Map<string, LinkedRecord>()
      for (const block of asked.map((answer) => answer()).filter(({ length }) => length <= MOST_LIKE))
        for (const { key: other, contact_id: contactId, known } of block)
          if (other !== key) found.set(other, { key: other, contactId, known: parseContact(known) })
      return [...found.values()]
    }
  }
}

export function createLookAlikes(db: Connection): LookAlikeStore {
  const page = db.prepare<[string, number, number, number, number], Row>(
    `${SELECT_NEW} WHERE ${OF_INPUT} ORDER BY id LIMIT ?`,
  )
  const byId = db.prepare<[string], Row>(
    `${SELECT_NEW} WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`,
  )
  const linkedLike = createLinkedLike(db)
  const someLink = db.prepare<[string]>('SELECT 1 FROM link WHERE pipeline = ? LIMIT 1')
  return {
    async *newRecords({ id, runId }) {
      for (const rank of [SENDING_ORDER.createWithMail, SENDING_ORDER.createWithoutMail])
        for (let after = 0; ;) {
          const rows = page.all(runId, rank, after, id, PAGE)
          if (rows.length > 0) yield rows.map(newRecord)
          if (rows.length < PAGE) break
          after = rows.at(-1)?.id ?? after
        }
    },
    newRecordsById: async (ids) => byId.all(JSON.stringify(ids)).map(newRecord),
    async linkedLike(pipeline, records) {
      const isFirstPush = someLink.get(pipeline) === undefined
      if (isFirstPush) return records.map(() => [])
      return records.map((record) => linkedLike(pipeline, record)).map((answer) => answer())
    },
  }
}
