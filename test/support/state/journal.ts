// Sending and what it leaves open, over the state in memory.
import { auditEntry } from '../../../src/core/log/audit.ts'
import { NOT_DONE_REASON } from '../../../src/core/change/lookup/doubt.ts'
import type { Operation, Settled } from '../../../src/core/change/operation.ts'
import { OVERTAKABLE, REMAINING, SETTLED_SO_FAR } from '../../../src/core/change/states.ts'
import type { GuardName } from '../../../src/core/change/waiting/guard.ts'
import { firstForm, LEFT_IN_DOUBT, sendingOrder, SENDING_ORDER } from '../../../src/core/change/steps.ts'
import type { EntryContext, LeftOpen, Marking, RunState } from '../../../src/core/run-state.ts'
import type { Replanned } from '../../../src/core/state.ts'
import {
  hasFields,
  byId,
  byOrder,
  forgetEmptyHolds,
  isIn,
  isKeyed,
  isRetried,
  linkOf,
  linksWhere,
  operationOf,
  type Row,
  rowsWhere,
  type Tables,
} from './tables.ts'
import { addAttempts } from './hand-edits.ts'
import { markSending, settleOne } from './settling.ts'

const isLeftIn = (runId: string) => (row: Row) =>
  row.runId === runId && isIn(REMAINING, row) && row.cause === 'record'

type Journal = Pick<
  RunState,
  | 'planTotals'
  | 'takeToSend'
  | 'markSending'
  | 'settleBatch'
  | 'markAndSettle'
  | 'noteAstray'
  | 'note'
  | 'rejectsOfInput'
  | 'beginReading'
  | 'endReading'
  | 'endInput'
  | 'unfinishedInputs'
  | 'unmovedInputs'
  | 'endUnmoved'
  | 'reopen'
  | 'leftOpen'
  | 'replan'
  | 'takeReleasedDeletes'
  | 'countRemaining'
  | 'remainingOf'
>

const sizeOf = (names: readonly string[] = []): number => names.length

function planTotals(planned: readonly Row[], most: number) {
  const count = (isOne: (row: Row) => boolean): number => planned.filter(isOne).length
  const ranked = (order: number) => count((row) => row.order === order)
  const isWithdrawal = ({ consent }: Row): boolean => consent === 1 || consent === 2
  const { update, withdrawal, createWithMail, createWithoutMail } = SENDING_ORDER
  return {
    operations: planned.length,
    updates: count((row) => [update, withdrawal].some((order) => order === row.order) && hasFields(row)),
    createsWithMail: ranked(createWithMail),
    createsWithoutMail: ranked(createWithoutMail),
    consents: count((row) => row.consent !== undefined && !isWithdrawal(row)),
    withdrawals: count(isWithdrawal),
    termAdditions: count((row) => sizeOf(row.terms?.add) > 0),
    termRemovals: count((row) => sizeOf(row.terms?.remove) > 0),
    termChanges: count((row) => sizeOf(row.terms?.add) + sizeOf(row.terms?.remove) > 0),
    termsOfCreates: count(
      (row) => row.kind === 'create' && row.contactId === undefined && sizeOf(row.terms?.add) > 0,
    ),
    deletes: count(({ kind }) => kind === 'delete'),
    terms: [...new Set(planned.flatMap((row) => row.terms?.add ?? []))].slice(0, most),
  }
}

const CUT_OFF = 'the process ended before the answer was recorded'
const NO_LOOK_UP = '; the contact has no e-mail address to look it up by'

/** What was on its way may have been applied. */
function cutOff(tables: Tables, row: Row, at: number): boolean {
  const isDoubt = LEFT_IN_DOUBT.includes(row.kind)
  const settlement = isDoubt
    ? ({ kind: 'in_doubt', reason: CUT_OFF, notBefore: 0 } as const)
    : ({ kind: 'failed', reason: CUT_OFF, unknown: true } as const)
  const operation = operationOf(tables, row)
  const configHash = tables.runs.get(row.runId)?.configHash ?? ''
  tables.log.push(
    auditEntry({ operation, settlement, request: undefined }, { at, runId: row.runId, configHash }),
  )
  if (isDoubt) {
    const reason = row.mailKey === undefined ? CUT_OFF + NO_LOOK_UP : CUT_OFF
    Object.assign(row, { state: 'in_doubt', notBefore: at, reason })
  } else Object.assign(row, { state: 'failed', reason: CUT_OFF })
  return isDoubt
}

