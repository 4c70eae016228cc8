// A connection to a PostgreSQL server that the stores use as they use a file.
import type { Connection, Table } from '../file/connection.ts'
import { openTemporaryDatabase } from '../file/database.ts'
import { type Channel, openChannel } from './channel.ts'
import { translated } from './dialect.ts'
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

/** Work within a transaction; inside another one, within a savepoint of that. */
function createWithin(say: Say): <Result>(work: () => Result) => Result {
  let depth = 0
  const undone = (undo: string): void => {
    try {
      say(undo)
    } catch {
      // A connection that is gone has undone it.
    }
  }
  return (work) => {
    const [start, end, undo] =
      depth === 0
        ? ['BEGIN', 'COMMIT', 'ROLLBACK']
        : [`SAVEPOINT s${depth}`, `RELEASE s${depth}`, `ROLLBACK TO s${depth}; RELEASE s${depth}`]
    say(start)
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
}

function createPrepare(channel: Channel, tables: () => readonly Table[]) {
  let cursors = 0
  return (source: string) => {
    const statement = translated(source, tables)
    let shape: Shape = 'rows'
    const ask = (given: readonly unknown[], before = '') => {
      const { text, values } = statement.of(given)
      return channel.ask({ text: `${before}${text}`, values })
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

/** `schema`: where the state lies at the server; it is made where there is none. Throws what the server or the socket says. */
export function connectToServer(url: string, schema: string): Connection {
  const channel = openChannel(url)
  const say: Say = (text) => void channel.ask({ text, values: [] })
  let known: readonly Table[] | undefined
  const tables = (): readonly Table[] => (known ??= modelTables())
  const within = createWithin(say)
  const db: Connection = {
    kind: 'postgres',
    prepare: createPrepare(channel, tables) as unknown as Connection['prepare'],
    transaction:
      <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
      (...given: Given) =>
        within(() => work(...given)),
    exclusive: (work) =>
      within(() => {
        say(`SELECT pg_advisory_xact_lock(hashtext('${schema}'))`)
        return work()
      }),
    exec: say,
    tables,
    close: () => channel.close(),
  }
  // A request leaves only after what says so is on the disk of the server.
  say(`SET synchronous_commit = on; SET client_min_messages = warning; CREATE SCHEMA IF NOT EXISTS "${schema}";
    SET search_path = "${schema}", pg_catalog`)
  makeState(db)
  say(TEMPORARY_TABLES)
  return db
}
