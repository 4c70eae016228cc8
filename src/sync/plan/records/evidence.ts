// Records that would raise a contact to 4 or 7 without the evidence that `require_evidence` asks for: they are sent without
// their mail_status, and counted. The same is asked again just before a status is sent (sync/send/evidence.ts).
import { lackOf, withoutConsent } from '../../../core/change/consents/evidence.ts'
import { isConsent } from '../../../core/mapping/values/consent.ts'
import type { PlanContext } from '../../context.ts'
import { onPlaces } from './on-places.ts'
import { type MappedRow, recordPlace, type Reading } from '../reading.ts'

type Asked = MappedRow & { readonly mapped: { readonly kind: 'contact' } }

/** A contact that was given the same status already is not raised. */
function isRaise({ mapped, known: { link } }: Asked): boolean {
  const { mail_status: status } = mapped.contact
  const isKnown = link?.fields['mail_status'] === status && !link?.unsure.includes('mail_status')
  return isConsent(status) && !isKnown
}

const asked = (row: MappedRow): Asked | undefined =>
  row.mapped.kind === 'contact' && isRaise(row as Asked) ? (row as Asked) : undefined

const mailsOf = ({ mapped, known: { link } }: Asked): readonly string[] =>
  [mapped.contact['mail'], link?.fields['mail']].flatMap((mail) =>
    typeof mail === 'string' && mail !== '' ? [mail] : [],
  )

export async function withEvidence(
  rows: readonly MappedRow[],
  { staged, leftOut }: Pick<Reading, 'staged' | 'leftOut'>,
  { pipeline, state, clock }: PlanContext,
): Promise<readonly MappedRow[]> {
  if (pipeline.map['mail_status']?.require_evidence !== true) return rows
  const withdrawn = await onPlaces(rows.map(asked), (those) =>
    state.withdrawnAt(those.map((row) => ({ contactId: row.known.link?.contactId, mails: mailsOf(row) }))),
  )
  return rows.map((row, index) => {
    const one = asked(row)
    if (one === undefined) return row
    const lack = lackOf(one.mapped.evidence, {
      withdrawnAt: withdrawn[index],
      now: clock.now(),
      zone: pipeline.timezone,
    })
    if (lack === undefined) return row
    const status = Number(one.mapped.contact['mail_status'])
    leftOut.note({ ...recordPlace(one.item, one.mapped.key, staged), kind: 'evidence', status, lack })
    const mapped = { ...one.mapped, contact: withoutConsent(one.mapped.contact) }
    // The day comes without a change of the row: it is read again until then.
    return lack === 'future' ? { ...one, mapped, fingerprint: '' } : { ...one, mapped }
  })
}