function reopen(tables: Tables, pipeline: string, at: number): number {
  const rows = rowsWhere(tables, (row) => row.pipeline === pipeline)
  const sending = rows.filter(({ state }) => state === 'sending').sort(byId)
  const doubts = sending.filter((row) => cutOff(tables, row, at)).length
  for (const row of rows) {
    if (row.cause === 'missing' && (row.state === 'planned' || row.state === 'failed')) {
      // What was not sent yet is found again when its input is read again; what was given up is tried again after the files.
      if (row.released) row.state = 'held'
      else if (row.state === 'planned' || row.undoes !== undefined) tables.operations.delete(row.id)
    } else if (row.state === 'planned') {
      const input = tables.inputs.get(row.inputId)
      const isOpen = input?.state === 'reading' || input?.state === 'planned'
      if (!isOpen) Object.assign(row, { state: 'failed', reason: 'not sent yet' })
    }
  }
  return doubts
}

/** What is given up, waits or is held gives way to what came later for its key. */
/** What a person has said of a doubt holds for what replaces it. */
export function keepNotDone(tables: Tables, pipeline: string): void {
  const creates = rowsWhere(tables, (row) => row.pipeline === pipeline && row.kind === 'create')
  const keys = creates
    .filter((row) => row.state === 'failed' && row.reason === NOT_DONE_REASON)
    .map(({ key }) => key)
  for (const row of creates)
    if (['planned', 'waiting'].includes(row.state) && keys.includes(row.key)) row.reason = NOT_DONE_REASON
}

function dropOvertaken(tables: Tables, pipeline: string): void {
  const rows = rowsWhere(tables, (row) => row.pipeline === pipeline && row.cause === 'record')
  const overtaken = rows.filter(
    (row) =>
      isIn(OVERTAKABLE, row) &&
      rows.some(
        (newer) =>
          newer.key === row.key &&
          newer.id > row.id &&
          newer.undoes === undefined &&
          isKeyed(newer) &&
          isIn(SETTLED_SO_FAR, newer),
      ),
  )
  keepNotDone(tables, pipeline)
  for (const { id } of overtaken) tables.operations.delete(id)
}

/** Two changes of one key are not sent side by side; what a person has put back goes first. */
function isFirstOfKey(tables: Tables, row: Row, isTaken: (other: Row) => boolean): boolean {
  const place = ({ undoes, id }: Row): number => (undoes === undefined ? Number.MAX_SAFE_INTEGER / 2 : 0) + id
  const isBefore = (other: Row): boolean =>
    other.pipeline === row.pipeline &&
    other.key === row.key &&
    other.cause === 'record' &&
    isKeyed(other) &&
    (other.state === 'planned' || isTaken(other)) &&
    place(other) < place(row)
  return rowsWhere(tables, isBefore).length === 0
}

const isReleased = ({ state, released }: Row): boolean => state === 'held' && released

const IS_LEFT: Readonly<Record<LeftOpen, (row: Row, tables: Tables, runId: string) => boolean>> = {
  in_doubt: ({ state }) => state === 'in_doubt',
  failed: (row, tables) => isRetried(row) && row.cause === 'record' && isFirstOfKey(tables, row, isRetried),
  waiting: (row, _, runId) => row.state === 'waiting' && row.runId === runId,
  released: (row, tables) =>
    isReleased(row) && row.cause === 'record' && isFirstOfKey(tables, row, isReleased),
}

function replan(tables: Tables, runId: string, { operation, next, desired }: Replanned): void {
  const row = tables.operations.get(operation.id)
  if (row === undefined) return
  if (next.state === 'settled') return void tables.operations.delete(row.id)
  const { cause: _cause, undoes: _undoes, terms, reason, ...form } = firstForm(next)
  Object.assign(row, form, AFRESH, { runId }, desired && { desired })
  row.terms = terms ?? (next.state === 'planned' ? undefined : row.terms)
  // Why it failed stays with it: a step that may have been applied is looked at before it is sent again.
  if (next.state !== 'planned') row.reason = reason
}

