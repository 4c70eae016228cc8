// The state in memory: all that a run asks of it, by the rules that the one on disk follows, in plain lists. It keeps nothing of
// raw bytes, and its sync log is a list of entries.
import { createWithdrawals } from './withdrawals.ts'
import type { KeptCursor } from '../../../src/core/cursor.ts'
import type { BrakeStore } from '../../../src/core/change/waiting/brake.ts'
import type { DriftRoundStore } from '../../../src/core/change/others/drift-rounds.ts'
import type { KeptList } from '../../../src/core/change/consents/suppression.ts'
import type { SyncState } from '../../../src/core/state-store.ts'
import type { AuditEntry } from '../../../src/core/log/audit.ts'
import type { HandOverStore } from '../../../src/core/log/hand-over.ts'
import type { LoggedEntry } from '../../../src/core/log/audit-chain.ts'
import type { SyncLog } from '../../../src/core/log/sync-log.ts'
import type { CustomFieldDefinition } from '../../../src/core/ports.ts'
import type { FoundDefinitions } from '../../../src/core/definition-store.ts'
import type { DateOrders } from '../../../src/core/mapping/values/dates/date-order.ts'
import { mailKey } from '../../../src/core/mapping/contact.ts'
import { isWithdrawn, type StatusPermission } from '../../../src/core/change/permission.ts'
import { memoryApprovals } from './approvals.ts'
import { memoryDeleteCounts } from './delete-counts.ts'
import { memoryHandEdits } from './hand-edits.ts'
import { memoryJournal } from './journal.ts'
import { memoryLists, memoryOthers, memoryRebuild, memorySharers } from './lists.ts'
import { memoryLookAlikes } from './look-alikes.ts'
import { memoryHandOver, memoryRounds } from './rounds.ts'
import { memoryStaging } from './staging.ts'
import { createTables, type Tables } from './tables.ts'

/** What tests of runs look at: a state with its sync log. */
export type TestState = SyncState &
  Pick<SyncLog, 'entriesOfRun' | 'logPage'> &
  DriftRoundStore &
  HandOverStore

/** As it would be read from a chain: JSON leaves out what is undefined. */
function loggedEntry(entry: AuditEntry, index: number): LoggedEntry {
  const written = JSON.parse(JSON.stringify(entry)) as AuditEntry
  const field_names = Object.keys(entry.fields)
  const person = entry.key === null ? null : `${entry.pipeline} ${entry.key}`
  const open = { values: 'open', prev: '', hash: '', proof: { entry: '' } } as const
  return { ...written, ...open, seq: index + 1, person, field_names }
}

function memoryLog({ log }: Tables): Pick<SyncLog, 'entriesOfRun' | 'logPage'> {
  const entries = () => log.map(loggedEntry)
  return {
    async *entriesOfRun(runId) {
      const ofRun = entries().filter((entry) => entry.run_id === runId)
      const people = [null, ...new Set(ofRun.flatMap(({ person }) => person ?? []))]
      for (const person of people) yield* ofRun.filter((entry) => entry.person === person)
    },
    async logPage(filter, { order, from, limit }) {
      if (Object.keys(filter).length > 0) throw new Error('the state in memory gives its whole log only')
      const all = order === 'oldest' ? entries() : entries().reverse()
      const isBehind = ({ seq }: LoggedEntry): boolean =>
        from === undefined || (order === 'oldest' ? seq > from : seq < from)
      return all.filter(isBehind).slice(0, limit)
    },
  }
}

function memoryRuns(tables: Tables): Pick<SyncState, 'beginRun' | 'endRun'> {
  return {
    async beginRun(run) {
      const contacts = [...tables.links.values()].map(({ contactId }) => contactId)
      tables.runs.set(run.id, { ...run, highestContact: Math.max(0, ...contacts) })
    },
    async endRun(runId, end) {
      const run = tables.runs.get(runId)
      if (run !== undefined) tables.runs.set(runId, { ...run, ...end })
    },
  }
}

