// The moments before and after a request, over the state in memory: what is unsure, and what becomes of a change when a step ends.
import { auditEntries } from '../../../src/core/log/audit.ts'
import {
  type AfterStep,
  afterStep,
  type LinkAfter,
  type Parked,
} from '../../../src/core/change/after-step.ts'
import type { Operation, Settled } from '../../../src/core/change/operation.ts'
import { JUDGED_AGAIN } from '../../../src/core/change/states.ts'
import { judgedEdits, stepFields } from '../../../src/core/change/steps.ts'
import { termKey, type TermOutcome } from '../../../src/core/mapping/terms.ts'
import type { EntryContext } from '../../../src/core/run-state.ts'
import type { TermMark } from '../../../src/core/state.ts'
import { countDelete } from './delete-counts.ts'
import { forgetEdits, keepEdits, noteSent, sentByOthers } from './hand-edits.ts'
import {
  byId,
  hasNewer,
  headerOf,
  isIn,
  isKeyed,
  type LedgerTerm,
  type Link,
  linkOf,
  linksWhere,
  nameOf,
  nextIn,
  type Row,
  rowsWhere,
  type Tables,
} from './tables.ts'

function withMarks(before: readonly LedgerTerm[], marks: readonly TermMark[]): readonly LedgerTerm[] {
  const marked = new Set(marks.map(({ name }) => termKey(name)))
  const touched = marks.map(({ name, ours }) => {
    const known = before.find((term) => termKey(term.name) === termKey(name))
    return { name: known?.name ?? name, ours: ours || known?.ours === true, unsure: true }
  })
  return [...before.filter(({ name }) => !marked.has(termKey(name))), ...touched]
}

export function markSending(tables: Tables, operation: Operation, marks: readonly TermMark[]): void {
  const row = tables.operations.get(operation.id)
  if (row === undefined) return
  const { isFresh, carried, kind } = operation
  Object.assign(row, { state: 'sending', sent: row.sent + 1, absentReads: 0, fresh: isFresh })
  row.carried = carried ?? row.carried
  if (kind === 'terms') row.terms = operation.terms ?? row.terms
  const link = row.linkId === undefined ? undefined : tables.links.get(row.linkId)
  if (kind === 'create' || link === undefined) return
  link.fingerprint = undefined
  const fields = kind === 'update' || kind === 'consent' ? stepFields(operation) : {}
  link.unsure = [...new Set([...link.unsure, ...Object.keys(fields)])]
  if (marks.length > 0) link.terms = withMarks(link.terms ?? [], marks)
}

/** What was ours to give, and is withdrawn, goes to another record of the contact that asserts it. */
function assertTerms(tables: Tables, link: Link, outcome: TermOutcome): void {
  const stays = new Set([...outcome.asserts.map(({ name }) => name), ...outcome.removed].map(termKey))
  const lost = (link.terms ?? []).filter(({ name, ours }) => ours && !stays.has(termKey(name)))
  for (const { name } of lost) {
    const asserts = (one: Link): boolean =>
      one.terms?.some((term) => termKey(term.name) === termKey(name)) === true
    const [heir] = linksWhere(
      tables,
      (one) => one.contactId === link.contactId && one.id !== link.id && asserts(one),
    ).sort(byId)
    if (heir === undefined) continue
    heir.terms = heir.terms?.map((term) =>
      termKey(term.name) === termKey(name) ? { ...term, ours: true } : term,
    )
  }
  link.terms = outcome.asserts.map(({ name, ours, unsure }) => ({ name, ours, unsure: unsure === true }))
}

function putLink(tables: Tables, { pipeline, key }: Operation, after: LinkAfter): Link {
  const { contactId, known, mailKey, bringsMail, unsure, isFresh: fresh, terms } = after
  const before = linkOf(tables, pipeline, key)
  const link: Link = before ?? {
    id: nextIn(tables.links),
    pipeline,
    key,
    contactId,
    mailKey,
    known,
    gone: false,
    terms: undefined,
    unsure,
    missing: 0,
    missingIn: undefined,
    missingAt: undefined,
    byId: false,
    openUntil: 0,
    fresh,
    fingerprint: undefined,
  }
  Object.assign(link, { contactId, known, unsure, gone: false, fresh })
  if (bringsMail) link.mailKey = mailKey
  tables.links.set(link.id, link)
  if (terms !== undefined) assertTerms(tables, link, terms)
  return link
}

/** Of earlier inputs only, and by a record of a file: in its own input a later record of the same key may stand rejected, rightly. */
function clearEarlierRejects({ rejects }: Tables, { pipeline, key, inputId, record }: Row): void {
  if (record.fingerprint === '') return
  for (const reject of [...rejects.values()])
    if (reject.pipeline === pipeline && reject.key === key && reject.inputId < inputId)
      rejects.delete(reject.id)
}

function linked(
  tables: Tables,
  row: Row,
  { operation, runId }: At,
  after: AfterStep & { kind: 'linked' },
): void {
  const link = putLink(tables, operation, after.link)
  const { fingerprint } = row.record
  link.fingerprint = after.isSettled && fingerprint !== '' ? fingerprint : undefined
  if (after.isSettled) clearEarlierRejects(tables, row)
  if (after.next === undefined) tables.operations.delete(row.id)
  else Object.assign(row, after.next, { state: 'planned', runId, linkId: link.id, reason: undefined })
}

type Named = Pick<Row, 'pipeline' | 'key'>

