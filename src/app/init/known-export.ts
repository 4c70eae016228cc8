// Whether an export is of a vendor for whom there is a preset, and what that preset makes of it.
import { readSmallFile } from '../../config/text/read-text.ts'
import { detectVendor, readVendors } from '../../config/vendors.ts'
import type { ContactField } from '../../core/mapping/contact.ts'
import { possibleColumns } from '../../core/mapping/optional.ts'
import { SURE } from '../../core/proposal/entry.ts'
import type { KnownExport } from '../../core/proposal/proposal.ts'
import { PRESET_FOLDER } from '../run/configuration.ts'
import { proposedSettings } from './trying.ts'

/** A pipeline of nothing but the preset: what it maps is read from its settings. */
const presetAlone = (preset: string): string => `
service: { base_url: "https://contacts.example", api_key: none }
pipelines: { preset: { source: { preset: ${preset}, folder: . } } }
`

/** Where such a configuration would lie; nothing is written. */
const NOWHERE = '/nowhere/contact-sync.yaml'

/** The preset that surely fits a header; undefined where none does. */
export async function knownExport(header: readonly string[]): Promise<KnownExport | undefined> {
  const vendors = await readVendors({ presetFolder: PRESET_FOLDER, readFile: readSmallFile, env: {} })
  const [best] = detectVendor(header, vendors)
  if (best === undefined || best.confidence < SURE) return undefined
  const [pipeline] = (await proposedSettings(NOWHERE, presetAlone(best.preset), {})).pipelines
  if (pipeline === undefined) return undefined
  const fields = Object.entries(pipeline.map).map(
    ([field, mapping]) => [field as ContactField, possibleColumns(mapping)] as const,
  )
  const { encoding, delimiter } = pipeline.source
  const form = { encoding: String(encoding), delimiter: String(delimiter) }
  return { ...best, fields: new Map(fields), key: pipeline.key, form }
}
