// The service's definitions of custom fields at the start of a run: held against the mapping before anything is read.
import type { Unasked } from '../core/change/plan/plan.ts'
import { stopWithout } from '../core/outcome/circuit.ts'
import {
  customFieldFindings,
  type CustomFieldRules,
  definitionChange,
  mappedDefinitions,
  NO_CUSTOM_FIELDS,
} from '../core/mapping/custom-fields.ts'
import { SyncError } from '../core/words/errors.ts'
import type { CallResult, CustomFieldDefinition, CustomFieldReader } from '../core/ports.ts'
import type { PlanContext } from './context.ts'

const hasNone = ({ pipeline }: PlanContext): boolean => Object.keys(pipeline.custom_fields).length === 0

/** Whether the answer settles that there is none: a name that no path can hold is not asked for, and had to be listed. */
const isNone = ({ kind, request }: CallResult<unknown>): boolean =>
  kind === 'absent' ||
  kind === 'refused' ||
  request.status === 404 ||
  (kind === 'unknown' && request.attempts === 0)

/**
 * The definitions, with those of `names` for certain where they exist: what the list lacks is asked for by name,
 * because a service may cut its lists and documents no pages for this one. `whole`: every other definition as well.
 */
export async function definitionsWith(
  names: readonly string[],
  reads: CustomFieldReader,
  { whole }: { whole: boolean },
): Promise<CallResult<readonly CustomFieldDefinition[]>> {
  const isEnough = (found: readonly CustomFieldDefinition[]): boolean =>
    names.every((name) => found.some((field) => field.name === name))
  const listed = await (whole ? reads.customFields() : reads.customFields(isEnough))
  if (listed.kind !== 'ok') return listed
  const found = [...listed.value]
  for (const name of names.filter((one) => !listed.value.some((field) => field.name === one))) {
    const one = await reads.customFieldByName(name)
    // A look-up that failed is no mistake in the mapping, and must not be said to be one.
    if (one.kind !== 'ok' && !isNone(one)) return one
    if (one.kind === 'ok' && one.value.name === name) found.push(one.value)
  }
  return { ...listed, value: found }
}

async function readDefinitions(context: PlanContext): Promise<readonly CustomFieldDefinition[]> {
  const names = Object.keys(context.pipeline.custom_fields)
  const result = await definitionsWith(names, context.session, { whole: false })
  if (result.kind === 'ok') return result.value
  const { code, message } = stopWithout(result)
  throw new SyncError(code, `the custom fields of the service cannot be read: ${message}`)
}

/** By the definitions as the state has them; fields that no run has seen are left out. */
export function seenRules(
  { pipeline, customFieldKey }: Pick<PlanContext, 'pipeline' | 'customFieldKey'>,
  seen: readonly CustomFieldDefinition[],
): CustomFieldRules & { readonly lacking: readonly string[] } {
  const lacking = Object.keys(pipeline.custom_fields).filter(
    (name) => !seen.some((definition) => definition.name === name),
  )
  const { rules, print } = customFieldFindings(pipeline, seen, customFieldKey)
  return { rules, print, lacking }
}

async function seenFields(context: PlanContext, unasked: Set<Unasked>) {
  const seen = await context.state.seenDefinitions(context.pipeline.name)
  const { rules, print, lacking } = seenRules(context, seen)
  for (const name of lacking) unasked.add(`custom_fields.${name}`)
  return { rules, print, definitions: [] }
}

/**
 * The rules for the mapper; without a request where the pipeline maps no custom field. Throws CONFIG_INVALID with every
 * mapped field that the service does not have, and the reason where the definitions cannot be read.
 */
export async function loadCustomFields(
  context: PlanContext,
): Promise<CustomFieldRules & { definitions: readonly CustomFieldDefinition[] }> {
  if (hasNone(context)) return { ...NO_CUSTOM_FIELDS, definitions: [] }
  if (context.unasked !== undefined) return seenFields(context, context.unasked)
  const all = await readDefinitions(context)
  const { rules, print, problems, warnings } = customFieldFindings(
    context.pipeline,
    all,
    context.customFieldKey,
  )
  if (problems.length > 0) throw new SyncError('CONFIG_INVALID', problems.join('; '))
  for (const problem of warnings) context.log.warn('custom field does not match the mapping', { problem })
  return { rules, print, definitions: mappedDefinitions(context.pipeline, all) }
}

/**
 * Says what changed about the mapped definitions since an earlier run, and remembers them as they are now. A field with another
 * id was deleted at the service, with all its values, and created again.
 */
export async function noticeChanges(
  { rules, definitions }: CustomFieldRules & { readonly definitions: readonly CustomFieldDefinition[] },
  context: PlanContext,
): Promise<void> {
  if (definitions.length === 0) return
  const recreated: string[] = []
  const seen = new Map(
    (await context.state.seenDefinitions(context.pipeline.name)).map((one) => [one.name, one]),
  )
  for (const definition of definitions) {
    const before = seen.get(definition.name)
    // What the service leaves out, JSON leaves out, too.
    const change = before && definitionChange({ ...before, multiple: before.multiple }, definition)
    if (change === undefined) continue
    context.tally.noteDrift()
    context.log.warn('custom field changed at the service', { field: definition.name, change })
    const key = rules.find(({ name }) => name === definition.name)?.key
    if (before?.id !== definition.id && key !== undefined) recreated.push(key)
  }
  const at = context.clock.now()
  await context.state.rememberDefinitions(context.pipeline.name, { definitions, at, recreated })
}
