// What editors show beside a key: what it means, and its default or an example, which must be one.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { configJsonSchema, type JsonSchema, visitKeys } from '../../../src/config/schema/describe.ts'
import { EXAMPLES, examplePath } from '../../../src/config/schema/examples.ts'
import { SOURCE_KINDS } from '../../../src/sources/registry.ts'

const schema = configJsonSchema(SOURCE_KINDS)
const keys: { path: string; key: JsonSchema }[] = []
visitKeys(schema, (key, path) => void keys.push({ path, key }))

/** A section's keys are described one by one; what can only be one thing needs no example. */
const saysEnough = ({ properties, const: only }: JsonSchema): boolean =>
  properties !== undefined || only !== undefined

/** Long ones are whole sections, which the example configurations have; to compile them takes long. */
const LONGEST = 3000
const given = keys.filter(({ key }) => key['examples'] !== undefined && JSON.stringify(key).length < LONGEST)
/** All of them at once: each compilation takes the definitions along. */
const validate = new Ajv2020({ strict: false, allErrors: true }).compile({
  $defs: schema['$defs'],
  type: 'object',
  properties: Object.fromEntries(given.map(({ key }, place) => [`key${place}`, key])),
})

describe('the JSON Schema', () => {
  it('describes every key', () => {
    expect(keys.length).toBeGreaterThan(200)
    expect(keys.filter(({ key }) => typeof key['description'] !== 'string').map(({ path }) => path)).toEqual(
      [],
    )
  })

  it('has a default or an example of every key that is no section', () => {
    const bare = keys.filter(
      ({ key }) => key['default'] === undefined && key['examples'] === undefined && !saysEnough(key),
    )
    expect(bare.map(({ path }) => path)).toEqual([])
  })

  it('has no example that leads nowhere', () => {
    const paths = new Set(keys.map(({ path }) => examplePath(path)))
    expect(Object.keys(EXAMPLES).filter((path) => !paths.has(path))).toEqual([])
  })

  it('has examples that it accepts itself, and no others', () => {
    const examples = given.map(({ key }): unknown => (key['examples'] as unknown[])[0])
    validate(Object.fromEntries(examples.map((example, place) => [`key${place}`, example])))
    const faulty = new Set((validate.errors ?? []).map(({ instancePath }) => instancePath.split('/')[1]))
    expect(given.flatMap(({ path }, place) => (faulty.has(`key${place}`) ? path : []))).toEqual([])
    const size = given.findIndex(({ path }) => path === '<field>.size')
    expect(validate({ [`key${size}`]: 'large' })).toBe(false)
  })
})
