// The options of the configuration as rows for the manual: path, type, default and meaning, read from the
// JSON Schema. What is described the same way in several places (the fields, the kinds of sources) is one row.
import { type JsonSchema, rawSchema } from '../../../src/config/schema/describe.ts'
import type { SourceKinds } from '../../../src/config/load.ts'
import { isMapping } from '../../../src/config/text/tree.ts'

interface OptionRow {
  readonly path: string
  readonly type: string
  /** The default, as it would be written; `(required)`; or empty. */
  readonly standard: string
  readonly meaning: string
}

type Definitions = JsonSchema

const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? value.filter(isMapping) : [])
const wording = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What may stand in one place: references followed, unions taken apart. */
function branches(schema: JsonSchema, definitions: Definitions): JsonSchema[] {
  const target = definitions[wording(schema['$ref']).replace('#/$defs/', '')]
  if (isMapping(target)) return branches(target, definitions)
  const inner = [...schemasIn(schema['anyOf']), ...schemasIn(schema['oneOf'])]
  return inner.length === 0 ? [schema] : inner.flatMap((one) => branches(one, definitions))
}

const FORMS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  number: 'number',
  boolean: '`true`, `false`',
  object: 'mapping',
  null: '`null`',
}

function formOf(schema: JsonSchema, definitions: Definitions): string {
  const { type, pattern, items } = schema
  const choices: unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : []
  const constant = wording(schema['const'])
  if (constant !== '') return `\`${constant}\``
  if (choices.length > 0) return choices.map((choice) => `\`${String(choice)}\``).join(', ')
  if (wording(pattern).endsWith('(ms|s|m|h|d)$')) return 'duration'
  if (wording(pattern).endsWith('%$')) return 'share'
  if (type === 'array') return isMapping(items) ? `list of ${typeText(items, definitions)}` : 'list'
  const types: unknown[] = Array.isArray(type) ? type : [type]
  return types.map((one) => FORMS[wording(one)] ?? 'any').join(' or ')
}

function typeText(schema: JsonSchema, definitions: Definitions): string {
  const forms = [...new Set(branches(schema, definitions).map((one) => formOf(one, definitions)))]
  return forms
    .map((form, index) => {
      const before = forms.slice(0, index).join(' or ')
      return before !== '' && form === `list of ${before}` ? 'list of these' : form
    })
    .join(' or ')
}

function standardText(value: unknown, required: boolean): string {
  if (required) return '(required)'
  if (value === undefined || (isMapping(value) && Object.keys(value).length === 0)) return ''
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function rowOf(schema: JsonSchema, at: At, required: boolean): OptionRow {
  return {
    path: at.path,
    type: typeText(schema, at.definitions),
    standard: standardText(schema['default'], required),
    meaning: wording(schema['description']),
  }
}

interface At {
  readonly path: string
  readonly definitions: Definitions
}

const isField = (schema: unknown): schema is JsonSchema => isMapping(schema) && schema['$ref'] !== undefined

/** Fields that are all mapped alike are described once, as `<field>`. */
function fieldRows(properties: JsonSchema, { path, definitions }: At): OptionRow[] {
  const fields = Object.entries(properties).filter(([, one]) => isField(one))
  const [first] = fields
  if (first === undefined || !isField(first[1])) return []
  const at = { path: `${path}.<field>`, definitions }
  const names = fields.map(([name, one]) => {
    const meaning = isField(one) ? wording(one['description']).replace(/\.$/, '') : ''
    return `\`${name}\` (${meaning})`
  })
  const head = { ...rowOf(first[1], at, false), meaning: `How the field is made: ${names.join('; ')}.` }
  return [head, ...branches(first[1], definitions).flatMap((one) => rowsIn(one, at))]
}

const kindOf = (schema: JsonSchema): string => {
  const { properties } = schema
  const type = isMapping(properties) ? properties['type'] : undefined
  return isMapping(type) ? wording(type['const']) : ''
}

/** Options of several kinds: those that not every kind has say whose they are. */
function kindRows(kinds: readonly JsonSchema[], at: At): OptionRow[] {
  const rows = new Map<string, { row: OptionRow; of: string[]; types: string[] }>()
  for (const kind of kinds)
    for (const row of rowsIn(kind, at)) {
      const id = `${row.path} ${row.standard} ${row.meaning}`
      const known = rows.get(id) ?? { row, of: [], types: [] }
      known.of.push(kindOf(kind))
      known.types.push(row.type)
      rows.set(id, known)
    }
  return [...rows.values()].map(({ row, of, types }) => ({
    ...row,
    type: [...new Set(types)].join(', '),
    meaning: of.length === kinds.length ? row.meaning : `(${of.join(', ')}) ${row.meaning}`,
  }))
}

function rowsInside(schema: JsonSchema, at: At): OptionRow[] {
  // A block is written like the map of a pipeline, and the service of an account like that at the top: their rows are there anyway.
  if (at.path === 'blocks' || at.path === 'accounts.<name>.service') return []
  const all = branches(schema, at.definitions)
  const kinds = all.filter((one) => kindOf(one) !== '')
  if (kinds.length > 0) return kindRows(kinds, at)
  const direct = all.flatMap((one) => rowsIn(one, at))
  if (direct.length > 0) return direct
  return all.flatMap(({ items }) => {
    if (!isMapping(items)) return []
    const itemAt = { ...at, path: `${at.path}[]` }
    return branches(items, at.definitions).flatMap((item) => rowsIn(item, itemAt))
  })
}

function rowsIn(schema: JsonSchema, at: At): OptionRow[] {
  const properties = isMapping(schema['properties']) ? schema['properties'] : {}
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  const single = Object.entries(properties).flatMap(([name, property]) => {
    if (!isMapping(property) || isField(property)) return []
    const inner = { ...at, path: at.path === '' ? name : `${at.path}.${name}` }
    return [rowOf(property, inner, required.includes(name)), ...rowsInside(property, inner)]
  })
  const values = schema['additionalProperties']
  const named =
    isMapping(values) && !isField(values) ? rowsIn(values, { ...at, path: `${at.path}.<name>` }) : []
  return [...fieldRows(properties, at), ...single, ...named]
}

/** Every option, in the order of the schema. */
function optionRows(schema: JsonSchema): readonly OptionRow[] {
  const definitions = isMapping(schema['$defs']) ? schema['$defs'] : {}
  return rowsIn(schema, { path: '', definitions })
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** A Markdown table of every option: path, type, default and meaning. */
export function referenceTable(kinds: SourceKinds): string {
  const lines = optionRows(rawSchema(kinds)).map(
    ({ path, type, standard, meaning }) =>
      `| \`${path}\` | ${cell(type)} | ${cell(standard)} | ${cell(meaning)} |`,
  )
  return ['| option | type | default | meaning |', '|---|---|---|---|', ...lines, ''].join('\n')
}
