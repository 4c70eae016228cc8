// What the state in memory holds, and how it is found. Rows are changed in place; who reads gets an Operation made of one.
import type { ConsentEvidence } from '../../../src/core/mapping/values/consent.ts'
import type { OpenEdit } from '../../../src/core/change/others/hand-edits.ts'
import type { Contact, FieldValue } from '../../../src/core/mapping/contact.ts'
import type { Operation, OperationKind, OperationOutcome } from '../../../src/core/change/operation.ts'
import type { ResolvedKey } from '../../../src/core/change/lookup/resolution.ts'
import { type OperationState, RETRIED, SETTLED_SO_FAR } from '../../../src/core/change/states.ts'
import type { AuditEntry } from '../../../src/core/log/audit.ts'
import { termKey, type TermPlan } from '../../../src/core/mapping/terms.ts'
import type { SourceInput } from '../../../src/core/ports.ts'
import type { KeptCursor } from '../../../src/core/cursor.ts'
import type { Accepted } from '../../../src/core/change/accepted.ts'
import type { Hold } from '../../../src/core/change/waiting/guard.ts'
import type { ErrorCode } from '../../../src/core/words/errors.ts'
import type { Unmoved } from '../../../src/core/run-state.ts'
import type { RejectPlace, RunEnd, RunRecord, StagedRecord } from '../../../src/core/state.ts'

export interface LedgerTerm {
  readonly name: string
  readonly ours: boolean
  readonly unsure: boolean
}

export interface Link {
  readonly id: number
  readonly pipeline: string
  readonly key: string
  contactId: number
  mailKey: string | undefined
  known: Contact
  gone: boolean
  terms: readonly LedgerTerm[] | undefined
  unsure: readonly string[]
  missing: number
  missingIn: string | undefined
  missingAt: number | undefined
  byId: boolean
  openUntil: number
  fresh: boolean
  /** Of the form in which its record is settled. */
  fingerprint: string | undefined
}

export interface Row {
  readonly id: number
  readonly inputId: number
  runId: string
  readonly pipeline: string
  readonly key: string
  record: StagedRecord
  readonly cause: 'record' | 'missing'
  readonly undoes: string | undefined
  readonly desired: Contact
  readonly givesUp?: readonly string[] | undefined
  kind: OperationKind
  linkId: number | undefined
  contactId: number | undefined
  mailKey: string | undefined
  fields: Contact
  terms: TermPlan | undefined
  consent: number | undefined
  outcome: OperationOutcome | undefined
  state: OperationState
  order: number
  sent: number
  swallowed: number
  absentReads: number
  notBefore: number
  guard: string | undefined
  released: boolean
  /** How many approvers must release it, and under which settings they have. */
  needed: number
  releasedUnder: string | undefined
  reason: string | undefined
  fresh: boolean
  carried: number | undefined
  evidence?: ConsentEvidence | undefined
}

export interface Input {
  readonly id: number
  readonly runId: string
  readonly pipeline: string
  readonly input: SourceInput
  readonly header: readonly string[]
  sha256: string | undefined
  state: 'reading' | 'planned' | 'processed' | 'failed'
  /** Who was seen in it, and on which line. */
  readonly seen: {
    readonly links: Map<number, number>
    readonly keys: Map<string, number>
    readonly skipped: Set<string>
    readonly reread: RejectPlace[]
  }
}

export interface Reject {
  readonly id: number
  readonly inputId: number
  readonly pipeline: string
  readonly key: string | undefined
  code: ErrorCode
  reason: string
  record: StagedRecord
  readonly header: readonly string[]
}

export interface HoldRow extends Hold {
  readonly runId: string
  readonly inputId: number
  readonly pipeline: string
  changes: number
  readonly configHash: string
  readonly heldAt: number
  releasedAt: number | undefined
}

export interface Run extends Partial<RunEnd> {
  readonly id: string
  readonly pipeline: string
  readonly startedAt: number
  readonly configHash: string
  readonly highestContact: number
}

/** What was sent to a contact, where its links do not say it. */
export interface Sent {
  last: Contact
  open: (readonly [string, FieldValue])[]
}

/** Everything that there is. */
export interface Tables {
  readonly links: Map<number, Link>
  readonly operations: Map<number, Row>
  readonly inputs: Map<number, Input>
  readonly rejects: Map<number, Reject>
  holds: HoldRow[]
  readonly runs: Map<string, Run>
  readonly log: AuditEntry[]
  readonly accepted: Map<string, Accepted>
  readonly passed: Map<string, string>
  readonly resolved: Map<string, ResolvedKey & { pipeline: string; rule: string }>
  /** Pipelines of which a contact was deleted. */
  readonly deleted: Set<string>
  readonly cursors: Map<string, KeptCursor>
  /** Readings that were begun and not ended, by pipeline and version. */
  readonly readings: Map<string, number>
  readonly unmoved: Map<number, Unmoved>
  /** Of limits over time: what was noted when. */
  readonly deleteCounts: { pipeline: string; hour: number; links: number; deletes: number }[]
  /** By contact. */
  readonly sent: Map<number, Sent>
  edits: (OpenEdit & { lookedAt: number })[]
  /** Of operations: none is given twice. */
  nextOperation(): number
}

/** One more than the highest that is in use, as rows of a table are numbered. */
export const nextIn = (rows: ReadonlyMap<number, unknown>): number => Math.max(0, ...rows.keys()) + 1

