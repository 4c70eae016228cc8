// A plan as `plan --json` prints it, made from the value alone; its changes stand before it in the same object.
import { leftOutCounts } from '../../core/change/plan/left-out.ts'
import type { Plan } from '../../core/change/plan/plan.ts'

/** Which guard holds which part of which file, with the number and the threshold that it judged. */
const heldBy = ({ judged }: Plan) =>
  judged.flatMap(({ file, hold }) => {
    if (hold === undefined) return []
    const { guard, holds, number, threshold, reason } = hold
    return [{ file, guard, holds, number, threshold, reason }]
  })

/** Of a plan that asked the service nothing: what is not known is null, and named. */
const offlineJson = (unasked: NonNullable<Plan['unasked']>) => ({
  offline: true,
  unknown: unasked,
  ...(unasked.includes('terms') ? { terms_created: null } : {}),
})

const totalsOf = (byField: Plan['byField']): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(byField).map(([field, of]) => [field, of.create + of.update]))

export function planJson(plan: Plan) {
  const { pipeline, status, counts, estimate, inputs, withheld, otherTerms, unasked, leftOut, error, code } =
    plan
  const warnings = (plan.warnings ?? []).map(({ text }) => text)
  return {
    pipeline,
    status,
    ...counts,
    ...(unasked === undefined ? {} : offlineJson(unasked)),
    estimate,
    files: inputs,
    held_by: heldBy(plan),
    held_reasons: plan.held,
    by_field: totalsOf(plan.byField),
    by_term: plan.byTerm,
    ...(otherTerms === 0 ? {} : { other_terms: otherTerms }),
    by_country: plan.byCountry,
    ...(Object.keys(withheld).length === 0 ? {} : { withheld }),
    kept_edits: plan.keptEdits ?? null,
    ...(leftOut === undefined ? {} : { ...leftOutCounts(leftOut), left_out: leftOut.examples }),
    warnings,
    ...(error === undefined ? {} : { error }),
    ...(code === undefined ? {} : { code }),
  }
}