function unlink(tables: Tables, { pipeline, key }: Named): void {
  const link = linkOf(tables, pipeline, key)
  if (link !== undefined) tables.links.delete(link.id)
  tables.resolved.delete(nameOf(pipeline, key))
}

/** Records of other pipelines that have gone as well. */
const goneElsewhere = (tables: Tables, row: Row): readonly Named[] =>
  linksWhere(
    tables,
    (link) =>
      link.contactId === row.contactId && link.pipeline !== row.pipeline && link.missing > 0 && !link.gone,
  )

/** Record and contact are gone. */
function forgetRecord(tables: Tables, { pipeline, key }: Named, contactId: number | undefined): void {
  unlink(tables, { pipeline, key })
  for (const one of rowsWhere(
    tables,
    (row) => row.pipeline === pipeline && row.key === key && isKeyed(row) && isIn(JUDGED_AGAIN, row),
  ))
    tables.operations.delete(one.id)
  forgetEdits(tables, { pipeline, key, contactId })
}

function reject(tables: Tables, row: Row, { code, reason }: AfterStep & { kind: 'rejected' }): void {
  clearEarlierRejects(tables, row)
  const { inputId, pipeline, key, record } = row
  const id = nextIn(tables.rejects)
  const header = headerOf(tables, inputId)
  tables.rejects.set(id, { id, inputId, pipeline, key, code, reason, record, header })
  tables.operations.delete(row.id)
}

function park(tables: Tables, row: Row, parked: Parked): void {
  const { state, reason, notBefore, absentReads, contactId = row.contactId, isSwallowed, isGone } = parked
  Object.assign(row, { state, reason, notBefore, absentReads, contactId })
  // A release counts once; a delete whose contact was edited keeps it.
  if (state === 'held' && row.cause === 'record') row.released = false
  if (isSwallowed) row.swallowed += 1
  const link = linkOf(tables, row.pipeline, row.key)
  if (!isGone || link === undefined) return
  link.gone = true
  forgetEdits(tables, { pipeline: row.pipeline, key: row.key, contactId: undefined })
}

interface At {
  readonly at: number
  readonly operation: Operation
  readonly runId: string
}

function carryOut(tables: Tables, row: Row, at: At, after: AfterStep): void {
  if ('restored' in after) {
    const link = linkOf(tables, row.pipeline, row.key)
    const { unsure, terms } = after.restored
    if (link !== undefined && unsure !== undefined) link.unsure = unsure
    if (link !== undefined && terms !== undefined) link.terms = terms ?? undefined
  }
  switch (after.kind) {
    case 'linked':
      return linked(tables, row, at, after)
    case 'passed':
      tables.passed.set(nameOf(row.pipeline, row.key), row.record.fingerprint)
      return void tables.operations.delete(row.id)
    case 'unlinked':
      countDelete(tables, row, at.at)
      tables.operations.delete(row.id)
      for (const one of [...goneElsewhere(tables, row), row]) forgetRecord(tables, one, row.contactId)
      return void tables.deleted.add(row.pipeline)
    case 'retracted':
      unlink(tables, row)
      if (!after.isTriedAgain) return void tables.operations.delete(row.id)
      return void Object.assign(row, RETRACTED, { reason: after.reason })
    case 'rejected':
      return reject(tables, row, after)
    case 'parked':
      return park(tables, row, after.parked)
    case 'taken_back':
      return void Object.assign(row, {
        kind: 'delete',
        state: 'planned',
        sent: 0,
        order: after.order,
        reason: after.reason,
      })
  }
}

const RETRACTED = {
  kind: 'create',
  state: 'failed',
  linkId: undefined,
  contactId: undefined,
  outcome: undefined,
  fresh: false,
  carried: undefined,
} as const

function keepOpen(tables: Tables, { operation, openUntil: until }: Settled): void {
  if (until === undefined) return
  const link = linkOf(tables, operation.pipeline, operation.key)
  if (link !== undefined) link.openUntil = until
  for (const one of linksWhere(tables, ({ contactId }) => contactId === operation.contactId))
    one.openUntil = Math.min(one.openUntil, until)
}

export function settleOne(tables: Tables, settled: Settled, context: EntryContext) {
  const { operation, resolved } = settled
  const row = tables.operations.get(operation.id)
  if (row === undefined) throw new Error(`operation ${operation.id} is not in the journal`)
  const { pipeline, key } = row
  if (resolved !== undefined) {
    for (const one of tables.resolved.values())
      if (one.pipeline === pipeline && one.mailKey === resolved.mailKey) one.rule = resolved.rule
    tables.resolved.set(nameOf(pipeline, key), { ...resolved, pipeline })
  }
  const others = sentByOthers(tables, settled)
  const after = afterStep(settled, {
    isAnothers: (contactId) =>
      linksWhere(
        tables,
        (link) => link.pipeline === pipeline && link.contactId === contactId && link.key !== key,
      ).length > 0,
    hasNewer: () => hasNewer(tables, row),
    isMissing: () => (linkOf(tables, pipeline, key)?.missing ?? 0) > 0,
  })
  carryOut(tables, row, { ...context, operation }, after)
  keepOpen(tables, settled)
  const judged = judgedEdits(settled)
  if (judged !== undefined) keepEdits(tables, judged, context.at)
  noteSent(tables, settled)
  tables.log.push(...auditEntries({ ...settled, settlement: after.logged }, context, others))
  return after.settlement
}
