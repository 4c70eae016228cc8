// Whether an export is from a vendor for whom there is a preset, and what that preset makes of it.
import { readSmallFile } from '../../config/text/read-text.ts'
import { detectVendor, readVendors } from '../../config/vendors.ts'
import type { ContactField } from '../../core/mapping/contact.ts'
import { NO_CUSTOM_FIELDS } from '../../core/mapping/custom-fields.ts'
import { compileMapping } from '../../core/mapping/mapping.ts'
import { possibleColumns } from '../../core/mapping/optional.ts'
import { loadRuleKit } from '../../core/mapping/values/rule-kit.ts'
import { SURE } from '../../core/proposal/entry.ts'
import type { KnownExport } from '../../core/proposal/proposal.ts'
import type { PipelineSettings } from '../../core/settings.ts'
import { SyncError } from '../../core/words/errors.ts'
import { systemClock as clock } from '../../system.ts'
import { PRESET_FOLDER } from '../run/configuration.ts'
import { proposedSettings } from './trying.ts'

/** A pipeline of nothing but the preset: what it maps is read from its settings. */
const presetAlone = (preset: string): string => `
service: { base_url: "https://contacts.example", api_key: none }
pipelines: { preset: { source: { preset: ${preset}, folder: . } } }
`

/** Where such a configuration would lie; nothing is written. */
const NOWHERE = '/nowhere/contact-sync.yaml'

/** Whether the preset can be used for files with these headers: none lacks a column that it cannot do without. */
async function isUsable(
  pipeline: PipelineSettings,
  headers: readonly (readonly string[])[],
): Promise<boolean> {
  const kit = await loadRuleKit(pipeline, { writtenAt: clock.now() })
  try {
    for (const header of headers) compileMapping(pipeline, header, NO_CUSTOM_FIELDS, kit)
    return true
  } catch (error) {
    if (error instanceof SyncError) return false
    throw error
  }
}

/** The preset that surely fits the headers of all samples; undefined where none does. */
export async function knownExport(headers: readonly (readonly string[])[]): Promise<KnownExport | undefined> {
  const header = [...new Set(headers.flat())]
  const vendors = await readVendors({ presetFolder: PRESET_FOLDER, readFile: readSmallFile, env: {} })
  const [best] = detectVendor(header, vendors)
  if (best === undefined || best.confidence < SURE) return undefined
  const [pipeline] = (await proposedSettings(NOWHERE, presetAlone(best.preset), {})).pipelines
  if (pipeline === undefined || !(await isUsable(pipeline, headers))) return undefined
  const fields = Object.entries(pipeline.map).map(
    ([field, mapping]) => [field as ContactField, possibleColumns(mapping)] as const,
  )
  const { encoding, delimiter } = pipeline.source
  const leavesOut = vendors.find(({ preset }) => preset === best.preset)?.leavesOut ?? []
  const form = { encoding: String(encoding), delimiter: String(delimiter) }
  const rejectsDuplicates = pipeline.on_duplicate_key === 'reject'
  return { ...best, fields: new Map(fields), key: pipeline.key, rejectsDuplicates, leavesOut, form }
}
