// The definitions of custom fields, one of every type that the interface names (interface, 2.2 and 2.3). Read-only.
import { characterCount } from '../core/contact.ts'
import { Failure } from './failure.ts'

export interface CustomField {
  readonly field_id: number
  readonly field_name: string
  readonly label: string
  readonly description: string
  readonly type: string
  readonly required: boolean
}

interface Rule extends CustomField {
  /** Characters; texts only. */
  readonly size?: number
  readonly options?: readonly string[]
}

const RULES: readonly Rule[] = [
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

const shown = ({ size: _, options: __, ...definition }: Rule): CustomField => definition

export const customFields = (): readonly CustomField[] => RULES.map(shown)

/** By id or by name; 404 for what there is not (interface, 4.4). */
export function customField(idOrName: string): CustomField {
  const rule = RULES.find(
    ({ field_id, field_name }) => String(field_id) === idOrName || field_name === idOrName,
  )
  if (rule === undefined) throw new Failure(404, 'there is no such custom field')
  return shown(rule)
}

function problem(rule: Rule, value: unknown): string | undefined {
  switch (rule.type) {
    case 'text_textfield':
      if (typeof value !== 'string') return 'must be text'
      return characterCount(value) > (rule.size ?? 255)
        ? `has more than ${rule.size ?? 255} characters`
        : undefined
    case 'checkbox_confirmation':
      return typeof value === 'boolean' || value === 0 || value === 1 ? undefined : 'must be true or false'
    case 'options_select':
      return typeof value === 'string' && rule.options?.includes(value) === true
        ? undefined
        : `must be one of ${rule.options?.join(', ') ?? ''}`
    case 'options_buttons':
      return Array.isArray(value) && value.every((item) => rule.options?.includes(String(item)))
        ? undefined
        : `must be a list out of ${rule.options?.join(', ') ?? ''}`
    case 'integer':
      return Number.isInteger(value) ? undefined : 'must be an integer'
    default:
      return typeof value === 'number' ? undefined : 'must be a number'
  }
}

/** Whether the name is a custom field's; throws 422 when its value does not fit. */
export function checkCustomField(name: string, value: unknown): boolean {
  const rule = RULES.find(({ field_name }) => field_name === name)
  if (rule === undefined) return false
  const wrong = value === '' || value === null ? undefined : problem(rule, value)
  if (wrong !== undefined) throw new Failure(422, `${name} ${wrong}`)
  return true
}
