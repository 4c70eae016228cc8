// npm run statements -- DIR: every statement that was noted there (record.ts) is planned by a PostgreSQL server within this
// process, over the tables of a state, and not carried out.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectInside } from '../state/inside.ts'
import { givenOf, type Noted } from './noted.ts'

/** The tests of runs, of the console and of the stores do more than these. */
const LEAST = 1000

/** Of a file alone: what its tests, its copies and `state move` ask about its tables. */
const OF_A_FILE = /\b(?:sqlite_\w+|pragma_\w+)\b|^\s*(?:PRAGMA|EXPLAIN|VACUUM)\b/i

const [folder = ''] = process.argv.slice(2)
const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
const noted = [...new Set(lines)].filter((line) => line !== '').map((line) => JSON.parse(line) as Noted)
const asked = noted.filter(({ source }) => !OF_A_FILE.test(source))

const db = await connectInside()
let refused = 0
for (const one of asked) {
  // A plus sign is for the planner of SQLite (withStablePlan).
  const source = one.source.replaceAll(/\+(?=[?@])/g, '')
  try {
    db.prepare(`EXPLAIN ${source}`).all(...givenOf(one))
  } catch (error) {
    refused += 1
    const { cause, message } = error as Error
    console.log(`refused: ${cause instanceof Error ? cause.message : message}\n${source}\n`)
  }
}
db.close()
console.log(`${asked.length} statements, ${refused} of them refused by the server`)
if (asked.length < LEAST) console.log(`fewer than ${LEAST}: were all tests recorded?`)
process.exitCode = refused > 0 || asked.length < LEAST ? 1 : 0
