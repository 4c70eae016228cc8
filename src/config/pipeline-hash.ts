// One number for all that decides which contact a record becomes, so that a run can tell a changed
// configuration from a changed source. What only says when or where from is not in it.
import { createHash } from 'node:crypto'
import type { PipelineSettings } from '../core/settings.ts'

/** Options of a source that say which files are read, not how. */
const WHERE_FROM: readonly string[] = ['folder', 'files', 'settle']

/** JSON that does not depend on the order in which keys were written. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    const entries = Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(entries)
  })
}

/** SHA-256, hexadecimal. */
export function pipelineHash(
  pipeline: Omit<PipelineSettings, 'hash'>,
  pathOptionNames: readonly string[],
): string {
  const { key, map, customFields, onInvalid, blank, where, onDuplicateKey, duplicateMergeMethod } = pipeline
  // Set apart alone: so that a configuration that does not speak of it keeps its hash.
  const updateMethod = pipeline.updateMethod === duplicateMergeMethod ? undefined : pipeline.updateMethod
  // Descriptions are of the terms, not of anybody's contact.
  const { policy, createMissing, assign } = pipeline.terms
  const terms = { policy, createMissing, assign }
  const source = Object.fromEntries(
    Object.entries(pipeline.source).filter(
      ([option]) => !WHERE_FROM.includes(option) && !pathOptionNames.includes(option),
    ),
  )
  const rules = {
    map,
    customFields,
    onInvalid,
    blank,
    where,
    onDuplicateKey,
    duplicateMergeMethod,
    updateMethod,
    terms,
  }
  const decides = { source, key, ...rules, allowConsentRaise: pipeline.allowConsentRaise }
  return createHash('sha256').update(canonicalJson(decides)).digest('hex')
}
