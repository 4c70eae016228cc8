// Finds again, at the service, the contacts of records that a lost or an older state has no link for. Reads only:
// no write is sent, no file is moved, and what cannot be told is left to a person instead of being made once more.
import { linkEntry } from '../core/log/audit.ts'
import type { ErrorCode } from '../core/words/errors.ts'
import { shownContact } from '../core/change/lookup/likeness.ts'
import type { CallResult, MailLookup, RequestTrace } from '../core/ports.ts'
import { type Finding, findingFor } from '../core/change/lookup/rebuild.ts'
import { type Counts, type InputReport, noCounts, type RunStatus } from '../core/outcome/summary.ts'
import { isStopped } from './context.ts'
import { loadCustomFields } from './definitions.ts'
import { type Candidate, candidatesOf, type RebuildContext, type RebuildCounts } from './rebuild-read.ts'
import { reopenInputs } from './recover.ts'
import { inputError } from './input-error.ts'
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

async function look({ desired }: Candidate, context: RebuildContext): Promise<Seen> {
  const { mail } = desired
  if (typeof mail !== 'string' || mail === '') return { kind: 'never', reason: NO_MAIL }
  if (isStopped(context)) return { kind: 'unanswered' }
  return seenBy(await context.session.contactsByMail(mail, Object.keys(desired)))
}

async function findingOf(candidate: Candidate, seen: Seen, context: RebuildContext): Promise<Finding> {
  if (seen.kind !== 'seen') return { kind: 'unclear', reason: seen.kind === 'never' ? seen.reason : '' }
  const { name: pipeline, duplicate_check_method: check, household } = context.pipeline
  const ids = [...seen.found.contacts, ...seen.found.others].map(({ id }) => id)
  const { here: taken } = await context.state.contactsOfOthers({ pipeline, key: candidate.key }, ids)
  return findingFor(candidate.desired, { found: seen.found, taken, household }, check)
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

async function conclude(
  candidate: Candidate,
  seen: Seen,
  context: RebuildContext,
): Promise<keyof RebuildCounts> {
  if (seen.kind === 'unanswered') return 'unanswered'
  const request = seen.kind === 'seen' ? seen.request : undefined
  const finding = await findingOf(candidate, seen, context)
  if (finding.kind === 'absent' || finding.kind === 'shared') return finding.kind
  if (finding.kind === 'unclear') {
    const { reason } = finding
    await candidate.leave?.(reason, entryFor(candidate, { contactId: undefined, reason, request }, context))
    return 'in_doubt'
  }
  const { key, desired, operationId } = candidate
  const { id: contactId } = finding.contact
  const entry = entryFor(candidate, { contactId, reason: 'found by its e-mail address', request }, context)
  const known = shownContact(desired, finding.contact)
  await context.state.linkFound({
    pipeline: context.pipeline.name,
    key,
    contactId,
    known,
    operationId,
    entry,
  })
  return 'found'
}

/** Looks some up at a time; decides about them one after the other, because one may take the other's contact. */
async function lookUpAll(
  candidates: readonly Candidate[],
  counts: RebuildCounts,
  context: RebuildContext,
): Promise<void> {
  for (let at = 0; at < candidates.length; at += context.concurrency) {
    const some = candidates.slice(at, at + context.concurrency)
    const seen = await Promise.all(some.map((candidate) => look(candidate, context)))
    for (const [index, candidate] of some.entries()) {
      const what = seen[index] ?? { kind: 'unanswered' }
      counts[await conclude(candidate, what, context)] += 1
    }
    context.report({ phase: 'read', read: counts.read })
  }
}

/** Creates that the state still has open: in the time that it has forgotten they may have been sent. */
async function lookUpOpen(counts: RebuildCounts, context: RebuildContext): Promise<void> {
  const open = await context.state.openCreates(context.pipeline.name)
  counts.read += open.length
  const candidates = open.map((operation): Candidate => {
    const { id, key, desired, source, state } = operation
    const leave: Candidate['leave'] = (reason, entry) =>
      context.state.leaveToPerson({ operation: id }, reason, entry)
    return { key, desired, source, operationId: id, ...(state === 'held' ? {} : { leave }) }
  })
  await lookUpAll(candidates, counts, context)
}

async function lookUpFiles(
  counts: RebuildCounts,
  { wait, files }: { wait: boolean; files: InputReport[] },
  context: RebuildContext,
): Promise<void> {
  const customFields = await loadCustomFields(context)
  const { ready, unmoved, reports } = await waitingInputs(context, wait)
  files.push(...reports)
  const inputs = [...unmoved.map(({ input }) => input), ...ready]
  for (const [index, input] of inputs.entries()) {
    if (isStopped(context)) return
    const file = { file: index + 1, files: inputs.length, bytesRead: 0, bytesTotal: input.bytes }
    context.report({ phase: 'read', ...file })
    try {
      for await (const candidates of candidatesOf(input, { customFields, counts }, context))
        await lookUpAll(candidates, counts, context)
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
    await lookUpOpen(counts, context)
    await lookUpFiles(counts, { ...options, files }, context)
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
