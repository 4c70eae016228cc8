// Links that a lost or an older state no longer has: restored to contacts that were found at the service.
// What an operator must decide is in doubt under the name of a guard, so that it is never looked up or sent automatically.
import { contactMailKey } from '../../core/mapping/contact.ts'
import { REBUILD_GUARD } from '../../core/change/lookup/rebuild.ts'
import type { FoundContact, RebuildStore } from '../../core/state.ts'
import { createAppend } from '../log/audit-append.ts'
import type { Connection } from '../file/database.ts'

const LINK = `
INSERT INTO link (pipeline, key, contact_id, mail_key, known) VALUES (@pipeline, @key, @contactId, @mailKey, @known)
ON CONFLICT (pipeline, key) DO UPDATE SET contact_id = excluded.contact_id, mail_key = excluded.mail_key, known = excluded.known`

export function createRebuildStore(db: Connection): Omit<RebuildStore, 'openCreates'> {
  const ofOther = db
    .prepare<[string, number, string], number>(
      'SELECT 1 FROM link WHERE pipeline = ? AND contact_id = ? AND key <> ?',
    )
    .pluck()
  const link = db.prepare(LINK)
  // Compared again by the next run; what a guard holds stays held.
  const takeUp = db.prepare(`
    UPDATE operation SET state = 'failed', guard = NULL, reason = 'its contact was found at the service'
    WHERE id = ? AND state <> 'held'`)
  const doubt = `UPDATE operation SET state = 'in_doubt', guard = '${REBUILD_GUARD}', reason = @reason`
  const doubtOperation = db.prepare(`${doubt} WHERE id = @operation`)
  const doubtLine = db.prepare(`${doubt} WHERE input_id = @input AND line = @line`)
  const append = createAppend(db)
  const linkFound = db.transaction((found: FoundContact): boolean => {
    const { pipeline, key, contactId, known, operationIds, entry } = found
    if (ofOther.get(pipeline, contactId, key) !== undefined) return false
    link.run({
      pipeline,
      key,
      contactId,
      known: JSON.stringify(known),
      mailKey: contactMailKey(known) ?? null,
    })
    for (const id of operationIds) takeUp.run(id)
    append(entry)
    return true
  })
  return {
    linkFound: async (found) => linkFound(found),
    async leaveToPerson(which, reason, entry) {
      db.transaction(() => {
        if ('operation' in which) doubtOperation.run({ ...which, reason })
        else doubtLine.run({ ...which, reason })
        append(entry)
      })()
    },
  }
}
