// Terms that a brake gives, after the files of a run: decides what may go, reads the first contacts again when they have had the
// term for long enough, and plans what was granted. What waits is reported.
import type { Operation } from '../core/change/operation.ts'
import { BRAKE_INPUT } from '../core/change/own-inputs.ts'
import { type Difference, difference, type KnownLink } from '../core/change/diff.ts'
import {
  type BrakeAsk,
  type BrakeRule,
  type FirstSeen,
  firstSeenText,
  reachesStop,
} from '../core/change/waiting/brake.ts'
import { planEntry } from '../core/log/other-entries.ts'
import { termKey } from '../core/mapping/terms.ts'
import { type Counts, type InputReport, noCounts } from '../core/outcome/summary.ts'
import type { StagedEntry } from '../core/state.ts'
import { plural } from '../core/words/format.ts'
import type { PlanContext } from './context.ts'
import type { PlannedCorrections } from './corrections.ts'
import { holdByApprovals } from './plan/guards.ts'
import { brakedTerms } from './plan/present-terms.ts'

const BLOCKED = 1
const UNSUBSCRIBED = 2

const PAGE = 500

async function note(
  reason: string,
  { clock, pipeline: { name, hash }, runId, state }: PlanContext,
): Promise<void> {
  const about = { at: clock.now(), runId, pipeline: name, configHash: hash }
  await state.note(planEntry({ action: 'brake', reason }, about))
}

/** Undefined where the service does not tell, or is not to be asked, and of a contact that a plan only pretends to make. */
async function statusOf(
  contactId: number,
  { session, unasked }: PlanContext,
): Promise<number | 'gone' | undefined> {
  if (contactId < 1) return undefined
  if (unasked !== undefined) {
    unasked.add('contacts')
    return undefined
  }
  const seen = await session.contactById(contactId, ['mail_status'])
  if (seen.kind === 'absent') return 'gone'
  if (seen.kind !== 'ok') return undefined
  const status = seen.value.fields['mail_status']
  return typeof status === 'number' ? status : Number(status ?? 0)
}

/** What the first look like now; undefined where one of them cannot be read. */
async function seenNow(term: string, context: PlanContext): Promise<FirstSeen | undefined> {
  const seen = { drawn: 0, unsubscribed: 0, refused: 0 }
  for (const { contactId, before } of await context.state.firstAsks(term)) {
    const status = await statusOf(contactId, context)
    if (status === undefined) return undefined
    seen.drawn += 1
    if (status === before) continue
    if (status === UNSUBSCRIBED) seen.unsubscribed += 1
    if (status === BLOCKED) seen.refused += 1
  }
  return seen
}

async function look(name: string, rule: BrakeRule, context: PlanContext): Promise<void> {
  const { clock, log, state } = context
  const seen = await seenNow(termKey(name), context)
  if (seen === undefined) return
  const opens = !reachesStop(seen, rule)
  const figures = firstSeenText(seen)
  const what = opens ? 'the rest is given it' : 'the rest is held'
  await note(`brake on ${name}: of the first, ${figures}: ${what}`, context)
  await state.concludeBrake(termKey(name), { opens, figures, now: clock.now() })
  const numbers = { term: name, drawn: seen.drawn, unsubscribed: seen.unsubscribed, refused: seen.refused }
  if (opens) log.info('brake opened', numbers)
  else log.warn('brake holds the rest', numbers)
}

async function decide(name: string, rule: BrakeRule, context: PlanContext): Promise<void> {
  const { clock, log, runId, state } = context
  const step = await state.stepBrake(termKey(name), rule, { now: clock.now(), runId })
  if (step === 'look') return look(name, rule, context)
  if (step !== 'give_first') return
  const reason = `brake: more than ${rule.above} contacts ask for ${name}: ${rule.first} of them, drawn at random, get it first`
  await note(reason, context)
  log.warn('brake watches the first contacts', { term: name, above: rule.above, first: rule.first })
}

/** Granted terms that their contacts have by now. */
async function settleGiven({ clock, pipeline, state }: PlanContext): Promise<void> {
  const grants = await state.openGrants(pipeline.name)
  if (grants.length === 0) return
  const known = await state.known(
    pipeline.name,
    grants.map(({ key }) => key),
  )
  const given = grants.filter(
    ({ term }, index) => known[index]?.link?.terms?.some(({ name }) => termKey(name) === term) === true,
  )
  await state.notedAsGiven(
    given.map(({ id }) => id),
    clock.now(),
  )
}

/** The status that the first have before; asked once for each. */
async function noteStatuses(
  asks: readonly BrakeAsk[],
  contactIds: ReadonlyMap<string, number>,
  context: PlanContext,
) {
  for (const { id, key, isFirst } of asks) {
    const contactId = contactIds.get(key)
    if (!isFirst || contactId === undefined) continue
    const status = await statusOf(contactId, context)
    if (typeof status === 'number') await context.state.noteBefore(id, status)
  }
}

