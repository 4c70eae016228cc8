// Reads contacts of a pipeline at the service and compares them with what was last sent. It is given nothing that writes.
import {
  createSample,
  driftInBoth,
  driftOf,
  type DriftReport,
  driftReport,
  hasTermsToCompare,
  type LookOutcome,
  type SentContact,
  type ShownSides,
} from '../core/change/others/drift.ts'
import { type DriftRound, roundWith } from '../core/change/others/drift-rounds.ts'
import { handEditRules } from '../core/change/others/hand-edits.ts'
import { repairableNames } from '../core/change/others/repair.ts'
import { presentNames, type TermAliases } from '../core/mapping/terms.ts'
import type { CallResult, Random } from '../core/ports.ts'
import { seenRules } from './definitions.ts'
import type { PlanContext } from './context.ts'

export interface DriftContext extends Pick<
  PlanContext,
  'pipeline' | 'state' | 'session' | 'circuit' | 'customFieldKey' | 'signal'
> {
  readonly random: Random
  /** Waits until requests are left over for looks, and says for how many; 0: none will be. */
  room(): Promise<number>
  looked(contacts: number, of: number): void
  /** What differs at a contact and may be put back. */
  repairable?(key: string, names: readonly string[]): void
}

type Rules = Parameters<typeof driftOf>[2]

/** So many links are listed at once. */
const LIST_PAGE = 1000
/** At most so many contacts are read side by side: runs go first. */
const LOOKS_AT_ONCE = 4

async function sentTo(
  key: string,
  aliases: TermAliases,
  { state, pipeline }: DriftContext,
): Promise<SentContact | undefined> {
  const [known] = await state.known(pipeline.name, [key])
  const link = known?.link
  if (link === undefined) return undefined
  const [sent = { last: {}, pushed: [], open: [] }] = await state.sentValues([link.contactId])
  const terms = link.terms?.map((term) => ({ ...term, name: presentNames([term.name], aliases)[0] ?? '' }))
  return { link: { ...link, terms }, sent }
}

async function shownNow(
  { link }: SentContact,
  { session, pipeline }: DriftContext,
): Promise<CallResult<ShownSides>> {
  const contact = await session.contactById(link.contactId, Object.keys(link.fields))
  if (contact.kind !== 'ok') return contact
  if (!hasTermsToCompare(link.terms, pipeline.terms.policy))
    return { ...contact, value: { contact: contact.value, terms: undefined } }
  const terms = await session.contactTerms(link.contactId)
  if (terms.kind !== 'ok') return terms
  return { ...terms, value: { contact: contact.value, terms: terms.value.map(({ name }) => name) } }
}

/** Records of other pipelines may have terms of their own for the contact, whatever the policy of this one. */
async function rulesOf(
  key: string,
  { link }: SentContact,
  { rules, context }: { readonly rules: Rules; readonly context: DriftContext },
): Promise<Rules> {
  if (!rules.isWholeList) return rules
  const { name: pipeline } = context.pipeline
  const { elsewhere } = await context.state.contactsOfOthers({ pipeline, key }, [link.contactId])
  return { ...rules, isWholeList: elsewhere.size === 0 }
}

async function lookAt(
  key: string,
  { rules: given, aliases }: { readonly rules: Rules; readonly aliases: TermAliases },
  context: DriftContext,
): Promise<LookOutcome> {
  const before = await sentTo(key, aliases, context)
  if (before === undefined) return { kind: 'left' }
  const shown = await shownNow(before, context)
  if (shown.kind !== 'ok' && shown.kind !== 'absent') return { kind: 'unanswered' }
  const rules = await rulesOf(key, before, { rules: given, context })
  // A run beside this look may have sent something between the two: only what differs from both was not sent.
  const after = await sentTo(key, aliases, context)
  if (after?.link.contactId !== before.link.contactId) return { kind: 'left' }
  if (shown.kind !== 'ok') return { kind: 'gone' }
  const drifted = driftInBoth(driftOf(before, shown.value, rules), driftOf(after, shown.value, rules))
  const names = repairableNames(drifted, shown.value.contact, rules)
  if (names.length > 0) context.repairable?.(key, names)
  return { kind: 'seen', drifted }
}

async function chosenKeys(size: number, { state, pipeline, random }: DriftContext) {
  const sample = createSample<string>(size, random)
  for (let after: string | undefined; ;) {
    const keys = await state.linkedKeys(pipeline.name, { after, limit: LIST_PAGE })
    keys.forEach((key) => sample.pass(key))
    after = keys.at(-1)
    if (keys.length < LIST_PAGE) break
  }
  return { keys: sample.chosen(), contacts: sample.passed() }
}

async function comparison(context: DriftContext) {
  const { pipeline, state } = context
  const definitions = await state.seenDefinitions(pipeline.name)
  const rules: Rules = {
    ...handEditRules(pipeline, seenRules(context, definitions)),
    isWholeList: pipeline.terms.policy === 'replace',
    termRule: pipeline.hand_edits,
  }
  return { rules, aliases: await state.termAliases() }
}

/** Looks at so many contacts, drawn at random; Infinity: at all. What was seen before it had to stop is reported. */
export async function lookForDrift(size: number, context: DriftContext): Promise<DriftReport> {
  const { pipeline, circuit, signal } = context
  const by = await comparison(context)
  const { keys, contacts } = await chosenKeys(size, context)
  const outcomes: LookOutcome[] = []
  while (outcomes.length < keys.length && !signal.aborted && circuit.stop === undefined) {
    const looks = Math.min(LOOKS_AT_ONCE, await context.room())
    if (looks === 0) break
    const some = keys.slice(outcomes.length, outcomes.length + looks)
    outcomes.push(...(await Promise.all(some.map((key) => lookAt(key, by, context)))))
    context.looked(outcomes.length, keys.length)
  }
  const notLooked = Array.from({ length: keys.length - outcomes.length }, () => ({
    kind: 'unanswered' as const,
  }))
  return driftReport(pipeline.name, { outcomes: [...outcomes, ...notLooked], contacts })
}

/** Looks at the contacts that are left of the round, and notes each step. Undefined where it had to stop before the last one. */
export async function continueRound(
  from: DriftRound,
  context: DriftContext & { note(round: DriftRound): Promise<void> },
): Promise<DriftRound | undefined> {
  const { pipeline, state, circuit, signal } = context
  const by = await comparison(context)
  let round = from
  for (;;) {
    const keys = await state.linkedKeys(pipeline.name, { after: round.after, limit: LIST_PAGE })
    if (keys.length === 0) return round
    for (let at = 0; at < keys.length;) {
      const looks = Math.min(LOOKS_AT_ONCE, await context.room())
      if (looks === 0) return undefined
      const some = keys.slice(at, at + looks)
      const outcomes = await Promise.all(some.map((key) => lookAt(key, by, context)))
      if (signal.aborted || circuit.stop !== undefined) return undefined
      at += some.length
      round = roundWith(round, outcomes, some.at(-1) ?? round.after)
      await context.note(round)
    }
  }
}
