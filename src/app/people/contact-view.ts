// One contact at the service: every standard and custom field, and every term. Reads only.
import { CONTACT_FIELD_NAMES } from '../../core/mapping/contact.ts'
import { customFieldKeyOf } from '../../core/mapping/custom-fields.ts'
import { SyncError } from '../../core/words/errors.ts'
import type { CallResult, ServiceReads, Term } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'

export interface ContactView {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
  readonly terms: readonly Term[]
}

type Seen = CallResult<readonly ContactView[]>

/** So many names make no address that a server would refuse. */
const FIELDS_AT_ONCE = 80

async function fieldsOf(
  id: number,
  names: readonly string[],
  reads: ServiceReads,
): Promise<CallResult<Record<string, unknown>>> {
  let fields: Record<string, unknown> = {}
  for (let from = 0; ; from += FIELDS_AT_ONCE) {
    const result = await reads.contactById(id, names.slice(from, from + FIELDS_AT_ONCE))
    if (result.kind !== 'ok') return result
    fields = { ...fields, ...result.value.fields }
    if (from + FIELDS_AT_ONCE >= names.length) return { ...result, value: fields }
  }
}

/** The contact of that id, or all contacts of that mail; none where the service has none. Throws USAGE for neither. */
export async function contactsAt(wanted: string, settings: Settings, reads: ServiceReads): Promise<Seen> {
  const isId = /^[1-9]\d{0,15}$/.test(wanted)
  if (!isId && !wanted.includes('@'))
    throw new SyncError('USAGE', `"${wanted}" is neither the id of a contact nor an e-mail address`, {
      hint: 'To look up a key of a pipeline, use contact-sync audit show.',
    })
  const definitions = await reads.customFields()
  if (definitions.kind !== 'ok') return definitions
  const keys = definitions.value.map((field) => customFieldKeyOf(field, settings.service.custom_field_key))
  const names = [...new Set([...CONTACT_FIELD_NAMES, ...keys])]
  const found = isId ? undefined : await reads.contactsByMail(wanted, [])
  if (found !== undefined && found.kind !== 'ok') return found
  const views: ContactView[] = []
  for (const id of found?.value.contacts.map((contact) => contact.id) ?? [Number(wanted)]) {
    const fields = await fieldsOf(id, names, reads)
    const terms = fields.kind === 'ok' ? await reads.contactTerms(id) : fields
    // It was deleted, or never was.
    if (fields.kind === 'absent' || terms.kind === 'absent') continue
    if (fields.kind !== 'ok') return fields
    if (terms.kind !== 'ok') return terms
    views.push({ id, fields: fields.value, terms: terms.value })
  }
  return { ...definitions, value: views }
}
