// What was read of an input, and counts no more: it is removed in pieces. A process that dies between two of them leaves an input
// that was never planned, and the next run removes the rest.
import { SETTLED_SO_FAR } from '../../core/change/states.ts'
import type { StagedInput } from '../../core/state.ts'
import type { Connection } from '../file/connection.ts'
import { isOneOf } from '../file/state-sets.ts'
import { nextTurn } from '../next-turn.ts'
import { createUncount } from './missing.ts'

/** So many rows are removed in one transaction, well under a tenth of a second. */
const PIECE = 10_000

/** Everything of an input that was not sent yet, or that waits for a person who will see it again in the input. */
const UNSENT = `input_id = ? AND ${isOneOf(SETTLED_SO_FAR)}`

const piecesOf = (table: string, which: string): string =>
  `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${which} ORDER BY input_id, line LIMIT ${PIECE})`

function createRemoval(db: Connection, statements: readonly string[]): (inputId: number) => Promise<void> {
  const removals = statements.map((sql) => db.prepare(sql))
  return async (inputId) => {
    for (const removal of removals) while (removal.run(inputId).changes === PIECE) await nextTurn()
  }
}

/** For an input whose plan is not carried out: it is read again, or not at all. */
export function createDrop(db: Connection): (staged: StagedInput) => Promise<void> {
  const uncountMissing = createUncount(db)
  const unplan = db.prepare("UPDATE input SET state = 'reading' WHERE id = ?")
  const remove = createRemoval(db, [piecesOf('operation', UNSENT), piecesOf('reject', 'input_id = ?')])
  const end = db.prepare("UPDATE input SET state = 'failed' WHERE id = ?")
  return async (staged) => {
    db.transaction(() => {
      uncountMissing(staged)
      unplan.run(staged.id)
    })()
    await remove(staged.id)
    end.run(staged.id)
  }
}

/** For an input that was not read to its end. */
export function createDiscard(db: Connection): (staged: StagedInput) => Promise<void> {
  const remove = createRemoval(
    db,
    ['operation', 'reject'].map((table) => piecesOf(table, 'input_id = ?')),
  )
  const rest = ['DELETE FROM hold WHERE input_id = ?', 'DELETE FROM input WHERE id = ?'].map((sql) =>
    db.prepare(sql),
  )
  const end = db.transaction((id: number) => {
    for (const statement of rest) statement.run(id)
  })
  return async ({ id }) => {
    await remove(id)
    end(id)
  }
}
