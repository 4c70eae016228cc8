// Terms that a brake gives (core/change/waiting/brake.ts): who asks for one, what was granted when, and what waits.
import {
  type BrakeAsk,
  type BrakeNumbers,
  type BrakeRule,
  type BrakeStanding,
  type BrakeStep,
  brakeStep,
  type BrakeStore,
  type RecordAsks,
} from '../../core/change/waiting/brake.ts'
import type { Operation } from '../../core/change/operation.ts'
import type { Release } from '../../core/decision.ts'
import { termKey } from '../../core/mapping/terms.ts'
import type { HeldPlan } from '../../core/state.ts'
import type { Connection } from '../file/database.ts'
import { isKeyed } from '../file/state-sets.ts'
import { parseContact } from './rows.ts'

interface AskRow {
  id: number
  term: string
  name: string
  pipeline: string
  key: string
  first: number
  alone_in: string | null
  file: string
  line: number
}

const ask = ({ id, term, name, pipeline, key, first, alone_in: alone, file, line }: AskRow): BrakeAsk => ({
  ...{ id, term, name, pipeline, key, source: { file, line } },
  isFirst: first === 1,
  aloneIn: alone ?? undefined,
})

/** More conditions may follow. */
const LINK = 'SELECT 1 FROM link WHERE link.pipeline = brake_ask.pipeline AND link.key = brake_ask.key'
const HAS_CONTACT = `EXISTS (${LINK} AND link.gone = 0)`
/** The newest full export lacks its record, which asks for nothing until it is back. */
const IS_MISSING = `EXISTS (${LINK} AND link.missing > 0)`
const HAS_OPEN = `EXISTS (SELECT 1 FROM operation WHERE operation.pipeline = brake_ask.pipeline AND operation.key = brake_ask.key
  AND ${isKeyed('operation')})`
/** Its contact is there, and no other change of its record waits before it. */
const IS_FREE = `${HAS_CONTACT} AND NOT ${IS_MISSING} AND NOT ${HAS_OPEN}`

interface NumbersRow {
  phase: BrakeNumbers['phase'] | null
  given: number
  asked: number
  drawn: number
  open: number
  last: number | null
}

const NUMBERS = `
SELECT (SELECT phase FROM brake WHERE term = @term) AS phase,
       (SELECT coalesce(sum(number), 0) FROM brake_grant WHERE term = @term
        AND at > max(@after, coalesce((SELECT counted_from FROM brake WHERE term = @term), 0))) AS given,
       (SELECT count(*) FROM brake_ask WHERE term = @term AND state = 'waiting' AND ${IS_FREE}) AS asked,
       (SELECT count(*) FROM brake_ask WHERE term = @term AND first = 1) AS drawn,
       (SELECT count(*) FROM brake_ask WHERE term = @term AND first = 1 AND given_at IS NULL) AS open,
       (SELECT max(given_at) FROM brake_ask WHERE term = @term AND first = 1) AS last`

/**
 * What was noted by a clock that was ahead, and has been put back since, has happened now: the first would be watched until that
 * time came, and what is given meanwhile would not count. What was given before a brake was opened does not count any more.
 */
function createSetRight(db: Connection): (term: string, now: number) => void {
  const statements = [
    `DELETE FROM brake_grant WHERE term = @term AND at > @now
       AND at <= (SELECT counted_from FROM brake WHERE term = @term)`,
    'UPDATE brake SET counted_from = @now - 1 WHERE term = @term AND counted_from > @now',
    'UPDATE brake SET since = @now WHERE term = @term AND since > @now',
    'UPDATE brake_grant SET at = @now WHERE term = @term AND at > @now',
    'UPDATE brake_ask SET given_at = @now WHERE term = @term AND first = 1 AND given_at > @now',
  ].map((sql) => db.prepare<[{ term: string; now: number }]>(sql))
  return (term, now) => {
    for (const one of statements) one.run({ term, now })
  }
}

