// Creates that the service would merge under check `email`, because two keys have one mail. Which of them it should
// be nobody here can tell, so all of them are held before anything is sent.
import type { StagingStore } from '../../core/state.ts'
import type { Connection } from '../file/database.ts'

const WHY = 'and under duplicate_check_method: email the service would merge them'

interface Shared {
  id: number
  mail_key: string
  lines: string | null
  owner: string | null
  doubt: string | null
}

/**
 * The creates of an input whose mail another create of it has, or a link whose mail no update of the plan changes.
 * The index is named because SQLite would otherwise go by the order of lines, and read the whole input for each row.
 */
const FIND = `
SELECT * FROM (
  SELECT operation.id, mail_key,
    (SELECT group_concat(line, ', ') FROM (
      SELECT DISTINCT other.line FROM operation AS other INDEXED BY operation_by_mail
      WHERE other.pipeline = operation.pipeline AND other.mail_key = operation.mail_key AND other.id <> operation.id
        AND other.state = 'planned' AND other.kind = 'create' AND other.input_id = operation.input_id
      ORDER BY other.line LIMIT 5)) AS lines,
    (SELECT key FROM link WHERE link.pipeline = operation.pipeline AND link.mail_key = operation.mail_key
       AND NOT EXISTS (SELECT 1 FROM operation AS moving WHERE moving.pipeline = link.pipeline AND moving.key = link.key
                       AND moving.state = 'planned' AND moving.mail_key <> link.mail_key) LIMIT 1) AS owner,
    (SELECT doubt.key FROM operation AS doubt INDEXED BY operation_doubt_by_mail
     WHERE doubt.pipeline = operation.pipeline AND doubt.mail_key = operation.mail_key AND doubt.state = 'in_doubt'
       AND doubt.key <> operation.key LIMIT 1) AS doubt
  FROM operation
  WHERE input_id = ? AND state = 'planned' AND kind = 'create' AND mail_key IS NOT NULL)
WHERE lines IS NOT NULL OR owner IS NOT NULL OR doubt IS NOT NULL`

function reasonOf({ lines, owner, doubt }: Shared): string {
  if (lines !== null) return `the same mail as on line ${lines}, ${WHY}`
  if (owner === null) return `a create with this mail, of key ${doubt ?? ''}, is in doubt, ${WHY}`
  return `the mail belongs to key ${owner} of this pipeline, ${WHY}`
}

export function createSharedMails(db: Connection): StagingStore['holdSharedMails'] {
  const find = db.prepare<[number], Shared>(FIND)
  const hold = db.prepare("UPDATE operation SET state = 'held', reason = ? WHERE id = ?")
  return async ({ id }) =>
    db.transaction(() => {
      // Found first and held then: what is held no longer counts as planned.
      const shared = find.all(id)
      for (const one of shared) hold.run(reasonOf(one), one.id)
      return shared.length
    })()
}
