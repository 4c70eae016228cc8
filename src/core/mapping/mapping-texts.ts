// What is said of a record that cannot be mapped.
import { mappingColumns } from './fields/field-mapping.ts'
import type { Contact } from './contact.ts'
import type { FieldMapping } from './mapping-schema.ts'
import type { PipelineSettings } from '../settings.ts'
import { blankOf } from './values/household.ts'

export function describeSource(mapping: FieldMapping): string {
  if (mapping.value !== undefined) return 'the constant'
  if (mapping.template !== undefined) return 'the template'
  if (mapping.expression !== undefined) return 'the expression'
  if (mapping.phone_type_of !== undefined) return `the number of ${mapping.phone_type_of}`
  return mappingColumns(mapping)
    .map((column) => `"${column}"`)
    .join(' or ')
}

/** So much of a value is enough to find it. */
const SHOWN = 60

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** ` ("Sir")`: a value for a reason, with what does not show escaped. */
export function quotedValue(value: string): string {
  if (value === '') return ''
  const characters = Array.from(value)
  const text = characters.length > SHOWN ? `${characters.slice(0, SHOWN).join('')}…` : value
  return ` (${JSON.stringify(text).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)})`
}

/** How such records are skipped, for an admin whose source has many of them. */
const whereHint = (columns: readonly string[]): string => {
  const [column] = columns
  return column === undefined ? '' : `; where: 'record[${JSON.stringify(column)}] != ""' skips such records`
}

/** `mended`: fields whose value was dropped. */
export function missingKeyText(
  { key, household }: PipelineSettings,
  { contact, mended }: { readonly contact: Contact; readonly mended: readonly string[] },
): string {
  if (key === undefined && mended.includes('mail'))
    return 'key: the e-mail address is invalid and was dropped (on_invalid: drop), and it is needed for the key'
  if (household !== undefined) {
    const blank = blankOf(contact, household).join(', ')
    return `key: the record has no ${blank}, and cannot be distinguished from others with its e-mail address; skip_without: [${blank}] skips such records`
  }
  if (key === undefined)
    return `key: the record has no mail, and mail is this pipeline's key; skip_without: [mail] skips such records`
  return `key: ${key.map((column) => `"${column}"`).join(', ')} is blank${whereHint(key)}`
}