const AFRESH = {
  outcome: undefined,
  sent: 0,
  swallowed: 0,
  fresh: false,
  carried: undefined,
  guard: undefined,
  released: false,
} as const

function dropInput(tables: Tables, inputId: number): void {
  const input = tables.inputs.get(inputId)
  for (const link of linksWhere(tables, ({ pipeline }) => pipeline === input?.pipeline))
    if (link.missing > 0 && link.missingIn === input?.input.version) {
      link.missing -= 1
      Object.assign(link, { missingIn: undefined, missingAt: undefined })
    }
  for (const row of rowsWhere(tables, (one) => one.inputId === inputId && isIn(SETTLED_SO_FAR, one)))
    tables.operations.delete(row.id)
  for (const one of [...tables.rejects.values()]) if (one.inputId === inputId) tables.rejects.delete(one.id)
  if (input !== undefined) input.state = 'failed'
}

function endInput(tables: Tables, inputId: number, as: Parameters<RunState['endInput']>[1]['as']): void {
  const input = tables.inputs.get(inputId)
  if (input === undefined) return
  if (as === 'unread' || (as === 'vanished' && input.state === 'reading')) return dropInput(tables, inputId)
  if (as === 'vanished')
    for (const row of rowsWhere(tables, (one) => one.inputId === inputId && one.state === 'planned'))
      Object.assign(row, { state: 'failed', reason: 'not sent yet' })
  input.state = as === 'vanished' ? 'processed' : as
}

function takeReleasedDeletes(
  tables: Tables,
  { pipeline, runId }: { pipeline: string; runId: string },
  { missing, deletes }: Parameters<RunState['takeReleasedDeletes']>[2],
): Awaited<ReturnType<RunState['takeReleasedDeletes']>> {
  const isStillMissing = ({ linkId }: Row): boolean =>
    linkId !== undefined && (tables.links.get(linkId)?.missing ?? 0) > 0
  const goesAlone = ({ id, key }: Row): boolean =>
    rowsWhere(
      tables,
      (other) =>
        other.pipeline === pipeline &&
        other.key === key &&
        other.id !== id &&
        other.state === 'planned' &&
        isKeyed(other),
    ).length === 0
  const rows = rowsWhere(
    tables,
    (row) =>
      row.pipeline === pipeline &&
      row.state === 'held' &&
      row.released &&
      row.cause === 'missing' &&
      goesAlone(row) &&
      ((missing && isStillMissing(row)) || row.undoes !== undefined),
  )
  const failed = rowsWhere(
    tables,
    (row) =>
      row.pipeline === pipeline &&
      row.state === 'failed' &&
      row.cause === 'missing' &&
      row.undoes === undefined &&
      row.runId !== runId,
  )
  const taken = [
    ...rows,
    ...failed.filter((row) => missing && (deletes || row.kind !== 'delete') && isStillMissing(row)),
  ]
  const ofThisRun = Map.groupBy(
    rows.filter((row) => row.runId === runId),
    ({ guard }) => guard as GuardName,
  )
  for (const row of taken) Object.assign(row, { state: 'planned', runId })
  for (const row of failed) if (row.state === 'failed') tables.operations.delete(row.id)
  forgetEmptyHolds(tables, pipeline)
  return [...ofThisRun]
    .map(([guard, { length: deletes }]) => ({ guard, deletes }))
    .toSorted((one, other) => (one.guard < other.guard ? -1 : 1))
}

function memoryWrites(tables: Tables): Pick<Journal, 'markSending' | 'settleBatch' | 'markAndSettle'> {
  const mark = ({ operations, terms = [], attempt }: Marking): void => {
    if (attempt !== undefined) addAttempts(tables, attempt.contactId, attempt.fields)
    for (const operation of operations) markSending(tables, operation, terms)
  }
  const settle = (settled: readonly Settled[], context: EntryContext) =>
    settled.map((one) => settleOne(tables, one, context))
  return {
    markSending: async (operations, about) => mark({ operations, ...about }),
    settleBatch: async (settled, context) => settle(settled, context),
    async markAndSettle(marks, ended) {
      const taken = ended === undefined ? [] : settle(ended.settled, ended.context)
      for (const one of marks) mark(one)
      return taken
    },
  }
}

