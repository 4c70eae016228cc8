// What a database driver gives, whichever it is, and how a row becomes a record.
import { SyncError } from '../../core/words/errors.ts'
import { jsonLine } from '../json/values.ts'
import type { FetchTask } from '../pull/fetcher.ts'
import type { SqlOptions } from './options.ts'

/** A text, or JSON that columns name by paths. */
export type Cell = string | null | { readonly json: unknown }

export interface Rows {
  readonly columns: readonly string[]
  readonly cells: readonly Cell[]
}

/** The type is that of the database: an integer is no text to SQLite. */
export interface SqlCursor {
  readonly type: 'integer' | 'number' | 'text'
  readonly text: string
}

export interface Asking {
  readonly options: SqlOptions
  /** What `:cursor` is. */
  readonly cursor: SqlCursor | undefined
  readonly task: FetchTask
}

/** Runs the query; ends with the last row, and throws a SyncError where it does not come so far. */
export type Database = (asking: Asking) => AsyncIterable<Rows>

/** Throws SOURCE_ANSWER for columns that could not be told apart. */
export function assertColumns(columns: readonly string[]): void {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index)
  if (twice !== undefined)
    throw new SyncError('SOURCE_ANSWER', `the query has two columns named ${JSON.stringify(twice)}`, {
      hint: 'Give one of them another name in the query: ... as other_name.',
    })
}

export const noRowsFault = (): SyncError =>
  new SyncError('SOURCE_ANSWER', 'the query gives no rows; write a select')

export const binaryColumn = (name: string): SyncError =>
  new SyncError('SOURCE_ANSWER', `column ${JSON.stringify(name)} of the query is binary`, {
    hint: 'Leave it out of the query, or make a text of it there: encode(...), hex(...).',
  })

/** Written member by member, so that no name of a column means anything to JavaScript. */
export function rowText({ columns, cells }: Rows): string {
  const members = columns.map((name, index) => {
    const cell = cells[index] ?? null
    const value = typeof cell === 'object' && cell !== null ? cell.json : cell
    return `${JSON.stringify(name)}:${jsonLine(value ?? null)}`
  })
  return `{${members.join(',')}}`
}
