// What a plan and a run say of values that are not sent as their records have them (core/change/plan/left-out.ts).
import { lackText } from '../core/change/consents/evidence.ts'
import {
  type LeftOutValue,
  type LeftOutCounts,
  leftOutCounts,
  type LeftOutTotals,
} from '../core/change/plan/left-out.ts'
import { number, plural } from '../core/words/format.ts'

/** For a run: its warnings name the other two kinds. */
export function leftToOwnersLines({ left_to_owners: owned = {} }: LeftOutCounts): readonly string[] {
  const fields = Object.entries(owned).map(
    ([field, { records, pipelines }]) => `${field} ${number(records)} (${pipelines.join(', ')})`,
  )
  return fields.length === 0 ? [] : [`left to the pipelines that own the field: ${fields.join(', ')}`]
}

/** Names no record. */
export function leftOutLines(totals: LeftOutTotals | undefined): readonly string[] {
  if (totals === undefined) return []
  const counts = leftOutCounts(totals)
  const { needs_evidence: unproven = {}, former_statuses: former = 0 } = counts
  const lacks = Object.entries(unproven).map(([lack, records]) => `${lack} ${number(records)}`)
  return [
    ...leftToOwnersLines(counts),
    ...(lacks.length === 0 ? [] : [`needs evidence, so mail_status is not raised: ${lacks.join(', ')}`]),
    ...(former === 0
      ? []
      : [`mail_status 1 or 2 of a deleted contact stands again: ${plural(former, 'record')}`]),
  ]
}

function whyText(one: LeftOutValue): string {
  switch (one.kind) {
    case 'owned':
      return `${one.field} is left to ${one.pipelines.join(' or ')} (owns)`
    case 'evidence':
      return `mail_status ${one.status} needs evidence: ${lackText(one.lack)}`
    case 'former':
      return `mail_status ${one.status} of a deleted contact with this address stands again`
  }
}

export const leftOutExamples = (totals: LeftOutTotals | undefined): readonly string[] =>
  (totals?.examples ?? []).map((one) => `${one.key}: ${whyText(one)}  [${one.file}:${one.line}]`)
