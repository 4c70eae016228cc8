// What the schema says about itself, as a JSON Schema for editors (and, in the tests, for the manual's table of options).
// It is generated, so that it cannot be wrong; the words stand at the keys in the schema.
import { z } from 'zod'
import { configSchema } from '../../core/settings.ts'
import type { SourceKinds } from '../../core/settings/source-settings.ts'
import { isMapping, valueAt } from '../text/tree.ts'
import { EXAMPLES, examplePath } from './examples.ts'

export type JsonSchema = Record<string, unknown>

/** `${NAME}` may stand for any single value, and editors should know. */
const FROM_ENVIRONMENT = { type: 'string', pattern: '\\$\\{' }

function isSingleValue({ type, pattern, enum: choices }: JsonSchema): boolean {
  if (type === 'number' || type === 'integer' || type === 'boolean') return true
  return type === 'string' && (pattern !== undefined || choices !== undefined)
}

/** `{ type: integer, default: 5 }` becomes "an integer, or text with ${...}", its words staying outside. */
function allowEnvironment(schema: JsonSchema): void {
  if (!isSingleValue(schema)) return
  const form = Object.fromEntries(
    Object.entries(schema).filter(([key]) => key !== 'description' && key !== 'default'),
  )
  for (const key of Object.keys(form)) Reflect.deleteProperty(schema, key)
  schema['anyOf'] = [form, FROM_ENVIRONMENT]
}

/** As zod has it; `override` may change each schema in it. */
export function rawSchema(kinds: SourceKinds, override?: (schema: JsonSchema) => void): JsonSchema {
  return z.toJSONSchema(configSchema(kinds), {
    io: 'input',
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: ({ jsonSchema, path }) => {
      // `path: true` is a note to the loader, and the names of mappings hold no variables.
      Reflect.deleteProperty(jsonSchema, 'path')
      if (!path.includes('propertyNames')) override?.(jsonSchema)
    },
  })
}

/** A preset may give `type` and `map`: a file without them can be in order, and editors should not mark it. */
function allowPresets(schema: JsonSchema): void {
  if (schema['oneOf'] !== undefined) {
    schema['anyOf'] = schema['oneOf']
    Reflect.deleteProperty(schema, 'oneOf')
  }
  const { properties, required } = schema
  if (!isMapping(properties) || !Array.isArray(required)) return
  const isSource = isMapping(properties['type']) && properties['preset'] !== undefined
  const given = isSource ? 'type' : properties['source'] === undefined ? undefined : 'map'
  schema['required'] = required.filter((name) => name !== given)
}

/** What stands below a schema: each key with its path, each form of an entry, each branch of a union. */
function visit(schema: unknown, path: string, see: (key: JsonSchema, path: string) => void): void {
  if (!isMapping(schema)) return
  for (const name of ['anyOf', 'oneOf'])
    for (const branch of Array.isArray(schema[name]) ? schema[name] : []) visit(branch, path, see)
  visit(schema['items'], `${path}[]`, see)
  visit(schema['additionalProperties'], `${path}.<name>`, see)
  for (const [name, key] of Object.entries(isMapping(schema['properties']) ? schema['properties'] : {})) {
    if (!isMapping(key)) continue
    const at = path === '' ? name : `${path}.${name}`
    see(key, at)
    visit(key, at, see)
  }
}

/** Every key of the schema, with its path; those of a field's mapping under `<field>`. */
export function visitKeys(schema: JsonSchema, see: (key: JsonSchema, path: string) => void): void {
  visit(schema, '', see)
  visit(valueAt(schema, ['$defs', 'FieldMapping']), '<field>', see)
}

function addExamples(schema: JsonSchema): void {
  visitKeys(schema, (key, path) => {
    const at = examplePath(path)
    if (Object.hasOwn(EXAMPLES, at)) key['examples'] = [EXAMPLES[at]]
  })
}

/** `service` at the top, or several below `accounts`. */
function allowAccounts(schema: JsonSchema): void {
  const { required } = schema
  if (!Array.isArray(required)) return
  schema['required'] = required.filter((name) => name !== 'service')
  schema['anyOf'] = [{ required: ['service'] }, { required: ['accounts'] }]
}

/** JSON Schema, draft 2020-12, of the file as written. */
export function configJsonSchema(kinds: SourceKinds): JsonSchema {
  const schema = rawSchema(kinds, (inner) => {
    allowEnvironment(inner)
    allowPresets(inner)
  })
  const mapping = valueAt(schema, ['$defs', 'FieldMapping', 'anyOf'])
  // `field: null` takes a field out of a preset.
  if (Array.isArray(mapping)) mapping.push({ type: 'null' })
  allowAccounts(schema)
  addExamples(schema)
  return { title: 'contact-sync configuration', ...schema }
}
