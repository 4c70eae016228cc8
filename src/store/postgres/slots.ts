// The one rate limit of all workers with a state at a server: a ring of places. A request takes a free place; the place is free
// again one window after its answer, as the file beside a state keeps it (window/shared-window.ts). One function of the server
// does each step in a transaction of its own. Only the server's clock counts: of answers it is told how long ago they came.
// Without the server nothing is sent: what cannot be counted is not permitted.
import type { Lane, SharedWindow } from '../../core/ports.ts'
import { DAY_MS, HOUR_MS } from '../../core/words/duration.ts'
import type { Connection } from '../file/connection.ts'
import { ALL_PLACES } from '../window/slowed.ts'
import type { WindowUse } from '../window/window-use.ts'

/** So much later than it was told to, a worker may ask again for a restriction before others go on. */
const LATE_MS = 1000

/** A place that is taken is free at `infinity`; `fence` is the worker that has it. */
export const SLOT_TABLES = `
CREATE TABLE IF NOT EXISTS slot (
  service text COLLATE "C" NOT NULL, place integer NOT NULL, free_at timestamptz NOT NULL, fence bigint,
  PRIMARY KEY (service, place)) WITH (fillfactor = 50);
CREATE TABLE IF NOT EXISTS slot_first (
  service text COLLATE "C" NOT NULL, fence bigint NOT NULL REFERENCES worker ON DELETE CASCADE, until timestamptz NOT NULL,
  PRIMARY KEY (service, fence));
CREATE TABLE IF NOT EXISTS slot_slowed (
  service text COLLATE "C" PRIMARY KEY, at timestamptz NOT NULL, places bigint NOT NULL, resume_at timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS slot_hour (
  service text COLLATE "C" NOT NULL, hour bigint NOT NULL, requests bigint NOT NULL, PRIMARY KEY (service, hour));

CREATE OR REPLACE FUNCTION free_slots(of_service text, mine bigint, ago_ms text, window_ms float8) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE ago float8;
BEGIN
  FOR ago IN SELECT value::float8 FROM json_each(ago_ms) LOOP
    UPDATE slot SET fence = NULL, free_at = clock_timestamp() + (window_ms - ago) * interval '1 ms'
    WHERE service = of_service AND place =
      (SELECT place FROM slot WHERE service = of_service AND fence = mine AND free_at = 'infinity' ORDER BY place LIMIT 1);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION take_place(
  of_service text, mine bigint, allowed bigint, ago_ms text, window_ms float8, timeout_ms float8, latest float8,
  recovery_ms float8)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz := clock_timestamp();
  taken integer;
  wait float8;
  had bigint;
  slowed slot_slowed;
  places bigint := allowed;
BEGIN
  PERFORM 1 FROM worker WHERE fence = mine FOR KEY SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'the lease has ended' USING ERRCODE = 'CSL01'; END IF;
  PERFORM free_slots(of_service, mine, ago_ms, window_ms);
  -- What one worker was told by the service holds for all of them. A clock that was set back does not make it last.
  SELECT * INTO slowed FROM slot_slowed WHERE service = of_service AND slot_slowed.at <= clock_timestamp();
  SELECT count(*) INTO had FROM slot WHERE service = of_service;
  IF had < places THEN
    INSERT INTO slot SELECT of_service, place, '-infinity', NULL FROM generate_series(had, places - 1) AS place
    ON CONFLICT DO NOTHING;
  END IF;
  IF slowed.resume_at > at THEN
    RETURN (extract(epoch FROM slowed.resume_at - at) * 1000)::text || ' ' || (extract(epoch FROM at) * 1000)::text;
  END IF;
  IF slowed.resume_at IS NOT NULL THEN
    places := least(allowed, greatest(1, floor(slowed.places + (allowed - slowed.places)
      * least(1, extract(epoch FROM at - slowed.resume_at) * 1000 / recovery_ms))));
  END IF;
  -- A clock that was set forward would free places early, and one that was set back keep them for too long.
  IF extract(epoch FROM at) * 1000 > latest OR EXISTS (
    SELECT 1 FROM slot WHERE service = of_service AND fence IS NULL AND free_at <> '-infinity'
    AND free_at > at + (window_ms + timeout_ms + 1000) * interval '1 ms') THEN
    UPDATE slot SET free_at = at + window_ms * interval '1 ms' WHERE service = of_service AND fence IS NULL;
    RETURN window_ms::text || ' ' || (extract(epoch FROM at) * 1000)::text;
  END IF;
  -- Where fewer places than rows are in use, two takes at once would count the same ones.
  IF places < had THEN PERFORM pg_advisory_xact_lock(hashtext('places ' || current_schema() || ' ' || of_service)); END IF;
  IF places >= had OR (SELECT count(*) FROM slot WHERE service = of_service AND free_at > at) < places THEN
    UPDATE slot SET free_at = 'infinity', fence = mine WHERE service = of_service AND place =
      (SELECT place FROM slot WHERE service = of_service AND free_at <= at ORDER BY place LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING place INTO taken;
  END IF;
  IF taken IS NOT NULL THEN RETURN '0 ' || (extract(epoch FROM at) * 1000)::text; END IF;
  -- What a worker that was removed had under way may have been counted by the service up to its time limit.
  UPDATE slot SET fence = NULL, free_at = at + (timeout_ms + window_ms) * interval '1 ms'
  WHERE service = of_service AND free_at = 'infinity' AND fence NOT IN (SELECT fence FROM worker);
  SELECT extract(epoch FROM min(free_at) - at) * 1000 INTO wait
  FROM slot WHERE service = of_service AND free_at > at AND free_at <> 'infinity';
  RETURN coalesce(wait, -1)::text || ' ' || (extract(epoch FROM at) * 1000)::text;
END $$;

-- A restriction that found no place keeps all others behind it until it has one, or its worker has not asked again in time.
CREATE OR REPLACE FUNCTION take_slot(
  of_service text, mine bigint, lane text, allowed bigint, ago_ms text, window_ms float8, timeout_ms float8, latest float8,
  recovery_ms float8)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  at timestamptz := clock_timestamp();
  answer text;
  wait float8;
BEGIN
  -- One that would last for longer than any place is taken was noted before the clock was set back.
  IF lane = 'others' AND EXISTS (SELECT 1 FROM slot_first WHERE service = of_service
    AND until > at AND until <= at + (window_ms + timeout_ms + ${LATE_MS}) * interval '1 ms') THEN
    PERFORM free_slots(of_service, mine, ago_ms, window_ms);
    IF NOT EXISTS (SELECT 1 FROM slot WHERE service = of_service AND free_at <= at) THEN
      SELECT extract(epoch FROM min(free_at) - at) * 1000 INTO wait
      FROM slot WHERE service = of_service AND free_at > at AND free_at <> 'infinity';
    END IF;
    RETURN coalesce(wait, -1)::text || ' ' || (extract(epoch FROM at) * 1000)::text;
  END IF;
  answer := take_place(of_service, mine, allowed, ago_ms, window_ms, timeout_ms, latest, recovery_ms);
  IF lane = 'restrictions' THEN
    wait := split_part(answer, ' ', 1)::float8;
    IF wait = 0 THEN DELETE FROM slot_first WHERE service = of_service AND fence = mine;
    ELSE
      INSERT INTO slot_first VALUES (of_service, mine, clock_timestamp() + (greatest(wait, 0) + ${LATE_MS}) * interval '1 ms')
      ON CONFLICT (service, fence) DO UPDATE SET until = excluded.until;
    END IF;
  END IF;
  RETURN answer;
END $$;

CREATE OR REPLACE FUNCTION undo_slot(of_service text, mine bigint) RETURNS void LANGUAGE sql AS $$
  UPDATE slot SET fence = NULL, free_at = '-infinity' WHERE service = of_service AND place =
    (SELECT place FROM slot WHERE service = of_service AND fence = mine AND free_at = 'infinity' ORDER BY place LIMIT 1)
$$;

CREATE OR REPLACE FUNCTION take_of_day(of_service text, mine bigint, allowed bigint) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE hour_now bigint := floor(extract(epoch FROM clock_timestamp()) / 3600)::bigint;
BEGIN
  PERFORM assert_worker(mine);
  DELETE FROM slot_hour WHERE hour <= hour_now - 25;
  IF (SELECT coalesce(sum(requests), 0) FROM slot_hour WHERE service = of_service) >= allowed THEN RETURN false; END IF;
  INSERT INTO slot_hour VALUES (of_service, hour_now, 1)
  ON CONFLICT (service, hour) DO UPDATE SET requests = slot_hour.requests + 1;
  RETURN true;
END $$;`

