// One number for all that decides which contact a record becomes, so that a run can tell a changed
// configuration from a changed source. What only says when or where from is not in it.
import { createHash } from 'node:crypto'
import type { ApprovalRule } from '../core/change/waiting/approval-settings.ts'
import type { PipelineSettings } from '../core/settings.ts'

/** Options of a source that say which files are read, not how. */
const WHERE_FROM: readonly string[] = ['folder', 'remote', 'home', 'files', 'settle', 'fetch']

/** JSON that does not depend on the order in which keys were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    const entries = Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(entries)
  })
}

const fieldRules = (mappings: PipelineSettings['map']): Record<string, unknown> =>
  Object.fromEntries(
    // What becomes of edits at the service decides nothing about the record's contact.
    Object.entries(mappings).map(([field, { on_invalid: onInvalid, hand_edits: _, ...rest }]) => [
      field,
      { ...rest, onInvalid },
    ]),
  )

const hashOf = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex')

const readsHow = ({ source }: Pick<PipelineSettings, 'source'>, pathOptionNames: readonly string[]) =>
  Object.entries(source).filter(
    ([option]) => !WHERE_FROM.includes(option) && !pathOptionNames.includes(option),
  )

/** SHA-256, hexadecimal, over everything that is set for a pipeline but when it runs and where its files are. */
export function effectiveHash(
  pipeline: PipelineSettings,
  { rules, paths }: { rules: readonly ApprovalRule[]; paths: readonly string[] },
): string {
  const { schedule: _, timezone: __, tests: ___, drift: ____, ...settings } = pipeline
  return hashOf({ ...settings, source: Object.fromEntries(readsHow(pipeline, paths)), rules })
}

/**
 * SHA-256, hexadecimal. Links and fingerprints are kept under it, so it is made from the names that it was first
 * made from: with other names every record would look as if its configuration had changed.
 */
export function pipelineHash(
  pipeline: Omit<PipelineSettings, 'hash'>,
  pathOptionNames: readonly string[],
): string {
  const { key, blank, where, terms, repair } = pipeline
  const { null_values: nullValues, ...options } = Object.fromEntries(readsHow(pipeline, pathOptionNames))
  const method = pipeline.duplicate_merge_method
  const decides = {
    source: { ...options, nullValues },
    key,
    map: fieldRules(pipeline.map),
    customFields: fieldRules(pipeline.custom_fields),
    onInvalid: pipeline.on_invalid,
    blank,
    where,
    skipWithout: pipeline.skip_without,
    onDuplicateKey: pipeline.on_duplicate_key,
    duplicateMergeMethod: method,
    // Only where it differs: a configuration that does not set it keeps its hash.
    updateMethod: pipeline.update_method === method ? undefined : pipeline.update_method,
    // Descriptions belong to the terms, not to a contact.
    terms: { policy: terms.policy, createMissing: terms.create_missing, assign: terms.assign },
    allowConsentRaise: pipeline.allow_consent_raise,
    repair,
    // Only where it says something, for the same reason.
    household: pipeline.household,
    owners: pipeline.owners,
    writes: pipeline.writes === 'all' ? undefined : pipeline.writes,
  }
  return hashOf(decides)
}
