import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configJsonSchema } from '../../../src/config/schema/describe.ts'
import { TRANSFORMS } from '../../../src/core/mapping/fields/transforms.ts'
import { SOURCE_KINDS } from '../../../src/sources/registry.ts'
import { KINDS } from '../fake-kinds.ts'
import { FOLDER } from '../fixtures.ts'
import { referenceTable } from './option-rows.ts'

const CONFIG = fileURLToPath(new URL('../../../config/', import.meta.url))
const MANUAL = fileURLToPath(new URL('../../../config/README.md', import.meta.url))
const REFERENCE = fileURLToPath(new URL('../../../config/REFERENCE.md', import.meta.url))
const SCHEMA = fileURLToPath(new URL('../../../config/contact-sync.schema.json', import.meta.url))
const EXAMPLE = fileURLToPath(new URL('../../../config/contact-sync.example.yaml', import.meta.url))

const validate = new Ajv2020({ strict: false }).compile(configJsonSchema(KINDS))
const isValid = (file: string): boolean => validate(parse(readFileSync(file, 'utf8')))

describe('the JSON Schema', () => {
  it.each(['minimal', 'everything', 'blocks', 'preset-alone', 'preset-merged', 'key-from-file'])(
    'accepts %s as it is written, variables included',
    (name) => {
      const valid = isValid(`${FOLDER}${name}.yaml`)
      expect(validate.errors).toBeNull()
      expect(valid).toBe(true)
    },
  )

  it.each(['unknown-keys', 'unknown-field', 'wrong-types', 'choices', 'out-of-range', 'source-type'])(
    'refuses %s',
    (name) => {
      expect(isValid(`${FOLDER}${name}.yaml`)).toBe(false)
    },
  )

  it('accepts the example, and every example configuration', () => {
    const real = new Ajv2020({ strict: false }).compile(configJsonSchema(SOURCE_KINDS))
    for (const file of [EXAMPLE, ...globSync(`${CONFIG}{examples,deploy/contact-sync}/*.yaml`)])
      expect([file, real(parse(readFileSync(file, 'utf8'))), real.errors]).toEqual([file, true, null])
  })

  it('lies beside the example, which names it to editors (update it with: vitest run test/config -u)', async () => {
    await expect(`${JSON.stringify(configJsonSchema(SOURCE_KINDS), null, 2)}\n`).toMatchFileSnapshot(SCHEMA)
    const [first = ''] = readFileSync(EXAMPLE, 'utf8').split('\n')
    expect(first).toBe('# yaml-language-server: $schema=contact-sync.schema.json')
  })

  it('is of draft 2020-12 and says nothing of its own making', () => {
    const schema = configJsonSchema(KINDS)
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(JSON.stringify(schema)).not.toContain('"path":true')
  })
})

describe('the table of options', () => {
  const rows = referenceTable(KINDS)
    .split('\n')
    .slice(2, -1)
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))

  it('has four cells and a meaning in every row, and each option once', () => {
    for (const row of rows) {
      expect(row).toHaveLength(6)
      expect(row[4]).toMatch(/\.$/)
    }
    const options = rows.map((row) => row[1])
    expect(new Set(options).size).toBe(options.length)
  })

  it('shows defaults, kinds and what is required', () => {
    const text = referenceTable(KINDS)
    expect(text).toContain('| `service.timeout` | duration | `30s` |')
    expect(text).toContain('| `pipelines.<name>.source.type` | `csv`, `json` | (required) |')
    expect(text).toContain('| `pipelines.<name>.source.skip_lines` | whole number | `0` | (csv) ')
    expect(text).toContain('| `pipelines.<name>.map.<field>.otherwise` | text or `null` |')
  })
})

describe('the manual', () => {
  const manual = readFileSync(MANUAL, 'utf8')

  it('has the table of options in a file of its own (update it with: vitest run test/config -u)', async () => {
    const generated = readFileSync(REFERENCE, 'utf8').replace(
      /(<!-- options: generated, do not edit -->\n)[^]*(<!-- options: end -->)/,
      (_, begin: string, end: string) => `${begin}\n${referenceTable(SOURCE_KINDS)}\n${end}`,
    )
    expect(generated).toContain('`pipelines.<name>.source.folder`')
    await expect(generated).toMatchFileSnapshot(REFERENCE)
  })

  it('names every transform and every preset', () => {
    for (const name of Object.keys(TRANSFORMS)) expect(manual).toContain(`\`${name}\``)
    for (const name of ['hubspot', 'salesforce', 'google', 'outlook-de'])
      expect(manual).toContain(`[\`${name}\`](presets/${name}.yaml)`)
  })
})
