// What is to be done about one mapped row, regardless of the others: the difference as an operation, or why there is none.
import { type Desired, type Difference, type Known, recordDifference } from '../../core/change/diff.ts'
import { unlessMerged } from '../../core/change/merged-create.ts'
import type { StagedOperation } from '../../core/change/operation.ts'
import type { MappedRecord } from '../../core/mapping/mapping.ts'
import type { StagedBody } from '../../core/state.ts'
import type { PlanContext } from '../context.ts'
import type { Mapped, Verdict } from './reading.ts'

/** What `writes` alone decides, without a look at the service. */
function verdictByWrites(
  decided: Difference,
  { mapped: { key }, known: { link } }: { readonly mapped: { readonly key: string }; readonly known: Known },
  { writes }: PlanContext['pipeline'],
): Verdict | undefined {
  // Contacts that such a pipeline has created, or may have created, stay unchanged once all of them was sent.
  const isOfExisting = ['update', 'held', 'waiting'].includes(decided.kind) && link?.isUnfinished !== true
  if (writes === 'create' && isOfExisting) return 'skipped'
  // Only a new contact has to be complete.
  return writes === 'update' && decided.kind === 'rejected' ? { kind: 'passed', key } : undefined
}

const desiredOf = ({ contact, terms, blank = [] }: MappedRecord & { kind: 'contact' }): Desired => ({
  ...{ contact, terms },
  ...(blank.length === 0 ? {} : { givesUp: blank }),
})

function bodyOf(
  decided: Difference,
  { mapped, known }: { readonly mapped: MappedRecord & { kind: 'contact' }; readonly known: Known },
  { writes }: PlanContext['pipeline'],
): StagedBody {
  const { key, contact, evidence, lacking } = mapped
  if (decided.kind === 'create' && writes !== 'update' && lacking.length > 0) {
    const reason = `${lacking.join(', ')}: no value, and the service requires one for a new contact`
    return { kind: 'rejected', key, code: 'FIELD_INVALID', reason }
  }
  const desired = { ...desiredOf(mapped), ...(evidence === undefined ? {} : { evidence }) }
  const linked = { linkId: known.link?.id ?? 0, contactId: known.link?.contactId ?? 0 }
  const operation = (form: StagedOperation): StagedBody => ({
    kind: 'operation',
    key,
    desired,
    operation: form,
  })
  switch (decided.kind) {
    case 'unchanged':
      return { kind: 'unchanged', linkId: linked.linkId }
    case 'rejected':
      return { kind: 'rejected', key, code: decided.code, reason: decided.reason }
    case 'waiting':
      return operation({ state: 'waiting' })
    case 'held':
      if (decided.create !== undefined) return operation({ ...decided.create, state: 'held', kind: 'create' })
      return operation({ state: 'held', fields: contact, ...linked, reason: decided.reason })
    case 'create':
      return operation({ ...decided, state: 'planned' })
    case 'update':
      return operation({ ...decided, ...linked, state: 'planned' })
  }
}

export function verdictOn(row: Mapped, context: PlanContext): Verdict {
  if (row.kind === 'settled') return 'settled'
  const { mapped, known } = row
  if (mapped.kind === 'skipped') return 'skipped'
  if (mapped.kind === 'rejected')
    return { kind: 'rejected', key: mapped.key, code: mapped.code, reason: mapped.reason }
  const desired = desiredOf(mapped)
  const differs = recordDifference(desired, { known, said: desired.contact }, context.pipeline)
  const decided = unlessMerged(differs, known, context.pipeline)
  const byWrites = verdictByWrites(decided, { mapped, known }, context.pipeline)
  return byWrites ?? bodyOf(decided, { mapped, known }, context.pipeline)
}