function stagedTerms(
  key: string,
  decided: Difference,
  { link, source }: { link: KnownLink; source: BrakeAsk['source'] },
): StagedEntry[] {
  if (decided.kind !== 'update') return []
  return [
    {
      kind: 'operation',
      key,
      record: { source, values: [], text: undefined, fingerprint: '' },
      desired: { contact: link.fields, terms: decided.terms?.asserts },
      operation: { ...decided, linkId: link.id, contactId: link.contactId, state: 'planned' },
    },
  ]
}

/** Records with other changes in this run, whose term waits for approvers: they are counted once. `counts` has them as held. */
async function countHeldAfter(
  keys: readonly string[],
  counts: Counts,
  { runId, state, tally }: PlanContext,
): Promise<void> {
  if (counts.held === 0) return
  const waiting = new Set(keys)
  for (let last: Operation | undefined; ;) {
    const page = await state.takeToSend(runId, last, PAGE)
    for (const { key } of page) waiting.delete(key)
    last = page.at(-1)
    if (last === undefined) break
  }
  for (const key of waiting) {
    if (!tally.isAsking(key)) continue
    counts.held -= 1
    tally.noteAskHeld(key)
  }
}

/** Plans what was granted to records of this pipeline. */
async function* planGrants(context: PlanContext): AsyncGenerator<PlannedCorrections> {
  const { pipeline, runId, state, tally } = context
  const asks = await state.grantedAsks(pipeline.name)
  if (asks.length === 0) return
  const byKey = Map.groupBy(asks, ({ key }) => key)
  const keys = [...byKey.keys()]
  const known = await state.known(pipeline.name, keys)
  const contactIds = new Map(
    keys.flatMap((key, index) => {
      const contactId = known[index]?.link?.contactId
      return contactId === undefined ? [] : [[key, contactId] as const]
    }),
  )
  await noteStatuses(asks, contactIds, context)
  const counts = noCounts()
  const entries = keys.flatMap((key, index): StagedEntry[] => {
    const one = known[index]
    if (one?.link === undefined) return []
    const own = byKey.get(key) ?? []
    const terms = [...(one.link.terms ?? []), ...own].map(({ name }) => name)
    const staged = stagedTerms(key, difference({ contact: one.link.fields, terms }, one, pipeline), {
      link: one.link,
      source: own[0]?.source ?? { file: BRAKE_INPUT, line: 0 },
    })
    // Counted as held while its file was read, or with its other changes, or by an earlier run.
    if (staged.length > 0 && own.some(({ aloneIn }) => aloneIn === runId)) {
      tally.counts.held -= 1
      tally.held.note('brake', -1)
      return staged
    }
    if (staged.length > 0) tally.endAlone(key)
    if (tally.isAsking(key)) tally.noteGiving(key)
    else counts.read += staged.length
    return staged
  })
  if (entries.length === 0) return
  const input = { name: BRAKE_INPUT, version: `${BRAKE_INPUT} ${runId}`, bytes: 0 }
  const staged = await state.beginInput({ runId, pipeline: pipeline.name, input, header: [] })
  await state.stageBatch(staged, { entries })
  const numbers = await state.inputNumbers(staged)
  await holdByApprovals(staged, counts, context)
  await state.commitPlan(staged, '')
  await countHeldAfter(
    entries.flatMap((entry) => (entry.kind === 'operation' ? entry.key : [])),
    counts,
    context,
  )
  const judged = {
    file: BRAKE_INPUT,
    numbers: { ...numbers, read: counts.read, newTerms: 0 },
    hold: undefined,
  }
  yield { staged, counts, judged }
  await settleGiven(context)
  // The list of suppressed addresses, or an edit that is kept, says no: it is not tried again by every run.
  const planned = new Set(asks.map(({ id }) => id))
  const refused = (await state.grantedAsks(pipeline.name)).filter(({ id }) => planned.has(id))
  await state.dropAsks(refused.map(({ id }) => id))
}

/** Decides, and plans what may go; asked again after that was sent, it notes what was given. */
export async function* planBrakes(context: PlanContext): AsyncGenerator<PlannedCorrections> {
  const { pipeline, state } = context
  await settleGiven(context)
  const { brake: rule } = pipeline.guards
  if (rule !== undefined)
    for (const name of await brakedTerms(pipeline, state)) await decide(name, rule, context)
  yield* planGrants(context)
  await settleGiven(context)
}

/**
 * One report for each term that records of the pipeline wait for. A brake that began in a plan alone (`planned`: its id) is not in
 * the state: nothing could be released, and no command is named.
 */
export async function brakeReports(
  { pipeline, state }: PlanContext,
  planned?: string,
): Promise<readonly InputReport[]> {
  const standings = await state.brakes()
  return standings.flatMap(({ name, phase, runId, waiting }) => {
    const asks = waiting.find((one) => one.pipeline === pipeline.name)?.asks ?? 0
    if (asks === 0) return []
    const why =
      phase === 'held'
        ? 'the first contacts that got it have reached a limit of guards.brake.stop_when'
        : 'the first contacts that got it are watched (guards.brake.watch)'
    const error = `${plural(asks, 'record')} wait for the term ${name}: ${why}`
    const report = { file: `term ${name}`, status: 'held', error } as const
    if (runId === planned) return [report]
    return [{ ...report, hint: `to give it to them now: contact-sync held release ${runId}` }]
  })
}
