// The connection as all of this folder uses it: the driver's, but each statement is compiled when it is first run, and once for
// all callers. The stores over a state name some three hundred, and most processes run few of them.
import Database from 'better-sqlite3'

/** What is used of the driver's statements. */
interface Statement<Given extends unknown[], Result> {
  run(...given: Given): { readonly changes: number }
  get(...given: Given): Result | undefined
  /**
   * The same, of a statement that is done in its turn: within a transaction, its answer is waited for when it is asked for.
   * So a server is asked once for the answers of many.
   */
  later(...given: Given): () => Result | undefined
  all(...given: Given): Result[]
  /** As `later`. */
  laterAll(...given: Given): () => Result[]
  iterate(...given: Given): IterableIterator<Result>
  pluck(): this
  raw(): this
}

type AnyStatement = Statement<unknown[], unknown>

/** What the driver compiles. */
type Compiled = Omit<AnyStatement, 'later' | 'laterAll' | 'pluck' | 'raw'>

/** The columns of a table of the state, in their order, and the lists of them that are unique, the primary key first. */
export interface Table {
  readonly name: string
  readonly columns: readonly string[]
  readonly unique: readonly (readonly string[])[]
}

/** What the stores use of a database. */
export interface Connection {
  readonly kind: 'sqlite' | 'postgres'
  /** Work within a transaction; inside another one, within a savepoint of that. */
  transaction<Given extends unknown[], Result>(work: (...given: Given) => Result): (...given: Given) => Result
  prepare<Given extends unknown[] | object = unknown[], Result = unknown>(
    source: string,
  ): Given extends unknown[] ? Statement<Given, Result> : Statement<[Given], Result>
  /** The same, while nothing else writes to the database: what is read in it is still so when it is written. */
  exclusive<Result>(work: () => Result): Result
  /** Statements without parameters and without an answer. */
  exec(source: string): void
  /** Writes everything once more, without what was deleted. Not within a transaction. */
  rewrite(): void
  /** The tables of the state, without those that go with the connection. */
  tables(): readonly Table[]
  close(): void
}

const TABLES = `
SELECT made.name, (SELECT json_group_array(name) FROM pragma_table_info(made.name)) AS columns,
  (SELECT json_group_array(name) FROM (SELECT name FROM pragma_table_info(made.name) WHERE pk > 0 ORDER BY pk)) AS "primary",
  (SELECT json_group_array((SELECT json_group_array(name) FROM pragma_index_info(i.name))) FROM pragma_index_list(made.name) AS i
   WHERE i."unique" = 1 AND i.partial = 0 AND i.origin <> 'pk') AS further
FROM main.sqlite_schema AS made WHERE made.type = 'table' AND made.name NOT LIKE 'sqlite_%' ORDER BY made.name`

function tablesOf(prepare: Connection['prepare']): Table[] {
  const lists = prepare<[], { name: string; columns: string; primary: string; further: string }>(TABLES).all()
  return lists.map(({ name, columns, primary, further }) => {
    const key = JSON.parse(primary) as string[]
    const others = (JSON.parse(further) as string[]).map((list) => JSON.parse(list) as string[])
    return {
      name,
      columns: JSON.parse(columns) as string[],
      unique: [...(key.length > 0 ? [key] : []), ...others],
    }
  })
}

/** A file, or a temporary database. */
export interface FileConnection
  extends Connection, Pick<Database.Database, 'pragma' | 'backup' | 'function'> {
  readonly kind: 'sqlite'
}

export const isFile = (db: Connection): db is FileConnection => db.kind === 'sqlite'

/** Comments, literals and quoted names, which stay, or a parameter. */
const PARTS = /--.*$|'(?:[^']|'')*'|"[^"]*"|[?@]\w*/gmu

/**
 * SQLite uses the values of parameters to choose a plan, and then compiles the statement again each time that it
 * is run, since the driver clears its bindings: fifty microseconds where the work takes one. It does not evaluate a plus
 * sign, which changes neither a value nor the index that is used.
 */
export const withStablePlan = (source: string): string =>
  source.replace(PARTS, (part) => (part.startsWith('?') || part.startsWith('@') ? `+${part}` : part))

type Shape = 'rows' | 'pluck' | 'raw'

