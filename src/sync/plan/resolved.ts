// Creates of a pipeline that says `writes`, on their way into the plan: who is at the service is linked or left alone.
// Who was passed over in the same form before is not asked about again.
import type { StagedBody } from '../../core/state.ts'
import type { PlanContext } from '../context.ts'
import { lookUp } from '../look-up.ts'

type Create = StagedBody & {
  readonly kind: 'operation'
  readonly operation: { readonly state: 'planned'; readonly kind: 'create' }
}

export const isCreate = (body: StagedBody): body is Create =>
  body.kind === 'operation' && body.operation.state === 'planned' && body.operation.kind === 'create'

interface Fresh {
  readonly body: Create
  readonly fingerprint: string
}

interface Resolved {
  readonly body: StagedBody
  /** It could be any of several contacts. */
  readonly isOneOfSeveral: boolean
}

async function resolved({ body }: Fresh, context: PlanContext): Promise<Resolved> {
  if (context.unasked !== undefined) {
    context.unasked.add('contacts')
    return { body, isOneOfSeveral: false }
  }
  const seen = await lookUp(body.desired.contact, context)
  // Without an answer it stays as it is: nothing is made before the service was asked once more.
  if (seen.kind === 'unanswered' || seen.resolution.kind === 'make') return { body, isOneOfSeveral: false }
  const { resolution } = seen
  if (resolution.kind === 'skip')
    return { body: { kind: 'passed', key: body.key }, isOneOfSeveral: resolution.several }
  const { contactId } = resolution
  return { body: { ...body, operation: { ...body.operation, contactId } }, isOneOfSeveral: false }
}

export async function resolvedCreates(
  creates: readonly Fresh[],
  context: PlanContext,
): Promise<readonly Resolved[]> {
  const { pipeline, state } = context
  const passed = await state.passed(
    pipeline.name,
    creates.map(({ body }) => body.key),
  )
  const one = async (create: Fresh, index: number): Promise<Resolved> =>
    passed[index] === create.fingerprint
      ? { body: { kind: 'passed', key: create.body.key }, isOneOfSeveral: false }
      : resolved(create, context)
  return Promise.all(creates.map(one))
}
