// An update that was sent by its mail, and that the service carried out at another contact of that mail. What happened
// there is entered under that contact, and the link is no longer trusted to be found by its mail.
import { auditEntry } from '../../core/log/audit.ts'
import type { RunState } from '../../core/run-state.ts'
import { createAppend } from '../log/audit-append.ts'
import type { Connection } from '../file/database.ts'

export function createNoteAstray(db: Connection): RunState['noteAstray'] {
  const goById = db.prepare('UPDATE link SET by_id = 1 WHERE pipeline = ? AND key = ?')
  const append = createAppend(db)
  return async ({ operation, sent, request, reached }, context) =>
    db.transaction(() => {
      const { pipeline, key, contactId } = operation
      goById.run(pipeline, key)
      const reason = `meant for contact ${contactId}; the service applied it to contact ${reached}, which has the same e-mail address`
      // The former values of that contact were not read.
      const there = { ...operation, contactId: reached, known: {} }
      append(auditEntry({ operation: there, sent, request, settlement: { kind: 'held', reason } }, context))
    })()
}
