// Who works with a state at a server: any number of processes, each a row with a lease that it renews. A process whose lease
// has ended is removed by another one; from then on it writes nothing more. Each pipeline belongs to at most one worker, for
// as long as that has its row. The clock is that of the server alone.
import {
  type Fleet,
  type FleetStanding,
  type FleetWorker,
  isRestAsked,
  type PipelineLease,
  type WorkerReport,
} from '../../core/fleet.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { Connection } from '../file/connection.ts'
import { createMailbox } from './mailbox.ts'

/** Who joins. */
export interface Joining {
  readonly name: string
  readonly machine: string
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly since: number
  /** How long the lease lasts without being renewed, in milliseconds. */
  readonly leaseMs: number
  /** For work that no other worker may be there for: a restored state, a move. */
  readonly alone: boolean
  /** The number of the worker that this process was before it lost its connection: others need not wait for the end of its lease. */
  readonly former?: number | undefined
}

/** How long a worker that is gone keeps others from its pipelines. */
export const LEASE_MS = 15_000

/** A lease is renewed so often while it lasts; a worker that has missed one of these times is given no pipeline. */
export const RENEWALS = 6

/**
 * A worker's number is never used again. Transactions that write follow each other (the lock is that of the schema, and ends
 * with the transaction), as they do in a file: what one of them reads is not changed by another one before it ends.
 */
export const WORKER_TABLES = `
CREATE TABLE IF NOT EXISTS worker (
  fence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, machine text NOT NULL, pid bigint NOT NULL,
  since bigint NOT NULL, alone boolean NOT NULL, labels text NOT NULL, runs text NOT NULL, configured bigint NOT NULL,
  doing text NOT NULL, rest text NOT NULL, lease_ms bigint NOT NULL, until timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS pipeline_lease (
  pipeline text COLLATE "C" PRIMARY KEY, fence bigint NOT NULL REFERENCES worker ON DELETE CASCADE, since bigint NOT NULL);
CREATE INDEX IF NOT EXISTS pipeline_lease_fence ON pipeline_lease (fence);
CREATE TABLE IF NOT EXISTS turn (
  name text COLLATE "C" PRIMARY KEY, fence bigint NOT NULL REFERENCES worker ON DELETE CASCADE);
CREATE INDEX IF NOT EXISTS turn_fence ON turn (fence);
CREATE OR REPLACE FUNCTION assert_worker(mine bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext(current_schema()));
  PERFORM 1 FROM worker WHERE fence = mine;
  IF NOT FOUND THEN RAISE EXCEPTION 'the lease has ended' USING ERRCODE = 'CSL01'; END IF;
END $$;
CREATE OR REPLACE FUNCTION claim_turns(names text, mine bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  PERFORM assert_worker(mine);
  IF EXISTS (SELECT 1 FROM turn WHERE name IN (SELECT value FROM json_each(names))) THEN RETURN false; END IF;
  INSERT INTO turn SELECT value, mine FROM json_each(names);
  RETURN true;
END $$;`

/** What each transaction that writes begins with: it waits for its turn, and fails once the worker was removed. */
export const assertion = (fence: number): string => `SELECT assert_worker(${fence})`

/** The statement that renews a lease: on a connection of its own, while a long statement keeps the other one busy. */
export const renewal = (schema: string, fence: number, leaseMs: number): string =>
  `UPDATE "${schema}".worker SET until = clock_timestamp() + ${leaseMs} * interval '1 ms' WHERE fence = ${fence}`

/** Others need not wait for the end of its lease. */
export const departure = (fence: number): string => `DELETE FROM worker WHERE fence = ${fence}`

const LEASE_FROM_NOW = "clock_timestamp() + lease_ms * interval '1 ms'"

/** A clock that was set back makes no lease last: one that is still renewed is so again within a part of it. */
const REMOVE_DEAD = `UPDATE worker SET until = ${LEASE_FROM_NOW} WHERE until > ${LEASE_FROM_NOW};
DELETE FROM worker WHERE until < clock_timestamp()`

const JOIN = `
INSERT INTO worker (name, machine, pid, since, alone, labels, runs, configured, doing, rest, lease_ms, until)
VALUES (@name, @machine, @pid, @since, @alone = 1, '[]', '{}', 0, '[]', 'none', @leaseMs, clock_timestamp() + @leaseMs * interval '1 ms')
RETURNING fence`

/** One that is at work. */
export type Present = Pick<Joining, 'name' | 'machine' | 'pid' | 'since'> & { readonly alone: number }

export const presentText = ({ machine, pid, since }: Present): string =>
  `process ${pid} on ${machine}, since ${new Date(since).toISOString()}`

