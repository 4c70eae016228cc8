// Statuses seen at the service that withdraw a consent, and those of them that the outbox has not told yet.
import {
  type OptOut,
  type OptOutStore,
  type SeenStatus,
  statusNews,
} from '../../../core/change/consents/opt-outs.ts'
import { isWithdrawn } from '../../../core/change/permission.ts'
import { mailKey } from '../../../core/mapping/contact.ts'
import type { Connection } from '../../file/database.ts'

interface LinkRow {
  readonly pipeline: string
  readonly key: string
  readonly mail: string | null
  readonly status: number | null
}

const LINKS = `
SELECT pipeline, key, json_extract(known, '$.mail') AS mail, CAST(json_extract(known, '$.mail_status') AS BIGINT) AS status
FROM link WHERE contact_id = @contactId ORDER BY pipeline <> @pipeline, id`

/** A change of a record of the contact that sets the status, whether its request has left or not. */
const BY_KEY = `SELECT 1 FROM operation
WHERE pipeline = @pipeline AND key = @key AND kind <> 'create' AND consent = @status`
/** A create of any pipeline that may have been carried out, and has no contact yet. */
const BY_MAIL = `SELECT 1 FROM operation
WHERE state <> 'planned' AND state IN ('sending', 'in_doubt') AND mail_key = @mailKey AND @status IN (consent, carried)`

const PENDING = 'SELECT min(file) FROM opt_out'
const NEXT = "SELECT coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'opt_out_file'), 0) + 1"
const ROWS = `SELECT mail, status, seen_at AS seenAt, pipeline, key FROM opt_out WHERE file = ? ORDER BY id`

export function createOptOutStore(db: Connection): OptOutStore {
  const last = db.prepare<[number], number>('SELECT status FROM status_seen WHERE contact_id = ?').pluck()
  const put = db.prepare(
    'INSERT INTO status_seen VALUES (@contactId, @status) ON CONFLICT (contact_id) DO UPDATE SET status = excluded.status',
  )
  const links = db.prepare<[{ contactId: number; pipeline: string }], LinkRow>(LINKS)
  const byKey = db.prepare<[object], number>(BY_KEY).pluck()
  const byMail = db.prepare<[object], number>(BY_MAIL).pluck()
  const add = db.prepare(`INSERT INTO opt_out (contact_id, mail, status, seen_at, pipeline, key)
    VALUES (@contactId, @mail, @status, @at, @pipeline, @key)`)
  const pending = db.prepare<[], number | null>(PENDING).pluck()
  const next = db.prepare<[], number>(NEXT).pluck()
  const keepNext = db.prepare("INSERT OR REPLACE INTO meta VALUES ('opt_out_file', ?)")
  const assign = db.prepare('UPDATE opt_out SET file = ? WHERE file IS NULL')
  const rows = db.prepare<[number], OptOut>(ROWS)
  const remove = db.prepare('DELETE FROM opt_out WHERE file = ?')

  // What a record has set once is no answer to a user who has subscribed since: another status was seen between.
  const isOurs = (seen: SeenStatus, of: readonly LinkRow[], before: number | undefined): boolean =>
    seen.isOurs ||
    ((before === undefined || isWithdrawn(before)) && of.some(({ status }) => status === seen.status)) ||
    of.some(({ pipeline, key }) => byKey.get({ pipeline, key, status: seen.status }) !== undefined) ||
    byMail.get({ mailKey: mailKey(seen.mail), status: seen.status }) !== undefined
  const note = db.transaction((seen: SeenStatus) => {
    const { contactId, status, pipeline, at } = seen
    const of = links.all({ contactId, pipeline })
    const before = last.get(contactId)
    const news = statusNews(status, before, isOurs(seen, of, before))
    if (news !== 'nothing') put.run({ contactId, status })
    if (news !== 'report') return
    const [link] = of
    const mail = seen.mail === '' ? (link?.mail ?? '') : seen.mail
    add.run({ contactId, mail, status, at, pipeline: link?.pipeline ?? pipeline, key: link?.key ?? '' })
  })
  const open = db.transaction(() => {
    let number = pending.get() ?? undefined
    if (number === undefined) {
      number = next.get() ?? 1
      if (assign.run(number).changes === 0) return undefined
      keepNext.run(String(number))
    }
    return { number, rows: rows.all(number) }
  })
  return {
    async noteStatus(seen) {
      // Most contacts show no such status, and nothing is written for them.
      if (statusNews(seen.status, last.get(seen.contactId), false) !== 'nothing') note(seen)
    },
    openOptOuts: async () => open(),
    optOutsWritten: async (number) => void remove.run(number),
  }
}