/** What is remembered besides, each as it was given. */
function memoryFacts(tables: Tables) {
  const definitions = new Map<string, readonly CustomFieldDefinition[]>()
  const orders = new Map<string, DateOrders>()
  const mappings = new Map<string, string>()
  const lists = new Map<string, KeptList>()
  const former = new Map<string, { status: number; firstAt: number }>()
  let permission: StatusPermission = 'unknown'
  return {
    cursor: async (pipeline: string) => tables.cursors.get(pipeline),
    moveCursor: async (pipeline: string, cursor: KeptCursor) => void tables.cursors.set(pipeline, cursor),
    lastAccepted: async (pipeline: string) => tables.accepted.get(pipeline),
    seenDefinitions: async (pipeline: string) => definitions.get(pipeline) ?? [],
    async rememberDefinitions(pipeline: string, { definitions: seen, recreated }: FoundDefinitions) {
      for (const link of tables.links.values()) {
        const pushed = recreated.filter((field) => link.known[field] !== undefined)
        if (link.pipeline === pipeline) link.unsure = [...new Set([...link.unsure, ...pushed])]
      }
      const all = new Map([...(definitions.get(pipeline) ?? []), ...seen].map((one) => [one.name, one]))
      definitions.set(
        pipeline,
        [...all.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
      )
    },
    suppressionList: async (path: string) => lists.get(path),
    keepSuppressionList: async (path: string, list: KeptList) => void lists.set(path, list),
    async noteFormerStatus({ mail, status, at }: { mail: string; status: number; at: number }) {
      const before = former.get(mailKey(mail))
      if (isWithdrawn(status) || before !== undefined)
        former.set(mailKey(mail), { status, firstAt: before?.firstAt ?? at })
    },
    formerStatuses: async (mails: readonly string[]) =>
      mails.map((mail) => {
        const status = former.get(mailKey(mail))?.status
        return isWithdrawn(status) ? status : undefined
      }),
    ...createWithdrawals((mail) => former.get(mailKey(mail))?.firstAt),
    statusPermission: async () => permission,
    async noteStatusPermission(noted: StatusPermission) {
      permission = noted
      if (noted !== 'known') return
      for (const link of tables.links.values())
        if (link.unsure.includes('mail_status')) link.fingerprint = undefined
    },
    dateOrders: async (pipeline: string) => orders.get(pipeline) ?? {},
    keepDateOrders: async (pipeline: string, kept: DateOrders) => void orders.set(pipeline, kept),
    instance: async () => '0123456789abcdef',
    formerNames: async () => [],
    async keepMapping(hash: string, text: () => string) {
      if (!mappings.has(hash)) mappings.set(hash, text())
    },
    keptMapping: async (hash: string) => mappings.get(hash),
    termAliases: async () => new Map<string, string>(),
    // No person is erased from it.
    hasTombstones: async () => false,
    tombstoneOf: async () => undefined,
    noteLeftOut: async () => undefined,
    areErased: async (_pipeline: string, records: readonly unknown[]) => records.map(() => false),
  }
}

/** Brakes are tried over a real state alone. */
const NO_BRAKES: BrakeStore = {
  askedKeys: async () => new Set(),
  stepBrake: async () => 'nothing',
  grantedAsks: async () => [],
  openGrants: async () => [],
  noteBefore: async () => undefined,
  notedAsGiven: async () => undefined,
  dropAsks: async () => undefined,
  firstAsks: async () => [],
  concludeBrake: async () => undefined,
  brakes: async () => [],
}

export function memoryState(): TestState {
  const tables = createTables()
  return {
    ...memoryRuns(tables),
    ...memoryStaging(tables),
    ...memoryJournal(tables),
    ...memoryOthers(tables),
    ...memorySharers(tables),
    ...memoryRebuild(tables),
    ...memoryLists(tables),
    ...memoryApprovals(tables),
    ...memoryLookAlikes(tables),
    ...memoryHandEdits(tables),
    ...memoryDeleteCounts(tables),
    ...memoryFacts(tables),
    ...memoryLog(tables),
    ...memoryRounds(tables),
    ...memoryHandOver(),
    // Decisions are taken by the owner of a real state.
    openCorrections: async () => [],
    ...NO_BRAKES,
    allCorrections: async () => [],
    droppedForms: async (_pipeline: string, keys: readonly string[]) => keys.map(() => undefined),
    close: async () => undefined,
  }
}
