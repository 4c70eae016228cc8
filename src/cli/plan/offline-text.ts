// What a plan that asked the service nothing says of what it could not know; no value of a record is in it.
import type { Plan } from '../../core/change/plan/plan.ts'

const TERMS =
  'which terms it has: how many would be created is unknown, max_new_terms is not judged, and create_missing: false rejects nothing'

const CONTACTS =
  'which contacts it has: records that a run would look up first count as created, and under writes: update as skipped'

const CUSTOM_FIELD = 'custom_fields.'

/** Nothing for a plan that asked. */
export function offlineText({ unasked }: Plan): readonly string[] {
  if (unasked === undefined) return []
  const fields = unasked
    .filter((one) => one.startsWith(CUSTOM_FIELD))
    .map((one) => one.slice(CUSTOM_FIELD.length))
  return [
    'offline: the service was not asked',
    ...(unasked.includes('terms') ? [`not known: ${TERMS}`] : []),
    ...(unasked.includes('contacts') ? [`not known: ${CONTACTS}`] : []),
    ...(fields.length === 0
      ? []
      : [`not known: the custom fields ${fields.join(', ')}, which no run has seen: left out of this plan`]),
  ]
}
