// Asks the service who has the mail of a record, where the pipeline says `writes` or has a key of fields.
import type { Contact } from '../core/mapping/contact.ts'
import { lookUpFields, lookUpMail, type Resolution, resolution } from '../core/change/lookup/resolution.ts'
import type { CallResult, RequestTrace } from '../core/ports.ts'
import type { PlanContext } from './context.ts'

export type LookedUp =
  | { readonly kind: 'resolved'; readonly resolution: Resolution; readonly request: RequestTrace | undefined }
  /** The service gave no usable answer. */
  | { readonly kind: 'unanswered'; readonly result: Exclude<CallResult<unknown>, { kind: 'ok' }> }

/** Who the record is by what the service shows now. */
export async function lookUp(contact: Contact, context: PlanContext): Promise<LookedUp> {
  const mail = lookUpMail(contact)
  const { pipeline, session } = context
  if (mail === undefined)
    return { kind: 'resolved', resolution: resolution(contact, undefined, pipeline), request: undefined }
  const found = await session.contactsByMail(mail, lookUpFields(pipeline))
  if (found.kind !== 'ok' && found.kind !== 'absent') return { kind: 'unanswered', result: found }
  const seen = found.kind === 'ok' ? found.value : { contacts: [], others: [] }
  return { kind: 'resolved', resolution: resolution(contact, seen, pipeline), request: found.request }
}
