// A connection to a PostgreSQL server that the stores use as they use a file.
import { type ServerPlace, stateText } from '../../core/state-place.ts'
import type { Connection, Table } from '../file/connection.ts'
import { openTemporaryDatabase } from '../file/database.ts'
import type { Channel, OpenChannel, Query, StatementAnswer } from './channel.ts'
import { reachOf } from './shared-channels.ts'
import { translated } from './dialect.ts'
import { createLine, type ServerLine, plain, sayQuietly } from './line.ts'
import { createStatistics, QUICK_ANALYZE } from './statistics.ts'
import { departure, join, type Joining, LEASE_MS, renewal, RENEWALS } from './workers.ts'
import { assertSuited } from './suited.ts'
import { dropTemporaryTables, hasState, makeState, temporaryNames, temporaryTables } from './tables.ts'
import { createTransactions } from './transactions.ts'
import { assertKnown, upgrade } from './upgrades.ts'

/** So many rows are fetched at once. */
const PAGE = 1000

type Shape = 'rows' | 'pluck' | 'raw'

const cell = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value

function shaped(shape: Shape, columns: readonly string[], row: readonly unknown[]): unknown {
  if (shape === 'pluck') return cell(row[0])
  const cells = row.map(cell)
  return shape === 'raw' ? cells : Object.fromEntries(columns.map((column, index) => [column, cells[index]]))
}

const reads = (source: string): boolean =>
  /^\s*SELECT\b/i.test(source) || (/^\s*WITH\b/i.test(source) && !/\b(INSERT|UPDATE|DELETE)\b/i.test(source))

/** A copy of bytes, which may change until they are sent. */
const sendable = (value: unknown): unknown => (value instanceof Uint8Array ? new Uint8Array(value) : value)

function createPrepare(
  line: ServerLine,
  {
    mark,
    tables,
    put,
  }: { mark: string; tables: () => readonly Table[]; put(query: Query): () => StatementAnswer },
) {
  let cursors = 0
  return (source: string) => {
    const statement = translated(temporaryNames(source, mark), tables)
    const isRead = reads(source)
    let shape: Shape = 'rows'
    const query = (given: readonly unknown[], before = ''): Query => {
      const { text, values } = statement.of(given)
      return { text: `${before}${text}`, values: values.map(sendable) }
    }
    const shapedRows = ({ columns, rows }: StatementAnswer): unknown[] =>
      rows.map((row) => shaped(shape, columns, row))
    const later = (given: readonly unknown[]): (() => StatementAnswer) =>
      isRead ? line.later(query(given)) : put(query(given))
    const all = (given: readonly unknown[]): unknown[] => shapedRows(later(given)())
    return {
      run(...given: unknown[]) {
        const answer = put(query(given))
        return {
          get changes() {
            return answer().changes
          },
        }
      },
      get: (...given: unknown[]) => all(given)[0],
      later(...given: unknown[]) {
        const answer = later(given)
        return () => shapedRows(answer())[0]
      },
      all: (...given: unknown[]) => all(given),
      laterAll(...given: unknown[]) {
        const answer = later(given)
        return () => shapedRows(answer())
      },
      *iterate(...given: unknown[]) {
        cursors += 1
        const name = `c${cursors}${mark}`
        line.later(query(given, `DECLARE ${name} NO SCROLL CURSOR WITH HOLD FOR `))
        try {
          for (;;) {
            const { columns, rows } = line.now(plain(`FETCH ${PAGE} FROM ${name}`))
            for (const row of rows) yield shaped(shape, columns, row)
            if (rows.length < PAGE) return
          }
        } finally {
          line.now(plain(`CLOSE ${name}`))
        }
      },
      pluck() {
        shape = 'pluck'
        return this
      },
      raw() {
        shape = 'raw'
        return this
      },
    }
  }
}

/** Those of every state, at a server or in a file. */
function modelTables(): readonly Table[] {
  const model = openTemporaryDatabase()
  try {
    return model.tables()
  } finally {
    model.close()
  }
}

interface Opened extends Connection {
  /** Of the worker that it is; undefined for one that only reads. */
  readonly fence: number | undefined
  /** States of this process at the server. */
  crowd(): number
}

interface Opening {
  readonly schema: string
  readonly place: string
  readonly channel: Channel
  fence: number | undefined
}

