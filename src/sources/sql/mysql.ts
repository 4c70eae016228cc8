// MySQL and MariaDB: rows as they come, in a read-only transaction. Values are taken as the server writes them, in UTC.
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import mysql, { type FieldPacket, type TypeCast } from 'mysql2'
import { SyncError } from '../../core/words/errors.ts'
import { faultCode } from '../fault.ts'
import { parsedJson } from '../json/values.ts'
import { withPlaceholders } from './placeholders.ts'
import { type Asking, assertColumns, binaryColumn, type Cell, type Rows, noRowsFault } from './rows.ts'
import { createSocket, networkFault, notUnderstood, tlsOptions, unreachable } from './secure.ts'

const AT_ONCE = 500
const [BIT, JSON_TYPE, BINARY_CHARSET] = [16, 245, 63]
/** Texts and blobs have the same types, vectors and shapes their own; those of no character set are bytes. */
const MAYBE_BYTES: readonly number[] = [242, 249, 250, 251, 252, 253, 254, 255]
/** Of the session, so that no default of the server shortens what it gives, or puts `?` in place of a character. */
const WHOLE = [
  'set names utf8mb4',
  // More rows than any table has; as long as the largest packet.
  `set session time_zone = '+00:00', sql_select_limit = 18446744073709551615, group_concat_max_len = 1073741824`,
]
const DENIED =
  /^(ER_\w*ACCESS_DENIED_\w+|ER_BAD_DB_ERROR|ER_HOST_NOT_PRIVILEGED|ER_SECURE_TRANSPORT_REQUIRED|ER_MUST_CHANGE_PASSWORD\w*|ER_ACCOUNT_HAS_BEEN_LOCKED|4151)$/
/** It has no place for another connection, or is ending. */
const AWAY = [
  'ER_CON_COUNT_ERROR',
  'ER_HOST_IS_BLOCKED',
  'ER_USER_LIMIT_REACHED',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_SERVER_SHUTDOWN',
]
/** Of other classes than 42, which is that of a faulty query. Their messages name tables, columns and collations. */
const QUERY_FAULTS = [
  'ER_NON_UNIQ_ERROR',
  'ER_WRONG_NUMBER_OF_COLUMNS_IN_SELECT',
  'ER_OPERAND_COLUMNS',
  'ER_INVALID_GROUP_FUNC_USE',
  'ER_FIELD_IN_ORDER_NOT_SELECT',
  'ER_VIEW_INVALID',
  'ER_CANT_AGGREGATE_2COLLATIONS',
  'ER_CANT_AGGREGATE_3COLLATIONS',
  'ER_CANT_AGGREGATE_NCOLLATIONS',
]
/** What a procedure signals is of any class, and may quote a value. */
const isQueryFault = (error: Error, code: string): boolean =>
  QUERY_FAULTS.includes(code) ||
  ('sqlState' in error && String(error.sqlState).startsWith('42') && code !== 'ER_SIGNAL_EXCEPTION')
/** 1969 is that of MariaDB, which the driver has no name for. */
const TOO_LONG = ['ER_QUERY_TIMEOUT', 'ER_STATEMENT_TIMEOUT', 'PROTOCOL_SEQUENCE_TIMEOUT', '1969']

/** A date, whatever its column is, and no text that only begins like one. */
const ZEROS = /^0000-00-00(?: \d{2}:\d{2}:\d{2}(?:\.\d+)?)?$/

function cellOf(text: string | null, type: number | undefined): Cell {
  if (text === null || ZEROS.test(text)) return null
  if (type === BIT) return String(BigInt(`0x${Buffer.from(text, 'latin1').toString('hex')}`))
  if (type !== JSON_TYPE) return text
  return { json: parsedJson(text) }
}

/** JSON is UTF-8, and has no character set by which the driver could know it. */
const textOf: TypeCast = (field) => (field.type === 'JSON' ? field.string('utf8') : field.string())

/** From here on MySQL and MariaDB mean different faults by one number, and the driver has the names of MySQL. */
const NAMED_TO = 4000

/** Its name, or the number of one that has no name, or none that is sure. */
function codeOf(error: Error): string | undefined {
  const number = 'errno' in error && typeof error.errno === 'number' ? error.errno : undefined
  const name = number !== undefined && number >= NAMED_TO ? undefined : faultCode(error)
  return name ?? number?.toString()
}

function serverFault(error: unknown, host: string): unknown {
  if (error instanceof SyncError || !(error instanceof Error)) return error
  const code = codeOf(error)
  if (code === undefined)
    return new SyncError('SOURCE_UNREACHABLE', `the connection to the database on ${host} ended`, {
      cause: error,
    })
  if (TOO_LONG.includes(code))
    return new SyncError('SOURCE_FAILED', `the query on ${host}: it took longer than source.timeout`, {
      cause: error,
    })
  if (AWAY.includes(code)) return unreachable(error, host, code)
  if (DENIED.test(code))
    return new SyncError('SOURCE_DENIED', `the database on ${host} refuses access (${code})`, {
      cause: error,
    })
  if (isQueryFault(error, code))
    return new SyncError('SOURCE_ANSWER', `the query is refused: ${error.message} (${code})`, {
      cause: error,
    })
  // The driver's own code, in place of that of the certificate.
  if (code === 'HANDSHAKE_SSL_ERROR') return unreachable(error, host, `${code}: ${error.message}`)
  return (
    networkFault(error, host) ??
    new SyncError('SOURCE_FAILED', `the query on ${host}: it failed (${code})`, { cause: error })
  )
}

