// The presets over an export of each vendor: every one is detected, and maps without an edit as the table says.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compileMapping } from '../../src/core/mapping/mapping.ts'
import { NO_CUSTOM_FIELDS } from '../../src/core/mapping/custom-fields.ts'
import { loadRuleKit } from '../../src/core/mapping/values/rule-kit.ts'
import { readSmallFile } from '../../src/config/text/read-text.ts'
import { detectVendor, readVendors } from '../../src/config/vendors.ts'
import { mapExport, pipelineOf, PRESETS } from '../support/export.ts'
import { EXPECTED_EXPORTS } from './expected-exports.ts'

const EXPORTS = fileURLToPath(new URL('../fixtures/exports/', import.meta.url))

const ALL = [
  'activecampaign',
  'brevo',
  'civicrm',
  'eventbrite',
  'google',
  'hubspot',
  'klaviyo',
  'linkedin',
  'mailchimp',
  'mautic',
  'odoo',
  'outlook',
  'outlook-de',
  'pipedrive',
  'roundcube',
  'salesforce',
  'shopify',
  'thunderbird',
  'zoho',
]

const vendors = await readVendors({ presetFolder: PRESETS, readFile: readSmallFile, env: {} })

/** Each file is read once. */
const read = new Map<string, ReturnType<typeof mapExport>>()
const mapped = (preset: string, file: string): ReturnType<typeof mapExport> => {
  const made = read.get(file) ?? mapExport(preset, EXPORTS + file)
  read.set(file, made)
  return made
}

describe('the presets', () => {
  it('are these nineteen, and each has an export to be tried on', () => {
    expect(vendors.map(({ preset }) => preset)).toEqual(ALL)
    expect([...new Set(EXPECTED_EXPORTS.map(({ preset }) => preset))].sort()).toEqual(ALL)
    expect(EXPECTED_EXPORTS.map(({ file }) => file)).toEqual(readdirSync(EXPORTS).sort())
  })

  it.each(EXPECTED_EXPORTS)('$file is detected as an export for $preset', async ({ preset, file }) => {
    const { header } = await mapped(preset, file)
    const [first, second] = detectVendor(header, vendors)
    expect(first).toMatchObject({ preset })
    expect(first?.confidence).toBeGreaterThanOrEqual(0.9)
    expect(second?.confidence ?? 0).toBeLessThan(first?.confidence ?? 0)
  })

  it.each(EXPECTED_EXPORTS)('$file gives these contacts', async ({ preset, file, rows: expected }) => {
    const { rows } = await mapped(preset, file)
    expect(rows).toEqual(
      expected.map((row) => {
        if (row === 'skipped') return { skipped: true }
        if (typeof row === 'string') return { rejected: row }
        const { contact, key = contact['mail'], dropped = [] } = row
        return { contact, key, dropped, terms: undefined }
      }),
    )
  })
})

describe.each(ALL)('the preset %s', (preset) => {
  it('says in its first lines what it was made for, and how it is detected', () => {
    const lines = readFileSync(`${PRESETS}/${preset}.yaml`, 'utf8').split('\n')
    expect(lines[0]).toMatch(/^# \S.*(CSV|csv|Export|Exportieren)/)
    expect(lines.findIndex((line) => line.startsWith('description: '))).toBeGreaterThan(2)
    expect(lines).toContain('detect:')
  })

  it('needs the columns of its key alone', async () => {
    const pipeline = await pipelineOf(preset)
    const header = pipeline.key ?? [pipeline.map['mail']?.column ?? pipeline.map['mail']?.columns?.[0] ?? '']
    const kit = await loadRuleKit(pipeline, { writtenAt: 0 })
    const { map } = compileMapping(pipeline, header, NO_CUSTOM_FIELDS, kit)
    const mapped = map({ kind: 'record', values: header.map(() => 'a@example.com'), line: 2 })
    expect(mapped).toMatchObject({ kind: 'contact', key: 'a@example.com', mended: [] })
  })

  it('drops what is invalid with a warning, but for the mail, and the person stays', async () => {
    const pipeline = await pipelineOf(preset)
    expect(pipeline.on_invalid).toBe('drop')
    expect(pipeline.map['mail']).toMatchObject({ on_invalid: 'reject' })
    for (const [field, mapping] of Object.entries(pipeline.map))
      expect([field, mapping.on_invalid]).toEqual([field, field === 'mail' ? 'reject' : undefined])
  })

  it('raises nobody: a status that it sets is 1 or 2', async () => {
    const { map } = await pipelineOf(preset)
    const { lookup = {}, expression = '', otherwise, value } = map['mail_status'] ?? {}
    const inExpression = [...expression.matchAll(/[?:]\s*"(\d?)"/gu)].map(([, status]) => status)
    for (const status of [...Object.values(lookup), ...inExpression])
      expect(['1', '2', '', null]).toContain(status)
    expect([otherwise, value]).toEqual([undefined, undefined])
  })
})
