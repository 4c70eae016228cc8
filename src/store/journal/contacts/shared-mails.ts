// Creates that the service would merge under check `email`, because two keys have one mail. Which of them it should
// be cannot be decided here, so all of them are held before anything is sent.
import type { Connection } from '../../file/database.ts'
import { givesUpMail, isKeyed } from '../../file/state-sets.ts'

const WHY = 'and under duplicate_check_method: email the service would merge them'

interface Row {
  readonly id: number
  readonly line: number
  readonly mail_key: string
  readonly kind: 'create' | 'update'
}

interface Owned {
  readonly id: number
  readonly owner: string | null
  readonly doubt: string | null
}

const CREATES = "input_id = @id AND state = 'planned' AND kind = 'create' AND mail_key IS NOT NULL"

/** An update has a mail where it changes it. */
const TAKERS =
  "input_id = @id AND state = 'planned' AND kind IN ('create', 'update') AND mail_key IS NOT NULL"

/** Records of an input that are to have one mail: sorted once, since no index has the mails of what is planned. */
const ALIKE = `
SELECT id, line, mail_key, kind FROM operation WHERE ${TAKERS} AND mail_key IN (
  SELECT mail_key FROM operation WHERE ${TAKERS} GROUP BY mail_key HAVING count(*) > 1)
ORDER BY mail_key, line, id`

/** Those whose mail a link has, unless an update of the plan changes it there, or another create in doubt. */
const OWNED = `
SELECT * FROM (
  SELECT operation.id,
    (SELECT key FROM link WHERE link.pipeline = operation.pipeline AND link.mail_key = operation.mail_key
       AND NOT EXISTS (SELECT 1 FROM operation AS moving WHERE moving.pipeline = link.pipeline AND moving.key = link.key
                       AND moving.state = 'planned' AND ${givesUpMail('moving')} AND ${isKeyed('moving')}) LIMIT 1) AS owner,
    (SELECT doubt.key FROM operation AS doubt INDEXED BY operation_doubt_by_mail
     WHERE doubt.pipeline = operation.pipeline AND doubt.mail_key = operation.mail_key AND doubt.state = 'in_doubt'
       AND doubt.key <> operation.key LIMIT 1) AS doubt
  FROM operation WHERE ${CREATES}) AS created
WHERE owner IS NOT NULL OR doubt IS NOT NULL`

const MOST_LINES = 5

/** For each of the creates the lines of those that are to have its mail. */
function alikeReasons(rows: readonly Row[]): Map<number, string> {
  const byMail = new Map<string, Row[]>()
  for (const row of rows) {
    const first = byMail.get(row.mail_key)
    if (first === undefined) byMail.set(row.mail_key, [row])
    // One more than is named, since none names itself.
    else if (first.length <= MOST_LINES) first.push(row)
  }
  return new Map(
    rows
      .filter(({ kind }) => kind === 'create')
      .map(({ id, mail_key }) => {
        const others = (byMail.get(mail_key) ?? []).filter((other) => other.id !== id)
        const lines = [...new Set(others.map(({ line }) => line))].slice(0, MOST_LINES)
        return [id, `the same e-mail address as on line ${lines.join(', ')}, ${WHY}`]
      }),
  )
}

function ownedReason({ owner, doubt }: Owned): string {
  if (owner === null) return `a create with this e-mail address, of key ${doubt ?? ''}, is in doubt, ${WHY}`
  return `the e-mail address belongs to key ${owner} of this pipeline, ${WHY}`
}

/** How many of them are held. */
export function createSharedMails(db: Connection): (input: number) => number {
  const alike = db.prepare<[{ id: number }], Row>(ALIKE)
  const owned = db.prepare<[{ id: number }], Owned>(OWNED)
  const hold = db.prepare("UPDATE operation SET state = 'held', reason = ? WHERE id = ?")
  return (id) => {
    // Found first and held then: what is held no longer counts as planned.
    const reasons = new Map([
      ...owned.all({ id }).map((one) => [one.id, ownedReason(one)] as const),
      ...alikeReasons(alike.all({ id })),
    ])
    for (const [operation, reason] of reasons) hold.run(reason, operation)
    return reasons.size
  }
}
