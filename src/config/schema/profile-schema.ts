// The schema of a profile, the file that `service.profile` names: what a service does where the interface leaves it open.
import { z } from 'zod'

const unknown = z.literal('unknown')
const one = <const Values extends readonly [string, ...string[]]>(...values: Values) =>
  z.enum([...values, 'unknown']).optional()
const count = z.union([z.int().min(1), unknown]).optional()
const yesNo = z.union([z.boolean(), unknown]).optional()
const merge = one('as_documented', 'other')

/** The keys of the profile; those that are left out count as unknown. */
export const profileSchema = z.strictObject({
  bulk_container: one('array', 'keyed', 'both'),
  bulk_max: count,
  page_cap: count,
  empty_clears: yesNo,
  null_clears: yesNo,
  auto: one('probable', 'mail', 'none'),
  mail_lookup: one('exact', 'inexact'),
  mail_status_permission: yesNo,
  status_after_delete: one('forgotten', 'remembered'),
  merge: z.strictObject({ update_add: merge, update: merge, add: merge }).optional(),
  term_names: one('case', 'folded'),
  custom_field_key: z.string().optional(),
  rate_headers: z.string().optional(),
})

export type Profile = z.output<typeof profileSchema>
