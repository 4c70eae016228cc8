// Where the marker field stands in a contact: looked up once a run, when the first contact is to be made.
import { stopWithout } from '../../core/outcome/circuit.ts'
import { customFieldKeyOf } from '../../core/mapping/custom-fields.ts'
import { SyncError } from '../../core/words/errors.ts'
import { type Marker, markerText } from '../../core/change/lookup/marker.ts'
import type { Operation } from '../../core/change/operation.ts'
import type { CustomFieldDefinition } from '../../core/ports.ts'
import type { RunContext } from '../context.ts'
import { definitionsWith } from '../definitions.ts'

/** What keeps the field from being a marker; undefined where nothing does. */
export function markerProblem(
  name: string,
  definitions: readonly CustomFieldDefinition[],
): string | undefined {
  const definition = definitions.find((one) => one.name === name)
  if (definition === undefined)
    return `service.marker_field: the service has no custom field ${name}; create one of a text type there, for 60 characters or more`
  if (definition.type.startsWith('text')) return undefined
  return `service.marker_field: the custom field ${name} is of type ${definition.type}; a marker needs a text field`
}

async function findKey(name: string, context: RunContext): Promise<string> {
  const result = await definitionsWith([name], context.session, { whole: false })
  if (result.kind !== 'ok') {
    const { code, message } = stopWithout(result)
    throw new SyncError(code, `the marker field cannot be looked up: ${message}`)
  }
  const problem = markerProblem(name, result.value)
  if (problem !== undefined) throw new SyncError('CONFIG_INVALID', problem)
  const definition = result.value.find((one) => one.name === name)
  return customFieldKeyOf(definition ?? { name, id: 0 }, context.customFieldKey)
}

/** The marker of an operation; undefined where no marker field is configured. */
export async function markerOf(operation: Operation, context: RunContext): Promise<Marker | undefined> {
  const { marker_field: markerField } = context.service
  if (markerField === undefined) return undefined
  context.seen.markerKey ??= findKey(markerField, context)
  return { key: await context.seen.markerKey, text: markerText(await context.state.instance(), operation) }
}
