// Finds again, at the service, the contacts of records that a lost or an older state has no link for. Reads only:
// no write is sent, no file is moved, and what cannot be told is left to a person instead of being made once more.
import { linkEntry } from '../core/log/other-entries.ts'
import { type ErrorCode, inputError } from '../core/words/errors.ts'
import { shownContact } from '../core/change/lookup/likeness.ts'
import type { CallResult, MailLookup, RequestTrace, ServiceContact } from '../core/ports.ts'
import type { CheckMethod } from '../core/change/lookup/doubt.ts'
import { type Contact, contactMailKey } from '../core/mapping/contact.ts'
import { type Finding, findingFor } from '../core/change/lookup/rebuild.ts'
import { type Counts, type InputReport, noCounts, type RunStatus } from '../core/outcome/summary.ts'
import { isStopped } from './context.ts'
import { knownOrders, ordersAcross } from './plan/date-orders.ts'
import { loadCustomFields } from './definitions.ts'
import {
  type Candidate,
  candidatesOf,
  leavingOpen,
  type OpenCreates,
  type RebuildContext,
  type RebuildCounts,
} from './rebuild-read.ts'
import { reopenInputs } from './recover.ts'
import { refusal } from './input-reports.ts'
import { haltFor, waitingInputs } from './run.ts'

export interface RebuildResult extends RebuildCounts {
  readonly pipeline: string
  readonly run_id: string
  readonly status: RunStatus
  /** Whether everything that waited was looked up. */
  readonly complete: boolean
  readonly files: readonly InputReport[]
  readonly error?: string
  /** Why it failed; absent when it did not. */
  readonly code?: ErrorCode
}

const noRebuildCounts = (): RebuildCounts => ({
  read: 0,
  known: 0,
  found: 0,
  absent: 0,
  shared: 0,
  in_doubt: 0,
  unmapped: 0,
  unanswered: 0,
})

type Seen =
  | { readonly kind: 'seen'; readonly found: MailLookup; readonly request: RequestTrace }
  | { readonly kind: 'never'; readonly reason: string }
  | { readonly kind: 'unanswered' }

const NO_MAIL =
  'the contact has no e-mail address to look it up by, so only an operator can tell whether it exists'

function seenBy(result: CallResult<MailLookup>): Seen {
  const { request } = result
  if (result.kind === 'ok') return { kind: 'seen', found: result.value, request }
  if (result.kind === 'absent') return { kind: 'seen', found: { contacts: [], others: [] }, request }
  const isImpossible = result.kind === 'refused' || (result.kind === 'unknown' && request.attempts === 0)
  return isImpossible
    ? { kind: 'never', reason: `its e-mail address cannot be looked up: ${result.reason}` }
    : { kind: 'unanswered' }
}

async function look(desired: Contact, context: RebuildContext): Promise<Seen> {
  const { mail } = desired
  if (typeof mail !== 'string' || mail === '') return { kind: 'never', reason: NO_MAIL }
  if (isStopped(context)) return { kind: 'unanswered' }
  return seenBy(await context.session.contactsByMail(mail, Object.keys(desired)))
}

async function findingOf(
  { key, desired }: Pick<Candidate, 'key' | 'desired'>,
  { seen, check }: { seen: Exclude<Seen, { kind: 'unanswered' }>; check: CheckMethod },
  context: RebuildContext,
): Promise<Finding> {
  if (seen.kind !== 'seen') return { kind: 'unclear', reason: seen.reason }
  const { name: pipeline, household } = context.pipeline
  const ids = [...seen.found.contacts, ...seen.found.others].map(({ id }) => id)
  const { here: taken } = await context.state.contactsOfOthers({ pipeline, key }, ids)
  return findingFor(desired, { found: seen.found, taken, household }, check)
}

/** Forms of the record in creates that are open, with other mails than it has now: its contact may show one of them. */
function formerForms({ desired, open }: Candidate): readonly Contact[] {
  const forms = open.map((operation) => ({ ...desired, ...operation.desired }))
  const byMail = new Map(forms.map((form) => [contactMailKey(form), form]))
  byMail.delete(undefined)
  byMail.delete(contactMailKey(desired))
  return [...byMail.values()]
}

