// Plans made by hand: no state, no source, no service.
import type { EstimateLimits } from '../../src/core/change/estimate.ts'
import { type Plan, planBuilder, type PlanEnd } from '../../src/core/change/plan/plan.ts'
import type { JudgedInput } from '../../src/core/change/waiting/guard.ts'
import type { Operation, OperationKind } from '../../src/core/change/operation.ts'
import { noCounts } from '../../src/core/outcome/summary.ts'
import { operationWith } from './operation.ts'

export const LIMITS: EstimateLimits = {
  bulkSize: 50,
  requests: 5,
  perMs: 1000,
  mergeMethod: 'update_add',
  updatesInBulk: false,
  looksPerCreate: 0,
  terms: { policy: 'managed', verify: true },
}

export const changeWith = (own: Partial<Operation> & { kind: OperationKind }): Operation =>
  operationWith({ state: 'planned', ...own })

/** So many updates of the phone, from one number to another, on following lines. */
export const phoneUpdates = (count: number, from = 1): readonly Operation[] =>
  Array.from({ length: count }, (_, index) =>
    changeWith({
      kind: 'update',
      id: from + index,
      key: `K${from + index}`,
      contactId: from + index,
      fields: { phone: `040 ${from + index}` },
      known: { phone: `030 ${from + index}` },
      source: { file: 'a.csv', line: from + index + 1 },
    }),
  )

export function planWith(
  changes: readonly Operation[],
  end: Partial<Omit<PlanEnd, 'counts'>> & {
    counts?: Partial<PlanEnd['counts']>
    judged?: readonly JudgedInput[]
  } = {},
): Plan {
  const { counts, judged = [], ...rest } = end
  const builder = planBuilder('shop', 'update_add')
  builder.add(changes)
  judged.forEach((input) => builder.judge(input))
  return builder.build({ inputs: [], limits: LIMITS, ...rest, counts: { ...noCounts(), ...counts } })
}
