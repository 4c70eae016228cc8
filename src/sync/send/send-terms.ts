// The terms of one contact: names to ids, a look at what the contact has where the policy needs it, then the fewest
// calls that bring it there. Never an empty list, and never the whole list unless the pipeline says `replace`.
import type { LinkedOperation, Operation, Settled } from '../../core/change/operation.ts'
import { removalsOf, SUPPRESSED_REASON } from '../../core/change/consents/suppression.ts'
import { editsText, type MergedTerms, termField } from '../../core/change/others/hand-edits.ts'
import type { CallResult, RequestTrace, Term } from '../../core/ports.ts'
import { termPolicy } from '../../core/change/steps.ts'
import type { TermMark } from '../../core/state.ts'
import { termKey, termOutcome, type TermPlan, termsBeyond } from '../../core/mapping/terms.ts'
import type { RunContext } from '../context.ts'
import { mergedTerms } from '../hand-edits.ts'
import { gone, settle, settledByFailure } from './settle.ts'
import { isHeldBack } from './suppressed-send.ts'

/** `given`: by another request of the step, before. */
type Failure = Exclude<CallResult<unknown>, { kind: 'ok' }> & Pick<Settled, 'given' | 'givenBy'>

/** Names as terms; those that the service folds into others are left over. */
interface Resolved {
  readonly terms: ReadonlyMap<string, Term>
  readonly unusable: readonly string[]
}

async function resolve(names: readonly string[], context: RunContext): Promise<Resolved | Failure> {
  const terms = new Map<string, Term>()
  const unusable: string[] = []
  for (const name of names) {
    const found = await context.terms.ensure(name, context)
    if (found.kind === 'failed') return found.result
    if (found.kind === 'folded') unusable.push(name)
    else terms.set(termKey(name), found.term)
  }
  return { terms, unusable }
}

/** The work on one contact: who it is, what it is to get and to lose. */
interface TermWork {
  readonly operation: Operation
  readonly contactId: number
  readonly plan: TermPlan
  readonly policy: 'add' | 'managed' | 'replace'
  readonly resolved: Resolved
  /** What the contact has now; undefined where it was not read. */
  readonly actual: readonly Term[] | undefined
  /** By which it was read. */
  readonly looked: RequestTrace | undefined
  /** What was edited at the service, and stays. */
  readonly kept?: MergedTerms | undefined
  /** What the suppression list keeps from the contact. */
  readonly suppressed: readonly string[]
  readonly context: RunContext
}

const idsOf = (terms: readonly Term[]): readonly number[] => terms.map(({ id }) => id)

async function look(contactId: number, context: RunContext): Promise<CallResult<readonly Term[]>> {
  return await context.session.contactTerms(contactId)
}

/** PUT, and after a lost answer a look whether it got there: adding a term may start a mailing, so never twice. */
async function addTerms(work: TermWork, terms: readonly Term[]): Promise<CallResult<true>> {
  const { contactId, context } = work
  const result = await context.session.addContactTerms(contactId, idsOf(terms))
  if (result.kind !== 'unknown') return result
  const now = await look(contactId, context)
  const isThere = now.kind === 'ok' && terms.every(({ id }) => now.value.some((term) => term.id === id))
  return isThere ? { kind: 'ok', value: true, request: result.request } : result
}

/** The terms that should be there after a removal, and are not; and those that should have gone. */
function wrongAfter(before: readonly Term[], removed: readonly Term[], now: readonly Term[]) {
  const has = (terms: readonly Term[], id: number): boolean => terms.some((term) => term.id === id)
  return {
    lost: before.filter(({ id }) => !has(removed, id) && !has(now, id)),
    left: removed.filter(({ id }) => has(now, id)),
  }
}

const NOT_REMOVED = 'the service accepted the removal of a term but did not apply it'