/** What the look-ups say of a record; undefined where one had no answer. */
async function findingFrom(
  candidate: Candidate,
  seen: Exclude<Seen, { kind: 'unanswered' }>,
  context: RebuildContext,
): Promise<{ finding: Finding; request: RequestTrace | undefined } | undefined> {
  const of = (one: typeof seen): RequestTrace | undefined => (one.kind === 'seen' ? one.request : undefined)
  // A former mail may be another record's by now: only a contact that shows the values that were to be sent is the record's.
  const check = candidate.isFormer ? 'none' : context.pipeline.duplicate_check_method
  const finding = await findingOf(candidate, { seen, check }, context)
  if (finding.kind !== 'absent' && finding.kind !== 'by_mail') return { finding, request: of(seen) }
  for (const desired of formerForms(candidate)) {
    const before = await look(desired, context)
    if (before.kind === 'unanswered') return undefined
    const former = await findingOf({ ...candidate, desired }, { seen: before, check: 'none' }, context)
    const isBetter = former.kind === 'found' || (finding.kind === 'absent' && former.kind !== 'absent')
    if (isBetter) return { finding: former, request: of(before) }
  }
  return { finding, request: of(seen) }
}

const entryFor = (
  { key, source }: Candidate,
  about: { contactId: number | undefined; reason: string; request: RequestTrace | undefined },
  { clock, runId, pipeline }: RebuildContext,
) =>
  linkEntry(
    { key, source, ...about },
    { at: clock.now(), runId, pipeline: pipeline.name, configHash: pipeline.hash },
  )

/** What was found by its mail alone: it is decided about when all others are. */
interface Later {
  readonly candidate: Candidate
  readonly contact: ServiceContact
  readonly request: RequestTrace | undefined
}

async function link({ candidate, contact, request }: Later, context: RebuildContext): Promise<void> {
  const { key, desired, open } = candidate
  const { id: contactId } = contact
  const entry = entryFor(candidate, { contactId, reason: 'found by its e-mail address', request }, context)
  await context.state.linkFound({
    pipeline: context.pipeline.name,
    key,
    contactId,
    known: shownContact(desired, contact),
    operationIds: open.map(({ id }) => id),
    entry,
  })
}

async function conclude(
  candidate: Candidate,
  seen: Seen,
  { later, context }: { later: Map<string, Later>; context: RebuildContext },
): Promise<keyof RebuildCounts | 'later'> {
  if (seen.kind === 'unanswered') return 'unanswered'
  const looked = await findingFrom(candidate, seen, context)
  if (looked === undefined) return 'unanswered'
  const { finding, request } = looked
  const { key } = candidate
  switch (finding.kind) {
    case 'absent':
    case 'shared':
      return finding.kind
    case 'by_mail':
      later.set(key, { candidate, contact: finding.contact, request })
      return 'later'
    case 'unclear': {
      if (later.has(key)) return 'unmapped'
      const about = { contactId: undefined, reason: finding.reason, request }
      await candidate.leave?.(finding.reason, entryFor(candidate, about, context))
      return 'in_doubt'
    }
    case 'found':
      await link({ candidate, contact: finding.contact, request }, context)
      return 'found'
  }
}

/** Once every contact that shows the values of a record has its link. */
async function concludeLater(
  later: ReadonlyMap<string, Later>,
  counts: RebuildCounts,
  context: RebuildContext,
): Promise<void> {
  const { name: pipeline } = context.pipeline
  for (const [key, one] of later) {
    const [known] = await context.state.known(pipeline, [key])
    const { here: taken } = await context.state.contactsOfOthers({ pipeline, key }, [one.contact.id])
    const isKnown = known?.link !== undefined
    if (!isKnown && taken.length === 0) await link(one, context)
    counts[isKnown ? 'known' : taken.length === 0 ? 'found' : 'shared'] += 1
  }
}

/** Looks some up at a time; decides about them one after the other, because one may take the other's contact. */
async function lookUpAll(
  candidates: readonly Candidate[],
  { counts, later }: { counts: RebuildCounts; later: Map<string, Later> },
  context: RebuildContext,
): Promise<void> {
  for (let at = 0; at < candidates.length; at += context.concurrency) {
    const some = candidates.slice(at, at + context.concurrency)
    const seen = await Promise.all(some.map(({ desired }) => look(desired, context)))
    for (const [index, candidate] of some.entries()) {
      const what = seen[index] ?? { kind: 'unanswered' }
      const concluded = await conclude(candidate, what, { later, context })
      if (concluded !== 'later') counts[concluded] += 1
    }
    context.report({ phase: 'read', read: counts.read })
  }
}

/** What is found so far, and the open creates whose records no file has. */
interface Found {
  readonly left: OpenCreates
  readonly counts: RebuildCounts
  readonly later: Map<string, Later>
}

/** Creates that the state still has open: in the time that it has forgotten they may have been sent. */
async function lookUpOpen({ left, counts, later }: Found, context: RebuildContext): Promise<void> {
  const known = await context.state.known(context.pipeline.name, [...left.keys()])
  const candidates = [...left].flatMap(([key, open], index): Candidate[] => {
    const newest = open.at(-1)
    if (newest === undefined || known[index]?.link !== undefined) return []
    const { desired, source } = newest
    return [{ key, desired, source, open, isFormer: false, leave: leavingOpen(open, context) }]
  })
  counts.read += left.size
  counts.known += left.size - candidates.length
  await lookUpAll(candidates, { counts, later }, context)
}

