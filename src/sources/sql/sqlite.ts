// SQLite: a file, opened for reading alone. The driver is synchronous: now and then others get their turn.
import Database from 'better-sqlite3'
import { SyncError } from '../../core/words/errors.ts'
import { faultCode } from '../fault.ts'
import { withPlaceholders } from './placeholders.ts'
import { type Asking, assertColumns, binaryColumn, type Cell, type Rows, noRowsFault } from './rows.ts'

const TURN_ROWS = 500
/** How soon a file that another program has locked is tried again. */
const AGAIN_MS = 100

const boundValue = ({ cursor }: Asking): bigint | number | string | null => {
  if (cursor === undefined) return null
  // Digits with zeros in front are a text: SQLite would compare '43' with '000044'.
  if (cursor.type === 'integer')
    return String(BigInt(cursor.text)) === cursor.text ? BigInt(cursor.text) : cursor.text
  return cursor.type === 'number' ? Number(cursor.text) : cursor.text
}

function cellOf(value: unknown, column: string): Cell {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  throw binaryColumn(column)
}

const isLocked = (error: unknown): boolean => faultCode(error)?.startsWith('SQLITE_BUSY') === true

/** A fault of the query names tables and columns; a fault of the file has a code. */
function fileFault(error: unknown): unknown {
  if (error instanceof SyncError || !(error instanceof Error)) return error
  const code = faultCode(error) ?? ''
  if (code === 'SQLITE_ERROR' || error instanceof RangeError)
    return new SyncError('SOURCE_ANSWER', `the query is refused: ${error.message}`, { cause: error })
  if (code === 'SQLITE_CANTOPEN' || error instanceof TypeError)
    return new SyncError('SOURCE_UNREACHABLE', `the database of source.url cannot be opened (${code})`, {
      cause: error,
    })
  const why = isLocked(error) ? 'another program has locked the database' : 'the query failed'
  return new SyncError('SOURCE_FAILED', `${why} (${code})`, { cause: error })
}

async function* queried(asking: Asking): AsyncGenerator<Rows> {
  const { options, task } = asking
  let db: Database.Database | undefined
  try {
    // Where the file is locked, the driver would wait without giving others their turn.
    db = new Database(options.url.slice('sqlite:'.length), {
      readonly: true,
      fileMustExist: true,
      timeout: 0,
    })
    const { text, count } = withPlaceholders(options.query, '?')
    const statement = db.prepare<unknown[], unknown[]>(text)
    if (!statement.reader) throw noRowsFault()
    const columns = statement.columns().map(({ name }) => name)
    assertColumns(columns)
    statement.raw().safeIntegers()
    let rows = 0
    for (const row of statement.iterate(...Array<unknown>(count).fill(boundValue(asking)))) {
      yield { columns, cells: row.map((value, at) => cellOf(value, columns[at] ?? '')) }
      rows += 1
      if (rows % TURN_ROWS === 0) await task.clock.sleep(0, task.signal)
      if (task.signal.aborted) throw new SyncError('SOURCE_FAILED', 'the run was ended')
    }
  } finally {
    db?.close()
  }
}

/** A file is locked before the first row, or not at all. */
export async function* sqliteRows(asking: Asking): AsyncGenerator<Rows> {
  const { options, task } = asking
  const end = task.clock.monotonic() + options.timeout
  let isRead = false
  for (;;) {
    try {
      for await (const row of queried(asking)) {
        isRead = true
        yield row
      }
      return
    } catch (error) {
      const mayWait = !task.signal.aborted && task.clock.monotonic() < end
      if (isRead || !isLocked(error) || !mayWait) throw fileFault(error)
    }
    await task.clock.sleep(AGAIN_MS, task.signal)
  }
}