const severalLists = (): SyncError =>
  new SyncError('SOURCE_ANSWER', 'the query gives more than one list of rows')

/** Throws SOURCE_ANSWER. */
function readable(fields: readonly FieldPacket[] | undefined): readonly FieldPacket[] {
  if (fields === undefined) throw noRowsFault()
  assertColumns(fields.map(({ name }) => name))
  const binary = fields.find(
    ({ columnType, characterSet }) =>
      characterSet === BINARY_CHARSET && columnType !== undefined && MAYBE_BYTES.includes(columnType),
  )
  if (binary !== undefined) throw binaryColumn(binary.name)
  return fields
}

interface Literal {
  toSqlString(): string
}

/** In a form that no `sql_mode` of the server reads otherwise: the driver escapes by backslashes, which some do not know. */
const literal = (text: string): Literal => ({
  toSqlString: () => `_utf8mb4 X'${Buffer.from(text).toString('hex')}'`,
})

const valueOf = ({ cursor }: Asking): string | bigint | null | Literal => {
  if (cursor === undefined) return null
  if (cursor.type === 'integer') return BigInt(cursor.text)
  return /['\\]/.test(cursor.text) ? literal(cursor.text) : cursor.text
}

/** Where a connection ends, the driver says so to the connection alone: the rows of the query would never end. */
function rowsUntilClosed(query: mysql.Query, socket: Socket): Readable {
  const rows = query.stream({ highWaterMark: AT_ONCE })
  socket.once('error', (error) => rows.destroy(error))
  socket.once('close', () =>
    rows.destroy(Object.assign(new Error('the connection ended'), { code: 'PROTOCOL_CONNECTION_LOST' })),
  )
  return rows
}

async function* streamed(connection: mysql.Connection, socket: Socket, asking: Asking): AsyncGenerator<Rows> {
  const { text, count } = withPlaceholders(asking.options.query, '?', 'mysql')
  const query = connection.query({
    sql: text,
    values: Array<unknown>(count).fill(valueOf(asking)),
    rowsAsArray: true,
    typeCast: textOf,
  })
  let fields: readonly FieldPacket[] | undefined
  let fault: SyncError | undefined
  // Without fields: a statement without rows, or the end of a procedure.
  query.on('fields', (found: readonly FieldPacket[] | undefined) => {
    try {
      fault ??= found === undefined || fields === undefined ? undefined : severalLists()
      fields ??= readable(found)
    } catch (error) {
      fault ??= error as SyncError
    }
  })
  // An answer that lacks a piece: the driver would only print a warning, for each packet that it has. See `guard`.
  connection.on('warn', (cause: unknown) => {
    fault ??= notUnderstood(cause)
    throw fault
  })
  for await (const row of rowsUntilClosed(query, socket)) {
    if (fault !== undefined) throw fault
    if (fields === undefined || !Array.isArray(row)) continue
    const types = fields.map(({ columnType }) => columnType)
    yield {
      columns: fields.map(({ name }) => name),
      cells: (row as (string | null)[]).map((value, at) => cellOf(value, types[at])),
    }
  }
  if (fault !== undefined) throw fault
}

const asked = (connection: mysql.Connection, sql: string): Promise<void> =>
  new Promise((resolve, reject) => {
    connection.query(sql, (error) => (error === null ? resolve() : reject(error)))
  })

export async function* mysqlRows(asking: Asking): AsyncGenerator<Rows> {
  const { options, task } = asking
  const { host, hostname, port, username, password, pathname } = new URL(options.url)
  const ssl = await tlsOptions(options, hostname)
  const address = { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 3306 : Number(port) }
  const socket = createSocket(options)
  const connection = mysql.createConnection({
    ...address,
    stream: () => socket.setNoDelay(true).connect(address),
    user: decodeURIComponent(username),
    password: options.password ?? decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    connectTimeout: options.timeout,
    charset: 'utf8mb4',
    ...(ssl === undefined ? {} : { ssl: { ...ssl, verifyIdentity: true } }),
  })
  // The driver's own end would read all that is still to come.
  const stop = (): void => void socket.destroy()
  connection.on('error', () => undefined)
  task.signal.addEventListener('abort', stop)
  try {
    for (const sql of WHOLE) await asked(connection, sql)
    // MySQL has the one, MariaDB the other; each refuses what it does not know.
    await asked(connection, `set session max_execution_time = ${options.timeout}`).catch(() =>
      asked(connection, `set session max_statement_time = ${options.timeout / 1000}`).catch(() => undefined),
    )
    // For what would end the transaction as well: a definition of a table, a procedure that commits.
    await asked(connection, 'set session transaction isolation level repeatable read, read only')
    await asked(connection, 'start transaction read only')
    yield* streamed(connection, socket, asking)
  } catch (error) {
    throw serverFault(error, host)
  } finally {
    task.signal.removeEventListener('abort', stop)
    stop()
  }
}
