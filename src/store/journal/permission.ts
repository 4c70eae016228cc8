// What is known of the key's permission to set mail_status, as a row of `meta`.
import type { PermissionStore, StatusPermission } from '../../core/change/permission.ts'
import type { Connection } from '../file/database.ts'

/** Links whose mail_status is unknown: it was sent, or is to be sent, and was not applied. */
const COMPARE_ANEW = `
DELETE FROM fingerprint WHERE link_id IN (SELECT id FROM link WHERE unsure LIKE '%"mail_status"%')`

export function createPermissionStore(db: Connection): PermissionStore {
  const read = db
    .prepare<[], StatusPermission>("SELECT value FROM meta WHERE name = 'mail_status_permission'")
    .pluck()
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('mail_status_permission', ?)")
  const compareAnew = db.prepare(COMPARE_ANEW)
  const note = db.transaction((permission: StatusPermission) => {
    write.run(permission)
    // Known before, it may have been lost for a while.
    if (permission === 'known') compareAnew.run()
  })
  return {
    statusPermission: async () => read.get() ?? 'unknown',
    noteStatusPermission: async (permission) => note(permission),
  }
}