export function createTables(): Tables {
  let last = 0
  return {
    links: new Map(),
    operations: new Map(),
    inputs: new Map(),
    rejects: new Map(),
    holds: [],
    runs: new Map(),
    log: [],
    accepted: new Map(),
    passed: new Map(),
    resolved: new Map(),
    deleted: new Set(),
    cursors: new Map(),
    readings: new Map(),
    unmoved: new Map(),
    deleteCounts: [],
    sent: new Map(),
    edits: [],
    nextOperation: () => (last += 1),
  }
}

export const byId = (one: { readonly id: number }, other: { readonly id: number }): number =>
  one.id - other.id

export const byOrder = (one: Row, other: Row): number => one.order - other.order || one.id - other.id

export const nameOf = (pipeline: string, key: string): string => JSON.stringify([pipeline, key])

export const rowsWhere = ({ operations }: Tables, isWanted: (row: Row) => boolean): Row[] =>
  [...operations.values()].filter(isWanted)

export const linksWhere = ({ links }: Tables, isWanted: (link: Link) => boolean): Link[] =>
  [...links.values()].filter(isWanted)

export const linkOf = (tables: Tables, pipeline: string, key: string): Link | undefined =>
  linksWhere(tables, (link) => link.pipeline === pipeline && link.key === key)[0]

export const isIn = (states: readonly OperationState[], { state }: Pick<Row, 'state'>): boolean =>
  states.includes(state)

/** Others of a contact assert these. */
export const termsOfOthers = (tables: Tables, contactId: number, linkId: number | undefined): Set<string> =>
  new Set(
    linksWhere(tables, (link) => link.contactId === contactId && link.id !== linkId).flatMap((link) =>
      (link.terms ?? []).map(({ name }) => termKey(name)),
    ),
  )

export const headerOf = ({ inputs }: Tables, inputId: number): readonly string[] =>
  inputs.get(inputId)?.header ?? []

/** What is open about a key beside creates that are not queried by their key. */
export const isKeyed = ({ kind, state }: Row): boolean =>
  kind !== 'create' || (state !== 'planned' && state !== 'sending')

/** A newer change of the record is there, and none of its requests is unaccounted for. */
export const hasNewer = (tables: Tables, row: Pick<Row, 'id' | 'pipeline' | 'key'>): boolean =>
  rowsWhere(
    tables,
    (newer) =>
      newer.pipeline === row.pipeline &&
      newer.key === row.key &&
      newer.id > row.id &&
      newer.cause === 'record' &&
      isKeyed(newer) &&
      isIn(SETTLED_SO_FAR, newer),
  ).length > 0

/** Held plans of which nothing is left. */
export function forgetEmptyHolds(tables: Tables, pipeline: string): void {
  tables.holds = tables.holds.filter(
    (hold) =>
      hold.pipeline !== pipeline ||
      rowsWhere(tables, (row) => row.inputId === hold.inputId && row.guard === hold.guard).length > 0 ||
      waitsWithoutChanges(tables, hold),
  )
}

/** A file that is not as expected may change nothing: it waits until another one was accepted. */
export const waitsWithoutChanges = ({ accepted }: Tables, hold: HoldRow): boolean =>
  hold.guard === 'expect' &&
  hold.releasedAt === undefined &&
  hold.heldAt > (accepted.get(hold.pipeline)?.at ?? 0)

export function operationOf(tables: Tables, row: Row): Operation {
  const link = row.linkId === undefined ? undefined : tables.links.get(row.linkId)
  const input = tables.inputs.get(row.inputId)
  const { source } = row.record
  const sha256 = input?.input.name === source.file ? (input.sha256 ?? '') : ''
  const all = {
    id: row.id,
    runId: row.runId,
    pipeline: row.pipeline,
    key: row.key,
    mailKey: row.mailKey,
    fields: row.fields,
    desired: row.desired,
    ...(row.givesUp === undefined ? {} : { givesUp: row.givesUp }),
    consent: row.consent,
    known: link?.known ?? {},
    terms: row.terms,
    unsure: link?.unsure ?? [],
    asserted: link?.terms?.map((term) => ({ ...term, shared: false })),
    isFresh: link?.fresh ?? row.fresh,
    carried: row.carried,
    ...(row.evidence === undefined ? {} : { evidence: row.evidence }),
    outcome: row.outcome,
    source: sha256 === '' ? source : { ...source, sha256 },
    cause: row.cause,
    undoes: row.undoes,
    state: row.state,
    sent: row.sent,
    swallowed: row.swallowed,
    guard: row.guard,
    ...(row.state === 'held' && row.released ? { isReleased: true as const } : {}),
    needed: row.state === 'held' ? row.needed : 0,
    absentReads: row.absentReads,
    notBefore: row.notBefore,
    reason: row.reason,
  }
  if (row.kind === 'create') return { ...all, kind: row.kind, contactId: row.contactId }
  if (row.contactId === undefined) throw new Error(`operation ${row.id} names no contact`)
  return { ...all, kind: row.kind, contactId: row.contactId }
}

export const runRecord = (run: Run): RunRecord => ({
  id: run.id,
  pipeline: run.pipeline,
  startedAt: run.startedAt,
  endedAt: run.endedAt,
  status: run.status,
  counts: run.counts,
  error: run.error,
  code: run.code,
  drift: run.drift ?? 0,
  refused: run.refused ?? 0,
})

export const hasFields = ({ fields }: Pick<Row, 'fields'>): boolean => Object.keys(fields).length > 0

export const isRetried = (row: Row): boolean => isIn(RETRIED, row)

/** What nothing was sent of yet. */
export const NEW_ROW = {
  outcome: undefined,
  sent: 0,
  swallowed: 0,
  absentReads: 0,
  notBefore: 0,
  guard: undefined,
  released: false,
  needed: 0,
  releasedUnder: undefined,
  fresh: false,
  carried: undefined,
} as const
