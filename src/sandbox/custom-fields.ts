// The definitions of custom fields, one of every type that the interface names (interface, 2.2 and 2.3). Read-only.
import { z } from 'zod'
import { Failure } from './failure.ts'
import { sizedText } from './sized-text.ts'

/** A definition as it is answered. */
export const definitionSchema = z.object({
  field_id: z.int(),
  field_name: z.string(),
  label: z.string(),
  description: z.string(),
  type: z.string(),
  required: z.boolean(),
})

type CustomField = z.infer<typeof definitionSchema>

/** A definition with what its values must be. */
export interface Definition extends CustomField {
  /** Characters; texts only. */
  readonly size?: number
  readonly options?: readonly string[]
}

/** What a sandbox defines where no seed says otherwise. */
export const PLAIN_DEFINITIONS: readonly Definition[] = [
  {
    field_id: 1,
    field_name: 'nickname',
    label: 'Nickname',
    description: '',
    type: 'text_textfield',
    required: false,
    size: 60,
  },
  {
    field_id: 2,
    field_name: 'member_no',
    label: 'Member number',
    description: 'As printed on the card',
    type: 'text_textfield',
    required: false,
    size: 8,
  },
  {
    field_id: 3,
    field_name: 'sync_marker',
    label: 'Sync marker',
    description: 'For connectors',
    type: 'text_textfield',
    required: false,
    size: 255,
  },
  {
    field_id: 4,
    field_name: 'newsletter_consent',
    label: 'Newsletter consent',
    description: '',
    type: 'checkbox_confirmation',
    required: false,
  },
  {
    field_id: 5,
    field_name: 'language',
    label: 'Language',
    description: 'One of a list',
    type: 'options_select',
    required: false,
    options: ['de', 'en', 'fr'],
  },
  {
    field_id: 6,
    field_name: 'interests',
    label: 'Interests',
    description: 'Several of a list',
    type: 'options_buttons',
    required: false,
    options: ['books', 'music', 'sports'],
  },
  { field_id: 7, field_name: 'revenue', label: 'Revenue', description: '', type: 'float', required: false },
  {
    field_id: 8,
    field_name: 'shoe_size',
    label: 'Shoe size',
    description: '',
    type: 'integer',
    required: false,
  },
]

/** Without what the interface does not show. */
export const shownDefinitions = (definitions: readonly Definition[]): CustomField[] =>
  definitions.map((definition) => definitionSchema.parse(definition))

/** By id or by name; 404 for what there is not (interface, 4.4). */
export function definitionAt(idOrName: string, definitions: readonly Definition[]): CustomField {
  const found = shownDefinitions(definitions).find(
    ({ field_id, field_name }) => String(field_id) === idOrName || field_name === idOrName,
  )
  if (found === undefined) throw new Failure(404, 'there is no such custom field')
  return found
}

const orNone = (value: z.ZodType, error: string) => z.union([value, z.literal('')], { error })

function valueSchema({ type, size = 255, options }: Definition): z.ZodType {
  switch (type) {
    case 'text':
    case 'text_textfield':
    case 'text_textarea':
      return sizedText(size)
    case 'checkbox_confirmation':
      return z.literal([true, false, 0, 1, ''], { error: 'must be true or false' })
    case 'options_select':
      if (options === undefined) return sizedText(size)
      return z.enum([...options, ''], { error: `must be one of ${options.join(', ')}` })
    case 'options_buttons': {
      if (options === undefined) return orNone(z.array(z.string()), 'must be a list')
      const error = `must be a list out of ${options.join(', ')}`
      return orNone(z.array(z.enum(options, { error }), { error }), error)
    }
    case 'integer':
    case 'number_integer':
      return orNone(z.int('must be an integer'), 'must be an integer')
    case 'float':
    case 'number':
    case 'number_float':
      return orNone(z.number('must be a number'), 'must be a number')
    default:
      return z.union([z.string(), z.number(), z.boolean()], {
        error: 'must be a text, a number, true or false',
      })
  }
}

/** What a contact may have under each custom field's name; '' empties it. */
export const customFieldSchemas = (definitions: readonly Definition[]): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(definitions.map((definition) => [definition.field_name, valueSchema(definition)]))