async function lookUpFiles(
  { left, counts, later }: Found,
  { wait, files }: { wait: boolean; files: InputReport[] },
  context: RebuildContext,
): Promise<void> {
  const customFields = await loadCustomFields(context)
  const { ready, unmoved, reports } = await waitingInputs(context, wait)
  files.push(...reports)
  const oldestFirst = [...unmoved.map(({ input }) => input), ...ready]
  // A date that no order is known for rejects its record, and the next run, which knows one, would create it once more.
  const whole = { ...context, customFields, isStopped: () => isStopped(context) }
  const about = {
    customFields,
    orders: await ordersAcross(oldestFirst, await knownOrders(context), whole),
    counts,
    openCreates: new Map(left),
    left,
    newer: new Map<string, string | undefined>(),
  }
  // The newest first: what an older one says of a record is no longer so.
  const inputs = oldestFirst.toReversed()
  for (const [index, input] of inputs.entries()) {
    if (isStopped(context)) return
    const file = { file: index + 1, files: inputs.length, bytesRead: 0, bytesTotal: input.bytes }
    context.report({ phase: 'read', ...file })
    try {
      for await (const candidates of candidatesOf(input, about, context))
        await lookUpAll(candidates, { counts, later }, context)
      files.push({ file: input.name, status: isStopped(context) ? 'left' : 'done' })
    } catch (error) {
      const known = inputError(error)
      if (known === undefined) throw error
      files.push(refusal(input, known))
    }
  }
}

const NOTHING_WAITS = 'no file is waiting, so nothing could be looked up: drop the last exports again'

function errorText(context: RebuildContext, files: readonly InputReport[]): string | undefined {
  const stop =
    context.circuit.stop?.message ?? (context.signal.aborted ? 'stopped before it was complete' : undefined)
  const all = [stop, ...files.map(({ error }) => error)].filter((text) => text !== undefined)
  if (files.length === 0 && all.length === 0) return NOTHING_WAITS
  return all.length === 0 ? undefined : all.join('; ')
}

function outcome(counts: RebuildCounts, files: readonly InputReport[], context: RebuildContext) {
  const complete =
    !isStopped(context) &&
    counts.unanswered === 0 &&
    files.length > 0 &&
    files.every(({ status }) => status === 'done')
  const isClear = complete && counts.in_doubt === 0
  const status: RunStatus = isStopped(context) ? 'failed' : isClear ? 'ok' : 'partial'
  return { complete, status }
}

/** As a run's, so that the runs of a pipeline tell of it. */
const runCounts = ({ read, known, found, in_doubt, ...others }: RebuildCounts): Counts => ({
  ...noCounts(),
  read,
  in_doubt,
  unchanged: known + found + others.absent + others.shared + others.unmapped,
  failed: others.unanswered,
})

/** Rebuilds one pipeline. Throws what is a fault of this program or of the state. `wait`: lets growing files settle first. */
export async function rebuildPipeline(
  context: RebuildContext,
  options: { wait: boolean },
): Promise<RebuildResult> {
  const { clock, pipeline, runId, state } = context
  const counts = noRebuildCounts()
  const files: InputReport[] = []
  await state.beginRun({
    id: runId,
    pipeline: pipeline.name,
    startedAt: clock.now(),
    configHash: pipeline.hash,
  })
  try {
    await reopenInputs(context)
    // What the files say of a record is newer: its mail may be another one, and its former mail another record's by now.
    const open = await context.state.openCreates(pipeline.name)
    const found: Found = { left: Map.groupBy(open, ({ key }) => key), counts, later: new Map() }
    await lookUpFiles(found, { ...options, files }, context)
    await lookUpOpen(found, context)
    if (!isStopped(context)) await concludeLater(found.later, counts, context)
  } catch (error) {
    haltFor(error, context)
  }
  const { complete, status } = outcome(counts, files, context)
  const error = errorText(context, files)
  await state.endRun(runId, {
    endedAt: clock.now(),
    status,
    counts: runCounts(counts),
    error,
    code: undefined,
    drift: 0,
    files: 0,
    refused: 0,
  })
  const { stop } = context.circuit
  return {
    pipeline: pipeline.name,
    run_id: runId,
    status,
    complete,
    ...counts,
    files,
    ...(error === undefined ? {} : { error }),
    ...(stop === undefined ? {} : { code: stop.code }),
  }
}
