// Values that persons set right, and that no file of this run has brought: planned from the rejected record, or from what was last
// sent. Where the record is not at hand, the correction waits for the next file that has it.
import { restrictedTo, isSuppressed } from '../core/change/consents/suppression.ts'
import { type Difference, nextKnown, recordDifference } from '../core/change/diff.ts'
import type { Correction } from '../core/change/others/correction.ts'
import type { JudgedInput } from '../core/change/waiting/guard.ts'
import { acceptedValue } from '../core/mapping/fields/accepted-value.ts'
import { compileField, type RightValues } from '../core/mapping/fields/field-mapping.ts'
import type { CustomFieldRules } from '../core/mapping/custom-fields.ts'
import { type Contact, CONTACT_FIELD_NAMES, type ContactField } from '../core/mapping/contact.ts'
import { loadRuleKit, type RuleKit } from '../core/mapping/values/rule-kit.ts'
import { type Counts, noCounts } from '../core/outcome/summary.ts'
import type { PipelineSettings } from '../core/settings.ts'
import type { StagedEntry, StagedInput } from '../core/state.ts'
import { inputError, isRetriable } from '../core/words/errors.ts'
import { isStopped, type PlanContext } from './context.ts'
import { holdByGuards } from './plan/guards.ts'
import { planInput } from './plan/read.ts'
import { createRejectSource } from './plan/reject-source.ts'
import { waitingKeys } from './waiting-keys.ts'

const FILE = 'corrections'

export interface PlannedCorrections {
  readonly staged: StagedInput
  readonly counts: Counts
  readonly judged: JudgedInput
}

/** Keys of records whose rejects can be mapped again. */
async function rejectedKeys({ pipeline, state }: PlanContext): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  for await (const reject of state.rejects([pipeline.name]))
    if (reject.key !== undefined && isRetriable(reject)) keys.add(reject.key)
  return keys
}

async function* fromRejects(
  keys: ReadonlySet<string>,
  customFields: CustomFieldRules,
  context: PlanContext,
): AsyncGenerator<PlannedCorrections> {
  const source = createRejectSource(context.state, context.pipeline.name, { keys })
  const { ready } = await source.list({ wait: false, signal: context.signal, fetch: NO_FETCH })
  for (const input of ready) {
    try {
      yield await planInput({ input, isLast: false }, customFields, { ...context, source })
    } catch (error) {
      // Its columns are not those of the mapping any more: it waits for a file.
      if (inputError(error) === undefined) throw error
      context.log.warn('corrections wait for a file', { file: input.name })
    }
  }
}

const NO_FETCH = { cursor: undefined, isFull: false, tell: () => undefined, log: () => undefined }

function stagedUpdate(
  decided: Difference,
  { key, link, contact }: { key: string; link: { id: number; contactId: number }; contact: Contact },
  { file, line }: Correction,
): StagedEntry | undefined {
  if (decided.kind !== 'update') return undefined
  return {
    kind: 'operation',
    key,
    record: { source: { file: file ?? FILE, line: line ?? 0 }, values: [], text: undefined, fingerprint: '' },
    desired: { contact, terms: undefined },
    operation: { ...decided, linkId: link.id, contactId: link.contactId, state: 'planned' },
  }
}

/** Those that their fields still accept. */
const valuesOf = (corrections: readonly Correction[], customFields: CustomFieldRules): Contact =>
  Object.fromEntries(
    corrections.flatMap(({ field, value }) => {
      const accepted = acceptedValue(field, value, customFields)
      return accepted !== undefined && 'value' in accepted.check ? [[accepted.key, accepted.check.value]] : []
    }),
  )

