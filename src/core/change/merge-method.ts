// `update_method`: what of a later change of a linked contact may be sent, given what the contact holds now
// (interface, 4.2), and what is withheld.
import { isBlank } from '../words/blank.ts'
import type { Contact } from '../mapping/contact.ts'

export type MergeMethod = 'update_add' | 'update' | 'add'

/** Whether the contact has to be read before the update can be judged. */
export const needsActual = (method: MergeMethod): boolean => method !== 'update_add'

/**
 * update_add overwrites and adds; update changes only what the contact has; add only what it lacks.
 * A value that an earlier push put there counts as the contact's own.
 */
export function allowedFields(
  fields: Contact,
  actual: Readonly<Record<string, unknown>>,
  method: MergeMethod,
): Contact {
  const allowed = Object.entries(fields).filter(([field]) => {
    // No method applies to it: what a contact has asked for is sent, whatever else may be.
    if (field === 'mail_status') return true
    if (method === 'update_add') return true
    return method === 'add' ? isBlank(actual[field]) : !isBlank(actual[field])
  })
  return Object.fromEntries(allowed)
}

/** The fields of a change that the method does not let through. */
export const withheldFields = (fields: Contact, allowed: Contact): Contact =>
  Object.fromEntries(Object.entries(fields).filter(([field]) => !Object.hasOwn(allowed, field)))

/** For the sync log. */
export const withholdsText = (method: MergeMethod, fields: readonly string[]): string =>
  `update_method: ${method} withholds ${fields.join(', ')}`

/** Whether an entry of the sync log says that the method withheld a field. */
export function isWithheldBy(reason: string | null, field: string): boolean {
  const [, fields = ''] = /(?:^|; )update_method: \w+ withholds ([^;]*)/u.exec(reason ?? '') ?? []
  return fields.split(', ').includes(field)
}
