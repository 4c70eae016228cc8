// What may be sent of a repair: the contact is read again right before, and only what it still lacks goes.
import { shownContact } from '../../core/change/lookup/likeness.ts'
import type { Operation, Settled } from '../../core/change/operation.ts'
import type { FieldRules } from '../../core/change/others/hand-edits.ts'
import { repairNow } from '../../core/change/others/repair.ts'
import type { RunContext } from '../context.ts'
import type { Sendable } from './send-undo.ts'
import { gone, settledByFailure } from './settle.ts'

/** Where the rules are not known, no edit is overwritten. */
const CAREFUL: FieldRules = { ruleOf: () => 'keep' }

export async function repairableFields(
  operation: Operation,
  contactId: number,
  context: RunContext,
): Promise<Sendable | Settled> {
  const actual = await context.session.contactById(contactId, Object.keys(operation.fields))
  if (actual.kind === 'absent') return gone(operation, actual.request)
  if (actual.kind !== 'ok') return settledByFailure(operation, actual, context)
  const { value: shown, request } = actual
  const [sent = { last: {}, pushed: [], open: [] }] = await context.state.sentValues([contactId])
  const { send: fields, left } = repairNow(operation.fields, { sent, shown }, context.handEdits ?? CAREFUL)
  const why = left.length === 0 ? {} : { reason: `unchanged, because changed since: ${left.join(', ')}` }
  if (Object.keys(fields).length > 0) return { fields, replaced: shownContact(fields, shown), ...why }
  return { operation, request, sent: {}, settlement: { kind: 'settled', ...why } }
}