function connectionOver(opening: Opening): Connection {
  const { schema, channel } = opening
  const line = createLine(channel)
  const statistics = createStatistics(line)
  let known: readonly Table[] | undefined
  const tables = (): readonly Table[] => (known ??= modelTables())
  const { within, writing, isOpen } = createTransactions(line, {
    fence: () => opening.fence,
    ended: statistics.refresh,
  })
  const put = (query: Query): (() => StatementAnswer) => {
    statistics.count()
    const answer = writing(() => line.later(query))
    // Outside of a transaction nothing waits.
    if (!isOpen()) answer()
    return answer
  }
  return {
    kind: 'postgres',
    prepare: createPrepare(line, { mark: channel.mark, tables, put }) as unknown as Connection['prepare'],
    transaction:
      <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
      (...given: Given) =>
        within(() => work(...given)),
    exclusive: (work) =>
      within(() => {
        line.later(plain(`SELECT pg_advisory_xact_lock(hashtext('${schema}'))`))
        return work()
      }),
    exec: (text) => void put(plain(text)),
    rewrite() {
      for (const { name } of tables()) line.now(plain(`VACUUM (FULL) "${name}"`))
    },
    tables,
    close() {
      if (opening.fence !== undefined) {
        sayQuietly(line, departure(opening.fence))
        channel.under(ownSettings(schema))
        if (channel.mark !== '') sayQuietly(line, dropTemporaryTables(channel.mark))
      }
      channel.close()
    },
  }
}

/** A process that stands still within a transaction keeps all others waiting for no longer: then its session is ended. */
const STILL_MS = 5000

/** Limits that a role or a database may have for other programs: a statement over a large state, or one that waits for others, takes longer. */
const NO_LIMITS = `SELECT set_config(name, '0', false) FROM pg_settings
  WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_session_timeout')`

const sessionSettings = (leaseMs: number): string =>
  `${NO_LIMITS}; SET synchronous_commit = on; SET jit = off; SET client_min_messages = warning; ${QUICK_ANALYZE};
  SET idle_in_transaction_session_timeout = ${Math.min(leaseMs, STILL_MS)}`

interface OwnSettings {
  /** Of the worker, for what it takes (tables.ts). */
  readonly fence?: number | ''
  /** Whether it may read alone. */
  readonly reads?: 'on' | 'off'
}

/** What is another one for each state. */
const ownSettings = (schema: string, { fence = '', reads = 'off' }: OwnSettings = {}): string =>
  `SET search_path = "${schema}", pg_catalog; SET contact_sync.fence = '${fence}'; SET default_transaction_read_only = ${reads}`

const isSchema = (db: Connection, schema: string): boolean =>
  db.prepare<[string], number>('SELECT 1 FROM pg_namespace WHERE nspname = ?').get(schema) !== undefined

/**
 * Joins the workers of a state, which is made where there is none. Throws STATE_LOCKED, STATE_IO, STATE_UNUSABLE, and what else
 * the server reports. `open`: the way to the server.
 */
export function connectToServer(
  { url, schema, reach }: ServerPlace,
  joining: Joining,
  open: OpenChannel = reachOf({ reach }),
): Opened {
  const place = stateText({ path: '', url, schema })
  const opening: Opening = { schema, place, channel: open(url, place), fence: undefined }
  const db = connectionOver(opening)
  const { channel } = opening
  channel.under(ownSettings(schema))
  try {
    db.exec(sessionSettings(joining.leaseMs))
    assertSuited(db, place)
    if (!hasState(db))
      db.exclusive(() => {
        // A user who may make none can be given one.
        if (!isSchema(db, schema)) db.exec(`CREATE SCHEMA "${schema}"`)
        makeState(db)
      })
    upgrade(db, place)
    assertKnown(db, place)
    const fence = join(db, joining, place)
    opening.fence = fence
    channel.under(ownSettings(schema, { fence }))
    channel.keepRenewing({
      renew: renewal(schema, fence, joining.leaseMs),
      everyMs: joining.leaseMs / RENEWALS,
    })
    db.exec(temporaryTables(channel.mark))
    return { ...db, fence, crowd: channel.crowd }
  } catch (error) {
    db.close()
    throw error
  }
}

/** For reading alone, without the tables of an input that is read; undefined where there is no state yet. */
export function readFromServer({ url, schema, reach }: ServerPlace): Connection | undefined {
  const place = stateText({ path: '', url, schema })
  const channel = reachOf({ reach })(url, place)
  channel.under(ownSettings(schema))
  const db = connectionOver({ schema, place, channel, fence: undefined })
  try {
    db.exec(sessionSettings(LEASE_MS))
    if (!hasState(db)) {
      db.close()
      return undefined
    }
    assertKnown(db, place)
    channel.under(ownSettings(schema, { reads: 'on' }))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
