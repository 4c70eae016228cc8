// Who may write a state at a server: one process at a time, by a lease in a row. It ends by itself when it is no longer
// renewed, whatever became of its holder. Each holder has a number, one more than the one before. A transaction checks it and
// keeps the row locked to its end, so a process that slept past its lease writes nothing any more.
import { SyncError } from '../../core/words/errors.ts'
import type { Connection } from '../file/connection.ts'

export interface Holder {
  readonly machine: string
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly since: number
  /** How long the lease lasts without being renewed, in milliseconds. */
  readonly leaseMs: number
}

/** How long a holder that is gone keeps others waiting. */
export const LEASE_MS = 15_000

/** The clock is that of the server alone. */
export const LEASE_TABLE = `
CREATE TABLE IF NOT EXISTS lease (
  id bigint PRIMARY KEY CHECK (id = 1), machine text, pid bigint, since bigint, fence bigint NOT NULL,
  until timestamptz NOT NULL);
INSERT INTO lease VALUES (1, NULL, NULL, NULL, 0, '-infinity') ON CONFLICT (id) DO NOTHING;
CREATE OR REPLACE FUNCTION assert_lease(mine bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM 1 FROM lease WHERE fence = mine FOR SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'the lease is of another process' USING ERRCODE = 'CSL01'; END IF;
END $$;`

const TAKE = `UPDATE lease SET fence = fence + 1, machine = @machine, pid = @pid, since = @since,
  until = clock_timestamp() + @leaseMs * interval '1 ms' WHERE until < clock_timestamp() RETURNING fence`

/** The number of the new holder. Throws STATE_LOCKED, with the present one, while its lease lasts. */
export function takeLease(db: Connection, holder: Holder, place: string): number {
  const fence = db.prepare<[Holder], number>(TAKE).pluck().get(holder)
  if (fence !== undefined) return fence
  const present = db
    .prepare<[], { machine: string; pid: number; since: number }>('SELECT machine, pid, since FROM lease')
    .get()
  const who =
    present === undefined
      ? ''
      : ` (process ${present.pid} on ${present.machine}, since ${new Date(present.since).toISOString()})`
  throw new SyncError('STATE_LOCKED', `another process holds the state ${place}${who}`)
}

/** The statement that renews it: on a connection of its own, while a long statement keeps the other one busy. */
export const renewal = (schema: string, fence: number, leaseMs: number): string =>
  `UPDATE "${schema}".lease SET until = clock_timestamp() + ${leaseMs} * interval '1 ms' WHERE fence = ${fence}`

/** Others need not wait for its end. */
export const endLease = (fence: number): string =>
  `UPDATE lease SET until = '-infinity' WHERE fence = ${fence}`