/** Where all places are in use, it is unknown when one becomes free. */
const POLL_MS = 25
/** So many answered requests are reported together while others are under way, or when the first is so old (a share of the window). */
const TOGETHER = 16
const OLD = 0.05
/** How far the server's clock may run ahead of this process's between two takes. */
const AHEAD_MS = 1000
/** What one worker was told does not end what another one was told, while that still holds. */
const SLOW = `
INSERT INTO slot_slowed VALUES (@service, clock_timestamp(), @places, clock_timestamp() + @forMs * interval '1 ms')
ON CONFLICT (service) DO UPDATE SET at = excluded.at,
  places = CASE WHEN slot_slowed.at <= excluded.at AND excluded.at < slot_slowed.resume_at + @recoveryMs * interval '1 ms'
    THEN least(slot_slowed.places, excluded.places) ELSE excluded.places END,
  resume_at = CASE WHEN slot_slowed.at <= excluded.at
    THEN greatest(slot_slowed.resume_at, excluded.resume_at) ELSE excluded.resume_at END`
const PAUSED = `
SELECT greatest(0, extract(epoch FROM resume_at - clock_timestamp()) * 1000) FROM slot_slowed
WHERE service = ? AND at <= clock_timestamp()`
const SERVER_TIME = 'SELECT extract(epoch FROM clock_timestamp()) * 1000'
/** By such a share of a window it may differ from this process's between two takes: less than the margin of a place. */
const JUMP = 0.005