/** Those whose lease lasts, the longest one there first. */
export function presentWorkers(db: Connection): readonly Present[] {
  db.exec(REMOVE_DEAD)
  return db.prepare<[], Present>('SELECT name, machine, pid, since, alone FROM worker ORDER BY fence').all()
}

/** The number of the new worker. Throws STATE_LOCKED where one of the others, or this one, has to be alone. */
export function join(db: Connection, { former, ...joining }: Joining, place: string): number {
  return db.exclusive(() => {
    if (former !== undefined) db.exec(departure(former))
    const others = presentWorkers(db)
    const inTheWay = joining.alone ? others[0] : others.find(({ alone }) => alone === 1)
    if (inTheWay !== undefined)
      throw new SyncError(
        'STATE_LOCKED',
        `another process holds the state ${place} (${presentText(inTheWay)})`,
      )
    return db
      .prepare<[object], number>(JOIN)
      .pluck()
      .get({ ...joining, alone: joining.alone ? 1 : 0 }) as number
  })
}

interface WorkerRow extends Omit<FleetWorker, 'labels' | 'runs' | 'doing' | 'isLate'> {
  readonly late: number
  readonly labels: string
  readonly runs: string
  readonly doing: string
}

const WORKERS = `
SELECT fence, name, machine, pid, since, labels, runs, configured, doing, rest, lease_ms AS leaseMs,
  until < clock_timestamp() + lease_ms * interval '1 ms' * ${1 - 2 / RENEWALS} AS late FROM worker
WHERE until >= clock_timestamp() ORDER BY fence`

const workerOf = ({ labels, runs, doing, late, ...row }: WorkerRow): FleetWorker => ({
  ...row,
  isLate: late === 1,
  labels: JSON.parse(labels) as FleetWorker['labels'],
  runs: JSON.parse(runs) as FleetWorker['runs'],
  doing: JSON.parse(doing) as FleetWorker['doing'],
})

/** Who is at work now, for those who look. */
export function createFleetView(db: Connection): () => FleetStanding {
  const workers = db.prepare<[], WorkerRow>(WORKERS)
  const leases = db.prepare<[], PipelineLease>(
    'SELECT pipeline, fence, since FROM pipeline_lease ORDER BY pipeline',
  )
  return () => ({ workers: workers.all().map(workerOf), leases: leases.all() })
}

/** `fence`: of the worker that this connection is. `crowd`: states of this process at the server. */
export function createFleet(db: Connection, { fence, crowd }: { fence: number; crowd(): number }): Fleet {
  const report = db.prepare(
    'UPDATE worker SET labels = @labels, runs = @runs, configured = @configured, doing = @doing, rest = @rest WHERE fence = @fence',
  )
  const view = createFleetView(db)
  const take = db.prepare<[object], string>(
    'INSERT INTO pipeline_lease VALUES (@pipeline, @fence, @at) ON CONFLICT (pipeline) DO NOTHING RETURNING pipeline',
  )
  const has = db.prepare<[string, number]>('SELECT 1 FROM pipeline_lease WHERE pipeline = ? AND fence = ?')
  const giveUp = db.prepare('DELETE FROM pipeline_lease WHERE pipeline = @pipeline AND fence = @fence')
  const claim = db.prepare<[object], number>('SELECT claim_turns(@names, @fence)').pluck()
  const letGo = db.prepare(
    'DELETE FROM turn WHERE fence = @fence AND name IN (SELECT value FROM json_each(@names))',
  )
  const meet = db.transaction(({ labels, runs, configured, doing, rest }: WorkerReport): FleetStanding => {
    db.exec(`${REMOVE_DEAD} AND fence <> ${fence}`)
    report.run({
      fence,
      configured,
      rest,
      labels: JSON.stringify(labels),
      runs: JSON.stringify(runs),
      doing: JSON.stringify(doing),
    })
    return view()
  })
  const takeAll = db.transaction((pipelines: readonly string[], at: number): readonly string[] =>
    isRestAsked(view(), fence)
      ? []
      : pipelines.filter((pipeline) => take.all({ pipeline, fence, at }).length > 0),
  )
  const giveUpAll = db.transaction((pipelines: readonly string[]): void => {
    for (const pipeline of pipelines) giveUp.run({ pipeline, fence })
  })
  return {
    ...createMailbox(db, fence),
    own: () => fence,
    crowd,
    meet: async (now) => meet(now),
    standing: async () => view(),
    take: async (pipelines, at) => takeAll(pipelines, at),
    has: async (pipeline) => has.get(pipeline, fence) !== undefined,
    giveUp: async (pipelines) => giveUpAll(pipelines),
    claim: async (names) => claim.get({ names: JSON.stringify(names), fence }) === 1,
    letGo: async (names) => void letGo.run({ names: JSON.stringify(names), fence }),
  }
}
