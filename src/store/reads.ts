// Who looked at whose data, in the order of time.
import type { NotedRead, ReadStore } from '../core/log/reads.ts'
import type { UserRole } from '../core/words/user-roles.ts'
import type { Connection } from './file/database.ts'

interface ReadRow {
  at: number
  by: string | null
  role: UserRole | null
  page: string
  contact_id: number | null
}

const notedRead = ({ at, by, role, page, contact_id: contactId }: ReadRow): NotedRead => ({
  at,
  by: by ?? undefined,
  role: role ?? undefined,
  page,
  contactId: contactId ?? undefined,
})

const FILTER = `(@by IS NULL OR by = @by) AND at >= @since AND at < @until
  AND (@contacts IS NULL OR contact_id IN (SELECT CAST(value AS BIGINT) FROM json_each(@contacts)))`

export function createReadStore(db: Connection): ReadStore {
  const put = db.prepare('INSERT INTO read_log (at, by, role, page, contact_id) VALUES (?, ?, ?, ?, ?)')
  const list = db.prepare<[Record<string, string | number | null>], ReadRow>(
    `SELECT * FROM read_log WHERE ${FILTER} ORDER BY id DESC LIMIT @limit`,
  )
  const remove = db.prepare(
    'DELETE FROM read_log WHERE id IN (SELECT id FROM read_log WHERE at < ? ORDER BY id LIMIT ?)',
  )
  const putAll = db.transaction((reads: readonly NotedRead[]) => {
    for (const { at, by, role, page, contactId } of reads)
      put.run(at, by ?? null, role ?? null, page, contactId ?? null)
  })
  return {
    noteReads: async (reads) => putAll(reads),
    notedReads: async ({ contactIds, by, since = 0, until = Number.MAX_SAFE_INTEGER }, limit) =>
      list
        .all({
          by: by ?? null,
          since,
          until,
          contacts: contactIds === undefined ? null : JSON.stringify(contactIds),
          limit,
        })
        .map(notedRead),
    removeReads: async (before, limit) => remove.run(before, limit).changes,
  }
}
