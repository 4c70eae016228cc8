// By what entries are found: random entries in random batches, asked for with every filter, against a plain look at each.
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { AuditEntry } from '../../../src/core/log/audit.ts'
import type { LoggedEntry } from '../../../src/core/log/audit-chain.ts'
import type { LogFilter } from '../../../src/core/log/sync-log.ts'
import { type Connection, openTemporaryDatabase } from '../../../src/store/file/database.ts'
import { createBatchAppend } from '../../../src/store/log/audit-append.ts'
import { createExpireValues } from '../../../src/store/log/audit-expire.ts'
import { checkIndexes, rebuildIndexes } from '../../../src/store/log/audit-index.ts'
import { createLogReader, type LogReader } from '../../../src/store/log/audit-read.ts'

let db: Connection
beforeEach(() => (db = openTemporaryDatabase()))
afterEach(() => db.close())

const HOUR = 3_600_000

const anEntry = fc.record({
  hour: fc.nat(3),
  run: fc.constantFrom('run-1', 'run-2'),
  pipeline: fc.constantFrom('shop', 'crm', null),
  key: fc.constantFrom('K1', 'K2', 'K3'),
  action: fc.constantFrom('create', 'update', 'terms'),
  outcome: fc.constantFrom('done', 'failed'),
  fields: fc.subarray(['mail', 'phone', 'fax']),
  terms: fc.subarray(['VIP', 'Neu', 'vip']),
})

type Given = typeof anEntry extends fc.Arbitrary<infer One> ? One : never

const entryOf = ({ hour, run, fields, terms, ...rest }: Given): AuditEntry => ({
  ...rest,
  at: new Date(hour * HOUR).toISOString(),
  run_id: run,
  contact_id: null,
  fields: Object.fromEntries(fields.map((name) => [name, { from: null, to: `${name} of ${rest.key}` }])),
  terms: { add: terms, remove: [] },
  request: null,
  reason: null,
  source: null,
  config_hash: '',
})

const FILTERS: readonly LogFilter[] = [
  {},
  { run: 'run-1' },
  { pipeline: 'crm' },
  { action: 'terms', outcome: 'failed' },
  { field: 'fax', run: 'run-2' },
  { term: 'VIP' },
  { term: 'neu', pipeline: 'shop', action: 'create' },
  { since: HOUR, until: 3 * HOUR },
  { since: HOUR, field: 'phone', outcome: 'done' },
  { contact: 'key:K1', pipeline: 'shop', action: 'update' },
]

function fits(entry: LoggedEntry, filter: LogFilter): boolean {
  const {
    run = entry.run_id,
    pipeline = entry.pipeline,
    action = entry.action,
    outcome = entry.outcome,
  } = filter
  const { since = 0, until = Number.MAX_SAFE_INTEGER, field, term } = filter
  const at = Date.parse(entry.at)
  const isTerm = (name: string): boolean => name.toLowerCase() === term?.toLowerCase()
  return (
    entry.run_id === run &&
    entry.pipeline === pipeline &&
    entry.action === action &&
    entry.outcome === outcome &&
    at >= since &&
    at < until &&
    (field === undefined || entry.field_names.includes(field)) &&
    (term === undefined || entry.terms.add.some(isTerm)) &&
    (filter.contact === undefined || `key:${entry.key}` === filter.contact)
  )
}

/** All that is found, in pages of three. */
function paged(log: LogReader, filter: LogFilter, order: 'oldest' | 'newest'): number[] {
  const found: number[] = []
  for (;;) {
    const from = found.at(-1)
    const page = log.logPage(filter, { order, limit: 3, ...(from === undefined ? {} : { from }) })
    found.push(...page.map(({ seq }) => seq))
    if (page.length < 3) return found
  }
}

const tags = (): unknown[] =>
  db
    .prepare(
      'SELECT w.word, t.first, t.last FROM log_tag AS t LEFT JOIN log_word AS w ON w.id = t.word ORDER BY 1, 2',
    )
    .all()

it('every filter finds what fits it, in pages and both ways, also after values have expired', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(anEntry, { maxLength: 8 }), { maxLength: 6 }),
      fc.nat(3),
      (batches, hours) => {
        db.close()
        db = openTemporaryDatabase()
        const append = createBatchAppend(db)
        for (const batch of batches) db.transaction(() => append(batch.map(entryOf)))()
        // By whole days: the clock of the entries stands 24 hours before it.
        createExpireValues(db)(hours === 0 ? 24 * HOUR : 0, 5, { at: 0, runId: 'keeping' })
        const log = createLogReader(db)
        const all = log.logPage({}, { order: 'oldest', limit: 1000 })
        for (const filter of FILTERS) {
          // Whose values are gone is still found as the same person, and no key says so in the entry.
          if (filter.contact !== undefined && hours === 0) continue
          const wanted = all.filter((entry) => fits(entry, filter)).map(({ seq }) => seq)
          expect(paged(log, filter, 'oldest')).toEqual(wanted)
          expect(paged(log, filter, 'newest')).toEqual(wanted.toReversed())
        }
        expect(checkIndexes(db)).toBeUndefined()
        const before = tags()
        rebuildIndexes(db)
        expect(tags().filter((row) => (row as { first: number | null }).first !== null)).toEqual(before)
        expect(checkIndexes(db)).toBeUndefined()
      },
    ),
    { numRuns: 60 },
  )
}, 60_000)

it('a bulk extends the ranges of its words, and writes no row for each entry', () => {
  const append = createBatchAppend(db)
  const one = entryOf({
    hour: 0,
    run: 'run-1',
    pipeline: 'shop',
    key: 'K1',
    action: 'create',
    outcome: 'done',
    fields: ['mail', 'phone', 'fax'],
    terms: [],
  })
  for (let times = 0; times < 3; times += 1) append(Array.from({ length: 100 }, () => one))
  expect(tags()).toHaveLength(7)
  expect(tags()).toContainEqual({ word: 'field:fax', first: 1, last: 300 })
})
