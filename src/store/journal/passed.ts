// Records that `writes` leaves alone, and the form in which they were looked up.
import type { Operation } from '../../core/change/operation.ts'
import type { ResolutionStore } from '../../core/change/lookup/resolution.ts'
import type { Connection } from '../file/database.ts'

interface Passed extends Pick<ResolutionStore, 'passed'> {
  put(pipeline: string, key: string, fingerprint: string): void
  /** Whether any record of the pipeline was passed over. */
  hasAny(pipeline: string): boolean
  /** Something is done about the record after all. */
  forget(pipeline: string, key: string): void
}

export function createPassed(db: Connection): Passed {
  const put = db.prepare('INSERT OR REPLACE INTO passed VALUES (?, ?, ?)')
  const any = db.prepare<[string], number>('SELECT 1 FROM passed WHERE pipeline = ? LIMIT 1').pluck()
  const forget = db.prepare('DELETE FROM passed WHERE pipeline = ? AND key = ?')
  const one = db
    .prepare<[string, string], string>('SELECT fingerprint FROM passed WHERE pipeline = ? AND key = ?')
    .pluck()
  return {
    put: (pipeline, key, fingerprint) => void put.run(pipeline, key, fingerprint),
    hasAny: (pipeline) => any.get(pipeline) !== undefined,
    forget: (pipeline, key) => void forget.run(pipeline, key),
    passed: async (pipeline, keys) => keys.map((key) => one.get(pipeline, key)),
  }
}

/** The record of the operation is passed over in the form that it has there. */
export function createPass(db: Connection): (operation: Pick<Operation, 'id'>) => void {
  const pass = db.prepare(
    'INSERT OR REPLACE INTO passed SELECT pipeline, key, fingerprint FROM operation WHERE id = ?',
  )
  const remove = db.prepare('DELETE FROM operation WHERE id = ?')
  return ({ id }) => {
    pass.run(id)
    remove.run(id)
  }
}
