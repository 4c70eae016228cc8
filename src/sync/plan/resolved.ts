// Creates of a pipeline that says `writes`, or has a key of fields, on their way into the plan: who is at the service is linked or left alone.
// Who was passed over in the same form before is not asked about again.
import type { Hold } from '../../core/change/waiting/guard.ts'
import type { StagedOperation } from '../../core/change/operation.ts'
import { otherwiseText, type Resolution, withinAddress } from '../../core/change/lookup/resolution.ts'
import { contactMailKey } from '../../core/mapping/contact.ts'
import { householdRule } from '../../core/mapping/values/household.ts'
import type { StagedBody } from '../../core/state.ts'
import type { PlanContext } from '../context.ts'
import { lookUp } from '../look-up.ts'

type Create = StagedBody & {
  readonly kind: 'operation'
  readonly operation: StagedOperation & { readonly state: 'planned'; readonly kind: 'create' }
}

export const isCreate = (body: StagedBody): body is Create =>
  body.kind === 'operation' && body.operation.state === 'planned' && body.operation.kind === 'create'

interface Fresh {
  readonly body: Create
  readonly fingerprint: string
}

interface Resolved {
  readonly body: StagedBody
  /** It could be any of several contacts, and is passed over. */
  readonly isOneOfSeveral: boolean
  /** Why it would resolve to another contact than before. */
  readonly otherwise: string | undefined
}

const only = (body: StagedBody): Resolved => ({ body, isOneOfSeveral: false, otherwise: undefined })

function bodyBy(body: Create, resolution: Resolution): StagedBody {
  const { operation, key } = body
  switch (resolution.kind) {
    case 'skip':
      return { kind: 'passed', key }
    case 'adopt':
      return { ...body, operation: { ...operation, contactId: resolution.contactId } }
    case 'doubt':
      return { ...body, operation: { ...operation, reason: resolution.reason } }
    case 'make': {
      const consent = withinAddress(operation.consent, resolution.withdrawn)
      return consent === undefined ? body : { ...body, operation: { ...operation, consent } }
    }
  }
}

/** Whether the key, or its address, was resolved otherwise before. */
async function otherwiseOf(
  { key, desired }: Create,
  resolution: Resolution,
  { pipeline, state }: PlanContext,
): Promise<string | undefined> {
  if (pipeline.household === undefined) return undefined
  const contactId = resolution.kind === 'adopt' ? resolution.contactId : undefined
  const asked = { key, mailKey: contactMailKey(desired.contact) ?? '', contactId }
  const [kept] = await state.keptResolutions(pipeline.name, householdRule(pipeline), [asked])
  return kept === undefined ? undefined : otherwiseText(kept, resolution)
}

async function resolved({ body }: Fresh, context: PlanContext): Promise<Resolved> {
  if (context.unasked !== undefined) {
    context.unasked.add('contacts')
    return only(body)
  }
  const seen = await lookUp(body.desired.contact, context)
  // Without an answer it stays unchanged: no contact is created before the service was asked once more.
  if (seen.kind === 'unanswered') {
    context.undecided?.set(body.key, { kind: 'failed', reason: seen.result.reason })
    return only(body)
  }
  const { resolution } = seen
  if (resolution.kind === 'doubt')
    context.undecided?.set(body.key, { kind: 'in_doubt', reason: resolution.reason, notBefore: 0 })
  return {
    body: bodyBy(body, resolution),
    isOneOfSeveral: resolution.kind === 'skip' && resolution.several,
    otherwise: await otherwiseOf(body, resolution, context),
  }
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
      ? only({ kind: 'passed', key: create.body.key })
      : resolved(create, context)
  return Promise.all(creates.map(one))
}

/** Records of one input that would resolve to another contact than before. */
export interface Otherwise {
  records: number
  /** Of the first of them. */
  reason: string | undefined
}

/** The whole input is held: what is behind it, a file of another source or a changed rule, concerns all of it. */
export const otherwiseHold = ({ records, reason }: Otherwise): Hold | undefined =>
  records === 0
    ? undefined
    : {
        ...{ guard: 'household', holds: 'all', number: records, threshold: '0' },
        reason: `${records} of its records would get another contact than before; ${reason ?? ''}`,
      }
