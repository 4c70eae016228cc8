// Evidence of a consent, asked again just before a status is raised: a 1 or 2 may have been seen since the plan was made, and
// what no record asks for (an undo, say) has no evidence.
import { lackOf, lackText } from '../../core/change/consents/evidence.ts'
import { isConsent } from '../../core/mapping/values/consent.ts'
import type { LinkedOperation } from '../../core/change/operation.ts'
import type { RunContext } from '../context.ts'

const isAsked = (
  { consent }: LinkedOperation<'consent'>,
  { pipeline }: Pick<RunContext, 'pipeline'>,
): boolean => pipeline.map['mail_status']?.require_evidence === true && isConsent(consent)

const mailsOf = ({ desired, known }: LinkedOperation<'consent'>): readonly string[] =>
  [desired['mail'], known['mail']].flatMap((mail) => (typeof mail === 'string' && mail !== '' ? [mail] : []))

/** Why the contact may not be raised; undefined where it may. */
export async function whyUnproven(
  operation: LinkedOperation<'consent'>,
  context: RunContext,
): Promise<string | undefined> {
  if (!isAsked(operation, context)) return undefined
  const { contactId, evidence } = operation
  const { pipeline, state, clock } = context
  const [withdrawnAt] = await state.withdrawnAt([{ contactId, mails: mailsOf(operation) }])
  const lack = lackOf(evidence, { withdrawnAt, now: clock.now(), zone: pipeline.timezone })
  if (lack === undefined) return undefined
  const { key, source, consent: status = 0 } = operation
  const { file, line } = source
  context.tally.leftOut.note({ key, file, line, kind: 'evidence', status, lack })
  return `mail_status ${status} was not set: ${lackText(lack)}`
}

/** A withdrawal has ended: the next one begins on a day of its own, and needs evidence after that. */
export async function noteRaised(operation: LinkedOperation<'consent'>, context: RunContext): Promise<void> {
  if (!isAsked(operation, context)) return
  await context.state.endWithdrawal({ contactId: operation.contactId, mails: mailsOf(operation) })
}
