// Finds people in the state by contact id, by key or by mail: what is exactly so first, then what begins so. Every
// look-up is a range of an index, whatever the size of the state.
import { mailKey } from '../../core/mapping/contact.ts'
import type { FoundView } from '../../core/views.ts'
import type { Connection } from '../file/database.ts'
import { operationOf, type OperationRow, parseContact, SELECT_OPERATION } from '../journal/rows.ts'
import { isKeyed } from '../file/state-sets.ts'
import { rejectView, SELECT_REJECT } from './views-records.ts'
import { rowNumber } from './views-page.ts'

interface Found {
  pipeline: string
  key: string
  contactId: number
  known: string
}

type Range = { from: string; to: string }

/** Whatever begins with the text, in the order of code points; the text itself is the first. */
const beginning = (text: string): Range => ({ from: text, to: `${text}\u{10FFFF}` })

/** The pipelines of a table, by jumping along an index that begins with them. */
const pipelinesOf = (table: 'link' | 'operation' | 'reject', which = 'true'): string => `
WITH RECURSIVE name(pipeline) AS (
  SELECT min(pipeline) FROM ${table} WHERE ${which}
  UNION ALL SELECT (SELECT min(pipeline) FROM ${table} WHERE ${table}.pipeline > name.pipeline AND ${which}) FROM name
  WHERE name.pipeline IS NOT NULL)
SELECT pipeline FROM name WHERE pipeline IS NOT NULL`

function createLinkSearch(db: Connection) {
  const link = 'SELECT pipeline, key, contact_id AS contactId, known FROM link'
  const byId = db.prepare<[number, number], Found>(`${link} WHERE contact_id = ? LIMIT ?`)
  const byMail = db.prepare<[Range & { limit: number }], Found>(
    `${link} WHERE mail_key >= @from AND mail_key < @to ORDER BY mail_key LIMIT @limit`,
  )
  const byKey = db.prepare<[Range & { pipeline: string; limit: number }], Found>(
    `${link} WHERE pipeline = @pipeline AND key >= @from AND key < @to ORDER BY key LIMIT @limit`,
  )
  const pipelines = db.prepare<[], string>(pipelinesOf('link')).pluck()
  return (text: string, limit: number): Found[] => {
    const id = rowNumber(text)
    const key = beginning(text)
    const found = [
      ...(id === undefined ? [] : byId.all(id, limit)),
      ...pipelines.all().flatMap((pipeline) => byKey.all({ ...key, pipeline, limit })),
      ...byMail.all({ ...beginning(mailKey(text)), limit }),
    ]
    const once = new Map(found.map((one) => [JSON.stringify([one.pipeline, one.key]), one]))
    const isExact = (one: Found): boolean => one.key === text || one.contactId === id
    return [...once.values()].sort((left, right) => Number(isExact(right)) - Number(isExact(left)))
  }
}

export function createSearch(db: Connection): (text: string, limit: number) => FoundView {
  const links = createLinkSearch(db)
  // Records without a contact: creates that are open, and rejects. A create that was not sent yet is found once it was.
  const creates = db.prepare<[Range & { pipeline: string; limit: number }], OperationRow>(
    `${SELECT_OPERATION} WHERE operation.pipeline = @pipeline AND operation.key >= @from AND operation.key < @to
     AND ${isKeyed('operation')} AND kind = 'create' ORDER BY operation.key LIMIT @limit`,
  )
  const rejects = db.prepare<[Range & { pipeline: string; limit: number }], Parameters<typeof rejectView>[0]>(
    `${SELECT_REJECT} WHERE reject.pipeline = @pipeline AND key >= @from AND key < @to ORDER BY key LIMIT @limit`,
  )
  const withOperations = db.prepare<[], string>(pipelinesOf('operation', isKeyed('operation'))).pluck()
  const withRejects = db.prepare<[], string>(pipelinesOf('reject')).pluck()
  return (text, limit) => {
    const range = { ...beginning(text), limit: limit + 1 }
    const found = links(text, limit + 1)
    const open = withOperations.all().flatMap((pipeline) => creates.all({ ...range, pipeline }))
    const rejected = withRejects.all().flatMap((pipeline) => rejects.all({ ...range, pipeline }))
    return {
      records: found.slice(0, limit).map((one) => ({ ...one, known: parseContact(one.known) })),
      open: open.slice(0, limit).map(operationOf),
      rejects: rejected.slice(0, limit).map(rejectView),
      more: [found, open, rejected].some(({ length }) => length > limit),
    }
  }
}