/** Fields of this pipeline that say the type of a number which was set right, and that were not set right themselves. */
function typesOf(corrections: readonly Correction[], pipeline: PipelineSettings, kit: RuleKit): Contact {
  const right: RightValues = new Map(corrections.map(({ field, value }) => [field, value]))
  const isOurs = (field: ContactField): boolean =>
    (pipeline.owners?.[field]?.[0]?.pipeline ?? pipeline.name) === pipeline.name
  return Object.fromEntries(
    CONTACT_FIELD_NAMES.flatMap((field) => {
      const mapping = pipeline.map[field]
      if (!right.has(mapping?.phone_type_of ?? '') || right.has(field) || !isOurs(field)) return []
      const of = compileField(field, mapping ?? {}, { pipeline, header: [], columns: new Map(), kit })
      const { value } = of.read([], undefined, right)
      return value === undefined ? [] : [[field, value]]
    }),
  )
}

interface Pending {
  readonly pending: ReadonlyMap<string, readonly Correction[]>
  /** With those that were sent before. */
  readonly open: ReadonlyMap<string, readonly Correction[]>
}

/** What was sent last, with the values that were set right. */
async function* fromKnown(
  { pending, open }: Pending,
  customFields: CustomFieldRules,
  context: PlanContext,
): AsyncGenerator<PlannedCorrections> {
  const { clock, pipeline, runId, state } = context
  const kit = await loadRuleKit(pipeline, { writtenAt: clock.now() })
  const keys = [...pending.keys()]
  const known = await state.known(pipeline.name, keys)
  const list = await context.suppression?.now()
  const counts = noCounts()
  const entries: StagedEntry[] = []
  const findings: { id: number; judged: { kind: 'holds'; raw: undefined } }[] = []
  keys.forEach((key, index) => {
    const one = known[index]
    const own = pending.get(key) ?? []
    const [first] = own
    if (one?.link === undefined || one.inDoubt || one.link.gone || first === undefined) return
    const wanted = { ...valuesOf(own, customFields), ...typesOf(open.get(key) ?? [], pipeline, kit) }
    const isHeldBack = list !== undefined && isSuppressed(wanted, one.link.fields, list)
    const said = isHeldBack ? restrictedTo({ contact: wanted, terms: undefined }, one.link).contact : wanted
    const contact = nextKnown(one.link.fields, said)
    const decided = recordDifference({ contact, terms: undefined }, { known: one, said }, pipeline)
    const entry = stagedUpdate(decided, { key, link: one.link, contact }, first)
    if (entry === undefined && decided.kind !== 'unchanged') return
    if (entry !== undefined) entries.push(entry)
    else if (isHeldBack) counts.skipped += 1
    for (const { id } of own) findings.push({ id, judged: { kind: 'holds', raw: undefined } })
  })
  if (findings.length === 0) return
  const input = { name: FILE, version: `${FILE} ${runId}`, bytes: 0 }
  const staged = await state.beginInput({ runId, pipeline: pipeline.name, input, header: [] })
  counts.read = entries.length + counts.skipped
  await state.stageBatch(staged, { entries, corrections: { at: clock.now(), findings } })
  const judged = await holdByGuards(staged, { counts }, context)
  await state.commitPlan(staged, '')
  context.log.info('values set by corrections', { fields: findings.length })
  yield { staged, counts, judged }
}

/** Plans what is pending, input by input; each is applied before the next is asked for. */
export async function* planCorrections(
  customFields: CustomFieldRules,
  context: PlanContext,
): AsyncGenerator<PlannedCorrections> {
  const open = await context.state.openCorrections(context.pipeline.name)
  const pending = open.filter(({ isPending }) => isPending)
  // What was taken up again, and is still to be sent, would give way to what is planned here.
  if (pending.length === 0 || isStopped(context)) return
  const rejected = await rejectedKeys(context)
  const keys = new Set(pending.map(({ key }) => key).filter((key) => rejected.has(key)))
  if (keys.size > 0) yield* fromRejects(keys, customFields, context)
  const waiting = await waitingKeys(context)
  const others = pending.filter(({ key }) => !rejected.has(key) && !waiting.has(key))
  const byKey = ({ key }: Correction): string => key
  yield* fromKnown(
    { pending: Map.groupBy(others, byKey), open: Map.groupBy(open, byKey) },
    customFields,
    context,
  )
}
