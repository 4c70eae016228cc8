// What there is to say about the state as a file: read beside a running owner, changes nothing.
import { type Backlog, currentBacklog } from '../core/outcome/backlog.ts'
import { statSync } from 'node:fs'
import type { FileConnection } from './file/database.ts'
import { openForReading } from './file/database.ts'
import { isOwned } from './file/lock.ts'
import { currentMark, doubtOfState, lostText, type Mark, readMark } from './file/mark.ts'
import { createKnownPipelines } from './pipelines.ts'
import { statePlace } from './file/place.ts'
import { createRunStore } from './journal/runs.ts'
import { stateError } from './file/trouble.ts'

export interface StateInfo {
  readonly bytes: number
  readonly walBytes: number
  readonly schema: number
  readonly applicationId: string
  /** The process that holds it now; undefined: none does. */
  readonly owner: { readonly pid: number; readonly since: number } | undefined
  /** `ok`, or what SQLite found. */
  readonly integrity: string
  readonly mark: Mark
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

/** Of the database, and of the log beside it; 0 where there is none. */
export function stateSizes(path: string): Pick<StateInfo, 'bytes' | 'walBytes'> {
  const place = statePlace(path)
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

async function inspect(db: FileConnection, path: string): Promise<StateInfo> {
  const { backlog, lastRun } = createRunStore(db)
  const owner = ownerOf(db, path)
  const openOf = async (pipeline: string): Promise<Backlog> => {
    const run = await lastRun(pipeline)
    const isRunning =
      owner !== undefined && run !== undefined && run.endedAt === undefined && owner.since <= run.startedAt
    return currentBacklog(await backlog(pipeline), isRunning)
  }
  const names = createKnownPipelines(db)()
  const mark = readMark(path)
  const verdicts = db.pragma('quick_check(10)') as { quick_check: string }[]
  return {
    ...stateSizes(path),
    schema: Number(db.pragma('user_version', { simple: true })),
    applicationId: applicationText(db),
    owner,
    integrity: verdicts.map(({ quick_check: verdict }) => verdict).join('; '),
    mark: currentMark(db),
    pipelines: await Promise.all(names.map(async (pipeline) => ({ pipeline, ...(await openOf(pipeline)) }))),
    doubt: doubtOfState(db, mark),
    isMarked: mark !== undefined,
  }
}

/** The process that holds the state now; undefined: none does, or there is no state. */
export function stateOwner(path: string): StateInfo['owner'] {
  const db = openForReading(path)
  if (db === undefined) return undefined
  try {
    return ownerOf(db, path)
  } finally {
    db.close()
  }
}

/** Why the state may not be the latest, or should be there; undefined where nothing speaks against it. */
export function stateDoubt(path: string): string | undefined {
  const mark = readMark(path)
  const db = openForReading(path)
  if (db === undefined) return mark === undefined ? undefined : lostText(mark)
  try {
    return doubtOfState(db, mark)
  } finally {
    db.close()
  }
}

/** No state: `doubt` says why there should be one. */
export type NoState = Pick<StateInfo, 'doubt'> & { readonly mark: undefined }

/** Throws STATE_UNUSABLE where it is there and cannot be read. */
export async function stateInfo(path: string): Promise<StateInfo | NoState> {
  const db = openForReading(path)
  if (db === undefined) return { mark: undefined, doubt: stateDoubt(path) }
  try {
    return await inspect(db, path)
  } catch (error) {
    throw stateError(error, path)
  } finally {
    db.close()
  }
}
