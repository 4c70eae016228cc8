// What there is to say about the state as a database: read beside those who write it, changes nothing.
import { type Backlog, currentBacklog, isRunOfOwner } from '../core/outcome/backlog.ts'
import { statSync } from 'node:fs'
import { type FleetStanding, fleetView, type WorkerView } from '../core/fleet.ts'
import { statePlaceOf, serverPlace, type StateLocation, stateText } from '../core/state-place.ts'
import { type Connection, type FileConnection, isFile } from './file/connection.ts'
import { createFleetView } from './postgres/workers.ts'
import { openToRead } from './reading.ts'
import { openForReading } from './file/database.ts'
import { isOwned } from './file/lock.ts'
import { currentMark, doubtOfState, lostHint, lostText, type Mark, noState, readMark } from './file/mark.ts'
import { ERRORS, type SyncError } from '../core/words/errors.ts'
import { createKnownPipelines } from './pipelines.ts'
import { closedPlace, statePlace } from './file/place.ts'
import { createRunStore } from './journal/runs.ts'
import { stateError } from './file/trouble.ts'

export interface StateInfo {
  readonly bytes: number
  readonly walBytes: number
  readonly schema: number
  readonly applicationId: string
  /** The process that holds it now; undefined: none does. */
  readonly owner: { readonly pid: number; readonly since: number } | undefined
  /** `ok`, or what was found. */
  readonly integrity: string
  readonly mark: Mark
  /** The address that it belongs to; undefined: it was never bound. */
  readonly service: string | undefined
  /** Of a state at a server. */
  readonly workers: readonly WorkerView[]
  readonly pipelines: readonly StatePipeline[]
  /** Why the state may not be the latest; undefined where nothing speaks against it. */
  readonly doubt: string | undefined
  /** Whether the file beside the state is there that tells an older state. */
  readonly isMarked: boolean
}

interface StatePipeline extends Backlog {
  readonly pipeline: string
}

const size = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

const SIZE_AT_SERVER = `
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class AS c
WHERE c.relnamespace = to_regnamespace(current_schema()::text) AND c.relkind = 'r'`

/** Of the database, and of the log beside it; 0 where there is none, and for a state at a server. */
export function stateSizes(where: StateLocation): Pick<StateInfo, 'bytes' | 'walBytes'> {
  if (serverPlace(where) !== undefined) return { bytes: 0, walBytes: 0 }
  const place = statePlace(statePlaceOf(where).path)
  return { bytes: size(place), walBytes: size(`${place}-wal`) }
}

/** "CSY1" of its four bytes. */
function applicationText(db: FileConnection): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(Number(db.pragma('application_id', { simple: true })) >>> 0)
  return bytes.toString('latin1')
}

function ownerOf(db: FileConnection, path: string): StateInfo['owner'] {
  if (!isOwned(path)) return undefined
  return db.prepare<[], { pid: number; since: number }>('SELECT pid, since FROM owner').get()
}

type Facts = Pick<
  StateInfo,
  'bytes' | 'walBytes' | 'schema' | 'applicationId' | 'owner' | 'integrity' | 'workers'
> & { heldSince(pipeline: string): number | undefined }

function fileFacts(db: FileConnection, path: string): Facts {
  const owner = ownerOf(db, path)
  const verdicts = db.pragma('quick_check(10)') as { quick_check: string }[]
  return {
    ...stateSizes(path),
    schema: Number(db.pragma('user_version', { simple: true })),
    applicationId: applicationText(db),
    owner,
    integrity: verdicts.map(({ quick_check: verdict }) => verdict).join('; '),
    workers: [],
    heldSince: () => owner?.since,
  }
}