/** DELETE; where `verify` is on with a look afterwards, because its body may get lost on the way. Gives what had to be restored. */
async function removeTerms(
  work: TermWork,
  before: readonly Term[],
  terms: readonly Term[],
): Promise<CallResult<readonly Term[]>> {
  const { contactId, context } = work
  const result = await context.session.removeContactTerms(contactId, idsOf(terms))
  if (result.kind !== 'ok') return result
  if (!context.pipeline.terms.verify) return { ...result, value: [] }
  const now = await look(contactId, context)
  if (now.kind !== 'ok') return now
  const { lost, left } = wrongAfter(before, terms, now.value)
  if (lost.length > 0) {
    context.log.warn('service removed too many terms: restored', {
      contact_id: contactId,
      terms: lost.map(({ name }) => name).join(', '),
    })
    const back = await addTerms(work, lost)
    if (back.kind !== 'ok') return back
  }
  if (left.length === 0) return { ...result, value: lost }
  const { request } = result
  return { kind: 'unknown', reason: NOT_REMOVED, summary: NOT_REMOVED, request }
}

interface Done {
  readonly added: readonly Term[]
  /** Went with what was removed, and was given again. */
  readonly restored?: readonly Term[]
  readonly removed: readonly Term[]
  readonly request: RequestTrace | undefined
}

/** What the ledger cannot be sure of until the answer is there: what is given, and what of the asserted is taken. */
function termMarks(
  { operation, policy }: TermWork,
  added: readonly Term[],
  removed: readonly Term[],
): readonly TermMark[] {
  const asserted = (operation.asserted ?? []).map(({ name }) => name)
  const beyond = termsBeyond(namesOf(removed), asserted)
  return [
    ...added.map(({ name }) => ({ name, ours: policy !== 'add' })),
    ...namesOf(removed)
      .filter((name) => !beyond.includes(name))
      .map((name) => ({ name, ours: false })),
  ]
}

/** add and managed: what is missing by PUT, what is to go by DELETE. */
async function changeTerms(work: TermWork, removable: readonly string[]): Promise<Done | Failure> {
  const { actual, plan, resolved, context } = work
  const wanted = plan.add.flatMap((name) => resolved.terms.get(termKey(name)) ?? [])
  const added = wanted.filter(({ id }) => actual?.some((term) => term.id === id) !== true)
  const keys = new Set(removable.map(termKey))
  const removed = (actual ?? []).filter(({ name }) => keys.has(termKey(name)))
  if (added.length + removed.length > 0)
    await context.state.markSending([work.operation], { terms: termMarks(work, added, removed) })
  let request: RequestTrace | undefined
  let restored: readonly Term[] = []
  if (added.length > 0) {
    const result = await addTerms(work, added)
    if (result.kind !== 'ok') return result
    request = result.request
  }
  if (removed.length > 0) {
    const result = await removeTerms(work, [...(actual ?? []), ...added], removed)
    const given = namesOf(added).map((name) => ({ name, ours: work.policy !== 'add' }))
    if (result.kind !== 'ok') return request === undefined ? result : { ...result, given, givenBy: request }
    request = result.request
    restored = result.value
  }
  return { added, removed, restored, request }
}

/** replace: what the list as a whole adds to what is there, and takes away. */
function replacement({ actual = [], plan, resolved, kept }: TermWork) {
  const asked = termsBeyond(plan.asserts, kept?.keptAway ?? [])
  const stay = new Set((kept?.keptThere ?? []).map(termKey))
  const wanted = [
    ...asked.flatMap((name) => resolved.terms.get(termKey(name)) ?? []),
    ...actual.filter(({ name }) => stay.has(termKey(name))),
  ]
  const added = wanted.filter(({ id }) => !actual.some((term) => term.id === id))
  const removed = actual.filter(({ id }) => !wanted.some((term) => term.id === id))
  return { wanted, added, removed }
}

