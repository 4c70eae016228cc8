// PostgreSQL: a server-side cursor in a read-only transaction. Values are taken as the server writes them, in UTC and ISO
// form, so that no conversion moves a date or rounds a number.
import type { Socket } from 'node:net'
import pg, { type FieldDef } from 'pg'
import Cursor from 'pg-cursor'
import { SyncError } from '../../core/words/errors.ts'
import { parsedJson } from '../json/values.ts'
import { withPlaceholders } from './placeholders.ts'
import { type Asking, assertColumns, binaryColumn, type Cell, type Rows, noRowsFault } from './rows.ts'
import { createSocket, guard, networkFault, tlsOptions, unreachable } from './secure.ts'

const AT_ONCE = 500
const [BOOL, BYTEA, JSON_TYPE, JSONB, TEXT_LIST] = [16, 17, 114, 3802, 1009]
/** Lists of everything that has one text a member: also of enums, domains and the types of extensions. */
const LISTS = `select list.oid, coalesce(nullif(member.typbasetype, 0), member.oid) = ${BOOL} as is_boolean
  from pg_type list join pg_type member on member.oid = list.typelem
  where list.typcategory = 'A' and left(list.typname, 1) = '_' and list.typdelim = ','
    and member.typtype in ('b', 'd', 'e') and member.oid <> ${BYTEA}`

// The declarations know the types of single values alone.
const parserOf = pg.types.getTypeParser as (type: number, format: 'text') => (text: string) => unknown
const parseList = parserOf(TEXT_LIST, 'text')

const booleanOf = (text: string): string => (text === 't' ? 'true' : 'false')

/** Of a list, which may hold lists. */
const booleansOf = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(booleansOf) : typeof value === 'string' ? booleanOf(value) : value

/** By type, whether the members are booleans. */
type Lists = ReadonlyMap<number, boolean>

function cellOf(text: string | null, type: number, lists: Lists): Cell {
  if (text === null) return null
  if (type === BOOL) return booleanOf(text)
  if (type === JSON_TYPE || type === JSONB) return { json: parsedJson(text) }
  const hasBooleans = lists.get(type)
  if (hasBooleans === undefined) return text
  const list = parseList(text)
  return { json: hasBooleans ? booleansOf(list) : list }
}

/** What PostgreSQL says about the query itself names tables and columns; everything else may quote a value. */
function serverFault(error: unknown, host: string): unknown {
  if (error instanceof SyncError) return error
  const network = networkFault(error, host)
  if (network !== undefined) return network
  if (!(error instanceof Error)) return error
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === undefined) {
    const why = /support SSL/.test(error.message) ? 'refuses to be encrypted' : 'ended'
    return new SyncError('SOURCE_UNREACHABLE', `the connection to the database on ${host} ${why}`, {
      cause: error,
    })
  }
  // It ends, is not up yet, or has no place for another connection.
  if (/^(08|57P|53300)/.test(code)) return unreachable(error, host, code)
  if (/^(28|3D)|^42501$/.test(code))
    return new SyncError('SOURCE_DENIED', `the database on ${host} refuses access (${code})`, {
      cause: error,
    })
  if (code.startsWith('42'))
    return new SyncError('SOURCE_ANSWER', `the query is refused: ${error.message} (${code})`, {
      cause: error,
    })
  const why =
    code === '57014'
      ? 'it took longer than source.timeout, or was cancelled at the server'
      : `it failed (${code})`
  return new SyncError('SOURCE_FAILED', `the query on ${host}: ${why}`, { cause: error })
}

async function listTypes(client: pg.Client): Promise<Lists> {
  const { rows } = await client.query<{ oid: number; is_boolean: boolean }>(LISTS)
  return new Map(rows.map(({ oid, is_boolean: isBoolean }) => [oid, isBoolean]))
}

interface Batch {
  readonly rows: readonly (string | null)[][]
  readonly fields: readonly FieldDef[]
  /** The server says that these were all: fewer than asked for need not be. */
  readonly isLast: boolean
}

/** Of a connection that ends behind the last row, and before the server is ready again, the driver says nothing. */
function readBatch(query: Cursor<(string | null)[]>, socket: Socket): Promise<Batch> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new Error('the connection ended'))
    if (socket.destroyed) return fail()
    socket.once('close', fail)
    query.read(AT_ONCE, (error: Error | undefined, rows, result) => {
      socket.off('close', fail)
      // The declarations know no missing error, and no command that has not come.
      if (error) reject(error)
      else resolve({ rows, fields: result.fields, isLast: (result.command as string | null) !== null })
    })
  })
}

async function* batches(
  client: pg.Client,
  socket: Socket,
  { options, cursor }: Asking,
): AsyncGenerator<Rows> {
  const lists = await listTypes(client)
  // A literal, as a parameter that is only compared with null would have no type.
  const given = cursor === undefined ? 'null' : pg.escapeLiteral(cursor.text)
  const { text } = withPlaceholders(options.query, given)
  const config = {
    rowMode: 'array' as const,
    types: { getTypeParser: () => (value: unknown) => value },
  }
  const query = client.query(new Cursor<(string | null)[]>(text, [], config))
  for (;;) {
    const { rows, fields, isLast } = await readBatch(query, socket)
    // `commit`, and a query of comments alone.
    if (fields.length === 0) throw noRowsFault()
    const columns = fields.map(({ name }) => name)
    assertColumns(columns)
    const binary = fields.find(({ dataTypeID }) => dataTypeID === BYTEA)
    if (binary !== undefined) throw binaryColumn(binary.name)
    for (const row of rows)
      yield { columns, cells: row.map((value, at) => cellOf(value, fields[at]?.dataTypeID ?? 0, lists)) }
    if (isLast) return
  }
}

/** What copies gives no rows, and the driver throws over it. */
function refuseCopies(client: pg.Client, socket: Socket): void {
  for (const name of ['copyInResponse', 'copyOutResponse'])
    client.connection.prependListener(name, () => socket.destroy(noRowsFault()))
}

export async function* postgresRows(asking: Asking): AsyncGenerator<Rows> {
  const { options, task } = asking
  const { host, hostname } = new URL(options.url)
  const socket = createSocket(options)
  const stop = (): void => void socket.destroy()
  const url = new URL(options.url)
  // Parameters of the address would go before what is set here, sslmode among them.
  url.search = ''
  const client = new pg.Client({
    connectionString: url.href,
    ...(options.password === undefined ? {} : { password: options.password }),
    ssl: (await tlsOptions(options, hostname)) ?? false,
    stream: () => socket,
    connectionTimeoutMillis: options.timeout,
    statement_timeout: options.timeout,
    application_name: 'contact-sync',
  })
  // Faults of the connection are reported by the query on it.
  client.on('error', () => undefined)
  client.connection.once('sslconnect', () => guard(client.connection.stream))
  refuseCopies(client, socket)
  task.signal.addEventListener('abort', stop)
  try {
    await client.connect()
    await client.query("set time zone 'UTC'; set datestyle to 'ISO'; set bytea_output to 'hex'")
    await client.query('begin transaction isolation level repeatable read read only')
    yield* batches(client, socket, asking)
  } catch (error) {
    throw serverFault(error, host)
  } finally {
    task.signal.removeEventListener('abort', stop)
    // A transaction that only reads has nothing to be ended: the server drops it with the connection.
    stop()
  }
}
