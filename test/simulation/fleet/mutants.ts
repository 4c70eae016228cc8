// Programs whose workers work together wrongly, by one change of the source each: `npm run simulate:mutants -- --fleet`.
import type { Mutant } from '../mutant.ts'

const one = (seed: number, bug: string, file: string, [find, put]: readonly [string, string]): Mutant => ({
  seed,
  bug,
  edits: [{ file, find, put }],
})

export const FLEET_MUTANTS: readonly Mutant[] = [
  {
    seed: 6,
    // Either check alone is made up for by the other one.
    bug: 'a worker that was removed goes on',
    edits: [
      {
        file: 'store/postgres/workers.ts',
        find: "IF NOT FOUND THEN RAISE EXCEPTION 'the lease has ended' USING ERRCODE = 'CSL01'; END IF;",
        put: '',
      },
      {
        file: 'store/postgres/slots.ts',
        find: "IF NOT FOUND THEN RAISE EXCEPTION 'the lease has ended' USING ERRCODE = 'CSL01'; END IF;",
        put: '',
      },
    ],
  },
  {
    seed: 13,
    bug: 'a clock of the server that was set back makes leases last',
    edits: [
      {
        file: 'store/postgres/workers.ts',
        find: '`UPDATE worker SET until = ${LEASE_FROM_NOW} WHERE until > ${LEASE_FROM_NOW};\nDELETE',
        put: '`DELETE',
      },
    ],
  },
  one(1, 'a lease is never renewed', 'store/postgres/connection.ts', ['channel.keepRenewing({', 'void ({']),
  one(9, 'a pipeline is taken from the worker that has it', 'store/postgres/workers.ts', [
    'ON CONFLICT (pipeline) DO NOTHING RETURNING pipeline',
    'ON CONFLICT (pipeline) DO UPDATE SET fence = excluded.fence RETURNING pipeline',
  ]),
  one(2, 'a worker whose lease has ended is never removed by the others', 'store/postgres/workers.ts', [
    'db.exec(`${REMOVE_DEAD} AND fence <> ${fence}`)',
    '',
  ]),
  one(1, 'every worker takes itself for the one that has each pipeline', 'app/daemon/fleet/ownership.ts', [
    'const next = new Set([...held.filter((name) => wanted.includes(name)), ...taken])',
    'const next = new Set(Object.keys(runs))',
  ]),
  one(2, 'a pipeline is given up while its run is active', 'app/daemon/fleet/ownership.ts', [
    '!wanted.includes(name) && !own.has(name) && !active.includes(name)',
    '!wanted.includes(name)',
  ]),
  one(2, 'a pipeline is never given up', 'app/daemon/fleet/ownership.ts', [
    'if (ended.length > 0) await fleet.giveUp(ended)',
    '',
  ]),
  one(37, 'the places of a worker that was removed are free at once', 'store/postgres/slots.ts', [
    "free_at = at + (timeout_ms + window_ms) * interval '1 ms'",
    'free_at = at',
  ]),
  one(1, 'a place is free as soon as its answer is there', 'store/postgres/slots.ts', [
    "free_at = clock_timestamp() + (window_ms - ago) * interval '1 ms'",
    'free_at = clock_timestamp()',
  ]),
  {
    seed: 2,
    // Either check alone is made up for by the other one.
    bug: 'a clock of the server that was set forward frees all places',
    edits: [
      {
        file: 'store/postgres/slots.ts',
        find: 'extract(epoch FROM at) * 1000 > latest OR EXISTS (',
        put: 'EXISTS (',
      },
      {
        file: 'store/postgres/slots.ts',
        find: 'serverMs - before.serverMs > monotonic() - before.askedAt + perMs * JUMP',
        put: 'false',
      },
    ],
  },
  one(1, 'what a worker before was sending is not in doubt', 'sync/recover.ts', [
    'await context.state.reopen(context.pipeline.name, context.clock.now())',
    '0',
  ]),
  one(1, 'a worker that lost its state never joins again', 'app/daemon/fleet/rejoining.ts', [
    "(error.code === 'STATE_IO' || error.code === 'STATE_LOCKED')",
    "error.code === 'STATE_FULL'",
  ]),
]
