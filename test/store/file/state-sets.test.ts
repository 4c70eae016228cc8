// Conditions of SQL that an index repeats word for word: where one of them drifts from the other, nothing is wrong but slow.
import { describe, expect, it } from 'vitest'
import { isKeyed, isOpenAs } from '../../../src/store/file/state-sets.ts'
import { OPERATION_STATES } from '../../../src/core/change/states.ts'
import { openTemporaryDatabase } from '../../../src/store/file/database.ts'

const db = openTemporaryDatabase()

/** How SQLite goes about it. */
const planOf = (query: string): string =>
  db
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${query}`)
    .all()
    .map(({ detail }) => detail)
    .join('; ')

describe('an operation', () => {
  it.each(['operation', 'newer'])('is found by its key, named %s', (name) => {
    const query = `SELECT 1 FROM operation AS ${name} WHERE ${name}.pipeline = 'p' AND ${name}.key = 'k' AND ${isKeyed(name)}`
    expect(planOf(query)).toContain('USING INDEX operation_by_key (pipeline=? AND key=?)')
  })

  it('that is not planned is found by its state', () => {
    const query = `SELECT count(*) FROM operation WHERE pipeline = 'p' AND ${isOpenAs(['in_doubt', 'held'])}`
    expect(planOf(query)).toContain('INDEX operation_by_state (pipeline=? AND state=?)')
  })

  it.each(OPERATION_STATES)(
    'in the state %s has its key in the index, unless it is a create still to be answered',
    (state) => {
      const keyed = (kind: string): unknown =>
        db
          .prepare(`SELECT ${isKeyed('o')} FROM (SELECT '${kind}' AS kind, '${state}' AS state) AS o`)
          .pluck()
          .get()
      expect(keyed('update')).toBe(1)
      expect(keyed('create')).toBe(state === 'planned' || state === 'sending' ? 0 : 1)
    },
  )
})
