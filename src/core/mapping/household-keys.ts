// The key of a record as it stands in a file, also where mapped fields make it: for finding a person's rows in files that
// are archived. Another person with the same address has another key.
import type { PipelineSettings } from '../settings.ts'
import { SyncError } from '../words/errors.ts'
import { NO_CUSTOM_FIELDS } from './custom-fields.ts'
import { contactMaker } from './fields/contact-reading.ts'
import { mappingParts, recordKeys } from './mapping.ts'
import { usableKey } from './usable-key.ts'
import { householdKey, type HouseholdFields } from './values/household.ts'
import { loadRuleKit, type RuleKit } from './values/rule-kit.ts'

type KeyReader = ReturnType<typeof recordKeys>

/** The pipeline with the fields of the key and nothing else. */
function keyAlone({ where: _, ...pipeline }: PipelineSettings, fields: HouseholdFields): PipelineSettings {
  const own = Object.entries(pipeline.map).filter(([name]) => fields.some((field) => field === name))
  const terms = { ...pipeline.terms, assign: [] }
  return { ...pipeline, map: Object.fromEntries(own), custom_fields: {}, terms }
}

/** Undefined where the header lacks a column of the key. */
function valuesReader(
  pipeline: PipelineSettings,
  header: readonly string[],
  { fields, kit }: { fields: HouseholdFields; kit: RuleKit },
): ((values: readonly string[]) => string | undefined) | undefined {
  try {
    const parts = mappingParts(pipeline, header, { customFields: NO_CUSTOM_FIELDS, kit })
    const contactOf = contactMaker(parts.fields)
    return (values) => usableKey(householdKey(contactOf(parts.repaired(values)).contact, fields))
  } catch (error) {
    if (error instanceof SyncError) return undefined
    throw error
  }
}

/** As `recordKeys`, and for a key of mapped fields as well. `writtenAt`: when its files were written, about. */
export async function anyRecordKeys(
  pipeline: PipelineSettings,
  about: { readonly writtenAt: number },
): Promise<KeyReader> {
  const { household: fields } = pipeline
  if (fields === undefined) return recordKeys(pipeline)
  const own = keyAlone(pipeline, fields)
  const kit = await loadRuleKit(own, about)
  let last: { readonly header: readonly string[]; readonly read: ReturnType<typeof valuesReader> } | undefined
  return (header, values) => {
    if (last?.header !== header) last = { header, read: valuesReader(own, header, { fields, kit }) }
    return last.read?.(values)
  }
}