function createStep(db: Connection) {
  const setRight = createSetRight(db)
  const numbers = db.prepare<[{ term: string; after: number }], NumbersRow>(NUMBERS)
  // Whose record or contact has gone is none of the first any more.
  const dropLost = db.prepare(
    `DELETE FROM brake_ask WHERE term = ? AND first = 1 AND given_at IS NULL AND NOT ${HAS_CONTACT}`,
  )
  const putBack = db.prepare(
    `UPDATE brake_ask SET state = 'waiting', first = 0 WHERE term = ? AND first = 1 AND given_at IS NULL AND ${IS_MISSING}`,
  )
  const grantAll = db.prepare(
    `UPDATE brake_ask SET state = 'granted' WHERE term = ? AND state = 'waiting' AND ${IS_FREE}`,
  )
  const draw = db.prepare(`
    UPDATE brake_ask SET state = 'granted', first = 1 WHERE id IN (SELECT id FROM brake_ask WHERE term = ? AND state = 'waiting'
      AND ${IS_FREE} ORDER BY random() LIMIT ?)`)
  const note = db.prepare('INSERT INTO brake_grant (term, at, number) VALUES (?, ?, ?)')
  const forget = db.prepare('DELETE FROM brake_grant WHERE term = ? AND at <= ?')
  const watch = db.prepare(`
    INSERT INTO brake (term, phase, run_id, since) VALUES (@term, 'watching', @runId, @now)
    ON CONFLICT (term) DO UPDATE SET phase = 'watching', run_id = @runId, since = @now, figures = NULL`)
  const read = (term: string, after: number, now: number): BrakeNumbers => {
    const row = numbers.get({ term, after })
    const { phase, given = 0, asked = 0, drawn = 0, open = 0, last = null } = row ?? {}
    // Where all of the first have gone there is nothing to look at: others are drawn.
    const isLost = phase === 'watching' && drawn === 0
    const since = open > 0 || last === null ? undefined : now - last
    return { phase: isLost ? 'none' : (phase ?? 'none'), given, asked, first: { drawn, since } }
  }
  return (term: string, rule: BrakeRule, { now, runId }: { now: number; runId: string }): BrakeStep => {
    setRight(term, now)
    dropLost.run(term)
    putBack.run(term)
    forget.run(term, now - rule.watch)
    const step = brakeStep(read(term, now - rule.watch, now), rule)
    if (step === 'give_all') note.run(term, now, grantAll.run(term).changes)
    if (step === 'give_first') {
      note.run(term, now, draw.run(term, rule.first).changes)
      watch.run({ term, runId, now })
    }
    return step
  }
}

/** Whose record and contact have gone: nothing waits for it, and it is none of the first any more. */
export const FORGET_ASKS = 'DELETE FROM brake_ask WHERE pipeline = @pipeline AND key = @key'

/** A change that a brake had let go and that an operator dropped: its terms, as JSON, are not asked for again. */
export function createDropAsks(
  db: Connection,
): (of: { readonly pipeline: string; readonly key: string; readonly terms: string }) => void {
  const drop = db.prepare(`
    UPDATE brake_ask SET state = 'dropped', first = 0 WHERE pipeline = @pipeline AND key = @key AND state = 'granted'
      AND given_at IS NULL AND name IN (SELECT value FROM json_each(@terms, '$.add'))`)
  return (of) => void drop.run(of)
}

/** Everything that waits for a term is granted; what was granted before does not count any more. */
function createOpenBrake(db: Connection): (term: string, now: number) => void {
  const grant = db.prepare("UPDATE brake_ask SET state = 'granted' WHERE term = ? AND state = 'waiting'")
  const over = db.prepare("UPDATE brake SET phase = 'none', figures = NULL, counted_from = ? WHERE term = ?")
  const forget = db.prepare('DELETE FROM brake_ask WHERE term = ? AND first = 1 AND given_at IS NOT NULL')
  return (term, now) => {
    grant.run(term)
    forget.run(term)
    over.run(now, term)
  }
}

/** What an operator decides about terms that wait since a run; within the transaction of the decision. */
export function createBrakeDecisions(db: Connection) {
  const openBrake = createOpenBrake(db)
  const ofRun = db
    .prepare<[string], string>("SELECT term FROM brake WHERE run_id = ? AND phase <> 'none'")
    .pluck()
  const grantOne = db.prepare(
    `UPDATE brake_ask SET state = 'granted' WHERE term = @term AND key = @key AND state = 'waiting'
     AND (@pipeline IS NULL OR pipeline = @pipeline)`,
  )
  const drop = db.prepare("UPDATE brake_ask SET state = 'dropped' WHERE id = ? AND state = 'waiting'")
  return {
    release({ run, at, keys, pipeline }: Release & { at: number }): void {
      for (const term of ofRun.all(run))
        if (keys === undefined) openBrake(term, at)
        else for (const key of keys) grantOne.run({ term, key, pipeline: pipeline ?? null })
    },
    drop: (id: number): void => void drop.run(id),
  }
}

/**
 * A term by another name: what waits for it and what was granted of it stays. Where there is something by the new name already,
 * the two become one, and the one that waits counts.
 */
