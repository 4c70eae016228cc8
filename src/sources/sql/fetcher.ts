// Fetches by a query. Its rows may come in any order, so the cursor moves only with the last of them.
import { SyncError } from '../../core/words/errors.ts'
import type { Fetched, Fetcher, FetchTask } from '../pull/fetcher.ts'
import { assertOverlaps, createNewest, isTextCursor, timeOf, withOverlap } from '../pull/newest.ts'
import type { SqlOptions } from './options.ts'
import { type Database, type Rows, rowText, type SqlCursor } from './rows.ts'

async function databaseFor(url: string): Promise<Database> {
  if (url.startsWith('sqlite:')) return (await import('./sqlite.ts')).sqliteRows
  if (/^(mysql|mariadb):/.test(url)) return (await import('./mysql.ts')).mysqlRows
  return (await import('./postgres.ts')).postgresRows
}

const isCursor = (value: unknown): value is SqlCursor =>
  typeof value === 'object' && value !== null && 'type' in value && 'text' in value

/** Only times overlap: an overlap of numbers has no meaning. Throws SOURCE_ANSWER for one. */
function assertNoNumber(text: string, { overlap }: SqlOptions): void {
  if (overlap === 0 || timeOf(text) !== undefined || isTextCursor(text)) return
  throw new SyncError('SOURCE_ANSWER', 'source.overlap needs a time, and source.cursor names none', {
    hint: 'Leave source.overlap out, or name a column with a time in source.cursor.',
  })
}

function askedFrom(cursor: unknown, options: SqlOptions): SqlCursor | undefined {
  if (!isCursor(cursor)) return undefined
  assertNoNumber(cursor.text, options)
  const text = withOverlap(cursor.text, options.overlap)
  return text === undefined ? undefined : { ...cursor, text }
}

const typed = (text: string): SqlCursor => ({
  type: /^-?\d{1,19}$/.test(text) ? 'integer' : /^-?\d+\.\d+$/.test(text) ? 'number' : 'text',
  text,
})

/** The cursor's value in a row; undefined where it is null, or no end of time. */
function cursorIn({ columns, cells }: Rows, column: string): string | undefined {
  const at = columns.indexOf(column)
  if (at < 0)
    throw new SyncError('SOURCE_ANSWER', `the query has no column ${JSON.stringify(column)}`, {
      hint: 'Name in source.cursor a column of the result, as the query names it.',
    })
  const cell = cells[at]
  return typeof cell === 'string' && cell !== '' && !/^-?infinity$/.test(cell) ? cell : undefined
}

async function* queried(options: SqlOptions, task: FetchTask): AsyncGenerator<Fetched> {
  const known = isCursor(task.cursor) ? task.cursor.text : undefined
  const newest = createNewest({ from: known, nowMs: task.clock.now(), mayCountTime: false })
  const from = askedFrom(task.cursor, options)
  const rowsOf = await databaseFor(options.url)
  for await (const row of rowsOf({ options, cursor: from, task })) {
    const value = options.cursor === undefined ? undefined : cursorIn(row, options.cursor)
    if (value !== undefined) newest.note(value)
    yield { json: rowText(row) }
  }
  const cursor = newest.value()
  if (cursor === undefined) return
  assertOverlaps(cursor, options.overlap)
  assertNoNumber(cursor, options)
  yield { cursor: typed(cursor) }
}

/** Without user and password: those may change. */
function placeOf(url: string): string {
  if (url.startsWith('sqlite:')) return url
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}

export function sqlFetcher(options: SqlOptions): Fetcher {
  const { url, query, cursor } = options
  return {
    identity: JSON.stringify(['sql', placeOf(url), query, cursor]),
    fetch: (task) => queried(options, task),
  }
}
