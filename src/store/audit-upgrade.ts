// Carries the sync log of schema 3, in which everything stood in plain, over into the form of schema 4. The first entry
// names the old chain; each of the others brings its old text along, sealed, and its old hash: so what was printed or
// kept elsewhere of the old chain can still be checked.
import { AUDIT_START } from '../core/log/audit-chain.ts'
import { type AuditEntry, planEntry } from '../core/log/audit.ts'
import { createAppend } from './log/audit-append.ts'
import type { Connection } from './file/connection.ts'

interface OldRow {
  readonly seq: number
  readonly entry: string
  readonly hash: string
}

/** Entries that are held in memory at once. */
const BATCH = 1000

function* oldRows(db: Connection): Generator<OldRow> {
  const page = db.prepare<[number], OldRow>(
    `SELECT seq, entry, hash FROM log_before WHERE seq > ? ORDER BY seq LIMIT ${BATCH}`,
  )
  for (let after = 0; ;) {
    const rows = page.all(after)
    yield* rows
    if (rows.length < BATCH) return
    after = rows.at(-1)?.seq ?? after
  }
}

/** Part of the transaction of migration 4. */
export function carryLogOver(db: Connection): void {
  const append = createAppend(db)
  const head = db
    .prepare<[], { seq: number; entry: string; hash: string }>(
      'SELECT seq, entry, hash FROM log_before ORDER BY seq DESC LIMIT 1',
    )
    .get()
  if (head !== undefined) {
    const { at, run_id: runId } = JSON.parse(head.entry) as AuditEntry
    const reason = `the log's older form is carried over: ${head.seq} entries, head ${head.hash}, first prev ${AUDIT_START}`
    append(
      planEntry({ action: 'upgrade', reason }, { at: Date.parse(at), runId, pipeline: null, configHash: '' }),
    )
    for (const { entry, hash } of oldRows(db)) append(JSON.parse(entry) as AuditEntry, { text: entry, hash })
  }
  db.exec('DROP TABLE log_before')
}