export function memoryJournal(tables: Tables): Journal {
  const plannedOf = (runId: string): Row[] =>
    rowsWhere(tables, (row) => row.runId === runId && row.state === 'planned').sort(byOrder)
  const operations = (rows: readonly Row[]): Operation[] => rows.map((row) => operationOf(tables, row))
  return {
    planTotals: async (runId, most = 0) => planTotals(plannedOf(runId), most),
    async takeToSend(runId, after, limit) {
      const order = after === undefined ? -Infinity : sendingOrder(after.kind, after)
      const isLater = (row: Row): boolean =>
        row.order > order || (row.order === order && row.id > (after?.id ?? 0))
      return operations(plannedOf(runId).filter(isLater).slice(0, limit))
    },
    ...memoryWrites(tables),
    async noteAstray({ operation, sent, request, reached }, context) {
      const link = linkOf(tables, operation.pipeline, operation.key)
      if (link !== undefined) link.byId = true
      const reason = `meant for contact ${operation.contactId}; the service applied it to contact ${reached}, which has the same e-mail address`
      const there = { ...operation, contactId: reached, known: {} }
      const settlement = { kind: 'held', reason } as const
      tables.log.push(auditEntry({ operation: there, sent, request, settlement }, context))
    },
    async note(entry) {
      tables.log.push(entry)
    },
    async *rejectsOfInput({ id }) {
      const rejects = [...tables.rejects.values()].filter(({ inputId }) => inputId === id)
      const lineOf = ({ record }: (typeof rejects)[number]) => record.source.line
      for (const { record, reason } of rejects.sort((one, other) => lineOf(one) - lineOf(other))) {
        const { values, text, rows, source } = record
        const more = { ...(text === undefined ? {} : { text }), ...(rows === undefined ? {} : { rows }) }
        yield { values, ...more, reason, file: source.file, line: source.line }
      }
    },
    async beginReading(pipeline, version) {
      const name = `${pipeline} ${version}`
      const before = tables.readings.get(name) ?? 0
      tables.readings.set(name, before + 1)
      return before
    },
    endReading: async (pipeline, version) => void tables.readings.delete(`${pipeline} ${version}`),
    async endInput(staged, { as, accepted, unmoved }) {
      const { id, pipeline, input } = staged
      const { cursor } = input
      if (as === 'processed' && cursor !== undefined) tables.cursors.set(pipeline, cursor)
      if (accepted !== undefined) tables.accepted.set(pipeline, accepted)
      if (unmoved !== undefined && (as === 'processed' || as === 'failed'))
        tables.unmoved.set(id, { ...unmoved, staged, folder: as })
      endInput(tables, id, as)
    },
    unmovedInputs: async (name) =>
      [...tables.unmoved.values()].filter(({ staged: { pipeline } }) => pipeline === name),
    endUnmoved: async ({ id }) => void tables.unmoved.delete(id),
    unfinishedInputs: async (pipeline) =>
      [...tables.inputs.values()]
        .filter((one) => one.pipeline === pipeline && ['reading', 'planned'].includes(one.state))
        .map(({ id, runId, input, header }) => ({ id, runId, pipeline, input, header })),
    reopen: async (pipeline, at) => reopen(tables, pipeline, at),
    async leftOpen(which, pipeline, { runId = '', after = 0, limit = Infinity } = {}) {
      if (which !== 'in_doubt' && after === 0) dropOvertaken(tables, pipeline)
      const rows = rowsWhere(
        tables,
        (row) => row.pipeline === pipeline && IS_LEFT[which](row, tables, runId) && row.id > after,
      )
      return operations(rows.sort(byId).slice(0, limit))
    },
    async replan(runId, replanned) {
      const held = replanned.flatMap(({ operation }) =>
        operation.guard === undefined ? [] : operation.pipeline,
      )
      for (const one of replanned) replan(tables, runId, one)
      for (const pipeline of new Set(held)) forgetEmptyHolds(tables, pipeline)
    },
    takeReleasedDeletes: async (pipeline, runId, which) =>
      takeReleasedDeletes(tables, { pipeline, runId }, which),
    countRemaining: async (runId) => rowsWhere(tables, isLeftIn(runId)).length,
    remainingOf: async (runId, keys) => {
      const left = new Set(rowsWhere(tables, isLeftIn(runId)).map(({ key }) => key))
      return keys.filter((key) => left.has(key))
    },
  }
}
