// Terms that contact-sync renamed: a record with the former name means the term's present name. Applied where names
// come from outside: to what is mapped from a source, to what a brake names, and to what the sync log says of an earlier run.
import type { AuditEntry } from '../../core/log/audit.ts'
import type { CustomFieldRules } from '../../core/mapping/custom-fields.ts'
import { compileMapping, type Mapper } from '../../core/mapping/mapping.ts'
import type { DateOrders } from '../../core/mapping/values/dates/date-order.ts'
import { loadRuleKit } from '../../core/mapping/values/rule-kit.ts'
import type { Clock, SourceInput } from '../../core/ports.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { presentNames, type TermNameStore } from '../../core/mapping/terms.ts'

interface Naming {
  readonly pipeline: PipelineSettings
  readonly state: TermNameStore
  readonly clock: Clock
}

interface Mapped {
  readonly input: SourceInput
  readonly header: readonly string[]
  /** Of day and month, in columns with `date: auto`. */
  readonly orders: DateOrders
}

/** The pipeline's mapping for one input, with terms by the names of today. */
export async function mapperFor(
  { input, header, orders }: Mapped,
  customFields: CustomFieldRules,
  { pipeline, state, clock }: Naming,
): Promise<Mapper> {
  const kit = await loadRuleKit(pipeline, { writtenAt: input.writtenAt ?? clock.now(), orders })
  const mapper = compileMapping(pipeline, header, customFields, kit)
  const aliases = await state.termAliases()
  return {
    ...mapper,
    map(record, corrected) {
      const mapped = mapper.map(record, corrected)
      if (mapped.kind !== 'contact' || mapped.terms === undefined) return mapped
      return { ...mapped, terms: presentNames(mapped.terms, aliases) }
    },
  }
}

/** The terms that the pipeline's brake gives. */
export async function brakedTerms(
  { guards: { brake } }: Pick<PipelineSettings, 'guards'>,
  state: TermNameStore,
): Promise<readonly string[]> {
  return brake === undefined ? [] : presentNames(brake.terms, await state.termAliases())
}

/** Entries of an earlier run, with terms by the names of today. */
export async function* withPresentTerms<Entry extends Pick<AuditEntry, 'terms'>>(
  entries: AsyncIterable<Entry>,
  state: TermNameStore,
): AsyncGenerator<Entry> {
  const aliases = await state.termAliases()
  for await (const entry of entries) {
    const { add, remove } = entry.terms
    yield { ...entry, terms: { add: presentNames(add, aliases), remove: presentNames(remove, aliases) } }
  }
}