export function createBrakeRename(db: Connection): (from: string, to: string) => void {
  const merge = [
    `DELETE FROM brake_ask WHERE term = @from AND EXISTS (SELECT 1 FROM brake_ask AS other WHERE other.term = @to
      AND other.pipeline = brake_ask.pipeline AND other.key = brake_ask.key)`,
    "DELETE FROM brake WHERE term = @to AND phase = 'none'",
    'DELETE FROM brake WHERE term = @from AND EXISTS (SELECT 1 FROM brake AS other WHERE other.term = @to)',
    'UPDATE brake SET term = @to WHERE term = @from',
    'UPDATE brake_grant SET term = @to WHERE term = @from',
    'UPDATE brake_ask SET term = @to WHERE term = @from',
  ].map((sql) => db.prepare(sql))
  const spell = db.prepare('UPDATE brake_ask SET name = @name WHERE term = @term')
  return (from, to) => {
    const terms = { from: termKey(from), to: termKey(to) }
    if (terms.from !== terms.to) for (const statement of merge) statement.run(terms)
    spell.run({ name: to, term: terms.to })
  }
}

interface StandingRow {
  term: string
  phase: 'watching' | 'held'
  run_id: string
  since: number
  figures: string | null
  name: string | null
}

export function createBrakeStore(db: Connection): BrakeStore {
  const keys = db.prepare<[string], string>('SELECT DISTINCT key FROM brake_ask WHERE pipeline = ?').pluck()
  const step = db.transaction(createStep(db))
  const granted = db.prepare<[string], AskRow>(
    `SELECT * FROM brake_ask WHERE pipeline = ? AND state = 'granted' AND given_at IS NULL AND ${IS_FREE} ORDER BY id`,
  )
  const open = db.prepare<[string], AskRow>(
    `SELECT * FROM brake_ask WHERE pipeline = ? AND state = 'granted' AND given_at IS NULL ORDER BY id`,
  )
  const status = db.prepare('UPDATE brake_ask SET before = ? WHERE id = ?')
  const given = db.prepare('UPDATE brake_ask SET given_at = ? WHERE id = ? AND first = 1')
  const done = db.prepare('DELETE FROM brake_ask WHERE id = ? AND first = 0')
  const firsts = db.prepare<[string], { id: number; contact_id: number; before: number | null }>(`
    SELECT brake_ask.id AS id, link.contact_id AS contact_id, before FROM brake_ask JOIN link ON link.pipeline = brake_ask.pipeline
      AND link.key = brake_ask.key WHERE term = ? AND first = 1 ORDER BY brake_ask.id`)
  const drop = db.prepare(
    "UPDATE brake_ask SET state = 'dropped', first = 0 WHERE id = ? AND given_at IS NULL",
  )
  const openBrake = createOpenBrake(db)
  const holdRest = db.prepare("UPDATE brake SET phase = 'held', figures = ? WHERE term = ?")
  const standings = db.prepare<[], StandingRow>(`
    SELECT term, phase, run_id, since, figures, (SELECT name FROM brake_ask WHERE brake_ask.term = brake.term LIMIT 1) AS name
    FROM brake WHERE phase <> 'none' ORDER BY term`)
  const waiting = db.prepare<[string], { pipeline: string; asks: number }>(
    "SELECT pipeline, count(*) AS asks FROM brake_ask WHERE term = ? AND state = 'waiting' GROUP BY pipeline ORDER BY pipeline",
  )
  return {
    askedKeys: async (pipeline) => new Set(keys.all(pipeline)),
    stepBrake: async (term, rule, at) => step(term, rule, at),
    grantedAsks: async (pipeline) => granted.all(pipeline).map(ask),
    openGrants: async (pipeline) => open.all(pipeline).map(ask),
    noteBefore: async (id, before) => void status.run(before ?? null, id),
    async notedAsGiven(asks, now) {
      db.transaction(() => {
        for (const id of asks) {
          given.run(now, id)
          done.run(id)
        }
      })()
    },
    async dropAsks(asks) {
      db.transaction(() => asks.forEach((id) => drop.run(id)))()
    },
    firstAsks: async (term) =>
      firsts
        .all(term)
        .map((row) => ({ id: row.id, contactId: row.contact_id, before: row.before ?? undefined })),
    async concludeBrake(term, { opens, figures, now }) {
      db.transaction(() => (opens ? openBrake(term, now) : void holdRest.run(figures, term)))()
    },
    brakes: async () =>
      standings.all().map((row): BrakeStanding => ({
        ...{
          term: row.term,
          name: row.name ?? row.term,
          phase: row.phase,
          runId: row.run_id,
          since: row.since,
        },
        figures: row.figures ?? undefined,
        waiting: waiting.all(row.term),
      })),
  }
}

/** More conditions may follow. */
export const HELD_ASKS = `
SELECT brake_ask.id AS id, brake.run_id AS run_id, brake_ask.pipeline AS pipeline, brake_ask.key AS key, name, file, line, figures,
  link.contact_id AS contact_id, link.known AS known FROM brake_ask JOIN brake ON brake.term = brake_ask.term AND phase <> 'none'
  JOIN link ON link.pipeline = brake_ask.pipeline AND link.key = brake_ask.key WHERE state = 'waiting'`

