// The connection as all of this folder uses it: the driver's, but each statement is compiled when it is first run, and once for
// all callers. The stores over a state name some three hundred, and most processes run few of them.
import Database from 'better-sqlite3'

/** What is used of the driver's statements. */
interface Statement<Given extends unknown[], Result> {
  run(...given: Given): Database.RunResult
  get(...given: Given): Result | undefined
  all(...given: Given): Result[]
  iterate(...given: Given): IterableIterator<Result>
  pluck(): this
  raw(): this
}

type AnyStatement = Statement<unknown[], unknown>

export interface Connection extends Omit<Database.Database, 'prepare' | 'transaction'> {
  /** Work within a transaction; inside another one, within a savepoint of that. */
  transaction<Given extends unknown[], Result>(work: (...given: Given) => Result): (...given: Given) => Result
  prepare<Given extends unknown[] | object = unknown[], Result = unknown>(
    source: string,
  ): Given extends unknown[] ? Statement<Given, Result> : Statement<[Given], Result>
}

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

function lateStatement(
  compile: (shape: Shape) => AnyStatement,
  known: (shape: Shape) => AnyStatement,
): AnyStatement {
  let shape: Shape = 'rows'
  let own: AnyStatement | undefined
  let shared: AnyStatement | undefined
  const ready = (): AnyStatement => (shared ??= known(shape))
  return {
    run: (...given) => ready().run(...given),
    get: (...given) => ready().get(...given),
    all: (...given) => ready().all(...given),
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

export function connect(path: string, options: Database.Options = {}): Connection {
  const db = new Database(path, options)
  const driver = db.prepare.bind(db) as (source: string) => AnyStatement
  const compiled = new Map<string, AnyStatement>()
  const prepare = (source: string): AnyStatement => {
    const compile = (shape: Shape): AnyStatement => {
      const statement = driver(withStablePlan(source))
      return shape === 'rows' ? statement : statement[shape]()
    }
    const known = (shape: Shape): AnyStatement => {
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
  return Object.assign(db, { prepare: prepare as Connection['prepare'], transaction })
}
