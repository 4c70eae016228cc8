// A connection to a PostgreSQL server that the stores use as they use a file.
import type { Connection, Table } from '../file/connection.ts'
import { openTemporaryDatabase } from '../file/database.ts'
import { type Channel, openChannel } from './channel.ts'
import { translated } from './dialect.ts'
import { endLease, type Holder, LEASE_TABLE, renewal, takeLease } from './lease.ts'
import { makeState, TEMPORARY_TABLES } from './tables.ts'

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

type Say = (text: string) => void

/** What need not be said where the connection is gone. */
function sayQuietly(say: Say, text: string): void {
  try {
    say(text)
  } catch {
    // The lease ends by itself.
  }
}

/** How messages name the state: never with the password, or any other part of the address. */
export const placeText = (url: string, schema: string): string =>
  `${schema} at ${new URL(url).host || 'a socket'}`

interface Transactions {
  /** Work within a transaction; inside another one, within a savepoint of that. */
  within<Result>(work: () => Result): Result
  /** A statement that writes: alone, where no transaction is open, it gets one, so that the lease is checked. */
  written<Result>(work: () => Result): Result
}

/** `fence`: of the lease that each transaction checks. */
function createTransactions(say: Say, fence: () => number | undefined): Transactions {
  let depth = 0
  const begin = (): string => (fence() === undefined ? 'BEGIN' : `BEGIN; SELECT assert_lease(${fence()})`)
  const undone = (undo: string): void => {
    try {
      say(undo)
    } catch {
      // A connection that is gone has undone it.
    }
  }
  const within: Transactions['within'] = (work) => {
    const [start, end, undo] =
      depth === 0
        ? [begin(), 'COMMIT', 'ROLLBACK']
        : [`SAVEPOINT s${depth}`, `RELEASE s${depth}`, `ROLLBACK TO s${depth}; RELEASE s${depth}`]
    try {
      say(start)
    } catch (error) {
      undone(undo)
      throw error
    }
    depth += 1
    let result
    try {
      result = work()
    } catch (error) {
      depth -= 1
      undone(undo)
      throw error
    }
    depth -= 1
    say(end)
    return result
  }
  return {
    within,
    written: (work) => (fence() === undefined || depth > 0 ? work() : within(work)),
  }
}

const reads = (source: string): boolean => /^\s*SELECT\b/i.test(source)

function createPrepare(
  channel: Channel,
  { tables, written }: Pick<Transactions, 'written'> & { tables: () => readonly Table[] },
) {
  let cursors = 0
  return (source: string) => {
    const statement = translated(source, tables)
    const isRead = reads(source)
    let shape: Shape = 'rows'
    const ask = (given: readonly unknown[], before = '') => {
      const { text, values } = statement.of(given)
      const say = () => channel.ask({ text: `${before}${text}`, values })
      return isRead ? say() : written(say)
    }
    const all = (given: readonly unknown[]): unknown[] => {
      const { columns, rows } = ask(given)
      return rows.map((row) => shaped(shape, columns, row))
    }
    return {
      run: (...given: unknown[]) => ({ changes: ask(given).changes }),
      get: (...given: unknown[]) => all(given)[0],
      all: (...given: unknown[]) => all(given),
      *iterate(...given: unknown[]) {
        cursors += 1
        const name = `c${cursors}`
        ask(given, `DECLARE ${name} NO SCROLL CURSOR WITH HOLD FOR `)
        try {
          for (;;) {
            const { columns, rows } = channel.ask({ text: `FETCH ${PAGE} FROM ${name}`, values: [] })
            for (const row of rows) yield shaped(shape, columns, row)
            if (rows.length < PAGE) return
          }
        } finally {
          channel.ask({ text: `CLOSE ${name}`, values: [] })
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

/**
 * `schema`: where the state lies at the server; it is made where there is none. `holder`: who is to be its one owner; without
 * it there is no lease. Throws STATE_LOCKED, STATE_IO, STATE_UNUSABLE, and what else the server reports.
 */
export function connectToServer(url: string, schema: string, holder?: Holder): Connection {
  const place = placeText(url, schema)
  const channel = openChannel(url, place)
  const say: Say = (text) => void channel.ask({ text, values: [] })
  let known: readonly Table[] | undefined
  let fence: number | undefined
  const tables = (): readonly Table[] => (known ??= modelTables())
  const { within, written } = createTransactions(say, () => fence)
  const db: Connection = {
    kind: 'postgres',
    prepare: createPrepare(channel, { tables, written }) as unknown as Connection['prepare'],
    transaction:
      <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
      (...given: Given) =>
        within(() => work(...given)),
    exclusive: (work) =>
      within(() => {
        say(`SELECT pg_advisory_xact_lock(hashtext('${schema}'))`)
        return work()
      }),
    exec: (text) => written(() => say(text)),
    rewrite() {
      for (const { name } of tables()) say(`VACUUM (FULL) "${name}"`)
    },
    tables,
    close() {
      if (fence !== undefined) sayQuietly(say, endLease(fence))
      channel.close()
    },
  }
  try {
    // A request leaves only after what says so is on the disk of the server.
    say(`SET synchronous_commit = on; SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS "${schema}";
      SET search_path = "${schema}", pg_catalog`)
    makeState(db)
    say(LEASE_TABLE)
    if (holder !== undefined) {
      fence = takeLease(db, holder, place)
      const { leaseMs } = holder
      channel.keepRenewing({ renew: renewal(schema, fence, leaseMs), everyMs: leaseMs / 3 })
    }
    say(TEMPORARY_TABLES)
    return db
  } catch (error) {
    channel.close()
    throw error
  }
}