type Driven = Compiled & { readonly readonly: boolean }

/**
 * The driver's `get` stops at the first row and drops what fails after it: outside a transaction that is the commit itself, so
 * that a change whose id was given would not be there. A statement that writes is done to its end.
 */
const wholly = (statement: Driven): Compiled =>
  statement.readonly
    ? statement
    : Object.assign(statement, { get: (...given: unknown[]) => statement.all(...given)[0] })

function lateStatement(compile: (shape: Shape) => Compiled, known: (shape: Shape) => Compiled): AnyStatement {
  let shape: Shape = 'rows'
  let own: Compiled | undefined
  let shared: Compiled | undefined
  const ready = (): Compiled => (shared ??= known(shape))
  return {
    run: (...given) => ready().run(...given),
    get: (...given) => ready().get(...given),
    later(...given) {
      const result = ready().get(...given)
      return () => result
    },
    all: (...given) => ready().all(...given),
    laterAll(...given) {
      const results = ready().all(...given)
      return () => results
    },
    // A statement that is read row by row is busy meanwhile: it cannot be used a second time.
    iterate: (...given) => (own ??= compile(shape)).iterate(...given),
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

/** The error to be thrown in place of one of the driver. */
type Told = (error: unknown) => unknown

const telling =
  <Given extends unknown[], Result>(work: (...given: Given) => Result, told: Told) =>
  (...given: Given): Result => {
    try {
      return work(...given)
    } catch (error) {
      throw told(error)
    }
  }

function* tellingEach(rows: () => IterableIterator<unknown>, told: Told): Generator {
  try {
    yield* rows()
  } catch (error) {
    throw told(error)
  }
}

/** A connection whose errors of the driver are told by `told`: for those who have nothing around it that does. */
function tellingConnection(db: FileConnection, told: Told): FileConnection {
  const prepare = db.prepare.bind(db) as (source: string) => AnyStatement
  const wrapped = (source: string): AnyStatement => {
    const statement = prepare(source)
    const { run, get, later, all, laterAll, iterate, pluck, raw } = statement
    return {
      ...{ run: telling(run, told), get: telling(get, told), later: telling(later, told) },
      ...{ all: telling(all, told), laterAll: telling(laterAll, told) },
      iterate: (...given) => tellingEach(() => iterate(...given), told),
      pluck() {
        pluck.call(statement)
        return this
      },
      raw() {
        raw.call(statement)
        return this
      },
    }
  }
  return Object.assign(db, {
    prepare: wrapped as Connection['prepare'],
    pragma: telling(db.pragma.bind(db), told),
    exec: telling(db.exec.bind(db), told),
  })
}

export function connect(path: string, options: Database.Options = {}, told?: Told): FileConnection {
  const db = connected(path, options)
  return told === undefined ? db : tellingConnection(db, told)
}

function connected(path: string, options: Database.Options): FileConnection {
  const db = new Database(path, options)
  const driver = db.prepare.bind(db) as (source: string) => Driven & Record<'pluck' | 'raw', () => Driven>
  const exec = db.exec.bind(db)
  const close = db.close.bind(db)
  const compiled = new Map<string, Compiled>()
  const prepare = (source: string): AnyStatement => {
    const compile = (shape: Shape): Compiled => {
      const statement = driver(withStablePlan(source))
      return wholly(shape === 'rows' ? statement : statement[shape]())
    }
    const known = (shape: Shape): Compiled => {
      const name = `${shape} ${source}`
      const found = compiled.get(name) ?? compile(shape)
      compiled.set(name, found)
      return found
    }
    return lateStatement(compile, known)
  }
  // The driver makes four functions of each work that it is given: too much for what is made for one use.
  const within = db.transaction((work: () => unknown) => work())
  const transaction: Connection['transaction'] =
    <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
    (...given: Given) =>
      within(() => work(...given)) as Result
  return Object.assign(db, {
    kind: 'sqlite' as const,
    prepare: prepare as Connection['prepare'],
    transaction,
    exclusive: <Result>(work: () => Result) => within.immediate(work) as Result,
    exec: (source: string) => void exec(source),
    rewrite: () => void exec('VACUUM'),
    tables: () => tablesOf(prepare as Connection['prepare']),
    close: () => void close(),
  })
}