export interface SlotOptions {
  /** Whose requests are counted together. */
  readonly service: string
  readonly perMs: number
  /** No request lasts longer. */
  readonly timeoutMs: number
  /** After the service has slowed calls down, all places are in use again so long after the first call that followed. */
  readonly recoveryMs: number
  /** Never goes backwards; milliseconds. */
  monotonic(): number
}

/** What kept the others waiting may be a restriction of another process, which keeps no restriction waiting. */
interface Blocked {
  /** By the monotonic clock. */
  readonly until: number
  readonly places: number
  readonly lane: Lane
}

const NOT_BLOCKED: Blocked = { until: -Infinity, places: 0, lane: 'others' }

/** Requests that were answered, of which the server does not know yet. */
function createAnswers(
  db: Connection,
  {
    service,
    fence,
    windowMs,
    monotonic,
  }: { service: string; fence: number; windowMs: number; monotonic(): number },
) {
  const free = db.prepare('SELECT free_slots(@service, @fence, @ago, @windowMs)')
  let answered: number[] = []
  /** How long ago each was answered, as JSON. */
  const takeAll = (): string => {
    const now = monotonic()
    const all = answered.map((at) => now - at)
    answered = []
    return JSON.stringify(all)
  }
  return {
    takeAll,
    add: (): number => answered.push(monotonic()),
    isDue: (oldMs: number): boolean =>
      answered.length >= TOGETHER || monotonic() - (answered[0] ?? Infinity) > oldMs,
    /** An answer is not lost because its place cannot be given back: a server that is away fails the next take. */
    flush(): void {
      const waiting = answered
      if (waiting.length === 0) return
      try {
        free.all({ service, fence, ago: takeAll(), windowMs })
      } catch {
        answered = [...waiting, ...answered]
      }
    },
  }
}

