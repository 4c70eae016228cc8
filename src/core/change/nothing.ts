// How a field is emptied at the service. `''` is nothing among values of any text; of a value that is one of a list or
// has a form (a title, a country, a date, a number) the interface does not allow it, so null goes first.
import {
  CONTACT_FIELDS,
  type ContactField,
  type Contact,
  type FieldRule,
  type FieldValue,
} from '../mapping/contact.ts'
import type { ServiceSettings } from '../settings.ts'

export type Nothing = '' | null | readonly []

/** What a field is emptied with, and what is tried where the service does not take that. */
type Forms = readonly [Nothing, Nothing]

const FREE_TEXT: readonly FieldRule['kind'][] = ['text', 'mail']

/** The form that is preferred goes first, where it is one of the field's. */
function inOrder(forms: Forms, preferred: ClearingForm): Forms {
  const [first, second] = forms
  const value = preferred === 'empty_text' ? '' : null
  return preferred !== undefined && second === value ? [second, first] : forms
}

/** `known`: what was pushed last; of a custom field it tells the type. */
function formsOf(field: string, known: FieldValue | undefined): Forms {
  if (Object.hasOwn(CONTACT_FIELDS, field))
    return FREE_TEXT.includes(CONTACT_FIELDS[field as ContactField].kind) ? ['', null] : [null, '']
  if (typeof known === 'object') return [[], null]
  return typeof known === 'number' ? [null, ''] : ['', null]
}

type ClearingForm = ServiceSettings['clear_by']

type Body = Readonly<Record<string, FieldValue | null>>

/** The fields of a change that are to be emptied. */
export const emptiedFields = (fields: Contact): readonly string[] =>
  Object.keys(fields).filter((field) => fields[field] === '')

/** Those fields as the body of an update, in their first or their second form. */
export function emptyValues(
  fields: readonly string[],
  known: Contact,
  { which, clearBy }: { readonly which: 'first' | 'second'; readonly clearBy: ClearingForm },
): Body {
  const place = which === 'first' ? 0 : 1
  return Object.fromEntries(
    fields.map((field) => [field, inOrder(formsOf(field, known[field]), clearBy)[place]]),
  )
}