export interface HeldAskRow {
  id: number
  run_id: string
  pipeline: string
  key: string
  name: string
  figures: string | null
  contact_id: number
  known: string
  file: string
  line: number
}

/** A term that waits, as lists of held changes show it; its number is negative, as it is no operation of the journal. */
export function heldAsk(row: HeldAskRow): Operation {
  const known = parseContact(row.known)
  return {
    ...{ id: -row.id, runId: row.run_id, pipeline: row.pipeline, key: row.key, kind: 'terms', state: 'held' },
    ...{ contactId: row.contact_id, mailKey: undefined, fields: {}, desired: known, known, unsure: [] },
    ...{
      terms: { add: [row.name], remove: [], asserts: [row.name] },
      asserted: undefined,
      consent: undefined,
    },
    ...{ isFresh: false, carried: undefined, outcome: undefined, cause: 'record', undoes: undefined },
    ...{ source: { file: row.file, line: row.line }, sent: 0, swallowed: 0, guard: 'brake', needed: 0 },
    ...{ absentReads: 0, notBefore: 0, reason: row.figures ?? 'the first contacts that got it are watched' },
  }
}

export function createHeldAsks(db: Connection): () => Iterable<Operation> {
  const rows = db.prepare<[], HeldAskRow>(`${HELD_ASKS} ORDER BY brake_ask.id`)
  return () => rows.all().map(heldAsk)
}

/** Terms that wait, beside the plans that guards hold. */
export function createHeldByBrakes(db: Connection): () => readonly HeldPlan[] {
  const rows = db.prepare<[], HeldAskRow & { since: number; asks: number }>(`
    SELECT brake.run_id AS run_id, pipeline, min(name) AS name, min(figures) AS figures, min(since) AS since, count(*) AS asks FROM brake_ask
    JOIN brake ON brake.term = brake_ask.term AND phase <> 'none' WHERE state = 'waiting'
    GROUP BY brake.run_id, pipeline, brake_ask.term ORDER BY since`)
  return () =>
    rows.all().map(({ run_id: runId, pipeline, name, figures, since, asks }) => ({
      ...{
        runId,
        pipeline,
        guard: 'brake',
        number: asks,
        left: asks,
        ready: 0,
        configHash: '',
        heldAt: since,
      },
      threshold: figures ?? 'the first contacts are watched',
      reason:
        figures === null
          ? `they wait for the term ${name}: the first contacts that got it are watched`
          : `they wait for the term ${name}: of the first contacts, ${figures}`,
      ...{ needed: 0, toApprove: 0, approvedBy: [], releasedAt: undefined },
    }))
}

const NO_TERM = { key: '', name: '' }

/** What an input asks for counts with the commit of its plan. */
export function createAsks(db: Connection) {
  const note = db.prepare(`
    INSERT INTO claim_ask VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (input, key, term) DO UPDATE SET name = excluded.name, alone = excluded.alone, file = excluded.file,
      line = excluded.line`)
  const take = db.prepare(`
    INSERT INTO brake_ask (term, name, pipeline, key, state, alone_in, file, line)
    SELECT term, name, @pipeline, key, 'waiting', CASE WHEN alone = 1 THEN @runId END, file, line FROM claim_ask
    WHERE input = @id AND term <> '' ORDER BY key
    ON CONFLICT (pipeline, key, term) DO UPDATE SET name = excluded.name, alone_in = excluded.alone_in,
      file = excluded.file, line = excluded.line
      WHERE brake_ask.state = 'waiting' OR (brake_ask.state = 'granted' AND brake_ask.given_at IS NULL)`)
  // A record that was read, and asks for it no longer. What one of the first has got stays to be looked at.
  const end = db.prepare(`
    DELETE FROM brake_ask WHERE pipeline = @pipeline AND given_at IS NULL
      AND key IN (SELECT key FROM claim_ask WHERE input = @id)
      AND NOT EXISTS (SELECT 1 FROM claim_ask WHERE input = @id AND claim_ask.key = brake_ask.key AND claim_ask.term = brake_ask.term)`)
  return {
    /** `asks`: by key; none: the record asks for nothing any more. */
    note(input: number, asks: readonly RecordAsks[]): void {
      for (const { key, terms, isAlone, source } of asks)
        for (const { key: term, name } of terms.length === 0 ? [NO_TERM] : terms)
          note.run(input, key, term, name, isAlone ? 1 : 0, source.file, source.line)
    },
    take(of: { id: number; pipeline: string; runId: string }): void {
      take.run(of)
      end.run({ id: of.id, pipeline: of.pipeline })
    },
  }
}
