// The state as the rest of the program sees it: one object over one connection.
import { existsSync, mkdirSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import type { Fleet } from '../core/fleet.ts'
import type { SharedWindow } from '../core/ports.ts'
import {
  statePlaceOf,
  type ServerPlace,
  serverPlace,
  type StateLocation,
  stateText,
} from '../core/state-place.ts'
import { SyncError } from '../core/words/errors.ts'
import type { RecordSearch } from '../core/explain/explain-reads.ts'
import type { StateStore } from '../core/state-store.ts'
import { createAcceptedStore } from './journal/accepted.ts'
import { keepNamesOfLinks } from './log/audit-names.ts'
import { createSyncLog } from './log/audit-read.ts'
import { createAlertStore } from './alerts.ts'
import { createConfigurationStore } from './configurations.ts'
import { createDecisionStore } from './decisions.ts'
import { createDefinitionStore } from './custom-fields.ts'
import { createHouseholds } from './journal/contacts/households.ts'
import { createCursorStore } from './cursors.ts'
import { createDeleteCounts } from './journal/delete-counts.ts'
import { createDateOrderStore } from './date-orders.ts'
import { isFile } from './file/connection.ts'
import { type Connection, openDatabase, openTemporaryDatabase } from './file/database.ts'
import { assertInForce, openToRead } from './reading.ts'
import { createDueStore } from './due.ts'
import { createFormerWindow, type FormerWindow } from './window/former-window.ts'
import { createForgetting, type ErasingState } from './forgetting.ts'
import { createHandEditStore } from './journal/contacts/hand-edits.ts'
import { createHoldStore } from './journal/holds.ts'
import { createJournal } from './journal/journal.ts'
import { createLinkedKeys } from './journal/contacts/known.ts'
import { createLookAlikes } from './journal/contacts/look-alikes.ts'
import { acquireLock, type Lock } from './file/lock.ts'
import {
  doubtOfState,
  followState,
  isUpToDate,
  lostState,
  lostText,
  moveMarkFromLink,
  readMark,
} from './file/mark.ts'
import { keepingMark, truncateLog } from './file/owned.ts'
import { createMappingStore } from './mappings.ts'
import type { OpenChannel } from './postgres/channel.ts'
import { connectToServer } from './postgres/connection.ts'
import { createSlots, type SlotOptions } from './postgres/slots.ts'
import { createFleet, LEASE_MS } from './postgres/workers.ts'
import { SKIP_NUMBERS as SKIP_NUMBERS_AT_SERVER } from './postgres/tables.ts'
import { createPauseStore } from './pause.ts'
import { createHandOverStore } from './hand-over.ts'
import { createWitnessStore } from './log/witness.ts'
import { createDriftRoundStore } from './drift-rounds.ts'
import { createPermissionStore } from './journal/permission.ts'
import { createFormerStatuses } from './journal/contacts/former-statuses.ts'
import { createWithdrawals } from './journal/contacts/withdrawals.ts'
import { createOptOutStore } from './journal/contacts/opt-outs.ts'
import { createSuppressionStore } from './journal/contacts/suppression.ts'
import { statePlace } from './file/place.ts'
import { copyForPlan } from './file/plan-copy.ts'
import { createSharers } from './journal/contacts/others.ts'
import { createNames } from './log/former-names.ts'
import { createPipelineTables, type PipelineTables } from './pipelines.ts'
import { createReadStore } from './reads.ts'
import { createRebuildStore } from './journal/rebuild.ts'
import { createRejectStore } from './journal/rejects.ts'
import { createRetentionStore } from './retention.ts'
import { createServiceBinding, type ServiceBinding } from './service-binding.ts'
import { createRunStore } from './journal/runs.ts'
import { createReadings } from './journal/reading/begun.ts'
import { createStagingStore } from './journal/staging.ts'
import { createTermNames, createTermNameStore, type TermNames } from './term-names.ts'
import { createErasedSeenStore } from './log/erased-seen.ts'
import { createTombstoneStore } from './log/tombstones.ts'
import { createWatch, stateError, type Watch } from './file/trouble.ts'
import { createRecordSearch } from './views/views-explain.ts'

export interface OwnedState extends StateStore, ErasingState, Pick<RecordSearch, 'openOf'> {
  /** Undefined where this process is the one owner. */
  readonly fleet: Fleet | undefined
  /** The rate limit of all workers; undefined where it lies beside the state. */
  readonly slots: ((options: SlotOptions) => SharedWindow) | undefined
  /** What an older version left in it of the rate limit. */
  readonly formerWindow: FormerWindow
  /** All pipelines that it knows, to rename one or to give one up. */
  readonly pipelines: PipelineTables
  /** Names of terms, to rename one. */
  readonly terms: TermNames
  /** Which service it belongs to. */
  readonly binding: ServiceBinding
  /** Calls the listener with each known error of the state, until the function that it gives is called. */
  onTrouble(listener: (error: SyncError) => void): () => void
  /** Why the state may not be the latest; undefined where nothing speaks against it, or once that is settled. */
  doubt(): string | undefined
  /** From now on this state is the latest. */
  accept(): void
  /** The pipelines that have been rebuilt since the doubt arose; with a name, that one, too. */
  rebuilt(pipeline?: string): readonly string[]
  /** See lock.ts. */
  leaveInLock(text: string): void
}

type Stores = Omit<StateStore, 'close'>

function storeOver(
  db: Connection,
  watch: Watch,
  { close, wrap = (store) => store }: { close: () => void; wrap?: (store: Stores) => Stores },
): StateStore {
  const instance = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'instance'").pluck()
  const names = createNames(db)
  const store = {
    ...createReadings(db),
    ...createStagingStore(db),
    ...createJournal(db),
    ...createHoldStore(db),
    ...createAcceptedStore(db),
    ...createRunStore(db),
    ...createDueStore(db),
    ...createPauseStore(db),
    ...createWitnessStore(db),
    ...createHandOverStore(db),
    ...createDriftRoundStore(db),
    ...createDecisionStore(db),
    ...createConfigurationStore(db),
    ...createReadStore(db),
    ...createRejectStore(db),
    ...createRetentionStore(db),
    ...createDefinitionStore(db),
    ...createRebuildStore(db),
    ...createAlertStore(db),
    ...createSyncLog(db),
    ...createTombstoneStore(db),
    ...createErasedSeenStore(db),
    ...createPermissionStore(db),
    ...createSuppressionStore(db),
    ...createFormerStatuses(db),
    ...createWithdrawals(db),
    ...createOptOutStore(db),
    ...createDateOrderStore(db),
    ...createCursorStore(db),
    ...createDeleteCounts(db),
    ...createHouseholds(db),
    ...createHandEditStore(db),
    ...createLookAlikes(db),
    ...createTermNameStore(db),
    ...createMappingStore(db),
    linkedKeys: createLinkedKeys(db),
    sharers: createSharers(db),
    instance: async () => instance.get() ?? '',
    formerNames: async (pipeline: string) => names(pipeline).slice(1),
  }
  return {
    ...watch.over(wrap(store)),
    async close() {
      close()
    },
  }
}

interface Owner {
  readonly pid: number
  readonly since: number
  /** Reads the whole file for damage. */
  readonly thorough: boolean
  /** Opens a state that may not be the latest, too: for those who settle that. */
  readonly evenOlder?: boolean
  /** By what name others see it, where several processes work with one state. */
  readonly worker?: string | undefined
  /** For work that must be alone with the state, also where several processes may share it. */
  readonly alone?: boolean
  /** The number of the worker that this process was before, where it joins again. */
  readonly former?: number | undefined
  /** How long others wait for one that is gone, in milliseconds; for tests. */
  readonly leaseMs?: number
  /** The way to a server, in a simulated world. */
  readonly channel?: OpenChannel | undefined
}

const older = (path: string, why: string): SyncError =>
  new SyncError('STATE_OLDER', `the state ${path} ${why}`)

/** A failure while closing must not hide why it ends: the next owner finds the state unchanged. */
function closeQuietly(db: Connection): void {
  for (const step of [() => db.exec('DELETE FROM owner'), () => truncateLog(db), () => db.close()]) {
    try {
      step()
    } catch {
      // A full or a broken disk: said already by what came before.
    }
  }
}

/** Kept in the state, so that a rebuild of several pipelines may be ended and called again. */
function createRebuilt(db: Connection): OwnedState['rebuilt'] {
  const read = db.prepare<[], string>("SELECT value FROM meta WHERE name = 'rebuilt'").pluck()
  const write = db.prepare("INSERT OR REPLACE INTO meta VALUES ('rebuilt', ?)")
  return (pipeline) => {
    const before = JSON.parse(read.get() ?? '[]') as string[]
    if (pipeline === undefined || before.includes(pipeline)) return before
    write.run(JSON.stringify([...before, pipeline]))
    return [...before, pipeline]
  }
}

const SKIP_NUMBERS = "UPDATE sqlite_sequence SET seq = seq + 1000000 WHERE name = 'operation'"

interface Owned {
  /** The mark lies beside it, on this machine. */
  readonly path: string
  /** How messages name the state. */
  readonly place: string
  readonly lock: Lock
  readonly doubt: string | undefined
  readonly isMarked: boolean
  /** At a server. */
  readonly worker?: { readonly fence: number; crowd(): number }
}

/** It can be closed after the state has failed. */
const watchedSlots = (slots: SharedWindow, watch: Watch): SharedWindow => ({
  ...watch.over(slots),
  close: (now) => slots.close(now),
})

function ownedState(db: Connection, { path, place, lock, doubt, isMarked, worker }: Owned): OwnedState {
  const watch = createWatch(place)
  let isSettled = doubt === undefined
  const accept = (): void => {
    // What an older state has forgotten had numbers: those of operations are in the markers of contacts.
    if (!isSettled) db.exec(isFile(db) ? SKIP_NUMBERS : SKIP_NUMBERS_AT_SERVER)
    db.prepare("DELETE FROM meta WHERE name IN ('backup', 'rebuilt')").run()
    followState(db, path)
    isSettled = true
  }
  if (isSettled && !isMarked) accept()
  const close = (): void => {
    closeQuietly(db)
    lock.release()
  }
  const keeping = { path, mayMark: () => isSettled }
  return {
    ...storeOver(db, watch, { close, wrap: (store) => ({ ...store, ...keepingMark(store, db, keeping) }) }),
    doubt: () => (isSettled ? undefined : doubt),
    // Its number is known once nothing more can be asked, too.
    fleet:
      worker === undefined
        ? undefined
        : { ...watch.over(createFleet(db, worker)), own: () => worker.fence, crowd: worker.crowd },
    slots:
      worker === undefined
        ? undefined
        : (options) => watchedSlots(createSlots(db, worker.fence, options), watch),
    ...watch.over({ accept, rebuilt: createRebuilt(db), ...createForgetting(db) }),
    openOf: watch.over(createRecordSearch(db)).openOf,
    formerWindow: watch.over(createFormerWindow(db)),
    binding: watch.over(createServiceBinding(db)),
    pipelines: watch.over(createPipelineTables(db)),
    terms: watch.over(createTermNames(db)),
    onTrouble: watch.listen,
    leaveInLock: (text: string) => lock.leave(text),
  }
}

function openFileState(statePath: string, owner: Owner): OwnedState {
  const path = statePlace(statePath)
  const lock = acquireLock(path)
  let db: Connection | undefined
  try {
    moveMarkFromLink(statePath)
    const mark = readMark(path)
    const isLost = mark !== undefined && !existsSync(path)
    if (isLost && owner.evenOlder !== true) throw lostState(path, path, mark)
    db = openDatabase(path, owner)
    assertInForce(db, path)
    keepNamesOfLinks(db)
    const doubt = isLost ? lostText(mark, path) : doubtOfState(db, mark)
    if (doubt !== undefined && owner.evenOlder !== true) throw older(path, doubt)
    db.prepare('INSERT OR REPLACE INTO owner VALUES (1, ?, ?)').run(owner.pid, owner.since)
    return ownedState(db, { path, place: path, lock, doubt, isMarked: isUpToDate(db, mark) })
  } catch (error) {
    db?.close()
    lock.release()
    throw stateError(error, path)
  }
}

/** Opens the state beside its owner, for lists and reports; undefined where there is none yet. */
export function openStateForReading(where: StateLocation): (StateStore & RecordSearch) | undefined {
  const db = openToRead(where)
  if (db === undefined) return undefined
  const watch = createWatch(stateText(where))
  return { ...storeOver(db, watch, { close: () => db.close() }), ...watch.over(createRecordSearch(db)) }
}

/** How messages name a state that is no file. */
const TEMPORARY_COPY = '(a temporary copy)'

/** An empty state that leaves no trace; for previews and tests. */
export function openTemporaryState(): StateStore {
  const db = openTemporaryDatabase()
  keepNamesOfLinks(db)
  return storeOver(db, createWatch(TEMPORARY_COPY), { close: () => db.close() })
}

/** The row of a worker stands for the lock. */
const NO_LOCK: Lock = { leave: () => undefined, release: () => undefined }

function openServerState(
  server: ServerPlace,
  { pid, since, leaseMs = LEASE_MS, evenOlder = false, worker, alone = false, former, channel }: Owner,
): OwnedState {
  const place = stateText(server)
  const { path } = server
  let db: Connection | undefined
  try {
    mkdirSync(dirname(path), { recursive: true })
    const machine = hostname()
    const joining = { name: worker ?? machine, machine, pid, since, leaseMs, former }
    const joined = connectToServer(server, { ...joining, alone: alone || evenOlder }, channel)
    db = joined
    assertInForce(db, place)
    const mark = readMark(path)
    const doubt = doubtOfState(db, mark)
    if (doubt !== undefined && !evenOlder) throw older(place, doubt)
    const isMarked = isUpToDate(db, mark)
    return ownedState(db, {
      path,
      place,
      lock: NO_LOCK,
      doubt,
      isMarked,
      worker: { fence: joined.fence ?? 0, crowd: joined.crowd },
    })
  } catch (error) {
    db?.close()
    throw stateError(error, place)
  }
}

/**
 * Opens the state for writing: a file as its one owner, a state at a server as one of its workers. Throws STATE_LOCKED when
 * another process has it, STATE_UNUSABLE when it cannot be used, STATE_IO where a server cannot be reached, STATE_OLDER when it
 * is not the latest that this machine has seen.
 */
export function openState(where: StateLocation, owner: Owner): OwnedState {
  const server = serverPlace(where)
  return server === undefined
    ? openFileState(statePlaceOf(where).path, owner)
    : openServerState(server, owner)
}

/** A copy of what planning needs of the state, on which a plan may be made without leaving a trace. */
export function openStateCopy(where: StateLocation): StateStore {
  const from = openToRead(where)
  const to = openTemporaryDatabase()
  if (from !== undefined) {
    copyForPlan(from, to)
    from.close()
  }
  return storeOver(to, createWatch(TEMPORARY_COPY), { close: () => to.close() })
}
