// Asks which of the records that were mapped are of people who were erased by request.
import { contactMailKey } from '../core/contact.ts'
import type { MappedRecord } from '../core/mapping.ts'
import type { PlanContext } from './context.ts'

type Mapped = Exclude<MappedRecord, { kind: 'skipped' }> & { readonly values: readonly string[] }

/** In the order given. */
export function areErased(
  records: readonly Mapped[],
  { state, pipeline }: Pick<PlanContext, 'state' | 'pipeline'>,
): Promise<readonly boolean[]> {
  const asked = records.map((record) => ({
    key: record.key,
    mail: record.kind === 'contact' ? (contactMailKey(record.contact) ?? '') : undefined,
    values: record.values,
  }))
  return state.areErased(pipeline.name, asked)
}
