// A create that the service merged into the contact of another key: sent again in the same form, it would be merged again.
import type { Contact, FieldValue } from '../mapping/contact.ts'
import type { PipelineSettings } from '../settings.ts'
import type { Difference, Known } from './diff.ts'

type Rules = Pick<PipelineSettings, 'writes' | 'household' | 'duplicate_check_method'>

/** Without a check nothing is merged; and where the service is asked before a create, its answer decides. */
const mayMerge = ({ writes, household, duplicate_check_method: check }: Rules): boolean =>
  check !== 'none' && writes === 'all' && household === undefined

function formOf({ fields, consent }: { readonly fields: Contact; readonly consent?: number }): string {
  const sorted = Object.entries(fields).toSorted(([one]: [string, FieldValue], [other]) =>
    one < other ? -1 : 1,
  )
  return JSON.stringify([sorted, consent ?? null])
}

/** The difference, or that the create stays held: until its record changes, or no other key has the contact. */
export function unlessMerged(decided: Difference, { mergedCreate }: Known, rules: Rules): Difference {
  if (decided.kind !== 'create' || mergedCreate === undefined || !mayMerge(rules)) return decided
  if (formOf(decided) !== formOf(mergedCreate)) return decided
  return { kind: 'held', reason: mergedCreate.reason, create: mergedCreate }
}
