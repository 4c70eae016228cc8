// With STATEMENTS=DIR, notes each statement that the tests do to a state in a file, once for each kind of its values: main.ts
// asks a PostgreSQL server what it thinks of them.
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Given, kindOf, type Noted, written } from './noted.ts'

type Run = (...given: unknown[]) => unknown
type Method = 'run' | 'get' | 'all' | 'iterate'
const METHODS: readonly Method[] = ['run', 'get', 'all', 'iterate']

const folder = process.env['STATEMENTS'] ?? ''
mkdirSync(folder, { recursive: true })
const file = join(folder, `${process.pid}.jsonl`)
const noted = new Set<string>()

const isNamed = (value: unknown): value is Readonly<Record<string, Given>> =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array)

function note(source: string, given: readonly unknown[]): void {
  const [first] = given
  const values = isNamed(first)
    ? Object.entries(first)
    : (given as Given[]).map((value) => ['', value] as const)
  const kinds = values.map(([name, value]) => `${name}:${kindOf(value)}`)
  // Those without a name stand in the order of the statement.
  const known = `${source} ${(isNamed(first) ? kinds.sort() : kinds).join()}`
  if (noted.has(known)) return
  noted.add(known)
  const one: Noted = { source, values: values.map(([name, value]) => [name, written(value)]) }
  appendFileSync(file, `${JSON.stringify(one)}\n`)
}

const driver = Database.prototype as unknown as Record<
  'prepare',
  (this: object, source: string) => Record<Method, Run> & { pluck(): { get: Run } }
>
const { prepare } = driver
const states = new WeakSet()

/** Has the tables of a state; what the sandbox and the sources of tests keep in a file has not. */
function isState(db: object): boolean {
  if (states.has(db)) return true
  const found = prepare
    .call(db, "SELECT count(*) FROM sqlite_schema WHERE name IN ('meta', 'operation')")
    .pluck()
  if (found.get() !== 2) return false
  states.add(db)
  return true
}

const MARK = Symbol.for('contact-sync statements are recorded')
if (!(MARK in driver)) {
  Object.assign(driver, { [MARK]: true })
  driver.prepare = function (source) {
    const statement = prepare.call(this, source)
    for (const method of METHODS) {
      const own = statement[method].bind(statement)
      statement[method] = (...given) => {
        if (isState(this)) note(source, given)
        return own(...given)
      }
    }
    return statement
  }
}
