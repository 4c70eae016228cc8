// Transactions at a PostgreSQL server: each checks first that this worker still has its lease.
import { type ServerLine, plain, sayQuietly } from './line.ts'
import { assertion } from './workers.ts'

export interface Transactions {
  /** Work within a transaction; inside another one, within a savepoint of that. */
  within<Result>(work: () => Result): Result
  /** What writes: alone, where no transaction is open, it gets one, so that the worker is checked. */
  writing<Result>(work: () => Result): Result
  isOpen(): boolean
}

/** `fence`: of the worker that each transaction checks. */
export function createTransactions(
  line: ServerLine,
  { fence, ended }: { fence: () => number | undefined; ended(): void },
): Transactions {
  let depth = 0

  function outermost<Result>(work: () => Result): Result {
    try {
      line.later(plain('BEGIN'))
      const own = fence()
      if (own !== undefined) line.later(plain(assertion(own)))
      const result = work()
      // The server takes a commit of what has failed for a rollback, and reports nothing.
      if (line.now(plain('COMMIT')).command !== 'COMMIT') throw new Error('a transaction was not committed')
      ended()
      return result
    } catch (error) {
      line.drop()
      sayQuietly(line, 'ROLLBACK')
      throw error
    }
  }

  function inner<Result>(work: () => Result): Result {
    line.later(plain(`SAVEPOINT s${depth}`))
    try {
      const result = work()
      line.later(plain(`RELEASE s${depth}`))
      return result
    } catch (error) {
      sayQuietly(line, `ROLLBACK TO s${depth}; RELEASE s${depth}`)
      throw error
    }
  }

  const within: Transactions['within'] = (work) => {
    const nested = (): ReturnType<typeof work> => {
      depth += 1
      try {
        return work()
      } finally {
        depth -= 1
      }
    }
    return depth === 0 ? outermost(nested) : inner(nested)
  }
  return {
    within,
    writing: (work) => (depth > 0 || fence() === undefined ? work() : within(work)),
    isOpen: () => depth > 0,
  }
}
