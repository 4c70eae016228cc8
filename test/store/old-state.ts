// States as earlier versions left them, made by those versions themselves (make-state.ts): as files to open, and what
// was at the service then.
import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { connect } from '../../src/store/file/connection.ts'
import type { Term } from '../../src/core/ports.ts'
import { currentMark, writeMark } from '../../src/store/file/mark.ts'
import { type MemoryService, memoryService } from '../support/memory-service.ts'

const FOLDER = resolve(import.meta.dirname, '../fixtures/states')

/** The schemas that have a fixture, oldest first. */
export const OLD_SCHEMAS: readonly number[] = readdirSync(FOLDER)
  .flatMap((name) => /^v(\d+)\.sql$/.exec(name)?.[1] ?? [])
  .map(Number)
  .sort((one, other) => one - other)

export function writeOldState(path: string, schema: number): void {
  const db = connect(path)
  db.pragma('journal_mode = WAL')
  db.exec(readFileSync(resolve(FOLDER, `v${schema}.sql`), 'utf8'))
  if (db.pragma('user_version', { simple: true }) !== schema)
    throw new Error(`v${schema}.sql is of another schema`)
  // As their programs did.
  writeMark(path, currentMark(db))
  db.close()
}

interface Ledger {
  readonly contacts: readonly [number, Record<string, unknown>][]
  readonly terms: readonly [number, Term][]
  readonly contactTerms: readonly [number, readonly number[]][]
}

/** The service as that version left it, without the faults that it had then. */
export function serviceOf(schema: number): MemoryService {
  const ledger = JSON.parse(readFileSync(resolve(FOLDER, `v${schema}.json`), 'utf8')) as Ledger
  const last = (entries: readonly (readonly [number, unknown])[], none: number) =>
    Math.max(none, ...entries.map(([id]) => id))
  const service = memoryService({ lastId: last(ledger.contacts, 0), lastTerm: last(ledger.terms, 100) })
  for (const [id, fields] of ledger.contacts) service.contacts.set(id, fields)
  for (const [id, term] of ledger.terms) service.terms.set(id, term)
  for (const [id, given] of ledger.contactTerms) service.contactTerms.set(id, new Set(given))
  return service
}