/** `fence`: of the worker. Throws STATE_IO where the server cannot be reached, and STATE_LOCKED once the worker was removed. */
export function createSlots(db: Connection, fence: number, options: SlotOptions): SharedWindow {
  const { service, perMs, timeoutMs, monotonic } = options
  const windowMs = perMs * 1.01 + 2
  const settings = { service, fence, windowMs, timeoutMs, recoveryMs: options.recoveryMs }
  const take = db
    .prepare<[object], string>(
      'SELECT take_slot(@service, @fence, @lane, @places, @ago, @windowMs, @timeoutMs, @latest, @recoveryMs)',
    )
    .pluck()
  const answers = createAnswers(db, { service, fence, windowMs, monotonic })
  const undo = db.prepare('SELECT undo_slot(?, ?)')
  const ofDay = db.prepare<[string, number, number], number>('SELECT take_of_day(?, ?, ?)').pluck()
  const slow = db.prepare(SLOW)
  const paused = db.prepare<[string], number>(PAUSED).pluck()
  let busy = 0
  /** Until then no place is free, as the server said: the calls that wait together ask it once. */
  let blocked: Blocked = NOT_BLOCKED
  // From the beginning: others may have used the places before its first take.
  let seen = { askedAt: monotonic(), serverMs: db.prepare<[], number>(SERVER_TIME).pluck().get() ?? 0 }
  const undoOne = (): void => {
    blocked = NOT_BLOCKED
    undo.all(service, fence)
  }
  return {
    take(_, places, lane = 'others') {
      const blockedMs = blocked.until - monotonic()
      const isSame = places <= blocked.places && (lane === 'others' || blocked.lane === lane)
      if (blockedMs > 0 && isSame) return blockedMs
      const askedAt = monotonic()
      const latest = seen.serverMs + (askedAt - seen.askedAt) + AHEAD_MS
      const given = { ...settings, lane, places, ago: answers.takeAll(), latest }
      const [wait = '', serverText = ''] = (take.get(given) ?? '').split(' ')
      const [waitMs, serverMs, tookMs] = [Number(wait), Number(serverText), monotonic() - askedAt]
      const before = seen
      seen = { serverMs, askedAt }
      if (waitMs === 0) {
        // No more time can have passed there than here since the take before was asked for.
        const hasJumped = serverMs - before.serverMs > monotonic() - before.askedAt + perMs * JUMP
        // Others may have been given the place of a process that stood still for so long.
        if (!hasJumped && tookMs < timeoutMs) {
          busy += 1
          return 0
        }
        undoOne()
        if (!hasJumped) return Math.min(POLL_MS, perMs)
      }
      const forMs = waitMs < 0 ? Math.min(POLL_MS, perMs) : Math.max(waitMs === 0 ? windowMs : waitMs, 1)
      blocked = { until: monotonic() + forMs, places, lane }
      return forMs
    },
    giveBack() {
      busy -= 1
      answers.add()
      if (busy === 0 || answers.isDue(perMs * OLD)) answers.flush()
    },
    undo() {
      busy -= 1
      undoOne()
    },
    takeOfDay: (_, perDay) => ofDay.get(service, fence, perDay) === 1,
    slowDown: (now, places, resumeAt) =>
      void slow.run({ ...settings, places: Math.floor(places), forMs: Math.ceil(resumeAt - now) }),
    hold(_, ms) {
      try {
        slow.run({ ...settings, places: ALL_PLACES, forMs: Math.ceil(ms) })
      } catch {
        // The answer that asked for it is not lost because the others cannot be told.
      }
    },
    pausedMs: () => paused.get(service) ?? 0,
    close: answers.flush,
  }
}

/** What of the limit is in use; `now`: milliseconds since the epoch. */
export function readSlotUse(db: Connection, { service, now }: { service: string; now: number }): WindowUse {
  const used = db
    .prepare<[string], number>('SELECT count(*) FROM slot WHERE service = ? AND free_at > clock_timestamp()')
    .pluck()
  const ofDay = db
    .prepare<[string, number], number>(
      'SELECT coalesce(sum(requests), 0) FROM slot_hour WHERE service = ? AND hour > ?',
    )
    .pluck()
  const slowed = db.prepare<[string], NonNullable<WindowUse['slowed']>>(
    'SELECT places, (extract(epoch FROM resume_at) * 1000)::bigint AS "resumeAt" FROM slot_slowed WHERE service = ?',
  )
  return {
    used: used.get(service) ?? 0,
    ofDay: ofDay.get(service, Math.floor(now / HOUR_MS) - Math.ceil(DAY_MS / HOUR_MS) - 1) ?? 0,
    slowed: slowed.get(service),
  }
}
