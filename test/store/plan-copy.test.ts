// A plan works on a copy of some tables of the state: each table is either copied, or listed here with why planning needs
// nothing of it. A table that is forgotten is empty for a plan, which then differs from the run.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { COPIED_FOR_PLAN } from '../../src/store/file/plan-copy.ts'
import { openState } from '../../src/store/state-store.ts'

const NOT_NEEDED: readonly (readonly [why: string, ...tables: string[]])[] = [
  ['alerts', 'alert', 'alert_message'],
  ['the sync log', 'audit', 'log_hour', 'log_tag', 'log_total', 'log_word', 'sealed', 'read_log'],
  ['names of persons in the sync log', 'person_alias', 'person_key', 'erased_seen'],
  ['what runs were, and who may run', 'run', 'run_figure', 'owner', 'due', 'pipeline_pause', 'configuration'],
  ['decisions: what they have changed is in other tables', 'decision'],
  ['looks at the service outside of runs', 'drift_past', 'drift_round'],
  ['the outbox, which only runs write', 'opt_out', 'status_seen'],
  ['requests, of a state of an older version', 'daily_request'],
]

it('every table is copied for a plan, or not needed for one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plan-copy-'))
  try {
    const path = join(folder, 'state.db')
    await openState(path, { pid: 1, since: 0, thorough: false }).close()
    const db = new Database(path, { readonly: true })
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .pluck()
      .all()
    db.close()
    const classified = [...COPIED_FOR_PLAN, ...NOT_NEEDED.flatMap(([, ...those]) => those)]
    expect(classified.sort()).toEqual(tables)
  } finally {
    await rm(folder, { recursive: true })
  }
})