/** A server checks its pages by itself; every table has to be there. */
function serverFacts(db: Connection): Facts {
  const standing = createFleetView(db)()
  const text = (sql: string) => db.prepare<[], string | null>(sql).pluck()
  const missing = db
    .tables()
    .filter(({ name }) => text(`SELECT to_regclass('"${name}"')::text`).get() === null)
    .map(({ name }) => name)
  return {
    bytes: Number(text(SIZE_AT_SERVER).get() ?? 0),
    walBytes: 0,
    schema: Number(text("SELECT value FROM meta WHERE name = 'schema'").get()),
    applicationId: 'CSY1',
    owner: standing.workers[0],
    integrity: missing.length === 0 ? 'ok' : `tables are missing: ${missing.join(', ')}`,
    workers: fleetView(standing, []).workers,
    heldSince: (pipeline) => standing.leases.find((lease) => lease.pipeline === pipeline)?.since,
  }
}

async function inspect(db: Connection, where: StateLocation, now: number): Promise<StateInfo> {
  const { path } = statePlaceOf(where)
  const { backlog, lastRun } = createRunStore(db)
  const { heldSince, ...facts } = isFile(db) ? fileFacts(db, path) : serverFacts(db)
  const openOf = async (pipeline: string): Promise<Backlog> => {
    const run = await lastRun(pipeline)
    return currentBacklog(await backlog(pipeline), isRunOfOwner(run, heldSince(pipeline), now))
  }
  const names = createKnownPipelines(db)()
  const mark = readMark(path)
  return {
    ...facts,
    mark: currentMark(db),
    service: db.prepare<[], string>("SELECT value FROM meta WHERE name = 'service'").pluck().get(),
    pipelines: await Promise.all(names.map(async (pipeline) => ({ pipeline, ...(await openOf(pipeline)) }))),
    doubt: doubtOfState(db, mark),
    isMarked: mark !== undefined,
  }
}

/** The process that holds the state now; undefined: none does, or there is no state. Of a state at a server: its oldest worker. */
export function stateOwner(where: StateLocation): StateInfo['owner'] {
  const place = serverPlace(where)
  if (place !== undefined) return fleetStanding(place).workers[0]
  const { path } = statePlaceOf(where)
  const db = openForReading(path)
  if (db === undefined) return undefined
  try {
    return ownerOf(db, path)
  } finally {
    db.close()
  }
}

/** Who works with a state at a server; no workers where it is in a file, or not there yet. */
export function fleetStanding(where: StateLocation): FleetStanding {
  const db = serverPlace(where) === undefined ? undefined : openToRead(where)
  if (db === undefined) return { workers: [], leases: [] }
  try {
    return createFleetView(db)()
  } finally {
    db.close()
  }
}

interface StateDoubt {
  readonly doubt: string
  /** What to do about it. */
  readonly hint: string
}

/** Why the state may not be the latest, or should be there; undefined where nothing speaks against it. */
export function stateDoubt(where: StateLocation): StateDoubt | undefined {
  const { path } = statePlaceOf(where)
  const mark = readMark(path)
  const db = openToRead(where)
  if (db === undefined)
    return mark === undefined ? undefined : { doubt: lostText(mark, path), hint: lostHint(path) }
  try {
    const doubt = doubtOfState(db, mark)
    return doubt === undefined ? undefined : { doubt, hint: ERRORS.STATE_OLDER.hint }
  } finally {
    db.close()
  }
}

/** What this user would have to be able to write to, and cannot; undefined for a state at a server, too. */
export const closedState = (where: StateLocation): string | undefined =>
  serverPlace(where) === undefined ? closedPlace(statePlace(statePlaceOf(where).path)) : undefined

/** For a command that reads a state which is not there. */
export const noStateAt = (where: StateLocation): SyncError =>
  noState(stateText(where), statePlaceOf(where).path)

/** No state: `doubt` says why there should be one. */
export type NoState = Pick<StateInfo, 'doubt'> & { readonly mark: undefined }

/** Throws STATE_UNUSABLE where it is there and cannot be read. `now`: milliseconds since the epoch. */
export async function stateInfo(where: StateLocation, now: number): Promise<StateInfo | NoState> {
  const db = openToRead(where)
  if (db === undefined) return { mark: undefined, doubt: stateDoubt(where)?.doubt }
  try {
    return await inspect(db, where, now)
  } catch (error) {
    throw stateError(error, stateText(where))
  } finally {
    db.close()
  }
}