/** Only the look shows what `replace` takes away; the journal is to name it, and so is the entry of a call that fails. */
function withNames(work: TermWork): TermWork {
  if (work.policy !== 'replace') return work
  const { added, removed } = replacement(work)
  const terms = { ...work.plan, add: namesOf(added), remove: namesOf(removed) }
  return { ...work, operation: { ...work.operation, terms } }
}

/** replace: the list as a whole, where it differs; an empty one by taking away each that is there. */
async function replaceTerms(work: TermWork): Promise<Done | Failure> {
  const { actual = [], contactId, context } = work
  const { wanted, added, removed } = replacement(work)
  if (added.length + removed.length === 0) return { added, removed, request: undefined }
  await context.state.markSending([work.operation], { terms: termMarks(work, added, removed) })
  const result =
    wanted.length === 0
      ? await removeTerms(work, actual, removed)
      : await context.session.setContactTerms(contactId, idsOf(wanted))
  return result.kind === 'ok' ? { added, removed, request: result.request } : result
}

const namesOf = (terms: readonly Term[]): readonly string[] => terms.map(({ name }) => name)

/** Withdrawn, added by us, and asserted by no other record at this moment. */
async function stillRemovable({ operation, plan, context }: TermWork): Promise<readonly string[]> {
  return plan.remove.length === 0
    ? []
    : termsBeyond(plan.remove, await context.state.termsOfOthers(operation))
}

/** With those terms of its list that a user edited at the service, where edits are kept. */
async function withEdits(work: TermWork): Promise<TermWork> {
  if (work.policy !== 'replace') return work
  const shown = namesOf(work.actual ?? [])
  const kept = await mergedTerms(work.operation, { wanted: work.plan.asserts, shown }, work.context)
  return { ...work, kept }
}

/** What the list of edits is to say of these terms. */
function editsOf({ kept, operation, plan, actual }: TermWork): Pick<Settled, 'merged'> {
  if (kept === undefined) return {}
  const asserted = (operation.asserted ?? []).map(({ name }) => name)
  const judged = new Set([...plan.asserts, ...namesOf(actual ?? []), ...asserted].map(termField))
  return { merged: { judged: [...judged], edits: kept.edits } }
}

/** What an earlier request of ours, whose answer was lost, has given and taken: the look shows it, and the log is to have it. */
function landed(
  { operation, plan, policy, resolved, actual }: TermWork,
  removable: readonly string[],
): Pick<Done, 'added'> & { readonly removed: readonly string[] } {
  if (actual === undefined) return { added: [], removed: [] }
  const unsure = new Set(
    (operation.asserted ?? []).filter((term) => term.unsure).map(({ name }) => termKey(name)),
  )
  const isUnsure = (name: string): boolean => unsure.has(termKey(name))
  const wanted = (policy === 'replace' ? plan.asserts : plan.add).filter(isUnsure)
  const given = wanted.flatMap((name) => resolved.terms.get(termKey(name)) ?? [])
  const shown = namesOf(actual)
  return {
    added: given.filter(({ id }) => actual.some((term) => term.id === id)),
    removed: termsBeyond(removable.filter(isUnsure), shown),
  }
}

/**
 * A 404 to such a write may be about a term: one that was deleted at the service since the list was read. A contact is taken
 * for deleted only where it cannot be read either; otherwise the next run, which reads the list again, gives the terms.
 */
async function lookedFor(failure: Failure, { contactId, context }: TermWork): Promise<Failure> {
  if (failure.kind !== 'absent') return failure
  const seen = await context.session.contactById(contactId, ['id'])
  return seen.kind === 'absent' ? failure : { ...failure, kind: 'not_applied' }
}

const suppressedText = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `not given: ${names.join(', ')}; ${SUPPRESSED_REASON}`

