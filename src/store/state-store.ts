// The state as the rest of the program sees it: one object over one connection.
import type { DailyAllowance } from '../core/ports.ts'
import type { StateStore } from '../core/state.ts'
import { createDefinitionStore } from './custom-fields.ts'
import { createDailyAllowance } from './daily-allowance.ts'
import { type Connection, openDatabase, openForReading, openTemporaryDatabase } from './database.ts'
import { createHoldStore } from './holds.ts'
import { createOperationStore } from './journal.ts'
import { acquireLock } from './lock.ts'
import { createRejectStore } from './rejects.ts'
import { createRunStore } from './runs.ts'
import { createStagingStore } from './staging.ts'

export interface OwnedState extends StateStore {
  dailyAllowance(perDay: number): DailyAllowance
}

function storeOver(db: Connection, close: () => void): StateStore {
  const instance = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'instance'").pluck()
  return {
    ...createStagingStore(db),
    ...createOperationStore(db),
    ...createHoldStore(db),
    ...createRunStore(db),
    ...createRejectStore(db),
    ...createDefinitionStore(db),
    instance: async () => instance.get() ?? '',
    async close() {
      close()
    },
  }
}

/**
 * Opens the state as its one owner. Throws STATE_LOCKED when another process has it, STATE_UNUSABLE when it cannot be used.
 */
export function openState(
  path: string,
  owner: { pid: number; since: number; thorough: boolean },
): OwnedState {
  const lock = acquireLock(path)
  try {
    const db = openDatabase(path, owner)
    db.prepare('INSERT OR REPLACE INTO owner VALUES (1, ?, ?)').run(owner.pid, owner.since)
    const close = (): void => {
      db.exec('DELETE FROM owner')
      db.pragma('wal_checkpoint(TRUNCATE)')
      db.close()
      lock.release()
    }
    return { ...storeOver(db, close), dailyAllowance: (perDay) => createDailyAllowance(db, perDay) }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Opens the state beside its owner, for lists and reports; undefined where there is none yet. */
export function openStateForReading(path: string): StateStore | undefined {
  const db = openForReading(path)
  return db === undefined ? undefined : storeOver(db, () => db.close())
}

/** An empty state that leaves no trace; for previews and tests. */
export function openTemporaryState(): StateStore {
  const db = openTemporaryDatabase()
  return storeOver(db, () => db.close())
}

const COPIED = ['link', 'fingerprint', 'operation', 'input', 'reject', 'hold', 'meta'] as const

function copyTable(from: Connection, to: Connection, table: (typeof COPIED)[number]): void {
  const columns = from.prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`).all()
  const insert = to.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`)
  to.transaction(() => {
    for (const row of from.prepare(`SELECT * FROM ${table}`).raw().iterate())
      insert.run(...(row as unknown[]))
  })()
}

/** A copy of what planning needs of the state, on which a plan may be made without leaving a trace. */
export function openStateCopy(path: string): StateStore {
  const from = openForReading(path)
  const to = openTemporaryDatabase()
  if (from !== undefined) {
    from.transaction(() => COPIED.forEach((table) => copyTable(from, to, table)))()
    from.close()
  }
  return storeOver(to, () => to.close())
}
