// Which changes of a batch an operator has dropped in just this form.
import { printOfForm } from '../../../core/change/waiting/dropped.ts'
import type { StagedBody } from '../../../core/state.ts'
import type { PlanContext } from '../../context.ts'
import { onPlaces } from './on-places.ts'

type Change = StagedBody & { readonly kind: 'operation' }

const isPlanned = (body: StagedBody | undefined): body is Change =>
  body?.kind === 'operation' && body.operation.state === 'planned'

function formOf({ desired, operation }: Change): string {
  const terms = operation.state === 'planned' && operation.kind !== 'delete' ? operation.terms : undefined
  return printOfForm(desired.contact, terms)
}

/** For each of the bodies; undefined where there is nothing to drop. */
export async function areDropped(
  bodies: readonly (StagedBody | undefined)[],
  { state, pipeline }: PlanContext,
): Promise<readonly (boolean | undefined)[]> {
  const planned = bodies.map((body) => (isPlanned(body) ? body : undefined))
  return onPlaces(planned, async (changes) => {
    const forms = await state.droppedForms(
      pipeline.name,
      changes.map(({ key }) => key),
    )
    return changes.map((change, index) => forms[index] !== undefined && forms[index] === formOf(change))
  })
}