async function carryOut(planned: TermWork): Promise<Settled> {
  const work = withNames(await withEdits(planned))
  const { operation, contactId, plan, policy, resolved, context } = work
  const removable = policy === 'replace' ? plan.remove : await stillRemovable(work)
  const before = landed(work, removable)
  const done = policy === 'replace' ? await replaceTerms(work) : await changeTerms(work, removable)
  if ('kind' in done) {
    const failure = await lookedFor(done, work)
    if (failure.kind === 'absent') return gone(operation, done.request)
    const { given: names, givenBy } = done
    const given = names === undefined || givenBy === undefined ? {} : { given: names, givenBy }
    return { ...settledByFailure(operation, failure, context), ...given }
  }
  const { unusable } = resolved
  const names = {
    added: namesOf([...before.added, ...done.added]),
    removed: [...before.removed, ...namesOf(done.removed)],
    unusable,
  }
  const isSettled = before.added.length + before.removed.length > 0
  const request = done.request ?? (isSettled ? work.looked : undefined)
  const text = [editsText(work.kept?.edits ?? []), suppressedText(work.suppressed)]
    .filter((one) => one !== undefined)
    .join('; ')
  const why = text === '' ? {} : { reason: text }
  const isUntouched = request === undefined
  const outcome = termOutcome(plan, operation.asserted, names, policy)
  return {
    operation,
    request,
    terms: { ...outcome, added: [...outcome.added, ...namesOf(done.restored ?? [])] },
    settlement: isUntouched ? { kind: 'settled', ...why } : { kind: 'done', contactId, ...why },
    ...editsOf(work),
  }
}

/** Whether the contact has to be looked at before anything is sent. */
function needsLook({ plan, policy }: Pick<TermWork, 'plan' | 'policy'>, operation: Operation): boolean {
  // managed: what is there already was given by others. A step that failed before may have been applied.
  if (policy === 'managed') return plan.add.length + plan.remove.length > 0
  const unsure = (operation.asserted ?? []).filter((term) => term.unsure).map(({ name }) => name)
  const isAgain = operation.reason !== undefined || termsBeyond(plan.add, unsure).length < plan.add.length
  return policy === 'replace' || isAgain
}

/** A term that was renamed at the service is still at the contact, under a name by which it cannot be recognised. */
async function noteNotRemoved({ operation, terms }: Settled, context: RunContext): Promise<void> {
  // `replace` has removed whatever it is called now.
  if (terms === undefined || termPolicy(operation, context.pipeline) === 'replace') return
  const left = termsBeyond(operation.terms?.remove ?? [], terms.removed)
  if (left.length > 0) await context.terms.warnOfAbsent(left, context)
}

/** The step after a contact's fields: PUT, POST or DELETE of /contact/<contact_id>/terms (interface, 4.3). */
export async function sendTerms(operation: LinkedOperation<'terms'>, context: RunContext): Promise<void> {
  const { contactId } = operation
  const policy = termPolicy(operation, context.pipeline)
  const isHeld = await isHeldBack(operation, context)
  const asked = operation.terms ?? { add: [], remove: [], asserts: [] }
  const plan = isHeld ? removalsOf(asked, undefined) : asked
  const resolved = await resolve(policy === 'replace' ? plan.asserts : plan.add, context)
  if ('kind' in resolved) return settle([settledByFailure(operation, resolved, context)], context)
  const settled = await context.turns.take(contactId, async (): Promise<Settled> => {
    const seen = needsLook({ plan, policy }, operation) ? await look(contactId, context) : undefined
    if (seen?.kind === 'absent') return gone(operation, seen.request)
    if (seen !== undefined && seen.kind !== 'ok') return settledByFailure(operation, seen, context)
    const actual = seen?.value
    const kept =
      isHeld && policy === 'replace' && actual !== undefined ? removalsOf(plan, namesOf(actual)) : plan
    return carryOut({
      operation,
      contactId,
      plan: kept,
      policy,
      resolved,
      actual,
      looked: seen?.request,
      suppressed: isHeld ? asked.add : [],
      context,
    })
  })
  await settle([settled], context)
  await noteNotRemoved(settled, context)
}
