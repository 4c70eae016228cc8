// What the console asks of a state: the same past, in a file and at a server, gives the same answers.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogViews } from '../../../src/core/log/log-views.ts'
import type { ExplainReads } from '../../../src/core/explain/explain-reads.ts'
import type { StateLocation } from '../../../src/core/state-place.ts'
import type { StateViews } from '../../../src/core/views.ts'
import type { Connection } from '../../../src/store/file/connection.ts'
import { createLogViews } from '../../../src/store/log/log-views.ts'
import { openToRead } from '../../../src/store/reading.ts'
import { createStateViews } from '../../../src/store/views/views.ts'
import { createExplainViews } from '../../../src/store/views/views-explain.ts'
import { pastAt } from '../../console/desk.ts'
import { POSTGRES, type PostgresServer, startPostgres } from '../../support/postgres-server.ts'

type Views = StateViews & LogViews & ExplainReads

const NOW = Date.UTC(2026, 0, 1, 0, 1)
const FIRST = { from: undefined, limit: 5 }
const RUN = 'shop-run-3'
const NEWEST = { order: 'newest', limit: 9 } as const

/** By what is asked. */
const QUESTIONS: Readonly<Record<string, (views: Views) => Promise<unknown>>> = {
  pipelines: (views) => views.pipelines(['shop']),
  days: (views) => views.days(0),
  runs: (views) => views.runs({}, FIRST),
  'runs of a kind': (views) => views.runs({ pipeline: 'shop', status: 'held' }, FIRST),
  run: (views) => views.run(RUN),
  inputs: (views) => views.inputs(RUN, FIRST),
  rejects: (views) => views.rejects({ pipelines: ['shop'] }, FIRST),
  'rejects of a kind': (views) => views.rejects({ code: 'FIELD_INVALID', runId: RUN }, FIRST),
  rejectGroups: (views) => views.rejectGroups(['shop']),
  rejectById: (views) => views.rejectById(1),
  held: (views) => views.open({ states: ['held'], pipelines: ['shop'] }, FIRST),
  'held of a kind': (views) =>
    views.open(
      { states: ['held'], pipelines: ['shop'], runId: RUN, guard: 'max_deletes', kind: 'delete' },
      FIRST,
    ),
  'held by none': (views) => views.open({ states: ['held'], pipelines: ['shop'], guard: null }, FIRST),
  openGroups: (views) => views.openGroups(['held', 'in_doubt'], ['shop']),
  heldPlans: (views) => views.heldPlans(['shop']),
  person: (views) => views.person(1),
  edits: (views) => views.edits(['shop'], FIRST),
  corrections: (views) => views.corrections({ pipelines: ['shop'], state: undefined }, FIRST),
  'corrections of a state': (views) => views.corrections({ pipelines: ['shop'], state: 'ended' }, FIRST),
  correction: (views) => views.correction(1),
  brakes: (views) => views.brakes([{ name: 'Customer', since: 0 }]),
  driftRounds: (views) => views.driftRounds('shop', 5),
  'search by mail': (views) => views.search('person1@example.com', 5),
  'search by a beginning': (views) => views.search('person1', 5),
  'search by key': (views) => views.search('K7', 5),
  terms: (views) => views.terms(),
  logPage: (views) => views.logPage({}, NEWEST),
  'logPage of a kind': (views) =>
    views.logPage({ run: RUN, pipeline: 'shop', action: 'delete', since: 0, until: NOW * 2 }, NEWEST),
  'logPage of a field': (views) => views.logPage({ field: 'phone' }, NEWEST),
  'logPage of a contact': (views) => views.logPage({ contact: 'id:1' }, { order: 'oldest', limit: 9 }),
  logEntry: (views) => views.logEntry(3),
  runTotals: (views) => views.runTotals(RUN),
  readerOf: (views) => views.readerOf('shop', { name: 'people.csv', sha256: 'x' }, NOW),
  people: (views) => views.people('K7'),
}

/** Hashes and what goes into them are of chance, in each state its own. */
const CHANCE = /[0-9a-f]{64}|[0-9a-f]{32}/g
const plain = (answer: unknown): unknown =>
  answer === undefined ? undefined : JSON.parse(JSON.stringify(answer).replaceAll(CHANCE, '*'))

describe.skipIf(POSTGRES === undefined)('a view of a state at a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'views-'))
  const opened: Connection[] = []
  let server: PostgresServer
  let atServer: Views
  let inFile: Views
  async function viewsOf(where: StateLocation): Promise<Views> {
    await pastAt(where)
    const db = openToRead(where)
    if (db === undefined) throw new Error('no state')
    opened.push(db)
    const now = (): number => NOW
    return {
      ...createStateViews(db, now),
      ...createLogViews(db, join(folder, 'v.db'), now),
      ...createExplainViews(db),
    }
  }
  beforeAll(async () => {
    server = await startPostgres(POSTGRES ?? '')
    inFile = await viewsOf(join(folder, 'f.db'))
    atServer = await viewsOf({ url: server.url, schema: 'contact_sync', path: join(folder, 's.db') })
  }, 120_000)
  afterAll(async () => {
    for (const db of opened) db.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  it.each(Object.entries(QUESTIONS))('is the same as of one in a file: %s', async (_, ask) => {
    expect(plain(await ask(atServer))).toEqual(plain(await ask(inFile)))
  })
})
